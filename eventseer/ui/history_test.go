package ui

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/eventseer/ui/views"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/diff"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"
)

// archive is a Versions that keeps the versions of one page.
type archive struct {
	page   string
	seen   []time.Time
	bodies []string
	change change.PageChange
}

var _ Versions = (*archive)(nil)

func (a *archive) Versions(_ context.Context, page string) ([]time.Time, error) {
	if page != a.page {
		return nil, nil
	}
	return a.seen, nil
}

func (a *archive) Diff(_ context.Context, _ string, old, new time.Time) (views.VersionDiff, error) {
	var trees [2]*tagtree.Tree
	for i, at := range []time.Time{old, new} {
		for k, seen := range a.seen {
			if !at.Equal(seen) {
				continue
			}
			page := &webgraph.Page{URL: a.page, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Body: []byte(a.bodies[k])}
			var err error
			if trees[i], err = tagtree.Parse(page); err != nil {
				return views.VersionDiff{}, err
			}
		}
	}
	return views.VersionDiff{Change: a.change, Pages: diff.Compare(trees[0], trees[1])}, nil
}

const gardenCall = `<h1>ICX 2027</h1><p>Papers on crawling are invited.</p><p>Write to the chair at chair@icx.example.org.</p>
<p>Papers are due on February 5, 2027.</p><p>We meet in Trondheim.</p><p>Trains go every hour.</p><p>Rooms are near.</p><p>Bring boots.</p><p>Bring gloves.</p><p>Tea is served.</p>`

func fullArchive() *archive {
	moved := strings.NewReplacer("February 5", "February 12", "chair@icx", "board@icx").Replace(gardenCall) +
		`<p>The programme is posted: <a href="/programme">see it</a>.</p>`
	return &archive{
		page:   "https://icx.example.org/cfp",
		seen:   []time.Time{now.AddDate(0, 0, -9), now.AddDate(0, 0, -2), now.Add(-4 * time.Hour)},
		bodies: []string{gardenCall, gardenCall, moved},
		change: change.PageChange{
			Kinds:     []eventseer.ChangeKind{eventseer.DeadlineExtended, eventseer.ProgramPosted},
			Deadlines: []change.DeadlineMove{{Kind: eventseer.Submission, Old: "2027-02-05", New: "2027-02-12"}},
			Fields: []eventseer.FieldChange{
				{Field: "deadlines.submission", Old: "2027-02-05", New: "2027-02-12"}, {Field: "committee", New: "Secret Person"},
			},
		},
	}
}

func (w *world) withVersions(a *archive) http.Handler {
	return newUI(Options{Store: w, Index: w, Versions: a, Now: func() time.Time { return now }, Version: "1.2"})
}

