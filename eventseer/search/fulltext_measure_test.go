//go:build measure

package search

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/features/dictionary"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/eventstest"
)

// measuredIndexes is a folder for the two indexes, which later runs use again.
var measuredIndexes = flag.String("indexes", "", "folder that keeps the indexes of TestFullTextCost")

// measuredNames searches words with their synonyms and other names too, as the service does.
var measuredNames = flag.Bool("names", true, "TestFullTextCost searches synonyms and other names")

// A drawnSearch is one search of TestFullTextCost.
type drawnSearch struct{ kind, text string }

// drawSearches draws n searches of each kind. They are for known events, by acronym and year or by
// name, and for topics: one word, the whole topic, and the topic with a year.
func drawSearches(events []eventseer.Event, n int) (all []drawnSearch) {
	r := rand.New(rand.NewPCG(29, 100_000))
	plain := func(s string) string {
		return strings.Join(strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
	}
	for range n {
		e := events[r.IntN(len(events))]
		topic := e.Topics[r.IntN(len(e.Topics))]
		words := strings.Fields(topic)
		all = append(all,
			drawnSearch{"acronym and year", fmt.Sprintf("%s %d", plain(e.Acronym), e.Year)},
			drawnSearch{"name", plain(e.Title)},
			drawnSearch{"word", words[r.IntN(len(words))]},
			drawnSearch{"topic", topic},
			drawnSearch{"topic and year", fmt.Sprintf("%s %d", topic, e.Year)},
		)
	}
	return all
}

// A searchCost is the cost of one search in an index without texts and in one with them.
type searchCost [2]time.Duration

// quantile returns a quantile of the times in one of the indexes.
func quantile(costs []searchCost, index int, q float64) time.Duration {
	times := make([]time.Duration, len(costs))
	for i, c := range costs {
		times[i] = c[index]
	}
	slices.Sort(times)
	return times[int(float64(len(times)-1)*q)]
}

// TestFullTextCost prints what texts of pages cost searches: CPU time, disk and memory. Searches are
// those of the pages of the service, in an index of the same events without texts and in one with
// them, in alternation. Memory is that of the open indexes. Events and texts
// are generated, and words of texts follow Zipf's law. p50 with texts is to be at most 1.5 times p50
// without, when searches use what earlier ones cached and when nothing is cached.
//
//	go test -tags measure ./eventseer/search -run TestFullTextCost -v -timeout 1h -events 100000
func TestFullTextCost(t *testing.T) {
	const each = 60
	dir := cmp.Or(*measuredIndexes, t.TempDir())
	events := eventstest.Events(7, *benchEvents, benchNow)
	words, err := dictionary.Open(dictionary.Options{})
	must(t, err)
	var indexes [2]*Index
	for i, name := range []string{"without texts", "with texts"} {
		indexes[i] = measuredIndex(t, filepath.Join(dir, fmt.Sprintf("%d-%d", len(events), i)), events, i == 1)
		if *measuredNames {
			indexes[i].options.Synonyms, indexes[i].options.Same = words.Synonyms, words.SameNames
		}
		t.Logf("%s: index %d MB on disk", name, folderBytes(t, indexes[i].path)>>20)
	}
	measureStores(t, events[:min(len(events), 2000)])
	searches := drawSearches(events, each)
	for _, order := range []eventseer.Order{eventseer.OrderDeadline, eventseer.OrderRelevance} {
		for _, cached := range []bool{true, false} {
			costs := map[string][]searchCost{}
			for n, s := range searches {
				var c searchCost
				for k := range 2 {
					i := (n + k) % 2
					c[i] = measureSearch(t, indexes[i], s.text, order, cached)
				}
				costs[s.kind] = append(costs[s.kind], c)
				costs["all"] = append(costs["all"], c)
			}
			for _, kind := range []string{"acronym and year", "name", "word", "topic", "topic and year", "all"} {
				c := costs[kind]
				p50 := [2]time.Duration{quantile(c, 0, 0.5), quantile(c, 1, 0.5)}
				p95 := [2]time.Duration{quantile(c, 0, 0.95), quantile(c, 1, 0.95)}
				ratio := p50[1].Seconds() / p50[0].Seconds()
				t.Logf("by %s, cached %v, %-16s p50 %6.2f → %6.2f ms (%.2f times), p95 %6.2f → %6.2f ms", order, cached, kind,
					p50[0].Seconds()*1000, p50[1].Seconds()*1000, ratio, p95[0].Seconds()*1000, p95[1].Seconds()*1000)
				if kind == "all" && !(ratio <= 1.5) {
					t.Errorf("by %s, cached %v: p50 with texts is %.2f times p50 without; at most 1.5 is wanted", order, cached, ratio)
				}
			}
		}
	}
}

// measureSearch returns the time of a search as a page of the service makes it.
func measureSearch(t *testing.T, x *Index, text string, order eventseer.Order, cached bool) time.Duration {
	t.Helper()
	if !cached {
		x.view.facts, x.view.postings = nil, postings{}
	}
	x.view.facets = nil // two searches of a page rarely have the same words
	return tagtreetest.CPU(t, func() {
		_, err := x.Find(t.Context(), eventseer.Query{Text: text, OpenAt: benchNow, Order: order, Facets: true, Passages: true, ShortRows: true, Limit: 30})
		must(t, err)
	})
}

// measuredIndex opens an index of events, or makes it if it is missing, and prints the memory it takes.
func measuredIndex(t *testing.T, path string, events []eventseer.Event, texts bool) *Index {
	t.Helper()
	if _, err := os.Stat(path); err != nil {
		x, err := Open(path, Options{})
		must(t, err)
		ranks := map[string][]eventseer.Rank{}
		for _, s := range eventstest.Series(7) {
			ranks[s.ID] = s.Ranks
		}
		start := time.Now()
		for part := range slices.Chunk(events, batchSize) {
			var docs []eventseer.Document
			for _, e := range part {
				d := eventseer.Document{Event: e, Clips: eventstest.Clips(e), Ranks: ranks[e.Series]}
				if texts {
					d.Texts = eventstest.Texts(e)
				}
				docs = append(docs, d)
			}
			must(t, applyBatch(x.index, false, docs, nil, 1))
		}
		must(t, x.Close())
		t.Logf("index of %d events built in %.0f s", len(events), time.Since(start).Seconds())
	}
	before := heap()
	x, err := Open(path, Options{})
	must(t, err)
	t.Cleanup(func() { _ = x.Close() })
	t.Logf("open index: %d MB of memory", (heap()-before)>>20)
	return x
}

// measureStores prints the size of stores of some events without and with their texts.
func measureStores(t *testing.T, events []eventseer.Event) {
	t.Helper()
	var bytes [2]int64
	for i := range bytes {
		path := filepath.Join(t.TempDir(), "store.db")
		st, err := store.Open(path, store.Options{Now: func() time.Time { return benchNow }})
		must(t, err)
		for _, e := range events {
			var texts []eventseer.PageText
			if i == 1 {
				texts = eventstest.Texts(e)
			}
			_, err := st.PutRemote(t.Context(), "measured", e, eventstest.Clips(e), nil, texts...)
			must(t, err)
		}
		must(t, st.Close())
		_, bytes[i], err = bolt.CompactFile(path) // a store's file grows by doubling
		must(t, err)
	}
	t.Logf("store of %d events: %d bytes an event without texts, %d with them", len(events), bytes[0]/int64(len(events)), bytes[1]/int64(len(events)))
}

// folderBytes returns the size of the files of a folder.
func folderBytes(t *testing.T, path string) (bytes int64) {
	t.Helper()
	must(t, filepath.Walk(path, func(_ string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			bytes += info.Size()
		}
		return err
	}))
	return bytes
}
