package record

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
)

// A recordText is a text of a record and its position in it.
type recordText struct {
	key  uint32 // hash of its tag path in the record and its number on that path
	text string
	node *tagtree.Node
}

// recordTexts returns the texts of a record: each link, and each run of text between links, bold text and line
// breaks.
func recordTexts(nodes []*tagtree.Node) []recordText {
	r := recordTextReader{seen: make(map[uint32]int)}
	for _, n := range nodes {
		r.left = maxRecordNodes
		r.readNode(n, 0)
	}
	r.endText()
	return r.out
}

type recordTextReader struct {
	out  []recordText
	seen map[uint32]int
	text strings.Builder
	node *tagtree.Node
	path uint32
	// stressed are the parts of the text in italics, such as a title among names. Each becomes an additional
	// field.
	stressed []recordText
	left     int // number of nodes that may still be read
}

func (r *recordTextReader) readNode(n *tagtree.Node, path uint32) {
	if r.left--; n.Hidden || len(r.out) >= maxRecordFields || r.left < 0 {
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
		r.endText()
		path = pathHash(path, n.Name+"."+classOf(n))
	}
	before := len(r.out)
	for _, c := range n.Children {
		if r.left <= 0 {
			break
		}
		if c.Apart {
			r.text.WriteByte(' ')
		}
		r.readNode(c, path)
	}
	if !apart {
		r.recordItalics(n, path)
		return
	}
	r.endText()
	if len(r.out) > before+1 && isCellName(n.Name) {
		r.addWholeText(n, path, before)
	}
}

// recordItalics records the text of n if it is an element in italics.
func (r *recordTextReader) recordItalics(n *tagtree.Node, path uint32) {
	if n.Name == "em" || n.Name == "i" || n.Name == "cite" {
		if text := trimSigns(shownText(n, &r.left)); text != "" && !isSeparator(text) {
			r.stressed = append(r.stressed, recordText{key: pathHash(path, "em"), text: text, node: n})
		}
	}
}

// addWholeText inserts the whole text of an element at index at, before its parts.
func (r *recordTextReader) addWholeText(n *tagtree.Node, path uint32, at int) {
	text := shownText(n, &r.left)
	if text != "" && utf8.RuneCountInString(text) <= maxWhole {
		path = pathHash(path, "whole")
		r.seen[path]++
		r.out = slices.Insert(r.out, at, recordText{key: pathHash(path, string(rune(r.seen[path]))), text: text, node: n})
	}
}

// maxWhole is the maximum length in runes of an element's text that becomes a field in addition to its parts.
const maxWhole = 400

// isCellName reports whether a reader takes the text of an element with this name as one value.
func isCellName(name string) bool {
	return isHeadingName(name) || name == "td" || name == "th" || name == "dt" || name == "b" || name == "strong"
}

func (r *recordTextReader) endText() {
	text := trimSigns(strings.Join(strings.Fields(r.text.String()), " "))
	r.text.Reset()
	stressed := r.stressed
	r.stressed = nil
	if text == "" || isSeparator(text) {
		return
	}
	r.addText(recordText{key: r.path, text: text, node: r.node})
	for _, l := range stressed {
		if l.text != text && len(r.out) < maxRecordFields {
			r.addText(l)
		}
	}
}

// addText appends a leaf, numbered among those with the same path.
func (r *recordTextReader) addText(l recordText) {
	r.seen[l.key]++
	l.key = pathHash(l.key, string(rune(r.seen[l.key])))
	r.out = append(r.out, l)
}

// trimSigns removes separators at the ends of a text.
func trimSigns(s string) string {
	for _, sign := range []string{". ", "- ", "/ "} {
		s = strings.TrimPrefix(s, sign)
	}
	return strings.TrimSpace(strings.TrimRight(strings.TrimLeft(s, " ,;:|·•–—)]"), " ,;|·•–—(["))
}

// textOf returns the visible text of nodes in one line. Line breaks become spaces.
func textOf(nodes []*tagtree.Node) string {
	var b strings.Builder
	for _, n := range nodes {
		left := maxRecordNodes
		appendShown(n, &b, &left)
	}
	return text.CutBytes(strings.Join(strings.Fields(b.String()), " "), maxRecordText)
}

