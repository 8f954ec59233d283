package features

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"github.com/eventseer/eventseer/internal/text"
	"strings"
	"unicode/utf8"
)

// The binary form of a vectorizer, with numbers as unsigned varints:
//
//	version          vectorizerVersion
//	blocks           bit i: block i of blockNames is read
//	weights          a Weighting
//	flags            1 reference, 2 normalize
//	ngrams           1 to 3
//	keep minDocs maxTerms
//	passages         from version 3: the number of their lengths, and the lengths
//	structure        if it is read: 8 bytes, the block's digest
//	link             likewise
//	context          likewise
//	n                documents of the corpus
//	terms            number of terms, then for each, by block and text:
//	  block shared   bytes of text shared with the previous term
//	  rest           number of further bytes, and the bytes
//	  df             documents that contain it
//
// In version 1 only flags followed the blocks: 1 sublinear, 2 reference, 4 bigrams, 8 normalize, then the
// number of dense features instead of their digest. Its blocks 4 and 5, the texts of the page's own links
// and another structure, no longer exist, so files with them are refused. Version 2 has no passages, and
// is written if there are none. Version 3 is the latest.
const vectorizerVersion = 3

// firstBlocks are the blocks that version 1 shares with later ones.
const firstBlocks = 4

// Limits on a vocabulary, in bytes: of a term, and of all terms together.
const (
	maxTermBytes       = 256
	minTermBytes       = 4 // in a file
	maxVocabularyBytes = 64 << 20
)

// ErrIncompatible means that DecodeVectorizer read an undamaged vectorizer of a program version that
// reads pages differently.
var ErrIncompatible = errors.New("incompatible model")

// errVectorizer is wrapped by all other errors of DecodeVectorizer.
var errVectorizer = errors.New("vectorizer is damaged")

// digest returns 8 bytes of the SHA-256 of the names of the dense features, which identify their list.
func (b denseBlock) digest() string {
	sum := sha256.Sum256([]byte(strings.Join(b.names, "\n")))
	return string(sum[:8])
}

// AppendBinary appends v to b in the form that DecodeVectorizer reads. The output is deterministic.
// The error is always nil.
func (v *Vectorizer) AppendBinary(b []byte) ([]byte, error) {
	o := v.options
	put := func(n int) { b = binary.AppendUvarint(b, uint64(n)) }
	version := vectorizerVersion
	if len(o.Passages) == 0 {
		version = 2
	}
	put(version)
	put(maskOf(v.reads[:]...))
	put(int(o.Weights))
	put(maskOf(o.Reference, o.Normalize))
	put(max(1, o.NGrams))
	put(o.Keep)
	put(o.MinDocs)
	put(o.MaxTerms)
	if len(o.Passages) > 0 {
		put(len(o.Passages))
		for _, length := range o.Passages {
			put(length)
		}
	}
	for i, dense := range denseBlocks {
		if v.reads[textBlocks+i] {
			b = append(b, dense.digest()...)
		}
	}
	put(v.n)
	put(len(v.terms))
	last := ""
	for _, t := range v.terms {
		shared := text.SharedPrefix(last, t.text)
		put(int(t.block))
		put(shared)
		put(len(t.text) - shared)
		b = append(b, t.text[shared:]...)
		put(t.df)
		last = t.text
	}
	return b, nil
}

// maskOf returns the number whose bit i is set if on[i] is.
func maskOf(on ...bool) int {
	mask := 0
	for i, set := range on {
		if set {
			mask |= 1 << i
		}
	}
	return mask
}

// DecodeVectorizer decodes the output of AppendBinary, all of b. It reads at most MaxVocabulary
// terms, and allocates no memory for terms missing in b. The error is ErrIncompatible for data of
// another program version.
func DecodeVectorizer(b []byte) (*Vectorizer, error) {
	d := decoder{b: b}
	o, err := d.readHeader()
	if err != nil {
		return nil, err
	}
	n := d.readNumber(1 << 40)
	terms := d.readTerms(o.readBlocks(), n)
	if len(d.b) > 0 {
		d.setError("%d bytes too many", len(d.b))
	}
	if d.err != nil {
		return nil, d.err
	}
	return newVectorizer(o, n, terms), nil
}

// A decoder reads numbers until the first error, then zeros.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) setError(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: "+format, append([]any{errVectorizer}, args...)...)
	}
}

// readNumber reads a number of at most most.
func (d *decoder) readNumber(most int) int {
	if d.err != nil {
		return 0
	}
	x, n := binary.Uvarint(d.b)
	if n <= 0 || x > uint64(most) {
		d.setError("a number is missing or larger than %d", most)
		return 0
	}
	d.b = d.b[n:]
	return int(x)
}

