// Package wrapper learns how the pages of one template say what they say, page by
// page, and reads records by it: incremental partial tree alignment (paper 004,
// section 5).
package wrapper

import "eventseer/features/tagtree"

// A Kind says what the pages of a wrapper hold (paper 004, section 4.2).
type Kind string

// The kinds of pages.
const (
	RecordPage   Kind = "record"   // one record a page
	CategoryPage Kind = "category" // a list of records with links to their pages
)

// A Status says how far a wrapper is to be trusted.
type Status string

// The statuses of a wrapper.
const (
	Learning Status = "learning" // too few pages yet
	Active   Status = "active"   // verified: it reads pages
	Broken   Status = "broken"   // set aside: its pages look otherwise now
)

// A Wrapper is what is known of the pages of one template. It is for one goroutine
// while it learns; reading by it is safe for many.
type Wrapper struct {
	Host    string
	Pattern string // of the URLs, see tagtree.URLPattern
	Kind    Kind
	Status  Status
	Pages   int // learned from
	// Fields are in the order of the template.
	Fields []*Field
}

// A Field is a place of the template where pages differ.
type Field struct {
	// ID is stable for as long as the wrapper lives: "f1", "f2", …
	ID string
	// Meaning is what the values are: "title", "deadline.submission", or a name of the
	// operator's; "" where nobody said.
	Meaning string
	// By says who gave the meaning: "operator", or "evidence" with its Strength.
	By       string
	Strength float64 // share of the values that are the known ones, 0 to 1
	// Ignored says that it is no data: a counter, a date of printing.
	Ignored bool
	// Path is the tag path in the page it was first seen on, Attr the attribute whose
	// value it is, "" of text.
	Path, Attr string
	// Repeats says that a page may give several values, Optional that it may give none.
	Repeats, Optional bool
	Seen              int       // pages that gave a value
	Examples          []Example // the newest first, at most MaxExamples
}

// MaxExamples bounds Field.Examples.
const MaxExamples = 10

// An Example is a value that a page gave.
type Example struct{ URL, Value string }

// A Reading is what a wrapper reads on a page.
type Reading struct {
	URL    string
	Values map[*Field][]Value
	// Unmatched is the number of texts and links of the page that the template has no
	// place for; Matched of those it has.
	Unmatched, Matched int
}

// A Value is one value of a field, with the node that gives it.
type Value struct {
	Text string
	Node *tagtree.Node
}
