// Package field says of which fields of research and practice an event is: those of the
// series that it is known to be of, else those that a model tells by its title and topics.
package field

import (
	"bytes"
	"cmp"
	_ "embed"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"

	"eventseer/classify"
	"eventseer/eventseer"
	"eventseer/features"
	"eventseer/models"
)

//go:embed fields.tsv
var table string

// A Field is one field of research or practice. Fields are grouped into disciplines.
type Field struct {
	// ID is a word of lower-case letters that stays, "databases"; Name and Discipline are
	// for readers, Description says in a line what belongs to it.
	ID          string `json:"id"`
	Discipline  string `json:"discipline"`
	Name        string `json:"name"`
	Description string `json:"description"`
	// series are the words by which lists of series name it, in lower case; descriptors are
	// topics that belong to it, from which the model learns.
	series, descriptors []string
}

// MaxFields bounds the fields of one event.
const MaxFields = 3

// Bounds on what is read of one event.
const (
	maxTopics = 100
	maxWords  = 600
)

// A choice is a field with the probability that the event is of it.
const (
	leastShare   = 0.35 // probability of the first field; an event below has none
	secondShare  = 0.30 // probability of any further one
	leastOfFirst = 0.25 // of the first field's, of a further field of a known series
	leastTerms   = 2    // words or pairs that the model knows
)

var load = sync.OnceValues(func() ([]Field, map[string]int) {
	fields, err := parse(table)
	if err != nil {
		panic("field: " + err.Error()) // the table is part of the program, and tested
	}
	byWord := map[string]int{}
	for i, f := range fields {
		for _, word := range append([]string{f.ID, strings.ToLower(f.Name)}, f.series...) {
			byWord[word] = i
		}
	}
	return fields, byWord
})

var model = sync.OnceValue(func() *classify.LogLinear {
	data, err := readModel()
	if err == nil {
		var m *classify.LogLinear
		if m, err = classify.ReadLogLinear(bytes.NewReader(data)); err == nil {
			return m
		}
	}
	panic("field: field.model: " + err.Error()) // the model is part of the program, and tested
})

func readModel() ([]byte, error) {
	f, err := models.Files().Open("field.model")
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	return io.ReadAll(f)
}

// parse reads a table of fields: a field a line, six columns separated by tabs.
func parse(text string) (fields []Field, err error) {
	for n, line := range strings.Split(text, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		c := strings.Split(line, "\t")
		if len(c) != 6 || c[0] == "" || c[1] == "" || c[2] == "" || c[3] == "" || c[5] == "" {
			return nil, fmt.Errorf("fields.tsv, line %d: %d columns, want 6 that are not empty but for the fifth", n+1, len(c))
		}
		f := Field{ID: c[0], Discipline: c[1], Name: c[2], Description: c[3], descriptors: strings.Split(c[5], ";")}
		for word := range strings.SplitSeq(c[4], ";") {
			if word != "" {
				f.series = append(f.series, strings.ToLower(word))
			}
		}
		fields = append(fields, f)
	}
	return fields, nil
}

// Index returns the place of a field in All.
func Index(id string) (int, bool) {
	fields, byWord := load()
	i, ok := byWord[id]
	return i, ok && fields[i].ID == id
}

// Names returns the names of fields in one line, for readers; ids that name none are left out.
func Names(ids []string) string {
	fields, _ := load()
	var names []string
	for _, id := range ids {
		if i, ok := Index(id); ok {
			names = append(names, fields[i].Name)
		}
	}
	return strings.Join(names, ", ")
}

// All returns the fields in the order of the table, those of a discipline together or not.
func All() []Field {
	fields, _ := load()
	return slices.Clone(fields)
}

// Of returns the field of an id, or that a list of series or a reader calls so, in any case.
func Of(word string) (Field, bool) {
	fields, byWord := load()
	i, ok := byWord[strings.ToLower(strings.TrimSpace(word))]
	if !ok {
		return Field{}, false
	}
	return fields[i], true
}

