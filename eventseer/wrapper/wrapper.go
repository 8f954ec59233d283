// Package wrapper learns the layout of the pages of one template, page by page, and reads records by it. The
// method is incremental partial tree alignment (paper 004, section 5).
package wrapper

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/eventseer/eventseer/features/tagtree"
)

// A Kind is the kind of pages that a wrapper reads (paper 004, section 4.2).
type Kind string

const (
	RecordPage   Kind = "record"   // one record per page
	CategoryPage Kind = "category" // a list of records with links to their pages
)

// A Status is the state of a wrapper's verification.
type Status string

const (
	Learning Status = "learning" // not enough pages yet
	Active   Status = "active"   // verified, and used to read pages
	Broken   Status = "broken"   // disabled, because its pages changed
)

// A Wrapper is the knowledge of the pages of one template. Methods that learn must not be called concurrently
// with others. Methods that only read may.
type Wrapper struct {
	Host    string
	Pattern string // pattern of the URLs, as template.URLPattern returns it
	Kind    Kind
	Status  Status
	Pages   int // number of pages learned
	// Fields are the fields that carry data, in the order of the template. Text that is the same on all pages
	// is not a field after some pages.
	Fields []*Field
	// Ledger has evidence of meanings and statistics of the pages.
	Ledger Ledger
	// LeftOut is the number of elements and texts that were not learned, since the wrapper was loaded. They
	// are beyond maxPageNodes or maxDepth, or the template is too large.
	LeftOut int

	root   *templateNode
	nodes  int // number of node IDs assigned
	named  int // number of field IDs assigned
	views  map[viewKey]*view
	byNode map[int][]viewKey // keys of views by node ID, sorted
}

// A Field is a part of the template in which pages differ.
type Field struct {
	// ID is "f1", "f2" and so on. It does not change until the wrapper is restarted.
	ID string `json:"id,omitempty"`
	// Meaning is what the values are: "title", "deadlines.submission", or a name chosen by the operator. It
	// is "" if not set.
	Meaning string `json:"meaning,omitempty"`
	// By is who set the meaning: "operator", or "evidence" with its Strength.
	By       string  `json:"by,omitempty"`
	Strength float64 `json:"strength,omitempty"` // agreement of values with known ones, 0 to 1
	// Ignored means that the field is not data, such as a counter or a date of printing.
	Ignored bool `json:"ignored,omitempty"`
	// Path is the tag path in the first page that had the field. Attr is the attribute with the value, "" for
	// text.
	Path string `json:"path"`
	Attr string `json:"attr,omitempty"`
	// Part is the part of the node that forms the values.
	Part Part `json:"part,omitempty"`
	// Label is the text before the values, or in the link whose address is the value, if the field is defined
	// by it. It is in lower case, such as "date:" or "pdf".
	Label string `json:"label,omitempty"`
	// Repeats means that a page may have several values. Optional means that it may have none.
	Repeats  bool      `json:"repeats,omitempty"`
	Optional bool      `json:"optional,omitempty"`
	Seen     int       `json:"seen"`     // number of pages with a value
	Examples []Example `json:"examples"` // newest first, at most MaxExamples
}

// A Part is the part of a template node that forms the values of a field. A node has several possible fields;
// of those with the same values on all pages only one is listed.
type Part string

const (
	Whole    Part = ""         // the text of the element, or its attribute
	Core     Part = "core"     // a text without the words with which all texts begin and end
	Piece    Part = "piece"    // a piece of a text between separators, by position
	Pieces   Part = "pieces"   // each piece between commas or semicolons
	Rest     Part = "rest"     // the text of an element without constant texts
	First    Part = "first"    // the first of the lines separated by br
	Last     Part = "last"     // the last line
	ButFirst Part = "butfirst" // each line except the first
	ButLast  Part = "butlast"  // each line except the last
	Item     Part = "item"     // an item, by position, of a list with a fixed number of items
	Joined   Part = "joined"   // all items of a list as one value
	Family   Part = "family"   // each child of a kind
	Deep     Part = "deep"     // each element of a kind at any level below
	Section  Part = "section"  // the content under a heading as one value
)

// Name returns the meaning of the field, or its ID if it has none.
func (f *Field) Name() string { return cmp.Or(f.Meaning, f.ID) }

// MaxExamples is the maximum length of Field.Examples.
const MaxExamples = 10

// An Example is a value on a page.
type Example struct {
	URL   string `json:"url"`
	Value string `json:"value"`
}

// A Reading has the values that a wrapper read on a page.
type Reading struct {
	URL    string
	Values map[*Field][]Value
	// Matched and Unmatched are the numbers of texts and links of the page that the template has and does not
	// have.
	Unmatched, Matched int
}

// A Value is one value of a field and its node in the page.
type Value struct {
	Text string
	Node *tagtree.Node
}

// Texts returns the texts of a field's values.
func (r Reading) Texts(f *Field) (out []string) {
	for _, v := range r.Values[f] {
		out = append(out, v.Text)
	}
	return out
}

// New returns a wrapper that has not learned any page.
func New(host, pattern string) *Wrapper {
	return &Wrapper{
		Host: host, Pattern: pattern, Kind: RecordPage, Status: Learning,
		views: make(map[viewKey]*view), byNode: make(map[int][]viewKey),
	}
}

// fieldByID returns the field with the ID. Its error wraps ErrNoField.
func (w *Wrapper) fieldByID(id string) (*Field, error) {
	i := slices.IndexFunc(w.Fields, func(f *Field) bool { return f.ID == id })
	if i < 0 {
		return nil, fmt.Errorf("%w: %s", ErrNoField, id)
	}
	return w.Fields[i], nil
}
