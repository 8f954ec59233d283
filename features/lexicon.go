package features

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"sync/atomic"
)

// A word holds the properties of one lower-case word, in one line of a processor's cache.
type word struct {
	head, tail uint64 // as in its spelling
	hash       uint32 // of term, see hashTerm
	length     uint8
	language   language
	class      class
	text       string
	term       string // its stem; empty for a stop word
	roles      *roles // nil for most words
}

// A spelling identifies a word of a language. Words of more than packedBytes bytes may have the same one.
type spelling struct {
	head, tail uint64 // the first packedBytes bytes, little-endian, then zeros
	length     uint8  // in bytes
	language   language
}

// packedBytes are the bytes of a word that its spelling holds. Most words are shorter.
const packedBytes = 16

// roles are the properties that few words have.
type roles struct {
	endings []cueEnding // cues that the word may end
	means   []*word     // English words to use instead, if any
}

// A class is a set of roles of a word in a page's structure.
type class uint8

const (
	month   class = 1 << iota // names a month
	dueWord                   // is beside deadlines
)

// spelled returns a word without other properties.
func spelled(s string, l language) *word {
	c := spellingOf(s, l)
	return &word{head: c.head, tail: c.tail, length: c.length, language: l, text: s}
}

// setTerm sets the stem of a word. It is a substring of the word if possible, for memory locality.
func (w *word) setTerm(term string) {
	w.term, w.hash = substringOf(w.text, term), hashTerm(term)
}

// meanings returns the English words to use instead of w, or nil.
func (w *word) meanings() []*word {
	if w.roles == nil {
		return nil
	}
	return w.roles.means
}

// readAs calls f for w, or for its English translations.
func (w *word) readAs(f func(*word)) {
	means := w.meanings()
	if means == nil {
		f(w)
		return
	}
	for _, m := range means {
		f(m)
	}
}

// termSeed makes hashes of terms unpredictable, so that no page can contain many terms with the same hash.
var termSeed = maphash.MakeSeed()

// hashTerm returns the hash by which documents and vocabularies find a term.
func hashTerm(term string) uint32 { return uint32(maphash.String(termSeed, term)) }

// spellingOf returns the spelling of a word of at most maxWord bytes.
func spellingOf[T string | []byte](s T, l language) spelling {
	c := spelling{head: firstBytes(s), length: uint8(len(s)), language: l}
	if len(s) > 8 {
		c.tail = firstBytes(s[8:])
	}
	return c
}

// firstBytes returns the first eight bytes of s, little-endian, with zeros for those missing.
func firstBytes[T string | []byte](s T) uint64 {
	if len(s) >= 8 {
		return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
			uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
	}
	var b [8]byte
	copy(b[:], s)
	return binary.LittleEndian.Uint64(b[:])
}

// firstLetters returns the ASCII letters at the beginning of a number of eight bytes in lower case, and how
// many they are. All bytes are tested at the same time: to one that is below 128 a constant is added that
// makes it at least 128 if it is at least "a", and another one if it is above "z".
func firstLetters(b uint64) (letters uint64, n int) {
	const each = 0x0101010101010101
	lower := b | 0x20*each
	seven := lower & (0x7F * each)
	isLetter := (seven + (0x80-'a')*each) &^ (seven + (0x7F-'z')*each) &^ b & (0x80 * each)
	n = bits.TrailingZeros64(isLetter^(0x80*each)) / 8
	return lower & (1<<(8*n) - 1), n // a shift by 64 gives 0, and 0-1 all bits
}

// hashCode returns a hash of a spelling. Words that have the same one only compete for places in the
// lexicon, so it needs no secret.
func (c *spelling) hashCode() uint64 {
	high, low := bits.Mul64(c.head^0x9E3779B97F4A7C15, c.tail^0xD1B54A32D192ED03^uint64(c.language)<<3^uint64(c.length)<<8)
	return high ^ low
}

// A lexicon caches words, because stemming takes many times as long as a look-up. A hash chooses a set of
// places for a word. If all are in use, a new word takes the place of one that was not looked up since
// the last new word came to the set ("second chance", Corbató 1968): rare words do not replace common
// ones. It is safe for concurrent use. Results do not depend on the cache.
type lexicon []wordSet // their number is a power of two

// A wordSet is one line of a processor's cache. It holds a part of the hash of each word, so that usually no
// word is read but the right one.
type wordSet struct {
	hashes [wordPlaces]atomic.Uint32
	used   atomic.Uint32 // bit i: the word in place i was looked up since a new one last came
	words  [wordPlaces]atomic.Pointer[word]
}

const (
	wordPlaces = 5
	wordSets   = 1 << 15
	maxWord    = 40 // bytes; longer ones are not words
)

// known is shared by all documents, because it only caches a pure function.
var known = make(lexicon, wordSets)

// setFor returns the index of the set for words with a spelling, and the part of their hash that it holds.
func (x lexicon) setFor(c *spelling) (set, tag uint32) {
	hash := c.hashCode()
	return uint32(hash) & uint32(len(x)-1), uint32(hash >> 32)
}

// find returns the word with spelling c and text s, or nil if it is not in x. It does not read s if c is
// sufficient.
func (x lexicon) find(c *spelling, s []byte) *word {
	at, tag := x.setFor(c)
	set := &x[at]
	for i := range set.hashes {
		if set.hashes[i].Load() != tag {
			continue
		}
		if w := set.words[i].Load(); w.isSpelled(c) && (c.length <= packedBytes || w.text == string(s)) {
			set.noteUse(i)
			return w
		}
	}
	return nil
}

// wordWith returns a word whose hash has this part, or nil. It is nearly always the only such word.
func (s *wordSet) wordWith(tag uint32) *word {
	for i := range s.hashes {
		if s.hashes[i].Load() == tag {
			s.noteUse(i)
			return s.words[i].Load()
		}
	}
	return nil
}

// noteUse notes that the word in place i was looked up.
func (s *wordSet) noteUse(i int) {
	if bit := uint32(1) << i; s.used.Load()&bit == 0 {
		s.used.Or(bit)
	}
}

// isSpelled reports whether w has spelling c. It returns false if w is nil.
func (w *word) isSpelled(c *spelling) bool {
	return w != nil && w.head == c.head && w.tail == c.tail && w.length == c.length && w.language == c.language
}

// lookUp returns the properties of the lower-case word s in a text of language l. s has at most maxWord
// bytes.
func (x lexicon) lookUp(s []byte, l language) *word {
	c := spellingOf(s, l)
	w := x.find(&c, s)
	if w == nil {
		w = newWord(string(s), l)
		x.add(w, &c)
	}
	return w
}

// add puts a new word with spelling c into its set.
func (x lexicon) add(w *word, c *spelling) {
	at, tag := x.setFor(c)
	set := &x[at]
	i := set.freePlace(int(tag % wordPlaces))
	set.words[i].Store(w)
	set.hashes[i].Store(tag)
}

// freePlace returns the place for a new word. It is an empty one if any, else one that was not used since the
// last search for such a place, else otherwise.
func (s *wordSet) freePlace(otherwise int) int {
	for i := range s.words {
		if s.words[i].Load() == nil {
			return i
		}
	}
	used := s.used.Swap(0)
	if i := bits.TrailingZeros32(^used); i < wordPlaces {
		return i
	}
	return otherwise
}
