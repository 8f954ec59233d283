package extract_test

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/eventseer/extract"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/diff"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// changed reads two versions of a page and returns the changes between them.
func changed(t testing.TB, x *extract.Extractor, url, old, new string) change.PageChange {
	t.Helper()
	read := func(body string) (*tagtree.Tree, eventseer.Reading) {
		tree, err := tagtree.Parse(&webgraph.Page{URL: url, Body: []byte(body)})
		if err != nil {
			t.Skip(err)
		}
		e, _ := x.Extract(tree)
		return tree, eventseer.ReadingOf(x, tree, e)
	}
	a, before := read(old)
	b, after := read(new)
	return change.ChangesBetween(before, after, diff.Compare(a, b))
}

const owls = "https://owls.example.org/2031/"

// timeTextAround puts a part into the page of an invented workshop.
func timeTextAround(part string) string {
	return `<html><head><title>OWLS 2031</title></head><body><ul><li><a href=/>Home</a><li><a href=/cfp>Call</a></ul>
<h1>Workshop on Owls and Wrens (OWLS 2031)</h1><p>September 8-9, 2031, Trondheim, Norway</p>
<p>We invite papers on the flight, the calls and the nests of owls, wrens and other birds of the night.</p>` + part + `</body></html>`
}

func dates(submission, notification, final string) string {
	return timeTextAround(`<h2>Important dates</h2><ul><li>Paper submission: ` + submission + `<li>Notification of acceptance: ` + notification +
		`<li>Camera-ready version: ` + final + `</ul>`)
}

