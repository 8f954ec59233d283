// Package tagtreetest makes parsed pages for the tests of packages that read them.
package tagtreetest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// PageURL is the address of all pages that the package makes.
const PageURL = "http://conf.example.org/2026/"

// Page returns a page with a body; contentType is that of its header, or "".
func Page(body, contentType string) *webgraph.Page {
	p := &webgraph.Page{URL: PageURL, Body: []byte(body), Header: http.Header{}}
	if contentType != "" {
		p.Header.Set("Content-Type", contentType)
	}
	return p
}

// Parse reads markup as a page of type text/html in UTF-8.
func Parse(t testing.TB, body string) *tagtree.Tree {
	t.Helper()
	tree, err := tagtree.Parse(Page(body, "text/html; charset=utf-8"))
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// Synthetic returns a page of about 40 KB with 200 links, as many a conference has.
func Synthetic() string {
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

// SocietyPage has the tree of paper 003, figure 7. A cell names the query's topic; five elements
// lie above it (table to html), and below it elements that do not name it.
const SocietyPage = `<html><body><h1>Society</h1><table>
<tr><td>Everybody may <a href="/join">join</a></td></tr>
<tr><td>For members: <ul><li><a href="/login">Log in</a></li><li>Renew <b>now</b></li></ul></td><td>Shop</td></tr>
</table><p>Contact</p></body></html>`
