package match

import (
	"fmt"
	"slices"
	"strings"

	"eventseer/eventseer"
	"eventseer/eventseer/query"
	"eventseer/features/dictionary"
)

// A compiled list is a query made ready to be held against documents.
type compiled struct {
	*query.Program
	list    eventseer.List
	anchors []int32 // a document that has none of these keys cannot match; nil of a list without
	timed   bool    // whether what it asks for depends on the day
}

// compileList reads a list's query. Its error is a *query.Error.
func compileList(terms *query.Compiler, l eventseer.List, d *dictionary.Dictionary) (*compiled, error) {
	expr, err := query.Parse(l.Query)
	if err != nil {
		return nil, err
	}
	o := query.Options{Exact: l.Exact}
	if l.Synonyms && d != nil {
		o.Synonyms, o.Name = func(text string) []string { return sameAs(text, l, d) }, fmt.Sprintf("%q", l.Without)
	}
	c := &compiled{Program: terms.Compile(expr, o), list: l}
	for range c.timedTerms() {
		c.timed = true
	}
	return c, nil
}

// sameAs returns the synonyms of a text that its list takes.
func sameAs(text string, l eventseer.List, d *dictionary.Dictionary) []string {
	left := func(s string) bool {
		return slices.ContainsFunc(l.Without, func(w string) bool { return strings.EqualFold(strings.TrimSpace(w), s) })
	}
	return slices.DeleteFunc(slices.Clone(d.Synonyms(text)), left)
}

// anchor chooses the clause that the fewest lists may ask for, and of each of its terms
// the rarest key that a matching document must have. used counts the lists of each key.
func (c *compiled) anchor(used []int32) {
	best := int64(-1)
	for _, clause := range c.Clauses {
		keys, cost, ok := anchorsOf(clause, used)
		if ok && (best < 0 || cost < best) {
			c.anchors, best = keys, cost
		}
	}
}

func anchorsOf(clause []*query.Pattern, used []int32) (keys []int32, cost int64, ok bool) {
	for _, p := range clause {
		ways := p.Keys()
		if ways == nil {
			return nil, 0, false
		}
		for _, needed := range ways {
			keys = append(keys, rarest(needed, used))
		}
	}
	for _, k := range keys {
		cost += int64(used[k])
	}
	return keys, cost, true
}

func rarest(keys []int32, used []int32) int32 {
	return slices.MinFunc(keys, func(a, b int32) int { return int(used[a]) - int(used[b]) })
}

// eachKey calls f with each key of a list's clauses.
func (c *compiled) eachKey(f func(int32)) {
	for _, clause := range c.Clauses {
		for _, p := range clause {
			for _, keys := range p.Keys() {
				for _, k := range keys {
					f(k)
				}
			}
		}
	}
}
