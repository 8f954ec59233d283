package strategy

import (
	"fmt"
	"math"
	"testing"

	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/crawler/strategy/internal/strategytest"
)

// A perfect judge knows the calls and nothing else, whatever the model returns.
func TestPerfectJudge(t *testing.T) {
	j := ExperimentalJudge{Judge: strategytest.Typed{}, Calls: map[string]string{"http://a.example/": CallPage, "http://m.example/": part.MailPage}}
	for _, tt := range []struct {
		url, model, want string
		call             bool
	}{
		{"http://a.example/", "cfp", CallPage, true},
		{"http://a.example/", part.ListPage, CallPage, true},
		{"http://a.example/", "homepage", CallPage, true},
		{"http://m.example/", "other", part.MailPage, true},
		{"http://b.example/", "cfp", "cfp_list", false}, // the first of the types that are equally likely
		{"http://b.example/", part.MailPage, "cfp_list", false},
		{"http://b.example/", "homepage", "homepage", false},
	} {
		v, call := (&part.Parts{Judge: j}).Judged(strategytest.Arrive(t, tt.url, tt.model))
		relevance := 0.0
		if tt.call {
			relevance = 1
		}
		if call != tt.call || v.Target != tt.call || v.PageType != tt.want || v.Relevance != relevance {
			t.Errorf("%s, of type %s by the model: call %v, %+v", tt.url, tt.model, call, v)
		}
		said, sum := j.JudgePage(strategytest.Arrive(t, tt.url, tt.model).Tree), 0.0
		for _, p := range said.PageTypeScores {
			sum += p
		}
		if math.Abs(sum-1) > 1e-9 || said.PageTypeScores[said.PageType] <= 0 {
			t.Errorf("%s: probabilities of page types are %v", tt.url, said.PageTypeScores)
		}
	}
}

// Noise inverts the decision on the given share of pages: the same pages for one seed, others for another.
func TestNoiseOfTheJudge(t *testing.T) {
	const pages = 4000
	wrong := func(noise float64, seed uint64, calls map[string]string) (calledWrong, leftWrong int, which string) {
		j := ExperimentalJudge{Judge: strategytest.Typed{}, Calls: calls, Noise: noise, Seed: seed}
		for i := range pages {
			kind := [...]string{"cfp", "homepage"}[i%2]
			a := strategytest.Arrive(t, fmt.Sprintf("http://p%d.example/", i), kind)
			v, call := (&part.Parts{Judge: j}).Judged(a)
			if call == (kind == "cfp") {
				continue
			}
			which += fmt.Sprint(i, " ")
			if call {
				calledWrong++
				if v.Relevance < 0.5 {
					t.Fatalf("a page taken for a call has relevance %v", v.Relevance)
				}
			} else {
				leftWrong++
				if v.Relevance > 0.5 || v.PageType == CallPage {
					t.Fatalf("a call not recognised is %+v", v)
				}
			}
		}
		return calledWrong, leftWrong, which
	}
	if a, b, _ := wrong(0, 1, nil); a+b > 0 {
		t.Errorf("without noise %d + %d pages are judged otherwise", a, b)
	}
	a, b, first := wrong(0.1, 1, nil)
	if math.Abs(float64(a)-200) > 50 || math.Abs(float64(b)-200) > 50 {
		t.Errorf("of 2,000 pages each %d are taken for calls and %d calls are not recognised, want about 200", a, b)
	}
	calls := map[string]string{}
	for i := 0; i < pages; i += 2 {
		calls[fmt.Sprintf("http://p%d.example/", i)] = CallPage
	}
	if _, _, again := wrong(0.1, 1, calls); again != first {
		t.Error("the same seed gives other errors with a perfect judge")
	}
	if _, _, other := wrong(0.1, 2, nil); other == first {
		t.Error("another seed gives the same errors")
	}
	if a, b, _ := wrong(1, 1, nil); a+b != pages {
		t.Errorf("with noise 1 only %d pages are judged otherwise", a+b)
	}
}
