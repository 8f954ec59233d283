// Package schema reads the machine-readable data in a page: microdata, RDFa, JSON-LD, time elements and
// calendars.
package schema

import (
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits on the machine-readable data of a page.
const (
	maxThings     = 50
	maxProperties = 200       // properties of a thing, including those of nested things
	maxThingDepth = 6         // levels of nested things
	maxDataBytes  = 256 << 10 // bytes of all JSON-LD in a page
	maxValue      = 500       // runes of a value
	maxTimes      = 500
	maxThingNodes = 20_000 // nodes examined for the text of values
	maxTypes      = 200    // bytes of a list of types or names
)

// A Syntax is a format of machine-readable data in a page.
type Syntax string

// Formats that are read.
const (
	JSONLD    Syntax = "json-ld"
	Microdata Syntax = "microdata"
	RDFa      Syntax = "rdfa"
	ICalendar Syntax = "icalendar" // an event in a data: link (RFC 5545)
)

// A Thing is an object in the machine-readable data of a page. It may contradict the visible text.
type Thing struct {
	Syntax Syntax
	// Types are the local names of the thing's types, such as "Event" for https://schema.org/Event.
	Types []string
	// Path is the tag path of the element that contains the data.
	Path string
	// Properties are in document order, those of JSON-LD in order of name. Properties of a nested thing have
	// a dotted name such as "location.address.addressCountry". Its type is a property such as
	// "location.@type".
	Properties []Property
}

// A Property is a name and a value. The name has no prefix or address of its vocabulary. The value has white
// space folded and at most 500 runes.
type Property struct{ Name, Value string }

// Value returns the first value of the named property, or "".
func (i Thing) Value(name string) string {
	for _, p := range i.Properties {
		if p.Name == name {
			return p.Value
		}
	}
	return ""
}

func (i *Thing) addProperty(name, value string) {
	if value = text.CutRunes(tagtree.FoldSpace(value), maxValue); value != "" && len(i.Properties) < maxProperties {
		i.Properties = append(i.Properties, Property{name, value})
	}
}

// Things returns the things in the page's data in document order, at most 50. Invalid data is ignored. Each
// call reads the data again.
func Things(t *tagtree.Tree) []Thing {
	if t.Root() == nil {
		return nil
	}
	r := thingReader{json: maxDataBytes, nodes: maxThingNodes}
	for n := range t.Root().Descendants() {
		if len(r.things) >= maxThings {
			break
		}
		if n.Type != html.ElementNode {
			continue
		}
		switch {
		case n.DataAtom == atom.Script && strings.EqualFold(htmltree.MediaType(htmltree.Attr(n, "type")), "application/ld+json"):
			r.readJSON(n)
		case n.DataAtom == atom.A && strings.HasPrefix(htmltree.Attr(n, "href"), "data:text/calendar"):
			r.readCalendar(n)
		case isThing(n) && !htmltree.HasAttr(n, "itemprop") && !htmltree.HasAttr(n, "property"): // a property of another thing
			r.readElement(n)
		}
	}
	return r.things
}

// A thingReader collects things up to the limits.
type thingReader struct {
	things []Thing
	json   int // bytes of JSON-LD that may still be read
	nodes  int // nodes that may still be examined
}

// addThing adds a thing found in element n if it has a type and a property.
func (r *thingReader) addThing(i Thing, n *html.Node) {
	if len(i.Types) > 0 && len(i.Properties) > 0 && len(r.things) < maxThings {
		i.Path = htmltree.PathOf(n)
		r.things = append(r.things, i)
	}
}

// readJSON reads a script of JSON-LD.
func (r *thingReader) readJSON(script *html.Node) {
	if script.FirstChild == nil {
		return
	}
	text := script.FirstChild.Data
	if r.json -= len(text); r.json < 0 {
		return
	}
	var v any
	if json.Unmarshal([]byte(text), &v) != nil && json.Unmarshal([]byte(fixJSON(text)), &v) != nil {
		return
	}
	r.readNodes(v, script, 0)
}

// readNodes adds each JSON-LD object with a type in v. It descends into lists, graphs, and the keys
// mainEntity, itemListElement and item.
func (r *thingReader) readNodes(v any, script *html.Node, depth int) {
	if depth > maxThingDepth {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, inner := range v {
			r.readNodes(inner, script, depth+1)
		}
	case map[string]any:
		i := Thing{Syntax: JSONLD, Types: typesOf(v["@type"])}
		i.addObject("", v, 0)
		r.addThing(i, script)
		for _, key := range [...]string{"@graph", "mainEntity", "itemListElement", "item"} {
			r.readNodes(v[key], script, depth+1)
		}
	}
}

// addObject adds the properties of an object of JSON-LD.
func (i *Thing) addObject(prefix string, object map[string]any, depth int) {
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if strings.HasPrefix(key, "@") && (key != "@type" || prefix == "") {
			continue
		}
		name := key
		if key != "@type" {
			name = localName(key)
		}
		i.addValue(prefix+name, object[key], depth)
	}
}

