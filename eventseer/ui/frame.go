package ui

import (
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// A frame is what every page shows around its own content.
type frame struct {
	Title   string
	Version string
	Query   string // in the search box
	All     bool   // closed calls too
	Nav     string // which entry of the navigation is this page
	JSON    string // the same content as JSON, or ""
}

func (s *server) frame(title, nav string) frame {
	return frame{Title: title, Version: s.Version, Nav: nav}
}

// A textPage is a page without data of its own.
type textPage struct{ frame }

// A botPage says who crawls, and how not to be.
type botPage struct {
	frame
	Contact              *link // nil where nobody is named
	UserAgent            string
	Product              string // the part of UserAgent that robots.txt names
	Pause, MaxCrawlDelay string // "" is not shown
	Directives           bool   // of pages are obeyed
}

// A link is something named that may lead somewhere.
type link struct {
	Text string `json:"text"`
	Href string `json:"url,omitempty"` // "" leads nowhere
}

func (s *server) about(*http.Request) (view, error) {
	return view{name: "about", data: textPage{frame: s.frame("About", "about")}}, nil
}

func (s *server) bot(*http.Request) (view, error) {
	p := botPage{
		frame: s.frame("Our crawler", "bot"), Contact: contactLink(s.Contact), UserAgent: s.UserAgent, Product: product(s.UserAgent),
		Pause: inWords(s.Pause), MaxCrawlDelay: inWords(s.MaxCrawlDelay), Directives: !s.IgnoreDirectives,
	}
	if p.Contact != nil {
		p.UserAgent += " (+" + p.Contact.Text + ")" // as the crawler sends it
	}
	return view{name: "bot", data: p}, nil
}

// inWords says a duration to whoever reads a page, in whole minutes where it is.
func inWords(d time.Duration) string {
	count := func(n int64, unit string) string {
		if n == 1 {
			return "1 " + unit
		}
		return strconv.FormatInt(n, 10) + " " + unit + "s"
	}
	switch {
	case d <= 0:
		return ""
	case d < time.Second:
		return count(d.Milliseconds(), "millisecond")
	case d%time.Minute == 0:
		return count(int64(d/time.Minute), "minute")
	}
	return count(int64(d.Round(time.Second)/time.Second), "second")
}

// product is the name of an agent up to its version.
func product(agent string) string {
	for i, r := range agent {
		if r == '/' || r == ' ' {
			return agent[:i]
		}
	}
	return agent
}

// contactLink makes a link of an e-mail address or URL.
func contactLink(contact string) *link {
	if contact == "" {
		return nil
	}
	if href := webLink(contact); href != "" {
		return &link{contact, href}
	}
	address := contact
	if u, err := url.Parse(contact); err == nil && u.Scheme == "mailto" {
		address = u.Opaque
	}
	return &link{address, "mailto:" + address}
}

// An errorPage says what went wrong.
type errorPage struct {
	frame
	Status int
	Text   string
}

func (s *server) notFound(*http.Request) (view, error) { return view{}, errNoPage }

func (s *server) errorView(r *http.Request, err error) view {
	status, text := s.statusOf(r, err)
	return view{name: "error", status: status, data: errorPage{
		frame: s.frame(http.StatusText(status), ""), Status: status, Text: text,
	}}
}
