package features

import (
	"fmt"
	"slices"
)

// Options say how documents become vectors. The zero value is of no use: start
// from Default or Thesis.
type Options struct {
	// Blocks are the blocks that are read, each at most once: Body, Title,
	// Headings, URL, Anchors, Structure. Their order has no meaning.
	Blocks []string
	// Keep is how many of a vector's heaviest text components are kept; equal
	// ones in vocabulary order. 0 keeps all. Structure is always kept.
	Keep int
	// Sublinear takes 1+log f for the frequency of a term instead of f/max f.
	Sublinear bool
	// Reference takes vocabulary and document frequencies from a reference
	// corpus, with weights log(N/df) as in paper 002; other terms are dropped.
	// Without it they come from the documents fitted, with weights
	// log(1+N/df), block by block.
	Reference bool
	// MinDocs leaves out terms that fewer documents of that corpus hold. 0 means 1.
	MinDocs int
	// MaxTerms keeps only the terms that most documents hold; equal ones in
	// vocabulary order. 0 keeps all, up to MaxVocabulary.
	MaxTerms int
	// Bigrams adds pairs of neighbouring terms of one run of text. It cannot
	// be combined with Reference.
	Bigrams bool
	// Normalize scales each text block of a vector to Euclidean length 1.
	Normalize bool
}

// MaxVocabulary is the largest number of terms a Vectorizer holds.
const MaxVocabulary = 1 << 20

// Thesis returns the options of paper 002, section 3.1: the forty heaviest
// components of the visible text over a reference vocabulary of stems.
func Thesis() Options {
	return Options{Blocks: []string{Body}, Keep: 40, Reference: true}
}

// Default returns the options of the shipped models.
func Default() Options {
	return Options{
		Blocks: []string{Body, Headings, URL, Structure}, Sublinear: true,
		MinDocs: 3, MaxTerms: 20_000, Bigrams: true, Normalize: true,
	}
}

// check returns an error for options that contradict each other.
func (o Options) check() error {
	if len(o.Blocks) == 0 {
		return fmt.Errorf("no blocks: name some of %q", blockNames)
	}
	seen := make(map[string]bool)
	for _, name := range o.Blocks {
		if !slices.Contains(blockNames[:], name) || seen[name] {
			return fmt.Errorf("block %q is unknown or named twice: name some of %q", name, blockNames)
		}
		seen[name] = true
	}
	if o.Keep < 0 || o.MinDocs < 0 || o.MaxTerms < 0 || o.MaxTerms > MaxVocabulary {
		return fmt.Errorf("keep %d, min docs %d, max terms %d: none may be negative, max terms at most %d",
			o.Keep, o.MinDocs, o.MaxTerms, MaxVocabulary)
	}
	if o.Reference && o.Bigrams {
		return fmt.Errorf("bigrams cannot be had with a reference corpus of single terms")
	}
	return nil
}

// reads returns which blocks are read, by number.
func (o Options) reads() (on [len(blockNames)]bool) {
	for i, name := range blockNames {
		on[i] = slices.Contains(o.Blocks, name)
	}
	return on
}
