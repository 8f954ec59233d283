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
