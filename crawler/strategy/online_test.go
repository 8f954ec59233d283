package strategy

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/svm"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/crawler/strategy/internal/strategytest"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func newOnlineOf(t *testing.T, name string) *onlineLearner {
	t.Helper()
	s, err := New(name, part.Parts{Judge: strategytest.Typed{}, Learner: svm.Linear{}})
	if err != nil {
		t.Fatal(err)
	}
	return s.(*onlineLearner)
}

// follow visits a page of lists, whose links named "call …" lead to calls and those named "pet …"
// do not. It visits enough targets for a training. It returns all links that were rescored.
func follow(t *testing.T, s *onlineLearner) (rescored []crawler.Candidate) {
	t.Helper()
	var links []string
	for i := range 2 * learningLimit {
		links = append(links, fmt.Sprintf("http://c%d.example/a Call %d", i, i), fmt.Sprintf("http://p%d.example/a Pet %d", i, i))
	}
	const hub = "http://hub.example/"
	strategytest.Visit(t, s, strategytest.Arrive(t, hub, "cfp_list", links...))
	for i := range learningLimit {
		kind := "c"
		if i%2 == 1 {
			kind = "p"
		}
		a := strategytest.Arrive(t, fmt.Sprintf("http://%s%d.example/a", kind, i), map[string]string{"c": "cfp", "p": "other"}[kind])
		a.Lease.How, a.Lease.Parent = crawler.Forward, hub
		rescored = append(rescored, strategytest.Visit(t, s, a).Rescore...)
	}
	return rescored
}

func TestOnlineLearnsWhatLinksLeadTo(t *testing.T) {
	for _, name := range []string{"online", "online-levels"} {
		t.Run(name, func(t *testing.T) {
			s := newOnlineOf(t, name)
			before := strategytest.Visit(t, s, strategytest.Arrive(t, "http://x.example/", "cfp", "http://n.example/a Call", "http://m.example/a Pet")).Forward
			if before[0].Score != before[1].Score {
				t.Errorf("before training the links score %v and %v, want the relevance of their page", before[0].Score, before[1].Score)
			}
			rescored := strategytest.Scores(follow(t, s))
			if s.state.Links == nil {
				t.Fatal("not trained")
			}
			if call, pet := rescored["http://c40.example/a"], rescored["http://p40.example/a"]; call <= pet {
				t.Errorf("waiting links rescored to %v for a call, %v for a pet", call, pet)
			}
			after := strategytest.Visit(t, s, strategytest.Arrive(t, "http://y.example/", "other", "http://k.example/b Call", "http://l.example/b Pet")).Forward
			if after[0].Score <= after[1].Score || after[0].Score > 1 || after[1].Score < 0 {
				t.Errorf("after training the links score %v and %v, want that to a call first, within 0 and 1", after[0].Score, after[1].Score)
			}
			if want := fmt.Sprintf("online: p=%.2f by anchor 'call'", after[0].Score); after[0].Why != want {
				t.Errorf("why %q, want %q", after[0].Why, want)
			}
		})
	}
}

// online-warm goes by the link model before it has learnt, and by the mean of both later.
func TestOnlineWarm(t *testing.T) {
	s, err := New("online-warm", part.Parts{Judge: strategytest.Typed{}, Learner: svm.Linear{}, Links: strategytest.FlatLinks{}})
	if err != nil {
		t.Fatal(err)
	}
	page := strategytest.Arrive(t, "http://x.example/", "other", "http://n.example/a Call", "http://m.example/a Pet")
	before := strategytest.Scores(strategytest.Visit(t, s, page).Forward)
	if call, pet := before["http://n.example/a"], before["http://m.example/a"]; math.Abs(call-0.9) > 1e-9 || math.Abs(pet-0.1) > 1e-9 {
		t.Errorf("before training the links score %v and %v, want what the link model gives: 0.9 and 0.1", call, pet)
	}
	follow(t, s.(*onlineLearner))
	for _, c := range strategytest.Visit(t, s, strategytest.Arrive(t, "http://y.example/", "other", "http://k.example/b Call", "http://l.example/b Pet")).Forward {
		model := map[string]float64{"Call": 0.9, "Pet": 0.1}[c.Anchor]
		if learnt := 2*c.Score - model; !(learnt >= 0 && learnt <= 1) || learnt == model {
			t.Errorf("%s scores %.3f after training, want the mean of the link model's %.1f and another number", c.Anchor, c.Score, model)
		}
	}
}

