// Package testcase makes skeletons of test cases of the extractor: the structure of a page
// without its words.
package testcase

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/exchange/explain"
	"github.com/eventseer/eventseer/features/tagtree"

	"github.com/rogpeppe/go-internal/txtar"
)

// Skeleton returns the archive of a page and of its record.
func Skeleton(t *tagtree.Tree, e eventseer.Event) (*txtar.Archive, error) {
	name := "page.html"
	if t.Root() == nil {
		name = "page.txt"
	}
	want, err := json.MarshalIndent(expectedFields(e), "", " ")
	if err != nil {
		return nil, err
	}
	return &txtar.Archive{
		Comment: skeletonComment(t, e),
		Files: []txtar.File{
			{Name: name, Data: WithLineEnd(tagtree.Skeleton(t))},
			{Name: "want.json", Data: append(want, '\n')},
		},
	}, nil
}

// WithLineEnd returns a text that ends with a line end, with no line that txtar would read as the header
// of a file.
func WithLineEnd(s string) []byte {
	return []byte(fileHead.ReplaceAllString(strings.TrimRight(s, "\n \t\r"), "==$1") + "\n")
}

// fileHead matches lines that txtar reads as the header of a file, as mails may contain.
var fileHead = regexp.MustCompile(`(?m)^--( .* --\r?)$`)

// skeletonComment lists where in the page each field was read, and the blocks.
func skeletonComment(t *tagtree.Tree, e eventseer.Event) []byte {
	var b strings.Builder
	b.WriteString("What this shows: …\n\nfields, with the bytes of the text, their block and the rule:\n")
	for _, f := range explain.Fields(e) {
		s := f.Source
		if s == (eventseer.Provenance{}) {
			fmt.Fprintf(&b, "  %-18s %s\n", f.Name, explain.Sourceless)
			continue
		}
		fmt.Fprintf(&b, "  %-18s [%d,%d) %s  %s\n", f.Name, s.Offset[0], s.Offset[1], cmp.Or(s.Path, "?"), s.Rule)
	}
	b.WriteString("\nblocks:\n")
	for _, block := range t.Blocks() {
		fmt.Fprintf(&b, "  [%d,%d) %s", block.Start, block.Start+len(block.Text), block.Path)
		if block.Table > 0 {
			fmt.Fprintf(&b, "  table %d row %d column %d", block.Table, block.Row, block.Col)
		}
		if len(block.Struck) > 0 {
			b.WriteString("  struck")
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	return []byte(b.String())
}

// A wantedDeadline is a deadline with placeholders for its values.
type wantedDeadline struct {
	Kind         eventseer.DeadlineKind `json:"kind"`
	Date         string                 `json:"date"`
	ExtendedFrom string                 `json:"extended_from,omitempty"`
	Track        string                 `json:"track,omitempty"`
	TZ           string                 `json:"tz,omitempty"`
}

const wantedDate = "9999-99-99"

const wantedText = "…"

// expectedFields returns the fields that were found, with placeholders for their values.
func expectedFields(e eventseer.Event) map[string]any {
	want := map[string]any{}
	for _, f := range explain.Fields(e) {
		if want[f.Name] = wantedText; strings.HasPrefix(f.Name, "event_") {
			want[f.Name] = wantedDate
		}
	}
	for _, d := range e.Deadlines {
		delete(want, string(d.Kind))
	}
	delete(want, "year")
	if e.Location != nil {
		want["location"] = map[string]string{"city": wantedText, "country": wantedText}
	}
	deadlines := []wantedDeadline{}
	for _, d := range e.Deadlines {
		w := wantedDeadline{Kind: d.Kind, Date: wantedDate, TZ: d.TZ}
		if d.ExtendedFrom != "" {
			w.ExtendedFrom = wantedDate
		}
		if d.Track != "" {
			w.Track = wantedText
		}
		deadlines = append(deadlines, w)
	}
	for name, n := range map[string]int{"topics": len(e.Topics), "committee": len(e.Committee)} {
		if n > 0 {
			want[name] = make([]any, n)
		}
	}
	if want["deadlines"] = deadlines; len(deadlines) == 0 {
		want["deadlines"] = nil
	}
	return want
}
