package series

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/text"
)

// shipped is the table that README.md describes.
//
//go:embed shipped.jsonl
var shipped []byte

// Shipped returns the table of series included in the program.
var Shipped = sync.OnceValue(func() *Table {
	rows, _, errs := Read(shipped, "shipped.jsonl")
	if len(errs) > 0 {
		panic(errs[0]) // a test reads the table
	}
	return NewTable(rows)
})

// A Table is a set of known series in which the series of a page can be found. It is immutable and
// safe for concurrent use.
type Table struct {
	rows    []row // in order of id
	byID    map[string]int
	acronym map[string][]int    // acronymKey → rows
	word    map[string][]int    // word of a name → rows
	site    map[string][]int    // key of an address → rows
	rarity  map[string]int      // of the words of names, see weighWords
	spelled map[string][]string // acronym as written → acronymKey
	parsed  map[string]name     // full names in compared form, without weights
	cache   seriesCache         // of Of
}

// A row is a series prepared for comparison.
type row struct {
	eventseer.Series
	names        []name
	spellings    []string        // of the acronyms
	acronymWords map[string]bool // stems
}

// A name is a full name prepared for comparison.
type name struct {
	words  map[string]bool
	weight int // sum of the rarity of its words
	kind   eventKind
	frame  string // see eventTypeWords
}

// NewTable makes a table of rows. Of rows with one id the last is used. A row merged into another
// is found as the other.
func NewTable(rows []eventseer.Series) *Table { return newTable(rows, nil) }

// WithRows returns a table of the rows of t and of further ones, which take precedence over those with
// the same id. It is cheaper than a new table of all rows.
func (t *Table) WithRows(rows []eventseer.Series) *Table {
	if len(rows) == 0 {
		return t
	}
	return newTable(append(t.All(), rows...), t.parsed)
}

// newTable returns a table; parsed are full names in compared form from another table.
func newTable(rows []eventseer.Series, parsed map[string]name) *Table {
	t := &Table{
		byID: map[string]int{}, acronym: map[string][]int{}, word: map[string][]int{}, site: map[string][]int{},
		rarity: map[string]int{}, spelled: map[string][]string{}, parsed: map[string]name{},
	}
	byID := map[string]eventseer.Series{}
	for _, s := range rows {
		byID[s.ID] = s
	}
	for _, id := range slices.Sorted(maps.Keys(byID)) {
		t.byID[id] = len(t.rows)
		t.rows = append(t.rows, row{Series: byID[id]})
		for _, full := range NamesOf(byID[id]) {
			n, known := parsed[full]
			if !known {
				n = name{words: nameWords(full), kind: kindOf(full), frame: eventTypeWords(full)}
			}
			t.parsed[full] = n
		}
	}
	t.weighWords()
	for i := range t.rows {
		t.indexRow(i)
	}
	return t
}

// weighWords computes the rarity of each word of names: a thousand times the negative natural
// logarithm of the share of series with it.
func (t *Table) weighWords() {
	having := map[string]int{}
	for _, r := range t.rows {
		words := map[string]bool{}
		for _, full := range NamesOf(r.Series) {
			maps.Copy(words, t.parsed[full].words)
		}
		for w := range words {
			having[w]++
		}
	}
	for w, n := range having {
		t.rarity[w] = max(100, int(1000*math.Log(float64(len(t.rows)+1)/float64(n))))
	}
}

// rarityOf returns the rarity of a word; an unknown word counts as a word of one name.
func (t *Table) rarityOf(word string) int {
	if w, ok := t.rarity[word]; ok {
		return w
	}
	return int(1000 * math.Log(float64(len(t.rows)+2)))
}

func (t *Table) sumRarity(words map[string]bool) (sum int) {
	for w := range words {
		sum += t.rarityOf(w)
	}
	return sum
}

// maxShortName is the maximum number of words of a name that replaces a missing acronym.
const maxShortName = 3