// A link two steps before a call has a quarter of the value of a link to it, and no backlinks are queried.
func TestQLearning(t *testing.T) {
	s := newOnlineOf(t, "q-learning")
	if v := strategytest.Visit(t, s, strategytest.Arrive(t, "http://x.example/", "cfp")); v.Back != 0 {
		t.Errorf("%d backlinks asked for", v.Back)
	}
	for i := range 30 {
		kinds := []struct{ url, pageType, link, anchor string }{
			{"http://a%d.example/", "other", "http://b%d.example/", "garden"},
			{"http://b%d.example/", "other", "http://c%d.example/", "flower"},
			{"http://c%d.example/", "other", "http://d%d.example/", "seed"},
			{"http://d%d.example/", "cfp", "http://e%d.example/", "stone"},
			{"http://e%d.example/", "other", "", ""},
		}
		for j, k := range kinds {
			var links []string
			if k.link != "" {
				links = []string{fmt.Sprintf(k.link, i) + " " + k.anchor}
			}
			a := strategytest.Arrive(t, fmt.Sprintf(k.url, i), k.pageType, links...)
			a.Lease.How = crawler.Forward
			if j > 0 {
				a.Lease.Parent = fmt.Sprintf(kinds[j-1].url, i)
			}
			strategytest.Visit(t, s, a)
		}
	}
	got := strategytest.Scores(strategytest.Visit(t, s, strategytest.Arrive(t, "http://z.example/", "other",
		"http://1.example/ seed", "http://2.example/ flower", "http://3.example/ garden", "http://4.example/ stone")).Forward)
	call, one, two, none := got["http://1.example/"], got["http://2.example/"], got["http://3.example/"], got["http://4.example/"]
	if !(call > one && one > two && two > none) || call < 0.7 || one < 0.3 || one > 0.7 || none > 0.2 {
		t.Errorf("links 0, 1, 2 and more steps before a call score %.2f %.2f %.2f %.2f", call, one, two, none)
	}
}

// A hub is a page that links to a call and has another link that led to one. An off-topic link keeps the same
// share of its score when it is scored again as when it was found.
func TestOnlineRescoresByTopic(t *testing.T) {
	s := newOnlineOf(t, "online")
	s.Focus = elsewhere{}
	rescored := follow(t, s)
	if len(rescored) == 0 {
		t.Fatal("nothing rescored")
	}
	for _, c := range rescored {
		if c.Score > part.OffTopic {
			t.Errorf("%s rescored to %v; what is off the topic keeps %v of its score", c.URL, c.Score, part.OffTopic)
		}
	}
}

func TestOnlineLearnsHubs(t *testing.T) {
	s := newOnlineOf(t, "online")
	var back []webgraph.Link
	for i := range 2 * learningLimit {
		back = append(back, webgraph.Link{Source: fmt.Sprintf("http://h%d.example/events", i)}, webgraph.Link{Source: fmt.Sprintf("http://h%d.example/shop", i)})
	}
	strategytest.Visit(t, s, strategytest.Arrive(t, "http://x.example/", "cfp")).Backward(back)
	for i := range learningLimit {
		for _, kind := range []string{"events", "shop"} {
			page := fmt.Sprintf("http://h%d.example/%s", i, kind)
			child := fmt.Sprintf("http://h%d.example/%s/1", i, kind)
			hub := strategytest.Arrive(t, page, "other", child+" One")
			hub.Lease.How, hub.Lease.Parent = crawler.Back, "http://x.example/"
			strategytest.Visit(t, s, hub)
			a := strategytest.Arrive(t, child, map[string]string{"events": "cfp", "shop": "other"}[kind])
			a.Lease.How, a.Lease.Parent = crawler.Forward, page
			strategytest.Visit(t, s, a)
		}
	}
	got, _ := strategytest.Visit(t, s, strategytest.Arrive(t, "http://y.example/", "cfp")).Backward([]webgraph.Link{
		{Source: "http://z.example/events"}, {Source: "http://z.example/shop"},
	})
	if got[0].Score <= got[1].Score {
		t.Errorf("backlinks score %v and %v, want the hub first", got[0].Score, got[1].Score)
	}
}

// A call two links behind a page is known there, and no further.
func TestLevels(t *testing.T) {
	e, notes := newExamples(), []crawler.Note{}
	for i, call := range []bool{false, false, false, true} {
		a := crawler.Arrival{Lease: crawler.Lease{Candidate: crawler.Candidate{URL: fmt.Sprint("p", i), Parent: fmt.Sprint("p", i-1), How: crawler.Forward}}}
		e.addExample(a, waitingLink{}, call, &notes)
	}
	var got []int
	for _, x := range e.all {
		got = append(got, x.Level)
	}
	if diff := cmp.Diff([]int{noLevel, 2, 1, 0}, got); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
}

// Waiting links and training examples are bounded, and the notes contain the same.
func TestOnlineIsBounded(t *testing.T) {
	e, w := newExamples(), newWaitingLinks()
	kept := map[string]bool{}
	keep := func(notes []crawler.Note) {
		for _, n := range notes {
			if kept[n.Key] = len(n.Value) > 0; !kept[n.Key] {
				delete(kept, n.Key)
			}
		}
	}
	for i := range maxExamples + 7 {
		var notes []crawler.Note
		e.addExample(crawler.Arrival{Lease: crawler.Lease{Candidate: crawler.Candidate{URL: fmt.Sprint("p", i)}}}, waitingLink{}, false, &notes)
		keep(notes)
	}
	if len(e.all) != maxExamples || len(e.number) != maxExamples || len(kept) != maxExamples {
		t.Errorf("%d examples of %d pages, %d notes; want %d", len(e.all), len(e.number), len(kept), maxExamples)
	}
	clear(kept)
	for i := range maxRemembered + 7 {
		var notes []crawler.Note
		w.addLink(fmt.Sprint("l", i), waitingLink{}, &notes)
		keep(notes)
	}
	if len(w.number) != maxRemembered || len(w.links) != maxRemembered || len(kept) != maxRemembered {
		t.Errorf("%d links, %d places, %d notes; want %d", len(w.number), len(w.links), len(kept), maxRemembered)
	}
}

