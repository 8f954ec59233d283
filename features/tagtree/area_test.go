package tagtree

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/htmltree"

	"github.com/google/go-cmp/cmp"
)

func TestAreas(t *testing.T) {
	const text = "Owls of all kinds, their flight and their calls are what we meet for in Trento, whatever the weather."
	tree := parse(t, "<nav><ul><li><a href=a>Home</a><li><a href=b>Dates</a></ul></nav>"+
		"<div><h1>Owls</h1><p>"+text+"</p></div>")
	a := tree.Analysis()
	want := []shown{
		{"html/body/nav", Navigation, 36, 2, "Home|Dates"}, // li 4·2 and 5·2, ul (8+10)·2
		{"html/body/div", Info, float64(4 + len(text)), 0, "Owls|" + text},
	}
	if diff := cmp.Diff(want, areasOf(a)); diff != "" {
		t.Error(diff)
	}
	if a.Text() != "Owls\n"+text {
		t.Errorf("informational text %q", a.Text())
	}
	if a.AreaOfBlock(2) != 1 || a.AreaOfLink(1) != 0 {
		t.Errorf("block 2 in area %d, link 1 in area %d", a.AreaOfBlock(2), a.AreaOfLink(1))
	}
	if tree.Analysis() != a {
		t.Error("analysed twice")
	}
}

func TestAreasOfPictures(t *testing.T) {
	a := parse(t, "<div><a href=a><img></a></div><div><a href=b><img></a></div>").Analysis()
	if diff := cmp.Diff([]shown{{"html/body", Hub, 0, 2, ""}}, areasOf(a)); diff != "" {
		t.Error(diff)
	}
	if a.Kind != HubPage || a.AreaOfLink(1) != 0 {
		t.Errorf("kind %s, link in area %d", a.Kind, a.AreaOfLink(1))
	}
}

// Malformed pages, and the result for each.
func TestAreasOfBadInput(t *testing.T) {
	sentence := "Owls of all kinds are called for by us, late as ever. "
	deepMenu := strings.Repeat("<div>", 380) + strings.Repeat("<p>"+sentence+"<nav><a href=x>y</a></nav>", 5_000)
	tests := []struct {
		name, html  string
		areas       int // at most
		first, last string
	}{
		{"unclosed and crossing tags", "<b><p>one <i>two</b> three</p></i><table><td>four<div>five</table></div>six<li>seven<a href=x>eight<p>nine</a>", 9, "one two three", "nine"},
		{"tables fifty deep", strings.Repeat("<table><tr><td>"+sentence, 50), 1, sentence, sentence},
		{"a million siblings", strings.Repeat("<i>x </i><p>"+sentence, 500_000), 1, "x", "x"},
		{"a text of 10 MB", "<p>" + strings.Repeat(sentence, 10<<20/len(sentence)), 1, sentence, sentence},
		{"all script", strings.Repeat("<script>if (a<b) document.write('<p>"+sentence+"')</script>", 10_000), 0, "", ""},
		{"an area a block, all deep down", deepMenu, 10_000, sentence, "y"},
		{"right to left", "<html dir=rtl lang=he><p>" + strings.Repeat("אנו מזמינים הגשת מאמרים לכנס בנושא ינשופים. ", 9), 1, "אנו מזמינים", "ינשופים."},
		{"Chinese", "<html lang=zh><p>" + strings.Repeat("我们诚邀各位学者向本次会议提交论文。", 9), 1, "我们诚邀", "提交论文。"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tree := parse(t, tt.html) // checks both analyses
			a := tree.Analysis()
			if len(a.Areas) > tt.areas || len(a.Areas) == 0 && len(tree.Blocks()) > 0 {
				t.Fatalf("%d areas, want at most %d", len(a.Areas), tt.areas)
			}
			size := 0
			for _, area := range a.Areas {
				size += len(area.Text)
				if len(area.Path) > htmltree.MaxPath {
					t.Fatalf("path of %d bytes", len(area.Path))
				}
			}
			if size > len(tree.Text()) {
				t.Errorf("areas of %d bytes of a text of %d", size, len(tree.Text()))
			}
			if text := tree.Text(); !strings.HasPrefix(text, strings.TrimSpace(tt.first)) || !strings.Contains(text, strings.TrimSpace(tt.last)) {
				t.Errorf("text begins %.40q and ends %q", text, text[max(0, len(text)-40):])
			}
			for _, o := range []BourasOptions{{}, {ThrIV: .5, ThrHV: .5}, {ThrIV: 1e300, ThrHV: 1e300}} {
				b := AnalyzeBouras(tree, o)
				checkAnalysis(t, tree, b, false)
				if len(b.Areas) > len(tree.Blocks())+len(tree.Links()) {
					t.Errorf("%d areas of the paper's at %+v", len(b.Areas), o)
				}
			}
		})
	}
}

// An area's text is a part of the page's, and blocks of one area cost nothing
// more.
func TestAreasShareText(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "<p>Paragraph %d of a page whose areas hold no copy of its text.", i)
	}
	tree := parse(t, b.String())
	if n := testing.AllocsPerRun(5, func() { tree.analyzeAreas(nil) }); n > 200 {
		t.Errorf("%v allocations for one area of 200 blocks", n)
	}
}