// Known returns the ids of the fields of a known series, those that its record names, at
// most MaxFields, the likeliest by the series' name and its own words, title and topics of an
// edition, first. Of several those that are far less likely are left out: a list may name three
// fields for all series of a category. It is pure.
func Known(s eventseer.Series, e eventseer.Event) (ids []string) {
	ids = known(s.Fields)
	if len(ids) < 2 {
		return ids
	}
	e.Title += " " + s.Name
	shares := sharesOf(model(), TermsOf(e))
	if shares == nil {
		return ids[:min(len(ids), MaxFields)]
	}
	share := func(id string) float64 {
		i, _ := Index(id)
		return shares[i]
	}
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(share(b), share(a)) })
	least := share(ids[0]) * leastOfFirst
	ids = slices.DeleteFunc(ids, func(id string) bool { return share(id) < least })
	return ids[:min(len(ids), MaxFields)]
}

// known returns the ids of the fields that words name, in their order, each once.
func known(words []string) (ids []string) {
	for _, word := range words {
		if f, ok := Of(word); ok && !slices.Contains(ids, f.ID) {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// Told returns the ids of the fields that the model tells by what an event's record says, the
// likeliest first, at most MaxFields; none where no field is likely enough. It is pure.
func Told(e eventseer.Event) (ids []string) {
	return told(model(), e)
}

func told(m *classify.LogLinear, e eventseer.Event) (ids []string) {
	fields, _ := load()
	shares := sharesOf(m, TermsOf(e))
	if shares == nil {
		return nil
	}
	order := make([]int, len(fields))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(shares[b], shares[a])
	})
	for n, i := range order[:MaxFields] {
		if n == 0 && shares[i] < leastShare || n > 0 && shares[i] < secondShare {
			break
		}
		ids = append(ids, fields[i].ID)
	}
	return ids
}

// sharesOf returns a probability for each field; nil of an event of which the model knows too few words.
func sharesOf(m *classify.LogLinear, terms []classify.Term) []float64 {
	known := 0
	for _, term := range terms {
		if _, weights := m.Weights(term.ID); len(weights) > 0 {
			known++
		}
	}
	if known < leastTerms {
		return nil
	}
	fields, _ := load()
	scores := make([]float64, len(fields))
	m.Scores(terms, scores)
	most, sum := slices.Max(scores), 0.0
	for i := range scores {
		scores[i] = math.Exp(scores[i] - most)
		sum += scores[i]
	}
	for i := range scores {
		scores[i] /= sum
	}
	return scores
}

// titleWeight is how much a word of the title counts, one of a topic being 1.
const titleWeight = 2

// TermsOf returns what the model reads of an event: stems and pairs of them, of the title and
// of each topic, weighted by the root of their counts: a vector of length scale, however many
// terms there are. It is empty for a record without words.
func TermsOf(e eventseer.Event) []classify.Term {
	weights := map[uint32]float64{}
	var ids []uint32
	words := 0
	add := func(template, value string, weight float64) {
		id := classify.HashTerm(template, value)
		if weights[id] == 0 {
			ids = append(ids, id)
		}
		weights[id] += weight
	}
	read := func(text string, weight float64) {
		before := ""
		for stem := range stems(text) {
			if words++; words > maxWords {
				return
			}
			add("word", stem, weight)
			if before != "" {
				add("pair", before+" "+stem, weight)
			}
			before = stem
		}
	}
	read(e.Title, titleWeight)
	for _, topic := range e.Topics[:min(len(e.Topics), maxTopics)] {
		read(topic, 1)
	}
	terms := make([]classify.Term, 0, len(ids))
	var sum float64
	for _, id := range ids {
		w := math.Sqrt(weights[id])
		sum += w * w
		terms = append(terms, classify.Term{ID: id, Value: float32(w)})
	}
	for i := range terms {
		terms[i].Value *= float32(scale / math.Sqrt(sum))
	}
	return terms
}

// scale is the length of what the model reads of one event.
const scale = 4

// stems yields the stems of words but for numbers and single letters.
func stems(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for w := range features.Words(text, "en") {
			if strings.ContainsAny(w.Stem, "0123456789") || len(w.Stem) < 2 {
				continue
			}
			if !yield(w.Stem) {
				return
			}
		}
	}
}