func TestHistory(t *testing.T) {
	w := fullWorld()
	w.history[1].Page, w.history[1].Kinds = "https://icx.example.org/cfp", []eventseer.ChangeKind{eventseer.DeadlineExtended}
	h := w.withVersions(fullArchive())
	doc := page(t, h, "/e/icx-2027/history", 200)
	for selector, want := range map[string]string{
		"h1": "What changed: ICX 2027", ".lead": "On icx.example.org/cfp, between 8 Jan 2027 09:00 UTC and 10 Jan 2027 05:00 UTC.",
		".changes > .badges": "deadline extended program posted", ".fields": "Submissionwas 2027-02-05 now 2027-02-12",
		".links": "see it", ".views a[aria-current]": "Only what changed",
		".diff .edited": "(contact changed)Changed: Papers are due on February removed 5 added 12, 2027.",
		".diff .added":  "Added: added The programme is posted: see it.", ".diff .skipped": "2 lines are the same",
		".versions .chosen": "10 Jan 2027 05:00 UTC 4 hours ago deadline extended", ".versions li:last-child": "the first",
	} {
		wantText(t, doc, selector, want)
	}
	if html, _ := doc.Html(); strings.Contains(html, "@icx.example.org") || strings.Contains(html, "Secret Person") || len(html) > maxBytes {
		t.Errorf("a person is shown or %d bytes are too many", len(html))
	}
	if doc.Find("meta[name=robots][content=noindex]").Length() != 1 {
		t.Error("search engines may keep what a page said once")
	}
	doc.Find(".views a, .versions a").Each(func(_ int, a *goquery.Selection) {
		page(t, h, strings.TrimSuffix(a.AttrOr("href", ""), "#text"), 200)
	})
	merged := page(t, h, "/e/icx-2027/history?view=merged", 200)
	if n := merged.Find(".diff .same").Length(); n != 8 {
		t.Errorf("%d rows are the same, want 8", n)
	}
	side := page(t, h, "/e/icx-2027/history?view=side", 200)
	if n := side.Find("table.side tbody tr").Length(); n != 11 {
		t.Errorf("%d rows side by side, want 11", n)
	}
	wantText(t, side, ".side .edited td:first-child", "Papers are due on February removed 5, 2027.")
	wantText(t, side, ".side .added td:last-child", "Added: added The programme is posted")
	first := page(t, h, "/e/icx-2027/history?old=2027-01-01T09:00:00Z&new=2027-01-08T09:00:00Z", 200)
	wantText(t, first, ".fields", "Submission")
	wantText(t, first, "#text ~ .empty", "The text is the same.")
	for path, status := range map[string]int{
		"/e/none/history": 404, "/e/icx-2027/history?view=upside": 400, "/e/icx-2027/history?new=yesterday": 400,
		"/e/icx-2027/history?new=2026-01-01T00:00:00Z": 404, "/e/icx-2027/history?page=https://other.example/": 404,
		"/api/v1/events/none/diff": 404, "/api/v1/events/icx-2027/diff?view=upside": 400,
	} {
		get(t, h, path, status)
	}
}

func TestHistoryWithoutVersions(t *testing.T) {
	wantText(t, page(t, fullWorld().handler(), "/e/icx-2027/history", 200), ".lead", "No versions of this call’s pages are kept.")
	one := fullArchive()
	one.seen = one.seen[:1]
	doc := page(t, fullWorld().withVersions(one), "/e/icx-2027/history", 200)
	wantText(t, doc, ".lead", "Only one version")
	wantText(t, doc, ".history", "deadline extended")
	same := fullArchive()
	same.change, same.bodies[2] = change.PageChange{}, same.bodies[1]
	wantText(t, page(t, fullWorld().withVersions(same), "/e/icx-2027/history", 200), ".empty", "Nothing visible changed.")
}

func TestDiffJSON(t *testing.T) {
	h := fullWorld().withVersions(fullArchive())
	var got struct {
		Page      string
		Versions  []time.Time
		From, To  time.Time
		Changes   []string
		Deadlines []change.DeadlineMove
		Fields    []eventseer.FieldChange
		Text      struct {
			Rows  []views.DiffRow
			Added []views.Link `json:"links_added"`
		}
	}
	body := get(t, h, "/api/v1/events/icx-2027/diff", 200).Body.String()
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		t.Fatal(err)
	}
	a := fullArchive()
	if d := cmp.Diff([]string{"deadline_extended", "program_posted"}, got.Changes) + cmp.Diff(a.change.Deadlines, got.Deadlines) +
		cmp.Diff(a.change.Fields[:1], got.Fields) + cmp.Diff(a.seen, got.Versions); d != "" {
		t.Error(d)
	}
	edited := views.DiffRow{Kind: diff.EditedRow, Parts: []views.DiffPart{
		{Old: "Papers are due on February ", New: "Papers are due on February "}, {Old: "5", New: "12", Changed: true}, {Old: ", 2027.", New: ", 2027."},
	}}
	if len(got.Text.Rows) < 4 || !got.From.Equal(a.seen[1]) || !got.To.Equal(a.seen[2]) {
		t.Fatalf("answer = %s", body)
	}
	if d := cmp.Diff(edited, got.Text.Rows[3]) + cmp.Diff([]views.Link{{Text: "see it", Href: "https://icx.example.org/programme"}}, got.Text.Added); d != "" {
		t.Error(d)
	}
	if strings.Contains(body, "Secret Person") || strings.Contains(body, "@icx") {
		t.Error("people are named")
	}
}

