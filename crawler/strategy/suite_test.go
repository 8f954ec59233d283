package strategy

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/svm"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/crawler/strategy/internal/strategytest"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	gocmp "github.com/google/go-cmp/cmp"
)

// titled is a layer model that reads the layer off the page's title.
type titled struct{ accuracy float64 }

func (titled) Layers(t *tagtree.Tree) []float64 {
	p := make([]float64, 4)
	layers := map[string]int{"cfp": 0, "conference": 1, "cfp_list": 1, "homepage": 2}
	layer, ok := layers[t.Title()]
	if !ok {
		layer = 3
	}
	p[layer] = 1
	return p
}
func (m titled) Accuracy() float64 { return m.accuracy }

// chain is a web in which page i links to i+1 and the last is the target.
type chain []string

func (c chain) Targets() []string { return c[len(c)-1:] }
func (c chain) Links(url string) []string {
	if i := slices.Index(c, url); i >= 0 && i+1 < len(c) {
		return c[i+1 : i+2]
	}
	return nil
}
func (c chain) Sources(url string) []string {
	if i := slices.Index(c, url); i > 0 {
		return c[i-1 : i]
	}
	return nil
}

// fullParts are parts for every strategy.
func fullParts() part.Parts {
	return part.Parts{
		Judge: strategytest.Typed{}, PageTypes: strategytest.PageTypes(), Topic: strategytest.Wordy{}, Links: strategytest.FlatLinks{}, Layers: titled{1}, Learner: svm.Linear{},
		Truth: chain{"http://me.example/", "http://a.example/2027", "http://b.example/2027", "http://d.example/x"},
		Deadlines: func(t *tagtree.Tree) (open, past int) {
			return strings.Count(t.Text(), "open"), strings.Count(t.Text(), "past")
		},
		Seed: 1, MinAccuracy: 0.4,
	}
}

// hostileJudge returns invalid judgements.
type hostileJudge struct{}

func (hostileJudge) JudgePage(*tagtree.Tree) classify.Judgement {
	return classify.Judgement{
		IsCFP: true, CFPScore: math.NaN(), PageType: strings.Repeat("\x00\xffconference", 100),
		PageTypeScores: map[string]float64{part.ListPage: math.Inf(-1), "": math.NaN()},
	}
}

// hostileTopic, hostileLinks and hostileLayers return NaN or infinite values.
type hostileTopic struct{}

func (hostileTopic) PageCosine(*tagtree.Tree) float64 { return math.NaN() }
func (hostileTopic) TextCosine(string) float64        { return math.Inf(1) }

type hostileLinks struct{}

func (hostileLinks) LinkProbabilities(t *tagtree.Tree) []float64 {
	p := make([]float64, len(t.Links()))
	for i := range p {
		p[i] = math.NaN()
	}
	return p
}

type hostileLayers struct{}

func (hostileLayers) Layers(*tagtree.Tree) []float64 { return []float64{math.NaN(), math.Inf(1)} }
func (hostileLayers) Accuracy() float64              { return 1 }

// hostileFocus does so too.
type hostileFocus struct{}

func (hostileFocus) PageShare(*tagtree.Tree) (float64, bool) { return math.NaN(), true }
func (hostileFocus) TextShare(s string) float64              { return math.Inf(len(s)%2*2 - 1) }

// manyLinks is a page of n links with long anchors in many scripts.
func manyLinks(t testing.TB, n int) crawler.Arrival {
	var b strings.Builder
	b.WriteString("<title>cfp_list</title>")
	for i := range n {
		fmt.Fprintf(&b, `<li><a href="http://h%d.example/%d?q=\x00&amp;é">Call %s %d</a> until May %d`, i%5000, i, strings.Repeat("会議", i%50), i, i%31)
	}
	return strategytest.ArrivalOf(t, "http://me.example/", b.String())
}

