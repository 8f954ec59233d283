package ui

import (
	"net/http"
	"time"

	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// An aboutPage says what the site is; the parts that it has not are not mentioned.
type aboutPage struct {
	views.Frame
	Contact *views.Link
	Parts   struct{ API, Data, Recent, Mail, Submit bool }
	Formats []views.Link // of the home page's list
	Crawled views.Stamp
}

func (s *server) about(r *http.Request) (web.View, error) {
	p := aboutPage{
		Frame:   s.textFrame(r, "About", "about", "What EventSeer is, how far to trust it, and how to use its data."),
		Contact: views.ContactLink(s.Contact),
	}
	p.Parts.Recent, p.Parts.Mail, p.Parts.Submit = s.Recent != nil, s.Subscriptions != nil, s.Submitter != nil
	for _, e := range s.Site.Foot {
		p.Parts.API = p.Parts.API || e.Name == "api"
		p.Parts.Data = p.Parts.Data || e.Name == "data"
	}
	for _, f := range s.Formats {
		p.Formats = append(p.Formats, views.Link{Text: f.Describe, Href: "/search" + f.Ending})
	}
	if s.Crawled != nil {
		p.Crawled = views.NewStamp(s.Crawled(), s.Now())
	}
	return web.View{Name: "about", Data: p}, nil
}

// A privacyPage says what is kept of whom, and for how long.
type privacyPage struct {
	views.Frame
	Contact       *views.Link
	People        bool
	Accounts      bool
	Removal       string // URL of the form to be taken out, "" without one
	ZoneFor, Undo string
}

func (s *server) privacy(r *http.Request) (web.View, error) {
	p := privacyPage{
		Frame:   s.textFrame(r, "Privacy", "privacy", "What this site keeps of its readers and of the people named on calls, and how to have it taken out."),
		Contact: views.ContactLink(s.Contact), People: s.People, Accounts: s.Subscriptions != nil,
		ZoneFor: inDays(web.ZoneFor),
	}
	if s.Desk != nil {
		p.Removal = "/removal"
	}
	return web.View{Name: "privacy", Data: p}, nil
}

// inDays says a time in whole days, or in years where it is that.
func inDays(d time.Duration) string {
	const year = 365 * 24 * time.Hour
	if d%year == 0 {
		return views.Counted(int(d/year), "year")
	}
	return views.Counted(int(d/(24*time.Hour)), "day")
}
