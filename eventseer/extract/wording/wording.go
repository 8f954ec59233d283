// Package wording reads the label of a date in any of the languages of calls. It returns the concepts that
// the label's words mean, such as abstract, send or notify. The caller interprets combinations of concepts,
// so a rule found in one language applies to all languages.
package wording

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/internal/text"
)

// A ConceptSet is a set of concepts.
type ConceptSet uint32

// The concepts that words of labels mean.
const (
	Abstract      ConceptSet = 1 << iota
	Paper                    // a submitted text or talk: paper, manuscript, article
	Proposal                 // a proposal for a part of an event
	Send                     // submitting or receiving
	Due                      // a deadline or last day
	Until                    // "until" or "by" before a day
	Tell                     // notification, a decision or results
	Communication            // in Romance languages, a paper or a notification
	Accept                   // accepted or acceptance
	Final
	Corrected
	Version
	Register // registration
	Event    // a conference, workshop or similar event
	Session  // a session of an event
	Held     // taking place, or the date of an event
	Open     // opening or beginning
	Review
	Programme
	Update // the last change of the page
	Poster
	Demo
	Workshops // workshops that are proposed
	Tutorial
	Doctoral
	Author // an author or another participant
	Pay
	And
)

// Has reports whether s contains at least one concept of o.
func (s ConceptSet) Has(o ConceptSet) bool { return s&o != 0 }

// MaxBytes is the number of bytes read of a label.
const MaxBytes = 400

// A LabelMeaning is the meaning of a label.
type LabelMeaning struct {
	Words   []ConceptSet // concepts of the words that have any, in printed order
	All     ConceptSet   // union of Words
	Foreign bool         // the label is not in English
}

// ReadLabel returns the concepts of a label. It is safe for concurrent use.
func ReadLabel(label string) LabelMeaning {
	s := text.FoldForComparison(text.CutBytes(label, MaxBytes))
	t := trie()
	var r LabelMeaning
	begins, last := true, ConceptSet(0) // last is the concept of the previous word, 0 if it has none
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		if c == ' ' {
			begins = true
			i += size
			continue
		}
		m := t.longestEntry(s[i:], begins || joinsArticles(c), hasNoSpaces(c))
		if m.length == 0 {
			begins, i = false, i+size
			continue
		}
		concept := m.entry.concept
		if (concept == Final && last == Due || concept == Due && last == Final) && !hasNoSpaces(c) {
			r.dropFinal()
			if concept == Final {
				concept = Due
			}
		}
		r.Words, r.All = append(r.Words, concept), r.All|concept
		r.Foreign = r.Foreign || !m.entry.english && concept != And
		i += m.length
		begins, last = false, concept
	}
	r.Foreign = (r.Foreign || r.All != 0 && hasForeignLetters(label)) && !hasWord(label, englishWords)
	return r
}

// hasForeignLetters reports whether a label has letters outside ASCII, or articles or prepositions of other
// languages.
func hasForeignLetters(label string) bool {
	for i := range len(label) {
		if label[i] >= utf8.RuneSelf {
			c, _ := utf8.DecodeRuneInString(label[i:])
			if unicode.IsLetter(c) {
				return true
			}
		}
	}
	return hasWord(label, smallWords)
}

func hasWord(label string, words map[string]bool) bool {
	for w := range strings.FieldsSeq(label) {
		if words[strings.ToLower(w)] {
			return true
		}
	}
	return false
}

// englishWords are common English words. A label with one of them is English, even if it contains foreign
// names.
var englishWords = text.WordSet("the and with be are should must your you from this been has their we")

// smallWords are articles and prepositions of other languages that are not English words.
var smallWords = text.WordSet("de des du la le les los las del della dei degli di dos das der und zur zum von van voor het av af til")

// dropFinal removes Final as the last concept: a final deadline is not the deadline of a final version.
func (r *LabelMeaning) dropFinal() {
	if n := len(r.Words); n > 0 && r.Words[n-1] == Final {
		r.Words = r.Words[:n-1]
		r.All = 0
		for _, w := range r.Words {
			r.All |= w
		}
	}
}

// hasNoSpaces reports whether r belongs to a script without spaces between words.
func hasNoSpaces(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Thai, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana)
}

// joinsArticles reports whether r belongs to a script that joins articles and prepositions to the next word.
func joinsArticles(r rune) bool {
	return r >= 0x0590 && unicode.In(r, unicode.Hebrew, unicode.Arabic)
}

// A glossaryEntry is one of the strings of the glossary, with its concept. It is stored at the node of its last byte.
type glossaryEntry struct {
	concept ConceptSet
	english bool // also an English word
	inside  bool // may begin inside a word
	whole   bool // matches whole words only
}

// A trieNode is a node of the trie of the glossary, one byte per step.
type trieNode struct {
	next    map[byte]*trieNode
	entries []glossaryEntry
	inside  bool // an entry at this node or below may begin inside a word
}

type glossaryMatch struct {
	length int
	entry  glossaryEntry
}

// longestEntry returns the longest entry at the start of s; its length is 0 for none. begins means that s starts
// at the beginning of a word. anywhere allows matches at any position.
func (n *trieNode) longestEntry(s string, begins, anywhere bool) (best glossaryMatch) {
	for i := 0; i < len(s); i++ {
		if n = n.next[s[i]]; n == nil || !n.inside && !begins && !anywhere {
			return best
		}
		for _, e := range n.entries {
			if !begins && !anywhere && !e.inside {
				continue
			}
			if e.whole && !anywhere && i+1 < len(s) && s[i+1] != ' ' {
				continue
			}
			if best.length != i+1 || e.english {
				best = glossaryMatch{i + 1, e}
			}
		}
	}
	return best
}

var trie = sync.OnceValue(func() *trieNode {
	root := &trieNode{next: map[byte]*trieNode{}}
	for _, g := range glossary {
		for _, word := range strings.Fields(g.words) {
			e := glossaryEntry{concept: g.concept}
			for word != "" && strings.ContainsRune("*~=", rune(word[0])) {
				e.english, e.inside, e.whole = e.english || word[0] == '*', e.inside || word[0] == '~', e.whole || word[0] == '='
				word = word[1:]
			}
			ends := strings.HasSuffix(word, "_") && !e.whole // the word ends here
			e.whole = e.whole || ends
			root.add(text.FoldForComparison(strings.ReplaceAll(word, "_", " ")), e)
		}
	}
	return root
})

func (n *trieNode) add(word string, e glossaryEntry) {
	for i := range len(word) {
		if n.next[word[i]] == nil {
			n.next[word[i]] = &trieNode{next: map[byte]*trieNode{}}
		}
		n = n.next[word[i]]
		n.inside = n.inside || e.inside
	}
	n.entries = append(n.entries, e)
}
