package tagtreetest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// PlainList returns a page of a list with about n elements, by which the cost of SlowPages is
// measured.
func PlainList(n int) string {
	var b strings.Builder
	for i := range n / 3 {
		fmt.Fprintf(&b, "<div class=c%d><p>%d<p>%d</div>", i%7, i, 3*i)
	}
	return b.String()
}

// SlowPages returns pages with about n elements, by name. They cost quadratic time if an algorithm looks at
// pairs of siblings, or at all that is below each of many nested elements.
func SlowPages(n int) map[string]string {
	r := rand.New(rand.NewPCG(30, 2))
	names := []string{"p", "div", "b", "i", "span", "em", "h3", "ul", "a", "section"}
	var mixed, pairs, titled strings.Builder
	for range n {
		name := names[r.IntN(len(names))]
		fmt.Fprintf(&mixed, "<%s>x</%s>", name, name)
	}
	pairs.WriteString("<html><body>") // unknown names alone do not count as HTML
	for i := range n / 5 {
		fmt.Fprintf(&pairs, "<x%[1]d>a</x%[1]d><y>b</y><x%[1]d>a</x%[1]d><y>b</y><z%[1]d></z%[1]d>", i)
	}
	for range n / 2 {
		fmt.Fprintf(&titled, "<p id=%c%c>x<q>y</q></p>", 'a'+r.IntN(26), 'a'+r.IntN(26))
	}
	return map[string]string{
		"siblings of ten kinds":         mixed.String(),
		"pairs of siblings, each once":  pairs.String(),
		"siblings with different ids":   titled.String(),
		"siblings of one kind":          strings.Repeat("<p>x", n),
		"boxes in boxes":                strings.Repeat("<div><p>a</p><p>b</p>", n/3),
		"bold text in bold text":        strings.Repeat("<b><p>a</p><i>b</i>", n/3),
		"a list in bold, 399 deep":      strings.Repeat("<b>", 399) + strings.Repeat("<p>a", n),
		"tables in tables":              strings.Repeat("<table><tr><td>a<td>", n/4),
		"lists in lists":                strings.Repeat("<ul><li>a b<li>", n/3),
		"boxes in boxes without a text": strings.Repeat("<div>", n),
	}
}
