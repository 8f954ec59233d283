//go:build measure

package engine

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/search"
	"github.com/eventseer/eventseer/features/dictionary"
)

// TestAbbreviationsFindTheSame draws 60 pairs of an abbreviation and its full name from the
// vocabulary of topics. It prints for how many a search on the calls of corpora/gold gives the same
// first ten, and for how many it gives any. It fails if a pair differs.
//
//	go test -tags measure -run TestAbbreviationsFindTheSame -v ./cmd/eventseer/internal/engine
func TestAbbreviationsFindTheSame(t *testing.T) {
	st, _ := goldStore(t)
	d, err := dictionary.Open(dictionary.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := search.Open("", search.Options{Synonyms: d.Synonyms, Same: d.SameNames})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	if err := search.Sync(t.Context(), st, x); err != nil {
		t.Fatal(err)
	}
	var pairs [][2]string
	for _, topic := range dictionary.Topics() {
		for _, name := range topic.Names[1:] {
			if !strings.Contains(name, " ") && len(name) >= 3 && len(name) <= 5 && strings.Contains(topic.Names[0], " ") && query.IsSearchedInTexts(name, topic.Names) {
				pairs = append(pairs, [2]string{name, topic.Names[0]})
			}
		}
	}
	rand.New(rand.NewPCG(29, 60)).Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
	t.Logf("%d pairs", len(pairs))
	same, some := 0, 0
	for _, p := range pairs[:min(60, len(pairs))] {
		a, b := found(t, x, p[0]), found(t, x, p[1])
		a, b = a[:min(10, len(a))], b[:min(10, len(b))]
		if slices.Equal(a, b) {
			same++
		} else {
			t.Errorf("%s: %v, %s: %v", p[0], a, p[1], b)
		}
		if len(a) > 0 {
			some++
		}
	}
	t.Logf("%d of %d pairs give the same first ten, %d find something", same, min(60, len(pairs)), some)
}
