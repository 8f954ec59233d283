package tagtree

import (
	"strings"

	"eventseer/features/htmltree"
	"eventseer/internal/text"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isThing reports whether an element begins a thing of microdata or RDFa.
func isThing(n *html.Node) bool {
	return htmltree.HasAttr(n, "itemscope") || htmltree.Attr(n, "typeof") != ""
}

// isWithinThing reports whether a thing is the value of a property of another.
func isWithinThing(n *html.Node) bool {
	return htmltree.HasAttr(n, "itemprop") || htmltree.HasAttr(n, "property")
}

// readElement reads a thing of microdata or RDFa.
func (r *thingReader) readElement(n *html.Node) {
	i := Thing{Syntax: Microdata, Types: localNames(htmltree.Attr(n, "itemtype"))}
	key := "itemprop"
	if !htmltree.HasAttr(n, "itemscope") {
		i.Syntax, i.Types, key = RDFa, localNames(htmltree.Attr(n, "typeof")), "property"
	}
	r.addElements(&i, n, "", key, 0)
	r.keep(i, n)
}

// addElements adds the properties that elements below n give, whose name is in the
// attribute key.
func (r *thingReader) addElements(i *Thing, n *html.Node, prefix, key string, depth int) {
	for c := htmltree.After(n, n); c != nil && r.nodes > 0 && len(i.Properties) < maxProperties; {
		r.nodes--
		next := htmltree.After(c, n)
		if c.Type == html.ElementNode {
			names, within := localNames(htmltree.Attr(c, key)), isThing(c)
			for _, name := range names {
				if within && depth < maxThingDepth {
					for _, class := range append(localNames(htmltree.Attr(c, "itemtype")), localNames(htmltree.Attr(c, "typeof"))...) {
						i.add(prefix+name+".@type", class)
					}
					r.addElements(i, c, prefix+name+".", key, depth+1)
				} else if !within {
					i.add(prefix+name, r.valueOf(c))
				}
			}
			if within {
				next = htmltree.AfterAll(c, n)
			}
		}
		c = next
	}
}

// valueOf returns the value an element gives to a property (HTML, section 5.2.4;
// RDFa 1.1, section 7.5).
func (r *thingReader) valueOf(n *html.Node) string {
	for _, key := range [...]string{"content", "datetime"} {
		if htmltree.HasAttr(n, key) {
			return htmltree.Attr(n, key)
		}
	}
	for _, key := range [...]string{"href", "src", "data"} {
		if v := htmltree.Attr(n, key); v != "" {
			return v
		}
	}
	return r.textOf(n)
}

// textOf returns the first of an element's text.
func (r *thingReader) textOf(n *html.Node) string {
	var b strings.Builder
	for c := htmltree.After(n, n); c != nil && r.nodes > 0 && b.Len() < 4*maxValue; c = htmltree.After(c, n) {
		r.nodes--
		if c.Type == html.TextNode {
			b.WriteString(text.Cut(c.Data, 4*maxValue))
			b.WriteByte(' ')
		}
	}
	return b.String()
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
		value := text.CutRunes(fold(htmltree.Attr(e.Node, "datetime")), maxValue)
		if e.Node.DataAtom != atom.Time || e.Hidden || value == "" || e.Blocks.Len() == 0 {
			continue
		}
		text := fold(r.textOf(e.Node))
		block := e.Blocks.Start
		if searched.Start != block {
			searched = Span{Start: block, End: 0}
		}
		b := t.blocks[block]
		at := strings.Index(b.Text[searched.End:], text)
		if text == "" || at < 0 {
			continue
		}
		start := searched.End + at
		searched.End = start + len(text)
		times = append(times, Time{value, Span{Start: b.Start + start, End: b.Start + searched.End}})
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
		if strings.EqualFold(htmltree.Attr(e.Node, "property"), name) || strings.EqualFold(htmltree.Attr(e.Node, "name"), name) {
			if content := text.CutRunes(fold(htmltree.Attr(e.Node, "content")), maxTitle); content != "" {
				return content
			}
		}
	}
	return ""
}