func TestChanged(t *testing.T) {
	x := extract.New(extract.Options{Now: func() time.Time { return time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC) }})
	base := dates("March 3, 2031", "May 5, 2031", "June 6, 2031")
	extended := []change.DeadlineMove{{Kind: "submission", Old: "2031-03-03", New: "2031-03-17"}}
	for _, tc := range []struct {
		name, old, new string
		want           string
		moves          []change.DeadlineMove
	}{
		{"nothing", base, base, "", nil},
		{"a comment", base, strings.Replace(base, "<body>", "<body><!-- 17 -->", 1), "", nil},
		{"a later day", base, dates("March 17, 2031", "May 5, 2031", "June 6, 2031"), "deadline_extended", extended},
		{"the old day struck out", base, dates("<s>March 3, 2031</s> March 17, 2031", "May 5, 2031", "June 6, 2031"), "deadline_extended", extended},
		{"the old day beside", base, dates("March 17, 2031 (extended from March 3, 2031)", "May 5, 2031", "June 6, 2031"), "deadline_extended", extended},
		{"a new line below the one struck out", base,
			strings.Replace(base, "<li>Paper submission: March 3, 2031", "<li><s>Paper submission: March 3, 2031</s><li>Extended deadline: March 17, 2031", 1),
			"deadline_extended", extended},
		{"all days later", base, dates("March 17, 2031", "May 12, 2031", "June 13, 2031"), "deadline_extended", []change.DeadlineMove{
			extended[0], {Kind: "notification", Old: "2031-05-05", New: "2031-05-12"}, {Kind: "camera_ready", Old: "2031-06-06", New: "2031-06-13"}}},
		{"an earlier day", base, dates("March 3, 2031", "May 5, 2031", "June 2, 2031"), "date_corrected",
			[]change.DeadlineMove{{Kind: "camera_ready", Old: "2031-06-06", New: "2031-06-02"}}},
		{"a day instead of TBA", dates("TBA", "TBA", "TBA"), dates("March 3, 2031", "TBA", "TBA"), "deadline_added",
			[]change.DeadlineMove{{Kind: "submission", New: "2031-03-03"}}},
		{"a further deadline", base, strings.Replace(base, "<li>Camera", "<li>Poster submission: May 20, 2031<li>Camera", 1), "deadline_added",
			[]change.DeadlineMove{{Kind: "poster", New: "2031-05-20"}}},
		{"passed days struck out", base, dates("<s>March 3, 2031</s>", "May 5, 2031", "June 6, 2031"), "cosmetic", nil},
		{"dates written otherwise", base, dates("3 March 2031", "May 5, 2031", "June 6, 2031"), "cosmetic", nil},
		{"days of the event", base, strings.Replace(base, "September 8-9, 2031", "September 15-16, 2031", 1), "date_corrected", nil},
		{"another place", base, strings.Replace(base, "Trondheim", "Bergen", 1), "place_changed", nil},
		{"the place of another edition", "<title>Owls and Wrens</title><h1>Workshop on Owls and Wrens</h1><p>With Birds of the North 2031, Trondheim, Norway",
			"<title>Owls and Wrens</title><h1>Workshop on Owls and Wrens</h1><p>We hope to meet again with Birds of the North 2032, Bergen, Norway", "cosmetic", nil},
		{"a banner", base, timeTextAround("<h2>The submission deadline has been extended by two weeks!</h2>" + base[strings.Index(base, "<h2>"):]), "deadline_extended", nil},
		{"a menu entry", base, strings.Replace(base, "</ul>", "<li><a href=/hotels>Hotels</a></ul>", 1), "links_added", nil},
		{"a menu in another order", base, strings.Replace(base, "<li><a href=/>Home</a><li><a href=/cfp>Call</a>", "<li><a href=/cfp>Call</a><li><a href=/>Home</a>", 1), "cosmetic", nil},
		{"a link that leads elsewhere", base, strings.Replace(base, "href=/cfp", "href=/call", 1), "cosmetic", nil},
		{"a menu entry with another name", base, strings.Replace(base, "<li><a href=/>Home</a><li><a href=/cfp>Call</a>", "<li><a href=/cfp>Submit your work</a><li><a href=/>Home</a>", 1), "cosmetic", nil},
		{"a link to the top", base, strings.Replace(base, "</ul>", "<li><a href=#menu>Top</a></ul>", 1), "cosmetic", nil},
		{"a link in a sentence about it", timeTextAround("<p>The paper has to follow the style that the society's journals ask their authors for, without exception."),
			timeTextAround("<p>The paper has to follow the <a href=https://society.example/style.zip>style files</a> that the society's journals ask their authors for."), "links_added", nil},
		{"a sentence with another link", timeTextAround("<p>Please hand in your papers at the <a href=https://submit.example/30>submission site</a>, in one file each."),
			timeTextAround("<p>Please hand in papers at our <a href=https://submit.example/31>site for submissions</a>, in one file each."), "cosmetic", nil},
		{"news under a heading of their own", timeTextAround("<h2>Latest news</h2><h3>Old</h3><p>Nothing."), timeTextAround("<h2>Latest news</h2><h3>Camera-ready versions</h3><p>16 May 2031<p>Instructions are there.<h3>Old</h3><p>Nothing."), "news_item", nil},
		{"a passed day above one that moved", base, strings.Replace(dates("March 3, 2031", "May 12, 2031", "June 6, 2031"), "Paper submission: March 3, 2031", "<s>Paper submission: March 3, 2031</s>", 1),
			"deadline_extended cosmetic", []change.DeadlineMove{{Kind: "notification", Old: "2031-05-05", New: "2031-05-12"}}},
		{"a title in another order", base, strings.Replace(base, "<title>OWLS 2031", "<title>2031: OWLS", 1), "cosmetic", nil},
		{"speakers", base, strings.Replace(base, "<h2>", "<h2>Keynote speakers</h2><ul><li>Ada Strix, University of Bergen</ul><h2>", 1), "speakers_added", nil},
		{"a committee", base, strings.Replace(base, "<h2>", "<h2>Programme committee</h2><ul><li>Ada Strix, University of Bergen</ul><h2>", 1), "committee_changed", nil},
		{"a programme", base, strings.Replace(base, "<h2>", "<p>The final programme is now available.</p><h2>", 1), "program_posted", nil},
		{"news", base, strings.Replace(base, "<h2>", "<p>Registration is now open.</p><h2>", 1), "news_item", nil},
		{"another title", base, strings.Replace(base, "<title>OWLS 2031", "<title>Owls in the North", 1), "template_change", nil},
		{"a counter", timeTextAround("<p>Visits: 1203"), timeTextAround("<p>Visits: 1207"), "cosmetic", nil},
		{"a misspelt word", base, strings.Replace(base, "invite papers", "invite paperss", 1), "cosmetic", nil},
		{"German", timeTextAround("<p>Einreichfrist: 3. März 2031"), timeTextAround("<p>Einreichfrist verlängert: 17. März 2031"), "deadline_extended", extended},
		{"French, the old day struck out", timeTextAround("<p>Date limite de soumission : 3 mars 2031"), timeTextAround("<p>Date limite de soumission : <del>3 mars 2031</del> 17 mars 2031 (prolongée)"), "deadline_extended", extended},
		{"Chinese", timeTextAround("<p>截稿日期：2031年3月3日"), timeTextAround("<p>截稿日期：2031年3月17日（延期）"), "deadline_extended", extended},
		{"a list that became a table", base, timeTextAround(`<h2>Important dates</h2><table><tr><td>Paper submission<td>March 17, 2031<tr><td>Notification of acceptance<td>May 5, 2031<tr><td>Camera-ready version<td>June 6, 2031</table>`), "deadline_extended", extended},
		{"a table of tracks",
			timeTextAround("<table><tr><th><th>Papers<th>Posters<tr><td>Submission<td>March 3, 2031<td>April 4, 2031</table>"),
			timeTextAround("<table><tr><th><th>Papers<th>Posters<tr><td>Submission<td>March 17, 2031<td>April 14, 2031</table>"), "deadline_extended",
			[]change.DeadlineMove{extended[0], {Kind: "poster", Old: "2031-04-04", New: "2031-04-14"}}},
		{"lines in another order", timeTextAround("<ul><li>Abstracts: March 3, 2031<li>Papers: March 10, 2031</ul>"), timeTextAround("<ul><li>Papers: March 20, 2031<li>Abstracts: March 13, 2031</ul>"),
			"deadline_extended", []change.DeadlineMove{{Kind: "abstract", Old: "2031-03-03", New: "2031-03-13"}, {Kind: "submission", Old: "2031-03-10", New: "2031-03-20"}}},
		{"days that trade places", dates("March 3, 2031", "March 17, 2031", "June 6, 2031"), dates("March 17, 2031", "March 31, 2031", "June 6, 2031"), "deadline_extended",
			[]change.DeadlineMove{extended[0], {Kind: "notification", Old: "2031-03-17", New: "2031-03-31"}}},
		{"no year anywhere", "<h1>Owl Workshop</h1><p>Submission deadline: March 3<p>Notification: May 5", "<h1>Owl Workshop</h1><p>Submission deadline: March 17<p>Notification: May 5", "deadline_extended", nil},
		{"a firm deadline", timeTextAround("<p>Papers due: 3 March 2031"), timeTextAround("<p>Papers due: 3 March 2031 (firm deadline, no extensions!)"), "cosmetic", nil},
		{"another edition", base, strings.NewReplacer("March 3, 2031", "March 1, 2032", "May 5, 2031", "May 4, 2032", "June 6, 2031", "June 5, 2032").Replace(base),
			"deadline_added date_corrected", []change.DeadlineMove{
				{Kind: "submission", Old: "2031-03-03", New: "2032-03-01"}, {Kind: "notification", Old: "2031-05-05", New: "2032-05-04"},
				{Kind: "camera_ready", Old: "2031-06-06", New: "2032-06-05"}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			pc := changed(t, x, owls, tc.old, tc.new)
			if got := kinds(pc); got != tc.want {
				t.Errorf("Changed gives %q, want %q; evidence %+v", got, tc.want, pc.Evidence)
			}
			if diff := cmp.Diff(tc.moves, pc.Deadlines); diff != "" {
				t.Errorf("deadlines (-want +got):\n%s", diff)
			}
		})
	}
}

