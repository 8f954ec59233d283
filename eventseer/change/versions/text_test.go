package versions

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree/diff"

	"github.com/google/go-cmp/cmp"
)

// written is what a style makes of rows.
func written(s Style, rows ...diff.Row) string {
	var b strings.Builder
	d := &writer{Style: s, w: &b}
	for _, r := range rows {
		if s.View == Side {
			d.writeSideBySide(r)
		} else {
			d.writeMerged(r)
		}
	}
	return b.String()
}

func TestDiffRows(t *testing.T) {
	edited := diff.Row{Kind: diff.EditedRow, Parts: []diff.Part{
		{Old: "Due on May ", New: "Due on May "}, {Old: "5", New: "12", Changed: true}, {Old: " at noon, wherever you are.", New: " at noon, wherever you are."},
	}}
	wide := diff.Row{Kind: diff.SameRow, Parts: []diff.Part{{Old: "庭園の研究会", New: "庭園の研究会"}}}
	accents := diff.Row{Kind: diff.SameRow, Parts: []diff.Part{{Old: "e\u0301te\u0301", New: "été"}}}
	hostile := diff.Row{Kind: diff.AddedRow, Parts: []diff.Part{{New: "\x1b[31mred\u202E\x07 herring", Changed: true}}}
	struck := diff.Row{Kind: diff.RestyledRow, Restyling: diff.StruckOut, Parts: []diff.Part{{Old: "Due 1 May", New: "Due 1 May"}}}
	long := diff.Row{Kind: diff.RemovedRow, Parts: []diff.Part{{Old: strings.Repeat("x", 50), Changed: true}}}
	for name, tt := range map[string]struct {
		style Style
		row   diff.Row
		want  string
	}{
		"merged":    {Style{View: Merged, Width: 40, Colour: false}, edited, "  ~ Due on May [-5-]{+12+} at noon,\n  ~ wherever you are.\n"},
		"in colour": {Style{View: Merged, Width: 80, Colour: true}, edited, "  ~ Due on May \x1b[31;9m5\x1b[0m\x1b[32;4m12\x1b[0m at noon, wherever you are.\n"},
		"side":      {Style{View: Side, Width: 43, Colour: false}, edited, "Due on May [-5-] at  | Due on May {+12+} at\nnoon, wherever you   | noon, wherever you\nare.                 | are.\n"},
		"wide":      {Style{View: Side, Width: 23, Colour: false}, wide, "庭園の研究   庭園の研究\n会           会\n"},
		"combining": {Style{View: Side, Width: 23, Colour: false}, accents, "e\u0301te\u0301          été\n"},
		"hostile":   {Style{View: Merged, Width: 80, Colour: true}, hostile, "  + \x1b[32;4m[31mred herring\x1b[0m\n"},
		"struck":    {Style{View: Side, Width: 63, Colour: false}, struck, "Due 1 May                      | Due 1 May (struck out)\n"},
		"no spaces": {Style{View: Merged, Width: 44, Colour: false}, long, "  - " + strings.Repeat("x", 40) + "\n  - " + strings.Repeat("x", 10) + "\n"},
	} {
		if d := cmp.Diff(tt.want, written(tt.style, tt.row)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestDiffLongLines(t *testing.T) {
	words := strings.Repeat("word ", 2<<10)
	row := diff.Row{Kind: diff.EditedRow, Parts: []diff.Part{{Old: words, New: words}, {Old: "one", New: "two", Changed: true}, {Old: words, New: words}}}
	got := written(Style{View: Only, Width: 80, Colour: false}, row.WithContext(diffAround))
	if len(got) > 400 || !strings.Contains(got, "[-one-]{+two+}") {
		t.Errorf("got %q", got)
	}
	for line := range strings.Lines(written(Style{View: Side, Width: 80, Colour: false}, row)) {
		if n := len([]rune(line)); n > 81 {
			t.Fatalf("a line has %d columns: %q", n, line)
		}
	}
}
