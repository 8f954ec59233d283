//go:build measure

package engine

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/clip"
	"github.com/eventseer/eventseer/eventseer/ingest"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/search"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/internal/warc"
)

// withoutTexts is a store whose texts the index does not see: what searches were before.
type withoutTexts struct {
	eventseer.Store
	eventseer.SeriesStore
}

// goldStore is a store of the calls of corpora/gold, with the trees of their pages by the
// ids of their events.
func goldStore(t *testing.T) (*store.Store, map[eventseer.EventID][]*tagtree.Tree) {
	now := func() time.Time { return time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC) }
	st, err := store.Open(filepath.Join(t.TempDir(), "store.db"), store.Options{Now: now, IsEdition: IsEdition})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	clipper, err := clip.New(clip.Options{MaxSummary: eventseer.MaxSnippet})
	if err != nil {
		t.Fatal(err)
	}
	in := ingest.New(ingest.Options{Extractor: foldExtractors(t, "")[0], Store: st, Clipper: clipper, Now: now})
	var trees []*tagtree.Tree
	for page, err := range warc.Pages(golden.SharedPath(t, "corpora/gold/pages.warc.gz")) {
		if err != nil {
			t.Fatal(err)
		}
		tree, err := tagtree.Parse(page)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := in.StorePage(t.Context(), tree, 1); err != nil {
			t.Fatal(err)
		}
		trees = append(trees, tree)
	}
	byEvent := map[eventseer.EventID][]*tagtree.Tree{}
	for _, tree := range trees {
		if e, err := st.EventOf(t.Context(), tree.Page.URL); err == nil {
			byEvent[e.ID] = append(byEvent[e.ID], tree)
		}
	}
	return st, byEvent
}

// indexOf is an index of a store on disk, and its size in bytes.
func indexOf(t *testing.T, st eventseer.Store) (*search.Index, int64) {
	path := filepath.Join(t.TempDir(), "index")
	x, err := search.Open(path, search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	if err := search.Sync(t.Context(), st, x); err != nil {
		t.Fatal(err)
	}
	bytes := int64(0)
	err = filepath.Walk(path, func(_ string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			bytes += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return x, bytes
}

// found returns the ids that an index finds for a query, best first.
func found(t *testing.T, x *search.Index, text string) (ids []eventseer.EventID) {
	f, err := x.Find(t.Context(), eventseer.Query{Text: text, Limit: 1000})
	if err != nil {
		t.Errorf("%s: %v", text, err)
	}
	for _, h := range f.Hits {
		ids = append(ids, h.ID)
	}
	return ids
}

// contentWords are the words of a text with at least four letters that are not stop words.
func contentWords(s string) (words []string) {
	for _, w := range strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) }) {
		if utf8.RuneCountInString(w) >= 4 && !query.IsStopWord(strings.ToLower(w)) && len(w) <= 40 {
			words = append(words, w)
		}
	}
	return words
}

// TestFullTextOnGold prints what searches find on a store of the calls of corpora/gold, with the
// texts of pages and without. Searches are 150 drawn pairs of a call and a content word of its
// page, by two seeds, three names that pages print, and each event by its acronym and year and by its name.
//
//	go test -tags measure -run TestFullTextOnGold -v ./cmd/eventseer/internal/engine
func TestFullTextOnGold(t *testing.T) {
	const pairs = 150
	st, trees := goldStore(t)
	ids := slices.Sorted(func(yield func(eventseer.EventID) bool) {
		for id := range trees {
			if !yield(id) {
				return
			}
		}
	})
	for _, s := range []struct {
		name  string
		store eventseer.Store
	}{{"without texts", withoutTexts{st, st}}, {"with texts", st}} {
		x, size := indexOf(t, s.store)
		t.Logf("%s: %d events, index %d bytes", s.name, st.Len(), size)
		for _, draw := range []struct {
			part string
			seed uint64
		}{{"main text", 29}, {"all that is visible", 29}, {"main text", 2029}, {"all that is visible", 2029}} {
			part := draw.part
			r, hits, missed := rand.New(rand.NewPCG(draw.seed, 1)), 0, []string{}
			for n := 0; n < pairs; {
				id := ids[r.IntN(len(ids))]
				tree := trees[id][r.IntN(len(trees[id]))]
				said := tree.Text()
				if part == "main text" {
					said = tree.Analysis().Text()
				}
				words := contentWords(said)
				if len(words) == 0 {
					continue
				}
				n++
				word := words[r.IntN(len(words))]
				if slices.Contains(found(t, x, word), id) {
					hits++
				} else {
					missed = append(missed, fmt.Sprintf("%s %s", id, word))
				}
			}
			t.Logf("%s: of %d words of the %s (seed %d) %d found", s.name, pairs, part, draw.seed, hits)
			if s.name == "with texts" {
				t.Logf("missed: %q", missed)
				if hits*100 < pairs*98 {
					t.Errorf("%d of %d words of the %s found, at least 98 %% are wanted", hits, pairs, part)
				}
			}
		}
		for _, name := range []string{"EasyChair", "LNCS", "Springer"} {
			printed, hits := 0, 0
			ids := found(t, x, name)
			for id, pages := range trees {
				for _, tree := range pages {
					if slices.Contains(strings.Fields(text.FoldForComparison(tree.Text())), text.FoldForComparison(name)) {
						printed++
						if slices.Contains(ids, id) {
							hits++
						} else if s.name == "with texts" {
							t.Logf("%s is not found at %s", name, tree.Page.URL)
						}
					}
				}
			}
			t.Logf("%s: %s finds %d of %d pages that print it", s.name, name, hits, printed)
		}
		first, all := map[string]int{}, map[string]int{}
		for e, err := range st.Events(t.Context()) {
			if err != nil {
				t.Fatal(err)
			}
			for kind, q := range map[string]string{"acronym and year": fmt.Sprintf("%s %d", e.Acronym, e.Year), "name": e.Title} {
				q = strings.Join(strings.FieldsFunc(q, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '.' }), " ")
				if q == "" || kind == "acronym and year" && (e.Acronym == "" || e.Year == 0) {
					continue
				}
				all[kind]++
				if ids := found(t, x, q); len(ids) > 0 && ids[0] == e.ID {
					first[kind]++
				} else if s.name == "with texts" {
					t.Logf("%s: %q has in the first place %v", e.ID, q, ids[:min(3, len(ids))])
				}
			}
		}
		for _, kind := range []string{"acronym and year", "name"} {
			t.Logf("%s: by %s %d of %d events come first", s.name, kind, first[kind], all[kind])
		}
	}
}
