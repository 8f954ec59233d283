package ui

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// A frame is what every page shows around its own content.
type frame struct {
	Title   string
	Version string
	Query   string // in the search box
	All     bool   // closed calls too
	Nav     string // which entry of the navigation is this page
	JSON    string // the same content as JSON, or ""
	Site    site
	Meta    meta
}

// A meta is what a page says of itself to programs, and what it knows of its reader.
type meta struct {
	About     string // one sentence for search engines, "" says nothing
	Canonical string // the page's URL among several, "" says nothing
	NoIndex   bool   // search engines shall leave the page out
	Feeds     []feedLink
	Zone      string // the reader's time zone
	Here      string // the path and query asked for, "" where it is not known
}

// A feedLink is the same content in another form.
type feedLink struct{ Type, Title, Href string }

func (s *server) frame(title, nav string) frame {
	return frame{Title: title, Version: s.Version, Nav: nav, Site: s.site, Meta: meta{Zone: "UTC"}}
}

// frameOf is frame for a page that shows times in the reader's zone and leads back to
// itself when that is changed.
func (s *server) frameOf(r *http.Request, title, nav string) frame {
	f := s.frame(title, nav)
	f.Meta.Zone = zoneName(readerZone(r))
	if r.Method == http.MethodGet {
		f.Meta.Here = clip(r.URL.RequestURI(), 1000)
	}
	return f
}

// canonical is the one URL of a page, from its path.
func (s *server) canonical(r *http.Request, path string) string {
	return strings.TrimSuffix(s.siteBase(r), "/") + path
}

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

func (s *server) bot(r *http.Request) (view, error) {
	p := botPage{
		frame: s.textFrame(r, "Our crawler", "bot", "The crawler of this site: what it calls itself, how it behaves, and how to be left out."), Contact: contactLink(s.Contact), UserAgent: s.UserAgent, Product: product(s.UserAgent),
		Pause: inWords(s.Pause), MaxCrawlDelay: inWords(s.MaxCrawlDelay), Directives: !s.IgnoreDirectives,
	}
	if p.Contact != nil {
		p.UserAgent += " (+" + p.Contact.Text + ")" // as the crawler sends it
	}
	return view{name: "bot", data: p}, nil
}

// textFrame is the frame of a page that is the same for all.
func (s *server) textFrame(r *http.Request, title, nav, about string) frame {
	f := s.frameOf(r, title, nav)
	f.Meta.About, f.Meta.Canonical = about, s.canonical(r, r.URL.Path)
	return f
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
	On     link // where to go from here
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

func (s *server) notFound(*http.Request) (view, error) { return view{}, errNoPage }

func (s *server) errorView(r *http.Request, err error) view {
	status, text := s.statusOf(r, err)
	p := errorPage{frame: s.frame(errorTitle(status), ""), Status: status, Text: text}
	if status == http.StatusNotFound {
		p.Text, p.On = missing(r.URL.Path, text)
	}
	p.Meta.NoIndex = true
	return view{name: "error", status: status, data: p}
}

// missing says what is not there at a path, and where it may be found.
func missing(path, text string) (string, link) {
	kind, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	name, _, _ := strings.Cut(rest, "/")
	switch path {
	case "/submit":
		return "This site takes no pages from visitors.", link{}
	case labelPath:
		return "No pages wait to be labelled here: that takes a serve with --label-input.", link{"All pages of the operator", adminPath}
	}
	words := strings.Join(strings.FieldsFunc(clip(name, 100), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
	if words == "" {
		return text, link{}
	}
	on := link{"Search for “" + words + "”", searchHref(words, true)}
	switch kind {
	case "e":
		return "There is no call of this name here.", on
	case "s":
		return "There is no series of this name here.", on
	}
	return text, link{}
}
