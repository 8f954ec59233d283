// Package wording reads the label of a date in any of the languages of calls. It returns which of a
// few concepts its words mean, such as an abstract, to hand in, or to notify. What the concepts
// mean together is left to the caller, so that a rule found in one language holds in all.
package wording

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/internal/text"
)

// A Set is a set of concepts.
type Set uint32

// The concepts.
const (
	Abstract      Set = 1 << iota
	Paper             // what is handed in: a paper, a talk, a text
	Proposal          // of a part of an event
	Send              // to hand in or to receive
	Due               // a deadline, the last day
	Until             // by a day
	Tell              // to notify, a decision, results
	Communication     // a paper or what is told, in Romance languages
	Accept            // accepted or acceptance
	Final
	Corrected
	Version
	Register // to sign up
	Event    // a conference and the like
	Session  // of an event
	Held     // that something takes place, a date
	Open     // that something begins
	Review
	Programme
	Update // that a page was changed
	Poster
	Demo
	Workshops // that are proposed
	Tutorial
	Doctoral
	Author // or another participant
	Pay
	And
)

// Has reports whether s holds any of the concepts of o.
func (s Set) Has(o Set) bool { return s&o != 0 }

// MaxBytes is how much of a label is read.
const MaxBytes = 400

// A Reading is what a label says.
type Reading struct {
	Words   []Set // the concepts of its words that mean any, in printed order
	All     Set   // all of them
	Foreign bool  // whether one of the words is not English
}

// Read reads a label. It is safe for concurrent use.
func Read(label string) Reading {
	s := text.Fold(text.Cut(label, MaxBytes))
	t := trie()
	var r Reading
	begins, last := true, Set(0) // last is the word before, if nothing is between
	for i := 0; i < len(s); {
		c, size := utf8.DecodeRuneInString(s[i:])
		if c == ' ' {
			begins = true
			i += size
			continue
		}
		m := t.longest(s[i:], begins || proclitic(c), spaceless(c))
		if m.length == 0 {
			begins, i = false, i+size
			continue
		}
		concept := m.entry.concept
		if (concept == Final && last == Due || concept == Due && last == Final) && !spaceless(c) {
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
	r.Foreign = (r.Foreign || r.All != 0 && foreignLetters(label)) && !hasWord(label, englishWords)
	return r
}

// foreignLetters reports whether a label is not written as English is: with letters that
// English lacks, or small words of other languages.
func foreignLetters(label string) bool {
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

// englishWords are small words that mark a label as English, whatever names it holds.
var englishWords = text.WordSet("the and with be are should must your you from this been has their we")

// smallWords are articles and prepositions that English does not have.
var smallWords = text.WordSet("de des du la le les los las del della dei degli di dos das der und zur zum von van voor het av af til")

// dropFinal takes back that the last word is "final": a final deadline is no final version.
func (r *Reading) dropFinal() {
	if n := len(r.Words); n > 0 && r.Words[n-1] == Final {
		r.Words = r.Words[:n-1]
		r.All = 0
		for _, w := range r.Words {
			r.All |= w
		}
	}
}

// spaceless reports whether r is of a script without spaces between words.
func spaceless(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Thai, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana)
}

// proclitic reports whether r is of a script in which articles and prepositions are written
// together with the word after them.
func proclitic(r rune) bool {
	return r >= 0x0590 && unicode.In(r, unicode.Hebrew, unicode.Arabic)
}

// An entry is a beginning of words that mean a concept.
type entry struct {
	concept Set
	english bool // it is English too
	inside  bool // it may begin within a word
	whole   bool // it is a whole word
}

// A node of the trie of the glossary, by bytes.
type node struct {
	next    map[byte]*node
	entries []entry
	inside  bool // one of its entries, or of those that go on from it, may begin within a word
}

type match struct {
	length int
	entry  entry
}

// longest returns the longest entry that s begins with.
func (n *node) longest(s string, begins, anywhere bool) (best match) {
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
				best = match{i + 1, e}
			}
		}
	}
	return best
}

var trie = sync.OnceValue(func() *node {
	root := &node{next: map[byte]*node{}}
	for _, g := range glossary {
		for _, word := range strings.Fields(g.words) {
			e := entry{concept: g.concept}
			for word != "" && strings.ContainsRune("*~=", rune(word[0])) {
				e.english, e.inside, e.whole = e.english || word[0] == '*', e.inside || word[0] == '~', e.whole || word[0] == '='
				word = word[1:]
			}
			ends := strings.HasSuffix(word, "_") && !e.whole // a word that ends here
			e.whole = e.whole || ends
			root.add(text.Fold(strings.ReplaceAll(word, "_", " ")), e)
		}
	}
	return root
})

func (n *node) add(word string, e entry) {
	for i := range len(word) {
		if n.next[word[i]] == nil {
			n.next[word[i]] = &node{next: map[byte]*node{}}
		}
		n = n.next[word[i]]
		n.inside = n.inside || e.inside
	}
	n.entries = append(n.entries, e)
}
