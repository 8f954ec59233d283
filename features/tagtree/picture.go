package tagtree

import (
	"golang.org/x/net/html/atom"

	"github.com/eventseer/eventseer/features/htmltree"
)

// A Picture is an image with a name: its alt text with white space folded. Element is its index in
// Tree.Elements.
type Picture struct {
	Name    string
	Element int32
}

// Pictures returns the first n images whose names have at least shortest bytes.
func (t *Tree) Pictures(n, shortest int) []Picture {
	var out []Picture
	for i := range t.elements {
		if len(out) == n {
			break
		}
		if e := &t.elements[i]; e.Node.DataAtom == atom.Img {
			if name := FoldSpace(htmltree.Attr(e.Node, "alt")); len(name) >= shortest {
				out = append(out, Picture{name, int32(i)})
			}
		}
	}
	return out
}