func kinds(pc change.PageChange) string {
	var out []string
	for _, k := range pc.Kinds {
		out = append(out, string(k))
	}
	return strings.Join(out, " ")
}

// TestChangedEvidence checks that the evidence of a change can be shown. It is short and contains no
// address.
func TestChangedEvidence(t *testing.T) {
	x := extract.New(extract.Options{})
	old := dates("March 3, 2031", "May 5, 2031", "June 6, 2031")
	new := strings.Replace(dates("March 17, 2031", "May 5, 2031", "June 6, 2031"), "<h2>",
		"<h2>News</h2><p>Write to ada@owls.example.org. "+strings.Repeat("Owls are here. ", 40)+"<h2>", 1)
	pc := changed(t, x, owls, old, new)
	want := change.ChangedLine{Kind: eventseer.DeadlineExtended, Label: "Paper submission:", Old: "2031-03-03", New: "2031-03-17"}
	if !slices.Contains(pc.Evidence, want) {
		t.Errorf("evidence %+v lacks %+v", pc.Evidence, want)
	}
	for _, e := range pc.Evidence {
		if strings.Contains(e.New, "@") || len([]rune(e.New)) > 160 {
			t.Errorf("evidence %q", e.New)
		}
	}
}

// TestChangedLimits reads pages that are entirely changed, in their days and in their links.
func TestChangedLimits(t *testing.T) {
	x := extract.New(extract.Options{})
	var old, new strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&old, "<p>Paper %d is due on %d May 2031 <a href=/a%d>owl %d</a>", i, i%28+1, i, i)
		fmt.Fprintf(&new, "<p>Paper %d is due on %d June 2031 <a href=/b%d>wren %d</a>", i, i%28+1, i, i)
	}
	pc := changed(t, x, owls, old.String(), new.String())
	if len(pc.Kinds) == 0 || len(pc.Evidence) > 200 || len(pc.Deadlines) > 2000 {
		t.Errorf("kinds %v, %d lines of evidence, %d deadlines", pc.Kinds, len(pc.Evidence), len(pc.Deadlines))
	}
}

