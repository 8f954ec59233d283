// Package check looks for leaks, conflicts and other faults of labelled pages.
package check

import "slices"

// The kinds of findings. Leaks and conflicts are errors.
const (
	LeakURL       = "leak_url"       // a URL is on both sides of the split
	LeakGroup     = "leak_group"     // a group is
	LeakBody      = "leak_body"      // a body is
	ConflictURL   = "conflict_url"   // a URL has two labels
	ConflictBody  = "conflict_body"  // a body has two labels
	DuplicateBody = "duplicate_body" // two groups share a body
	NearDuplicate = "near_duplicate" // two groups share a text but for some words
	NearConflict  = "near_conflict"  // two such texts have two labels
	TinyClass     = "tiny_class"     // too few examples to measure
	EmptyText     = "empty_text"     // no words to learn from
	HugeText      = "huge_text"      // more text than a page of its kind has
	NoPage        = "no_page"        // a label's page is not in the input
	BadInput      = "bad_input"      // a line or a page that cannot be read
)

// A Finding is one thing that was found.
type Finding struct {
	Kind     string `json:"kind"`
	Severity string `json:"severity"` // error or warning
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"` // 0 where no line is to blame
	URL      string `json:"url,omitempty"`
	Text     string `json:"text"`
}

// Kinds are the kinds in the order they are shown; the first are errors.
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
