package strategy

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/crawler/strategy/internal/strategytest"
	"github.com/eventseer/eventseer/features/tagtree"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

var near = cmpopts.EquateApprox(0, 1e-9)

func TestRandomIsDrawnByURLAndSeed(t *testing.T) {
	links := []string{"http://b.example/ b", "http://c.example/ c", "http://d.example/ d"}
	visitWith := func(seed uint64, url string, links []string) map[string]float64 {
		p := fullParts()
		p.Seed = seed
		s, err := New("random", p)
		if err != nil {
			t.Fatal(err)
		}
		return strategytest.Scores(strategytest.Visit(t, s, strategytest.Arrive(t, url, "other", links...)).Forward)
	}
	one := visitWith(1, "http://a.example/", links)
	slices.Reverse(links)
	if diff := cmp.Diff(one, visitWith(1, "http://z.example/", links)); diff != "" {
		t.Errorf("another page and order (-one +other):\n%s", diff)
	}
	if cmp.Equal(one, visitWith(2, "http://a.example/", links)) {
		t.Error("another seed draws the same scores")
	}
	mean := 0.0
	for i := range 10_000 {
		x := uniformDraw(7, fmt.Sprint("http://h.example/", i))
		if x < 0 || x >= 1 {
			t.Fatalf("drew %v", x)
		}
		mean += x / 10_000
	}
	if math.Abs(mean-0.5) > 0.02 {
		t.Errorf("the mean of 10,000 draws is %v, want about .5", mean)
	}
}

func TestSharkSearchFormula(t *testing.T) {
	const page = `<title>x</title><li>A call for you: <a href="http://told.example/">here</a>
		<li><a href="http://call.example/">the call</a> text<li>Nothing <a href="http://cat.example/">cat</a> else`
	s := newStrategy(t, "shark-search")
	got := strategytest.Scores(strategytest.Visit(t, s, strategytest.ArrivalOf(t, "http://a.example/", page)).Forward)
	const inherited = 0.5 * 1 // half of the page's cosine
	want := map[string]float64{
		"http://told.example/": 0.5*inherited + 0.5*0.2,
		"http://call.example/": 0.5*inherited + 0.5*(0.8+0.2),
		"http://cat.example/":  0.5 * inherited,
	}
	if diff := cmp.Diff(want, got, near); diff != "" {
		t.Errorf("scores (-want +got):\n%s", diff)
	}
	orphan := strategytest.ArrivalOf(t, "http://b.example/", `<a href="http://cat.example/">cat</a>`)
	if got := strategytest.Visit(t, s, orphan).Forward[0].Score; got != 0 {
		t.Errorf("a link of a page without topic or parent scores %v, want 0", got)
	}
}

// A page without the topic passes on half of its inherited score.
func TestSharkSearchInherits(t *testing.T) {
	s := newStrategy(t, "shark-search")
	strategytest.Visit(t, s, strategytest.Arrive(t, "http://call.example/", "other", "http://a.example/ call"))
	for i, want := range []float64{0.5 * 0.25, 0.5 * 0.125} {
		a := strategytest.Arrive(t, fmt.Sprintf("http://h%d.example/", i), "other", "http://next.example/ next")
		a.Lease.Parent = []string{"http://call.example/", "http://h0.example/"}[i]
		if got := strategytest.Visit(t, s, a).Forward[0].Score; math.Abs(got-want) > 1e-9 {
			t.Errorf("step %d: the link scores %v, want %v", i, got, want)
		}
	}
}

func TestFocusedSVM(t *testing.T) {
	call, other := []string{"http://b.example/ b"}, []string{"http://c.example/ c"}
	for _, tt := range []struct {
		name, pageType string
		how            crawler.Origin
		links          []string
		want           map[string]float64
	}{
		{"focused-svm", "cfp", crawler.Forward, call, map[string]float64{"http://b.example/": 0.9}},
		{"focused-svm", "other", crawler.Forward, other, map[string]float64{"http://c.example/": 0}},
		{"focused-svm-hard", "cfp", crawler.Forward, call, map[string]float64{"http://b.example/": 0.9}},
		{"focused-svm-hard", "other", crawler.Forward, other, map[string]float64{}},
		{"focused-svm-hard", "other", crawler.Seed, other, map[string]float64{"http://c.example/": 0}},
	} {
		t.Run(tt.name+" "+tt.pageType+" "+string(tt.how), func(t *testing.T) {
			a := strategytest.Arrive(t, "http://a.example/", tt.pageType, tt.links...)
			a.Lease.How = tt.how
			if diff := cmp.Diff(tt.want, strategytest.Scores(strategytest.Visit(t, newStrategy(t, tt.name), a).Forward)); diff != "" {
				t.Errorf("scores (-want +got):\n%s", diff)
			}
		})
	}
}