// indexRow adds a row to the maps by which it is found.
func (t *Table) indexRow(i int) {
	r := &t.rows[i]
	found := i
	if into, ok := t.followMerge(i); ok {
		found = into
	}
	add := func(m map[string][]int, key string) {
		if key != "" && !slices.Contains(m[key], found) {
			m[key] = append(m[key], found)
		}
	}
	into := &t.rows[found]
	if into.acronymWords == nil {
		into.acronymWords = map[string]bool{}
	}
	acronyms := AcronymsOf(r.Series)
	if len(acronyms) == 0 && len(strings.Fields(r.Name)) <= maxShortName {
		acronyms = []string{r.Name} // "PyCon UK"
	}
	for _, a := range acronyms {
		for _, w := range strings.Fields(text.FoldForComparison(a)) {
			into.acronymWords[stem(w)] = true
		}
		for _, spelling := range spellings(a) {
			into.spellings = append(into.spellings, spelling)
			key := acronymKey(spelling)
			add(t.acronym, key)
			if isSpelled(spelling) && !slices.Contains(t.spelled[spelling], key) {
				t.spelled[spelling] = append(t.spelled[spelling], key)
			}
		}
	}
	for _, site := range r.Sites {
		add(t.site, site)
	}
	for _, full := range NamesOf(r.Series) {
		n := t.parsed[full]
		for w := range n.words {
			add(t.word, w)
		}
		n.weight = t.sumRarity(n.words)
		into.names = append(into.names, n)
	}
}

// followMerge follows a row to the one into which it was merged; ok is false if it was not merged, or
// in a circle.
func (t *Table) followMerge(i int) (into int, ok bool) {
	for range maxChain {
		next, known := t.byID[t.rows[i].Into]
		if t.rows[i].Into == "" || !known {
			return i, ok
		}
		i, ok = next, true
	}
	return i, false
}

// Get returns a series of the table, following merges.
func (t *Table) Get(id string) (eventseer.Series, bool) {
	i, ok := t.byID[id]
	if !ok {
		return eventseer.Series{}, false
	}
	into, _ := t.followMerge(i)
	return t.rows[into].Series, true
}

// WithoutMerges returns the table's data on a series itself, without following merges.
func (t *Table) WithoutMerges(id string) (eventseer.Series, bool) {
	i, ok := t.byID[id]
	if !ok {
		return eventseer.Series{}, false
	}
	return t.rows[i].Series, true
}

// Has reports whether the table has a series of this id.
func (t *Table) Has(id string) bool {
	_, ok := t.byID[id]
	return ok
}

// All returns the series of the table in order of id, including merged ones.
func (t *Table) All() []eventseer.Series {
	all := make([]eventseer.Series, len(t.rows))
	for i, r := range t.rows {
		all[i] = r.Series
	}
	return all
}

// Named returns the ids, at most a few, of the series that a text names. It may name them by the
// acronym, in any case and with or without year and sponsor, or by the whole name.
func (t *Table) Named(words string) (ids []string) {
	words = WithoutYears(text.CutName(words))
	add := func(i int) {
		if id := t.rows[i].ID; !slices.Contains(ids, id) && len(ids) < maxNamed {
			ids = append(ids, id)
		}
	}
	bare := strings.Fields(words)
	for len(bare) > 1 && sponsors[strings.ToLower(bare[0])] {
		bare = bare[1:]
	}
	for _, s := range append(spellings(words), strings.Join(bare, " ")) {
		for _, i := range t.acronym[acronymKey(s)] {
			add(i)
		}
	}
	frame := eventTypeWords(words) // "machine learning" is a topic, with "conference" it is a name
	if wanted := nameWords(words); len(ids) == 0 && frame != "" {
		for _, i := range t.rowsOfWords(wanted) {
			if slices.ContainsFunc(t.rows[i].names, func(n name) bool { return n.frame == frame && maps.Equal(n.words, wanted) }) {
				add(i)
			}
		}
	}
	return ids
}

const maxNamed = 8

// KnownSeriesOf returns the part of a record about the series of an event, with the evidence that t finds
// for it. It is nil if only the id of the series is known. ranks are the newest rank of each
// system.
func (t *Table) KnownSeriesOf(e eventseer.Event, s eventseer.Series, ranks []eventseer.Rank) *eventseer.KnownSeries {
	if s.Name == "" && s.Acronym == "" && len(ranks) == 0 {
		return nil
	}
	known := &eventseer.KnownSeries{ID: s.ID, Name: s.Name, Acronym: s.Acronym, Fields: s.Fields, Homepage: s.Homepage, Ranks: ranks}
	if m, ok := t.Match(PageOf(e)); ok && m.Series.ID == s.ID {
		known.Evidence = map[string]string{}
		for w, what := range m.Evidence {
			known.Evidence[string(w)] = what
		}
	}
	return known
}

// NamesOf returns all full names of a series, the first its present one.
func NamesOf(s eventseer.Series) []string { return nonEmpty(s.Name, s.Names) }

// AcronymsOf returns all acronyms of a series, the first its present one.
func AcronymsOf(s eventseer.Series) []string { return nonEmpty(s.Acronym, s.Acronyms) }

