package strategy

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/crawler/strategy/internal/strategytest"

	"github.com/google/go-cmp/cmp"
)

func newStrategy(t *testing.T, name string) crawler.Strategy {
	t.Helper()
	s, err := New(name, fullParts())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestNewKnowsItsNames(t *testing.T) {
	for _, name := range Names() {
		newStrategy(t, name)
		if _, err := New(name, part.Parts{}); err == nil {
			t.Errorf("New(%q) without a judge gave no error", name)
		}
	}
	if _, err := New("sideways", part.Parts{Judge: strategytest.Typed{}}); err == nil || !strings.Contains(err.Error(), "breadth-first") {
		t.Errorf("New of an unknown name: %v, want an error that lists the names", err)
	}
}

func TestEveryStrategySurvivesAMissingPage(t *testing.T) {
	for _, name := range Names() {
		v := strategytest.Visit(t, newStrategy(t, name), crawler.Arrival{Outcome: crawler.Outcome{Fate: crawler.Gone}})
		if diff := cmp.Diff(crawler.Verdict{}, v); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestBreadthFirstKeepsOrder(t *testing.T) {
	v := strategytest.Visit(t, newStrategy(t, "breadth-first"), strategytest.Arrive(t, "http://a.example/", "other", "http://z.example/ z", "http://b.example/ call"))
	if len(v.Forward) != 2 || v.Forward[0].URL != "http://z.example/" || v.Forward[0].Score != v.Forward[1].Score {
		t.Errorf("Forward = %+v, want both links in page order at one score", v.Forward)
	}
	if c := v.Forward[0]; c.Parent != "http://a.example/" || c.Anchor != "z" {
		t.Errorf("candidate = %+v, want parent and anchor set", c)
	}
}

func TestBestFirstScoresPageAndAnchor(t *testing.T) {
	s := newStrategy(t, "best-first")
	got := strategytest.Scores(strategytest.Visit(t, s, strategytest.Arrive(t, "http://a.example/", "other", "http://b.example/ call", "http://c.example/ cat")).Forward)
	want := map[string]float64{"http://b.example/": 1, "http://c.example/": 0.5} // the page holds "call"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
}

// gated is typed, and knows pages of events.
type gated struct{ strategytest.Typed }

func (gated) IsRelated(said classify.Judgement) bool {
	return said.PageType == "conference" || said.PageType == "cfp_list" || said.IsCFP
}

// Every strategy marks the other pages of an event where its judge knows them, and
// calls and lists never.
func TestRelatedPages(t *testing.T) {
	for pageType, want := range map[string]bool{"conference": true, "cfp": false, "cfp_list": false, "other": false} {
		v, _ := (&Parts{Judge: gated{}}).Judged(strategytest.Arrive(t, "http://a.example/", pageType))
		if v.Related != want {
			t.Errorf("%s: related %v, want %v", pageType, v.Related, want)
		}
		if v, _ := (&Parts{Judge: strategytest.Typed{}}).Judged(strategytest.Arrive(t, "http://a.example/", pageType)); v.Related {
			t.Errorf("%s: related, though nobody knows", pageType)
		}
	}
}
