package tagtree

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// A leaf is a text of a record and where in it it stands.
type leaf struct {
	key  uint32 // of its tag path in the record, and which of that path it is
	text string
	node *Node
}

// leaves returns the texts of a record: each link, and each run of text between links,
// bold text and line ends.
func leaves(nodes []*Node) []leaf {
	r := leafReader{seen: make(map[uint32]int)}
	for _, n := range nodes {
		r.read(n, 0)
	}
	r.flush()
	return r.out
}

type leafReader struct {
	out  []leaf
	seen map[uint32]int
	text strings.Builder
	node *Node
	path uint32
	// stressed are the parts of the text in italics, such as a title among names: each
	// is a field besides the text.
	stressed []leaf
}

func (r *leafReader) read(n *Node, path uint32) {
	if n.Hidden || len(r.out) >= maxRecordFields {
		return
	}
	if n.Name == "" {
		if r.text.Len() == 0 {
			r.node, r.path = n, path
		}
		r.text.WriteString(n.Text)
		return
	}
	apart := !isPlainFormat(n.Name) || n.Name == "b" || n.Name == "strong" || n.Name == "span"
	if apart {
		r.flush()
		path = pathHash(path, n.Name+"."+classOf(n))
	}
	before := len(r.out)
	for _, c := range n.Children {
		if c.Apart {
			r.text.WriteByte(' ')
		}
		r.read(c, path)
	}
	if !apart {
		r.stress(n, path)
		return
	}
	r.flush()
	if len(r.out) > before+1 && isCellName(n.Name) {
		r.whole(n, path, before)
	}
}

// stress notes an element in italics.
func (r *leafReader) stress(n *Node, path uint32) {
	if n.Name == "em" || n.Name == "i" || n.Name == "cite" {
		if text := trimSigns(textOf([]*Node{n})); text != "" && !isSeparator(text) {
			r.stressed = append(r.stressed, leaf{key: pathHash(path, "em"), text: text, node: n})
		}
	}
}

// whole puts the whole text of an element before its parts.
func (r *leafReader) whole(n *Node, path uint32, at int) {
	text := textOf([]*Node{n})
	if utf8.RuneCountInString(text) <= maxWhole {
		path = pathHash(path, "whole")
		r.seen[path]++
		r.out = slices.Insert(r.out, at, leaf{key: pathHash(path, string(rune(r.seen[path]))), text: text, node: n})
	}
}

// maxWhole is how many runes an element may have whose text is a field besides its parts.
const maxWhole = 400

// isCellName reports whether the text of an element is one thing to a reader.
func isCellName(name string) bool {
	return isHeadingName(name) || name == "td" || name == "th" || name == "dt" || name == "b" || name == "strong"
}

func (r *leafReader) flush() {
	text := trimSigns(strings.Join(strings.Fields(r.text.String()), " "))
	r.text.Reset()
	stressed := r.stressed
	r.stressed = nil
	if text == "" || isSeparator(text) {
		return
	}
	r.add(leaf{key: r.path, text: text, node: r.node})
	for _, l := range stressed {
		if l.text != text && len(r.out) < maxRecordFields {
			r.add(l)
		}
	}
}

// add appends a leaf, told apart from those before of its path.
func (r *leafReader) add(l leaf) {
	r.seen[l.key]++
	l.key = pathHash(l.key, string(rune(r.seen[l.key])))
	r.out = append(r.out, l)
}

// trimSigns cuts what only parts a text from those around it.
func trimSigns(s string) string {
	for _, sign := range []string{". ", "- ", "/ "} {
		s = strings.TrimPrefix(s, sign)
	}
	return strings.TrimSpace(strings.TrimRight(strings.TrimLeft(s, " ,;:|·•–—)]"), " ,;|·•–—(["))
}
