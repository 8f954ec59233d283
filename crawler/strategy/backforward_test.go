package strategy

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/crawler/strategy/internal/strategytest"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// many returns n links "anchor url" of hosts h0.example, h1.example, ….
func many(n int) []string {
	links := make([]string, n)
	for i := range links {
		links[i] = fmt.Sprintf("http://h%d.example/ h%d", i, i)
	}
	return links
}

// parentPage is a page that was found by its link to a call.
func parentPage(t *testing.T, url, pageType string, links ...string) crawler.Arrival {
	t.Helper()
	a := strategytest.Arrive(t, url, pageType, links...)
	a.Lease.How = crawler.Back
	return a
}

// What a sample links to is not sampled in turn: the paper samples parents only.
func TestSamplesAreNotSampled(t *testing.T) {
	for _, name := range []string{"back-and-forward", "back-and-forward-samples", "back-and-forward-words", "back-and-forward-model"} {
		a := parentPage(t, "http://me.example/", "homepage", many(20)...)
		if v := strategytest.Visit(t, newStrategy(t, name), a); len(v.Forward) != sampleSize {
			t.Errorf("%s of a parent: %d links, want %d samples", name, len(v.Forward), sampleSize)
		}
		a.Lease.How = crawler.Forward
		if v := strategytest.Visit(t, newStrategy(t, name), a); len(v.Forward) != 0 {
			t.Errorf("%s of a page that a link led to: %d links, want none", name, len(v.Forward))
		}
	}
}

// With words, and with a model, the promising links are the samples, and go first.
func TestPromiseChoosesSamples(t *testing.T) {
	links := append(many(20), "http://z.example/ call")
	for _, name := range []string{"back-and-forward-words", "back-and-forward-model"} {
		s := newStrategy(t, name)
		samples := strategytest.Scores(strategytest.Visit(t, s, parentPage(t, "http://me.example/", "homepage", links...)).Forward)
		if samples["http://z.example/"] == 0 {
			t.Errorf("%s: samples %v, want the call among them", name, samples)
		}
		for _, c := range strategytest.Visit(t, s, parentPage(t, "http://list.example/", "cfp_list", links...)).Forward {
			if c.URL != "http://z.example/" && c.Score >= samples["http://z.example/"] {
				t.Errorf("%s: %s scores %.2f, the call as a sample %.2f", name, c.URL, c.Score, samples["http://z.example/"])
			}
		}
		back := s.(crawler.Ranker)
		cs, _ := back.Rank("", crawler.Verdict{}, []webgraph.Link{{Source: "http://a.example/~me"}, {Source: "http://b.example/conferences.html"}})
		if !(cs[1].Score > cs[0].Score) {
			t.Errorf("%s: a page of conferences scores %.2f, another %.2f", name, cs[1].Score, cs[0].Score)
		}
	}
}

// The link model alone orders links, and backlinks are queried only by strategies whose name says so.
func TestLinkModelStrategies(t *testing.T) {
	for name, back := range map[string]bool{"link-model": false, "link-model-back": true} {
		s := newStrategy(t, name)
		v := strategytest.Visit(t, s, parentPage(t, "http://a.example/", "cfp", "http://b.example/ cat", "http://c.example/ call"))
		if got := strategytest.Scores(v.Forward); !(got["http://c.example/"] > got["http://b.example/"]) {
			t.Errorf("%s: scores %v, want the call first", name, got)
		}
		if (v.Back > 0) != back {
			t.Errorf("%s asks for %d backlinks", name, v.Back)
		}
		if v := strategytest.Visit(t, s, parentPage(t, "http://a.example/2", "cfp")); v.Back > 0 {
			t.Errorf("%s asks twice for the backlinks of a site", name)
		}
	}
	for _, name := range []string{"link-model", "link-model-back", "back-and-forward-model"} {
		p := fullParts()
		p.Links = nil
		if _, err := New(name, p); err == nil {
			t.Errorf("%s without a link model: no error", name)
		}
	}
}

