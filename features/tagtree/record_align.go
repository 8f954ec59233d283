package tagtree

import (
	"slices"
	"strings"
)

// alignFields fills in the fields of the records of a region: the columns are the union of
// what the records have, each new one placed behind the one that it follows (partial
// alignment, Zhai and Liu 2005, section 4). Where most texts of a column are parted by
// the same sign, as "title, place, date", the parts are columns behind it.
func alignFields(records []Record) {
	all := make([][]leaf, len(records))
	for i, r := range records {
		all[i] = leaves(r.Nodes)
	}
	splitColumns(all)
	order := columnOrder(all)
	column := make(map[uint32]int, len(order))
	for i, key := range order {
		column[key] = i
	}
	for i := range records {
		fields := make([]RecordField, len(order))
		for _, l := range all[i] {
			if c, ok := column[l.key]; ok {
				fields[c] = RecordField{Text: l.text, Node: l.node}
			}
		}
		records[i].Fields = fields
	}
}

// columnOrder returns the keys of the leaves in an order that each record mostly keeps.
func columnOrder(all [][]leaf) []uint32 {
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

// signs part a text into fields, the strongest first.
var fieldSigns = []string{" – ", " — ", " - ", " | ", " · ", " • ", ": ", "; ", " (", ", "}

const (
	minParted = 0.6 // share of the texts of a column that have a sign
	maxParts  = 6   // of a text
)

// splitColumns adds the parts of texts.
func splitColumns(all [][]leaf) {
	total := make(map[uint32]int)
	with := make(map[uint32][]int) // of each sign
	for _, of := range all {
		for _, l := range of {
			total[l.key]++
			if with[l.key] == nil {
				with[l.key] = make([]int, len(fieldSigns))
			}
			for i, sign := range fieldSigns {
				with[l.key][i] += b2i(strings.Contains(l.text, sign))
			}
		}
	}
	for i, of := range all {
		var out []leaf
		for _, l := range of {
			out = append(out, l)
			if total[l.key] < 2 {
				continue
			}
			for s, sign := range fieldSigns {
				if float64(with[l.key][s]) >= minParted*float64(total[l.key]) {
					out = append(out, l.parts(sign)...)
					break
				}
			}
		}
		all[i] = out
	}
}

// parts returns the parts of a text between signs, nothing where there is none.
func (l leaf) parts(sign string) []leaf {
	texts := strings.SplitN(l.text, sign, maxParts)
	if len(texts) < 2 {
		return nil
	}
	var out []leaf
	for i, text := range texts {
		if text = trimSigns(text); text != "" {
			out = append(out, leaf{key: pathHash(l.key, string(rune('0'+i))), text: text, node: l.node})
		}
	}
	return out
}
