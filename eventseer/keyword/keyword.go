// Package keyword finds the keywords of a call: noun phrases of its text, chosen by the part-of-speech tagger of the library
// prose. They are the words of algorithm 2 of paper 000 if no list is given: they search for similar calls.
package keyword

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/jdkato/prose/v2"
)

// Limits on the work for a text and on a phrase.
const (
	maxText  = 12_000 // bytes of a text that are read
	maxPiece = 1_000  // bytes tagged at once
	maxWords = 4      // words of a phrase
	minWord  = 3      // letters of a word
)

// An Extractor finds keywords. It is safe for concurrent use. The model of the tagger is loaded at first use and shared.
type Extractor struct{ model func() *prose.Model }

// New returns an extractor.
func New() *Extractor { return &Extractor{sync.OnceValue(loadModel)} }

// loadModel returns the tagger's model, or nil if it cannot be loaded.
func loadModel() *prose.Model {
	doc, err := prose.NewDocument("", prose.WithSegmentation(false), prose.WithExtraction(false))
	if err != nil {
		return nil
	}
	return doc.Model
}

// Phrases returns at most n keywords of a text, the best first: noun phrases that are frequent, early and of several words.
// Words of every call, such as "submission", are in none. It returns nil for a text that is not English, because the
// tagger knows no other language.
func (x *Extractor) Phrases(s string, n int) []string {
	s = text.CutValid(s, maxText)
	model := x.model()
	if model == nil || features.LangOf(s, "") != "en" {
		return nil
	}
	r := ranking{byKey: map[string]*candidate{}}
	for _, line := range strings.Split(s, "\n") {
		for len(line) > 0 {
			piece := text.CutValid(line, maxPiece)
			line = line[len(piece):]
			r.addPiece(piece, model)
		}
	}
	return r.best(n)
}

// A candidate is a phrase that may be a keyword.
type candidate struct {
	phrase string // as first written
	words  []string
	count  int
	first  int // number of the first word of the text that is part of it
}

// A ranking collects the candidates of a text.
type ranking struct {
	byKey map[string]*candidate // by stems
	words int                   // words read so far
}

// addPiece tags a piece of text and adds its noun phrases.
func (r *ranking) addPiece(piece string, model *prose.Model) {
	doc, err := prose.NewDocument(piece, prose.UsingModel(model), prose.WithSegmentation(false), prose.WithExtraction(false))
	if err != nil {
		return // prose returns an error for unknown options only
	}
	var run []prose.Token
	for _, t := range doc.Tokens() {
		r.words++
		if isPart(t) {
			run = append(run, t)
			continue
		}
		r.addRun(run)
		run = run[:0]
	}
	r.addRun(run)
}

// isPart reports whether a token can be part of a noun phrase: an adjective or noun that is not a word of every call.
func isPart(t prose.Token) bool {
	if !strings.HasPrefix(t.Tag, "NN") && !strings.HasPrefix(t.Tag, "JJ") {
		return false
	}
	letters := 0
	for _, c := range t.Text {
		switch {
		case unicode.IsLetter(c):
			letters++
		case c != '-':
			return false // a date, an address
		}
	}
	return letters >= minWord && !callWords[strings.ToLower(t.Text)] && !callWords[features.Stem(strings.ToLower(t.Text))]
}

// addRun adds the noun phrase at the end of a run of adjectives and nouns.
func (r *ranking) addRun(run []prose.Token) {
	for len(run) > 0 && !strings.HasPrefix(run[len(run)-1].Tag, "NN") {
		run = run[:len(run)-1]
	}
	if len(run) == 0 || len(run) > maxWords {
		return
	}
	var words, stems []string
	for _, t := range run {
		words = append(words, t.Text)
		stems = append(stems, features.Stem(strings.ToLower(t.Text)))
	}
	key := strings.Join(stems, " ")
	c := r.byKey[key]
	if c == nil {
		c = &candidate{phrase: strings.Join(words, " "), words: stems, first: r.words}
		r.byKey[key] = c
	}
	c.count++
}

// best returns the n phrases of the highest score, without those that share a word with a better one.
func (r *ranking) best(n int) (phrases []string) {
	tf := map[string]int{} // of stems, in all candidates
	var all []*candidate
	for _, c := range r.byKey {
		all = append(all, c)
		for _, w := range c.words {
			tf[w] += c.count
		}
	}
	slices.SortFunc(all, func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(b.score(tf, r.words), a.score(tf, r.words)), cmp.Compare(a.first, b.first), cmp.Compare(a.phrase, b.phrase))
	})
	used := map[string]bool{}
	for _, c := range all {
		if len(phrases) == n {
			break
		}
		if slices.ContainsFunc(c.words, func(w string) bool { return used[w] }) {
			continue
		}
		for _, w := range c.words {
			used[w] = true
		}
		phrases = append(phrases, c.phrase)
	}
	return phrases
}

// score is the mean frequency of the words, more for phrases of several words and for the first half of the text.
func (c *candidate) score(tf map[string]int, words int) float64 {
	sum := 0.0
	for _, w := range c.words {
		sum += math.Log(1 + float64(tf[w]))
	}
	early := 1 - 0.5*float64(c.first)/float64(max(1, words))
	return sum / math.Sqrt(float64(len(c.words))) * math.Log(2+float64(c.count)) * early
}