func TestBackAndForwardByPageType(t *testing.T) {
	tests := []struct {
		pageType                  string
		parents, samples, combine string // back, and what becomes of the links
	}{
		{"cfp_list", "all", "sampled", "all"},
		{"mail_announcement", "all", "sampled", "all"},
		{"institution_topic", "all", "sampled", "sampled"},
		{"cfp", "back none", "back sampled", "back sampled"},
		{"conference", "back none", "sampled", "back sampled"},
		{"homepage", "none", "sampled", "sampled"},
		{"weblog", "none", "sampled", "sampled"},
		{"other", "none", "sampled", "sampled"},
	}
	for _, tt := range tests {
		a := parentPage(t, "http://me.example/", tt.pageType, many(20)...)
		for name, want := range map[string]string{
			"back-and-forward-parents": tt.parents, "back-and-forward-samples": tt.samples, "back-and-forward": tt.combine,
		} {
			v := strategytest.Visit(t, newStrategy(t, name), a)
			got := map[int]string{0: "none", sampleSize: "sampled", 20: "all"}[len(v.Forward)]
			if v.Back > 0 {
				got = "back " + got
			}
			if got != want {
				t.Errorf("%s of %s: %s, want %s", name, tt.pageType, got, want)
			}
		}
	}
}

// Links of good parents go before parents, and these before samples.
func TestBackAndForwardRanks(t *testing.T) {
	s := newStrategy(t, "back-and-forward")
	good := strategytest.Visit(t, s, parentPage(t, "http://a.example/", "cfp_list", "http://x.example/ x")).Forward[0]
	back, _ := strategytest.Visit(t, s, parentPage(t, "http://b.example/", "cfp")).Backward([]webgraph.Link{{Source: "http://p.example/", Anchor: "b"}})
	sample := strategytest.Visit(t, s, parentPage(t, "http://c.example/", "homepage", "http://y.example/ y")).Forward[0]
	if !(good.Score > back[0].Score && back[0].Score > sample.Score) {
		t.Errorf("scores %v, %v, %v; want links of good parents, parents, samples", good.Score, back[0].Score, sample.Score)
	}
	for _, c := range []crawler.Candidate{good, back[0], sample} {
		if c.Why == "" {
			t.Errorf("%s is not explained", c.URL)
		}
	}
}

func TestBacklinksAreAskedOnceASite(t *testing.T) {
	s := newStrategy(t, "back-and-forward")
	if v := strategytest.Visit(t, s, parentPage(t, "http://conf.example/cfp", "cfp")); v.Back == 0 {
		t.Error("no backlinks asked of the first call of a site")
	}
	if v := strategytest.Visit(t, s, parentPage(t, "http://www.conf.example/posters", "cfp")); v.Back != 0 {
		t.Error("backlinks asked again of the same site")
	}
}

// homepage has more links than are sampled.
func homepage(t *testing.T) crawler.Arrival {
	return parentPage(t, "http://me.example/", "homepage", many(20)...)
}

func urls(cs []crawler.Candidate) []string {
	var urls []string
	for _, c := range cs {
		urls = append(urls, c.URL)
	}
	return urls
}

func TestSamplesAreDrawnByTheSeed(t *testing.T) {
	draw := func(seed uint64) []string {
		s, err := New("back-and-forward", part.Parts{Judge: strategytest.Typed{}, Seed: seed})
		if err != nil {
			t.Fatal(err)
		}
		return urls(strategytest.Visit(t, s, homepage(t)).Forward)
	}
	if diff := cmp.Diff(draw(1), draw(1)); diff != "" {
		t.Errorf("one seed, two samples:\n%s", diff)
	}
	if slices.Equal(draw(1), draw(2)) && slices.Equal(draw(1), draw(3)) {
		t.Error("three seeds give the same sample")
	}
}

func TestAllLinksAreTakenAfterAHit(t *testing.T) {
	s := newStrategy(t, "back-and-forward")
	samples := urls(strategytest.Visit(t, s, homepage(t)).Forward)
	if v := strategytest.Visit(t, s, parentPage(t, samples[0], "conference")); len(v.Forward) != 0 {
		t.Errorf("a miss proposed %v", urls(v.Forward))
	}
	hit := strategytest.Visit(t, s, parentPage(t, samples[1], "cfp"))
	got := append(urls(hit.Forward), samples...)
	slices.Sort(got)
	var want []string
	for _, l := range many(20) {
		url, _, _ := strings.Cut(l, " ")
		want = append(want, url)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("samples and links after a hit (-want +got):\n%s", diff)
	}
	if c := hit.Forward[0]; c.Parent != "http://me.example/" || c.Score != rankGood {
		t.Errorf("candidate %+v, want the parent that holds it, and the rank of good parents", c)
	}
	if v := strategytest.Visit(t, s, parentPage(t, samples[2], "cfp")); len(v.Forward) != 0 {
		t.Errorf("a second hit proposed the links again: %v", urls(v.Forward))
	}
}

