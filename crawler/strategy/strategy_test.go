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
	s, err := New(name, Parts{Judge: typed{}, Topic: wordy{}})
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

func TestBackAndForwardByPageType(t *testing.T) {
	tests := []struct {
		pageType      string
		better, worse string // links: the first must score higher
		back          bool
	}{
		{"cfp_list", "http://conf.example/ ICX", "http://me.example/about About", false},
		{"cfp_list", "http://me.example/deadlines.html More deadlines", "http://me.example/about About", false},
		{"cfp", "http://me.example/posters Call for posters", "http://me.example/hotels Hotels", true},
		{"conference", "http://me.example/cfp Call for papers", "http://other.example/ Friends", false},
		{"mail_announcement", "http://conf.example/ http://conf.example", "http://me.example/next Next message", false},
		{"homepage", "http://conf.example/2027/ ICX 2027", "http://me.example/cat My cat", false},
		{"other", "http://conf.example/cfp Call for papers", "http://conf.example/cat My cat", false},
	}
	for _, tt := range tests {
		t.Run(tt.pageType+" "+tt.better, func(t *testing.T) {
			v := visit(t, newStrategy(t, "back-and-forward"), arrive(t, "http://me.example/", tt.pageType, tt.worse, tt.better))
			got := scores(v.Forward)
			better, _, _ := strings.Cut(tt.better, " ")
			worse, _, _ := strings.Cut(tt.worse, " ")
			if got[better] <= got[worse] {
				t.Errorf("%s scores %v, %s %v; want the first higher", better, got[better], worse, got[worse])
			}
			if (v.Back > 0) != tt.back {
				t.Errorf("Back = %d, want backlinks asked: %v", v.Back, tt.back)
			}
		})
	}
}

func TestBacklinksAreAskedOnceASite(t *testing.T) {
	s := newStrategy(t, "back-and-forward")
	if v := visit(t, s, arrive(t, "http://conf.example/cfp", "cfp")); v.Back == 0 {
		t.Error("no backlinks asked of the first call of a site")
	}
	if v := visit(t, s, arrive(t, "http://www.conf.example/posters", "cfp")); v.Back != 0 {
		t.Error("backlinks asked again of the same site")
	}
}

func TestSourcesOfSeveralSitesRise(t *testing.T) {
	s := newStrategy(t, "back-and-forward")
	hub := webgraph.Link{Source: "http://hub.example/page"}
	var last float64
	for i, url := range []string{"http://a.example/cfp", "http://b.example/cfp", "http://c.example/cfp"} {
		cs, _ := visit(t, s, arrive(t, url, "cfp")).Backward([]webgraph.Link{hub})
		if len(cs) != 1 || cs[0].Score <= last && i > 0 {
			t.Fatalf("after site %d: %+v, want a higher score than %v", i+1, cs, last)
		}
		last = cs[0].Score
	}
	cs, _ := visit(t, s, arrive(t, "http://d.example/cfp", "cfp")).Backward([]webgraph.Link{
		{Source: "http://e.example/conferences.html"}, {Source: "http://f.example/~me/"}, {Source: "http://g.example/x"},
	})
	if !(cs[0].Score > cs[2].Score && cs[2].Score > cs[1].Score) {
		t.Errorf("list, homepage, other score %v, %v, %v; want list > other > homepage", cs[0].Score, cs[1].Score, cs[2].Score)
	}
}

// homepage has more links than are sampled; the fourth is parked.
func homepage(t *testing.T) crawler.Arrival {
	return arrive(t, "http://me.example/", "homepage",
		"http://a.example/2027 a", "http://b.example/2027 b", "http://c.example/2027 c", "http://d.example/x d")
}

func TestSamplingRaisesTheRestOnAHit(t *testing.T) {
	s := newStrategy(t, "back-and-forward")
	parked := scores(visit(t, s, homepage(t)).Forward)["http://d.example/x"]
	if v := visit(t, s, arrive(t, "http://a.example/2027", "other")); len(v.Forward) != 0 {
		t.Errorf("a miss proposed %+v", v.Forward)
	}
	hit := visit(t, s, arrive(t, "http://b.example/2027", "conference"))
	if raised := scores(hit.Forward)["http://d.example/x"]; raised <= parked {
		t.Errorf("after a hit the parked link scores %v, parked %v; want more", raised, parked)
	}
	if parent := hit.Forward[0].Parent; parent != "http://me.example/" {
		t.Errorf("the parent of the parked link is %s, which does not hold it", parent)
	}
	if v := visit(t, s, arrive(t, "http://c.example/2027", "conference")); len(v.Forward) != 0 {
		t.Errorf("a second hit proposed the links again: %+v", v.Forward)
	}
}

