// Package field assigns fields of research and practice to an event. They are those of its known
// series, otherwise those predicted by a model from its title and topics.
package field

import (
	"bytes"
	"cmp"
	"io"
	"iter"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/models"
)

// MaxFields bounds the fields of one event.
const MaxFields = 3

// Bounds on what is read of one event.
const (
	maxTopics = 100
	maxWords  = 600
)

// A choice is a field with its probability for the event.
const (
	leastShare      = 0.35 // probability of the first field; below it an event has none, or a general one
	secondShare     = 0.30 // probability of any further one
	leastDiscipline = 0.50 // probability of a discipline for its general field
	leastComputing  = 0.60 // probability of all disciplines of computing for the field computing
	leastOfFirst    = 0.25 // probability of a further field of a known series, relative to the first field
	leastPart       = 1e-4 // added to the probabilities of each part, so that no part excludes a field
	leastTerms      = 2    // words or pairs known to the model
)

var model = sync.OnceValue(func() *classify.LogLinear {
	data, err := readModel()
	if err == nil {
		var m *classify.LogLinear
		if m, err = classify.ReadLogLinear(bytes.NewReader(data)); err == nil {
			return m
		}
	}
	panic("field: field.model: " + err.Error()) // the model is included in the program and tested
})

func readModel() ([]byte, error) {
	f, err := models.Files().Open("field.model")
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	return io.ReadAll(f)
}

// Known returns the ids of the fields of a known series in its record, at most MaxFields. The most
// probable by the series' name and the title and topics of an edition come first. Much less
// probable ones are left out: a list may name three fields for all series of a category. It is
// pure.
func Known(s eventseer.Series, e eventseer.Event) (ids []string) {
	ids = known(s.Fields)
	if len(ids) < 2 {
		return ids
	}
	e.Title += " " + s.Name
	shares := sharesOf(model(), e)
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

// known returns the ids of the fields that words name, in order, each once.
func known(words []string) (ids []string) {
	for _, word := range words {
		if f, ok := Of(word); ok && !slices.Contains(ids, f.ID) {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// ByModel returns the ids of the fields predicted for an event's record, the most probable first,
// at most MaxFields. It is the general field of a discipline if only the discipline is probable,
// and none if no discipline is probable enough. It is pure.
func ByModel(e eventseer.Event) (ids []string) {
	return byModel(model(), e)
}

func byModel(m *classify.LogLinear, e eventseer.Event) (ids []string) {
	fields, _ := load()
	shares := sharesOf(m, e)
	if shares == nil {
		return nil
	}
	order := make([]int, len(fields))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(shares[b], shares[a]) })
	for n, i := range order[:MaxFields] {
		if n == 0 && shares[i] < leastShare || n > 0 && shares[i] < secondShare {
			break
		}
		ids = append(ids, fields[i].ID)
	}
	if ids == nil {
		ids = generalOf(shares)
	}
	return ids
}

// generalOf returns the general field of the most probable discipline, that of computing if its
// disciplines are probable together, or none.
func generalOf(shares []float64) (ids []string) {
	fields, _ := load()
	sums := map[string]float64{}
	for i, f := range fields {
		sums[f.Discipline] += shares[i]
		if ofComputing[f.Discipline] {
			sums[computing] += shares[i]
		}
	}
	for _, least := range []float64{leastDiscipline, leastComputing} {
		best := -1
		for i, f := range fields {
			if f.IsGeneral() && (least == leastComputing) == (f.Discipline == computing) && sums[f.Discipline] >= least && (best < 0 || sums[f.Discipline] > sums[fields[best].Discipline]) {
				best = i
			}
		}
		if best >= 0 {
			return []string{fields[best].ID}
		}
	}
	return nil
}

const computing = "Computing"

// ofComputing are the disciplines of computing.
var ofComputing = map[string]bool{
	"Artificial intelligence": true, "Data and information": true, "Security and privacy": true, "Systems and networks": true,
	"Software": true, "People and media": true,
}

// sharesOf returns a probability for each field, in the order of All; nil for an event with too few
// words known to the model. The model is applied to the record as a whole, its title and its topics
// one by one, and the results are multiplied, so that a long list of topics does not dominate the
// title.
func sharesOf(m *classify.LogLinear, e eventseer.Event) []float64 {
	terms := TermsOf(e)
	if countKnown(m, terms) < leastTerms {
		return nil
	}
	sum := make([]float64, m.Outputs())
	add := func(shares []float64) {
		for i, s := range shares {
			sum[i] += math.Log(s + leastPart)
		}
	}
	add(sharesOfTerms(m, terms))
	if title := TermsOf(eventseer.Event{Title: e.Title}); countKnown(m, title) > 0 {
		add(sharesOfTerms(m, title))
	}
	add(meanOfTopics(m, e.Topics))
	return normalize(sum)
}

func countKnown(m *classify.LogLinear, terms []classify.Term) (known int) {
	for _, term := range terms {
		if _, weights := m.Weights(term.ID); len(weights) > 0 {
			known++
		}
	}
	return known
}

// meanOfTopics returns the mean of the probabilities of the single topics; nil if the model knows
// no word of them.
func meanOfTopics(m *classify.LogLinear, topics []string) (mean []float64) {
	n := 0.0
	for _, topic := range topics[:min(len(topics), maxTopics)] {
		terms := TermsOf(eventseer.Event{Topics: []string{topic}})
		if countKnown(m, terms) == 0 {
			continue
		}
		if mean == nil {
			mean = make([]float64, m.Outputs())
		}
		for i, s := range sharesOfTerms(m, terms) {
			mean[i] += s
		}
		n++
	}
	for i := range mean {
		mean[i] /= n
	}
	return mean
}

func sharesOfTerms(m *classify.LogLinear, terms []classify.Term) []float64 {
	scores := make([]float64, m.Outputs())
	m.Scores(terms, scores)
	return normalize(scores)
}

// normalize makes probabilities of logarithms of shares, in place.
func normalize(scores []float64) []float64 {
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

// titleWeight is the weight of a word of the title; that of a topic's word is 1.
const titleWeight = 2

// The first bytes of a longer stem are also a term, so that words such as "geogr" or "matem" are
// recognised in related languages. Its weight is lower than that of the word.
const (
	startLen    = 5 // bytes
	startWeight = 0.3
)

// TermsOf returns the input of the model for an event: stems and pairs of stems of the title and of
// each topic. They are weighted by the root of their counts, a vector of length scale whatever the
// number of terms. It is empty for a record without words.
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
			if len(stem) > startLen {
				add("start", stem[:startLen], weight*startWeight)
			}
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

// scale is the length of the model's input vector.
const scale = 4

// stems yields the stems of words, without numbers and single letters.
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
