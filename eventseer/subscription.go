package eventseer

import (
	"errors"
	"time"
)

// ErrTooMany is returned if a client sends too many requests. Its text is shown to the client.
var ErrTooMany = errors.New("too many requests; please try again in a while")

// An InputError is an error in a person's input. Its text is shown to that person.
type InputError struct {
	Field string // name of the field in the form or URL, or ""
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
	MaxDigestItems    = 100  // items shown in one digest; the others are only counted
	MaxStream         = 2000 // items stored for one list
)

// A Rhythm is how often the new items of a list are sent.
type Rhythm string

// Frequencies of digests. Quiet sends nothing: new items are only on the reader's page and in the list's
// feed.
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
	User    string    `json:"user,omitempty"`    // user name in the header
	Created time.Time `json:"created"`
	// Confirmed is when the reader confirmed the address by mail. Before that, no other mail is sent.
	Confirmed time.Time `json:"confirmed,omitzero"`
	// Paused is the time until which nothing is sent. Refused is set if the server of the address rejected
	// mails; it is the reason, and nothing is sent any more.
	Paused  time.Time `json:"paused,omitzero"`
	Refused string    `json:"refused,omitempty"`
	// Zone is the reader's IANA time zone, "" for UTC.
	Zone string `json:"zone,omitempty"`
	// Stars are the events that the reader follows, in descending order. Their changes are reported at once.
	// Reminders are the numbers of days before a deadline at which a reminder is sent.
	Stars     []EventID `json:"stars,omitempty"`
	Reminders []int     `json:"reminders,omitempty"`
}

// A List is a reader's saved search: the keyword list of paper 000.
type List struct {
	ID      string `json:"id"`
	Account string `json:"account"`
	Name    string `json:"name"`
	// Query is in the language of ParseQuery. Words after a "-" are excluded, and exclusion takes precedence.
	Query string `json:"query"`
	// Exact searches for words as written instead of their stems. Synonyms also searches for synonyms in the
	// dictionary, except for those of the terms in Without.
	Exact    bool     `json:"exact,omitempty"`
	Synonyms bool     `json:"synonyms,omitempty"`
	Without  []string `json:"without,omitempty"`
	Rhythm   Rhythm   `json:"rhythm"`
	// Snoozed is the time until which the list sends nothing. New items are stored.
	Snoozed time.Time `json:"snoozed,omitzero"`
	Created time.Time `json:"created"`
}

// An ItemKind is the reason why an item is reported.
type ItemKind string

// Kinds of items.
const (
	NewCall ItemKind = "new"     // a call that matches a list
	Moved   ItemKind = "moved"   // a deadline of a call that was reported, or of a starred call, has moved
	Closing ItemKind = "closing" // a reminder of the deadline of a starred call
	// StateChanged means that such a call is cancelled, postponed, or on again. Why names the new state, and
	// Passage is the text of the page.
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
	// Passage is the text around the matches. Marks are the half-open byte ranges of the matches in Passage,
	// in order.
	Passage string   `json:"passage,omitempty"`
	Marks   [][2]int `json:"marks,omitempty"`
	// Why describes the match for people: `"web crawling" in topics`.
	Why    []string `json:"why,omitempty"`
	Source string   `json:"source,omitempty"` // URL of the page
	// Next is the next deadline at the time of the item. Old is the deadline before a change.
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
	// Items are the newest items, at most 20 of Total.
	Items []Item
	Total int
	// PerWeek is the mean number of new items per week, 0 if the store is younger than a week.
	PerWeek float64
	// Terms are the words of the query with their synonyms, in the order of the query.
	Terms []PreviewTerm
}

// A PreviewTerm is a term of a list with its synonyms.
type PreviewTerm struct {
	Term string
	Same []string
}

// An Unsubscription is what an unsubscribe link in a mail refers to.
type Unsubscription struct {
	List List // the zero List for all lists
	// Address is the reader's address with all but its ends hidden, such as "a…z@b.example".
	Address string
	// Left means that the subscription was ended. This can be undone for 30 days.
	Left bool
}
