package tagtree

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

func TestPageKind(t *testing.T) {
	of := meanSizes{hub: textSize{4, 1}, info: textSize{10, 4}}
	tests := []struct {
		name string
		v    Values
		want PageKind
	}{
		// text log2(16) = 4 and ratio log2(1 + 15/15) = 1: the average hub page.
		{"average hub page", Values{CleanText: 15, LinkText: 15, NumLinks: 3}, HubPage},
		// text 10 and ratio log2(1 + 1020/68) = 4, nearly.
		{"average informational page", Values{CleanText: 1020, LinkText: 68, NumLinks: 3}, InfoPage},
		// text 7, half way; ratio log2(1 + 127/27) = 2.5, a bit more than half way.
		{"half way", Values{CleanText: 127, LinkText: 27, NumLinks: 3}, InfoPage},
		// text 10, all the way; ratio log2(1 + 1023/1023) = 1, none: 1/3.
		{"much text, many links", Values{CleanText: 1023, LinkText: 1023, NumLinks: 40}, MixedPage},
		// text 4, none; ratio log2(1 + 15/1) = 4, all the way: 2/3.
		{"little text, fewer links", Values{CleanText: 15, LinkText: 1, NumLinks: 2}, InfoPage},
		{"little text, no links", Values{CleanText: 3}, InfoPage},
		{"pictures only", Values{NumLinks: 1}, HubPage},
		{"nothing", Values{}, InfoPage},
	}
	for _, tt := range tests {
		if got := pageKind(tt.v, of); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.name, got, tt.want)
		}
	}
}

// TestKindsOfCorpora recomputes mainAverages and rawAverages on a sample, and how often pages have
// the kind expected of their type. Lists of calls should be hubs or mixed, articles informational,
// calls and conferences no hubs. With -v it prints both. The averages may drift by a factor of 1.4
// before they are wrong.
func TestKindsOfCorpora(t *testing.T) {
	pages := labelledPages(t)
	pages["article"] = articlePages(t)
	var main, raw meanSizes
	for _, tt := range []struct {
		pageType string
		wrong    []PageKind
		floor    float64 // share of pages that our analyzer gets right
	}{
		{"cfp_list", []PageKind{InfoPage}, .8},
		{"cfp", []PageKind{HubPage}, .9},
		{"conference", []PageKind{HubPage}, .8},
		{"mail_announcement", []PageKind{HubPage}, .8},
		{"article", []PageKind{HubPage, MixedPage}, .9},
	} {
		var areas, whole textSize
		var ours, papers, n float64
		for _, tree := range sample(t, pages[tt.pageType]) {
			a := tree.Analysis()
			areas, whole, n = areas.plus(sizeOf(a.mainValues()), 1), whole.plus(sizeOf(a.Values), 1), n+1
			if !slices.Contains(tt.wrong, a.Kind) {
				ours++
			}
			if !slices.Contains(tt.wrong, AnalyzeBouras(tree, BourasOptions{}).Kind) {
				papers++
			}
		}
		t.Logf("%s: of %v pages %.2f right by ours, %.2f by the paper's analyzer; means %.2f of areas, %.2f of pages",
			tt.pageType, n, ours/n, papers/n, textSize{}.plus(areas, 1/n), textSize{}.plus(whole, 1/n))
		if ours < tt.floor*n {
			t.Errorf("%.2f of the pages of type %s are right, want %.2f", ours/n, tt.pageType, tt.floor)
		}
		if tt.pageType == "cfp_list" {
			main.hub, raw.hub = main.hub.plus(areas, 1/n), raw.hub.plus(whole, 1/n)
		} else {
			main.info, raw.info = main.info.plus(areas, 1/n/4), raw.info.plus(whole, 1/n/4)
		}
	}
	t.Logf("main %.1f, raw %.1f", main, raw)
	for _, p := range [][2]textSize{
		{main.hub, mainAverages.hub}, {main.info, mainAverages.info}, {raw.hub, rawAverages.hub}, {raw.info, rawAverages.info},
	} {
		if math.Abs(p[0].text-p[1].text) > .5 || math.Abs(p[0].ratio-p[1].ratio) > .5 {
			t.Errorf("an average of %.1f stands in the code as %.1f", p[0], p[1])
		}
	}
}

func (s textSize) plus(v textSize, factor float64) textSize {
	return textSize{s.text + v.text*factor, s.ratio + v.ratio*factor}
}

// sample parses at most about 100 of pages.
func sample(t *testing.T, pages []*webgraph.Page) []*Tree {
	t.Helper()
	var trees []*Tree
	for i := 0; i < len(pages); i += 1 + len(pages)/100 {
		tree, err := Parse(pages[i])
		if err != nil {
			t.Fatal(err)
		}
		trees = append(trees, tree)
	}
	return trees
}

func articlePages(t *testing.T) []*webgraph.Page {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(golden.SharedPath(t, "corpora/articles/html"), "*.html.gz"))
	if err != nil {
		t.Fatal(err)
	}
	var pages []*webgraph.Page
	for _, name := range files {
		pages = append(pages, &webgraph.Page{URL: "http://article.example.org/" + filepath.Base(name), Body: golden.Gunzip(t, name)})
	}
	return pages
}

// labelledPages returns the labelled pages by type.
func labelledPages(t *testing.T) map[string][]*webgraph.Page {
	t.Helper()
	labels, err := os.ReadFile(golden.SharedPath(t, "corpora/pages/labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	types := make(map[string]string)
	for line := range strings.Lines(string(labels)) {
		if f := strings.Split(line, "\t"); len(f) > 1 {
			types[f[0]] = f[1]
		}
	}
	pages := make(map[string][]*webgraph.Page)
	for p, err := range warc.Pages(golden.SharedPath(t, "corpora/pages/pages.warc.gz")) {
		if err != nil {
			t.Fatal(err)
		}
		pages[types[p.URL]] = append(pages[types[p.URL]], p)
	}
	return pages
}
