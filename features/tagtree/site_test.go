package tagtree

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// conferencePage is page n of a conference's site.
func conferencePage(t testing.TB, n int, own string) *Tree {
	t.Helper()
	const menu = "<div><h3><a href=/>Owls</a></h3><p><a href=/index.html>Owls of<br>all Kinds</a><p><a href=/venue>Trento</a><p><a href=http://maps.example.org/>On the map</a><p><a href=/cfp>Call for Papers</a><p><a href=/c>Committee <b>of all</b></a>" +
		"<p><a href=/dates>Deadline: 1 May</a><p>Submission ends on 1 May<p>Trento, Italy</div>"
	p := &webgraph.Page{URL: fmt.Sprintf("http://conf.example.org/%d", n), Header: http.Header{}}
	p.Body = []byte("<title>Owls in Trento</title><body>" + menu + "<div>" + own + "</div><p><a href=mail>Write to us</a>")
	tree, err := Parse(p)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func ownText(n int) string {
	return fmt.Sprintf("<p>Page number %d is about owls of the kind %d and <a href=/k%d>what they call</a>.<p><a href=/r>Read more</a>", n, n, n)
}

// marked returns the texts of the blocks of t that s makes navigation of.
func marked(s *Site, t *Tree) []string {
	kinds := make([]AreaKind, len(t.blocks))
	s.markRepeatedMenus(t, kinds)
	var texts []string
	for i, k := range kinds {
		if k == Navigation {
			texts = append(texts, t.blocks[i].Text)
		}
	}
	return texts
}

func TestSiteMarksRepeatedLinks(t *testing.T) {
	s := NewSite()
	var trees []*Tree
	for i := range 4 {
		tree := conferencePage(t, i, ownText(i))
		trees = append(trees, tree)
		if got := marked(s, tree); i < minRepeats && got != nil {
			t.Errorf("%v marked after %d pages", got, i)
		}
		s.Add(tree)
	}
	want := []string{"Call for Papers", "Committee of all", "Read more", "Write to us"}
	for _, tree := range append(trees, conferencePage(t, 9, ownText(9))) {
		if diff := cmp.Diff(want, marked(s, tree)); diff != "" {
			t.Errorf("%s: %s", tree.Page.URL, diff)
		}
		a := tree.AnalysisAt(s)
		checkAnalysis(t, tree, a, true)
		for i, b := range tree.Blocks() {
			if slices.Contains(want, b.Text) && a.Areas[a.AreaOfBlock(i)].Kind != Navigation {
				t.Errorf("%q is %s", b.Text, a.Areas[a.AreaOfBlock(i)].Kind)
			}
		}
	}
	for i := range 4 {
		s.Add(plainPage(t, i))
	}
	if got := marked(s, trees[0]); got != nil {
		t.Errorf("%v marked, which half of the pages hold", got)
	}
}

// plainPage is a page without the menu.
func plainPage(t testing.TB, n int) *Tree {
	t.Helper()
	tree, err := Parse(&webgraph.Page{URL: fmt.Sprintf("http://conf.example.org/plain/%d", n), Body: fmt.Appendf(nil, "<p>%d", n), Header: http.Header{}})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// Years of a committee whose pages differ in little: their common text is their subject.
func TestSiteLeavesVersionsOfAPageAlone(t *testing.T) {
	var committee strings.Builder
	for i := range 20 {
		fmt.Fprintf(&committee, "<p><a href=/p>Anna Bird-%c</a><p>University of %c", 'a'+i, 'A'+i)
	}
	s := NewSite()
	for i := range 6 {
		s.Add(conferencePage(t, i, fmt.Sprintf("<h1>Committee %d</h1>", i)+committee.String()))
	}
	if got := marked(s, conferencePage(t, 2, committee.String())); got != nil {
		t.Errorf("%v marked", got)
	}
}

func TestSiteCountsAPageOnce(t *testing.T) {
	s := NewSite()
	for range 5 {
		s.Add(conferencePage(t, 1, ownText(1)))
	}
	s.Add(conferencePage(t, 1, ownText(2)))
	s.Add(conferencePage(t, 2, ownText(1)))
	if s.Pages() != 1 {
		t.Errorf("%d pages, want 1: others have its address or its text", s.Pages())
	}
	for _, n := range s.repeats {
		if n != 1 {
			t.Errorf("a block of one page was counted %d times", n)
		}
	}
}

func TestSiteAveragesTellTheKind(t *testing.T) {
	const sentences = "Some of what there is to say of all that owls say. Much more of it stands elsewhere. "
	tree := conferencePage(t, 0, "<p>"+strings.Repeat(sentences+sentences+"See <a href=/more>what else owls say</a> to us. ", 6))
	mine := sizeOf(tree.Analysis().mainValues())
	hubs, articles := NewSite(), NewSite()
	for range 1000 {
		hubs.hub.addSize(mine)
		articles.info.addSize(mine)
	}
	for _, tt := range []struct {
		like *Site
		want PageKind
	}{{hubs, HubPage}, {articles, InfoPage}} {
		if got := tree.AnalysisAt(tt.like).Kind; got != tt.want {
			t.Errorf("a page of size %v is %s, want %s of averages %v", mine, got, tt.want, tt.like.mixedAverages())
		}
	}
}

func TestAveragesThatTellNothing(t *testing.T) {
	s := NewSite()
	for range 1000 {
		s.hub.addSize(textSize{text: 20, ratio: 0})
		s.info.addSize(textSize{text: 5, ratio: 9})
	}
	a := s.mixedAverages()
	if a.hub.text != mainAverages.hub.text || a.info.text != mainAverages.info.text || a.info.ratio < 8 {
		t.Errorf("averages %v of a site whose hubs have more text than its articles", a)
	}
}

func TestMeanSize(t *testing.T) {
	var s sizeSum
	if got := s.meanSize(textSize{8, 2}); got != (textSize{8, 2}) {
		t.Errorf("without pages %v", got)
	}
	for range priorPages {
		s.addSize(textSize{12, 3})
	}
	if got, want := s.meanSize(textSize{8, 2}), (textSize{10, 2.5}); got != want {
		t.Errorf("with as many pages as the prior counts for: %v, want %v", got, want)
	}
}

func TestSiteIsTheSameInAnyOrder(t *testing.T) {
	var trees []*Tree
	for i := range 12 {
		trees = append(trees, conferencePage(t, i, strings.Repeat(ownText(i), 1+i*i)))
	}
	forth, together := NewSite(), NewSite()
	for _, tree := range trees {
		forth.Add(tree)
	}
	var wg sync.WaitGroup
	for _, tree := range slices.Backward(trees) {
		wg.Go(func() {
			together.Add(tree)
			tree.AnalysisAt(together)
		})
	}
	wg.Wait()
	if forth.mixedAverages() != together.mixedAverages() || together.Pages() != 12 {
		t.Errorf("averages %v and %v of %d pages", forth.mixedAverages(), together.mixedAverages(), together.Pages())
	}
	for _, tree := range trees {
		if diff := cmp.Diff(areasOf(tree.AnalysisAt(forth)), areasOf(tree.AnalysisAt(together))); diff != "" {
			t.Error(diff)
		}
	}
}

func TestSiteLimits(t *testing.T) {
	s := NewSite()
	big := func(n int) *Tree {
		var b strings.Builder
		for i := range MaxBlocks {
			fmt.Fprintf(&b, "<p>%d %d", n, i)
		}
		tree, err := Parse(&webgraph.Page{URL: fmt.Sprint("http://a.example.org/", n), Body: []byte(b.String()), Header: http.Header{}})
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	for i := range maxFingerprints/MaxBlocks + 1 {
		s.Add(big(i))
	}
	if len(s.repeats) != maxFingerprints {
		t.Errorf("%d fingerprints, want %d", len(s.repeats), maxFingerprints)
	}
	s = NewSite()
	for i := range maxSitePages + 5 {
		s.Add(plainPage(t, i))
	}
	if s.Pages() != maxSitePages || len(s.seen) != 2*maxSitePages {
		t.Errorf("%d pages, %d remembered", s.Pages(), len(s.seen))
	}
}
