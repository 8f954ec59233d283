package main

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"eventseer/crawler/monitor"
	"eventseer/features/tagtree/diff"
	"eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// written is what a style makes of rows.
func written(s diffStyle, rows ...diff.Row) string {
	var b strings.Builder
	d := &diffWriter{diffStyle: s, w: &b}
	for _, r := range rows {
		if s.view == viewSide {
			d.side(r)
		} else {
			d.merged(r)
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
		style diffStyle
		row   diff.Row
		want  string
	}{
		"merged":    {diffStyle{viewMerged, 40, false}, edited, "  ~ Due on May [-5-]{+12+} at noon,\n  ~ wherever you are.\n"},
		"in colour": {diffStyle{viewMerged, 80, true}, edited, "  ~ Due on May \x1b[31;9m5\x1b[0m\x1b[32;4m12\x1b[0m at noon, wherever you are.\n"},
		"side":      {diffStyle{viewSide, 43, false}, edited, "Due on May [-5-] at  | Due on May {+12+} at\nnoon, wherever you   | noon, wherever you\nare.                 | are.\n"},
		"wide":      {diffStyle{viewSide, 23, false}, wide, "庭園の研究   庭園の研究\n会           会\n"},
		"combining": {diffStyle{viewSide, 23, false}, accents, "e\u0301te\u0301          été\n"},
		"hostile":   {diffStyle{viewMerged, 80, true}, hostile, "  + \x1b[32;4m[31mred herring\x1b[0m\n"},
		"struck":    {diffStyle{viewSide, 63, false}, struck, "Due 1 May                      | Due 1 May (struck out)\n"},
		"no spaces": {diffStyle{viewMerged, 44, false}, long, "  - " + strings.Repeat("x", 40) + "\n  - " + strings.Repeat("x", 10) + "\n"},
	} {
		if d := cmp.Diff(tt.want, written(tt.style, tt.row)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}

func TestDiffLongLines(t *testing.T) {
	words := strings.Repeat("word ", 2<<10)
	row := diff.Row{Kind: diff.EditedRow, Parts: []diff.Part{{Old: words, New: words}, {Old: "one", New: "two", Changed: true}, {Old: words, New: words}}}
	got := written(diffStyle{viewOnly, 80, false}, row.Around(diffAround))
	if len(got) > 400 || !strings.Contains(got, "[-one-]{+two+}") {
		t.Errorf("got %q", got)
	}
	for line := range strings.Lines(written(diffStyle{viewSide, 80, false}, row)) {
		if n := len([]rune(line)); n > 81 {
			t.Fatalf("a line has %d columns: %q", n, line)
		}
	}
}

func TestDiffEvent(t *testing.T) {
	dir := seedData(t)
	if got := output(t, 0, "diff", "--data", dir, "late-2027"); !strings.Contains(got, "found at https://late.example.org/") || !strings.Contains(got, "Fewer than two versions") {
		t.Errorf("diff prints\n%s", got)
	}
	db, err := monitor.Open(dir, monitor.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	for i, body := range []string{
		"<h1>Conference on Web Crawling 2027</h1><p>Submission deadline: May 1, 2027</p>",
		"<h1>Moved</h1>",
		"<h1>Conference on Web Crawling 2027</h1><p>Submission deadline: May 11, 2027</p>",
	} {
		page := &webgraph.Page{
			URL: "https://late.example.org/", Requested: "https://late.example.org/", Status: http.StatusOK, FetchedAt: at.AddDate(0, 0, i),
			Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte(body),
		}
		if i == 1 {
			page.Status = http.StatusNotFound
		}
		if err := db.Import(t.Context(), page); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	got := output(t, 0, "diff", "--data", dir, "late-2027")
	for _, want := range []string{
		"LATE - Conference on Web Crawling\n", "https://late.example.org/@2026-10-01T00:00:00Z -> https://late.example.org/@2026-10-03T00:00:00Z\n",
		"deadlines.submission: 2027-05-01 -> 2027-05-11\n", "  ~ Submission deadline: May [-1-]{+11+}, 2027\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("diff prints\n%s\nwant %q in it", got, want)
		}
	}
	if got := output(t, 0, "diff", "--data", dir, "late-2027", "--format", "jsonl"); !strings.Contains(got, `"page":{"from":"https://late.example.org/@2026-10-01T00:00:00Z"`) {
		t.Errorf("diff prints %s", got)
	}
	output(t, 1, "diff", "--data", dir, "nowhere-2027")
}
