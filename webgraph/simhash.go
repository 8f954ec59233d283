package webgraph

import (
	"math/bits"
	"strings"
	"unicode"

	"github.com/zeebo/xxh3"
)

// A Fingerprint is the simhash of a text (Charikar 2002, section 3). Texts that share most of their
// word sequences have fingerprints that differ in few bits.
type Fingerprint uint64

// NearDistance is the largest number of bits in which the fingerprints of near-duplicates differ. Manku,
// Jain and Das Sarma (2007, section 5.1) found 3 right for 64 bits on web pages.
const NearDistance = 3

// shingleWords is the length of the word sequences from which a fingerprint is computed.
const shingleWords = 3

// Simhash returns the fingerprint of a text and the number of its words. Words are runs of letters and
// digits; case is ignored. Texts of a few dozen words or less have too few shingles for a reliable
// fingerprint.
func Simhash(text string) (f Fingerprint, words int) {
	var votes [64]int32
	var ends [shingleWords]int // ends of the last words in buf
	buf := make([]byte, 0, 1<<10)
	add := func(shingle []byte) {
		h := xxh3.Hash(shingle)
		for i := range votes {
			votes[i] += int32(h>>i&1)<<1 - 1
		}
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words++
		if words > shingleWords { // drop the first word of the last shingle
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

// simhashBlocks is the number of blocks of a fingerprint. Two fingerprints that differ in at most
// NearDistance bits agree in at least one block.
const simhashBlocks = NearDistance + 1

// maxBucket is the largest number of fingerprints with an equal block that are compared.
const maxBucket = 5_000

// A NearIndex finds similar fingerprints (Manku et al. 2007, section 3, with one table per block). The
// zero value is empty. It is not safe for concurrent use.
type NearIndex struct {
	all    []Fingerprint
	blocks [simhashBlocks]map[uint16][]int32
}

// Add adds f to the index and returns its number, counted from 0.
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

// Nearest returns the number and the distance of the fingerprint nearest to f, among those that keep
// accepts and whose distance is at most NearDistance. Of equally near ones it is the first; n is -1 if
// there is none. It compares at most the first 5,000 fingerprints that share a block with f.
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
