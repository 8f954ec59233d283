package views

import (
	"github.com/eventseer/eventseer/internal/text"
	"net/url"
	"strings"
	"time"
)

// A Frame is what every page shows around its own content.
type Frame struct {
	Title   string
	Version string
	Query   string // in the search box
	All     bool   // closed calls too
	Sort    string // order of a list, "" of the usual one
	Nav     string // which entry of the navigation is this page
	JSON    string // the same content as JSON, or ""
	Site    Site
	Meta    Meta
}

// A Meta describes a page for search engines and other programs, and has the data on its reader.
type Meta struct {
	About     string // one sentence for search engines, "" for none
	Canonical string // the page's main URL if it has several, "" for none
	NoIndex   bool   // search engines shall leave the page out
	Feeds     []FeedLink
	Zone      string // the reader's time zone
	ZoneKnown bool   // it was chosen or told, else it is UTC
	Here      string // the path and query asked for, "" where it is not known
}

// A FeedLink is the same content in another form.
type FeedLink struct{ Type, Title, Href string }

// A Link is something named that may lead somewhere.
type Link struct {
	Text string `json:"text"`
	Href string `json:"url,omitempty"` // "" leads nowhere
}

// DurationText returns a duration in words for pages, in whole minutes if possible.
func DurationText(d time.Duration) string {
	count := func(n int64, unit string) string { return text.Count(int(n), unit, unit+"s") }
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

// ProductName returns the name of an agent up to its version.
func ProductName(agent string) string {
	if i := strings.IndexAny(agent, "/ "); i >= 0 {
		return agent[:i]
	}
	return agent
}

// ContactLink makes a link of an e-mail address or URL.
func ContactLink(contact string) *Link {
	if contact == "" {
		return nil
	}
	if href := WebLink(contact); href != "" {
		return &Link{Text: contact, Href: href}
	}
	address := contact
	if u, err := url.Parse(contact); err == nil && u.Scheme == "mailto" {
		address = u.Opaque
	}
	return &Link{Text: address, Href: "mailto:" + address}
}

// A Site is what all pages of a server show around their content.
type Site struct {
	Menu, Foot []MenuEntry
	OpenSearch bool
}

// A MenuEntry leads to a page. Name is the Nav of its frame.
type MenuEntry struct{ Name, Text, Href string }
