// Package field assigns fields of research and practice to an event. They are the fields of its known
// series; without a known series, a model predicts them from the title and topics.
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

// MaxFields is the maximum number of fields of one event.
const MaxFields = 3

// Limits on what is read of one event: the number of topics, and of words in all.
const (
	maxTopics = 100
	maxWords  = 600
)

// Minimum probabilities for assigning fields, and limits of the model's input.
const (
	leastShare      = 0.35 // minimum probability of the first field; below it an event has a general field or none
	secondShare     = 0.30 // minimum probability of each further field
	leastDiscipline = 0.50 // minimum probability of a discipline for assigning its general field
	leastComputing  = 0.60 // minimum sum over all disciplines of computing for assigning the general field of computing
	leastOfFirst    = 0.25 // minimum probability of a further field of a known series, as a fraction of the first field's
	leastPart       = 1e-4 // added to the probabilities of the record, the title and the topics, so that none of the three excludes a field
	leastTerms      = 2    // minimum number of words or pairs known to the model
)

var model = sync.OnceValue(func() *classify.LogLinear {
	data, err := readModel()
	if err == nil {
		var m *classify.LogLinear
		if m, err = classify.ReadLogLinear(bytes.NewReader(data)); err == nil {
			return m
		}
	}
	panic("field: field.model: " + err.Error()) // the model is embedded in the program and covered by tests
})

func readModel() ([]byte, error) {
	f, err := models.Files().Open("field.model")
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened only for reading: an error loses no data
	return io.ReadAll(f)
}

// OfSeries returns the ids of the fields in the record of a known series, at most MaxFields. They are sorted
// by the probability that the model gives them for the series' name and the title and topics of the
// edition. Fields below leastOfFirst times the first one's probability are left out, since a list may name
// three fields for all series of a category. Known has no side effects.
func OfSeries(s eventseer.Series, e eventseer.Event) (ids []string) {
	ids = fieldsOfWords(s.Fields)
	if len(ids) < 2 {
		return ids
	}
	e.Title += " " + s.Name
	shares := sharesOf(model(), e)
	if shares == nil {
		return ids[:min(len(ids), MaxFields)]
	}
	share := func(id string) float64 {
		i, _ := IndexOf(id)
		return shares[i]
	}
	slices.SortStableFunc(ids, func(a, b string) int { return cmp.Compare(share(b), share(a)) })
	least := share(ids[0]) * leastOfFirst
	ids = slices.DeleteFunc(ids, func(id string) bool { return share(id) < least })
	return ids[:min(len(ids), MaxFields)]
}

// fieldsOfWords returns the ids of the fields that words name, in the order of words and without duplicates.
func fieldsOfWords(words []string) (ids []string) {
	for _, word := range words {
		if f, ok := Named(word); ok && !slices.Contains(ids, f.ID) {
			ids = append(ids, f.ID)
		}
	}
	return ids
}

// Predict returns the ids of the fields predicted from an event's record, the most probable first, at most
// MaxFields. If only the discipline is probable, it returns the general field of the discipline; if no
// discipline is, it returns none. Predict has no side effects.
func Predict(e eventseer.Event) (ids []string) {
	return predict(model(), e)
}

func predict(m *classify.LogLinear, e eventseer.Event) (ids []string) {
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
		ids = generalField(shares)
	}
	return ids
}

// generalField returns the general field of the most probable discipline. If no discipline reaches
// leastDiscipline, it returns the general field of computing, provided that its disciplines together reach
// leastComputing. Otherwise it returns none.
func generalField(shares []float64) (ids []string) {
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

// sharesOf returns a probability for each field, in the order of All. It returns nil for an event with
// fewer than leastTerms words known to the model. The model is applied to the whole record, to its title
// and to each of its topics; the three results are multiplied, so that a long list of topics does not
// dominate the title.
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
	return toProbabilities(sum)
}

func countKnown(m *classify.LogLinear, terms []classify.Term) (known int) {
	for _, term := range terms {
		if _, weights := m.Weights(term.ID); len(weights) > 0 {
			known++
		}
	}
	return known
}

// meanOfTopics returns the mean of the probabilities predicted for each topic by itself. It returns nil if
// the model knows no word of any topic.
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
	return toProbabilities(scores)
}

// toProbabilities replaces log probabilities by probabilities with the sum 1. It modifies and returns scores.
func toProbabilities(scores []float64) []float64 {
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

// titleWeight is the weight of a word of the title; a word of a topic has weight 1.
const titleWeight = 2

// The first startLen bytes of a longer stem are also a term, so that "geogr" or "matem" matches words of
// related languages. Such a term has startWeight times the weight of its word.
const (
	startLen    = 5 // in bytes
	startWeight = 0.3
)

// TermsOf returns the model's input for an event: the stems and pairs of adjacent stems of the title and of
// each topic. A term's value is the square root of its summed weights; the vector is then scaled to length
// scale. It is empty for a record without words.
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
		for stem := range stemsOf(text) {
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

// stemsOf yields the stems of the words of a text, except numbers and single letters.
func stemsOf(text string) iter.Seq[string] {
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
