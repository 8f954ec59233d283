package train

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func TestAddressKey(t *testing.T) {
	for url, want := range map[string]string{
		"https://www.Conf.example/2027/index.html": "conf.example/2027",
		"http://conf.example/2027/":                "conf.example/2027",
		"http://conf.example/cfp.html":             "conf.example/cfp.html",
		"no address":                               "",
	} {
		if got := addressKey(url); got != want {
			t.Errorf("%q: %q, want %q", url, got, want)
		}
	}
}

// linkCorpus reads the links of sites whose home pages link to three kinds of targets. They are the
// site's own call and its near namesakes, unlabelled pages, and the next site's call.
func linkCorpus(t *testing.T, sites int) *corpus {
	t.Helper()
	pages := &corpus{task: classify.TaskLink, classes: []string{"no_call", "call"}, links: &linkSet{targets: map[string]datasets.Label{}}}
	var labels []datasets.Label
	var trees []*tagtree.Tree
	for i := range sites {
		for _, page := range [][2]string{
			{"index.html", fmt.Sprintf(`<h1>Gardens %d</h1><p><a href="/">Here</a> <a href="cfp.html">Call for papers</a> <a href="cfp.html">Call for papers</a>
				<a href="http://www.conf%d.example/cfp.html">Submit</a> <a href="hotel.html">Hotels</a> <a href="http://conf%d.example/cfp.html">The next call</a>`, i, i, (i+1)%sites) + strings.Repeat(`<a href="map.html">Map</a>`, 2)},
			{"cfp.html", `<h1>Call for papers</h1><p>Papers on gardens are due in May. <a href="hotel.html">Hotels</a>`},
			{"hotel.html", `<h1>Hotels</h1><p>Sleep here.` + manyLinks(2*maxUnlabelled)},
		} {
			url := fmt.Sprintf("http://conf%d.example/%s", i, page[0])
			tree, err := tagtree.Parse(&webgraph.Page{URL: url, Status: 200, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(page[1])})
			if err != nil {
				t.Fatal(err)
			}
			labels = append(labels, datasets.Label{URL: url, PageType: "conference", IsCFP: page[0] == "cfp.html", Group: fmt.Sprintf("g%d", i)})
			trees = append(trees, tree)
		}
	}
	pages.links.addTargets(labels)
	for i, l := range labels {
		pages.addPage(l, trees[i])
	}
	pages.sizes = []int{len(labels)}
	c, err := pages.links.asCorpus(pages)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func manyLinks(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `<a href="room%d.html">Room %d</a> `, i, i)
	}
	return b.String()
}

func TestLinksOfLabelledPages(t *testing.T) {
	c := linkCorpus(t, 1)
	var judged, aside []string
	for i, l := range c.labels {
		line := fmt.Sprintf("%s %s", c.classes[c.class[i]], l.URL)
		if i < c.numJudgedOnly {
			judged = append(judged, line)
		} else {
			aside = append(aside, line)
		}
	}
	want := []string{
		"call http://conf0.example/cfp.html", "call http://conf0.example/cfp.html", // by two anchors
		"no_call http://conf0.example/hotel.html", "call http://conf0.example/cfp.html", // which is the next site's too
		"no_call http://conf0.example/hotel.html",
	}
	if diff := cmp.Diff(want, judged); diff != "" {
		t.Errorf("judged (-want +got):\n%s", diff)
	}
	if len(aside) != 1+maxUnlabelled || !strings.HasPrefix(aside[0], "no_call http://conf0.example/map.html") {
		t.Errorf("learnt from, not judged: %q", aside)
	}
	if got := c.numJudged(); got != len(want) {
		t.Errorf("%d are judged, want %d", got, len(want))
	}
}

// No link that a fold's model learns from is on a page of the fold or leads to one.
func TestLinksLeakNoFold(t *testing.T) {
	c := linkCorpus(t, 12)
	folds, err := c.assignFolds(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	pageFolds, err := c.pages.splitIntoFolds(3, 1)
	if err != nil {
		t.Fatal(err)
	}
	table, err := c.pages.foldTable(pageFolds, 3)
	if err != nil {
		t.Fatal(err)
	}
	held := map[int]bool{}
	for i, l := range c.labels {
		source, _ := table.FoldOf(c.pageURL(i))
		target, _ := table.FoldOf(l.URL)
		if folds[i] != source || folds[i] != target {
			t.Errorf("link %s → %s of fold %d: its page is of fold %d, its target of %d", c.pageURL(i), l.URL, folds[i], source, target)
		}
		held[folds[i]] = true
	}
	if len(held) != 3 {
		t.Errorf("links in %d folds of 3", len(held))
	}
}
