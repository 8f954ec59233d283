package classify

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
)

// saying is a judgement that gives a type the probability p and the other types equal shares of the rest.
func saying(m *Model, pageType string, p float64) Judgement {
	j := Judgement{PageType: pageType, PageTypeScores: map[string]float64{}}
	for _, class := range m.Classes {
		j.PageTypeScores[class] = (1 - p) / float64(len(m.Classes)-1)
	}
	j.PageTypeScores[pageType] = p
	return j
}

// evenModel is a page-type model whose classes were trained on as many pages each.
func evenModel(t *testing.T) *Model {
	m := *testModel(t, TaskPageType)
	m.Counts = make([]int, len(m.Classes))
	for k := range m.Counts {
		m.Counts[k] = 100
	}
	return &m
}

func TestHostContextOfNothing(t *testing.T) {
	m := evenModel(t)
	c, alone := NewHostContext(m.Meta), saying(m, "weblog", 0.5)
	for _, u := range []string{"http://a.example/", "mail-0001", ""} {
		c.Add(u, alone) // the judgement contains nothing about its neighbours
		if got := c.Judge(u, alone); !reflect.DeepEqual(got, alone) {
			t.Errorf("%q: %+v", u, got)
		}
	}
	if got := c.Judge("http://b.example/", Judgement{}); !reflect.DeepEqual(got, Judgement{}) {
		t.Errorf("a page that was not judged: %+v", got)
	}
}

func TestHostContextDecidesDoubt(t *testing.T) {
	m := evenModel(t)
	c := NewHostContext(m.Meta)
	for n := range 10 {
		c.Add(fmt.Sprintf("http://me.example/%d", n), saying(m, "homepage", 0.9))
		c.Add(fmt.Sprintf("http://conf.example/%d", n), saying(m, "conference", 0.9))
	}
	doubtful := saying(m, "weblog", 0.3)
	doubtful.PageTypeScores["homepage"] = 0.25
	if got := c.Judge("http://www.me.example/x", doubtful); got.PageType != "homepage" {
		t.Errorf("a doubtful page of a person's site is %s: %v", got.PageType, got.PageTypeScores)
	}
	if got := c.Judge("http://me.example/x", saying(m, "weblog", 0.97)); got.PageType != "weblog" {
		t.Errorf("the host alone decided: %v", got.PageTypeScores)
	}
	// Only the page itself shows which role it has on the site of an event.
	call := saying(m, "cfp", 0.5)
	call.IsCFP, call.CFPScore = true, 0.8
	got := c.Judge("http://conf.example/call", call)
	if got.PageType != "cfp" || !got.IsCFP || got.CFPScore != 0.8 {
		t.Errorf("a call among pages of a conference: %+v", got)
	}
	was, is := call.PageTypeScores, got.PageTypeScores
	if a, b := was["cfp"]/was["conference"], is["cfp"]/is["conference"]; a/b < 0.999 || a/b > 1.001 {
		t.Errorf("cfp to conference was %v, is %v", a, b)
	}
}

// Folders of a shared host differ.
func TestHostContextOfSharedHost(t *testing.T) {
	m := evenModel(t)
	c := NewHostContext(m.Meta)
	for n := range 200 {
		c.Add(fmt.Sprintf("http://uni.example/dept/%d", n), saying(m, "institution_topic", 0.9))
	}
	for n := range 10 {
		c.Add(fmt.Sprintf("http://uni.example/~jo/%d", n), saying(m, "homepage", 0.9))
	}
	doubtful := saying(m, "homepage", 0.35)
	doubtful.PageTypeScores["institution_topic"] = 0.35
	for u, want := range map[string]string{"http://uni.example/~jo/x": "homepage", "http://uni.example/dept/x": "institution_topic"} {
		if got := c.Judge(u, doubtful); got.PageType != want {
			t.Errorf("%s is %s, not %s", u, got.PageType, want)
		}
	}
}

