// Package wrapper learns the layout of pages of one template, page by page, and reads records with
// it. The method is incremental partial tree alignment (paper 004, section 5).
package wrapper

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/eventseer/eventseer/features/tagtree"
)

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
	Pattern string // of the URLs, see template.URLPattern
	Kind    Kind
	Status  Status
	Pages   int // learned from
	// Fields are those that carry data, in the order of the template. Text that all
	// pages have is none once some pages said so.
	Fields []*Field
	// Ledger is what is remembered of the pages: evidence of meanings and statistics.
	Ledger Ledger
	// LeftOut counts the elements and texts of pages that this process did not learn. They are
	// those beyond maxPageNodes and maxDepth, and those for which the template is too large.
	LeftOut int

	root   *templateNode
	nodes  int // given an ID so far
	named  int // fields given an ID so far
	views  map[viewKey]*view
	byNode map[int][]viewKey // sorted
}

// A Field is a place of the template where pages differ.
type Field struct {
	// ID is stable for as long as the wrapper lives: "f1", "f2", …
	ID string `json:"id,omitempty"`
	// Meaning is what the values are: "title", "deadlines.submission", or a name of the
	// operator's; "" if not set.
	Meaning string `json:"meaning,omitempty"`
	// By says who gave the meaning: "operator", or "evidence" with its Strength.
	By       string  `json:"by,omitempty"`
	Strength float64 `json:"strength,omitempty"` // share of the values that are the known ones, 0 to 1
	// Ignored means that it is no data: a counter, a date of printing.
	Ignored bool `json:"ignored,omitempty"`
	// Path is the tag path in the page it was first seen on, Attr the attribute whose
	// value it is, "" of text.
	Path string `json:"path"`
	Attr string `json:"attr,omitempty"`
	// Part says which part of the place it is.
	Part Part `json:"part,omitempty"`
	// Label is the text that is before the values, or in the link whose address they are, where
	// that makes the field: "date:", "pdf". It is in lower case.
	Label string `json:"label,omitempty"`
	// Repeats means that a page may give several values, Optional that it may give none.
	Repeats  bool      `json:"repeats,omitempty"`
	Optional bool      `json:"optional,omitempty"`
	Seen     int       `json:"seen"`     // pages that gave a value
	Examples []Example `json:"examples"` // the newest first, at most MaxExamples
}

// A Part says which part of its place a field is. A place of the template gives fields
// of several granularities; those that gave the same values on all pages are one.
type Part string

// The parts of a place.
const (
	Whole    Part = ""         // the text of the element, or its attribute
	Core     Part = "core"     // a text without the words that all pages have at its ends
	Piece    Part = "piece"    // what separators part of a text, by place
	Pieces   Part = "pieces"   // what commas or semicolons part, a value each
	Rest     Part = "rest"     // the text of an element without that of all pages
	First    Part = "first"    // the first of the lines that br part
	Last     Part = "last"     // the last of the lines
	ButFirst Part = "butfirst" // the lines but the first, a value each
	ButLast  Part = "butlast"  // the lines but the last, a value each
	Item     Part = "item"     // an item of a list with a fixed number of items
	Joined   Part = "joined"   // the items of a list as one value
	Family   Part = "family"   // the children of a kind, a value each
	Deep     Part = "deep"     // the elements of a kind on any level below, a value each
	Section  Part = "section"  // what is under a heading as one value
)

// Name returns what to call the field: its meaning, else its ID.
func (f *Field) Name() string { return cmp.Or(f.Meaning, f.ID) }

// MaxExamples bounds Field.Examples.
const MaxExamples = 10

// An Example is a value that a page gave.
type Example struct {
	URL   string `json:"url"`
	Value string `json:"value"`
}

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

// Texts returns the values of a field as texts.
func (r Reading) Texts(f *Field) (out []string) {
	for _, v := range r.Values[f] {
		out = append(out, v.Text)
	}
	return out
}

// New returns a wrapper that has seen no page.
func New(host, pattern string) *Wrapper {
	return &Wrapper{
		Host: host, Pattern: pattern, Kind: RecordPage, Status: Learning,
		views: make(map[viewKey]*view), byNode: make(map[int][]viewKey),
	}
}

// field returns the field with the ID, or ErrNoField.
func (w *Wrapper) field(id string) (*Field, error) {
	i := slices.IndexFunc(w.Fields, func(f *Field) bool { return f.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("%w: %s", ErrNoField, id)
	}
	return w.Fields[i], nil
}
