package ui

import (
	"net/http"
	"net/url"
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
type textPage struct {
	frame
	Contact   *link // nil where nobody is named
	UserAgent string
	Product   string // the part of UserAgent that robots.txt names
}

// A link is something named that may lead somewhere.
type link struct {
	Text string
	Href string // "" leads nowhere
}

func (s *server) about(*http.Request) (view, error) {
	return view{name: "about", data: textPage{frame: s.frame("About", "about")}}, nil
}

func (s *server) bot(*http.Request) (view, error) {
	return view{name: "bot", data: textPage{
		frame: s.frame("Our crawler", "bot"), Contact: contactLink(s.Contact),
		UserAgent: s.UserAgent, Product: product(s.UserAgent),
	}}, nil
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