// Neither the order of pages nor how often each is added matters; the last judgement of a page counts.
func TestHostContextInAnyOrder(t *testing.T) {
	m := evenModel(t)
	rng := rand.New(rand.NewPCG(1, 2))
	const n = 500
	pages := make([]Judgement, n)
	for i := range pages {
		pages[i] = saying(m, m.Classes[rng.IntN(len(m.Classes))], 0.2+0.7*rng.Float64())
	}
	address := func(i int) string { return fmt.Sprintf("http://a.example/%d/%d", i%3, i) }
	first, second := NewHostContext(m.Meta), NewHostContext(m.Meta)
	for i := range n {
		first.Add(address(i), pages[i])
	}
	for i := range n { // as if the host were of another type when it was first seen
		second.Add(address(i), saying(m, "weblog", 1))
	}
	var all sync.WaitGroup
	for _, part := range [][]int{rng.Perm(n), rng.Perm(n)} {
		all.Go(func() {
			for _, i := range part {
				second.Add(address(i), pages[i])
			}
		})
	}
	all.Wait()
	for i := range n {
		if a, b := first.Judge(address(i), pages[i]), second.Judge(address(i), pages[i]); !reflect.DeepEqual(a, b) {
			t.Fatalf("page %d: %+v, in another order %+v", i, a, b)
		}
	}
}

func TestHostContextIsBounded(t *testing.T) {
	m := evenModel(t)
	c, said := NewHostContext(m.Meta), saying(m, "weblog", 0.9)
	for i := range 100_000 {
		c.Add(fmt.Sprintf("http://a.example/f/%d", i), said)
	}
	for i := range 2 * maxPlaces {
		c.Add(fmt.Sprintf("http://%d.example/", i), said)
	}
	if len(c.places) != maxPlaces || c.recent.Len() != maxPlaces {
		t.Errorf("%d places, %d in use, at most %d are kept", len(c.places), c.recent.Len(), maxPlaces)
	}
	for e := c.recent.Front(); e != nil; e = e.Next() {
		if n := len(e.Value.(*place).pages); n > placeSample {
			t.Fatalf("%d pages of a place", n)
		}
	}
}

// A host of 100,000 pages changes its type from the middle on. Early and late judgements weigh alike,
// and a page with a certain judgement keeps its type.
func TestHostContextOfHostThatChanges(t *testing.T) {
	m := evenModel(t)
	c := NewHostContext(m.Meta)
	for i := range 100_000 {
		c.Add(fmt.Sprintf("http://a.example/%d", i), saying(m, map[bool]string{true: "weblog", false: "homepage"}[i < 50_000], 0.9))
	}
	for _, pageType := range []string{"weblog", "homepage"} {
		doubtful := saying(m, pageType, 0.3)
		doubtful.PageTypeScores["other"] = 0.32
		if got := c.Judge("http://a.example/x", doubtful); got.PageType != pageType {
			t.Errorf("a page that may be a %s is a %s: %v", pageType, got.PageType, got.PageTypeScores)
		}
	}
	if got := c.Judge("http://a.example/x", saying(m, "institution_topic", 0.97)); got.PageType != "institution_topic" {
		t.Errorf("the host alone decided: %v", got.PageTypeScores)
	}
}

// A context restored from the states of another continues as that one: it judges alike, returns the
// same states, and forgets the same places.
func TestHostContextRestored(t *testing.T) {
	m := evenModel(t)
	rng := rand.New(rand.NewPCG(3, 4))
	whole, restored := NewHostContext(m.Meta), NewHostContext(m.Meta)
	kept, forgotten := map[uint64][]byte{}, 0
	for i := range 2 * maxPlaces {
		said := saying(m, m.Classes[rng.IntN(len(m.Classes))], 0.2+0.7*rng.Float64())
		address := fmt.Sprintf("http://%d.example/%d/%d", rng.IntN(maxPlaces/2), rng.IntN(2), rng.IntN(3))
		if i%(maxPlaces/2+1) == 77 { // killed here
			var states []PlaceState
			for key, state := range kept {
				states = append(states, PlaceState{key, state})
			}
			restored = NewHostContext(m.Meta)
			if err := restored.Restore(states); err != nil {
				t.Fatal(err)
			}
		}
		if a, b := whole.Judge(address, said), restored.Judge(address, said); !reflect.DeepEqual(a, b) {
			t.Fatalf("page %d: %+v, restored %+v", i, a, b)
		}
		changed := whole.Add(address, said)
		if again := restored.Add(address, said); !reflect.DeepEqual(changed, again) {
			t.Fatalf("page %d: the states differ: %v, restored %v", i, changed, again)
		}
		for _, s := range changed {
			if kept[s.Key] = s.State; s.State == nil {
				delete(kept, s.Key)
				forgotten++
			}
		}
	}
	if forgotten == 0 || len(kept) != maxPlaces {
		t.Errorf("%d places forgotten, %d kept", forgotten, len(kept))
	}
}

