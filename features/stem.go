package features

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
	"unicode"

	"eventseer/internal/text"

	"github.com/blevesearch/snowballstem"
	dutchstem "github.com/blevesearch/snowballstem/dutch"
	germanstem "github.com/blevesearch/snowballstem/german"
	italianstem "github.com/blevesearch/snowballstem/italian"
	portuguesestem "github.com/blevesearch/snowballstem/portuguese"
	englishstem "github.com/kljensen/snowball/english"
	frenchstem "github.com/kljensen/snowball/french"
	hungarianstem "github.com/kljensen/snowball/hungarian"
	norwegianstem "github.com/kljensen/snowball/norwegian"
	russianstem "github.com/kljensen/snowball/russian"
	spanishstem "github.com/kljensen/snowball/spanish"
	swedishstem "github.com/kljensen/snowball/swedish"
	"golang.org/x/text/unicode/norm"
)

// A word is what is known of one lower-case word.
type word struct {
	text     string
	language language
	term     string // its stem; empty for a stop word
	class    class
	endings  []ending // of cues that it may end
	means    []*word  // the English words to read in its place, if any
}

// read calls f for w, or for the English words it stands for.
func (w *word) read(f func(*word)) {
	if w.means == nil {
		f(w)
		return
	}
	for _, m := range w.means {
		f(m)
	}
}

// A class is a set of roles that a word plays in a page's structure.
type class uint8

const (
	month   class = 1 << iota // names a month
	dueWord                   // stands beside deadlines
)

// Stem returns the English stem of a lower-case word (Snowball's English
// stemmer, which is Porter's own revision of the one paper 002 used).
func Stem(s string) string { return englishstem.Stem(s, true) }

// snowball are the stemmers of the languages that have one, and their lists of stop
// words. German, Dutch, Portuguese and Italian, which snowball lacks, are stemmed by
// snowballstem: held-out F1 of calls is the same without, but more forms find their
// way to the glossary.
var snowball = [numLanguages]struct {
	stem       func(word string, stopWords bool) string
	isStopWord func(word string) bool
}{
	unknown:    {englishstem.Stem, nil},
	english:    {englishstem.Stem, nil},
	french:     {frenchstem.Stem, frenchstem.IsStopWord},
	spanish:    {spanishstem.Stem, spanishstem.IsStopWord},
	russian:    {russianstem.Stem, russianstem.IsStopWord},
	swedish:    {swedishstem.Stem, swedishstem.IsStopWord},
	norwegian:  {norwegianstem.Stem, norwegianstem.IsStopWord},
	danish:     {norwegianstem.Stem, nil},
	hungarian:  {hungarianstem.Stem, hungarianstem.IsStopWord},
	german:     {stemBy(germanstem.Stem), nil},
	dutch:      {stemBy(dutchstem.Stem), nil},
	portuguese: {stemBy(portuguesestem.Stem), nil},
	italian:    {stemBy(italianstem.Stem), nil},
}

func stemBy(stem func(*snowballstem.Env) bool) func(string, bool) string {
	return func(s string, _ bool) string {
		env := snowballstem.NewEnv(s)
		stem(env)
		return env.Current()
	}
}

// stemOf returns the stem of a lower-case word by the Snowball stemmer of its
// language, or the word itself if there is none.
func stemOf(s string, l language) string {
	if stem := snowball[l].stem; stem != nil {
		return stem(s, true)
	}
	return s
}

// isStopWordOf reports whether a word of language l is left out of documents: by
// Snowball's list where there is one, and the common words by which the language is
// told.
func isStopWordOf(word string, l language) bool {
	is := snowball[l].isStopWord
	return commonWords[word]&(1<<l|1<<english) != 0 || is != nil && is(word)
}

// fold removes the marks of Latin letters, so that "resúmenes" is "resumenes"
// as those write it who lack the key; other scripts keep theirs.
func fold(s string) string {
	if text.IsASCII(s) {
		return s
	}
	var b strings.Builder
	latin := false
	for _, r := range norm.NFKD.String(s) {
		switch {
		case unicode.Is(unicode.Mn, r) && latin:
			continue
		case r == 'ß':
			b.WriteString("ss")
		case r == 'ø':
			b.WriteByte('o')
		case r == 'ł':
			b.WriteByte('l')
		case r == 'ı':
			b.WriteByte('i')
		default:
			b.WriteRune(r)
		}
		latin = r < 0x250
	}
	return norm.NFC.String(b.String())
}

// A lexicon remembers words: stemming costs 15 times as much as looking up. It
// holds at most lexiconSlots words, each in one of two slots, a new one taking
// the slot of an old one, and is safe for concurrent use. What it returns does
// not depend on what it remembers.
type lexicon struct {
	seed  maphash.Seed
	slots [lexiconSlots]atomic.Pointer[word]
}

const (
	lexiconSlots = 1 << 17
	maxWord      = 40 // bytes; longer ones are no words
)

// known is shared by all documents: it is a memo of a pure function.
var known = &lexicon{seed: maphash.MakeSeed()}

// look returns what is known of the lower-case word s of a text in language l.
func (x *lexicon) look(s []byte, l language) *word {
	at := (maphash.Bytes(x.seed, s) + uint64(l)) % lexiconSlots
	first := x.slots[at].Load()
	if first.is(s, l) {
		return first
	}
	second := x.slots[at^1].Load()
	if second.is(s, l) {
		return second
	}
	w := newWord(string(s), l)
	if first != nil && second == nil {
		at ^= 1
	}
	x.slots[at].Store(w)
	return w
}

// is reports whether w is the word s of language l.
func (w *word) is(s []byte, l language) bool {
	return w != nil && w.language == l && w.text == string(s)
}

// newWord returns what is known of a word. One that a glossary holds is read as
// English; so is a word that other languages borrow from English.
func newWord(s string, l language) *word {
	if l != english && l != unknown {
		composed := withoutArticle(norm.NFKC.String(s), l)
		if means := l.meaning(composed); means != nil {
			w := glossed(s, means)
			w.language = l
			return w
		}
		if !loanWords[s] {
			w := &word{text: s, language: l}
			if !isStopWordOf(composed, l) {
				w.term = within(s, fold(stemOf(composed, l)))
			}
			return w
		}
	}
	w := &word{text: s, language: l, class: classOf(s), endings: cueEndings.of(s)}
	if !stopWords[s] {
		w.term = within(s, fold(Stem(s)))
	}
	return w
}

// within returns term as a part of word where it is one, to be close to it in
// memory.
func within(word, term string) string {
	if strings.HasPrefix(word, term) {
		return word[:len(term)]
	}
	return term
}

// withoutArticle removes what a word of l is elided with: French l'appel is
// appel.
func withoutArticle(s string, l language) string {
	if l == french || l == italian || l == catalan {
		return s[strings.LastIndexByte(s, '\'')+1:]
	}
	return s
}

// glossed returns a word that stands for English ones.
func glossed(s string, means []string) *word {
	w := &word{text: s}
	for _, m := range means {
		w.means = append(w.means, newWord(m, english))
	}
	return w
}
