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

// A counted is a word or pair in a text: its number of occurrences and its first position.
type counted struct {
	text      string
	n, appear int
}

// FromText builds a query from a text such as an abstract. It consists of its most frequent words
// and of the pairs of words that occur twice, joined by OR. Common words, numbers and words of less
// than three letters are left out. The index weights the words. A text without words gives "".
func FromText(words string) string {
	words = words[:min(len(words), maxTextRead)]
	singles, pairs := map[string]*counted{}, map[string]*counted{}
	last, lastEnd, at := "", 0, 0
	for w := range dictionary.Words(strings.ToValidUTF8(words, " "), "") {
		word := text.Fold(w.Text)
		at++
		if IsStopWord(word) || utf8.RuneCountInString(word) < 3 || strings.ContainsFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' }) {
			last = ""
			continue
		}
		count(singles, word, at)
		if last != "" && w.Start == lastEnd+1 {
			count(pairs, last+" "+word, at)
		}
		last, lastEnd = word, w.End
	}
	var terms []string
	for _, p := range most(pairs, maxTextPairs) {
		if p.n >= minPair {
			terms = append(terms, `"`+p.text+`"`)
		}
	}
	for _, w := range most(singles, maxTextWords) {
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

func count(all map[string]*counted, word string, at int) {
	if all[word] == nil {
		all[word] = &counted{text: word, appear: at}
	}
	all[word].n++
}

// most returns the n most frequent, the first in the text of equals.
func most(all map[string]*counted, n int) (list []*counted) {
	for _, c := range all {
		list = append(list, c)
	}
	slices.SortFunc(list, func(a, b *counted) int { return cmp.Or(b.n-a.n, a.appear-b.appear) })
	return list[:min(n, len(list))]
}
