package search

import (
	"context"
	"errors"
	"math"
	"sync"

	index "github.com/blevesearch/bleve_index_api"
)

// A posting is the ordered list of documents with a word or phrase in a field, from Bleve at the
// moment of the view. It is immutable.
type posting struct {
	documents []uint32
	// strengths of a word in each of its documents: the root of its frequency, times the norm of
	// the field. Nil for a phrase.
	strengths []float64
	// idf is how rare a word is, as Bleve reckons it.
	idf float64
}

// bytes returns the approximate memory of a posting.
func (p *posting) bytes() int { return 4*cap(p.documents) + 8*cap(p.strengths) + 200 }

// maxPostings bounds the postings cached by a view, in bytes.
const maxPostings = 32 << 20

// postings caches recently used postings in two generations: one used while the newer generation
// fills up moves to it. Bleve's own searchers of five fields took 24 ms for one common word among
// 100,000 events, each time.
type postings struct {
	guard         sync.Mutex // guards below
	recent, older map[sought]*posting
	filled        int // bytes of recent
}

// A sought is a word of a search, with its offset from the first word of a phrase.
type sought struct{ field, text string }

// remember returns a posting that was read before, or reads it.
func (m *postings) remember(key sought, read func() (*posting, error)) (*posting, error) {
	m.guard.Lock()
	p := m.recent[key]
	if p == nil {
		if p = m.older[key]; p != nil {
			m.keepPosting(key, p)
		}
	}
	m.guard.Unlock()
	if p != nil {
		return p, nil
	}
	p, err := read()
	if err != nil {
		return nil, err
	}
	m.guard.Lock()
	m.keepPosting(key, p)
	m.guard.Unlock()
	return p, nil
}

// keepPosting puts a posting among the recent, under guard.
func (m *postings) keepPosting(key sought, p *posting) {
	if m.recent[key] != nil {
		return // another goroutine was faster
	}
	if m.filled += p.bytes(); m.recent == nil || m.filled > maxPostings/2 {
		m.recent, m.older = map[sought]*posting{}, m.recent
		m.filled = p.bytes()
	}
	m.recent[key] = p
}

// word returns the posting of a word.
func (f *finding) word(ctx context.Context, field, word string) (*posting, error) {
	return f.remember(sought{field, word}, func() (*posting, error) { return f.readWord(ctx, field, word) })
}

func (f *finding) readWord(ctx context.Context, field, word string) (p *posting, err error) {
	reader, err := f.reader.TermFieldReader(ctx, []byte(word), field, true, true, false)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, reader.Close()) }()
	total, err := f.reader.DocCount()
	if err != nil {
		return nil, err
	}
	count := reader.Count()
	p = &posting{documents: make([]uint32, 0, count), strengths: make([]float64, 0, count)}
	p.idf = 1 + math.Log(float64(total)/float64(count+1))
	var at index.TermFieldDoc
	for n := 0; ; n++ {
		if n%4096 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		d, err := reader.Next(&at)
		if err != nil || d == nil {
			return p, err
		}
		if document := d.ID.Value(); document < uint64(len(f.rows)) {
			p.documents = append(p.documents, uint32(document))
			p.strengths = append(p.strengths, strength(field, d))
		}
		at.ID = at.ID[:0]
	}
}

// strength returns the weight of a word in a field. For a year neither frequency nor norm is
// stored: the field is the year, and Bleve's own scores would be NaN.
func strength(field string, d *index.TermFieldDoc) float64 {
	if field == "year" || field == "named" {
		return 1
	}
	return math.Sqrt(float64(d.Freq)) * d.Norm
}

// set returns the documents that match a node, which may include deleted ones. The caller may
// modify the result.
func (f *finding) set(ctx context.Context, n node) (set, error) {
	found := newSet(len(f.rows))
	return found, f.addTo(ctx, found, n)
}

// addTo puts the documents that match a node into found.
func (f *finding) addTo(ctx context.Context, found set, n node) error {
	switch n := n.(type) {
	case anyOf:
		for _, one := range n {
			if err := f.addTo(ctx, found, one); err != nil {
				return err
			}
		}
	case allOf:
		all, err := f.set(ctx, n[0])
		if err != nil {
			return err
		}
		for _, one := range n[1:] {
			other, err := f.set(ctx, one)
			if err != nil {
				return err
			}
			all.intersect(other)
		}
		found.unite(all)
	case withText:
		return errors.Join(f.addTo(ctx, found, n.fields), f.addLeaf(ctx, found, n.text))
	case *leaf:
		return f.addLeaf(ctx, found, n)
	}
	return nil
}

// addLeaf adds the documents with the words of a leaf to found.
func (f *finding) addLeaf(ctx context.Context, found set, l *leaf) error {
	if len(l.words) == 0 {
		return nil
	}
	var documents []uint32
	if l.phrase {
		p, err := f.phrase(ctx, l)
		if err != nil {
			return err
		}
		documents = p.documents
	} else {
		var err error
		if documents, err = f.having(ctx, l); err != nil {
			return err
		}
	}
	for _, d := range documents {
		found.add(d)
	}
	return nil
}

// having returns the documents with all words of a leaf, anywhere in the field. The caller must not
// modify the result.
func (f *finding) having(ctx context.Context, l *leaf) ([]uint32, error) {
	var documents []uint32
	for i, w := range l.words {
		p, err := f.word(ctx, l.field, w.text)
		switch {
		case err != nil:
			return nil, err
		case i == 0:
			documents = p.documents
		default:
			documents = both(documents, p.documents)
		}
		if len(documents) == 0 {
			return nil, nil
		}
	}
	return documents, nil
}

// both returns the common elements of two sorted lists.
func both(a, b []uint32) (out []uint32) {
	if len(a) > len(b) {
		a, b = b, a
	}
	w := walker{list: b}
	for _, d := range a {
		if w.has(d) {
			out = append(out, d)
		}
	}
	return out
}

// A walker searches values in a sorted list, in ascending order.
type walker struct {
	list []uint32
	at   int // index of the last element found or passed
}

// has advances to d and reports whether it is in the list. Its step doubles, so that short lists
// are intersected quickly with long ones.
func (w *walker) has(d uint32) bool {
	step := 1
	for w.at+step < len(w.list) && w.list[w.at+step] <= d {
		w.at += step
		step *= 2
	}
	for ; step > 0; step /= 2 {
		if w.at+step < len(w.list) && w.list[w.at+step] <= d {
			w.at += step
		}
	}
	return w.at < len(w.list) && w.list[w.at] == d
}
