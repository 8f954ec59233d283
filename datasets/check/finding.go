// Package check finds leaks between training and test data, conflicts and other faults of labelled pages.
package check

import "slices"

// Kinds of findings. Leaks and conflicts are errors.
const (
	LeakURL       = "leak_url"       // a URL is on both sides of the split
	LeakGroup     = "leak_group"     // a group is
	LeakBody      = "leak_body"      // a body is
	ConflictURL   = "conflict_url"   // a URL has two different labels
	ConflictBody  = "conflict_body"  // pages with the same body have different labels
	DuplicateBody = "duplicate_body" // two groups have a page with the same body
	NearDuplicate = "near_duplicate" // two groups have pages whose texts differ in a few words
	NearConflict  = "near_conflict"  // pages whose texts differ in a few words have different labels
	TinyClass     = "tiny_class"     // too few examples to measure
	EmptyText     = "empty_text"     // the page has no words to learn from
	HugeText      = "huge_text"      // the page has far more text than other pages
	NoPage        = "no_page"        // a label's page is not in the input
	BadInput      = "bad_input"      // a line or a page that cannot be read
)

// A Finding is one fault that was found.
type Finding struct {
	Kind     string `json:"kind"`
	Severity string `json:"severity"` // error or warning
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"` // 0 if the fault is not in a line
	URL      string `json:"url,omitempty"`
	Text     string `json:"text"`
}

// Kinds are the kinds of findings in the order they are shown; the errors come first.
var Kinds = []string{
	LeakURL, LeakGroup, LeakBody, ConflictURL, ConflictBody,
	DuplicateBody, NearDuplicate, NearConflict, TinyClass, EmptyText, HugeText, NoPage, BadInput,
}

// The severities of findings.
const (
	Error   = "error"
	Warning = "warning"
)

func severityOf(kind string) string {
	if slices.Index(Kinds, kind) <= slices.Index(Kinds, ConflictBody) {
		return Error
	}
	return Warning
}