func FuzzChanged(f *testing.F) {
	f.Add(dates("3 May 2031", "TBA", "June"), dates("<s>3 May 2031</s> 9 May 2031", "4 June", "July 1st"))
	f.Add("<p>2031-05-03", "<p>Extended: 2031-05-09")
	x := extract.New(extract.Options{Now: func() time.Time { return time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC) }})
	f.Fuzz(func(t *testing.T, old, new string) {
		pc := changed(t, x, owls, old, new)
		if !slices.IsSortedFunc(pc.Kinds, func(a, b eventseer.ChangeKind) int {
			return slices.Index(eventseer.ChangeKinds(), a) - slices.Index(eventseer.ChangeKinds(), b)
		}) {
			t.Errorf("kinds %v", pc.Kinds)
		}
		if same := changed(t, x, owls, old, old); len(same.Kinds) > 0 {
			t.Errorf("a page changes into itself: %v", same.Kinds)
		}
	})
}

// A revision is a version of a page of ../shared/corpora/revisions.
type revision struct{ URL, Commit, HTML string }

// A judgedPair is the judgement of a reader about two revisions.
type judgedPair struct {
	URL    string   `json:"url"`
	From   string   `json:"from_commit"`
	To     string   `json:"to_commit"`
	Change []string `json:"change"`
	Detail string   `json:"detail"`
}

// TestChangedShared scores the labelled pairs of versions as score_changes.py does.
func TestChangedShared(t *testing.T) {
	dir := golden.SharedPath(t, "corpora/revisions")
	pages := map[string]string{}
	for _, r := range readLines[revision](t, filepath.Join(dir, "revisions.jsonl.gz")) {
		pages[r.URL+r.Commit] = r.HTML
	}
	g, err := datasets.Cities()
	if err != nil {
		t.Fatal(err)
	}
	x := extract.New(extract.Options{
		Now: func() time.Time { return time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC) },
		Cities: func(name string) (out []extract.City) {
			for _, c := range g.Lookup(name) {
				out = append(out, extract.City(c))
			}
			return out
		},
	})
	var hit, extra, missed, extended, dated, datedRight, calm, quiet int
	for _, p := range readLines[judgedPair](t, filepath.Join(dir, "events.jsonl")) {
		pc := changed(t, x, p.URL, pages[p.URL+p.From], pages[p.URL+p.To])
		got := map[string]bool{}
		for _, k := range pc.Kinds {
			if k == eventseer.PlaceChanged {
				k = eventseer.DateCorrected
			}
			got[string(k)] = true
		}
		isCalm, alert := true, false
		for _, k := range eventseer.ChangeKinds() {
			want, is := slices.Contains(p.Change, string(k)), got[string(k)]
			hit, extra, missed = hit+countWords(want && is), extra+countWords(is && !want), missed+countWords(want && !is)
			isCalm = isCalm && !(want && loud[k] || want && k == eventseer.CommitteeChanged)
			alert = alert || is && loud[k]
		}
		calm, quiet = calm+countWords(isCalm), quiet+countWords(isCalm && !alert)
		if !slices.Contains(p.Change, "deadline_extended") {
			continue
		}
		if extended++; !got["deadline_extended"] {
			t.Errorf("%s: extension missed: %s", p.URL, p.Detail)
		}
		if moves := moveOf.FindAllStringSubmatch(p.Detail, -1); len(moves) > 0 {
			dated++
			datedRight += countWords(!slices.ContainsFunc(moves, func(m []string) bool {
				return !slices.ContainsFunc(pc.Deadlines, func(d change.DeadlineMove) bool { return string(d.Old) == m[1] && string(d.New) == m[2] })
			}))
		}
	}
	f1 := 2 * float64(hit) / float64(2*hit+extra+missed)
	t.Logf("kinds F1 %.3f, %d extensions, their dates %d of %d, quiet %d of %d", f1, extended, datedRight, dated, quiet, calm)
	if f1 < 0.9 || 100*datedRight < 95*dated || 100*quiet < 95*calm {
		t.Errorf("below what was measured: F1 .90, dates .95, quiet .95")
	}
}

// loud are the kinds of changes that a quiet pair must not report.
var loud = map[eventseer.ChangeKind]bool{
	eventseer.DeadlineExtended: true, eventseer.DeadlineAdded: true, eventseer.DateCorrected: true,
	eventseer.ProgramPosted: true, eventseer.SpeakersAdded: true,
}

var moveOf = regexp.MustCompile(`(\d{4}-\d\d-\d\d) *(?:->|→|to) *(\d{4}-\d\d-\d\d)`)

func countWords(b bool) int {
	if b {
		return 1
	}
	return 0
}

func readLines[T any](t *testing.T, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	dec := json.NewDecoder(bufio.NewReader(f))
	if strings.HasSuffix(path, ".gz") {
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		dec = json.NewDecoder(z)
	}
	var out []T
	for dec.More() {
		var v T
		if err := dec.Decode(&v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out
}
