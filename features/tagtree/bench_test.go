package tagtree

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// synthetic is a page of about 40 KB with 200 links, as many a conference has.
func synthetic() string {
	var b strings.Builder
	b.WriteString("<html lang=en><head><title>Workshop on Owls</title></head><body><div id=menu><ul>")
	for i := range 100 {
		fmt.Fprintf(&b, "<li class=item><a href=\"/page%d.html\">Page number %d</a></li>\n", i, i)
	}
	b.WriteString("</ul></div><div class=main><h1>Workshop on Owls</h1>")
	for i := range 100 {
		fmt.Fprintf(&b, "<p>We invite <b>original</b> papers on owls, their flight and their calls; see <a href=\"topic%d.html\">topic %d</a>"+
			" for what else is welcome. Papers have at most ten pages &amp; are read by three people.</p>\n", i, i)
		fmt.Fprintf(&b, "<table class=dates><tr><td>Submission</td><td>%d May 2026</td></tr></table>\n", i%31+1)
	}
	return b.String()
}

// BenchmarkHTML is what BenchmarkParse cannot go below: decoding, walking and
// resolving links cost about half as much again (2026-11).
func BenchmarkHTML(b *testing.B) {
	s := synthetic()
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		if _, err := html.Parse(strings.NewReader(s)); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	p := page(synthetic(), "text/html; charset=utf-8")
	b.SetBytes(int64(len(p.Body)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(p); err != nil {
			b.Fatal(err)
		}
	}
}
