// Package tagtreetest makes parsed pages for the tests of packages that read them.
package tagtreetest

import (
	"net/http"
	"testing"

	"eventseer/features/tagtree"
	"eventseer/webgraph"
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
