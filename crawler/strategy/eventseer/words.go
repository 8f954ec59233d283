package eventseer

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/tagtree"

	"github.com/zeebo/xxh3"
)

// A wordSet is the set of the words of a link: of its anchor, of its address, and around it. Words are
// hashed to two bytes, so no vocabulary is stored. Hashes are ascending, little-endian.
type wordSet []byte

// maxWords bounds the words stored of a link.
const maxWords = 32

// Constants of learning by words. A word's rate falls with the squares of its past errors (AdaGrad: Duchi, Hazan
// and Singer 2011), so rare words count as soon as they have been seen.
const (
	wordRate    = 1
	wordSquares = 0.1 // initial sum of squared errors
)

// A wordWeight is what was learned about a word.
type wordWeight struct {
	Weight  float64
	Squares float64 // sum of the squares of its errors
}

// linkWords returns the words of the links of a page, in the order of its links. Of a link with many words
// those of the anchor come first, then those of the address.
func linkWords(t *tagtree.Tree) []wordSet {
	var sets []wordSet
	for _, d := range features.ReadLinks(t, nil) {
		hashes := make([]uint16, 0, maxWords)
		for _, block := range [...]string{features.Anchors, features.URL, features.Body} {
			for _, w := range d.Terms(block) {
				h := uint16(xxh3.HashString(block + ":" + w)) // #nosec G115 -- the low bits of a hash
				if len(hashes) < maxWords && !slices.Contains(hashes, h) {
					hashes = append(hashes, h)
				}
			}
		}
		slices.Sort(hashes)
		words := make(wordSet, 0, 2*len(hashes))
		for _, h := range hashes {
			words = binary.LittleEndian.AppendUint16(words, h)
		}
		sets = append(sets, words)
	}
	return sets
}

// each calls f with each hash.
func (w wordSet) each(f func(hash uint16)) {
	for ; len(w) >= 2; w = w[2:] {
		f(binary.LittleEndian.Uint16(w))
	}
}

// wordValue returns the value of each word as a feature, by which all sets have the length 1.
func (w wordSet) wordValue() float64 { return 1 / math.Sqrt(float64(max(1, len(w)/2))) }

// logOddsOf returns the log-odds that the words of a link add to its expected worth.
func (c *corrector) logOddsOf(words wordSet) (sum float64) {
	words.each(func(h uint16) { sum += c.Words[h].Weight })
	return sum * words.wordValue()
}

// updateWords moves the weights of words by the error of an expected worth.
func (c *corrector) updateWords(words wordSet, miss float64) {
	step := miss * words.wordValue()
	words.each(func(h uint16) {
		w := &c.Words[h]
		if w.Squares == 0 {
			w.Squares = wordSquares
		}
		w.Squares += step * step
		w.Weight = max(-maxWeight, min(maxWeight, w.Weight+wordRate*step/math.Sqrt(w.Squares)))
	})
}
