package clip

import (
	"slices"
	"strings"

	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/dictionary"
)

// A matcher finds the terms of many lists in a text of one language at once. It has a trie over
// stems and one over words as written, so that a text needs at most dictionary.MaxWords steps per
// word in each, whatever the number of terms.
type matcher struct {
	lang  string
	next  map[matcherEdge]int32
	found [][]*keyword // keywords that end at each node
}

// A matcherEdge leads from a node by a stem or a word to the next.
type matcherEdge struct {
	node int32
	word string
}

// Roots of the two tries.
const (
	stems int32 = iota
	exact
	numRoots
)

// A keyword is a term of a list.
type keyword struct {
	list int // index into Options.Lists
	term string
	not  bool
}

// A keywordHit is an occurrence of a keyword at bytes of Tree.Text.
type keywordHit struct {
	*keyword
	start, end int
}

// newMatcher compiles lists for texts in a language.
func newMatcher(lists []List, d *dictionary.Dictionary, lang string) *matcher {
	m := &matcher{lang: lang, next: make(map[matcherEdge]int32), found: make([][]*keyword, numRoots)}
	for i, l := range lists {
		for n, term := range slices.Concat(l.Terms, l.Not) {
			m.addKeyword(l, &keyword{list: i, term: term, not: n >= len(l.Terms)}, d)
		}
	}
	return m
}

// addKeyword adds a term of l, and unless it is an excluding one also its synonyms.
func (m *matcher) addKeyword(l List, k *keyword, d *dictionary.Dictionary) {
	root := stems
	if l.Exact {
		root = exact
	}
	m.addTerm(root, k.term, k)
	if l.NoSynonyms || k.not || d == nil {
		return
	}
	for _, s := range d.Synonyms(k.term) {
		if checkTerm(s) == nil {
			m.addTerm(root, s, k)
		}
	}
}

// addTerm puts a keyword at the end of the path of a term's words.
func (m *matcher) addTerm(root int32, term string, k *keyword) {
	node := root
	for w := range dictionary.Words(term, m.lang) {
		e := matcherEdge{node, wordKey(root, w)}
		to, ok := m.next[e]
		if !ok {
			to = int32(len(m.found))
			m.found = append(m.found, nil)
			m.next[e] = to
		}
		node = to
	}
	if node != root {
		m.found[node] = append(m.found[node], k)
	}
}

// wordKey returns the form by which a word is compared. Stop words are their own stems.
func wordKey(root int32, w features.Word) string {
	if root == exact {
		return w.Text
	}
	return w.Stem
}

// findTerms calls f for each occurrence in text, which begins at byte base of its page, in the order of
// their beginnings. If a term is a prefix of another both are found. The words of a phrase cannot
// be separated by punctuation.
func (m *matcher) findTerms(text string, base int, f func(keywordHit)) {
	var window [dictionary.MaxWords]features.Word // the words last read
	n := 0
	for w := range dictionary.Words(text, m.lang) {
		if n > 0 && preventsPhrase(text[window[n-1].End:w.Start]) {
			m.findInLastWords(window[:n], base, f)
			n = 0
		}
		if n == len(window) {
			m.findAt(window[:n], base, f)
			copy(window[:], window[1:])
			n--
		}
		window[n] = w
		n++
	}
	m.findInLastWords(window[:n], base, f)
}

// findInLastWords reports the terms within the last words of a text.
func (m *matcher) findInLastWords(words []features.Word, base int, f func(keywordHit)) {
	for i := range words {
		m.findAt(words[i:], base, f)
	}
}

// preventsPhrase reports whether the text between two words prevents a phrase: it is more than spaces,
// hyphens and the like.
func preventsPhrase(gap string) bool {
	return strings.ContainsAny(gap, ",;:!?()[]{}\"“”„«»•·|…。，、；：！？؟،") || strings.Contains(gap, ". ") || strings.Contains(gap, ".\n")
}

// findAt reports the terms at the beginning of words.
func (m *matcher) findAt(words []features.Word, base int, f func(keywordHit)) {
	for root := range numRoots {
		node := root
		for _, w := range words {
			to, ok := m.next[matcherEdge{node, wordKey(root, w)}]
			if !ok {
				break
			}
			node = to
			for _, k := range m.found[node] {
				f(keywordHit{k, base + words[0].Start, base + w.End})
			}
		}
	}
}

// foldSpaces returns s with white space folded.
func foldSpaces(s string) string { return strings.Join(strings.Fields(s), " ") }
