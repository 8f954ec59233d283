package eventseer

import (
	"errors"
	"time"
)

// ErrTooMany is returned for too many requests of one client. Its text is shown to the client.
var ErrTooMany = errors.New("too many requests; please try again in a while")

// An InputError is an error in a person's input. Its text is shown to that person.
type InputError struct {
	Field string // field of the form or the URL, or ""
	Msg   string
}

func (e *InputError) Error() string {
	if e.Field == "" {
		return e.Msg
	}
	return e.Field + ": " + e.Msg
}

// Limits on the data stored for a reader.
const (
	MaxListsAnAccount = 50
	MaxListName       = 80   // runes
	MaxStars          = 500  // events an account follows
	MaxDigestItems    = 100  // shown in one digest; further ones are counted
	MaxStream         = 2000 // stored for one list
)

// A Rhythm is how often a list's finds are sent.
type Rhythm string

// The frequencies of digests. Quiet sends nothing: new items are only on the reader's page and in
// the list's feed.
const (
	Immediate Rhythm = "immediate"
	Daily     Rhythm = "daily"
	Weekly    Rhythm = "weekly"
	Quiet     Rhythm = "quiet"
)

// An Account is a reader. It has no password: a reader signs in by a mail to Address, or by the
// configured header.
type Account struct {
	ID      string    `json:"id"`
	Address string    `json:"address,omitempty"` // "" for a reader identified by a header
	User    string    `json:"user,omitempty"`    // by the header
	Created time.Time `json:"created"`
	// Confirmed is when the reader confirmed the address by mail; before that nothing else is sent.
	Confirmed time.Time `json:"confirmed,omitzero"`
	// Paused is the time until which nothing is sent. Refused is why nothing is sent to the address
	// any more: its server rejected mails.
	Paused  time.Time `json:"paused,omitzero"`
	Refused string    `json:"refused,omitempty"`
	// Zone is the reader's IANA time zone, "" for UTC.
	Zone string `json:"zone,omitempty"`
	// Stars are events, in falling order, whose changes are reported at once. A reminder is sent
	// Reminders days before they close.
	Stars     []EventID `json:"stars,omitempty"`
	Reminders []int     `json:"reminders,omitempty"`
}

// A List is a reader's saved search: the keyword list of paper 000.
type List struct {
	ID      string `json:"id"`
	Account string `json:"account"`
	Name    string `json:"name"`
	// Query is in the language of ParseQuery; words before a "-" are excluded, and exclusion takes
	// precedence.
	Query string `json:"query"`
	// Exact searches for words as written instead of their stems. Synonyms adds those of the
	// dictionary, except for the terms of Without.
	Exact    bool     `json:"exact,omitempty"`
	Synonyms bool     `json:"synonyms,omitempty"`
	Without  []string `json:"without,omitempty"`
	Rhythm   Rhythm   `json:"rhythm"`
	// Snoozed is the time until which the list sends nothing; its finds are stored.
	Snoozed time.Time `json:"snoozed,omitzero"`
	Created time.Time `json:"created"`
}

// An ItemKind is why an item is reported.
type ItemKind string

// The kinds of items.
const (
	NewCall ItemKind = "new"     // a call that matches a list
	Moved   ItemKind = "moved"   // a deadline of such a call, or of a starred one
	Closing ItemKind = "closing" // the deadline of a starred call is near
	// StateChanged means that such a call is cancelled, postponed, or on again: Why names which,
	// and Passage is the text of the page.
	StateChanged ItemKind = "state"
)

// An Item is one report to a reader: a clip and the reason for it.
type Item struct {
	ID    string    `json:"id"`
	Kind  ItemKind  `json:"kind"`
	Event EventID   `json:"event"`
	List  string    `json:"list,omitempty"` // ID of the list, "" for a starred event
	At    time.Time `json:"at"`             // when it was found
	Title string    `json:"title"`
	Place string    `json:"place,omitempty"`
	// Passage is the text around the matches. Marks are the half-open ranges of bytes of the
	// matches in it, in order.
	Passage string   `json:"passage,omitempty"`
	Marks   [][2]int `json:"marks,omitempty"`
	// Why describes the match for people: `"web crawling" in topics`.
	Why    []string `json:"why,omitempty"`
	Source string   `json:"source,omitempty"` // URL of the page
	// Next is the next deadline when the item was found; Old is the one before a change.
	Next Deadline `json:"next,omitzero"`
	Old  Deadline `json:"old,omitzero"`
	// Useful is the reader's vote: 1, -1, or 0 without a vote.
	Useful int `json:"useful,omitempty"`
}

// A Section is the part of a digest for one list.
type Section struct {
	List  List   `json:"list"` // the zero List for starred events
	Items []Item `json:"items"`
	More  int    `json:"more,omitempty"` // items not shown
}

// A Digest is one mail, also stored as a page.
type Digest struct {
	ID       string    `json:"id"`
	Account  string    `json:"account"`
	At       time.Time `json:"at"`
	Subject  string    `json:"subject"`
	Sections []Section `json:"sections"`
	// Crawled is when the crawler last succeeded.
	Crawled time.Time `json:"crawled,omitzero"`
}

// A Preview is what a list would have found in the past.
type Preview struct {
	Since time.Time
	// Items are the newest, at most 20 of Total.
	Items []Item
	Total int
	// PerWeek is the mean number of finds per week, 0 if the store is younger than a week.
	PerWeek float64
	// Terms are the query words with their synonyms, in the order of the query.
	Terms []PreviewTerm
}

// A PreviewTerm is a term of a list and its synonyms.
type PreviewTerm struct {
	Term string
	Same []string
}

// A Leaving is what an unsubscribe link in a mail would end.
type Leaving struct {
	List List // the zero List for all lists
	// Address is the reader's address with all but the ends hidden: "a…z@b.example".
	Address string
	// Left means that it was ended; it can be undone for 30 days.
	Left bool
}
