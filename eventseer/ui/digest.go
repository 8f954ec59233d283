package ui

import (
	"errors"
	"fmt"
	"net/http"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

const maxSections = eventseer.MaxListsAnAccount + 1

// A digestPage is one mail as a page.
type digestPage struct {
	ownFrame
	Subject  string
	At       views.Stamp
	Crawled  views.Stamp
	Sections []digestSection
	Here     string
	Newer    string
	Older    string
}

const digestPerPage = 25 // items

// A digestSection is what one list gave to a mail.
type digestSection struct {
	Name  string
	Query string
	Items []itemView
	More  string
	All   string // where the others are, for whoever the mail was sent to
}

var errNoMail = &visitError{
	status: http.StatusNotFound, text: "There is no mail at this address: the link is not whole, or the mail is not kept any more. What your lists found, they keep.",
	on: views.Link{Text: "What your lists found", Href: "/clips"},
}

// digest shows a mail to whoever has the link in it.
func (s *server) digest(v *visit) (web.View, error) {
	d, err := s.Subscriptions.Digest(v.Context(), v.PathValue("token"))
	if errors.Is(err, eventseer.ErrNotFound) {
		return web.View{}, errNoMail
	}
	if err != nil {
		return web.View{}, err
	}
	now := s.Now()
	p := digestPage{
		ownFrame: s.ownFrame(v, views.Clip(d.Subject, 200), "clips"), Subject: views.Clip(d.Subject, 300), At: views.NewStamp(d.At, now),
		Crawled: views.NewStamp(d.Crawled, now), Here: "/d/" + v.PathValue("token"),
	}
	p.Said = map[string]string{"voted": clipsSaid["voted"]}[v.URL.Query().Get("done")]
	number := 1
	if !readNumber(v.URL.Query().Get("page"), &number, 1, eventseer.MaxDigestItems/digestPerPage) {
		return web.View{}, web.BadRequest("page is a number from 1 to %d", eventseer.MaxDigestItems/digestPerPage)
	}
	from := (number - 1) * digestPerPage
	if number > 1 {
		p.Newer = digestHref(p.Here, number-1)
	}
	if s.showSections(v, &p, d, from) {
		p.Older = digestHref(p.Here, number+1)
	}
	p.Here = digestHref(p.Here, number)
	return web.View{Name: "digest", Data: p}, nil
}

func digestHref(path string, number int) string {
	if number == 1 {
		return path
	}
	return fmt.Sprintf("%s?page=%d", path, number)
}

// showSections fills in the items of a page of a mail, and reports whether there are
// more behind them.
func (s *server) showSections(v *visit, p *digestPage, d eventseer.Digest, from int) (more bool) {
	own := v.account != nil && v.account.ID == d.Account
	at, most := 0, eventseer.MaxDigestItems // items so far, and left
	for _, section := range views.Head(d.Sections, maxSections) {
		shown := views.Head(section.Items, most)
		most -= len(shown)
		first, last := max(0, from-at), min(len(shown), from+digestPerPage-at)
		at += len(shown)
		if last < len(shown) {
			more = true
		}
		if first >= last && len(section.Items) > 0 {
			continue // on another page
		}
		row := digestSection{Name: "Calls you follow"}
		if section.List.ID != "" || section.List.Query != "" {
			row.Name, row.Query = views.Clip(firstOf(section.List.Name, section.List.Query), 100), views.Clip(section.List.Query, views.MaxValue)
		}
		for i := first; i < last; i++ {
			row.Items = append(row.Items, s.votable(v, shown[i]))
		}
		if left := section.More + len(section.Items) - len(shown); left > 0 && last == len(shown) {
			row.More = fmt.Sprintf("%d more matched", left)
			if own && section.List.ID != "" {
				row.All = s.newListRow(section.List).Only
			}
		}
		p.Sections = append(p.Sections, row)
	}
	return more
}
