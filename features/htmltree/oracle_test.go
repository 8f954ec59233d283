package htmltree

import (
	"fmt"
	"hash/fnv"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/nightly"
	"github.com/eventseer/eventseer/internal/warc"

	"golang.org/x/net/html"
)

// firstDifference compares the elements, attributes and texts of two trees, and returns their first
// difference; "" if there is none. Comments are compared too, except those that x/net makes of "</>", which
// are not tokens (HTML §13.2.5.7). Adjacent texts count as one.
func firstDifference(want, got *html.Node) string {
	w, g := meaningful(want.FirstChild), meaningful(got.FirstChild)
	for {
		switch {
		case w == nil && g == nil:
			return ""
		case w == nil || g == nil:
			return fmt.Sprintf("in %s: want %s, got %s", PathOf(want), describe(w), describe(g))
		}
		wantText, wantNext := content(w)
		gotText, gotNext := content(g)
		if g.Type == html.CommentNode {
			gotText = html.UnescapeString(gotText) // x/net reads references in comments, which have none (HTML §13.2.5.45)
		}
		if w.Type != g.Type || wantText != gotText || w.Namespace != g.Namespace || w.DataAtom != g.DataAtom || !slices.Equal(sorted(w.Attr), sorted(g.Attr)) {
			return fmt.Sprintf("in %s: want %s, got %s", PathOf(want), describe(w), describe(g))
		}
		if d := firstDifference(w, g); d != "" {
			return d
		}
		w, g = meaningful(wantNext), meaningful(gotNext)
	}
}

// meaningful returns n or the first node after it that is not an empty comment or text.
func meaningful(n *html.Node) *html.Node {
	for n != nil && n.Data == "" && (n.Type == html.CommentNode || n.Type == html.TextNode) {
		n = n.NextSibling
	}
	return n
}

// content returns the content of a node, and the node after it.
func content(n *html.Node) (string, *html.Node) {
	next := n.NextSibling
	if n.Type != html.TextNode {
		return n.Data, next
	}
	text := n.Data
	for next = meaningful(next); next != nil && next.Type == html.TextNode; next = meaningful(next.NextSibling) {
		text += next.Data
	}
	return text, next
}

func sorted(list []html.Attribute) []html.Attribute {
	return slices.SortedFunc(slices.Values(list), func(a, b html.Attribute) int {
		return strings.Compare(a.Namespace+":"+a.Key, b.Namespace+":"+b.Key)
	})
}

func describe(n *html.Node) string {
	if n == nil {
		return "nothing"
	}
	return fmt.Sprintf("%d %.60q %.100q", n.Type, n.Data, n.Attr)
}

// parseOracle parses by x/net/html.
func parseOracle(s string) (*html.Node, error) {
	return html.ParseWithOptions(strings.NewReader(s), html.ParseOptionEnableScripting(false))
}

// Pages of the corpora make the same tree as in x/net/html: a sample always, all of them
// nightly.
func TestPagesAgainstOracle(t *testing.T) {
	all, agree, deep := 0, 0, 0
	for _, file := range []string{"pages/pages.warc.gz", "gold/pages.warc.gz", "sites/sites.warc.gz", "web/web.warc.gz"} {
		path := golden.SharedPath(t, filepath.Join("corpora", file))
		if strings.HasPrefix(file, "web/") && !nightly.Enabled() {
			continue // long to read
		}
		for p, err := range warc.Pages(path) {
			if err != nil {
				t.Fatal(err)
			}
			h := fnv.New32()
			h.Write([]byte(p.URL))
			if !nightly.Enabled() && h.Sum32()%8 != 0 {
				continue
			}
			s, plain, err := ContentText(p)
			if err != nil || plain {
				continue
			}
			all++
			want, err := parseOracle(s)
			if err != nil {
				deep++ // more than 512 elements deep: x/net gives up
				continue
			}
			d := ParseCompact(s)
			if diff := firstDifference(want, d.Nodes()); diff != "" && d.cut&(CutTags|CutNodes) == 0 {
				t.Errorf("%s: %s", p.URL, diff)
			} else {
				agree++
			}
			d.Release()
		}
	}
	t.Logf("%d pages, %d agree, %d too deep for x/net/html", all, agree, deep)
}

// departures are what x/net/html makes otherwise than the HTML standard, as patterns of
// pages that may show it. Each names the clause.
var departures = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`<template`,                 // §13.2.6.4.4: x/net leaves out all that follows a template in foreign content
	`<(?:svg|math)`,             // §13.2.6.5: end tags of br and p, names of end tags, CDATA with references (§13.2.5.69)
	`<frameset`,                 // §13.2.6.4.20: a script or title that is left out begins no raw text
	`</>`,                       // §13.2.5.7: no token; x/net makes a comment, which parts texts and the spaces of tables
	`<!doctype`,                 // §13.2.5.53 and 13.2.6.4.1: no references, a public identifier alone does not request quirks mode
	`<(?:pre|listing|textarea)`, // §13.2.6.4.7: a line feed is left out directly after the tag only, and no carriage return
	`\x00`,                      // §13.2.5: names and texts with NUL
	`</$`,                       // §13.2.5.7: at the end it is text, in one with the text before
	`<search`,                   // §13.2.4.2: search is special
	`<noscript`,                 // §13.2.6.4.5: the second in a head
	`<script`,                   // §13.2.5.22: "<" in an escaped script does not end the escape
	`<(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)[\s/>](?s:.*</?(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)[\s/>]){4}`, // §13.2.6.4.7 (14.5): a fourth element leaves the stack too
}, "|"))

// differs reports whether a page may show what x/net/html makes otherwise.
func differs(s string) bool { return departures.MatchString(s) }
