package features

import (
	"encoding/binary"
	"errors"
	"fmt"
	"unicode/utf8"
)

// A vectorizer in bytes, numbers as unsigned varints:
//
//	version          vectorizerVersion
//	blocks           bit i: block i of blockNames is read
//	flags            1 sublinear, 2 reference, 4 bigrams, 8 normalize
//	keep minDocs maxTerms
//	structure        number of dense features, 0 if they are not read
//	n                documents of the corpus
//	terms            number of terms, then for each, by block and text:
//	  block shared   bytes of text shared with the term before
//	  rest           number of further bytes, and they
//	  df             documents that hold it
//
// Versions: 1 is the first.
const vectorizerVersion = 1

// Limits on a vocabulary, in bytes: of a term, and of all terms together.
const (
	maxTermBytes       = 256
	maxVocabularyBytes = 64 << 20
)

// errVectorizer is wrapped by what DecodeVectorizer returns.
var errVectorizer = errors.New("vectorizer is damaged")

// AppendBinary appends v to b in the form that DecodeVectorizer reads. The
// same vectorizer gives the same bytes. The error is always nil.
func (v *Vectorizer) AppendBinary(b []byte) ([]byte, error) {
	o := v.options
	put := func(n int) { b = binary.AppendUvarint(b, uint64(n)) }
	put(vectorizerVersion)
	put(maskOf(v.reads[:]...))
	put(maskOf(o.Sublinear, o.Reference, o.Bigrams, o.Normalize))
	put(o.Keep)
	put(o.MinDocs)
	put(o.MaxTerms)
	put(v.Size() - len(v.terms))
	put(v.n)
	put(len(v.terms))
	last := ""
	for _, t := range v.terms {
		shared := sharedPrefix(last, t.text)
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

func sharedPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// DecodeVectorizer reads what AppendBinary wrote, all of b. It never reads
// more than MaxVocabulary terms, and takes no memory for terms that b lacks.
func DecodeVectorizer(b []byte) (*Vectorizer, error) {
	d := decoder{b: b}
	if version := d.number(1 << 20); d.err == nil && version != vectorizerVersion {
		return nil, fmt.Errorf("vectorizer of version %d, this program reads version %d: train the model again", version, vectorizerVersion)
	}
	o, structure := d.options()
	n := d.number(1 << 40)
	count := d.number(MaxVocabulary)
	var terms []term
	var last term
	size := 0
	for i := 0; i < count && d.err == nil; i++ {
		t := d.term(last, n)
		if size += len(t.text); size > maxVocabularyBytes {
			d.fail("terms take more than %d bytes", maxVocabularyBytes)
		}
		if d.err == nil && (i > 0 && compareTerms(last, t) >= 0 || !o.reads()[t.block]) {
			d.fail("term %d is out of order", i)
		}
		terms = append(terms, t)
		last = t
	}
	if d.err == nil && len(d.b) > 0 {
		d.fail("%d bytes too many", len(d.b))
	}
	if d.err != nil {
		return nil, d.err
	}
	v := newVectorizer(o, n, terms)
	if v.Size()-len(terms) != structure {
		return nil, fmt.Errorf("%w: %d dense features, this program has %d", errVectorizer, structure, len(structureNames))
	}
	return v, nil
}

// A decoder reads numbers until the first error, then zeros.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) fail(format string, args ...any) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: "+format, append([]any{errVectorizer}, args...)...)
	}
}

// number reads a number of at most most.
func (d *decoder) number(most int) int {
	if d.err != nil {
		return 0
	}
	x, n := binary.Uvarint(d.b)
	if n <= 0 || x > uint64(most) {
		d.fail("a number is missing or above %d", most)
		return 0
	}
	d.b = d.b[n:]
	return int(x)
}

func (d *decoder) options() (o Options, structure int) {
	blocks := d.number(1<<len(blockNames) - 1)
	for i, name := range blockNames {
		if blocks&(1<<i) != 0 {
			o.Blocks = append(o.Blocks, name)
		}
	}
	flags := d.number(15)
	o.Sublinear, o.Reference, o.Bigrams, o.Normalize = flags&1 != 0, flags&2 != 0, flags&4 != 0, flags&8 != 0
	o.Keep, o.MinDocs, o.MaxTerms = d.number(1<<40), d.number(1<<40), d.number(MaxVocabulary)
	if err := o.check(); err != nil && d.err == nil {
		d.fail("%v", err)
	}
	return o, d.number(1 << 10)
}

// term reads the term that follows last.
func (d *decoder) term(last term, n int) term {
	t := term{block: uint8(d.number(textBlocks - 1))}
	shared := d.number(len(last.text))
	rest := d.number(maxTermBytes)
	if rest > len(d.b) || shared+rest > maxTermBytes {
		d.fail("a term is cut off or longer than %d bytes", maxTermBytes)
		return t
	}
	t.text = last.text[:shared] + string(d.b[:rest])
	d.b = d.b[rest:]
	t.df = d.number(n)
	if t.df < 1 || !utf8.ValidString(t.text) {
		d.fail("term %.40q has no document or is no UTF-8", t.text)
	}
	return t
}
