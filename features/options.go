package features

import (
	"errors"
	"fmt"
	"slices"
)

// Options control how documents become vectors. The zero value is not usable: start from Default or
// Thesis.
type Options struct {
	// Blocks are the blocks to read, each at most once: for pages by the names from BlockNames, for
	// links those of ReadLinks. Their order is irrelevant.
	Blocks []string
	// Weights is the weighting of terms. Zero means TFIDF.
	Weights Weighting
	// Keep is the number of a vector's heaviest text components to retain; equal ones in vocabulary
	// order. 0 retains all. Structure and Link are always retained.
	Keep int
	// Reference takes vocabulary and document frequencies from a reference
	// corpus, with inverse document frequencies log(N/df) as in paper 002; other
	// terms are dropped. Without it they come from the documents fitted, with
	// log(1+N/df), block by block. It cannot be combined with NGrams above 1
	// or Chars, for such a corpus is of single terms.
	Reference bool
	// MinDocs is the minimum number of documents with a term. 0 means 1.
	MinDocs int
	// MaxTerms is the maximum number of terms, those in most documents; equal ones in vocabulary
	// order. 0 means MaxVocabulary.
	MaxTerms int
	// NGrams adds combinations of two to NGrams adjacent terms of one run of text, 1 to 3. 0 means
	// 1: single terms. Terms of addresses and characters are not combined.
	NGrams int
	// Normalize scales each text block of a vector to Euclidean length 1.
	Normalize bool
	// Passages are the lengths in terms, at most maxPassageSizes, of parts of the body with
	// additional vectors, see Vectorizer.WithPassages.
	Passages []int
}

// A Weighting is the weight of a term that occurs f times in a block. Only TFIDF and Sublinear use
// idf, the inverse document frequency.
type Weighting uint8

// The weightings.
const (
	TFIDF     Weighting = iota // f / (f of the block's most frequent term) · idf (paper 002, section 3.1.1)
	Sublinear                  // (1 + log f) · idf
	Binary                     // 1
	Counts                     // f
)

var weightingNames = [...]string{"TF-IDF", "sublinear TF-IDF", "presence", "counts"}

// String returns the weighting in words, such as "sublinear TF-IDF".
func (w Weighting) String() string {
	if int(w) >= len(weightingNames) {
		return fmt.Sprintf("weighting %d", uint8(w))
	}
	return weightingNames[w]
}

// maxNGrams is the maximum number of terms in one component.
const maxNGrams = 3

// MaxVocabulary is the maximum number of terms of a Vectorizer.
const MaxVocabulary = 1 << 20

// ThesisOptions returns the options of paper 002, section 3.1: the forty heaviest
// components of the visible text over a reference vocabulary of stems.
func ThesisOptions() Options {
	return Options{Blocks: []string{Body}, Keep: 40, Reference: true}
}

// DefaultOptions returns the options of the shipped models.
func DefaultOptions() Options {
	return Options{
		Blocks: []string{Body, Headings, URL, Structure}, Weights: Sublinear,
		MinDocs: 3, MaxTerms: 20_000, NGrams: 2, Normalize: true,
	}
}

// check returns an error for options that contradict each other.
func (o Options) check() error {
	if len(o.Blocks) == 0 {
		return fmt.Errorf("no blocks are given: choose from %q", blockNames)
	}
	seen := make(map[string]bool)
	for _, name := range o.Blocks {
		if !slices.Contains(blockNames[:], name) || seen[name] {
			return fmt.Errorf("block %q is unknown or given twice: choose from %q", name, blockNames)
		}
		seen[name] = true
	}
	if o.Keep < 0 || o.MinDocs < 0 || o.MaxTerms < 0 || o.MaxTerms > MaxVocabulary {
		return fmt.Errorf("keep is %d, min docs %d, max terms %d: none may be negative, and max terms may be at most %d",
			o.Keep, o.MinDocs, o.MaxTerms, MaxVocabulary)
	}
	if int(o.Weights) >= len(weightingNames) || o.NGrams < 0 || o.NGrams > maxNGrams {
		return fmt.Errorf("weights is %d, n-grams is %d: weights must be 0 to %d, n-grams at most %d", o.Weights, o.NGrams, len(weightingNames)-1, maxNGrams)
	}
	if len(o.Passages) > maxPassageSizes || slices.ContainsFunc(o.Passages, func(n int) bool { return n < 1 || n > maxPassageTerms }) {
		return fmt.Errorf("passages have the lengths %d: there may be at most %d lengths of 1 to %d terms", o.Passages, maxPassageSizes, maxPassageTerms)
	}
	if o.Reference && (o.NGrams > 1 || seen[Chars]) {
		return errors.New("n-grams of words or characters cannot be used with a reference corpus, which has single terms only")
	}
	return nil
}

// readBlocks returns which blocks are read, by number.
func (o Options) readBlocks() (on [len(blockNames)]bool) {
	for i, name := range blockNames {
		on[i] = slices.Contains(o.Blocks, name)
	}
	return on
}
