package ui

import (
	"net/http"
	"strconv"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// Measures of the timeline, in units of its drawing.
const ()

func (s *server) timeline(r *http.Request) (web.View, error) {
	query := views.ViewQuery(r)
	n, err := web.PageNumber(r)
	if err != nil {
		return web.View{}, err
	}
	from, err := web.ParseMonth(r.FormValue("from"), s.Now())
	if err != nil {
		return web.View{}, err
	}
	end := from.AddDate(0, views.TimelineMonths, 0)
	p := views.TimelinePage{Frame: s.Frame("Timeline", "timeline"), ViewForm: s.newViewForm("/timeline", query), Width: views.TimelineWidth}
	asked := ""
	if r.FormValue("from") != "" {
		asked = from.Format("2006-01")
		p.Hidden = map[string]string{"from": asked}
	}
	p.Query, p.Window = query, from.Format("January 2006")+" to "+end.AddDate(0, 0, -1).Format("January 2006")
	// Calls that were open when the window begins, or now if that is later.
	open := s.Now()
	if from.After(open) || asked != "" {
		open = from
	}
	q := eventseer.Query{Text: query, Now: s.Now(), OpenAt: open, ByDeadline: true, From: (n - 1) * views.TimelineRows, Limit: views.TimelineRows}
	found, err := s.findFor(r, q, &p.ViewForm)
	if err != nil {
		return web.View{}, err
	}
	events, err := s.events(r, found.Hits)
	if err != nil {
		return web.View{}, err
	}
	scale := views.TimelineScale{From: from, End: end}
	for i, e := range events {
		p.Rows = append(p.Rows, scale.Call(e, i, open))
	}
	p.Months, p.Height = scale.Months(), views.TimelineTop+len(p.Rows)*views.TimelineRow+8
	if x, ok := scale.At(s.Now()); ok {
		p.Today = x
	}
	p.Total, p.From, p.To = found.Total, q.From+1, q.From+len(found.Hits)
	if n > 1 {
		p.Newer = views.ViewHref("/timeline", query, "from", asked, "page", strconv.Itoa(n-1))
	}
	if p.To < found.Total && len(found.Hits) > 0 && n < web.MaxPage {
		p.Older = views.ViewHref("/timeline", query, "from", asked, "page", strconv.Itoa(n+1))
	}
	p.Earlier, p.Later = views.TimelineLink(query, from.AddDate(0, -6, 0)), views.TimelineLink(query, from.AddDate(0, 6, 0))
	return web.View{Name: "timeline", Data: p, Status: p.Status()}, nil
}