// readHeader reads the part before the numbers of documents and terms.
func (d *decoder) readHeader() (o Options, err error) {
	version := d.readNumber(1 << 20)
	if d.err == nil && (version < 1 || version > vectorizerVersion) {
		return o, fmt.Errorf("%w: its vectorizer has version %d, this program reads 1 to %d: train it again", ErrIncompatible, version, vectorizerVersion)
	}
	blocks := d.readNumber(1<<len(blockNames) - 1)
	if version == 1 {
		if d.err == nil && blocks >= 1<<firstBlocks {
			return o, fmt.Errorf("%w: it was trained with the anchors or structure of version 1: train it again", ErrIncompatible)
		}
		o = d.readOptionsV1()
	} else {
		o = d.readOptions()
	}
	if version > 2 {
		for range d.readNumber(maxPassageSizes) {
			o.Passages = append(o.Passages, d.readNumber(maxPassageTerms))
		}
	}
	for i, name := range blockNames {
		if blocks&(1<<i) != 0 {
			o.Blocks = append(o.Blocks, name)
		}
	}
	if err := o.check(); err != nil {
		d.setError("%v", err)
	}
	for i, dense := range denseBlocks {
		digest := dense.digest()
		if o.readBlocks()[textBlocks+i] && d.readBytes(len(digest)) != digest && d.err == nil {
			return o, fmt.Errorf("%w: it was trained with other %s than those of this program: train it again", ErrIncompatible, dense.features)
		}
	}
	return o, d.err
}

// readOptions reads the options except for the blocks.
func (d *decoder) readOptions() (o Options) {
	o.Weights = Weighting(d.readNumber(len(weightingNames) - 1))
	flags := d.readNumber(3)
	o.Reference, o.Normalize = flags&1 != 0, flags&2 != 0
	o.NGrams = d.readNumber(maxNGrams)
	o.Keep, o.MinDocs, o.MaxTerms = d.readNumber(1<<40), d.readNumber(1<<40), d.readNumber(MaxVocabulary)
	return o
}

// readOptionsV1 is like readOptions for version 1.
func (d *decoder) readOptionsV1() (o Options) {
	flags := d.readNumber(15)
	if flags&1 != 0 {
		o.Weights = Sublinear
	}
	if flags&4 != 0 {
		o.NGrams = 2
	}
	o.Reference, o.Normalize = flags&2 != 0, flags&8 != 0
	o.Keep, o.MinDocs, o.MaxTerms = d.readNumber(1<<40), d.readNumber(1<<40), d.readNumber(MaxVocabulary)
	d.readNumber(0) // dense features
	return o
}

// readBytes reads n bytes.
func (d *decoder) readBytes(n int) string {
	if d.err != nil || n > len(d.b) {
		d.setError("%d bytes are missing", n)
		return ""
	}
	s := string(d.b[:n])
	d.b = d.b[n:]
	return s
}

// readTerms reads the terms of a corpus of n documents.
func (d *decoder) readTerms(reads [len(blockNames)]bool, n int) []term {
	count := d.readNumber(MaxVocabulary)
	terms := make([]term, 0, min(count, len(d.b)/minTermBytes))
	var last term
	size := 0
	for i := 0; i < count && d.err == nil; i++ {
		t := d.readTerm(last, n)
		if size += len(t.text); size > maxVocabularyBytes {
			d.setError("the terms have more than %d bytes in total", maxVocabularyBytes)
		}
		if d.err == nil && (i > 0 && compareTerms(last, t) >= 0 || !reads[t.block]) {
			d.setError("term %d is out of order", i)
		}
		terms = append(terms, t)
		last = t
	}
	return terms
}

// readTerm reads the term that follows last.
func (d *decoder) readTerm(last term, n int) term {
	t := term{block: uint8(d.readNumber(textBlocks - 1))}
	shared := d.readNumber(len(last.text))
	rest := d.readNumber(maxTermBytes)
	if rest > len(d.b) || shared+rest > maxTermBytes {
		d.setError("a term is cut off or longer than %d bytes", maxTermBytes)
		return t
	}
	t.text = last.text[:shared] + string(d.b[:rest])
	d.b = d.b[rest:]
	t.df = d.readNumber(n)
	if t.df < 1 || !utf8.ValidString(t.text) {
		d.setError("term %.40q occurs in no document or is not UTF-8", t.text)
	}
	return t
}