// Rescoring many links takes several pages, and ends.
func TestRescoringIsBounded(t *testing.T) {
	s := newOnlineOf(t, "online")
	const links = 2*maxRescored + 10
	var notes []crawler.Note
	for i := range links {
		s.waiting.addLink(fmt.Sprint("http://w.example/", i), waitingLink{Words: []uint32{uint32(i)}}, &notes)
	}
	total := len(follow(t, s))
	for range 3 {
		total += len(strategytest.Visit(t, s, strategytest.Arrive(t, "http://me.example/", "other")).Rescore)
	}
	if total < links {
		t.Errorf("%d links rescored of %d that wait", total, links)
	}
	if n := len(strategytest.Visit(t, s, strategytest.Arrive(t, "http://me.example/", "other")).Rescore); n != 0 {
		t.Errorf("%d links rescored after the end", n)
	}
}

func TestLinkClassifierSurvivesItsNote(t *testing.T) {
	s := newOnlineOf(t, "online")
	follow(t, s)
	b, err := json.Marshal(s.state.Links)
	if err != nil {
		t.Fatal(err)
	}
	var again linkClassifier
	if err := json.Unmarshal(b, &again); err != nil {
		t.Fatal(err)
	}
	words := componentIndexes([]linkWord{newLinkWord("anchor", "call"), newLinkWord("url", "a")})
	if want, got := s.state.Links.bestProbability(words), again.bestProbability(words); want != got {
		t.Errorf("score %v after a round trip, %v before", got, want)
	}
}

func TestOnlineRefusesBrokenNotes(t *testing.T) {
	for key, value := range map[string]string{
		"waiting/x":   `{"N":1,"Words":[3,1]}`,
		"waiting/y":   `{"N":1,"Words":[999999999]}`,
		"example/1":   `{"Level":9}`,
		"example/2":   `{"Words":[2,1]}`,
		"state/":      `{"Links":{"Rows":[],"Bias":[]}}`,
		"state/ ":     `{"Links":{"Dims":2,"Rows":[{"Index":[5],"Value":[1]}],"Bias":[0],"Platt":[{},{}]}}`,
		"cursor/":     `"x"`,
		"next/broken": `{`,
	} {
		if err := newOnlineOf(t, "online").RestoreNotes([]crawler.Note{{Key: key, Value: []byte(value)}}); err == nil {
			t.Errorf("%s: %s is taken", key, value)
		}
	}
	s := newOnlineOf(t, "online")
	far := fmt.Sprintf(`{"End":%d,"Cursor":-5}`, math.MaxInt)
	if err := s.RestoreNotes([]crawler.Note{{Key: "state/", Value: []byte(far)}, {Key: "next/", Value: []byte("99999999999")}, {Key: "waiting/x", Value: []byte(`{"N":-7}`)}}); err != nil {
		t.Fatal(err)
	}
	if len(s.waiting.links) > maxSpan || s.state.End > s.waiting.nextIndex() {
		t.Errorf("%d places, rescoring up to %d", len(s.waiting.links), s.state.End)
	}
}

func TestNeighborhoods(t *testing.T) {
	a := strategytest.ArrivalOf(t, "http://me.example/", `<p>See the <a href="http://x.example/2027/cfp.html">Call for Papers</a> of the meeting`)
	var got []string
	for _, w := range neighborhoods(a.Tree)[0].words {
		got = append(got, w.block+":"+w.word)
	}
	for _, want := range []string{"anchor:call", "anchor:paper", "url:cfp", "around:meet"} {
		if !slices.Contains(got, want) {
			t.Errorf("words %q, want %s among them", got, want)
		}
	}
}

// BenchmarkOnline scores the links of a page: about 80,000 a second of a core's
// time (AMD EPYC, 2026-11-21).
func BenchmarkOnline(b *testing.B) {
	made, err := New("online", part.Parts{Judge: strategytest.Typed{}, Learner: svm.Linear{}})
	if err != nil {
		b.Fatal(err)
	}
	s := made.(*onlineLearner)
	var examples []classify.Example
	page := manyLinks(b, 1000)
	for i, n := range neighborhoods(page.Tree) {
		examples = append(examples, classify.Example{X: linkVector(componentIndexes(n.words)), Class: i % 2})
	}
	if s.state.Links, err = trainLinks(b.Context(), s.Learner, []string{"other", "call"}, examples); err != nil {
		b.Fatal(err)
	}
	n := 0
	for b.Loop() {
		v, err := s.Visit(b.Context(), page)
		if err != nil {
			b.Fatal(err)
		}
		n += len(v.Forward)
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "links/s")
}
