package ui

import (
	"log/slog"
	"net/http"
	"time"

	"eventseer/eventseer"
)

// Options are what the UI is built from.
type Options struct {
	// Store and Index are read only; both are needed.
	Store eventseer.Store
	Index eventseer.Index
	// Now is the clock. Nil means time.Now.
	Now func() time.Time
	// Version of the program, shown in the footer.
	Version string
	// Contact is the e-mail address or URL of whoever runs the crawler, shown
	// at /bot. Empty says that this instance crawls nothing.
	Contact string
	// UserAgent is the crawler's, shown at /bot. Empty means "EventSeer".
	UserAgent string
	// Pause is the shortest between two requests to a site, and MaxCrawlDelay the
	// longest that a robots.txt is granted, shown at /bot. Zero is not shown.
	Pause, MaxCrawlDelay time.Duration
	// IgnoreDirectives says that meta robots and X-Robots-Tag are not obeyed, so
	// that /bot does not promise it.
	IgnoreDirectives bool
	// Slicer fetches and searches pages for visitors, at /slice. Nil says there
	// that this instance crawls nothing.
	Slicer Slicer
	// SliceSynonyms offers to look for words of the same meaning too.
	SliceSynonyms bool
	// Versions are the versions of pages that are kept, shown at /e/ID/history. Nil
	// shows the changes of records alone.
	Versions Versions
	// Series, Desk, Submitter and Subscriptions serve the pages of series, of reports to
	// the operator, of submitted URLs and of readers. The pages of a nil one say that
	// this instance does not have it, and no page leads there.
	Series        eventseer.SeriesStore
	Desk          eventseer.Desk
	Submitter     Submitter
	Subscriptions Subscriptions
	// UserHeader is the header in which a proxy at one of UserProxies (IP addresses or
	// prefixes) names the reader who is signed in there. Empty trusts no header.
	UserHeader  string
	UserProxies []string
	// Formats are the endings a search may have besides .json.
	Formats []eventseer.Format
	// Base is the URL the site is reached at, ending in "/". Empty takes that of each
	// request; mails need one.
	Base string
	// Panels are the operator's pages, for requests from this machine, or with
	// AdminToken as the password of HTTP basic authentication if that is not "". Audit
	// is told what the operator did; nil logs it.
	Panels     []Panel
	AdminToken string
	// Tools are pages of the operator's that have a handler of their own, by their path,
	// such as "/wrappers". They are for whom Panels are for.
	Tools map[string]http.Handler
	Audit func(AuditEntry)
	// Dumps is the folder of the dumps that /data offers; "" has none.
	Dumps string
	// Revision returns the number of the store's last change: what was rendered before
	// it is rendered again. Nil: rendered pages are kept for the minute alone.
	Revision func() uint64
	// Crawled returns when a page was last fetched; nil or zero says nothing.
	Crawled func() time.Time
	// People shows committees and pages of people.
	People bool
	// Recent lists what was found and what changed, at /new and /changes. Nil leaves
	// both pages out.
	Recent Recent
	// JSONLD returns an event and its changes, oldest first, as data of schema.org for
	// search engines, for the page at url; false of one of which too little is known.
	// Nil has none.
	JSONLD func(e eventseer.Event, changes []eventseer.Change, url string) ([]byte, bool)
	// Log hears of internal errors, which visitors are not shown. Nil drops them.
	Log *slog.Logger
}
