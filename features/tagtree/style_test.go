package tagtree

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStyle(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{`<p>Plain`, "p"},
		{`<p class="lead  big" style="Color: Red">Styled`, "p.lead.big[color:red]"},
		{`<p><b><font size=4 color=red>All of</font> it</b>`, "p b"},
		{`<p><b><font size=4>All of it</font></b>`, "p b font[4]"},
		{`<p>Not <b>all</b> of it`, "p"},
		{`<div><b>A line</b><br>and more</div>`, "div b|div"},
		{`<h2><a href="/x" class="t">Head</a></h2>`, "h2 a.t"},
		{`<ul><li>One<li class=x>Two</ul>`, "li|li.x"},
		{`<p class="` + strings.Repeat("x", 1000) + `">Long`, "p." + strings.Repeat("x", maxStyle)},
	} {
		tree := parse(t, c.body)
		var got []string
		for i := range tree.Blocks() {
			got = append(got, tree.Style(i))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "|")); diff != "" {
			t.Errorf("%.60s: styles (-want +got):\n%s", c.body, diff)
		}
	}
	plain := parse(t, "Subject: x\n\nonly text")
	for i := range plain.Blocks() {
		if got := plain.Style(i); got != "" {
			t.Errorf("style %q of plain text", got)
		}
	}
}

// Each of many blocks in one element looks at a few nodes of it only: hostile
// pages have hundreds of thousands side by side.
func TestStyleOfManySiblings(t *testing.T) {
	for _, tt := range []struct {
		before int
		want   string
	}{{0, "div b"}, {maxStyleSiblings / 2, "div b"}, {maxStyleSiblings, "div"}} {
		tree := parse(t, "<div>"+strings.Repeat("<hr>", tt.before)+"<b>A line</b></div>")
		if got := tree.Style(0); got != tt.want {
			t.Errorf("behind %d siblings: %q, want %q", tt.before, got, tt.want)
		}
	}
}

func TestTeaser(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"record", `<div><h2><a href="/a">A</a></h2><p>Of a.</p><a href="/a">more</a></div><div><h2><a href="/b">B</a></h2><p>Of b.</p></div>`, "A Of a. more|A Of a. more|B Of b."},
		{"flat", `<h2><a href="/a">A</a></h2><p>Of a.</p><p>And a.</p><h2><a href="/b">B</a></h2><h2>Other</h2><p>Text`, "Of a. And a.|"},
		{"list", `<ul><li><a href="/a">A</a><li><a href="/b">B</a></ul>`, "|"},
		{"long", `<a href="/a">A</a>` + strings.Repeat("<p>x</p>", 3*maxTeaser), strings.TrimSpace(strings.Repeat("x ", maxTeaser))},
	} {
		tree := parse(t, c.body)
		var got []string
		for i := range tree.Links() {
			var texts []string
			r := tree.Teaser(i)
			for _, b := range tree.Blocks()[r.Start:r.End] {
				texts = append(texts, b.Text)
			}
			got = append(got, strings.Join(texts, " "))
		}
		if diff := cmp.Diff(c.want, strings.Join(got, "|")); diff != "" {
			t.Errorf("%s: teasers (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestLinkText(t *testing.T) {
	tree := parse(t, `<p>See <a href="/a">the one</a> and <a href="/b"><img alt="pic"></a>.</p><p><a href="/c">c</a>`)
	var got []string
	for i := range tree.Links() {
		s := tree.LinkText(i)
		got = append(got, fmt.Sprintf("%s@%d", strings.TrimSpace(tree.Text()[s.Start:s.End]), tree.LinkBlock(i)))
	}
	if diff := cmp.Diff([]string{"the one@0", "@0", "c@1"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestPathHash(t *testing.T) {
	if PathHash("html/body/ul[2]/li[7]") != PathHash("html/body/ul[1]/li") || PathHash("html/body/p") == PathHash("html/body/li") {
		t.Error("paths that differ in places share a hash, others do not")
	}
}
