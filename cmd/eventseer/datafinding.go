package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/internal/text"
)

// The kinds of findings. Leaks and conflicts make data check fail.
const (
	leakURL       = "leak_url"       // a URL is on both sides of the split
	leakGroup     = "leak_group"     // a group is
	leakBody      = "leak_body"      // a body is
	conflictURL   = "conflict_url"   // a URL has two labels
	conflictBody  = "conflict_body"  // a body has two labels
	duplicateBody = "duplicate_body" // two groups share a body
	nearDuplicate = "near_duplicate" // two groups share a text but for some words
	nearConflict  = "near_conflict"  // two such texts have two labels
	tinyClasses   = "tiny_class"     // too few examples to measure
	emptyText     = "empty_text"     // no words to learn from
	hugeTexts     = "huge_text"      // more text than a page of its kind has
	noPage        = "no_page"        // a label's page is not in the input
	badInput      = "bad_input"      // a line or a page that cannot be read
)

// A finding is one thing data check found.
type finding struct {
	Kind     string `json:"kind"`
	Severity string `json:"severity"` // error or warning
	File     string `json:"file"`
	Line     int    `json:"line,omitempty"` // 0 where no line is to blame
	URL      string `json:"url,omitempty"`
	Text     string `json:"text"`
}

// findingKinds are the kinds in the order they are shown; the first are errors.
var findingKinds = []string{
	leakURL, leakGroup, leakBody, conflictURL, conflictBody,
	duplicateBody, nearDuplicate, nearConflict, tinyClasses, emptyText, hugeTexts, noPage, badInput,
}

func severityOf(kind string) string {
	if slices.Index(findingKinds, kind) <= slices.Index(findingKinds, conflictBody) {
		return "error"
	}
	return "warning"
}

func writeFindings(w io.Writer, format string, findings []finding) error {
	switch format {
	case "json":
		if findings == nil {
			findings = []finding{}
		}
		return app.WriteJSON(w, findings)
	case "jsonl":
		return app.WriteJSONLines(w, findings)
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, f := range findings {
		place := f.File
		if f.Line > 0 {
			place = fmt.Sprintf("%s:%d", f.File, f.Line)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", f.Severity, f.Kind, text.Printable(place), text.Printable(strings.TrimSpace(f.URL+" "+f.Text)))
	}
	return tw.Flush()
}
