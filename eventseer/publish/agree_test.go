package publish_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/match"
	"github.com/eventseer/eventseer/eventseer/search"
	"github.com/eventseer/eventseer/internal/eventstest"
)

// TestListsFindWhatSearchFinds asks the search index for the query of each list, and
// holds each event against all lists: they must agree.
func TestListsFindWhatSearchFinds(t *testing.T) {
	index, err := search.Open(filepath.Join(t.TempDir(), "index"), search.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = index.Close() }()
	var docs []eventseer.Document
	ranks := map[string][]eventseer.Rank{}
	for _, s := range eventstest.Series(11) {
		ranks[s.ID] = s.Ranks
	}
	for _, e := range eventstest.Events(11, 250, day) {
		docs = append(docs, eventseer.Document{Event: e, Clips: eventstest.Clips(e), Ranks: ranks[e.Series], Texts: eventstest.Texts(e)})
	}
	if err := index.Update(t.Context(), docs); err != nil {
		t.Fatal(err)
	}
	queries := []string{
		"the", "of networks", "data-driven", `"of the art"`, "2027", "kind:workshop -2027", "where:eu due<90d", "rank:core>=A",
		`"paper deadline"~5`, "title:systems topic:learning", "place:paris OR country:NO", "clip:submission -clip:journal", "acronym:icx OR conference",
	}
	lists := eventstest.Lists(11, 60)
	for i := range lists {
		lists[i].Synonyms = false
	}
	for _, q := range queries {
		lists = append(lists, eventseer.List{ID: "query " + q, Query: q})
	}
	m := match.New(nil)
	if err := m.Set(lists...); err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, d := range docs {
		for _, match := range m.Match(d, day) {
			got[match.List.ID] = append(got[match.List.ID], string(d.Event.ID))
		}
	}
	total := 0
	for _, l := range lists {
		found, err := index.Find(t.Context(), eventseer.Query{Text: l.Query, Now: day, Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, h := range found.Hits {
			want = append(want, string(h.ID))
		}
		slices.Sort(want)
		slices.Sort(got[l.ID])
		if !slices.Equal(want, got[l.ID]) {
			t.Errorf("%q: search finds %d, the list %d: %v", l.Query, len(want), len(got[l.ID]), difference(want, got[l.ID]))
		}
		total += len(want)
	}
	t.Logf("%d lists, %d finds", len(lists), total)
}

func difference(a, b []string) (only []string) {
	for _, x := range a {
		if !slices.Contains(b, x) {
			only = append(only, "search only: "+x)
		}
	}
	for _, x := range b {
		if !slices.Contains(a, x) {
			only = append(only, "list only: "+x)
		}
	}
	return only[:min(len(only), 5)]
}