func TestContextGraphQueues(t *testing.T) {
	score := func(title, text string, p part.Parts) (float64, string) {
		s, err := New(ContextGraph, p)
		if err != nil {
			t.Fatal(err)
		}
		a := strategytest.ArrivalOf(t, "http://a.example/", "<title>"+title+"</title><p>"+text+`</p><a href="http://b.example/">b</a>`)
		c := strategytest.Visit(t, s, a).Forward[0]
		return c.Score, c.Why
	}
	p := fullParts()
	last := math.Inf(1)
	for _, page := range [][2]string{{"cfp", "open"}, {"cfp", "no dates"}, {"conference", ""}, {"homepage", "open"}, {"other", ""}} {
		got, why := score(page[0], page[1], p)
		if got >= last {
			t.Errorf("%v: score %v (%s), want less than %v", page, got, why, last)
		}
		last = got
	}
	past, _ := score("cfp", "past", p)
	call, _ := score("cfp", "", p)
	second, _ := score("homepage", "", p)
	if !(past < call && past > second) {
		t.Errorf("past call %v, want between %v and %v", past, second, call)
	}

	p.Layers = titled{0.39}
	one, why := score("cfp", "open", p)
	two, _ := score("other", "", p)
	if one != two || !strings.Contains(why, "0.39") {
		t.Errorf("with an untrusted model scores %v and %v (%s), want one score and why", one, two, why)
	}
	p.Layers = titled{math.NaN()}
	if UnguidedReason(p) == "" {
		t.Error("a model of unknown accuracy guides")
	}
	p.Layers = nil
	if _, err := New(ContextGraph, p); err == nil || UnguidedReason(p) == "" {
		t.Error("no layer model gave no error")
	}
}

// Links found late are as likely to be next as those found at first.
func TestRandomIsFair(t *testing.T) {
	old := 0
	for seed := range uint64(300) {
		p := fullParts()
		p.Seed = seed
		s, err := New("random", p)
		if err != nil {
			t.Fatal(err)
		}
		web, seeds := map[string][]string{}, []string{}
		for i := range 20 {
			seeds = append(seeds, fmt.Sprintf("http://old%d.example/ o", i))
			web[fmt.Sprintf("http://old%d.example/", i)] = []string{fmt.Sprintf("http://new%d.example/ n", i)}
		}
		web["http://s.example/"] = seeds
		order := crawlBy(t, s, web, func(string) string { return "other" }, "http://s.example/")
		for _, url := range order[1:11] {
			if strings.HasPrefix(url, "http://old") {
				old++
			}
		}
	}
	expected, before, fresh := 0.0, 20.0, 0.0 // of drawing from an urn
	for range 10 {
		p := before / (before + fresh)
		expected += p
		before, fresh = before-p, fresh+p-(1-p)
	}
	if got := float64(old) / 300; math.Abs(got-expected) > 0.25 {
		t.Errorf("%.2f old links among the first ten, want about %.2f", got, expected)
	}
}

// alike is the layer model of a page that fits all layers equally, or belongs to none.
type alike []float64

func (m alike) Layers(*tagtree.Tree) []float64 { return m }
func (alike) Accuracy() float64                { return 1 }

func TestLikeliestLayer(t *testing.T) {
	for _, tt := range []struct {
		p     []float64
		layer int
		other bool
	}{
		{nil, 0, true}, {[]float64{1}, 0, true}, {[]float64{0.5, 0.5}, 0, false},
		{[]float64{0.1, 0.6, 0.3}, 1, false}, {[]float64{0.1, 0.2, 0.7}, 2, true}, {[]float64{math.NaN(), 0.1, 0}, 1, false},
	} {
		if layer, _, other := likeliestLayer(alike(tt.p).Layers(nil)); layer != tt.layer || other != tt.other {
			t.Errorf("likeliest(%v) = %d, other %v; want %d, %v", tt.p, layer, other, tt.layer, tt.other)
		}
	}
}

func TestRecentForgetsTheOldest(t *testing.T) {
	r := part.NewRecent[int](2)
	for i, name := range []string{"a", "b", "a", "c"} {
		want := map[int]string{3: "b"}[i]
		if forgotten := r.Put(name, i); forgotten != want {
			t.Errorf("put %d forgot %q, want %q", i, forgotten, want)
		}
	}
	if x, ok := r.Get("a"); !ok || x != 2 || len(r.Known) != 2 || r.Order.Len() != 2 {
		t.Errorf("a = %v %v, %d known", x, ok, len(r.Known))
	}
}

func TestBecauseFits(t *testing.T) {
	for _, s := range []string{"", "short", strings.Repeat("é", 200), "\xff" + strings.Repeat("会", 60)} {
		got := part.FormatWhy("%s", s)
		if len(got) > crawler.MaxWhy || strings.ContainsRune(got, '\xff') || len(s) < 50 && !strings.HasPrefix(got, s) {
			t.Errorf("because(%q) = %q", s, got)
		}
	}
}
