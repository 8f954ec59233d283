package strategy

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"eventseer/classify"
	"eventseer/crawler"
	"eventseer/features/tagtree"
	"eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// typed judges a page by its title: "cfp", "cfp_list", "homepage", ….
type typed struct{}

func (typed) Page(t *tagtree.Tree) classify.Judgement {
	j := classify.Judgement{PageType: t.Title()}
	if j.PageType == "cfp" {
		j.IsCFP, j.CFPScore = true, 0.9
	}
	return j
}

// wordy is a topic whose cosine is 1 for texts that hold "call".
type wordy struct{}

func (wordy) PageCosine(t *tagtree.Tree) float64 { return wordy{}.TextCosine(t.Text()) }
func (wordy) TextCosine(s string) float64 {
	if strings.Contains(strings.ToLower(s), "call") {
		return 1
	}
	return 0
}

// arrive makes the arrival of a page of that type with links "anchor url".
func arrive(t *testing.T, url, pageType string, links ...string) crawler.Arrival {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "<html><head><title>%s</title></head><body><p>Some text.</p>", pageType)
	for _, l := range links {
		target, anchor, _ := strings.Cut(l, " ")
		fmt.Fprintf(&b, `<p><a href="%s">%s</a></p>`, target, anchor)
	}
	tree, err := tagtree.Parse(&webgraph.Page{
		URL: url, Status: 200, Body: []byte(b.String()), Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return crawler.Arrival{
		Lease:   crawler.Lease{Candidate: crawler.Candidate{URL: url, Depth: 2}},
		Outcome: crawler.Outcome{Fate: crawler.Fetched, Status: 200}, Tree: tree,
	}
}

func visit(t *testing.T, s crawler.Strategy, a crawler.Arrival) crawler.Verdict {
	t.Helper()
	v, err := s.Visit(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func newStrategy(t *testing.T, name string) crawler.Strategy {
	t.Helper()
	s, err := New(name, fullParts())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// scores maps the candidates' URLs to their scores.
func scores(cs []crawler.Candidate) map[string]float64 {
	m := map[string]float64{}
	for _, c := range cs {
		m[c.URL] = c.Score
	}
	return m
}

func TestNewKnowsItsNames(t *testing.T) {
	for _, name := range Names() {
		newStrategy(t, name)
		if _, err := New(name, Parts{}); err == nil {
			t.Errorf("New(%q) without a judge gave no error", name)
		}
	}
	if _, err := New("sideways", Parts{Judge: typed{}}); err == nil || !strings.Contains(err.Error(), "breadth-first") {
		t.Errorf("New of an unknown name: %v, want an error that lists the names", err)
	}
}

func TestEveryStrategySurvivesAMissingPage(t *testing.T) {
	for _, name := range Names() {
		v := visit(t, newStrategy(t, name), crawler.Arrival{Outcome: crawler.Outcome{Fate: crawler.Gone}})
		if diff := cmp.Diff(crawler.Verdict{}, v); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestBreadthFirstKeepsOrder(t *testing.T) {
	v := visit(t, newStrategy(t, "breadth-first"), arrive(t, "http://a.example/", "other", "http://z.example/ z", "http://b.example/ call"))
	if len(v.Forward) != 2 || v.Forward[0].URL != "http://z.example/" || v.Forward[0].Score != v.Forward[1].Score {
		t.Errorf("Forward = %+v, want both links in page order at one score", v.Forward)
	}
	if c := v.Forward[0]; c.Parent != "http://a.example/" || c.Anchor != "z" {
		t.Errorf("candidate = %+v, want parent and anchor set", c)
	}
}

func TestBestFirstScoresPageAndAnchor(t *testing.T) {
	s := newStrategy(t, "best-first")
	got := scores(visit(t, s, arrive(t, "http://a.example/", "other", "http://b.example/ call", "http://c.example/ cat")).Forward)
	want := map[string]float64{"http://b.example/": 1, "http://c.example/": 0.5} // the page holds "call"
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
}

// gated is typed, and knows pages of events.
type gated struct{ typed }

func (gated) Related(said classify.Judgement) bool {
	return said.PageType == "conference" || said.PageType == "cfp_list" || said.IsCFP
}

// Every strategy marks the other pages of an event where its judge knows them, and
// calls and lists never.
func TestRelatedPages(t *testing.T) {
	for pageType, want := range map[string]bool{"conference": true, "cfp": false, "cfp_list": false, "other": false} {
		v, _ := judged(gated{}, nil, arrive(t, "http://a.example/", pageType))
		if v.Related != want {
			t.Errorf("%s: related %v, want %v", pageType, v.Related, want)
		}
		if v, _ := judged(typed{}, nil, arrive(t, "http://a.example/", pageType)); v.Related {
			t.Errorf("%s: related, though nobody knows", pageType)
		}
	}
}
