//go:build measure

package search_test

import (
	"context"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/search"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/features/dictionary"
)

// seekersNow is when the frozen web is crawled.
var seekersNow = time.Date(2017, 12, 6, 0, 0, 0, 0, time.UTC)

// TestSeekers measures searches of testdata/seekers.tsv on the store of the frozen web
// (EVENTSEER_STORE, a copy that nothing has open). Results are those that a page shows: open calls, or
// all if the call sought is closed, and those of the corrected spelling if nothing is found; by the
// next deadline, the usual order, and by relevance. Success at 3 of known items is to be at least 0.95
// in both orders. nDCG at 10 of topics is printed, by verdicts (2 on the topic, 1 near it) on the calls
// that either order, or the order of deadlines before decision 055, had among the first ten.
func TestSeekers(t *testing.T) {
	path := os.Getenv("EVENTSEER_STORE")
	if path == "" {
		t.Skip("EVENTSEER_STORE names no store")
	}
	x, open := seekersIndex(t, path)
	for _, order := range []eventseer.Order{eventseer.OrderDeadline, eventseer.OrderRelevance} {
		hits, of := map[string]float64{}, map[string]float64{}
		for _, q := range readSeekers(t) {
			gain, got := q.run(t, x, open, order)
			hits[q.kind] += gain
			of[q.kind]++
			if gain < 1 {
				t.Logf("%-7s %.2f %q: %s", q.kind, gain, q.text, strings.Join(got, " "))
			}
		}
		known, all := 0.0, 0.0
		for _, kind := range []string{"acronym", "name", "typo", "mixed", "topic", "place"} {
			t.Logf("by %s: %-7s %5.1f of %2.0f: %.3f", order, kind, hits[kind], of[kind], hits[kind]/of[kind])
			if kind != "topic" && kind != "place" {
				known, all = known+hits[kind], all+of[kind]
			}
		}
		t.Logf("by %s: known items: success at 3 %.3f of %.0f; topics and places: nDCG at 10 %.3f", order, known/all, all, (hits["topic"]+hits["place"])/(of["topic"]+of["place"]))
		if known/all < 0.95 {
			t.Errorf("by %s: success at 3 is %.3f, want at least 0.95", order, known/all)
		}
	}
}

// seekersIndex indexes a store, and returns which events are open.
func seekersIndex(t *testing.T, path string) (x *search.Index, open map[eventseer.EventID]bool) {
	t.Helper()
	st, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	d, err := dictionary.Open(dictionary.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err = search.Open("", search.Options{Now: func() time.Time { return seekersNow }, Synonyms: d.Synonyms, Same: d.SameNames})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	if err := search.Sync(t.Context(), st, x); err != nil {
		t.Fatal(err)
	}
	found, err := x.Find(t.Context(), eventseer.Query{OpenAt: seekersNow, ByDeadline: true, Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	open = map[eventseer.EventID]bool{}
	for _, h := range found.Hits {
		open[h.ID] = true
	}
	t.Logf("%d events are open", len(open))
	return x, open
}

// A soughtQuery is a query with the gains of the events that answer it: 1 of a known item, 1 or 2
// of a topic.
type soughtQuery struct {
	kind, text string
	gains      map[string]float64
}

func readSeekers(t *testing.T) (queries []soughtQuery) {
	t.Helper()
	data, err := os.ReadFile("testdata/seekers.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")[1:] {
		cells := strings.Split(line, "\t")
		q := soughtQuery{kind: cells[0], text: cells[1], gains: map[string]float64{}}
		for _, sought := range strings.Fields(cells[2]) {
			id, grade, graded := strings.Cut(sought, "=")
			q.gains[id] = 1
			if graded {
				if q.gains[id], err = strconv.ParseFloat(grade, 64); err != nil {
					t.Fatal(err)
				}
			}
		}
		queries = append(queries, q)
	}
	return queries
}

// run searches, and returns success at 3 of a known item or nDCG at 10 of a topic, with the first
// ten ids.
func (q soughtQuery) run(t *testing.T, x *search.Index, open map[eventseer.EventID]bool, order eventseer.Order) (gain float64, got []string) {
	t.Helper()
	isTopic := q.kind == "topic" || q.kind == "place"
	asked := eventseer.Query{Text: q.text, Now: seekersNow, Limit: 10, Order: eventseer.OrderRelevance}
	isOpen := false
	for id := range q.gains {
		isOpen = isOpen || open[eventseer.EventID(id)]
	}
	if isTopic || isOpen {
		asked.OpenAt, asked.Order = seekersNow, order
	}
	for _, h := range findCorrected(t.Context(), t, x, asked).Hits {
		got = append(got, string(h.ID))
	}
	if !isTopic {
		if slices.ContainsFunc(got[:min(3, len(got))], func(id string) bool { return q.gains[id] > 0 }) {
			return 1, got
		}
		return 0, got
	}
	var ideal []float64
	for id, g := range q.gains {
		if open[eventseer.EventID(id)] {
			ideal = append(ideal, g)
		}
	}
	slices.SortFunc(ideal, func(a, b float64) int { return int(b - a) })
	var best, sum float64
	for i := range 10 {
		if i < len(ideal) {
			best += ideal[i] / math.Log2(float64(i+2))
		}
		if i < len(got) {
			sum += q.gains[got[i]] / math.Log2(float64(i+2))
		}
	}
	if best == 0 {
		return 1, got // nothing is there to be found
	}
	return sum / best, got
}

// findCorrected searches as the page of results does.
func findCorrected(ctx context.Context, t *testing.T, x *search.Index, q eventseer.Query) eventseer.Found {
	t.Helper()
	found, err := x.Find(ctx, q)
	if err != nil {
		t.Fatal(err)
	}
	if found.Total == 0 && found.Instead != "" {
		q.Text = found.Instead
		if found, err = x.Find(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	return found
}
