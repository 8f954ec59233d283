package eventseer

import (
	"errors"
	"time"
)

// ErrTooMany is returned for too many requests of one client; the text is for them.
var ErrTooMany = errors.New("too many requests; please try again in a while")

// An InputError says what is wrong with what a person typed. Its text is for them.
type InputError struct {
	Field string // from the form or the URL, or ""
	Msg   string
}

func (e *InputError) Error() string {
	if e.Field == "" {
		return e.Msg
	}
	return e.Field + ": " + e.Msg
}

// Limits of what readers keep.
const (
	MaxListsAnAccount = 50
	MaxListName       = 80   // runes
	MaxStars          = 500  // events an account follows
	MaxDigestItems    = 100  // shown in one digest; the others are counted
	MaxStream         = 2000 // items kept for a list
)

// A Rhythm is how often a list's finds are sent.
type Rhythm string

// The rhythms. Quiet sends nothing: the finds are at the reader's page and in the
// list's feed.
const (
	Immediate Rhythm = "immediate"
	Daily     Rhythm = "daily"
	Weekly    Rhythm = "weekly"
	Quiet     Rhythm = "quiet"
)

// An Account is a reader. It has no password: reading mail at Address, or being named by the
// configured header, signs in.
type Account struct {
	ID      string    `json:"id"`
	Address string    `json:"address,omitempty"` // "" for one that a header names
	User    string    `json:"user,omitempty"`    // by the header
	Created time.Time `json:"created"`
	// Confirmed is when the reader said yes from the mail; nothing else is sent
	// before.
	Confirmed time.Time `json:"confirmed,omitzero"`
	// Paused is until when nothing is sent. Refused says why the address gets nothing
	// any more: its server turned mails away.
	Paused  time.Time `json:"paused,omitzero"`
	Refused string    `json:"refused,omitempty"`
	// Zone is the reader's IANA time zone, "" for UTC.
	Zone string `json:"zone,omitempty"`
	// Stars are events whose moves are told at once and that close with a reminder
	// Reminders days before, in falling order.
	Stars     []EventID `json:"stars,omitempty"`
	Reminders []int     `json:"reminders,omitempty"`
}

// A List is what a reader wants to hear of: the keyword list of paper 000.
type List struct {
	ID      string `json:"id"`
	Account string `json:"account"`
	Name    string `json:"name"`
	// Query is in the language of ParseQuery; words before a "-" are excluded, and
	// exclusion wins.
	Query string `json:"query"`
	// Exact asks for words as written instead of their stems, Synonyms also for those
	// of the dictionary but for the terms of Without.
	Exact    bool     `json:"exact,omitempty"`
	Synonyms bool     `json:"synonyms,omitempty"`
	Without  []string `json:"without,omitempty"`
	Rhythm   Rhythm   `json:"rhythm"`
	// Snoozed is until when the list is silent; its finds are kept.
	Snoozed time.Time `json:"snoozed,omitzero"`
	Created time.Time `json:"created"`
}

// An ItemKind is why an item is told.
type ItemKind string

// The kinds of items.
const (
	NewCall ItemKind = "new"     // a call that a list asks for
	Moved   ItemKind = "moved"   // a deadline of such a call, or of a starred one
	Closing ItemKind = "closing" // a starred call closes soon
	// StateChanged means that such a call is cancelled or postponed, or on again: Why says which,
	// and Passage how the page does.
	StateChanged ItemKind = "state"
)

// An Item is one thing told to a reader: a clip with why it is told.
type Item struct {
	ID    string    `json:"id"`
	Kind  ItemKind  `json:"kind"`
	Event EventID   `json:"event"`
	List  string    `json:"list,omitempty"` // ID of the list, "" for a starred event
	At    time.Time `json:"at"`             // when it was found
	Title string    `json:"title"`
	Place string    `json:"place,omitempty"`
	// Passage is the text around what was looked for, and Marks the half-open ranges
	// of bytes there that hold it, in order.
	Passage string   `json:"passage,omitempty"`
	Marks   [][2]int `json:"marks,omitempty"`
	// Why says what matched, for people: `"web crawling" in topics`.
	Why    []string `json:"why,omitempty"`
	Source string   `json:"source,omitempty"` // URL of the page
	// Next is the next deadline when the item was found; Old what it was before a
	// move.
	Next Deadline `json:"next,omitzero"`
	Old  Deadline `json:"old,omitzero"`
	// Useful is the reader's vote: 1, -1, or 0 without a vote.
	Useful int `json:"useful,omitempty"`
}

// A Section is the part of a digest that one list gave.
type Section struct {
	List  List   `json:"list"` // the zero List: starred events
	Items []Item `json:"items"`
	More  int    `json:"more,omitempty"` // items not shown
}

// A Digest is one mail, also kept as a page.
type Digest struct {
	ID       string    `json:"id"`
	Account  string    `json:"account"`
	At       time.Time `json:"at"`
	Subject  string    `json:"subject"`
	Sections []Section `json:"sections"`
	// Crawled is when the crawler last succeeded.
	Crawled time.Time `json:"crawled,omitzero"`
}

// A Preview says what a list would have brought.
type Preview struct {
	Since time.Time
	// Items are the newest, at most 20 of Total.
	Items []Item
	Total int
	// PerWeek is the mean of the finds, 0 where the store is younger than a week.
	PerWeek float64
	// Terms are the words looked for with their synonyms, in the order of the query.
	Terms []PreviewTerm
}

// A PreviewTerm is a term of a list and what is taken for the same.
type PreviewTerm struct {
	Term string
	Same []string
}

// A Leaving is what a link out of a mail would end.
type Leaving struct {
	List List // the zero List: all lists
	// Address is the reader's with all but the ends hidden: "a…z@b.example".
	Address string
	// Left means that it is done; it can be undone for 30 days.
	Left bool
}
