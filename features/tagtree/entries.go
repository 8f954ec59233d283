package tagtree

import (
	"eventseer/internal/text"
	"eventseer/webgraph"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// readEntries reads a sitemap or a feed as a browser would show it: a list whose
// items are a link named by its entry's title, and the summary behind it. All
// that is known of links holds of these too, under the limits of any page.
func (t *Tree) readEntries() {
	t.root = &html.Node{Type: html.DocumentNode}
	body := child(child(t.root, atom.Html), atom.Body)
	list := child(body, atom.Ul)
	for _, e := range t.Page.Entries[:min(len(t.Page.Entries), maxLinks)] {
		item := child(list, atom.Li)
		link := child(item, atom.A)
		link.Attr = []html.Attribute{{Key: "href", Val: e.URL}}
		link.AppendChild(&html.Node{Type: html.TextNode, Data: text.CutRunes(e.Title, webgraph.MaxAnchor)})
		if e.Summary != "" {
			item.AppendChild(&html.Node{Type: html.TextNode, Data: " " + text.CutRunes(e.Summary, webgraph.MaxContext)})
		}
	}
	t.take(walk(t.root, t.Page.URL, false, nil))
}

// child appends an element to another.
func child(n *html.Node, name atom.Atom) *html.Node {
	c := &html.Node{Type: html.ElementNode, DataAtom: name, Data: name.String()}
	n.AppendChild(c)
	return c
}