func TestSamplingGivesUpAfterAllMisses(t *testing.T) {
	s := newStrategy(t, "back-and-forward")
	visit(t, s, homepage(t))
	for _, u := range []string{"http://a.example/2027", "http://b.example/2027", "http://c.example/2027"} {
		if v := visit(t, s, arrive(t, u, "other")); len(v.Forward) != 0 {
			t.Errorf("%s: a miss proposed %+v", u, v.Forward)
		}
	}
	if n := len(s.(*backAndForward).pages); n != 0 {
		t.Errorf("%d pages still being sampled, want 0", n)
	}
}

// Samples that never come do not fill the memory, and the notes tell it.
func TestSamplingIsBounded(t *testing.T) {
	s := newStrategy(t, "back-and-forward").(*backAndForward)
	kept := map[string]bool{}
	for i := range maxSampling + 5 {
		a := homepage(t)
		a.Lease.URL = fmt.Sprintf("http://h%d.example/", i)
		a.Outcome.FinalURL = ""
		for _, n := range visit(t, s, a).Notes {
			if kept[n.Key] = len(n.Value) > 0; !kept[n.Key] {
				delete(kept, n.Key)
			}
		}
	}
	if len(s.pages) != maxSampling || len(kept) != maxSampling || kept["sampled/http://h4.example/"] || !kept["sampled/http://h5.example/"] {
		t.Errorf("%d pages, %d notes kept; want %d, the oldest five gone", len(s.pages), len(kept), maxSampling)
	}
	for url, pages := range s.sampler {
		if len(pages) != maxSampling {
			t.Errorf("%s is a sample of %d pages", url, len(pages))
		}
	}
}

// TestRecallGoesOn interrupts a crawl after every page and compares with one
// that was never interrupted.
func TestRecallGoesOn(t *testing.T) {
	crawl := []crawler.Arrival{
		homepage(t), arrive(t, "http://a.example/2027", "other"), arrive(t, "http://x.example/cfp", "cfp"),
		arrive(t, "http://b.example/2027", "other"), arrive(t, "http://x.example/posters", "cfp"),
		arrive(t, "http://c.example/2027", "cfp_list"), arrive(t, "http://y.example/cfp", "cfp"),
	}
	hub := []webgraph.Link{{Source: "http://hub.example/page"}}
	whole := newStrategy(t, "back-and-forward")
	notes := map[string]crawler.Note{}
	for i, a := range crawl {
		resumed := newStrategy(t, "back-and-forward").(crawler.Rememberer)
		var kept []crawler.Note
		for _, n := range notes {
			if len(n.Value) > 0 {
				kept = append(kept, n)
			}
		}
		if err := resumed.Recall(kept); err != nil {
			t.Fatal(err)
		}
		want, got := visit(t, whole, a), visit(t, resumed, a)
		if (want.Backward == nil) != (got.Backward == nil) {
			t.Fatalf("page %d: only one asks for backlinks", i)
		}
		if want.Backward != nil {
			wantBack, backNotes := want.Backward(hub)
			gotBack, _ := got.Backward(hub)
			if diff := cmp.Diff(wantBack, gotBack); diff != "" {
				t.Errorf("page %d, backlinks (-whole +resumed):\n%s", i, diff)
			}
			want.Notes = append(want.Notes, backNotes...)
		}
		for _, n := range want.Notes {
			notes[n.Key] = n
		}
		if diff := cmp.Diff(want.Forward, got.Forward); diff != "" {
			t.Errorf("page %d (-whole +resumed):\n%s", i, diff)
		}
	}
	if err := newStrategy(t, "back-and-forward").(crawler.Rememberer).Recall([]crawler.Note{{Key: "cited/x", Value: []byte("no number")}}); err == nil {
		t.Error("Recall of a broken note gave no error")
	}
}

// Links that the text of a call tells of come before those of its menu (papers
// 000/001, section 4.2).
func TestBackAndForwardPrefersLinksInText(t *testing.T) {
	const body = `<title>cfp</title><nav><a href="http://a.example/menu">Series</a></nav>
		<p>Papers are selected with the help of <a href="http://a.example/told">the series</a>, as in years before.</p>
		<ul><li><a href="http://b.example/list">Friends</a></ul><p>Hosted by the <a href="http://b.example/told">institute</a> of the town.</p>`
	tree, err := tagtree.Parse(&webgraph.Page{URL: "http://a.example/", Status: 200, Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	got := scores(visit(t, newStrategy(t, "back-and-forward"), crawler.Arrival{Outcome: crawler.Outcome{Fate: crawler.Fetched}, Tree: tree}).Forward)
	if got["http://a.example/told"] <= got["http://a.example/menu"] || got["http://b.example/told"] <= got["http://b.example/list"] {
		t.Errorf("scores %v, want what is told first", got)
	}
}
