package query

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/dictionary"
	"github.com/eventseer/eventseer/internal/text"
)

// Limits of FromText.
const (
	maxTextRead  = 20_000 // bytes of a text that are read
	maxTextWords = 40     // words of the query
	maxTextPairs = 15     // phrases of the query
	minPair      = 2      // minimum occurrences of a phrase in the text
)

// A wordCount is a word or pair in a text: its number of occurrences and its first position.
type wordCount struct {
	text      string
	n, appear int
}

// FromText builds a query from a text such as an abstract. It consists of its most frequent words
// and of the pairs of words that occur twice, joined by OR. Common words, numbers and words of less
// than three letters are left out. The index weights the words. A text without words gives "".
func FromText(words string) string {
	words = words[:min(len(words), maxTextRead)]
	singles, pairs := map[string]*wordCount{}, map[string]*wordCount{}
	last, lastEnd, at := "", 0, 0
	for w := range dictionary.Words(strings.ToValidUTF8(words, " "), "") {
		word := text.FoldForComparison(w.Text)
		at++
		if IsStopWord(word) || utf8.RuneCountInString(word) < 3 || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
			last = ""
			continue
		}
		countWord(singles, word, at)
		if last != "" && w.Start == lastEnd+1 {
			countWord(pairs, last+" "+word, at)
		}
		last, lastEnd = word, w.End
	}
	var terms []string
	for _, p := range mostFrequent(pairs, maxTextPairs) {
		if p.n >= minPair {
			terms = append(terms, `"`+p.text+`"`)
		}
	}
	for _, w := range mostFrequent(singles, maxTextWords) {
		terms = append(terms, w.text)
	}
	query := ""
	for _, t := range terms {
		if longer := strings.TrimPrefix(query+" OR "+t, " OR "); len(longer) <= MaxText {
			query = longer
		}
	}
	return query
}

func countWord(all map[string]*wordCount, word string, at int) {
	if all[word] == nil {
		all[word] = &wordCount{text: word, appear: at}
	}
	all[word].n++
}

// mostFrequent returns the n most frequent, the first in the text of equals.
func mostFrequent(all map[string]*wordCount, n int) (list []*wordCount) {
	for _, c := range all {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *wordCount) int { return cmp.Or(b.n-a.n, a.appear-b.appear) })
	return list[:min(n, len(list))]
}