// shownText returns the visible text of a node in one line. It visits at most *left nodes and subtracts those
// visited.
func shownText(n *tagtree.Node, left *int) string {
	var b strings.Builder
	appendShown(n, &b, left)
	return text.CutBytes(strings.Join(strings.Fields(b.String()), " "), maxRecordText)
}

// appendShown appends the visible text of a subtree to b. It stops at maxRecordText bytes or after *left
// nodes, and subtracts the visited ones.
func appendShown(n *tagtree.Node, b *strings.Builder, left *int) {
	if *left--; n.Hidden || b.Len() > maxRecordText || *left < 0 {
		return
	}
	if n.Apart {
		b.WriteByte(' ')
	}
	if n.Name == "" {
		b.WriteString(n.Text)
		return
	}
	apart := !isInlineName(n.Name) || n.Name == "br"
	if apart {
		b.WriteByte(' ')
	}
	for _, c := range n.Children {
		if *left <= 0 {
			break
		}
		appendShown(c, b, left)
	}
	if apart {
		b.WriteByte(' ')
	}
}

// alignFields sets the fields of the records of a region. The columns are the union of the records' columns,
// and each new column is placed after the one that it follows (partial alignment, Zhai and Liu 2005, section
// 4). If most texts of a column have the same separator, as in "title, place, date", the parts become further
// columns.
func alignFields(records []Record) {
	all := make([][]recordText, len(records))
	for i, r := range records {
		all[i] = recordTexts(r.Nodes)
	}
	splitColumns(all)
	order := columnOrder(all)
	column := make(map[uint32]int, len(order))
	for i, key := range order {
		column[key] = i
	}
	for i := range records {
		fields := make([]Field, len(order))
		for _, l := range all[i] {
			if c, ok := column[l.key]; ok {
				fields[c] = Field{Text: l.text, Node: l.node}
			}
		}
		records[i].Fields = fields
	}
}

// columnOrder returns the keys of the leaves in an order that agrees with the records as far as possible.
func columnOrder(all [][]recordText) []uint32 {
	var order []uint32
	placed := make(map[uint32]bool)
	for _, of := range all {
		at := 0
		for _, l := range of {
			switch {
			case placed[l.key]:
				at = slices.Index(order, l.key) + 1
			case len(order) < maxRecordFields:
				placed[l.key] = true
				order = slices.Insert(order, at, l.key)
				at++
			}
		}
	}
	return order
}

// fieldSigns are the separators of fields in a text, the strongest first.
var fieldSigns = []string{" – ", " — ", " - ", " | ", " · ", " • ", ": ", "; ", " (", ", "}

const (
	minParted = 0.6 // minimum share of a column's texts that have a separator
	maxParts  = 6   // parts of a text
)

// splitColumns inserts the parts of texts after each text of a column with a common separator. all has the
// leaves of each record.
func splitColumns(all [][]recordText) {
	total := make(map[uint32]int)
	with := make(map[uint32][]int) // by key, the number of texts with each separator
	for _, of := range all {
		for _, l := range of {
			total[l.key]++
			if with[l.key] == nil {
				with[l.key] = make([]int, len(fieldSigns))
			}
			for i, sign := range fieldSigns {
				with[l.key][i] += boolToInt(strings.Contains(l.text, sign))
			}
		}
	}
	for i, of := range all {
		var out []recordText
		for _, l := range of {
			out = append(out, l)
			if total[l.key] < 2 {
				continue
			}
			for s, sign := range fieldSigns {
				if float64(with[l.key][s]) >= minParted*float64(total[l.key]) {
					out = append(out, l.splitAtSeparator(sign)...)
					break
				}
			}
		}
		all[i] = out
	}
}

// splitAtSeparator returns the parts of a text between separators. It returns nil if the text has no separator.
func (l recordText) splitAtSeparator(sign string) []recordText {
	texts := strings.SplitN(l.text, sign, maxParts)
	if len(texts) < 2 {
		return nil
	}
	var out []recordText
	for i, text := range texts {
		if text = trimSigns(text); text != "" {
			out = append(out, recordText{key: pathHash(l.key, string(rune('0'+i))), text: text, node: l.node})
		}
	}
	return out
}
