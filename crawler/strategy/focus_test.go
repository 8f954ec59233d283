package strategy

import (
	"math"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/crawler/strategy/internal/strategytest"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// starry is on the topic where the host of a page, or a text, names stars.
type starry struct{}

func (starry) PageShare(t *tagtree.Tree) (float64, bool) {
	p := starry{}.TextShare(t.Page.URL)
	return p, p > 0.5
}

func (starry) TextShare(s string) float64 {
	if strings.Contains(s, "stars") {
		return 0.8
	}
	return 0
}

func newFocused(t *testing.T, name string) crawler.Strategy {
	t.Helper()
	p := fullParts()
	p.Focus = starry{}
	s, err := New(name, p)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTargetsAreCallsOnTheTopic(t *testing.T) {
	for _, name := range Names() {
		for _, tt := range []struct {
			url, pageType string
			target        bool
			score         float64
		}{
			{"http://stars.example/", "cfp", true, 0.8},
			{"http://stars.example/me", "homepage", false, 0.8},
			{"http://cats.example/", "cfp", false, 0},
		} {
			v := strategytest.Visit(t, newFocused(t, name), strategytest.Arrive(t, tt.url, tt.pageType))
			if v.Target != tt.target || v.TopicScore != tt.score {
				t.Errorf("%s, %s: target %v with topic score %v, want %v with %v", name, tt.url, v.Target, v.TopicScore, tt.target, tt.score)
			}
			if tt.pageType == "cfp" && v.Relevance != 0.9 {
				t.Errorf("%s, %s: relevance %v, want what the judge says of calls of all topics", name, tt.url, v.Relevance)
			}
		}
	}
}

// Links keep the share of their score that their page or their anchor, whichever
// is likelier, has of the topic.
func TestLinksFollowTheTopic(t *testing.T) {
	const on = part.OffTopic + (1-part.OffTopic)*0.8
	for _, name := range []string{"best-first", "best-first-16", "shark-search", "focused-svm", "hub", ContextGraph, "back-and-forward"} {
		for _, tt := range []struct {
			url    string
			shares []float64
		}{
			{"http://stars.example/", []float64{on, on}},
			{"http://cats.example/", []float64{on, part.OffTopic}},
		} {
			page := strategytest.Arrive(t, tt.url, "cfp_list", "http://x.example/cfp call on stars", "http://y.example/cfp call on cats")
			all, some := strategytest.Visit(t, newStrategy(t, name), page), strategytest.Visit(t, newFocused(t, name), page)
			for i, share := range tt.shares {
				if got, want := some.Forward[i].Score, share*all.Forward[i].Score; math.Abs(got-want) > 1e-9 {
					t.Errorf("%s, %s: link %d scores %v, want %v", name, tt.url, i, got, want)
				}
			}
		}
	}
}

// Who links to a call of another topic may know ours, but comes later.
func TestBacklinksFollowTheTopic(t *testing.T) {
	hub := []webgraph.Link{{Source: "http://hub.example/conferences.html"}}
	s := newFocused(t, "back-and-forward")
	off := strategytest.Visit(t, s, strategytest.Arrive(t, "http://cats.example/", "cfp"))
	on := strategytest.Visit(t, s, strategytest.Arrive(t, "http://stars.example/", "cfp"))
	if off.Back == 0 || on.Back == 0 {
		t.Fatalf("backlinks asked: %d off, %d on the topic", off.Back, on.Back)
	}
	first, _ := off.Backward(hub)
	second, _ := on.Backward(hub)
	if !(first[0].Score < 0.2 && second[0].Score > 0.7) {
		t.Errorf("the hub scores %v from off, %v from on the topic", first[0].Score, second[0].Score)
	}
}

// wordModel is a linear model of one word a class.
func wordModel(t *testing.T, classes, words []string) *classify.Model {
	t.Helper()
	docs := make([]*features.Document, len(words))
	for i, w := range words {
		docs[i] = features.ReadText(w)
	}
	v, err := features.FitVectorizer(features.Options{Blocks: []string{features.Body}, MinDocs: 1, MaxTerms: 10}, nil, docs)
	if err != nil {
		t.Fatal(err)
	}
	linear := &classify.Linear{Weights: make([][]float64, len(classes)), Bias: make([]float64, len(classes))}
	platt := make([]classify.Platt, len(classes))
	for k := range classes {
		linear.Weights[k] = make([]float64, v.Size())
		linear.Bias[k] = -1
		for _, ix := range v.Vector(docs[k]).Index {
			linear.Weights[k][ix] = 4
		}
		platt[k] = classify.Platt{A: -1}
	}
	return &classify.Model{Meta: classify.Meta{Classes: classes}, Vectorizer: v, Classifier: linear, Platt: platt, Threshold: 0.5}
}

func TestFocusOnAClass(t *testing.T) {
	many := wordModel(t, []string{"physics", "biology", classify.Other}, []string{"quantum", "cell", "sundries"})
	two := wordModel(t, []string{"off_topic", "on_topic"}, []string{"cell", "quantum"})
	for name, m := range map[string]*classify.Model{"physics": many, "on_topic": two} {
		f, err := NewFocus(m, name)
		if err != nil {
			t.Fatal(err)
		}
		for text, want := range map[string]bool{"quantum": true, "cell": false, "nothing known": false} {
			tree, err := tagtree.Parse(&webgraph.Page{URL: "http://a.example/", Body: []byte("<html><p>" + text)})
			if err != nil {
				t.Fatal(err)
			}
			p, on := f.PageShare(tree)
			if on != want || p < 0 || p > 1 || (p > 0.5) != want {
				t.Errorf("%s, %q: share %v, on %v", name, text, p, on)
			}
			if got := f.TextShare(text); got != p {
				t.Errorf("%s, %q: share of the text %v, of the page %v", name, text, got, p)
			}
		}
	}
	for _, name := range []string{classify.Other, "magic"} {
		if _, err := NewFocus(many, name); err == nil || !strings.Contains(err.Error(), "physics, biology") {
			t.Errorf("NewFocus(%q): %v, want an error that names the topics", name, err)
		}
	}
	if _, err := NewFocus(two, "off_topic"); err == nil {
		t.Error("a focus off the topic")
	}
}
