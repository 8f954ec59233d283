package text

import (
	"math/bits"
	"strings"
)

// Parts finds which of some words are part of a text, all in one pass. It is read-only and safe for
// concurrent use. Make it with NewParts.
type Parts struct {
	words []string
	// starts holds for each three bytes, by tripleOf, a bit for each word that may begin with them.
	starts [512]uint64
}

// NewParts returns the Parts of at most 64 words of two bytes or more. It panics on others, because words
// are part of the program.
func NewParts(words ...string) *Parts {
	p := &Parts{words: words}
	for i, w := range words {
		if len(w) < 2 || i >= 64 {
			panic("text: " + w + " has fewer than two bytes, or is the 65th word; at most 64 are allowed")
		}
		if len(w) > 2 {
			p.starts[tripleOf(w[0], w[1], w[2])] |= 1 << i
			continue
		}
		for third := range 256 {
			p.starts[tripleOf(w[0], w[1], byte(third))] |= 1 << i
		}
	}
	return p
}

// tripleOf returns the number of three bytes. The end of a text counts as bytes of value 0.
func tripleOf(a, b, c byte) uint { return (uint(a)*37 ^ uint(b)*7 ^ uint(c)) % 512 }

// FindIn returns a set of bits: bit i is set if s contains the i-th word.
func (p *Parts) FindIn(s string) (found uint64) {
	for i := 0; i+1 < len(s); i++ {
		third := byte(0)
		if i+2 < len(s) {
			third = s[i+2]
		}
		for may := p.starts[tripleOf(s[i], s[i+1], third)] &^ found; may != 0; may &= may - 1 {
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
	a, b := byte(0), byte(0) // the two bytes before
	for i := 0; i <= len(s); i++ {
		c := byte(0)
		if i < len(s) {
			c = lowerASCII[s[i]]
		}
		if i >= 2 {
			for may := p.starts[tripleOf(a, b, c)] &^ found; may != 0; may &= may - 1 {
				if k := bits.TrailingZeros64(may); beginsWithLower(s[i-2:], p.words[k]) {
					found |= 1 << k
				}
			}
		}
		a, b = b, c
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