func (i *Thing) addValue(name string, v any, depth int) {
	switch v := v.(type) {
	case string:
		i.addProperty(name, v)
	case bool, float64:
		text, _ := json.Marshal(v) // both always encode
		i.addProperty(name, string(text))
	case []any:
		for _, inner := range v {
			if depth < maxThingDepth {
				i.addValue(name, inner, depth+1)
			}
		}
	case map[string]any:
		if value, ok := v["@value"]; ok {
			if s, ok := value.(string); ok {
				i.addProperty(name, s)
			}
		} else if depth < maxThingDepth {
			i.addObject(name+".", v, depth+1)
		}
	}
}

// typesOf returns the local names of a type or of a list of types.
func typesOf(v any) []string {
	switch v := v.(type) {
	case string:
		return localNames(v)
	case []any:
		var types []string
		for _, inner := range v[:min(len(v), maxThingDepth)] {
			if s, ok := inner.(string); ok {
				types = append(types, localNames(s)...)
			}
		}
		return types
	}
	return nil
}

// localNames returns the names in a space-separated list, without vocabulary or prefix.
func localNames(list string) []string {
	var names []string
	for name := range strings.FieldsSeq(text.CutBytes(list, maxTypes)) {
		names = append(names, localName(name))
	}
	return names
}

func localName(name string) string {
	name = strings.TrimRight(text.CutBytes(name, maxTypes), "/#")
	return name[strings.LastIndexAny(name, "/#:")+1:]
}

// fixJSON corrects frequent mistakes in JSON: HTML comments or CDATA around it, line breaks in strings, and
// commas before a closing bracket.
func fixJSON(s string) string {
	s = strings.TrimSpace(s)
	for _, around := range [...][2]string{{"<!--", "-->"}, {"//<![CDATA[", "//]]>"}, {"<![CDATA[", "]]>"}, {"/*<![CDATA[*/", "/*]]>*/"}} {
		if strings.HasPrefix(s, around[0]) {
			s = strings.TrimSpace(strings.TrimSuffix(strings.TrimPrefix(s, around[0]), around[1]))
		}
	}
	out := make([]byte, 0, len(s))
	quoted, comma := false, -1 // comma is the offset of the last comma if only white space follows it, otherwise -1
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quoted && c == '\\' && i+1 < len(s):
			out = append(out, c, s[i+1])
			i++
			continue
		case c == '"':
			quoted = !quoted
		case quoted && c < ' ':
			c = ' '
		case !quoted && c == ',':
			comma = len(out)
			out = append(out, c)
			continue
		case !quoted && (c == '}' || c == ']') && comma >= 0:
			out[comma] = ' '
		}
		if quoted || c > ' ' {
			comma = -1
		}
		out = append(out, c)
	}
	return string(out)
}

// readCalendar reads the first event of a calendar in a data: link. Property names are those of iCalendar in
// lower case, such as dtstart and summary.
func (r *thingReader) readCalendar(a *html.Node) {
	_, data, _ := strings.Cut(text.CutBytes(htmltree.Attr(a, "href"), maxDataBytes), ",")
	calendar, err := url.PathUnescape(data)
	if err != nil {
		return
	}
	_, event, _ := strings.Cut(calendar, "BEGIN:VEVENT")
	event, _, _ = strings.Cut(event, "END:VEVENT")
	event = strings.NewReplacer("\r\n ", "", "\n ", "", `\,`, ",", `\;`, ";", `\n`, " ").Replace(event)
	i := Thing{Syntax: ICalendar, Types: []string{"Event"}}
	for line := range strings.Lines(event) {
		name, value, _ := strings.Cut(line, ":")
		name, _, _ = strings.Cut(name, ";")
		i.addProperty(strings.ToLower(text.CutBytes(strings.TrimSpace(name), htmltree.MaxName)), value)
	}
	r.addThing(i, a)
}

