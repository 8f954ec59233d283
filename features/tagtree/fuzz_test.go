package tagtree

import (
	"slices"
	"testing"

	"eventseer/features/htmltree"
)

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "<p>x", "<table><tr><td colspan=3>a<td>b", "<s>a<br>b</s> <del> c</del>", "\xff\xfe<\x00p\x00", "a\xffb<p>",
		"<a href=x><div>a</div><a href='//b.example.org'>b</a>", "From: a@b\nSubject: =?utf-8?q?x?=\n\nhttp://a.example.org/.",
		"<pre>\n a\n\n<b>b\n</b></pre>", "<base href=/x/><frameset><frame src=f>", "<p>&nbsp;&#0;&#xD800;&zwj;", "<svg><title>a</svg>b",
		"<select><option>a<p>b", "<noscript>a", "<plaintext>a\nb", "<table>a<tr>b<td>c",
	} {
		f.Add([]byte(s), "text/html")
	}
	f.Add([]byte("a\fb\r\nc"), "text/plain; charset=utf-16")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		p := page(string(body), contentType)
		tree, err := Parse(p)
		if err != nil {
			return
		}
		check(t, tree)
		again, err := Parse(p)
		if err != nil || again.Text() != tree.Text() || !slices.Equal(again.Links(), tree.Links()) {
			t.Fatalf("second parse differs: %v", err)
		}
	})
}

func FuzzLoose(f *testing.F) {
	f.Add("<p>a<p>b</div><li>c<td>d")
	f.Fuzz(func(t *testing.T, s string) {
		tree := &Tree{Page: page(s, "text/html")}
		tree.root = htmltree.ParseLoosely(htmltree.Decode([]byte(s), "text/html; charset=utf-8"))
		w := walk(tree.root, pageURL, true, nil)
		tree.text, tree.blocks = w.Result()
		tree.elements, tree.holders, tree.docs = w.elements, w.holders, w.docs
		tree.links = w.links(tree)
		check(t, tree)
	})
}
