package text

import (
	"math/bits"
	"strings"
)

// Parts finds which of some words are part of a text, all in one pass. It is read-only and safe for
// concurrent use. Make it with NewParts.
type Parts struct {
	words []string
	// starts holds for each pair of bytes, by pairOf, a bit for each word that may begin with it.
	starts [256]uint64
}

// NewParts returns the Parts of at most 64 words of two bytes or more. It panics on others, because words
// are part of the program.
func NewParts(words ...string) *Parts {
	p := &Parts{words: words}
	for i, w := range words {
		if len(w) < 2 || i >= 64 {
			panic("text: " + w + " has fewer than two bytes, or is the 65th word; at most 64 are allowed")
		}
		p.starts[pairOf(w[0], w[1])] |= 1 << i
	}
	return p
}

func pairOf(first, second byte) byte { return first*31 ^ second }

// FindIn returns a set of bits: bit i is set if s contains the i-th word.
func (p *Parts) FindIn(s string) (found uint64) {
	for i := 0; i+1 < len(s); i++ {
		for may := p.starts[pairOf(s[i], s[i+1])] &^ found; may != 0; may &= may - 1 {
			if k := bits.TrailingZeros64(may); strings.HasPrefix(s[i:], p.words[k]) {
				found |= 1 << k
			}
		}
	}
	return found
}

// FindInLower returns the set of FindIn for s in lower case. The words must be in lower case.
func (p *Parts) FindInLower(s string) (found uint64) {
	if !IsASCII(s) {
		return p.FindIn(strings.ToLower(s))
	}
	if s == "" {
		return 0
	}
	last := lowerASCII[s[0]]
	for i := 1; i < len(s); i++ {
		next := lowerASCII[s[i]]
		for may := p.starts[pairOf(last, next)] &^ found; may != 0; may &= may - 1 {
			if k := bits.TrailingZeros64(may); beginsWithLower(s[i-1:], p.words[k]) {
				found |= 1 << k
			}
		}
		last = next
	}
	return found
}

// beginsWithLower reports whether s begins with word if its ASCII letters are in lower case.
func beginsWithLower(s, word string) bool {
	if len(s) < len(word) {
		return false
	}
	for i := range len(word) {
		if lowerASCII[s[i]] != word[i] {
			return false
		}
	}
	return true
}

// lowerASCII holds the lower case of each ASCII character, and all other bytes unchanged.
var lowerASCII = func() (lower [256]byte) {
	for c := range lower {
		lower[c] = byte(c)
		if c >= 'A' && c <= 'Z' {
			lower[c] = byte(c) | 0x20
		}
	}
	return lower
}()
