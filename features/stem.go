package features

import (
	"hash/maphash"
	"sync/atomic"

	"github.com/kljensen/snowball/english"
)

// A word is what is known of one lower-case word.
type word struct {
	text  string
	term  string // its stem; empty for a stop word
	class class
}

// A class is a set of roles that a word plays in a page's structure.
type class uint8

const (
	month       class = 1 << iota // names a month
	dueWord                       // stands beside deadlines
	firstPerson                   // I, my, we, our
	phraseEnd                     // ends a phrase of invitation
)

// Stem returns the English stem of a lower-case word (Snowball's English
// stemmer, which is Porter's own revision of the one paper 002 used).
func Stem(s string) string { return english.Stem(s, true) }

// A lexicon remembers words: stemming costs 15 times as much as looking up. It
// holds at most lexiconSlots words, a new one taking the slot of an old one,
// and is safe for concurrent use. What it returns does not depend on what it
// remembers.
type lexicon struct {
	seed  maphash.Seed
	slots [lexiconSlots]atomic.Pointer[word]
}

const (
	lexiconSlots = 1 << 16
	maxWord      = 40 // bytes; longer ones are no words
)

// known is shared by all documents: it is a memo of a pure function.
var known = &lexicon{seed: maphash.MakeSeed()}

// look returns what is known of the lower-case word s.
func (x *lexicon) look(s []byte) *word {
	slot := &x.slots[maphash.Bytes(x.seed, s)%lexiconSlots]
	if w := slot.Load(); w != nil && w.text == string(s) {
		return w
	}
	w := newWord(string(s))
	slot.Store(w)
	return w
}

func newWord(s string) *word {
	w := &word{text: s, class: classOf(s)}
	if !IsStopWord(s) {
		w.term = Stem(s)
	}
	return w
}
