package tagtree

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isThing reports whether an element begins a thing of microdata or RDFa.
func isThing(n *html.Node) bool { return hasAttr(n, "itemscope") || attr(n, "typeof") != "" }

// isWithinThing reports whether a thing is the value of a property of another.
func isWithinThing(n *html.Node) bool {
	return hasAttr(n, "itemprop") || hasAttr(n, "property")
}

// readElement reads a thing of microdata or RDFa.
func (r *thingReader) readElement(n *html.Node) {
	i := Thing{Syntax: Microdata, Types: localNames(attr(n, "itemtype"))}
	key := "itemprop"
	if !hasAttr(n, "itemscope") {
		i.Syntax, i.Types, key = RDFa, localNames(attr(n, "typeof")), "property"
	}
	r.addElements(&i, n, "", key, 0)
	r.keep(i, n)
}

// addElements adds the properties that elements below n give, whose name is in the
// attribute key.
func (r *thingReader) addElements(i *Thing, n *html.Node, prefix, key string, depth int) {
	for c := after(n, n); c != nil && r.nodes > 0 && len(i.Properties) < maxProperties; {
		r.nodes--
		next := after(c, n)
		if c.Type == html.ElementNode {
			names, within := localNames(attr(c, key)), isThing(c)
			for _, name := range names {
				if within && depth < maxThingDepth {
					for _, class := range append(localNames(attr(c, "itemtype")), localNames(attr(c, "typeof"))...) {
						i.add(prefix+name+".@type", class)
					}
					r.addElements(i, c, prefix+name+".", key, depth+1)
				} else if !within {
					i.add(prefix+name, r.valueOf(c))
				}
			}
			if within {
				next = afterAll(c, n)
			}
		}
		c = next
	}
}

// valueOf returns the value an element gives to a property (HTML, section 5.2.4;
// RDFa 1.1, section 7.5).
func (r *thingReader) valueOf(n *html.Node) string {
	for _, key := range [...]string{"content", "datetime"} {
		if hasAttr(n, key) {
			return attr(n, key)
		}
	}
	for _, key := range [...]string{"href", "src", "data"} {
		if v := attr(n, key); v != "" {
			return v
		}
	}
	return r.textOf(n)
}

// textOf returns the first of an element's text.
func (r *thingReader) textOf(n *html.Node) string {
	var b strings.Builder
	for c := after(n, n); c != nil && r.nodes > 0 && b.Len() < 4*maxValue; c = after(c, n) {
		r.nodes--
		if c.Type == html.TextNode {
			b.WriteString(cut(c.Data, 4*maxValue))
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// afterAll returns the node that follows n and all below it within top, or nil.
func afterAll(n, top *html.Node) *html.Node {
	for ; n != top; n = n.Parent {
		if n.NextSibling != nil {
			return n.NextSibling
		}
	}
	return nil
}

// A Time is a time element that is shown, with the date or time it gives to
// programs.
type Time struct {
	Datetime string // as written, "2027-01-15T23:59-12:00"
	Span            // of its text in Tree.Text
}

// Times returns the shown time elements that have a datetime, in document order, at
// most 500.
func (t *Tree) Times() []Time {
	var times []Time
	r := thingReader{nodes: maxThingNodes}
	searched := Span{} // the block that the last one is in, and where in it that ends
	for i := range t.elements {
		e := &t.elements[i]
		value := cutRunes(fold(attr(e.node, "datetime")), maxValue)
		if e.node.DataAtom != atom.Time || e.hidden || value == "" || e.blocks.Len() == 0 {
			continue
		}
		text := fold(r.textOf(e.node))
		block := e.blocks.Start
		if searched.Start != block {
			searched = Span{block, 0}
		}
		b := t.blocks[block]
		at := strings.Index(b.Text[searched.End:], text)
		if text == "" || at < 0 {
			continue
		}
		start := searched.End + at
		searched.End = start + len(text)
		times = append(times, Time{value, Span{b.Start + start, b.Start + searched.End}})
		if len(times) == maxTimes {
			break
		}
	}
	return times
}

// Meta returns the content of the first meta element whose name or property is
// name, such as "og:title" or "description", white space folded, at most 1,000
// runes; or "".
func (t *Tree) Meta(name string) string {
	for e := range t.ownElements(atom.Meta) {
		if strings.EqualFold(attr(e.node, "property"), name) || strings.EqualFold(attr(e.node, "name"), name) {
			if content := cutRunes(fold(attr(e.node, "content")), maxTitle); content != "" {
				return content
			}
		}
	}
	return ""
}
