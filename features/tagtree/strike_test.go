package tagtree

import (
	"net/http"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/webgraph"
)

func parsed(t *testing.T, body string) *Tree {
	t.Helper()
	tree, err := Parse(&webgraph.Page{URL: "http://conf.example/", Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestStruckByClass reads text that classes strike out, by the page's sheets and by their
// names, and text that they do not.
func TestStruckByClass(t *testing.T) {
	const sheet = "<style>p { color: red } .gone, li.past:not(.x), p.over { color: gray; text-decoration: line-through; } .done .day { text-decoration: line-through } a.old:hover{text-decoration:line-through}</style>"
	for _, c := range []struct {
		html string
		want bool
	}{
		{`<p><span class="gone">May 1</span> May 9`, true},
		{`<p><span class="x GONE y">May 1</span> May 9`, true},
		{`<p><span class="over">May 1</span> May 9`, true},
		{`<p><span class="day">May 1</span> May 9`, false},
		{`<p><span class="old">May 1</span> May 9`, false},
		{`<p><span class="text-decoration-line-through">May 1</span> May 9`, true},
		{`<p><span class="strikethrough">May 1</span> May 9`, true},
		{`<p><span class="hover:line-through">May 1</span> May 9`, false},
		{`<p><span class="walkthrough">May 1</span> May 9`, false},
		{`<p><span class="crossed-out">May 1</span> May 9`, true},
	} {
		tree := parsed(t, sheet+c.html)
		if got := len(tree.Blocks()[0].Struck) > 0; got != c.want {
			t.Errorf("%s: struck %v", c.html, got)
		}
	}
	tree := parsed(t, "<style>"+strings.Repeat(".a{text-decoration:line-through}", 5000)+strings.Repeat("{line-through", 5000)+"</style><p class=a>May 1")
	if len(tree.Blocks()[0].Struck) == 0 {
		t.Error("a long sheet strikes nothing out")
	}
}

// TestPrintedDate reads a date that a sheet shows from an attribute, and ignores attributes that only scripts
// use.
func TestPrintedDate(t *testing.T) {
	for _, c := range [][2]string{
		{`<ul><li data-date="28th May 2027"><h3>Papers due</h3></ul>`, "28th May 2027|Papers due"},
		{`<ul><li data-date="2027-05-28T00:00"><h3>Papers due</h3></ul>`, "Papers due"},
		{`<div data-date="2027-05-28">Papers due</div>`, "Papers due"},
		{`<p><span data-date="28 May 2027">Papers due</span>`, "Papers due"},
	} {
		var got []string
		for _, b := range parsed(t, c[0]).Blocks() {
			got = append(got, b.Text)
		}
		if strings.Join(got, "|") != c[1] {
			t.Errorf("%s: %q", c[0], got)
		}
	}
}
