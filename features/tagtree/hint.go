package tagtree

import (
	"strings"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/internal/text"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// A Hint is text that a page contains without showing it, in its head or in place of a picture.
type Hint struct {
	From string // kind of text: "site_name", "title", "description" or "alt"
	Text string // the text with white space folded, never empty
}

const (
	maxHints    = 24  // maximum number of hints of a page
	maxAlts     = 12  // maximum number of hints from pictures
	maxHintText = 300 // maximum length of a hint, in runes
)

// hintNames maps the meta elements that may describe the page to Hint.From.
var hintNames = map[string]string{
	"og:site_name": "site_name", "application-name": "site_name", "og:title": "title", "twitter:title": "title",
	"description": "description", "og:description": "description",
}

// Hints returns the hints of the page in document order, at most maxHints.
func (t *Tree) Hints() []Hint {
	var hints []Hint
	alts := 0
	if t.root == nil {
		return nil
	}
	for n := t.root; n != nil && len(hints) < maxHints; n = htmltree.NodeAfter(n, t.root) {
		switch n.DataAtom {
		case atom.Meta:
			if h := metaHint(n); h.Text != "" {
				hints = append(hints, h)
			}
		case atom.Img:
			if alt := hintText(n, "alt"); alt != "" && alts < maxAlts {
				alts++
				hints = append(hints, Hint{"alt", alt})
			}
		}
	}
	return hints
}

func metaHint(n *html.Node) Hint {
	name := strings.ToLower(htmltree.Attr(n, "property"))
	if name == "" {
		name = strings.ToLower(htmltree.Attr(n, "name"))
	}
	if from := hintNames[name]; from != "" {
		return Hint{from, hintText(n, "content")}
	}
	return Hint{}
}

func hintText(n *html.Node, key string) string {
	return text.CutRunes(FoldSpace(text.CutRunes(htmltree.Attr(n, key), 2*maxHintText)), maxHintText)
}