// suiteCrawl are arrivals of every kind of page, some of them at the second visit.
func suiteCrawl(t testing.TB) []crawler.Arrival {
	page := func(url, title string, links ...string) crawler.Arrival {
		var b strings.Builder
		fmt.Fprintf(&b, "<title>%s</title><h1>%s</h1><p>Some text on open calls.", title, title)
		for _, l := range links {
			target, anchor, _ := strings.Cut(l, " ")
			fmt.Fprintf(&b, `<li><a href="%s">%s</a> around it`, target, anchor)
		}
		return strategytest.ArrivalOf(t, url, b.String())
	}
	crawl := []crawler.Arrival{
		page("http://me.example/", "homepage", "http://a.example/2027 a", "http://b.example/2027 b", "http://c.example/2027 c", "http://d.example/x d"),
		page("http://a.example/2027", "other", "http://d.example/x call", "http://me.example/ back"),
		page("http://x.example/cfp", "cfp", "http://x.example/posters Call for posters", "http://y.example/cfp Sister call"),
		page("http://b.example/2027", "cfp_list", "http://x.example/cfp XC", "http://y.example/cfp YC", "http://z.example/cfp ZC", "http://d.example/x D"),
		{Lease: crawler.Lease{Candidate: crawler.Candidate{URL: "http://z.example/cfp"}}, Outcome: crawler.Outcome{Fate: crawler.Gone, Status: 404}},
		page("http://x.example/posters", "cfp", "http://b.example/2027 List"),
		page("http://y.example/cfp", "conference", "http://y.example/dates Dates", "http://q.example/ Sponsor"),
		page("http://lists.example/1", "mail_announcement", "http://w.example/ http://w.example/", "http://lists.example/2 next"),
		page("http://empty.example/", ""),
		page("http://d.example/x", "weblog", "http://w.example/ W 2027"),
	}
	for i := range crawl { // as they come after the seeds
		if i > 1 {
			crawl[i].Lease.How, crawl[i].Lease.Score, crawl[i].Lease.Parent = crawler.Forward, float64(i%4)/2, crawl[i-1].Lease.URL
		}
	}
	for i := range 120 { // enough for whatever is done every so many pages
		c := crawl[i%len(crawl)]
		c.Lease.How = crawler.Forward
		crawl = append(crawl, c)
	}
	return crawl
}

// eachStrategy runs f for every name of the table.
func eachStrategy(t *testing.T, p part.Parts, f func(t *testing.T, name string, make func() crawler.Strategy)) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f(t, name, func() crawler.Strategy {
				s, err := New(name, p)
				if err != nil {
					t.Fatal(err)
				}
				return s
			})
		})
	}
}

// checkVerdict checks what every verdict must keep.
func checkVerdict(t *testing.T, v crawler.Verdict) {
	t.Helper()
	if !(v.Relevance >= 0 && v.Relevance <= 1 && v.TopicScore >= 0 && v.TopicScore <= 1) {
		t.Fatalf("relevance %v, topic %v of a page", v.Relevance, v.TopicScore)
	}
	for _, c := range slices.Concat(v.Forward, v.Rescore) {
		if math.IsNaN(c.Score) || math.IsInf(c.Score, 0) || math.Abs(c.Score) > crawler.MaxScore {
			t.Fatalf("%s scores %v", c.URL, c.Score)
		}
		if len(c.Why) > crawler.MaxWhy || !utf8.ValidString(c.Why) {
			t.Fatalf("the why of %s has %d bytes or is no UTF-8: %q", c.URL, len(c.Why), c.Why)
		}
		if c.URL == "" {
			t.Fatal("a candidate without a URL")
		}
	}
	for _, n := range v.Notes {
		if len(n.Key) == 0 || len(n.Key) > 30_000 || strings.HasPrefix(n.Key, "crawler/") {
			t.Fatalf("note key %.100q", n.Key)
		}
	}
}

func TestSuiteCrawl(t *testing.T) {
	crawl := suiteCrawl(t)
	eachStrategy(t, fullParts(), func(t *testing.T, name string, make func() crawler.Strategy) {
		s, again, explained := make(), make(), 0
		for i, a := range crawl {
			v := strategytest.Visit(t, s, a)
			checkVerdict(t, v)
			w := strategytest.Visit(t, again, a)
			if diff := gocmp.Diff(v.Forward, w.Forward) + gocmp.Diff(v.Rescore, w.Rescore) + gocmp.Diff(v.Drop, w.Drop) + gocmp.Diff(v.Notes, w.Notes); diff != "" {
				t.Fatalf("page %d, the same crawl twice (-one +other):\n%s", i, diff)
			}
			for _, c := range v.Forward {
				if c.Why != "" {
					explained++
				}
			}
		}
		if explained == 0 {
			t.Errorf("no link of %s says why it has its score", name)
		}
	})
}