func TestHostileVersions(t *testing.T) {
	escaped := strings.NewReplacer("<", "&lt;", ">", "&gt;").Replace(script)
	var old, new strings.Builder
	for range 800 {
		old.WriteString("<p>" + escaped + " one two</p>")
		new.WriteString("<p>" + escaped + " one three \u202Eمؤتمر</p>")
	}
	a := fullArchive()
	a.bodies[1] = "<p>" + strings.Repeat("x", 10<<10) + "</p>" + old.String()
	a.bodies[2] = "<p>" + strings.Repeat("y", 10<<10) + "</p>" + new.String() + `<a href="javascript:alert(1)">` + escaped + `</a><a href="https://e.example/">` + strings.Repeat("z", 9999) + "</a>"
	a.change.Kinds = []eventseer.ChangeKind{script}
	for range 200 {
		a.change.Fields = append(a.change.Fields, eventseer.FieldChange{Field: script, Old: script, New: strings.Repeat("[", 9999)})
	}
	h := fullWorld().withVersions(a)
	for _, view := range []string{"only", "merged", "side"} {
		doc := page(t, h, "/e/icx-2027/history?view="+view, 200)
		if doc.Find("main img, main b").Length() != 0 {
			t.Errorf("%s: markup of a page became ours", view)
		}
		wantText(t, doc, "main", "The rest is not shown here.")
		if n := get(t, h, "/e/icx-2027/history?view="+view, 200).Body.Len(); n > 8*maxBytes {
			t.Errorf("%s: %d bytes", view, n)
		}
	}
	get(t, h, "/api/v1/events/icx-2027/diff", 200)
}

func TestBadges(t *testing.T) {
	change := func(ago time.Duration, c eventseer.Change) eventseer.Change {
		c.At = now.Add(-ago)
		return c
	}
	extended := eventseer.Change{Kinds: []eventseer.ChangeKind{eventseer.DeadlineExtended, eventseer.LinksAdded}}
	for name, tt := range map[string]struct {
		history []eventseer.Change
		want    []views.Badge
	}{
		"none":     {nil, nil},
		"found":    {[]eventseer.Change{change(0, eventseer.Change{New: true})}, nil},
		"extended": {[]eventseer.Change{change(time.Hour, extended)}, []views.Badge{{Text: "deadline extended", Kind: "moved"}, {Text: "links added", Kind: "changed"}}},
		"long ago": {[]eventseer.Change{change(views.BadgeFor, extended)}, nil},
		"cosmetic since": {
			[]eventseer.Change{change(2*time.Hour, extended), change(time.Hour, eventseer.Change{Kinds: []eventseer.ChangeKind{eventseer.Cosmetic}})},
			[]views.Badge{{Text: "deadline extended", Kind: "moved"}, {Text: "links added", Kind: "changed"}},
		},
		"by its fields": {
			[]eventseer.Change{change(time.Hour, eventseer.Change{Fields: []eventseer.FieldChange{
				{Field: "location", Old: "Oslo", New: "Bergen"}, {Field: "deadlines.poster", New: "2027-03-01"},
				{Field: "deadlines.submission", Old: "2027-02-05", New: "2027-02-05 AoE"}, {Field: "deadlines.demo", Old: "2027-02-05", New: "2027-02-01"},
			}})},
			[]views.Badge{{Text: "deadline announced", Kind: "changed"}, {Text: "date corrected", Kind: "moved"}, {Text: "place changed", Kind: "moved"}},
		},
	} {
		if d := cmp.Diff(tt.want, views.ChangeBadges(tt.history, now)); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
}
