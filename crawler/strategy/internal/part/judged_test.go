package part

import (
	"fmt"
	"slices"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// titled judges a page by its title, a type in doubt or a call.
type titled struct{ types *classify.Meta }

func (j titled) JudgePage(t *tagtree.Tree) classify.Judgement {
	said := classify.Judgement{PageType: t.Title(), PageTypeScores: map[string]float64{}}
	for _, name := range j.types.Classes {
		said.PageTypeScores[name] = 0.7 / float64(len(j.types.Classes))
	}
	said.PageTypeScores[said.PageType] += 0.3
	if said.PageType == "cfp" {
		said.IsCFP, said.CFPScore = true, 0.9
	}
	return said
}

func (titled) IsRelated(said classify.Judgement) bool { return said.PageTypeScores["conference"] > 0.5 }

// The other pages of a host decide whether a page in doubt is related to an event. Only the page itself decides its
// type, and whether it is a call. A host with a single page changes nothing.
func TestJudgedInContext(t *testing.T) {
	classes, err := classify.Classes(classify.TaskPageType)
	if err != nil {
		t.Fatal(err)
	}
	types := &classify.Meta{Classes: classes, Counts: make([]int, len(classes))}
	arrival := func(url, title string) crawler.Arrival {
		tree, err := tagtree.Parse(&webgraph.Page{URL: url, Status: 200, Body: fmt.Appendf(nil, "<title>%s</title>text", title)})
		if err != nil {
			t.Fatal(err)
		}
		return crawler.Arrival{Tree: tree}
	}
	p := Parts{Judge: titled{types}, PageTypes: types, Hosts: classify.NewHostContext(*types)}
	for i := range 20 {
		for host, pageType := range map[string]string{"conf": "conference", "list": "cfp_list", "me": "homepage"} {
			p.Hosts.Add(fmt.Sprintf("http://%s.example/%d", host, i), classify.Judgement{PageTypeScores: map[string]float64{pageType: 0.9, "other": 0.1}})
		}
	}
	alone := p
	alone.Hosts = nil
	for _, tt := range []struct {
		url, title, pageType string
		call, related        bool
	}{
		{"http://conf.example/x", "conference", "conference", false, true},
		{"http://conf.example/cfp", "cfp", "cfp", true, false},
		{"http://list.example/cfp", "cfp", "cfp", true, false},
		{"http://me.example/cfp", "cfp", "cfp", true, false},
		{"http://me.example/x", "conference", "conference", false, false},
		{"http://new.example/x", "conference", "conference", false, false},
	} {
		a := arrival(tt.url, tt.title)
		v, call := p.Judged(a)
		if v.PageType != tt.pageType || call != tt.call || v.Target != tt.call || v.Related != tt.related {
			t.Errorf("%s: type %s, call %t, target %t, related %t; want %+v", tt.url, v.PageType, call, v.Target, v.Related, tt)
		}
		if w, wasCall := alone.Judged(a); wasCall != call || w.Relevance != v.Relevance || w.PageType != tt.title || len(w.Notes) > 0 {
			t.Errorf("%s, alone: %+v", tt.url, w)
		}
	}
}

// Notes of the hosts restore the context; broken ones are an error that names them.
func TestRecallOfHosts(t *testing.T) {
	classes, err := classify.Classes(classify.TaskPageType)
	if err != nil {
		t.Fatal(err)
	}
	types := &classify.Meta{Classes: classes, Counts: make([]int, len(classes))}
	make := func() *Parts {
		return &Parts{Judge: titled{types}, PageTypes: types, Hosts: classify.NewHostContext(*types)}
	}
	first, second := make(), make()
	tree, err := tagtree.Parse(&webgraph.Page{URL: "http://a.example/f/1", Status: 200, Body: []byte("<title>weblog</title>text")})
	if err != nil {
		t.Fatal(err)
	}
	v, _ := first.Judged(crawler.Arrival{Tree: tree})
	if len(v.Notes) != 2 {
		t.Fatalf("%d notes of a host and a folder", len(v.Notes))
	}
	own := crawler.Note{Key: "mine/x", Value: []byte("1")}
	seen := ""
	if err := second.RecallNotes(append(slices.Clone(v.Notes), own), func(kind, name string, _ []byte) error { seen += kind + " " + name; return nil }); err != nil || seen != "mine x" {
		t.Fatalf("%v, the strategy's own: %q", err, seen)
	}
	tree.Page.URL = "http://a.example/f/2"
	a, _ := first.Judged(crawler.Arrival{Tree: tree})
	b, _ := second.Judged(crawler.Arrival{Tree: tree})
	if !slices.EqualFunc(a.Notes, b.Notes, func(x, y crawler.Note) bool { return x.Key == y.Key && string(x.Value) == string(y.Value) }) {
		t.Errorf("recalled: %v, not %v", b.Notes, a.Notes)
	}
	for _, broken := range []crawler.Note{{Key: "hosts/!", Value: v.Notes[0].Value}, {Key: v.Notes[0].Key, Value: []byte("x")}} {
		if err := make().RestoreNotes([]crawler.Note{broken}); err == nil {
			t.Errorf("note %q: no error", broken.Key)
		}
	}
}
