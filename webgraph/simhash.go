package webgraph

import (
	"math/bits"
	"strings"
	"unicode"

	"github.com/zeebo/xxh3"
)

// A Fingerprint is the simhash of a text (Charikar 2002, section 3): texts that
// share most of their word sequences have fingerprints that differ in few bits.
type Fingerprint uint64

// NearDistance is the number of bits by which the fingerprints of near
// duplicates differ at most (Manku, Jain and Das Sarma 2007, section 5.1, who
// found 3 right for 64 bits on web pages).
const NearDistance = 3

// shingleWords is the length of the word sequences a fingerprint is made of.
const shingleWords = 3

// Simhash returns the fingerprint of a text and the number of its words, runs of
// letters and digits whose case does not count. Texts of a few dozen words or
// less have too few shingles for their fingerprints to mean much.
func Simhash(text string) (f Fingerprint, words int) {
	var votes [64]int32
	var ends [shingleWords]int // of the last words in buf
	buf := make([]byte, 0, 1<<10)
	add := func(shingle []byte) {
		h := xxh3.Hash(shingle)
		for i := range votes {
			votes[i] += int32(h>>i&1)<<1 - 1
		}
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words++
		if words > shingleWords { // forget the first word of the last shingle
			first := ends[0]
			buf = append(buf[:0], buf[first:]...)
			for i := range shingleWords - 1 {
				ends[i] = ends[i+1] - first
			}
		}
		buf = append(append(buf, strings.ToLower(word)...), ' ')
		ends[min(words, shingleWords)-1] = len(buf)
		if words >= shingleWords {
			add(buf)
		}
	}
	if words > 0 && words < shingleWords {
		add(buf)
	}
	for i, v := range votes {
		if v > 0 {
			f |= 1 << i
		}
	}
	return f, words
}

// Distance returns the number of bits in which two fingerprints differ.
func (f Fingerprint) Distance(g Fingerprint) int { return bits.OnesCount64(uint64(f ^ g)) }

// simhashBlocks parts a fingerprint so that two which differ in at most
// NearDistance bits agree in one block.
const simhashBlocks = NearDistance + 1

// maxBucket bounds the fingerprints of one block that are compared.
const maxBucket = 5_000

// A NearIndex finds fingerprints near to one another (Manku et al. 2007, section
// 3, with one table a block). The zero value is empty. It is not safe for
// concurrent use.
type NearIndex struct {
	all    []Fingerprint
	blocks [simhashBlocks]map[uint16][]int32
}

// Add puts f into the index and returns its number, counted from 0.
func (x *NearIndex) Add(f Fingerprint) int {
	n := len(x.all)
	x.all = append(x.all, f)
	for b := range x.blocks {
		if x.blocks[b] == nil {
			x.blocks[b] = map[uint16][]int32{}
		}
		key := uint16(f >> (16 * b))
		if bucket := x.blocks[b][key]; len(bucket) < maxBucket {
			x.blocks[b][key] = append(bucket, int32(n))
		}
	}
	return n
}

// Nearest returns the nearest to fingerprint f among those that keep accepts and that are at most
// NearDistance away, as number and distance. Of equals it is the first; n is -1 if there is none.
// Of those that share a block with f the first 5,000 are looked at.
func (x *NearIndex) Nearest(f Fingerprint, keep func(n int) bool) (n, distance int) {
	n, distance = -1, NearDistance+1
	for b := range x.blocks {
		for _, i := range x.blocks[b][uint16(f>>(16*b))] {
			d := f.Distance(x.all[i])
			if (d < distance || d == distance && int(i) < n) && keep(int(i)) {
				n, distance = int(i), d
			}
		}
	}
	return n, distance
}
