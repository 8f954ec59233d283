package ui

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// Calls that fit an abstract.
const (
	fitPath     = "/fit"
	maxAbstract = 10_000 // bytes of the text
	maxFit      = 20     // calls shown
	fitLooked   = 100    // calls found by words that are compared

	// A field in common has half the weight of the best word score. A short text has few words in common, but
	// the model of fields has read the whole text.
	fieldWeight = 0.5
)

// A fitForm is the text for which calls are searched, and its error.
type fitForm struct{ Text, Problem string }

// limitFit limits the size and frequency of requests.
func (s *server) limitFit(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	if s.limits.WaitTime(s.clientAddress(r), s.Now()) > 0 {
		s.PageHandler(func(*http.Request) (web.View, error) {
			v, _ := s.ownError(w, eventseer.ErrTooMany)
			return v, nil
		})(w, r)
		return
	}
	s.PageHandler(s.fitPage)(w, r)
}

// fitPage shows the open calls that fit a text best, with reasons. The text is not stored.
func (s *server) fitPage(r *http.Request) (web.View, error) {
	page := listPage{Frame: s.FrameOf(r, "Calls for an abstract", "fit"), Fit: &fitForm{}, Full: hasFullRows(r)}
	page.Meta.About = "Paste an abstract and see which open calls fit it, and why."
	if r.Method != http.MethodPost {
		return web.View{Name: "list", Data: page}, nil
	}
	text := strings.TrimSpace(r.PostFormValue("text"))
	page.Fit.Text = views.CutToRunes(text, maxAbstract)
	words := query.FromText(page.Fit.Text)
	switch {
	case len(text) > maxAbstract:
		page.Fit.Problem = "The text is too long: at most 10,000 characters are allowed."
	case words == "":
		page.Fit.Problem = "Paste an abstract, a title or a few keywords."
	}
	if page.Fit.Problem != "" {
		return web.View{Name: "list", Data: page, Status: http.StatusBadRequest}, nil
	}
	hits, err := s.findFitting(r, words, views.FieldsOfText(page.Fit.Text), &page)
	page.Total, page.From, page.To, page.Order = len(hits), 1, len(hits), "best fit first"
	return web.View{Name: "list", Data: page}, err
}

// findFitting finds the calls, the best first, and fills their rows in.
func (s *server) findFitting(r *http.Request, words string, fields []string, page *listPage) ([]eventseer.Hit, error) {
	q := eventseer.Query{Text: words, OpenAt: s.Now(), Order: eventseer.OrderRelevance, AsWritten: true, Passages: true, Limit: fitLooked}
	found, err := s.Index.Find(r.Context(), q)
	if err != nil {
		return nil, err
	}
	best := 0.0
	for _, h := range found.Hits {
		best = max(best, h.Score)
	}
	shared := map[eventseer.EventID][]string{}
	events, err := s.readEvents(r, found.Hits)
	if err != nil {
		return nil, err
	}
	known := map[eventseer.EventID]eventseer.Event{}
	for _, e := range events {
		known[e.ID], shared[e.ID] = e, views.SharedFields(e, fields)
	}
	value := func(h eventseer.Hit) float64 {
		v := 0.0
		if best > 0 {
			v = h.Score / best
		}
		if len(shared[h.ID]) > 0 {
			v += fieldWeight
		}
		return v
	}
	hits := slices.DeleteFunc(found.Hits, func(h eventseer.Hit) bool { _, ok := known[h.ID]; return !ok })
	slices.SortStableFunc(hits, func(a, b eventseer.Hit) int { return cmp.Compare(value(b), value(a)) })
	hits = views.FirstN(hits, maxFit)
	bare := views.MapSlice(hits, func(h eventseer.Hit) eventseer.Hit { return eventseer.Hit{ID: h.ID} })
	if page.Calls, err = s.callRows(r, bare); err != nil {
		return nil, err
	}
	for i := range page.Calls {
		id := page.Calls[i].ID
		at := slices.IndexFunc(hits, func(h eventseer.Hit) bool { return h.ID == id })
		page.Calls[i].Why = views.CommonProperties(known[id], shared[id], hits[at].Places)
	}
	return hits, nil
}