func nonEmpty(first string, others []string) (all []string) {
	for _, s := range append([]string{first}, others...) {
		if s != "" && !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	return all
}

// Combine combines two records of a series: each field is that of own if set, otherwise that of
// base. Ranks replace those of their system and year, rates those of their year.
func Combine(base, own eventseer.Series) eventseer.Series {
	out := eventseer.Series{
		ID: cmp.Or(own.ID, base.ID), Name: cmp.Or(own.Name, base.Name), Acronym: cmp.Or(own.Acronym, base.Acronym),
		Names: firstNonEmptyList(own.Names, base.Names), Acronyms: firstNonEmptyList(own.Acronyms, base.Acronyms), Fields: firstNonEmptyList(own.Fields, base.Fields),
		Homepage: base.Homepage, HomepageYear: base.HomepageYear, Sites: firstNonEmptyList(own.Sites, base.Sites), Months: firstNonEmptyList(own.Months, base.Months),
		Parent: cmp.Or(own.Parent, base.Parent), Into: cmp.Or(own.Into, base.Into),
		DBLP: cmp.Or(own.DBLP, base.DBLP), Wikidata: cmp.Or(own.Wikidata, base.Wikidata), Sources: firstNonEmptyList(own.Sources, base.Sources),
	}
	if own.Homepage != "" {
		out.Homepage, out.HomepageYear = own.Homepage, own.HomepageYear
	}
	out.Ranks = replaceIn(base.Ranks, own.Ranks, func(a, b eventseer.Rank) int {
		return cmp.Or(strings.Compare(a.System, b.System), cmp.Compare(b.Year, a.Year))
	})
	out.Rates = replaceIn(base.Rates, own.Rates, func(a, b eventseer.Rate) int { return cmp.Compare(b.Year, a.Year) })
	return out
}

func firstNonEmptyList[T any](own, base []T) []T {
	if len(own) > 0 {
		return own
	}
	return base
}

// replaceIn merges add into old in sorted order; of equal values the last is used.
func replaceIn[T any](old, add []T, order func(a, b T) int) (out []T) {
	for _, v := range slices.Concat(old, add) {
		i, found := slices.BinarySearchFunc(out, v, order)
		if found {
			out[i] = v
		} else {
			out = slices.Insert(out, i, v)
		}
	}
	return out
}

// Merged returns the series into with the data of from. It has the names, acronyms, fields and
// sites of both, and ranks and months of from if into has none.
func Merged(into, from eventseer.Series) eventseer.Series {
	union := func(own []string, first string, others []string) []string {
		out := slices.Clone(own)
		for _, s := range nonEmpty(first, others) {
			if !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
		return out
	}
	without := func(list []string, first string) []string {
		return slices.DeleteFunc(list, func(s string) bool { return s == first })
	}
	out := Combine(from, into)
	out.ID, out.Into, out.Parent = into.ID, "", into.Parent
	out.Names = without(union(into.Names, from.Name, from.Names), out.Name)
	out.Acronyms = without(union(into.Acronyms, from.Acronym, from.Acronyms), out.Acronym)
	out.Fields, out.Sites, out.Sources = union(into.Fields, "", from.Fields), union(into.Sites, "", from.Sites), union(into.Sources, "", from.Sources)
	return out
}

// A Cycle is a series whose parents, or whose merges, lead back to it.
type Cycle struct {
	ID  string
	Err error
}

// Cycles returns the circles of a table, in order of id.
func Cycles(rows []eventseer.Series) (circles []Cycle) {
	byID := map[string]eventseer.Series{}
	for _, s := range rows {
		byID[s.ID] = s
	}
	ids := slices.Sorted(maps.Keys(byID))
	for _, link := range []struct {
		what string
		next func(eventseer.Series) string
	}{
		{"parents", func(s eventseer.Series) string { return s.Parent }},
		{"merges", func(s eventseer.Series) string { return s.Into }},
	} {
		for _, id := range ids {
			path := []string{id}
			for at := link.next(byID[id]); at != "" && len(path) <= maxChain; at = link.next(byID[at]) {
				if path = append(path, at); at == id {
					path := text.OneLine(strings.Join(path, " → "), 200)
					circles = append(circles, Cycle{id, fmt.Errorf("%w %q: following its %s leads back to it: %s", ErrBad, id, link.what, path)})
					break
				}
			}
		}
	}
	return circles
}

// maxChain bounds the series on the way to a topmost parent, or through merges.
const maxChain = 100
