// Package fields shows the fields of a wrapper as a table, and the values of fields on a page.
package fields

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/eventseer/eventseer/eventseer/wrapper"
	"github.com/eventseer/eventseer/internal/text"
)

// A fieldElement is an element of the template with its fields. The first field is the most natural one, the others
// are variants of it.
type fieldElement struct {
	path   string // tag path without positions among siblings
	fields []*wrapper.Field
	holds  bool // true if the element contains other places
}

// groupByElement groups the fields by their elements, in the order of the template. Elements that contain other
// places come last.
func groupByElement(fields []*wrapper.Field) (all []*fieldElement) {
	byPath := make(map[string]*fieldElement)
	inOrder := slices.Clone(fields)
	slices.SortStableFunc(inOrder, func(a, b *wrapper.Field) int { return cmp.Compare(gatheredRank(a), gatheredRank(b)) })
	for _, f := range inOrder {
		path := siblingPlace.ReplaceAllString(f.Path, "")
		p := byPath[path]
		if p == nil {
			p = &fieldElement{path: path}
			byPath[path] = p
			all = append(all, p)
		}
		p.fields = append(p.fields, f)
	}
	for _, p := range all {
		for above := parentPath(p.path); above != "" && isPlain(p.sortAndLead()); above = parentPath(above) {
			if outer := byPath[above]; outer != nil {
				outer.holds = outer.holds || !outer.hasAttr()
			}
		}
	}
	slices.SortStableFunc(all, func(a, b *fieldElement) int { return cmp.Compare(containerRank(a), containerRank(b)) })
	return all
}

// gatheredRank returns 1 for a field whose values come from several elements inside its own, otherwise 0. The
// template lists such fields before those elements.
func gatheredRank(f *wrapper.Field) int {
	switch f.Part {
	case wrapper.Deep, wrapper.Family, wrapper.Section, wrapper.Joined:
		return 1
	}
	return 0
}

// siblingPlace matches the position among siblings in a tag path.
var siblingPlace = regexp.MustCompile(`\[\d+\]`)

func parentPath(path string) string { return path[:max(0, strings.LastIndexByte(path, '/'))] }

func containerRank(p *fieldElement) int {
	if p.holds {
		return 1
	}
	return 0
}

// sortAndLead sorts the fields and returns the first one. Fields with a meaning come first, then whole texts,
// attributes and parts; among equals, those on more pages.
func (p *fieldElement) sortAndLead() *wrapper.Field {
	slices.SortStableFunc(p.fields, func(a, b *wrapper.Field) int {
		return cmp.Or(cmp.Compare(plainRank(a), plainRank(b)), cmp.Compare(b.Seen, a.Seen))
	})
	return p.fields[0]
}

func plainRank(f *wrapper.Field) int {
	switch {
	case f.Meaning != "":
		return 0
	case isPlain(f) && f.Attr == "":
		return 1
	case isPlain(f):
		return 2
	}
	return 3
}

func isPlain(f *wrapper.Field) bool { return f.Part == wrapper.Whole && f.Label == "" }

func (p *fieldElement) hasAttr() bool {
	return slices.ContainsFunc(p.fields, func(f *wrapper.Field) bool { return f.Attr != "" && isPlain(f) })
}

// WriteTable writes the fields of a wrapper as a table.
func WriteTable(out io.Writer, w *wrapper.Wrapper) error {
	t := tabwriter.NewWriter(out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "FIELD\tPAGES\tTIMES\tPART\tLABEL\tEXAMPLE\tPATH")
	places := groupByElement(w.Fields)
	for _, p := range places {
		for i, f := range p.fields {
			name, path := text.Printable(f.Name()), text.Printable(f.Path)
			if i > 0 {
				name = "  " + name
			}
			if i > 0 && (f.Path == p.fields[0].Path || !isPlain(f)) {
				path = ""
			}
			fmt.Fprintf(t, "%s\t%d\t%s\t%s\t%s\t%s\t%s\n", name, f.Seen, valueCountText(f), partOf(f), text.Printable(f.Label), ShortenedExample(f.Examples), path)
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "%d fields of %d pages, in %d places; indented: variants of the field above\n", len(w.Fields), w.Pages, len(places))
	return err
}

// partOf returns the part of its element that a field is: "text", an attribute, or a part of either.
func partOf(f *wrapper.Field) string {
	switch {
	case f.Part == wrapper.Whole:
		return cmp.Or(f.Attr, "text")
	case f.Attr != "":
		return string(f.Part) + " " + f.Attr
	}
	return string(f.Part)
}

// valueCountText returns the possible number of values per page: 1, 0–1, 1–n or 0–n.
func valueCountText(f *wrapper.Field) string {
	least, most := "1", "1"
	if f.Optional {
		least = "0"
	}
	if f.Repeats {
		most = "n"
	}
	if least == most {
		return least
	}
	return least + "–" + most
}

// maxShownValue is the maximum length of an example in a table, in runes.
const maxShownValue = 60

// ShortenedExample returns the first example, shortened for a table.
func ShortenedExample(examples []wrapper.Example) string {
	if len(examples) == 0 {
		return ""
	}
	value := []rune(text.Printable(examples[0].Value))
	if len(value) <= maxShownValue {
		return string(value)
	}
	return string(value[:maxShownValue-1]) + "…"
}

// A Record is one line of `wrapper apply --format jsonl`.
type Record struct {
	URL       string              `json:"url"`
	Fields    map[string][]string `json:"fields"`
	Unmatched int                 `json:"unmatched"`
	Error     string              `json:"error,omitempty"`
}

// Read adds the values of all fields that are not ignored. Values of fields with the same meaning are joined.
func (r *Record) Read(w *wrapper.Wrapper, got wrapper.Reading) {
	r.Unmatched = got.Unmatched
	for _, f := range w.Fields {
		if texts := got.Texts(f); len(texts) > 0 && !f.Ignored {
			r.Fields[f.Name()] = append(r.Fields[f.Name()], texts...)
		}
	}
}

// Show writes the record for a terminal.
func (r *Record) Show(out io.Writer, w *wrapper.Wrapper) error {
	if r.Error != "" {
		_, err := fmt.Fprintf(out, "%s: %s\n", text.Printable(r.URL), text.Printable(r.Error))
		return err
	}
	if _, err := fmt.Fprintf(out, "%s: %d fields, %d unmatched\n", text.Printable(r.URL), len(r.Fields), r.Unmatched); err != nil {
		return err
	}
	return WriteValues(out, w, r.Fields)
}

// WriteValues writes the values of fields in the order of the template. values is by field name.
func WriteValues(out io.Writer, w *wrapper.Wrapper, values map[string][]string) error {
	shown := make(map[string]bool)
	for _, f := range w.Fields {
		name := f.Name()
		if shown[name] {
			continue
		}
		shown[name] = true
		for _, value := range values[name] {
			if _, err := fmt.Fprintf(out, "  %-20s %s\n", text.Printable(name), text.Printable(value)); err != nil {
				return err
			}
		}
	}
	return nil
}