// A crawl interrupted after every page continues like one that was not. A resumed strategy may
// also report scores that the frontier has already.
func TestSuiteResume(t *testing.T) {
	crawl := suiteCrawl(t)
	hubs := []webgraph.Link{{Source: "http://hub.example/page"}, {Source: "http://hub.example/conferences.html"}}
	eachStrategy(t, fullParts(), func(t *testing.T, name string, make func() crawler.Strategy) {
		whole, notes := make(), map[string]crawler.Note{}
		scores := strategytest.FrontierScores{}
		for i, a := range crawl {
			resumed := make()
			if r, ok := resumed.(crawler.Rememberer); ok {
				if err := r.RestoreNotes(keptNotes(notes)); err != nil {
					t.Fatal(err)
				}
			}
			want, got := strategytest.Visit(t, whole, a), strategytest.Visit(t, resumed, a)
			if want.Backward != nil && got.Backward != nil {
				wantBack, more := want.Backward(hubs)
				gotBack, _ := got.Backward(hubs)
				if diff := gocmp.Diff(wantBack, gotBack); diff != "" {
					t.Fatalf("page %d, backlinks (-whole +resumed):\n%s", i, diff)
				}
				want.Notes = append(want.Notes, more...)
			}
			for _, n := range want.Notes {
				notes[n.Key] = n
			}
			want.Notes, got.Notes, want.Backward, got.Backward = nil, nil, nil, nil
			scores.Propose(want.Forward)
			rescored := want.Rescore
			want.Rescore, got.Rescore = scores.Changed(want.Rescore), scores.Changed(got.Rescore)
			scores.Set(rescored)
			if diff := gocmp.Diff(want, got); diff != "" {
				t.Fatalf("page %d (-whole +resumed):\n%s", i, diff)
			}
		}
	})
}

// keptNotes are the notes as a frontier hands them out: in order of key, without
// those deleted.
func keptNotes(notes map[string]crawler.Note) []crawler.Note {
	var kept []crawler.Note
	for _, n := range notes {
		if len(n.Value) > 0 {
			kept = append(kept, n)
		}
	}
	slices.SortFunc(kept, func(a, b crawler.Note) int { return cmp.Compare(a.Key, b.Key) })
	return kept
}

func TestSuiteBrokenNotes(t *testing.T) {
	eachStrategy(t, fullParts(), func(t *testing.T, name string, make func() crawler.Strategy) {
		notes := map[string]crawler.Note{}
		for _, a := range suiteCrawl(t) {
			for _, n := range strategytest.Visit(t, make(), a).Notes {
				notes[n.Key] = n
			}
		}
		for _, n := range keptNotes(notes) {
			if r, ok := make().(crawler.Rememberer); ok {
				_ = r.RestoreNotes([]crawler.Note{{Key: n.Key, Value: []byte("\x00{[broken")}}) // an error or not, but no panic
			}
		}
		if r, ok := make().(crawler.Rememberer); ok {
			if err := r.RestoreNotes([]crawler.Note{{Key: "of/another strategy", Value: []byte("x")}}); err != nil {
				t.Errorf("a note of another strategy: %v", err)
			}
		}
	})
}

func TestSuiteHostileParts(t *testing.T) {
	p := fullParts()
	p.Judge, p.Topic, p.Links, p.Layers = hostileJudge{}, hostileTopic{}, hostileLinks{}, hostileLayers{}
	p.Deadlines = func(*tagtree.Tree) (open, past int) { return math.MinInt, math.MaxInt }
	crawl := suiteCrawl(t)
	for _, p.Focus = range []part.Focus{nil, hostileFocus{}} {
		eachStrategy(t, p, func(t *testing.T, name string, make func() crawler.Strategy) {
			s := make()
			for _, a := range crawl {
				a.Lease.Score, a.Lease.Parent = math.NaN(), strings.Repeat("x", webgraph.MaxURL)
				checkVerdict(t, strategytest.Visit(t, s, a))
			}
		})
	}
}

func TestSuiteManyLinks(t *testing.T) {
	const links = 100_000
	page := manyLinks(t, links)
	eachStrategy(t, fullParts(), func(t *testing.T, name string, make func() crawler.Strategy) {
		v := strategytest.Visit(t, make(), page)
		checkVerdict(t, v)
		if n := len(v.Forward) + len(v.Rescore); n > 2*links+crawler.DefaultMaxForward {
			t.Errorf("%d candidates of a page of %d links", n, links)
		}
	})
}

func TestSuiteConcurrentVisits(t *testing.T) {
	crawl := suiteCrawl(t)
	eachStrategy(t, fullParts(), func(t *testing.T, name string, make func() crawler.Strategy) {
		s := make()
		var wait sync.WaitGroup
		for w := range 4 {
			wait.Go(func() {
				for i := range crawl {
					v, err := s.Visit(context.Background(), crawl[(i+w*7)%len(crawl)])
					if err != nil {
						t.Error(err)
					}
					if v.Backward != nil {
						v.Backward([]webgraph.Link{{Source: "http://hub.example/page"}})
					}
				}
			})
		}
		wait.Wait()
	})
}
