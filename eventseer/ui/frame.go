package ui

import (
	"net/http"
	"strings"

	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// canonical is the one URL of a page, from its path.
func (s *server) canonical(r *http.Request, path string) string {
	return strings.TrimSuffix(s.siteBase(r), "/") + path
}

// A botPage says who crawls, and how not to be.
type botPage struct {
	views.Frame
	Contact              *views.Link // nil where nobody is named
	UserAgent            string
	Product              string // the part of UserAgent that robots.txt names
	Pause, MaxCrawlDelay string // "" is not shown
	Directives           bool   // of pages are obeyed
}

func (s *server) bot(r *http.Request) (web.View, error) {
	p := botPage{
		Frame: s.textFrame(r, "Our crawler", "bot", "The crawler of this site: what it calls itself, how it behaves, and how to be left out."), Contact: views.ContactLink(s.Contact), UserAgent: s.UserAgent, Product: views.Product(s.UserAgent),
		Pause: views.InWords(s.Pause), MaxCrawlDelay: views.InWords(s.MaxCrawlDelay), Directives: !s.IgnoreDirectives,
	}
	if p.Contact != nil {
		p.UserAgent += " (+" + p.Contact.Text + ")" // as the crawler sends it
	}
	return web.View{Name: "bot", Data: p}, nil
}

// textFrame is the frame of a page that is the same for all.
func (s *server) textFrame(r *http.Request, title, nav, about string) views.Frame {
	f := s.FrameOf(r, title, nav)
	f.Meta.About, f.Meta.Canonical = about, s.canonical(r, r.URL.Path)
	return f
}
