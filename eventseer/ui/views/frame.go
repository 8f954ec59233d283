package views

import (
	"github.com/eventseer/eventseer/internal/text"
	"net/url"
	"strings"
	"time"
)

// A Frame is the part of every page around its own content.
type Frame struct {
	Title   string
	Version string
	Query   string // in the search box
	All     bool   // closed calls too
	Sort    string // order of a list, "" for the default
	Nav     string // the entry of the navigation for this page
	JSON    string // the same content as JSON, or ""
	Site    Site
	Meta    Meta
}

// A Meta describes a page for search engines and other programs, and has the data on its reader.
type Meta struct {
	About     string // one sentence for search engines, "" for none
	Canonical string // the page's main URL if it has several, "" for none
	NoIndex   bool   // tells search engines not to list the page
	Feeds     []FeedLink
	Zone      string // the reader's time zone
	ZoneKnown bool   // the reader or the browser named the zone; otherwise it is UTC
	Here      string // path and query of the request, "" if unknown
}

// A FeedLink is a link to the same content in another format.
type FeedLink struct{ Type, Title, Href string }

// A Link is a name with a URL, which may be empty.
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

// A Site is what all pages of a server have in common around their content.
type Site struct {
	Menu, Foot []MenuEntry
	OpenSearch bool
}

// A MenuEntry is a link of the navigation. Name is the value of Frame.Nav on the page it leads to.
type MenuEntry struct{ Name, Text, Href string }
