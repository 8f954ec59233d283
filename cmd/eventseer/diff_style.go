package main

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/eventseer"
	"eventseer/eventseer/change"
	"eventseer/features/tagtree/diff"
	"eventseer/internal/text"
	"eventseer/webgraph"
)

// The views of two versions of a page.
const (
	viewSide   = "side"   // side by side
	viewMerged = "merged" // in one text, with marks
	viewOnly   = "only"   // only what differs, with context
)

const (
	diffContext   = 2   // rows around what differs in viewOnly
	diffAround    = 80  // characters around the words that differ in viewOnly
	defaultWidth  = 80  // columns, where there is no terminal
	minWidth      = 40  // columns
	maxWidth      = 400 // columns
	maxDiffLinks  = 30
	maxDiffFields = 60
)

// A diffStyle is how differences are written.
type diffStyle struct {
	view   string
	width  int // columns
	colour bool
}

// diffStyle returns the style for where the result goes.
func newDiffStyle(a *app.App, view string) diffStyle {
	s := diffStyle{view: view, width: defaultWidth}
	if columns, ok := a.Terminal(); ok && a.Config.Output == "-" {
		s.colour = !a.Config.NoColor
		s.width = cmp.Or(columns, s.width)
	} else if columns, err := strconv.Atoi(a.Getenv("COLUMNS")); err == nil {
		s.width = columns
	}
	s.width = min(max(s.width, minWidth), maxWidth)
	return s
}

// write writes what differs: kinds and fields, links, then the text.
func (s diffStyle) write(w io.Writer, d versionDiff) error {
	out := &diffWriter{diffStyle: s, w: w}
	out.printf("%s -> %s\n", text.OneLine(d.From, app.MaxShown), text.OneLine(d.To, app.MaxShown))
	switch {
	case d.Error != "":
		out.printf("%s\n\n", text.OneLine(d.Error, app.MaxShown))
		return out.err
	case d.nothing():
		out.printf("%s\n\n", nothingVisible(d.pages))
		return out.err
	}
	out.kinds(d)
	out.fields(d.Fields)
	if d.pages != nil {
		out.links("links added", d.pages.Added)
		out.links("links gone", d.pages.Removed)
		out.text(d.pages)
	}
	out.printf("\n")
	return out.err
}

// nothing reports whether a reader sees no difference.
func (d versionDiff) nothing() bool {
	c := d.pages
	return c != nil && len(c.Hunks)+len(c.Restyled)+len(c.Added)+len(c.Removed)+len(d.Fields) == 0
}

func nothingVisible(c *diff.Comparison) string {
	if c.Noise {
		return "Nothing visible changed but what changes with every visit."
	}
	return "Nothing visible changed."
}

// kindsInWords lists the kinds of a change: "deadline extended, links added".
func kindsInWords(kinds []eventseer.ChangeKind) string {
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = spelled(string(k))
	}
	return strings.Join(words, ", ")
}

// spelled is a name of ours in words.
func spelled(name string) string { return strings.ReplaceAll(name, "_", " ") }

// A diffWriter writes to w until the first error.
type diffWriter struct {
	diffStyle
	w   io.Writer
	err error
}

func (d *diffWriter) printf(format string, args ...any) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.w, format, args...)
	}
}

// kinds writes what changed, each kind with the lines that say so.
func (d *diffWriter) kinds(v versionDiff) {
	for _, k := range v.Kinds {
		d.printf("%s\n", spelled(string(k)))
		last := ""
		for _, e := range v.Evidence {
			if line := evidenceLine(e); e.Kind == k && line != last {
				d.printf("  %s\n", line)
				last = line
			}
		}
	}
}

func evidenceLine(e change.Evidenced) string {
	label, old, new := strings.TrimRight(text.OneLine(e.Label, 80), ": "), text.OneLine(e.Old, app.MaxShown), text.OneLine(e.New, app.MaxShown)
	switch {
	case new == "" && old != "":
		new = old + " is gone"
	case old != "" && old != new:
		new = old + " -> " + new
	}
	if label != "" && new != "" {
		label += ": "
	}
	return label + new
}

func (d *diffWriter) fields(fields []eventseer.FieldChange) {
	if len(fields) == 0 {
		return
	}
	d.printf("\nfields\n")
	for i, f := range fields {
		if i == maxDiffFields {
			d.printf("  and %d more\n", len(fields)-i)
			return
		}
		d.printf("  %s: %s -> %s\n", text.OneLine(f.Field, 80), cmp.Or(text.OneLine(f.Old, app.MaxShown), "(none)"), cmp.Or(text.OneLine(f.New, app.MaxShown), "(none)"))
	}
}

func (d *diffWriter) links(title string, links []webgraph.Link) {
	if len(links) == 0 {
		return
	}
	d.printf("\n%s\n", title)
	for i, l := range links {
		if i == maxDiffLinks {
			d.printf("  and %d more\n", len(links)-i)
			return
		}
		d.printf("  %s\n", strings.TrimSpace(text.OneLine(l.Anchor, 80)+" "+text.OneLine(l.Target, app.MaxShown)))
	}
}

// text writes the rows of a comparison in the view asked for.
func (d *diffWriter) text(c *diff.Comparison) {
	if len(c.Hunks)+len(c.Restyled) == 0 {
		d.printf("\nThe text is the same.\n")
		return
	}
	d.printf("\ntext\n")
	context := diff.AllRows
	if d.view == viewOnly {
		context = diffContext
	}
	for _, r := range c.Rows(context) {
		if d.view == viewOnly {
			r = r.Around(diffAround)
		}
		switch {
		case r.Kind == diff.SkippedRow:
			d.printf("    (%s)\n", sameLines(r.Skipped))
		case d.view == viewSide:
			d.side(r)
		default:
			d.merged(r)
		}
	}
}

func sameLines(n int) string {
	if n == 1 {
		return "1 line is the same"
	}
	return fmt.Sprintf("%d lines are the same", n)
}
