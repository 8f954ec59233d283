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
	next  map[edge]int32
	found [][]*keyword // keywords that end at each node
}

// An edge leads from a node by a stem or a word to the next.
type edge struct {
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

// A hit is an occurrence of a keyword at bytes of Tree.Text.
type hit struct {
	*keyword
	start, end int
}

// newMatcher compiles lists for texts in a language.
func newMatcher(lists []List, d *dictionary.Dictionary, lang string) *matcher {
	m := &matcher{lang: lang, next: make(map[edge]int32), found: make([][]*keyword, numRoots)}
	for i, l := range lists {
		for n, term := range slices.Concat(l.Terms, l.Not) {
			m.keyword(l, &keyword{list: i, term: term, not: n >= len(l.Terms)}, d)
		}
	}
	return m
}

// keyword adds a term of l, and unless it is an excluding one also its synonyms.
func (m *matcher) keyword(l List, k *keyword, d *dictionary.Dictionary) {
	root := stems
	if l.Exact {
		root = exact
	}
	m.add(root, k.term, k)
	if l.NoSynonyms || k.not || d == nil {
		return
	}
	for _, s := range d.Synonyms(k.term) {
		if checkTerm(s) == nil {
			m.add(root, s, k)
		}
	}
}

// add puts a keyword at the end of the path of a term's words.
func (m *matcher) add(root int32, term string, k *keyword) {
	node := root
	for w := range dictionary.Words(term, m.lang) {
		e := edge{node, key(root, w)}
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

// key returns the form by which a word is compared. Stop words are their own stems.
func key(root int32, w features.Word) string {
	if root == exact {
		return w.Text
	}
	return w.Stem
}

// find calls f for each occurrence in text, which begins at byte base of its page, in the order of
// their beginnings. If a term is a prefix of another both are found. The words of a phrase cannot
// be separated by punctuation.
func (m *matcher) find(text string, base int, f func(hit)) {
	var window [dictionary.MaxWords]features.Word // the words last read
	n := 0
	for w := range dictionary.Words(text, m.lang) {
		if n > 0 && parts(text[window[n-1].End:w.Start]) {
			m.rest(window[:n], base, f)
			n = 0
		}
		if n == len(window) {
			m.at(window[:n], base, f)
			copy(window[:], window[1:])
			n--
		}
		window[n] = w
		n++
	}
	m.rest(window[:n], base, f)
}

// rest reports the terms within the last words of a text.
func (m *matcher) rest(words []features.Word, base int, f func(hit)) {
	for i := range words {
		m.at(words[i:], base, f)
	}
}

// parts reports whether the text between two words prevents a phrase: it is more than spaces,
// hyphens and the like.
func parts(gap string) bool {
	return strings.ContainsAny(gap, ",;:!?()[]{}\"“”„«»•·|…。，、；：！？؟،") || strings.Contains(gap, ". ") || strings.Contains(gap, ".\n")
}

// at reports the terms at the beginning of words.
func (m *matcher) at(words []features.Word, base int, f func(hit)) {
	for root := range numRoots {
		node := root
		for _, w := range words {
			to, ok := m.next[edge{node, key(root, w)}]
			if !ok {
				break
			}
			node = to
			for _, k := range m.found[node] {
				f(hit{k, base + words[0].Start, base + w.End})
			}
		}
	}
}

// oneLine returns s with white space folded.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
