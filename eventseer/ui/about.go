package ui

import (
	"net/http"
	"time"
)

// An aboutPage says what the site is; the parts that it has not are not mentioned.
type aboutPage struct {
	frame
	Contact *link
	Parts   struct{ API, Data, Recent, Mail, Submit bool }
	Formats []link // of the home page's list
	Crawled stamp
}

func (s *server) about(r *http.Request) (view, error) {
	p := aboutPage{
		frame:   s.textFrame(r, "About", "about", "What EventSeer is, how far to trust it, and how to use its data."),
		Contact: contactLink(s.Contact),
	}
	p.Parts.Recent, p.Parts.Mail, p.Parts.Submit = s.Recent != nil, s.Subscriptions != nil, s.Submitter != nil
	for _, e := range s.site.Foot {
		p.Parts.API = p.Parts.API || e.Name == "api"
		p.Parts.Data = p.Parts.Data || e.Name == "data"
	}
	for _, f := range s.Formats {
		p.Formats = append(p.Formats, link{f.Describe, "/search" + f.Ending})
	}
	if s.Crawled != nil {
		p.Crawled = newStamp(s.Crawled(), s.Now())
	}
	return view{name: "about", data: p}, nil
}

// A privacyPage says what is kept of whom, and for how long.
type privacyPage struct {
	frame
	Contact       *link
	People        bool
	Accounts      bool
	Removal       string // URL of the form to be taken out, "" without one
	ZoneFor, Undo string
}

func (s *server) privacy(r *http.Request) (view, error) {
	p := privacyPage{
		frame:   s.textFrame(r, "Privacy", "privacy", "What this site keeps of its readers and of the people named on calls, and how to have it taken out."),
		Contact: contactLink(s.Contact), People: s.People, Accounts: s.Subscriptions != nil,
		ZoneFor: inDays(zoneFor),
	}
	if s.Desk != nil {
		p.Removal = "/removal"
	}
	return view{name: "privacy", data: p}, nil
}

// inDays says a time in whole days, or in years where it is that.
func inDays(d time.Duration) string {
	const year = 365 * 24 * time.Hour
	if d%year == 0 {
		return counted(int(d/year), "year")
	}
	return counted(int(d/(24*time.Hour)), "day")
}
