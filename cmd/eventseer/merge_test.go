//go:build !race

package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/eventseer/validate"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
)

// A judgedPair is two pages of the frozen web and a reader's answer whether both are about the same edition
// of one event.
type judgedPair struct {
	a, b string
	same bool
	// how: drawn by seed; hard, the likest titles of others, the unlikest of the same; or close.
	// Close pairs are drawn by seed among the candidates of a crawl that rules are least sure of.
	how string
}

// judgedPairs reads a table of ../../eventseer/testdata with so many pairs.
func judgedPairs(t *testing.T, table string, n int) (pairs []judgedPair) {
	t.Helper()
	file, err := os.Open("../../eventseer/testdata/" + table)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }() // read only
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		f := strings.Split(lines.Text(), "\t")
		if len(f) != 4 || f[0] == "url_a" {
			continue
		}
		pairs = append(pairs, judgedPair{a: f[0], b: f[1], same: f[2] == "yes", how: f[3]})
	}
	if err := lines.Err(); err != nil || len(pairs) != n {
		t.Fatalf("%d judged pairs, %v", len(pairs), err)
	}
	return pairs
}

// agreement counts how decisions agree with a reader's.
type agreement struct{ hit, wrong, missed, refused int }

func (n *agreement) add(same, said bool) {
	switch {
	case same && said:
		n.hit++
	case said:
		n.wrong++
	case same:
		n.missed++
	default:
		n.refused++
	}
}

func (n agreement) f1() float64 {
	return 2 * float64(n.hit) / float64(max(1, 2*n.hit+n.wrong+n.missed))
}

func (n agreement) String() string {
	return fmt.Sprintf("F1 %.3f, precision %.3f, recall %.3f of %d", n.f1(), float64(n.hit)/float64(max(1, n.hit+n.wrong)),
		float64(n.hit)/float64(max(1, n.hit+n.missed)), n.hit+n.wrong+n.missed+n.refused)
}

// scorers are what decides on merging, by name.
var scorers = map[string]match.Scorer{"rules": match.RuleScore, "learned": match.LearnedScore}

// TestMergingAgainstReader compares merged records with the labels of 150 pairs, and of 200 close
// ones. It compares each pair by itself, and all pages put into a store in two orders, where one
// event may grow from page to page; by the learned scorer and by the rules. A page that gives no
// record is merged with none. One goroutine does it all, and under the race detector that takes
// minutes. The shipped model has seen pages of these sites; models/pair.md has the figures of
// models that have not.
func TestMergingAgainstReader(t *testing.T) {
	t.Parallel()
	pages := golden.SharedPath(t, "corpora/web/web.warc.gz")
	pairs := append(judgedPairs(t, "pairs.tsv", 150), judgedPairs(t, "pairs-close.tsv", 200)...)
	records := pairRecords(t, pages, pairs)
	for name, score := range scorers {
		same := func(p judgedPair) bool {
			a, okA := records[p.a]
			b, okB := records[p.b]
			return okA && okB && score(match.NewEventKey(a), match.NewEventKey(b)) >= 0
		}
		// A page without a name is missed here; a crawl gives its days to the event of its site.
		compareMerging(t, name+" pairs", pairs, same, map[string]map[string]float64{"rules": {"150": 0.94, "close": 0.80}, "learned": {"150": 0.93, "close": 0.85}}[name])
		// of one event that grows from page to page a misread page can mislead more
		for _, order := range []string{"forwards", "backwards"} {
			ids := storedIDs(t, records, order == "backwards", score)
			one := func(p judgedPair) bool { return ids[p.a] != "" && ids[p.a] == ids[p.b] }
			compareMerging(t, name+" store "+order, pairs, one, map[string]map[string]float64{"rules": {"150": 0.93}, "learned": {"150": 0.93}}[name])
		}
	}
}

// compareMerging compares the program's answers about pairs with a reader's answers: least are the required
// F1, of the 150 and of the close ones.
func compareMerging(t *testing.T, name string, pairs []judgedPair, said func(judgedPair) bool, least map[string]float64) {
	t.Helper()
	of := map[string]*agreement{"drawn": {}, "hard": {}, "close": {}, "150": {}}
	for _, p := range pairs {
		of[p.how].add(p.same, said(p))
		if p.how != "close" {
			of["150"].add(p.same, said(p))
		}
		if said(p) != p.same {
			t.Logf("%s: a reader says %v of %s and %s", name, p.same, p.a, p.b)
		}
	}
	t.Logf("%-23s %v; drawn: %v; hard: %v; close: %v", name, of["150"], of["drawn"], of["hard"], of["close"])
	for how, f1 := range least {
		if of[how].f1() < f1 {
			t.Errorf("%s, %s: %v, want F1 of %.2f", name, how, of[how], f1)
		}
	}
}

// pairRecords returns the records of the pages of pairs.
func pairRecords(t *testing.T, pages string, pairs []judgedPair) map[string]eventseer.Event {
	t.Helper()
	a := &app.App{Now: func() time.Time { return time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC) }}
	a.Config.Quiet = true
	extractor := engine.NewExtractor(a, judges.Set{})
	wanted := map[string]bool{}
	for _, p := range pairs {
		wanted[p.a], wanted[p.b] = true, true
	}
	records := map[string]eventseer.Event{}
	for page, err := range warc.Pages(pages) {
		if err != nil || !wanted[page.URL] {
			continue
		}
		tree, err := tagtree.Parse(page)
		if err != nil {
			continue
		}
		if e, ok := extractor.Extract(tree); ok {
			records[page.URL] = validate.Event(e)
		}
	}
	return records
}

// storedIDs puts all records into a store, in the order of their URLs or the
// other way round, and returns the event of each.
func storedIDs(t *testing.T, records map[string]eventseer.Event, backwards bool, score match.Scorer) map[string]eventseer.EventID {
	t.Helper()
	s, err := store.Open(filepath.Join(t.TempDir(), "store.db"), store.Options{Score: score})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // a test's
	var urls []string
	for url := range records {
		urls = append(urls, url)
	}
	slices.Sort(urls)
	if backwards {
		slices.Reverse(urls)
	}
	ids := map[string]eventseer.EventID{}
	for i, url := range urls {
		e := records[url]
		e.FirstSeen = time.Date(2026, 11, 21, 0, i, 0, 0, time.UTC)
		e.LastSeen = e.FirstSeen
		if ids[url], err = s.Put(t.Context(), e, nil); err != nil {
			t.Fatal(err)
		}
	}
	for url, id := range ids {
		e, err := s.Event(t.Context(), id) // two events may have become one since
		if err != nil {
			t.Fatal(err)
		}
		ids[url] = e.ID
	}
	for _, err := range s.Check() {
		t.Error(err)
	}
	return ids
}
