package match

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"eventseer/eventseer"
	"eventseer/features/dictionary"
)

// maxWays bounds the ways to say one term: itself and its synonyms.
const maxWays = 1 + dictionary.MaxSynonyms

// A compiled list is a query made ready to be held against texts.
type compiled struct {
	list     eventseer.List
	clauses  [][]*wanted
	excluded []*wanted
	anchors  []int32 // a text that holds none of them cannot match; nil of a list without
	timed    bool    // whether what it asks for depends on the day
}

// A wanted term is one term of one or many lists.
type wanted struct {
	eventseer.Term
	id     int // among the terms of its vocabulary
	exact  bool
	fields fieldSet                    // where its words may stand
	ways   []way                       // the term, then its synonyms; none of a term about a fact
	value  int32                       // key of the value asked for, or -1
	year   int                         // that a number may mean besides a word
	test   func(*eventseer.Facts) bool // of a fact that does not depend on the time
}

// A way is one sequence of words.
type way struct {
	text  string
	stems []int32
	words []int32
	stops []bool
	// from and to are the words without stop words at the ends: what is looked for in text.
	from, to int
	// loose says that the words stand anywhere in one field, as those of "self-driving".
	loose bool
}

// compileList reads a list's query. Its error is a *eventseer.QueryError.
func (v vocabulary) compileList(l eventseer.List, d *dictionary.Dictionary) (*compiled, error) {
	expr, err := eventseer.ParseQuery(l.Query)
	if err != nil {
		return nil, err
	}
	c := &compiled{list: l}
	for _, alternatives := range considered(expr.Clauses) {
		var clause []*wanted
		for _, t := range alternatives {
			clause = append(clause, v.term(t, l, false, d))
		}
		c.clauses = append(c.clauses, clause)
	}
	l.Synonyms = false // what is left out is what is written
	for _, t := range expr.Excluded {
		c.excluded = append(c.excluded, v.term(t, l, true, d))
	}
	for range c.timedTerms() {
		c.timed = true
	}
	return c, nil
}

// considered leaves out clauses of stop words alone where there are others.
func considered(clauses [][]eventseer.Term) [][]eventseer.Term {
	weak := func(clause []eventseer.Term) bool {
		return !slices.ContainsFunc(clause, func(t eventseer.Term) bool { return !isStop(t) })
	}
	strong := slices.DeleteFunc(slices.Clone(clauses), weak)
	if len(strong) == 0 {
		return clauses
	}
	return strong
}

// term returns a term of a list, the same for all lists that mean the same by it.
func (v vocabulary) term(t eventseer.Term, l eventseer.List, excluded bool, d *dictionary.Dictionary) *wanted {
	t.Pos = 0
	key := fmt.Sprintf("%q %q %q %t %d %t %t", t.Field, t.Op, t.Text, t.Phrase, t.Near, l.Exact, excluded)
	if l.Synonyms {
		key += fmt.Sprintf(" %q", l.Without)
	}
	w, ok := v.terms[key]
	if !ok {
		made := v.compileTerm(t, l, d)
		if excluded && isStop(t) {
			made.fields = anywhere
		}
		made.id = len(v.terms)
		w = &made
		v.terms[key] = w
	}
	return w
}

func (v vocabulary) compileTerm(t eventseer.Term, l eventseer.List, d *dictionary.Dictionary) wanted {
	w := wanted{Term: t, exact: l.Exact, value: -1}
	if t.IsFact() {
		if key := valueKey(t); key != "" {
			w.value = v.add(key)
		}
		if timeless(t) {
			w.test = t.Test(time.Time{})
		}
		return w
	}
	w.fields = fieldsOf(t)
	if t.Field == "" && isYear(t.Text) {
		w.year, _ = strconv.Atoi(t.Text)
		w.value = v.add("vyear:" + t.Text)
	}
	w.addWay(v, t.Text)
	if l.Synonyms && d != nil && t.Near == 0 {
		for _, s := range sameAs(t, l, d) {
			w.addWay(v, s)
		}
	}
	return w
}

// sameAs returns the synonyms of a term that its list takes.
func sameAs(t eventseer.Term, l eventseer.List, d *dictionary.Dictionary) []string {
	if t.Field != "" && t.Field != "title" && t.Field != "topic" || isStop(t) {
		return nil
	}
	left := func(s string) bool {
		return slices.ContainsFunc(l.Without, func(w string) bool { return strings.EqualFold(strings.TrimSpace(w), s) })
	}
	return slices.DeleteFunc(slices.Clone(d.Synonyms(t.Text)), left)
}

func (w *wanted) addWay(v vocabulary, text string) {
	if len(w.ways) == maxWays {
		return
	}
	y := way{text: text, from: -1, loose: !w.Phrase && w.Near == 0 && len(w.ways) == 0}
	for word := range dictionary.Words(text, "") {
		stop := stopWords[word.Text]
		y.stems = append(y.stems, v.add("s"+word.Stem))
		y.words = append(y.words, v.add("w"+eventseer.FoldPlace(word.Text)))
		y.stops = append(y.stops, stop)
		if !stop {
			y.to = len(y.words)
			if y.from < 0 {
				y.from = len(y.words) - 1
			}
		}
	}
	y.from = max(y.from, 0)
	y.loose = y.loose && len(y.words) > 1
	if len(y.words) > 0 {
		w.ways = append(w.ways, y)
	}
}

// anchor chooses the clause that the fewest lists may ask for, and of each of its terms
// the rarest key that a matching text must hold. used counts the lists of each key.
func (c *compiled) anchor(used []int32) {
	best := int64(-1)
	for _, clause := range c.clauses {
		keys, cost, ok := anchorsOf(clause, used)
		if ok && (best < 0 || cost < best) {
			c.anchors, best = keys, cost
		}
	}
}

func anchorsOf(clause []*wanted, used []int32) (keys []int32, cost int64, ok bool) {
	for _, w := range clause {
		if w.value < 0 && len(w.ways) == 0 {
			return nil, 0, false
		}
		if w.value >= 0 {
			keys = append(keys, w.value)
		}
		for k := range w.ways {
			keys = append(keys, rarest(w.keysOf(&w.ways[k]), used))
		}
	}
	for _, k := range keys {
		cost += int64(used[k])
	}
	return keys, cost, true
}

// keysOf returns the keys that a text with this way must have: those of its words that are
// compared everywhere. A word that is as written has also its stem, so that stems do for
// names too.
func (w *wanted) keysOf(y *way) []int32 {
	keys := y.stems
	if w.exact {
		keys = y.words
	}
	if y.to == 0 || w.exact { // stop words alone, or compared too
		return keys
	}
	var needed []int32
	for i, k := range keys {
		if !y.stops[i] {
			needed = append(needed, k)
		}
	}
	return needed
}

func rarest(keys []int32, used []int32) int32 {
	return slices.MinFunc(keys, func(a, b int32) int { return int(used[a]) - int(used[b]) })
}

// eachKey calls f with each key of a list's clauses.
func (c *compiled) eachKey(f func(int32)) {
	for _, clause := range c.clauses {
		for _, w := range clause {
			if w.value >= 0 {
				f(w.value)
			}
			for n := range w.ways {
				for _, k := range w.keysOf(&w.ways[n]) {
					f(k)
				}
			}
		}
	}
}
