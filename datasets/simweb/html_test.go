package simweb

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/net/html"
)

func hostOf(host string) webgraph.Host { return webgraph.Host(host) }

// visible returns the text of a page.
func visible(p *page) string {
	if p.plain {
		return string(p.body)
	}
	root, err := html.Parse(bytes.NewReader(p.body))
	if err != nil {
		return ""
	}
	var b strings.Builder
	for n := range root.Descendants() {
		if n.Type == html.TextNode && n.Parent.Data != "script" && n.Parent.Data != "style" {
			b.WriteString(n.Data + " ")
		}
	}
	return b.String()
}

func TestMarkup(t *testing.T) {
	for seed := uint64(1); seed <= testSeeds; seed++ {
		latin1 := 0
		for _, p := range web(seed).pages {
			if p.latin1 {
				latin1++
				if utf8.Valid(p.body) {
					t.Errorf("%s is said to be ISO 8859-1 and is UTF-8", p.url())
				}
				continue
			}
			if !utf8.Valid(p.body) {
				t.Errorf("%s is no UTF-8", p.url())
			}
			text := visible(p)
			if strings.ContainsAny(text, "{}") || strings.Contains(text, "%!") || strings.Contains(text, "0001") {
				t.Errorf("%s: unexpanded text in %q", p.url(), text)
			}
			if n := len(strings.Fields(text)); n < 20 || n > 900 {
				t.Errorf("%s has %d words", p.url(), n)
			}
			if !p.plain {
				checkTags(t, p)
			}
		}
		if latin1 == 0 {
			t.Errorf("seed %d has no page in ISO 8859-1", seed)
		}
	}
}

// checkTags sees that tags are closed in order, P, LI, HTML's voids aside.
func checkTags(t *testing.T, p *page) {
	t.Helper()
	var open []string
	loose := " p li br hr meta link input "
	z := html.NewTokenizer(bytes.NewReader(p.body))
	for kind := z.Next(); kind != html.ErrorToken; kind = z.Next() {
		tok := z.Token()
		if strings.Contains(loose, " "+tok.Data+" ") {
			continue
		}
		switch kind {
		case html.StartTagToken:
			open = append(open, tok.Data)
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != tok.Data {
				t.Errorf("%s: </%s> closes %v", p.url(), tok.Data, open)
				return
			}
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("%s: %v left open", p.url(), open)
	}
}

// TestLinksAreOnThePages compares the links the web tells with those a reader
// of the markup finds.
func TestLinksAreOnThePages(t *testing.T) {
	for _, p := range web(2).pages {
		if p.plain {
			continue
		}
		var got []string
		root, err := html.Parse(bytes.NewReader(p.body))
		if err != nil {
			t.Fatal(err)
		}
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && n.Data == "a" {
				got = append(got, absolute(p, n.Attr[0].Val)+" "+n.FirstChild.Data)
			}
		}
		want := make([]string, len(p.links))
		for i, l := range p.links {
			want[i] = l.Target + " " + l.Anchor
			if p.latin1 {
				want[i], got[i] = l.Target, strings.Fields(got[i])[0]
			}
		}
		if a, b := sorted(got), sorted(want); a != b {
			t.Errorf("%s: links on the page\n%s\nlinks told\n%s", p.url(), a, b)
		}
	}
}

func absolute(p *page, href string) string {
	if strings.HasPrefix(href, "/") {
		return "http://" + p.site.host + href
	}
	return href
}

func sorted(lines []string) string {
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
