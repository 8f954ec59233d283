package features

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// A term is one component of a vocabulary.
type term struct {
	block uint8
	text  string // a stem, several stems separated by spaces, or characters
	df    int    // number of documents with the term in this block
}

func compareTerms(a, b term) int {
	return cmp.Or(cmp.Compare(a.block, b.block), cmp.Compare(a.text, b.text))
}

// FitVectorizer returns a Vectorizer with options o. With o.Reference its vocabulary comes from ref, which
// must not be nil, otherwise from docs, which must not be empty. Fit it on training documents only.
// The order of docs has no effect.
func FitVectorizer(o Options, ref *DocumentFrequencies, docs []*Document) (*Vectorizer, error) {
	if err := o.check(); err != nil {
		return nil, fmt.Errorf("fit features: %w", err)
	}
	var terms []term
	var n int
	switch {
	case !o.Reference && len(docs) == 0:
		return nil, errors.New("fit features: there are no documents to collect a vocabulary from")
	case !o.Reference:
		terms, n = termsOf(o, docs), len(docs)
	case ref == nil:
		return nil, errors.New("fit features: the options need a reference corpus, but none is given")
	default:
		terms, n = ref.termsFor(o), ref.n
	}
	return newVectorizer(o, n, selectTerms(o, terms)), nil
}

// termsFor returns every term of the reference corpus for every text block.
func (ref *DocumentFrequencies) termsFor(o Options) []term {
	var terms []term
	for block, on := range o.readBlocks() {
		if !on || block >= textBlocks {
			continue
		}
		for _, t := range ref.terms {
			terms = append(terms, term{uint8(block), t, ref.df[t]})
		}
	}
	return terms
}

// A documentTally counts the documents of one term.
type documentTally struct {
	df   int
	last int // the document counted last
}

// termsOf counts in how many docs each term of each block occurs.
func termsOf(o Options, docs []*Document) []term {
	var terms []term
	for block, on := range o.readBlocks() {
		if !on || block >= textBlocks {
			continue
		}
		seen := make(map[string]*documentTally)
		for i, d := range docs {
			d.forEachTerm(block, o.NGrams, func(key []byte, _ int) {
				t := seen[string(key)]
				if t == nil {
					t = &documentTally{last: -1}
					seen[string(key)] = t
				}
				if t.last != i {
					t.df, t.last = t.df+1, i
				}
			})
		}
		for text, t := range seen { // sorted by selectTerms
			terms = append(terms, term{uint8(block), text, t.df})
		}
	}
	return terms
}

// selectTerms returns the terms that o keeps, in vocabulary order.
func selectTerms(o Options, terms []term) []term {
	terms = slices.DeleteFunc(terms, func(t term) bool { return t.df < o.MinDocs })
	most := cmp.Or(o.MaxTerms, MaxVocabulary)
	if len(terms) > most {
		slices.SortFunc(terms, func(a, b term) int { return cmp.Or(cmp.Compare(b.df, a.df), compareTerms(a, b)) })
		terms = terms[:most]
	}
	slices.SortFunc(terms, compareTerms)
	return terms
}
