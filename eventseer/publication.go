package eventseer

import (
	"io"
	"net/url"
	"time"
)

// A Publication is a list of events made ready for a calendar, a feed or a file:
// the answer to one search.
type Publication struct {
	// Title is what readers' programs show: the query, or "Open calls for papers".
	Title string
	// Self is the URL of the publication itself, Home that of the page for people.
	// Base is the site's, ending in "/": events are at Base+"e/"+ID.
	Self, Home, Base string
	Entries          []Entry
	// Updated is when an entry last changed; Now the time of writing.
	Updated, Now time.Time
	// Refresh is how often readers should look again. Zero says nothing.
	Refresh time.Duration
	// List is the id of the reader's list that a feed is for. The entries of two lists are
	// different ones, also where both have a call. "" is a publication for all.
	List string
}

// An Entry is an event and what was seen of it.
type Entry struct {
	Event Event
	// Changes are the event's, oldest first: the dates and revisions of feeds, the
	// SEQUENCE of calendars.
	Changes []Change
	// Gone means that the event was cancelled or taken out: a tombstone.
	Gone bool
	// Change, if not nil, is the change that the entry is about, in feeds of changes. Else the
	// entry is about the event as it is now.
	Change *Change
	// Passage is a text that contains the searched words, or "".
	Passage string
}

// A Format writes publications. It is safe for concurrent use, and the same
// publication and options give the same bytes.
type Format struct {
	Name        string // "ics"
	Ending      string // of a URL, ".ics"
	ContentType string
	Describe    string // "iCalendar, for calendar programs"
	// Write reads its options from a URL's query, such as style=allday and alarm=7d. It ignores
	// unknown options; an invalid value is an *InputError.
	Write func(w io.Writer, p Publication, options url.Values) error
}
