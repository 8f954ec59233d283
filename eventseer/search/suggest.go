package search

import (
	"context"
	"strings"
	"unicode/utf8"

	"eventseer/eventseer/query"
	"eventseer/features/dictionary"
)

// Limits on the search for what misspelt words were meant to be.
const (
	maxMisspelt   = 4
	minSpelt      = 3 // runes
	maxSpelt      = 30
	maxCandidates = 5000
)

// instead returns a query of words spelt like those of one that finds nothing,
// and that finds something; "" if there is none.
func (f *finding) instead(ctx context.Context, x query.Expr) (string, error) {
	changed := 0
	other := query.Expr{Excluded: x.Excluded}
	for _, alternatives := range x.Clauses {
		var terms []query.Term
		for _, t := range alternatives {
			if !t.IsFact() && changed < maxMisspelt {
				n, err := f.respell(ctx, &t)
				if err != nil {
					return "", err
				}
				changed += n
			}
			terms = append(terms, t)
		}
		other.Clauses = append(other.Clauses, terms)
	}
	if changed == 0 {
		return "", nil
	}
	found, _, err := f.match(ctx, other, false)
	if err != nil || found.len() == 0 {
		return "", err
	}
	return other.String(), nil
}

// respell puts a known word in the place of each word of t that no event has, and
// returns how many.
func (f *finding) respell(ctx context.Context, t *query.Term) (changed int, err error) {
	var b strings.Builder
	end := 0
	for w := range dictionary.Words(t.Text, "") {
		if query.IsStopWord(w.Text) {
			continue
		}
		known, err := f.known(ctx, w.Text)
		if err != nil {
			return 0, err
		}
		if known || changed == maxMisspelt {
			continue
		}
		better, err := f.nearest(query.FoldPlace(w.Text))
		if err != nil {
			return 0, err
		}
		if better != "" {
			b.WriteString(t.Text[end:w.Start] + better)
			end = w.End
			changed++
		}
	}
	t.Text = b.String() + t.Text[end:]
	return changed, nil
}

// known tells whether an event has a word anywhere.
func (f *finding) known(ctx context.Context, word string) (bool, error) {
	found, err := f.set(ctx, f.anywhere(query.Term{Text: word}, 1))
	if err != nil {
		return false, err
	}
	found.keep(f.live)
	return found.len() > 0, nil
}

// nearest returns the word of titles, acronyms and topics that takes the fewest
// changes of a letter, at most two, and of those the most frequent.
func (f *finding) nearest(word string) (best string, err error) {
	letters := utf8.RuneCountInString(word)
	if letters < minSpelt || letters > maxSpelt || strings.Contains(word, " ") {
		return "", nil
	}
	most := 2
	if letters <= 4 {
		most = 1
	}
	dict, err := f.reader.FieldDictFuzzy("word", word, most, "")
	if err != nil {
		return "", err
	}
	defer func() { _ = dict.Close() }() // it holds nothing
	changes, count := most+1, uint64(0)
	for range maxCandidates {
		entry, err := dict.Next()
		if err != nil {
			return "", err
		}
		if entry == nil {
			break
		}
		n := distance(word, entry.Term)
		if n < changes || n == changes && entry.Count > count {
			best, changes, count = entry.Term, n, entry.Count
		}
	}
	return best, nil
}

// distance is how many letters must be put in, taken out, changed or swapped with
// the next to turn a into b.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	before, last, this := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := range x {
		this[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			this[j+1] = min(last[j]+cost, last[j+1]+1, this[j]+1)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				this[j+1] = min(this[j+1], before[j-1]+1)
			}
		}
		before, last, this = last, this, before
	}
	return last[len(y)]
}
