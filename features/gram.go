package features

import (
	"unicode/utf8"

	"github.com/eventseer/eventseer/internal/text"
)

// forEachTerm calls f for the terms of a block, including n-grams up to the given length, with their
// number of occurrences. A term may be passed several times. The key is only valid until f returns.
func (d *Document) forEachTerm(block, ngrams int, f func(key []byte, n int)) {
	var buf []byte
	if block == charsBlock {
		d.forEachCharRun(&buf, f)
		return
	}
	for _, c := range d.bags[block] {
		buf = append(buf[:0], d.terms[c.term]...)
		f(buf, int(c.n))
	}
	d.forEachGram(block, ngrams, &buf, f)
}

// forEachGram calls f for every two to ngrams adjacent terms of one run of text, with spaces between.
func (d *Document) forEachGram(block, ngrams int, buf *[]byte, f func(key []byte, n int)) {
	if ngrams < 2 || block == urlBlock || block == charsBlock {
		return
	}
	sequence := d.sequence[block]
	for i, first := range sequence {
		if first < 0 {
			continue
		}
		*buf = append((*buf)[:0], d.terms[first]...)
		for _, ix := range sequence[i+1 : min(i+ngrams, len(sequence))] {
			if ix < 0 {
				break
			}
			*buf = append(append(*buf, ' '), d.terms[ix]...)
			f(*buf, 1)
		}
	}
}

// Lengths of the character runs of the block Chars, including marks for the beginning and end of
// words.
const (
	minChars = 3
	maxChars = 5
	wordEnd  = '_'
)

// forEachCharRun calls f for the character runs within the terms of the body.
func (d *Document) forEachCharRun(buf *[]byte, f func(key []byte, n int)) {
	var starts []int // offsets of the runes of a term, and its end
	for _, c := range d.bags[bodyBlock] {
		*buf = append(append(append((*buf)[:0], wordEnd), d.terms[c.term]...), wordEnd)
		starts = starts[:0]
		for i, b := range *buf {
			if utf8.RuneStart(b) {
				starts = append(starts, i)
			}
		}
		starts = append(starts, len(*buf))
		for first := range starts {
			for last := first + minChars; last < len(starts) && last <= first+maxChars; last++ {
				f((*buf)[starts[first]:starts[last]], int(c.n))
			}
		}
	}
}

// A count is the number of occurrences of a term in a block.
type count struct {
	term int32 // index into Document.terms
	n    int32
}

// countTerms appends to bag, which is empty, what a sequence holds, in the order of first occurrence. places
// must be zero for each term, and is afterwards.
func countTerms(bag []count, sequence, places []int32) []count {
	for _, ix := range sequence {
		if ix < 0 {
			continue
		}
		at := places[ix] // in bag, plus 1
		if at == 0 {
			bag = append(bag, count{term: ix})
			at = int32(len(bag))
			places[ix] = at
		}
		bag[at-1].n++
	}
	for _, c := range bag {
		places[c.term] = 0
	}
	return bag
}

// maxCount returns the number of occurrences of the most frequent term of a block.
func (d *Document) maxCount(block int) int {
	most := 1
	if block == charsBlock {
		counts := make(map[string]int)
		d.forEachTerm(block, 1, func(key []byte, n int) {
			counts[string(key)] += n
			most = max(most, counts[string(key)])
		})
	}
	for _, c := range d.bags[block] {
		most = max(most, int(c.n))
	}
	return most
}

var (
	months = text.WordSet(`january february march april may june july august september october november december
		jan feb mar apr jun jul aug sep sept oct nov dec`)
	dueWords = text.WordSet(`deadline deadlines submission submissions submit due notification acceptance camera extended abstracts`)
)

func classOf(s string) class {
	var c class
	if months[s] {
		c |= month
	}
	if dueWords[s] {
		c |= dueWord
	}
	return c
}
