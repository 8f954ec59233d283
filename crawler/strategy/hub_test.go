package strategy

import (
	"fmt"
	"maps"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/crawler/strategy/internal/strategytest"
	"github.com/eventseer/eventseer/features/tagtree"

	"github.com/google/go-cmp/cmp"
)

// An area whose links were calls is a hub, and an area of the same page whose links were not calls is not
// one. A page without links from relevant pages is not a hub either.
func TestDistilFindsHubs(t *testing.T) {
	page := func(url string, relevance, worth float64, areas ...[]string) part.NumberedValue[*hubPage] {
		return part.NumberedValue[*hubPage]{Name: url, Value: &hubPage{Relevance: relevance, Worth: worth, Areas: areas}}
	}
	pages := []part.NumberedValue[*hubPage]{
		page("list", 0, 1, []string{"menu1", "menu2"}, []string{"cfp1", "cfp2", "new1"}),
		page("home", 0.1, 0.1, []string{"cfp1", "new2"}),
		page("cats", 0, 0, []string{"menu1", "cat"}),
		page("cfp1", 0.9, 0.9), page("cfp2", 0.8, 0.8), page("menu1", 0, 0), page("cat", 0, 0),
	}
	want := []hubArea{{"list", 1}, {"home", 0}}
	if diff := cmp.Diff(want, rankHubAreas(pages)); diff != "" {
		t.Errorf("hubs (-want +got):\n%s", diff)
	}
	if got := rankHubAreas(nil); len(got) != 0 {
		t.Errorf("hubs of nothing: %v", got)
	}
	loop := []part.NumberedValue[*hubPage]{page("a", 1, 1, []string{"a", "b"}), page("b", 1, 1, []string{"a"})}
	if got := rankHubAreas(loop); len(got) != 2 {
		t.Errorf("hubs of a cycle: %v", got)
	}
}

// lukewarm is typed, but no page is surely no call.
type lukewarm struct{}

func (lukewarm) JudgePage(t *tagtree.Tree) classify.Judgement {
	j := strategytest.Typed{}.JudgePage(t)
	j.CFPScore = max(j.CFPScore, 0.1)
	return j
}

func TestHubRaisesLinksOfHubs(t *testing.T) {
	var links []string
	for i := range 40 {
		links = append(links, fmt.Sprintf("http://c%d.example/cfp C%d", i, i))
	}
	for _, tt := range []struct{ calls, others, raised int }{
		{10, 39, 30}, // ten of its links were calls: those that wait are raised
		{0, 49, 0},   // none is known
	} {
		p := fullParts()
		p.Judge = lukewarm{}
		s, err := New("hub", p)
		if err != nil {
			t.Fatal(err)
		}
		first := strategytest.Scores(strategytest.Visit(t, s, strategytest.Arrive(t, "http://hub.example/", "homepage", links...)).Forward)
		raised := map[string]float64{}
		for i := range tt.calls + tt.others {
			url, title := fmt.Sprintf("http://x%d.example/", i), "other"
			if i < tt.calls {
				url, title = fmt.Sprintf("http://c%d.example/cfp", i), "cfp"
			}
			maps.Copy(raised, strategytest.Scores(strategytest.Visit(t, s, strategytest.Arrive(t, url, title)).Rescore))
		}
		if len(raised) != tt.raised {
			t.Errorf("%d links raised, want %d", len(raised), tt.raised)
		}
		for url, score := range raised {
			if score <= first[url] {
				t.Errorf("%s raised to %v from %v", url, score, first[url])
			}
		}
	}
}

// elsewhere is a topic that no page is on.
type elsewhere struct{}

func (elsewhere) PageShare(*tagtree.Tree) (float64, bool) { return 0, false }
func (elsewhere) TextShare(string) float64                { return 0 }

// Hubs of other topics are raised above no more than each other.
func TestHubRaisesByTopic(t *testing.T) {
	p := fullParts()
	p.Judge, p.Focus = lukewarm{}, elsewhere{}
	s, err := New("hub", p)
	if err != nil {
		t.Fatal(err)
	}
	raised := map[string]float64{}
	for i := range distillEvery {
		a := strategytest.Arrive(t, fmt.Sprintf("http://c%d.example/cfp", i), "cfp")
		if i == 0 {
			a = strategytest.Arrive(t, "http://hub.example/", "cfp_list", "http://c1.example/cfp C1", "http://c2.example/cfp C2", "http://new.example/cfp New")
		}
		maps.Copy(raised, strategytest.Scores(strategytest.Visit(t, s, a).Rescore))
	}
	if got, ok := raised["http://new.example/cfp"]; !ok || got > part.OffTopic {
		t.Errorf("raised %v; what is off the topic keeps %v of its score", raised, part.OffTopic)
	}
}

func TestAreaLinksAreBounded(t *testing.T) {
	areas, n := areaLinks(manyLinks(t, 3000).Tree), 0
	for _, links := range areas {
		n += len(links)
	}
	if n != maxHubLinks {
		t.Errorf("%d links remembered, want %d", n, maxHubLinks)
	}
	own := strategytest.ArrivalOf(t, "http://www.a.example/", `<a href="http://a.example/x">x</a><a href="/y">y</a>`)
	if got := areaLinks(own.Tree); len(got) != 0 {
		t.Errorf("links within a site count: %v", got)
	}
}

func TestHubForgets(t *testing.T) {
	s := &hub{Parts: part.Parts{Judge: strategytest.Typed{}}, pages: part.NewRecent[*hubPage](3)}
	kept := map[string]bool{}
	for i := range 10 {
		a := crawler.Arrival{Lease: crawler.Lease{Candidate: crawler.Candidate{URL: fmt.Sprintf("http://h%d.example/", i)}}}
		for _, n := range strategytest.Visit(t, s, a).Notes {
			if kept[n.Key] = len(n.Value) > 0; !kept[n.Key] {
				delete(kept, n.Key)
			}
		}
	}
	want := map[string]bool{"hub/http://h7.example/": true, "hub/http://h8.example/": true, "hub/http://h9.example/": true}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
}
