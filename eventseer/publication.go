package eventseer

import (
	"io"
	"net/url"
	"time"
)

// A Publication is a list of events for a calendar, a feed or a file: the result of one search.
type Publication struct {
	// Title is the title shown to readers: the query, or "Open calls for papers".
	Title string
	// Self is the URL of the publication, and Home that of the corresponding HTML page. Base is the URL of
	// the site, ending in "/": events are at Base+"e/"+ID.
	Self, Home, Base string
	Entries          []Entry
	// Updated is when an entry last changed; Now the time of writing.
	Updated, Now time.Time
	// Refresh is the interval at which programs should fetch it again. If it is zero, none is stated.
	Refresh time.Duration
	// List is the id of the reader's list that a feed is for, "" for a public one. Entries of
	// different lists have different ids, even for the same call.
	List string
}

// An Entry is an event with its history.
type Entry struct {
	Event Event
	// Changes are the event's changes, oldest first. They give the dates and revisions in feeds and
	// the SEQUENCE in calendars.
	Changes []Change
	// Gone means that the event was cancelled or removed. The entry is then a tombstone.
	Gone bool
	// Change, if not nil, is the change that the entry is about, in feeds of changes. Otherwise the
	// entry is about the event as it is now.
	Change *Change
	// Passage is a text that contains the searched words, or "".
	Passage string
}

// A Format writes publications. It is safe for concurrent use, and its output is the same for the
// same publication and options.
type Format struct {
	Name        string // such as "ics"
	Ending      string // file extension in URLs, such as ".ics"
	ContentType string
	Describe    string // description, such as "iCalendar, for calendar programs"
	// Write reads its options from a URL's query, such as style=allday and alarm=7d. It ignores
	// unknown options; an invalid value is an *InputError.
	Write func(w io.Writer, p Publication, options url.Values) error
}
