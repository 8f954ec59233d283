package eval

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/classify"
)

// withheld is printed, in text and HTML, instead of a figure with too few examples.
const withheld = "—"

// maxShown is the length to which a text from outside is cut, in runes.
const maxShown = 300

// safeText makes a text from outside safe to print on a terminal and in a table. The result is one line,
// without control characters and without changes of writing direction.
func safeText(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Bidi_Control, r), r == utf8.RuneError:
			return '\uFFFD'
		}
		return r
	}, s)
}

// shortText returns safeText(s), cut to maxShown runes.
func shortText(s string) string {
	if runes := []rune(safeText(s)); len(runes) > maxShown {
		return string(runes[:maxShown-1]) + "…"
	}
	return safeText(s)
}

// A textWriter writes text for readers. It passes every value through safeText and keeps the first error.
type textWriter struct {
	w   io.Writer
	err error
}

func (t *textWriter) printf(format string, args ...any) {
	for i, arg := range args {
		if s, ok := arg.(string); ok {
			args[i] = safeText(s)
		}
	}
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}

// writeTable writes an empty line and then rows as aligned columns.
func (t *textWriter) writeTable(rows [][]string) {
	t.printf("\n")
	tw := tabwriter.NewWriter(t.w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		for i, cell := range row {
			row[i] = safeText(cell)
		}
		if t.err == nil {
			_, t.err = fmt.Fprintln(tw, strings.TrimRight(strings.Join(row, "\t"), "\t"))
		}
	}
	if t.err == nil {
		t.err = tw.Flush()
	}
}

// WriteText writes r as tables for readers, without its errors.
func (r *Report) WriteText(w io.Writer) error {
	t := &textWriter{w: w}
	t.printf("%s: %d examples in %d groups\n", r.Title, r.Examples, r.Groups)
	t.writeTable(figureRows(r.Figures))
	t.writeTable(r.classRows())
	if len(r.Thresholds) > 0 {
		t.writeTable(thresholdRows(r.Thresholds))
	}
	r.writeSlices(t)
	if len(r.Learning) > 0 {
		t.writeTable(r.learningRows())
	}
	if len(r.Warnings) > 0 {
		t.printf("\n")
	}
	for _, warning := range r.Warnings {
		t.printf("warning: %s\n", warning)
	}
	return t.err
}

// WriteErrors writes the first n errors of r for readers.
func (r *Report) WriteErrors(w io.Writer, n int) error {
	t := &textWriter{w: w}
	list := r.Errors[:min(n, len(r.Errors))]
	t.printf("\n%d of %d errors, most confident first\n", len(list), r.NumErrors)
	for _, e := range list {
		t.printf("\n%s\n  is %s, taken for %s with probability %.3f\n", shortText(e.URL), e.Truth, e.Guess, e.Confidence)
		if len(e.Reasons) > 0 {
			t.printf("  %s\n", reasonText(e.Reasons))
		}
	}
	return t.err
}

func reasonText(reasons []Reason) string {
	var parts []string
	for _, r := range reasons {
		parts = append(parts, fmt.Sprintf("%s %+.3f", shortText(r.Term), r.Weight))
	}
	return strings.Join(parts, ", ")
}

func figureRows(figures []classify.Figure) [][]string {
	var rows [][]string
	for _, f := range figures {
		rows = append(rows, []string{f.Name, numberText(f.Value), rangeText(f.Low, f.High)})
	}
	return rows
}

func (r *Report) classRows() [][]string {
	rows := [][]string{{"class", "precision", "", "recall", "", "f1", "", "examples", "most often taken for"}}
	for k, c := range r.Classes {
		row := []string{c.Name, withheld, "", withheld, "", withheld, ""}
		if c.F1 != nil {
			row = []string{
				c.Name, numberText(*c.Precision), rangeText(c.PrecisionCI95[0], c.PrecisionCI95[1]),
				numberText(*c.Recall), rangeText(c.RecallCI95[0], c.RecallCI95[1]), numberText(c.F1.Value), rangeText(c.F1.Low, c.F1.High),
			}
		}
		rows = append(rows, append(row, fmt.Sprint(c.Examples), r.ConfusedClasses(k)))
	}
	return rows
}

func thresholdRows(table []Threshold) [][]string {
	rows := [][]string{{"threshold", "precision", "recall", "f1", "yes"}}
	for i, t := range table {
		if i%2 == 1 { // only every second row; JSON and HTML have all
			rows = append(rows, []string{fmt.Sprintf("%.2f", t.Threshold), numberText(t.Precision), numberText(t.Recall), numberText(t.F1), fmt.Sprint(t.Yes)})
		}
	}
	return rows
}

// writeSlices writes a table per kind of tag. Slices without figures are listed in one line.
func (r *Report) writeSlices(t *textWriter) {
	binary := len(r.Classes) == 2
	for _, group := range sliceGroups(r.Slices) {
		rows := [][]string{{"by " + shortText(group.Name), Accuracy, "", BaseRate, "examples", "wrong"}}
		if binary {
			rows = [][]string{{"by " + shortText(group.Name), F1, "", Precision, Recall, "examples", r.Classes[1].Name, "wrong"}}
		}
		var small []string
		for _, s := range group.Slices {
			if s.Figures == nil {
				small = append(small, fmt.Sprintf("%s %d of %d", shortText(s.Value), s.Examples-s.Right, s.Examples))
				continue
			}
			rows = append(rows, sliceRow(s, binary))
		}
		if len(rows) > 1 {
			t.writeTable(rows)
		} else {
			t.printf("\nby %s\n", shortText(group.Name))
		}
		if len(small) > 0 {
			of := "examples"
			if binary {
				of = r.Classes[1].Name
			}
			t.printf("groups of fewer than %d %s have no figures, only errors: %s\n", minExamples, of, strings.Join(small, ", "))
		}
	}
}

func sliceRow(s Slice, binary bool) []string {
	first, other := s.Figures[0], s.Figures[1:]
	if binary { // precision, recall, F1
		first, other = s.Figures[2], s.Figures[:2]
	}
	row := []string{shortText(s.Value), numberText(first.Value), rangeText(first.Low, first.High)}
	for _, f := range other {
		row = append(row, numberText(f.Value))
	}
	row = append(row, fmt.Sprint(s.Examples))
	if binary {
		row = append(row, fmt.Sprint(s.Positives))
	}
	return append(row, fmt.Sprint(s.Examples-s.Right))
}

func (r *Report) learningRows() [][]string {
	var rows [][]string
	for i, p := range r.Learning {
		if i == 0 {
			head := []string{"trained on", "examples", "groups"}
			for _, f := range p.Figures {
				head = append(head, f.Name, "")
			}
			rows = append(rows, head)
		}
		row := []string{percentText(p.Share), fmt.Sprint(p.Examples), fmt.Sprint(p.Groups)}
		for _, f := range p.Figures {
			row = append(row, numberText(f.Value), rangeText(f.Low, f.High))
		}
		rows = append(rows, row)
	}
	return rows
}

func numberText(v float64) string        { return fmt.Sprintf("%.3f", v) }
func rangeText(low, high float64) string { return fmt.Sprintf("[%.3f, %.3f]", low, high) }
func percentText(share float64) string   { return fmt.Sprintf("%.0f %%", 100*share) }