// isThing reports whether an element is the start of a thing in microdata or RDFa.
func isThing(n *html.Node) bool {
	return htmltree.HasAttr(n, "itemscope") || htmltree.Attr(n, "typeof") != ""
}

// readElement reads a thing in microdata or RDFa.
func (r *thingReader) readElement(n *html.Node) {
	i := Thing{Syntax: Microdata, Types: localNames(htmltree.Attr(n, "itemtype"))}
	key := "itemprop"
	if !htmltree.HasAttr(n, "itemscope") {
		i.Syntax, i.Types, key = RDFa, localNames(htmltree.Attr(n, "typeof")), "property"
	}
	r.addElements(&i, n, "", key, 0)
	r.addThing(i, n)
}

// addElements adds the properties in the elements below n. key is the attribute with a property's name.
func (r *thingReader) addElements(i *Thing, n *html.Node, prefix, key string, depth int) {
	for c := htmltree.NodeAfter(n, n); c != nil && r.nodes > 0 && len(i.Properties) < maxProperties; {
		r.nodes--
		next := htmltree.NodeAfter(c, n)
		if c.Type == html.ElementNode {
			names, within := localNames(htmltree.Attr(c, key)), isThing(c)
			for _, name := range names {
				if within && depth < maxThingDepth {
					for _, class := range append(localNames(htmltree.Attr(c, "itemtype")), localNames(htmltree.Attr(c, "typeof"))...) {
						i.addProperty(prefix+name+".@type", class)
					}
					r.addElements(i, c, prefix+name+".", key, depth+1)
				} else if !within {
					i.addProperty(prefix+name, r.valueOf(c))
				}
			}
			if within {
				next = htmltree.NodeAfterSubtree(c, n)
			}
		}
		c = next
	}
}

// valueOf returns the value that an element gives to a property (HTML, section 5.2.4; RDFa 1.1, section 7.5).
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

// textOf returns the beginning of an element's text.
func (r *thingReader) textOf(n *html.Node) string {
	var b strings.Builder
	for c := htmltree.NodeAfter(n, n); c != nil && r.nodes > 0 && b.Len() < 4*maxValue; c = htmltree.NodeAfter(c, n) {
		r.nodes--
		if c.Type == html.TextNode {
			b.WriteString(text.CutBytes(c.Data, 4*maxValue))
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// A Time is a visible time element and its machine-readable date or time.
type Time struct {
	Datetime     string // the datetime attribute, such as "2027-01-15T23:59-12:00"
	tagtree.Span        // byte range of the element's text in Tree.Text
}

// Times returns the visible time elements with a datetime attribute in document order, at most 500.
func Times(t *tagtree.Tree) []Time {
	var times []Time
	r := thingReader{nodes: maxThingNodes}
	searched := tagtree.Span{} // Start: block of the last time element found; End: offset in the block after its text
	elements := t.Elements()
	for i := range elements {
		e := &elements[i]
		value := text.CutRunes(tagtree.FoldSpace(htmltree.Attr(e.Node, "datetime")), maxValue)
		if e.Node.DataAtom != atom.Time || e.Hidden || value == "" || e.Blocks.Len() == 0 {
			continue
		}
		text := tagtree.FoldSpace(r.textOf(e.Node))
		block := e.Blocks.Start
		if searched.Start != block {
			searched = tagtree.Span{Start: block, End: 0}
		}
		b := t.Blocks()[block]
		at := strings.Index(b.Text[searched.End:], text)
		if text == "" || at < 0 {
			continue
		}
		start := searched.End + at
		searched.End = start + len(text)
		times = append(times, Time{Datetime: value, Span: tagtree.Span{Start: b.Start + start, End: b.Start + searched.End}})
		if len(times) == maxTimes {
			break
		}
	}
	return times
}
