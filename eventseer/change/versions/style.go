package versions

import (
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/features/tagtree/diff"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// The views of two versions of a page.
const (
	Side   = "side"   // side by side
	Merged = "merged" // both versions in one text, with marks for what differs
	Only   = "only"   // only differences, with context
)

const (
	diffContext   = 2   // context rows around differences in Only
	diffAround    = 80  // context characters around changed words in Only
	DefaultWidth  = 80  // columns, if there is no terminal
	MinWidth      = 40  // columns
	MaxWidth      = 400 // columns
	maxDiffLinks  = 30
	maxDiffFields = 60
)

// A Style is how differences are written.
type Style struct {
	View   string
	Width  int // columns
	Colour bool
}

// Write prints the differences: kinds and fields, links, then the text.
func (s Style) Write(w io.Writer, d Diff) error {
	out := &writer{Style: s, w: w}
	out.printf("%s -> %s\n", text.OneLine(d.From, text.MaxShown), text.OneLine(d.To, text.MaxShown))
	switch {
	case d.Error != "":
		out.printf("%s\n\n", text.OneLine(d.Error, text.MaxShown))
		return out.err
	case d.isEmpty():
		but := ""
		if d.pages.Noise {
			but = " except parts that change with every visit"
		}
		out.printf("Nothing visible changed%s.\n\n", but)
		return out.err
	}
	out.writeKinds(d)
	out.writeFields(d.Fields)
	if d.pages != nil {
		out.writeLinks("links added", d.pages.Added)
		out.writeLinks("links gone", d.pages.Removed)
		out.writeText(d.pages)
	}
	out.printf("\n")
	return out.err
}

// kindsInWords lists the kinds of a change: "deadline extended, links added".
func kindsInWords(kinds []eventseer.ChangeKind) string {
	words := make([]string, len(kinds))
	for i, k := range kinds {
		words[i] = spelledOut(string(k))
	}
	return strings.Join(words, ", ")
}

// spelledOut returns a name of ours in words.
func spelledOut(name string) string { return strings.ReplaceAll(name, "_", " ") }

// A writer writes to w until the first error.
type writer struct {
	Style
	w   io.Writer
	err error
}

func (d *writer) printf(format string, args ...any) {
	if d.err == nil {
		_, d.err = fmt.Fprintf(d.w, format, args...)
	}
}

// writeKinds prints the kinds of changes, each with its lines of evidence.
func (d *writer) writeKinds(v Diff) {
	for _, k := range v.Kinds {
		d.printf("%s\n", spelledOut(string(k)))
		last := ""
		for _, e := range v.Evidence {
			if line := evidenceLine(e); e.Kind == k && line != last {
				d.printf("  %s\n", line)
				last = line
			}
		}
	}
}

func evidenceLine(e change.ChangedLine) string {
	label, old, new := strings.TrimRight(text.OneLine(e.Label, 80), ": "), text.OneLine(e.Old, text.MaxShown), text.OneLine(e.New, text.MaxShown)
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

func (d *writer) writeFields(fields []eventseer.FieldChange) {
	if len(fields) == 0 {
		return
	}
	d.printf("\nfields\n")
	for i, f := range fields {
		if i == maxDiffFields {
			d.printf("  and %d more\n", len(fields)-i)
			return
		}
		d.printf("  %s: %s -> %s\n", text.OneLine(f.Field, 80), cmp.Or(text.OneLine(f.Old, text.MaxShown), "(none)"), cmp.Or(text.OneLine(f.New, text.MaxShown), "(none)"))
	}
}

func (d *writer) writeLinks(title string, links []webgraph.Link) {
	if len(links) == 0 {
		return
	}
	d.printf("\n%s\n", title)
	for i, l := range links {
		if i == maxDiffLinks {
			d.printf("  and %d more\n", len(links)-i)
			return
		}
		d.printf("  %s\n", strings.TrimSpace(text.OneLine(l.Anchor, 80)+" "+text.OneLine(l.Target, text.MaxShown)))
	}
}

// writeText writes the rows of a comparison in the chosen view.
func (d *writer) writeText(c *diff.Comparison) {
	if len(c.Hunks)+len(c.Restyled) == 0 {
		d.printf("\nThe text is the same.\n")
		return
	}
	d.printf("\ntext\n")
	context := diff.AllRows
	if d.View == Only {
		context = diffContext
	}
	for _, r := range c.SideBySideRows(context) {
		if d.View == Only {
			r = r.WithContext(diffAround)
		}
		switch {
		case r.Kind == diff.SkippedRow:
			d.printf("    (%s)\n", text.Count(r.Skipped, "line is the same", "lines are the same"))
		case d.View == Side:
			d.writeSideBySide(r)
		default:
			d.writeMerged(r)
		}
	}
}