func TestHostContextOfBrokenStates(t *testing.T) {
	m := evenModel(t)
	states := NewHostContext(m.Meta).Add("http://a.example/f/1", saying(m, "weblog", 0.9))
	good := states[1]
	for name, state := range map[string][]byte{
		"empty": {}, "cut": good.State[:len(good.State)-1], "too many pages": slices.Concat(good.State, bytes.Repeat(good.State[9:], placeSample)),
		"a page twice": slices.Concat(good.State, good.State[9:]),
	} {
		c := NewHostContext(m.Meta)
		if err := c.Restore([]PlaceState{states[0], {good.Key, state}}); err == nil {
			t.Errorf("%s: no error", name)
		}
		if n := len(c.places); n != 0 {
			t.Errorf("%s: %d places remembered", name, n)
		}
	}
	other := slices.Clone(good.State)
	other[0]++ // of a model with other kinds
	c := NewHostContext(m.Meta)
	if err := c.Restore([]PlaceState{{good.Key, other}}); err != nil || len(c.places) != 0 {
		t.Errorf("of another model: %v, %d places", err, len(c.places))
	}
	many := make([]PlaceState, 2*maxPlaces)
	for i := range many {
		many[i] = PlaceState{uint64(i), good.State}
	}
	if err := c.Restore(many); err != nil || len(c.places) != maxPlaces || c.recent.Len() != maxPlaces {
		t.Errorf("too many: %v, %d places", err, len(c.places))
	}
}

// Whether a page is a call is judged by the likeliest call of its folder, or of its host without another page in
// the folder. A context without weights for it judges the page by itself.
func TestCallContext(t *testing.T) {
	j, err := NewJudge(testModel(t, TaskCFP), evenModel(t))
	if err != nil {
		t.Fatal(err)
	}
	j.cfp.Threshold = 0.6
	w := CallContext{Bias: 0.5, Own: 1.25, Best: -0.25}
	said := func(p float64) Judgement {
		s := saying(j.pageType, "conference", 0.5)
		s.CFPScore, s.IsCFP = p, p >= 0.6
		return s
	}
	for _, test := range []struct {
		name, page string
		own        float64
		others     map[string]float64
		want       bool
	}{
		{"a doubtful page alone", "http://a.example/x", 0.5, nil, false},
		{"the likeliest of its site", "http://a.example/x", 0.5, map[string]float64{"http://www.a.example/y": 0.01, "http://a.example/z": 0.02}, true},
		{"one is likelier", "http://a.example/x", 0.5, map[string]float64{"http://a.example/y": 0.01, "http://a.example/z": 0.99}, false},
		{"a clear one beside another", "http://a.example/x", 0.95, map[string]float64{"http://a.example/y": 0.99}, true},
		{"a clear one that is no call", "http://a.example/x", 0.05, map[string]float64{"http://a.example/y": 0}, false},
		{"pages of other folders are other sites", "http://pages.example/x/a", 0.5, map[string]float64{"http://pages.example/y/a": 0.99, "http://pages.example/x/b": 0.01}, true},
		{"alone in its folder", "http://a.example/x/a", 0.5, map[string]float64{"http://a.example/y/a": 0.99}, false},
		{"another says no number", "http://a.example/x", 0.5, map[string]float64{"http://a.example/y": math.NaN()}, true},
		{"no number", "http://a.example/x", math.NaN(), map[string]float64{"http://a.example/y": math.NaN()}, false},
	} {
		c, types := NewCallContext(j, w), NewHostContext(j.pageType.Meta)
		alone := said(test.own)
		c.Add(test.page, alone)
		for u, p := range test.others {
			c.Add(u, said(p))
			types.Add(u, said(p))
		}
		got := c.Judge(test.page, alone)
		if got.IsCFP != test.want || got.IsCFP != (got.CFPScore >= 0.6) || got.InContext != (test.others != nil) {
			t.Errorf("%s: %+v", test.name, got)
		}
		if s := types.Judge(test.page, alone); s.IsCFP != alone.IsCFP || !math.IsNaN(test.own) && s.CFPScore != alone.CFPScore {
			t.Errorf("%s, by types alone: %+v", test.name, s)
		}
	}
}
