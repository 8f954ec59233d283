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

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer"
	"eventseer/eventseer/match"
	"eventseer/eventseer/store"
	"eventseer/eventseer/validate"
	"eventseer/features/tagtree"
	"eventseer/internal/golden"
	"eventseer/internal/warc"
)

// A judgedPair is two pages of the frozen web and whether a reader says that
// both speak of one edition of one event.
type judgedPair struct {
	a, b string
	same bool
	how  string // drawn by seed, or hard: the likest titles of others, the unlikest of the same
}

// judgedPairs reads ../../eventseer/testdata/pairs.tsv.
func judgedPairs(t *testing.T) (pairs []judgedPair) {
	t.Helper()
	file, err := os.Open("../../eventseer/testdata/pairs.tsv")
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
	if err := lines.Err(); err != nil || len(pairs) != 150 {
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

// TestMergingAgainstReader compares what is merged with what a reader says of
// 150 pairs: each pair by itself, and all pages put into a store in two orders,
// where one event may grow from page to page. A page that gives no record is
// merged with none. One goroutine does it all, and under the race detector that
// takes minutes.
func TestMergingAgainstReader(t *testing.T) {
	t.Parallel()
	pages := golden.Shared(t, "corpora/web/web.warc.gz")
	pairs := judgedPairs(t)
	records := pairRecords(t, pages, pairs)
	decisions := map[string]func(p judgedPair) bool{
		"pairs": func(p judgedPair) bool {
			a, okA := records[p.a]
			b, okB := records[p.b]
			return okA && okB && sameEdition(a, b)
		},
	}
	for _, order := range []string{"forwards", "backwards"} {
		ids := storedIDs(t, records, order == "backwards")
		decisions["store "+order] = func(p judgedPair) bool { return ids[p.a] != "" && ids[p.a] == ids[p.b] }
	}
	// of one event that grows from page to page a misread page can mislead more
	least := map[string]float64{"pairs": 0.95, "store forwards": 0.93, "store backwards": 0.93}
	for name, said := range decisions {
		all, of := agreement{}, map[string]*agreement{"drawn": {}, "hard": {}}
		for _, p := range pairs {
			all.add(p.same, said(p))
			of[p.how].add(p.same, said(p))
			if said(p) != p.same {
				t.Logf("%s: a reader says %v of %s and %s", name, p.same, p.a, p.b)
			}
		}
		t.Logf("%-15s %v; drawn: %v; hard: %v", name, all, of["drawn"], of["hard"])
		if all.f1() < least[name] {
			t.Errorf("%s: %v, want F1 of %.2f", name, all, least[name])
		}
	}
}

// pairRecords returns the records of the pages of pairs.
func pairRecords(t *testing.T, pages string, pairs []judgedPair) map[string]eventseer.Event {
	t.Helper()
	a := &app.App{Now: func() time.Time { return time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC) }}
	a.Config.Quiet = true
	extractor := engine.NewExtractor(a)
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
func storedIDs(t *testing.T, records map[string]eventseer.Event, backwards bool) map[string]eventseer.EventID {
	t.Helper()
	s, err := store.Open(filepath.Join(t.TempDir(), "store.db"), store.Options{})
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

func sameEdition(a, b eventseer.Event) bool {
	return match.NewEventKey(a).Likeness(match.NewEventKey(b)) >= 0
}