func TestAPageIsDiscardedAfterAllMisses(t *testing.T) {
	s := newStrategy(t, "back-and-forward")
	for _, u := range urls(strategytest.Visit(t, s, homepage(t)).Forward) {
		if v := strategytest.Visit(t, s, parentPage(t, u, "other")); len(v.Forward)+len(v.Drop) != 0 {
			t.Errorf("%s: a miss proposed %v and dropped %v", u, urls(v.Forward), v.Drop)
		}
	}
	if n := len(s.(*backAndForward).pages); n != 0 {
		t.Errorf("%d pages still being sampled, want 0", n)
	}
}

// A sample that was fetched before counts without another fetch; the page that
// led here does not.
func TestKnownPagesAreSamples(t *testing.T) {
	s := newStrategy(t, "back-and-forward")
	for _, l := range many(20) {
		url, _, _ := strings.Cut(l, " ")
		strategytest.Visit(t, s, parentPage(t, url, "cfp"))
	}
	a := homepage(t)
	a.Lease.Parent = "http://h0.example/"
	if got := len(strategytest.Visit(t, s, a).Forward); got != 19-sampleSize {
		t.Errorf("%d links taken of a page whose samples are known calls, want the %d others", got, 19-sampleSize)
	}
	a = parentPage(t, "http://you.example/", "homepage", "http://h0.example/ h0")
	a.Lease.Parent = "http://h0.example/"
	if v := strategytest.Visit(t, s, a); len(v.Forward) != 0 {
		t.Errorf("the only link leads back, yet %v proposed", urls(v.Forward))
	}
}

// Samples that never come do not fill the memory, and the notes tell it.
func TestSamplingIsBounded(t *testing.T) {
	s := newStrategy(t, "back-and-forward").(*backAndForward)
	kept := map[string]bool{}
	for i := range maxSampling + 5 {
		a := homepage(t)
		a.Lease.URL = fmt.Sprintf("http://p%d.example/", i)
		a.Outcome.FinalURL = ""
		for _, n := range strategytest.Visit(t, s, a).Notes {
			if !strings.HasPrefix(n.Key, "sampled/") {
				continue
			}
			if kept[n.Key] = len(n.Value) > 0; !kept[n.Key] {
				delete(kept, n.Key)
			}
		}
	}
	if len(s.pages) != maxSampling || len(kept) != maxSampling || kept["sampled/http://p4.example/"] || !kept["sampled/http://p5.example/"] {
		t.Errorf("%d pages, %d notes kept; want %d, the oldest five gone", len(s.pages), len(kept), maxSampling)
	}
}

// TestRecallGoesOn interrupts a crawl after every page and compares with one
// that was never interrupted.
func TestRecallGoesOn(t *testing.T) {
	samples := urls(strategytest.Visit(t, newStrategy(t, "back-and-forward"), homepage(t)).Forward)
	crawl := []crawler.Arrival{
		homepage(t), parentPage(t, samples[0], "other"), parentPage(t, "http://x.example/cfp", "cfp"),
		parentPage(t, samples[1], "other"), parentPage(t, "http://x.example/posters", "cfp"),
		parentPage(t, samples[2], "cfp"), parentPage(t, "http://you.example/", "weblog", many(9)...),
	}
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
		if err := resumed.RestoreNotes(kept); err != nil {
			t.Fatal(err)
		}
		want, got := strategytest.Visit(t, whole, a), strategytest.Visit(t, resumed, a)
		if want.Back != got.Back {
			t.Fatalf("page %d: %d and %d backlinks asked for", i, want.Back, got.Back)
		}
		for _, n := range want.Notes {
			notes[n.Key] = n
		}
		if diff := cmp.Diff(want.Forward, got.Forward); diff != "" {
			t.Errorf("page %d (-whole +resumed):\n%s", i, diff)
		}
	}
	if err := newStrategy(t, "back-and-forward").(crawler.Rememberer).RestoreNotes([]crawler.Note{{Key: "sampled/x", Value: []byte("{")}}); err == nil {
		t.Error("Recall of a broken note gave no error")
	}
}
