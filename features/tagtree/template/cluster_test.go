package template

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"

	"github.com/google/go-cmp/cmp"
)

func TestClustersOpenWhereTheTemplateChanges(t *testing.T) {
	talk := shapeFrom(t, "body(div.top(a(#)) div.talk(h1(#) p(#) ul(li(#))))")
	more := shapeFrom(t, "body(div.top(a(#)) div.talk(h1(#) p(# b(#)) ul(li(#))))")
	list := shapeFrom(t, "body(div.top(a(#)) table(tr(td(a(#)) td(#))))")
	fresh := shapeFrom(t, "body(main(article.talk(h1(#) section(p(#))) aside(p(#))))")
	var c Clusters
	for _, step := range []struct {
		url    string
		shape  *Shape
		id     int
		opened bool
	}{
		{"https://conf.example/talks/1", talk, 1, true},
		{"https://conf.example/talks/2", more, 1, false},
		{"https://conf.example/talks", list, 2, true},
		{"https://conf.example/talk-of-the-year", talk, 1, false}, // the pattern is another, the template is not
		{"https://conf.example/talks/3", fresh, 3, true},
		{"https://conf.example/talks/4", fresh, 3, false},
		{"https://conf.example/talks/5", talk, 1, false},
	} {
		k, opened := c.Add(step.url, step.shape)
		if k.ID != step.id || opened != step.opened {
			t.Errorf("%s went to cluster %d, opened %v, want %d, %v", step.url, k.ID, opened, step.id, step.opened)
		}
	}
	if got := c.PatternOf(c.All()[0]); got != "conf.example/talks/#" {
		t.Errorf("pattern %q", got)
	}
	data, err := json.Marshal(c.All())
	if err != nil {
		t.Fatal(err)
	}
	var list2 []*Cluster
	if err := json.Unmarshal(data, &list2); err != nil {
		t.Fatal(err)
	}
	var again Clusters
	again.Restore(append(list2, nil, &Cluster{ID: 9}, &Cluster{ID: 1, URLs: []string{"x"}, Exemplars: []*Shape{talk}}))
	if k, d := again.Find("https://conf.example/talks/6", fresh); k == nil || k.ID != 3 || d != 0 {
		t.Errorf("after Restore: %+v, %v", k, d)
	}
	if k, opened := again.Add("https://conf.example/map", shapeFrom(t, "body(img map(area))")); !opened || k.ID != 4 {
		t.Errorf("after Restore cluster %d is the next", k.ID)
	}
	if diff := cmp.Diff(4, len(again.All())); diff != "" {
		t.Error(diff)
	}
}

func TestClustersAreBounded(t *testing.T) {
	c := Clusters{Options: ClusterOptions{Max: 3}}
	odd := func(i int) *Shape { return shapeFrom(t, fmt.Sprintf("body(a%[1]d(b%[1]d) c%[1]d)", i)) }
	for range 2 {
		c.Add("https://conf.example/often/1", odd(0))
		c.Add("https://conf.example/often/2", odd(0))
	}
	for i := range 20 {
		c.Add(fmt.Sprintf("https://conf.example/x%d", i), odd(i+1))
	}
	var ids []int
	for _, k := range c.All() {
		ids = append(ids, k.ID)
	}
	if diff := cmp.Diff([]int{1, 20, 21}, ids); diff != "" {
		t.Error(diff)
	}
	often := c.All()[0]
	if often.Pages != 2 || len(often.Exemplars) != 1 {
		t.Errorf("%d pages, %d exemplars, want 2 and 1", often.Pages, len(often.Exemplars))
	}
	for i := range 3 * MaxClusterURLs {
		c.Add(fmt.Sprintf("https://conf.example/often/%d", i), odd(0))
	}
	if len(often.URLs) != MaxClusterURLs {
		t.Errorf("%d URLs are kept", len(often.URLs))
	}
}

func TestTHOR(t *testing.T) {
	var pages []*tagtree.Node
	for i := range 12 {
		markup := "<ul><li>a<li>b<li>c</ul><table><tr><td>x</table>"
		if i%3 == 0 {
			markup = "<h1>a</h1><p>b <b>c</b><p>d"
		}
		tree, err := tagtree.Parse(tagtreetest.Page(markup, "text/html"))
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, tree.Outline())
	}
	got := THOR{Seed: 7}.Cluster(pages)
	for i := range got {
		if (got[i] == got[0]) != (i%3 == 0) {
			t.Fatalf("clusters %v", got)
		}
	}
	if diff := cmp.Diff(got, THOR{Seed: 7}.Cluster(pages)); diff != "" {
		t.Errorf("a second run differs: %s", diff)
	}
	if got := (THOR{}).Cluster(nil); len(got) != 0 {
		t.Errorf("no pages: %v", got)
	}
}
