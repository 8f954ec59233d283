package ui

import (
	"net/http"
	"strings"
	"unicode"

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

func (s *server) bot(r *http.Request) (view, error) {
	p := botPage{
		Frame: s.textFrame(r, "Our crawler", "bot", "The crawler of this site: what it calls itself, how it behaves, and how to be left out."), Contact: views.ContactLink(s.Contact), UserAgent: s.UserAgent, Product: views.Product(s.UserAgent),
		Pause: views.InWords(s.Pause), MaxCrawlDelay: views.InWords(s.MaxCrawlDelay), Directives: !s.IgnoreDirectives,
	}
	if p.Contact != nil {
		p.UserAgent += " (+" + p.Contact.Text + ")" // as the crawler sends it
	}
	return view{name: "bot", data: p}, nil
}

// textFrame is the frame of a page that is the same for all.
func (s *server) textFrame(r *http.Request, title, nav, about string) views.Frame {
	f := s.frameOf(r, title, nav)
	f.Meta.About, f.Meta.Canonical = about, s.canonical(r, r.URL.Path)
	return f
}

// An errorPage says what went wrong.
type errorPage struct {
	views.Frame
	Status int
	Text   string
	On     views.Link // where to go from here
}

// errorTitle says what went wrong in a few plain words.
func errorTitle(status int) string {
	switch status {
	case http.StatusNotFound:
		return "Page not found"
	case http.StatusBadRequest:
		return "That could not be understood"
	case http.StatusForbidden:
		return "That is not allowed"
	case http.StatusTooManyRequests:
		return "Too many requests"
	case http.StatusServiceUnavailable:
		return "Not available now"
	case http.StatusInternalServerError:
		return "Something went wrong"
	}
	return http.StatusText(status)
}

// missing says what is not there at a path, and where it may be found.
func missing(path, text string) (string, views.Link) {
	kind, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	name, _, _ := strings.Cut(rest, "/")
	switch path {
	case "/submit":
		return "This site takes no pages from visitors.", views.Link{}
	case labelPath:
		return "No pages wait to be labelled here: that takes a serve with --label-input.", views.Link{Text: "All pages of the operator", Href: adminPath}
	}
	words := strings.Join(strings.FieldsFunc(views.Clip(name, 100), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
	if words == "" {
		return text, views.Link{}
	}
	on := views.Link{Text: "Search for “" + words + "”", Href: views.SearchHref(words, true)}
	switch kind {
	case "e":
		return "There is no call of this name here.", on
	case "s":
		return "There is no series of this name here.", on
	}
	return text, views.Link{}
}
