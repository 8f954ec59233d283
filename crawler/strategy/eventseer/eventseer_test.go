package eventseer

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/crawler/strategy/internal/strategytest"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// paid makes an arrival one that cost a page.
func paid(a crawler.Arrival) crawler.Arrival {
	a.Outcome.Cost = 1
	return a
}

// newFull makes the strategy of all parts that it can use.
func newFull(t *testing.T) crawler.Strategy {
	t.Helper()
	s, err := New(part.Parts{
		Judge: strategytest.Typed{}, Links: strategytest.FlatLinks{}, Seed: 1,
		Deadlines: func(t *tagtree.Tree) (open, past int) {
			return strings.Count(t.Text(), "open"), strings.Count(t.Text(), "past")
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// whys maps the candidates' URLs to why they are proposed.
func whys(cs []crawler.Candidate) map[string]string {
	m := map[string]string{}
	for _, c := range cs {
		m[c.URL] = c.Why
	}
	return m
}

func TestEventSeerByPageType(t *testing.T) {
	tests := []struct {
		pageType      string
		better, worse string // links: the first must score higher
		why           string // of the first
	}{
		{"cfp_list", "http://conf.example/ ICX", "http://me.example/about About", "a list of calls links here"},
		{"cfp_list", "http://me.example/deadlines.html More deadlines", "http://me.example/about About", "its words suggest a list"},
		{"cfp", "http://me.example/posters Call for posters", "http://me.example/hotels Hotels", "its words suggest a call"},
		{"conference", "http://me.example/cfp Call for papers", "http://other.example/ Friends", "a conference links here, its words suggest a call"},
		{"mail_announcement", "http://conf.example/ http://conf.example", "http://me.example/next Next message", "a mail links here"},
		{"homepage", "http://conf.example/2027/ ICX 2027", "http://me.example/cat My cat", "sample"},
		{"other", "http://conf.example/cfp Call for papers", "http://conf.example/cat My cat", "a page of unknown type links here"},
	}
	for _, tt := range tests {
		t.Run(tt.pageType+" "+tt.better, func(t *testing.T) {
			v := strategytest.Visit(t, newFull(t), strategytest.Arrive(t, "http://me.example/", tt.pageType, tt.worse, tt.better))
			got := strategytest.Scores(v.Forward)
			better, _, _ := strings.Cut(tt.better, " ")
			worse, _, _ := strings.Cut(tt.worse, " ")
			if got[better] <= got[worse] {
				t.Errorf("%s scores %v, %s %v; want the first higher", better, got[better], worse, got[worse])
			}
			if why := whys(v.Forward)[better]; !strings.Contains(why, tt.why) || len(why) > crawler.MaxWhy {
				t.Errorf("why %q, want it to say %q", why, tt.why)
			}
		})
	}
}

// feed visits a list and then n of its links, as pages of that type. It returns the last score that
// the list's last link was given.
func feed(t *testing.T, pageType string) float64 {
	s := newFull(t)
	const n = 9
	var links []string
	for i := range n {
		links = append(links, fmt.Sprintf("http://c%d.example/ ICX", i))
	}
	last := "http://c8.example/"
	score := strategytest.Scores(strategytest.Visit(t, s, paid(strategytest.Arrive(t, "http://hub.example/", "cfp_list", links...))).Forward)[last]
	for i := range n - 1 {
		v := strategytest.Visit(t, s, paid(strategytest.Arrive(t, fmt.Sprintf("http://c%d.example/", i), pageType)))
		if raised, ok := strategytest.Scores(v.Rescore)[last]; ok {
			score = raised
		}
	}
	return score
}

// A list whose links turn out to be calls lifts the others; one that lies sinks.
func TestEventSeerLearnsFromYields(t *testing.T) {
	before := strategytest.Scores(strategytest.Visit(t, newFull(t), strategytest.Arrive(t, "http://hub.example/", "cfp_list", "http://c8.example/ ICX")).Forward)["http://c8.example/"]
	if good, bad := feed(t, "cfp"), feed(t, "other"); !(good > before && before > bad && bad < before/2) {
		t.Errorf("scores %.3f after calls, %.3f at first, %.3f after lies; want them to fall, the last to half", good, before, bad)
	}
}

func TestEventSeerRaisesWhatIsParked(t *testing.T) {
	s := newFull(t)
	home := strategytest.Arrive(t, "http://me.example/", "homepage", "http://a.example/2027 a", "http://b.example/2027 b", "http://c.example/2027 c", "http://d.example/x d")
	parked := strategytest.Scores(strategytest.Visit(t, s, paid(home)).Forward)["http://d.example/x"]
	if v := strategytest.Visit(t, s, paid(strategytest.Arrive(t, "http://a.example/2027", "other"))); strategytest.Scores(v.Rescore)["http://d.example/x"] > parked {
		t.Errorf("a miss proposed %+v", v.Rescore)
	}
	hit := strategytest.Visit(t, s, paid(strategytest.Arrive(t, "http://b.example/2027", "conference")))
	if raised := strategytest.Scores(hit.Rescore)["http://d.example/x"]; raised <= parked {
		t.Errorf("after a hit the parked link scores %v, parked %v; want more", raised, parked)
	}
}

func TestEventSeerAsksOnceASite(t *testing.T) {
	s := newFull(t).(*eventSeer)
	if v := strategytest.Visit(t, s, paid(strategytest.Arrive(t, "http://conf.example/cfp", "cfp"))); v.Back == 0 {
		t.Error("no backlinks asked of the first call of a site")
	}
	if v := strategytest.Visit(t, s, paid(strategytest.Arrive(t, "http://www.conf.example/posters", "cfp"))); v.Back != 0 {
		t.Error("backlinks asked again of the same site")
	}
}

// Unanswered queries are not repeated for long if they cost.
func TestEventSeerStopsAskingInVain(t *testing.T) {
	for _, cost := range []float64{0, 1} {
		s, err := New(part.Parts{Judge: strategytest.Typed{}, CallCost: cost})
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		for i := range 200 {
			a := paid(strategytest.Arrive(t, fmt.Sprintf("http://conf%d.example/cfp", i), "cfp"))
			a.Lease.Score = 0.5
			if v := strategytest.Visit(t, s, a); v.Back > 0 {
				asked++
				v.Backward(nil)
			}
		}
		if asked == 0 || asked > 40 {
			t.Errorf("at a cost of %v asked %d times of 200 in vain", cost, asked)
		}
	}
}

func TestEventSeerAsksWhileItIsFree(t *testing.T) {
	s := newFull(t)
	for i := range 50 {
		v := strategytest.Visit(t, s, paid(strategytest.Arrive(t, fmt.Sprintf("http://conf%d.example/cfp", i), "cfp")))
		if v.Back == 0 {
			t.Fatalf("call %d: not asked", i)
		}
		v.Backward([]webgraph.Link{{Source: fmt.Sprintf("http://hub%d.example/conferences.html", i)}})
	}
}

func TestEventSeerRanksBacklinks(t *testing.T) {
	s := newFull(t)
	hub := webgraph.Link{Source: "http://hub.example/page"}
	var last float64
	for i, url := range []string{"http://a.example/cfp", "http://b.example/cfp", "http://c.example/cfp"} {
		cs, _ := strategytest.Visit(t, s, paid(strategytest.Arrive(t, url, "cfp"))).Backward([]webgraph.Link{hub})
		if len(cs) != 1 || cs[0].Score <= last && i > 0 {
			t.Fatalf("after site %d: %+v, want a higher score than %v", i+1, cs, last)
		}
		last = cs[0].Score
	}
	cs, _ := strategytest.Visit(t, s, paid(strategytest.Arrive(t, "http://d.example/cfp", "cfp"))).Backward([]webgraph.Link{
		{Source: "http://e.example/conferences.html"}, {Source: "http://f.example/~me/"}, {Source: "http://g.example/x"},
	})
	if !(cs[0].Score > cs[2].Score && cs[2].Score > cs[1].Score) {
		t.Errorf("list, homepage, other score %v, %v, %v; want list > other > homepage", cs[0].Score, cs[1].Score, cs[2].Score)
	}
	if why := cs[0].Why; !strings.Contains(why, "it links to a call, its words suggest a list") {
		t.Errorf("why %q", why)
	}
}

// sure is a link model that answers the same of every link.
type sure float64

func (p sure) LinkProbabilities(t *tagtree.Tree) []float64 {
	ps := make([]float64, len(t.Links()))
	for i := range ps {
		ps[i] = float64(p)
	}
	return ps
}

func TestEventSeerBelievesTheLinkModel(t *testing.T) {
	var last float64
	for _, p := range []float64{0.01, 0.5, 0.99} {
		s, err := New(part.Parts{Judge: strategytest.Typed{}, Links: sure(p)})
		if err != nil {
			t.Fatal(err)
		}
		v := strategytest.Visit(t, s, strategytest.Arrive(t, "http://me.example/", "conference", "http://me.example/x x"))
		if c := v.Forward[0]; c.Score <= last || !strings.Contains(c.Why, fmt.Sprintf("link model %.2f", p)) {
			t.Errorf("at %v: %v, %q; want more than %v", p, c.Score, c.Why, last)
		}
		last = v.Forward[0].Score
	}
	s, err := New(part.Parts{Judge: strategytest.Typed{}, Links: sure(math.NaN())})
	if err != nil {
		t.Fatal(err)
	}
	if v := strategytest.Visit(t, s, strategytest.Arrive(t, "http://me.example/", "conference", "http://me.example/x x")); math.IsNaN(v.Forward[0].Score) {
		t.Error("a link model without a number made a score of none")
	}
}

func TestRate(t *testing.T) {
	tests := []struct {
		name        string
		worth, cost float64
		promised    []float64
		want        float64
	}{
		{"a call", 1, 1, []float64{0.9, 0.9}, 1},
		{"nothing", 0, 1, nil, 0},
		{"a list", 0, 1, []float64{0.1, 1, 1, 1}, 0.6},
		{"a poor list", 0, 1, []float64{0.1, 0.1}, 2 * 0.08 / 3},
	}
	for _, tt := range tests {
		if got := bestRate(tt.worth, tt.cost, tt.promised); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%s: rate %v, want %v", tt.name, got, tt.want)
		}
	}
}

// The memory is bounded, and the notes contain the same.
func TestEventSeerIsBounded(t *testing.T) {
	s := newFull(t).(*eventSeer)
	kept := map[string]bool{}
	for i := range maxOrigins + 5 {
		v := strategytest.Visit(t, s, paid(strategytest.Arrive(t, fmt.Sprintf("http://h%d.example/", i), "cfp_list", fmt.Sprintf("http://c%d.example/ ICX", i))))
		for _, n := range v.Notes {
			if strings.HasPrefix(n.Key, "origin/") {
				kept[n.Key] = len(n.Value) > 0
				if !kept[n.Key] {
					delete(kept, n.Key)
				}
			}
		}
	}
	if len(s.origins) != maxOrigins || len(s.links) != maxOrigins || len(kept) != maxOrigins || kept["origin/http://h4.example/"] {
		t.Errorf("%d origins, %d links, %d notes; want %d, the oldest gone", len(s.origins), len(s.links), len(kept), maxOrigins)
	}
}

// TestEventSeerRecalls interrupts a crawl after every page and compares with one
// that was never interrupted. Their new scores are the same, beside those that change nothing.
func TestEventSeerRecalls(t *testing.T) {
	crawl := []crawler.Arrival{
		strategytest.Arrive(t, "http://me.example/", "homepage", "http://a.example/2027 a", "http://b.example/2027 b", "http://d.example/x d"),
		strategytest.Arrive(t, "http://l.example/", "cfp_list", "http://a.example/2027 a", "http://x.example/cfp call", "http://y.example/ ICY"),
		strategytest.Arrive(t, "http://a.example/2027", "other"), strategytest.Arrive(t, "http://x.example/cfp", "cfp", "http://x.example/p Posters"),
		strategytest.Arrive(t, "http://b.example/2027", "conference"), strategytest.Arrive(t, "http://x.example/p", "cfp"), strategytest.Arrive(t, "http://y.example/", "cfp"),
	}
	hub := []webgraph.Link{{Source: "http://hub.example/page"}, {Source: "http://d.example/x"}}
	whole := newFull(t)
	notes := map[string]crawler.Note{}
	scores := strategytest.FrontierScores{}
	for i, a := range crawl {
		resumed := newFull(t).(crawler.Rememberer)
		var kept []crawler.Note
		for _, n := range notes { // in any order
			if len(n.Value) > 0 {
				kept = append(kept, n)
			}
		}
		if err := resumed.RestoreNotes(kept); err != nil {
			t.Fatal(err)
		}
		want, got := strategytest.Visit(t, whole, paid(a)), strategytest.Visit(t, resumed, paid(a))
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
		scores.Propose(want.Forward)
		if diff := cmp.Diff([][]crawler.Candidate{want.Forward, scores.Changed(want.Rescore)}, [][]crawler.Candidate{got.Forward, scores.Changed(got.Rescore)}); diff != "" {
			t.Errorf("page %d (-whole +resumed):\n%s", i, diff)
		}
		scores.Set(want.Rescore)
	}
	for _, bad := range []crawler.Note{{Key: "cited/x", Value: []byte("no number")}, {Key: "origin/x", Value: []byte("{")}, {Key: learnedKey, Value: []byte(`{"Corrector":{"Kinds":{"cfp":null}}}`)}} {
		if err := newFull(t).(crawler.Rememberer).RestoreNotes([]crawler.Note{bad}); err == nil {
			t.Errorf("Recall of a broken note %s gave no error", bad.Key)
		}
	}
}

// Links scored a second: see doc/decisions/013.
func BenchmarkEventSeer(b *testing.B) {
	s, err := New(part.Parts{Judge: strategytest.Typed{}})
	if err != nil {
		b.Fatal(err)
	}
	page := &pageView{url: "http://hub.example/", site: "hub.example", kind: part.ListPage, share: 1}
	const links = 50
	n := 0
	for b.Loop() {
		page.links = page.links[:0]
		page.url = fmt.Sprintf("http://hub%d.example/", n)
		for range links {
			n++
			l := webgraph.Link{Source: page.url, Target: fmt.Sprintf("http://conf%d.example/cfp/", n), Anchor: "Call for papers"}
			page.links = append(page.links, scoredLink{CuedLink: part.CuedLink{Link: l, LinkEvidence: part.LinkEvidenceOf(l.Anchor, l.Target), Away: true}, model: 0.5, share: 1})
		}
		var v crawler.Verdict
		s.(*eventSeer).fillVerdict(crawler.Arrival{Lease: crawler.Lease{Candidate: crawler.Candidate{URL: page.url}}, Outcome: crawler.Outcome{Status: 200, Cost: 1}}, page, &v)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "links/s")
}

// Each disabled ability changes the decisions it is made for.
func TestWithout(t *testing.T) {
	full := part.Parts{
		Judge: strategytest.Typed{}, Links: strategytest.FlatLinks{}, Seed: 1,
		Deadlines: func(t *tagtree.Tree) (open, past int) { return strings.Count(t.Text(), "open"), 0 },
	}
	run := func(what Ability) (*eventSeer, crawler.Verdict) {
		full.Hosts = classify.NewHostContext(*strategytest.PageTypes())
		made, err := Without(what)(full)
		if err != nil {
			t.Fatal(err)
		}
		s := made.(*eventSeer)
		v := strategytest.Visit(t, s, paid(strategytest.Arrive(t, "http://me.example/", "cfp", "http://a.example/ open call", "http://b.example/ pets")))
		a := paid(strategytest.Arrive(t, "http://a.example/", "cfp"))
		a.Lease.How, a.Lease.Parent, a.Lease.Score = crawler.Forward, "http://me.example/", 0.5
		strategytest.Visit(t, s, a)
		return s, v
	}
	fresh := newCorrector()
	for _, what := range []Ability{Nothing, LinkModel, Learning, Words, Backlinks, HostContext, Deadlines} {
		s, v := run(what)
		if asks := v.Back > 0; asks != (what != Backlinks) {
			t.Errorf("without %q: asks for backlinks: %v", what, asks)
		}
		if learns := s.learned.Weights != fresh.Weights; learns != (what != Learning) {
			t.Errorf("without %q: learns: %v", what, learns)
		}
		if learns := slices.ContainsFunc(s.learned.Words, func(w wordWeight) bool { return w.Squares > 0 }); learns != (what != Learning && what != Words) {
			t.Errorf("without %q: learns words: %v", what, learns)
		}
		if asked := strings.Contains(v.Forward[0].Why, "link model"); asked != (what != LinkModel) {
			t.Errorf("without %q: asks the link model: %v", what, asked)
		}
		if remembers := slices.ContainsFunc(v.Notes, func(n crawler.Note) bool { return strings.HasPrefix(n.Key, "hosts/") }); remembers != (what != HostContext) {
			t.Errorf("without %q: remembers the types of a host's pages: %v", what, remembers)
		}
		if told := s.Finds.Open.Sum > 0; told != (what != Deadlines) {
			t.Errorf("without %q: knows open deadlines: %v", what, told)
		}
	}
}

// A waiting link is scored again with each visit, but reported only when its score has changed.
func TestUnchangedScoresAreNotReported(t *testing.T) {
	s := newFull(t)
	v := strategytest.Visit(t, s, paid(strategytest.Arrive(t, "http://l.example/", "cfp_list", "http://a.example/2027 a", "http://x.example/cfp call", "http://y.example/ ICY")))
	if len(v.Rescore) != 3 {
		t.Errorf("with their page %d links are reported, want all 3", len(v.Rescore))
	}
	v = strategytest.Visit(t, s, paid(strategytest.Arrive(t, "http://z.example/", "other")))
	if len(v.Rescore) != 0 {
		t.Errorf("%d links are reported again without a change", len(v.Rescore))
	}
	v = strategytest.Visit(t, s, paid(strategytest.Arrive(t, "http://x.example/cfp", "cfp")))
	if len(v.Rescore) != 2 {
		t.Errorf("after a call behind one of them %d links are reported, want the other 2", len(v.Rescore))
	}
}
