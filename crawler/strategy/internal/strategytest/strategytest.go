// Package strategytest holds judges, models and arrivals for the tests of strategies.
package strategytest

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// PageTypes returns the types that Typed knows, as frequent as each other.
func PageTypes() *classify.Meta {
	classes, err := classify.Classes(classify.TaskPageType)
	if err != nil {
		panic(err)
	}
	return &classify.Meta{Task: classify.TaskPageType, Classes: classes, Counts: make([]int, len(classes))}
}

// Typed judges a page by its title: "cfp", "cfp_list", "homepage", …. It is not sure of types.
type Typed struct{}

// JudgePage implements part.Judge.
func (Typed) JudgePage(t *tagtree.Tree) classify.Judgement {
	j := classify.Judgement{PageType: t.Title(), PageTypeScores: map[string]float64{}}
	types := PageTypes().Classes
	for _, name := range types {
		j.PageTypeScores[name] = 0.7 / float64(len(types))
	}
	j.PageTypeScores[j.PageType] += 0.3
	if j.PageType == "cfp" {
		j.IsCFP, j.CFPScore = true, 0.9
	}
	return j
}

// Wordy is a topic whose cosine is 1 for texts that hold "call".
type Wordy struct{}

// PageCosine implements part.Topic.
func (Wordy) PageCosine(t *tagtree.Tree) float64 { return Wordy{}.TextCosine(t.Text()) }

// TextCosine implements part.Topic.
func (Wordy) TextCosine(s string) float64 {
	if strings.Contains(strings.ToLower(s), "call") {
		return 1
	}
	return 0
}

// Arrive makes the arrival of a page of that type with links "anchor url".
func Arrive(t *testing.T, url, pageType string, links ...string) crawler.Arrival {
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

// Visit returns the verdict of a strategy on an arrival.
func Visit(t *testing.T, s crawler.Strategy, a crawler.Arrival) crawler.Verdict {
	t.Helper()
	v, err := s.Visit(context.Background(), a)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// FlatLinks is a link model that knows the links whose anchors hold "call".
type FlatLinks struct{}

// LinkProbabilities implements part.LinkModel.
func (FlatLinks) LinkProbabilities(t *tagtree.Tree) []float64 {
	p := make([]float64, len(t.Links()))
	for i, l := range t.Links() {
		p[i] = 0.1 + 0.8*Wordy{}.TextCosine(l.Anchor)
	}
	return p
}

// ArrivalOf makes the arrival of a page with that body.
func ArrivalOf(t testing.TB, url, body string) crawler.Arrival {
	t.Helper()
	tree, err := tagtree.Parse(&webgraph.Page{
		URL: url, Status: 200, Body: []byte(body), Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return crawler.Arrival{
		Lease:   crawler.Lease{Candidate: crawler.Candidate{URL: url, How: crawler.Seed}},
		Outcome: crawler.Outcome{Fate: crawler.Fetched, Status: 200}, Tree: tree,
	}
}

// Scores maps the candidates' URLs to their scores.
func Scores(cs []crawler.Candidate) map[string]float64 {
	m := map[string]float64{}
	for _, c := range cs {
		m[c.URL] = c.Score
	}
	return m
}

// FrontierScores are the scores of waiting links in a frontier, by URL.
type FrontierScores map[string]float64

// Propose adds links; one that waits keeps the higher score.
func (s FrontierScores) Propose(cs []crawler.Candidate) {
	for _, c := range cs {
		s[c.URL] = max(s[c.URL], c.Score)
	}
}

// Set sets the scores of links that were scored again.
func (s FrontierScores) Set(cs []crawler.Candidate) { maps.Copy(s, Scores(cs)) }

// Changed returns the links with another score than that of the frontier.
func (s FrontierScores) Changed(cs []crawler.Candidate) (out []crawler.Candidate) {
	for _, c := range cs {
		if c.Score != s[c.URL] {
			out = append(out, c)
		}
	}
	return out
}
