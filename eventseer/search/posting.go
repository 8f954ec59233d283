package search

import (
	"context"
	"errors"
	"math"
	"sync"

	index "github.com/blevesearch/bleve_index_api"
)

// A posting is the documents that have a word or phrase in a field, in order, as
// Bleve has them at the moment of the view. It is never changed.
type posting struct {
	documents []uint32
	// strengths of a word in each of its documents: the root of how often it is
	// there, times the norm of the field. Nil of a phrase.
	strengths []float64
	// idf is how rare a word is, as Bleve reckons it.
	idf float64
}

// bytes is the memory that a posting takes, about.
func (p *posting) bytes() int { return 4*cap(p.documents) + 8*cap(p.strengths) + 200 }

// maxPostings bounds the postings that a view remembers, in bytes.
const maxPostings = 32 << 20

// postings remember those that were asked for lately: who is asked for while the
// recent fill up stays among them. Bleve's own searchers of five fields took 24 ms for
// one common word among 100,000 events, each time.
type postings struct {
	guard         sync.Mutex // guards below
	recent, older map[sought]*posting
	filled        int // bytes of recent
}

// A sought is a word, or a phrase with how far its words stand behind the first.
type sought struct{ field, text string }

// remember returns a posting that was read before, or reads it.
func (m *postings) remember(key sought, read func() (*posting, error)) (*posting, error) {
	m.guard.Lock()
	p := m.recent[key]
	if p == nil {
		if p = m.older[key]; p != nil {
			m.keep(key, p)
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
	m.keep(key, p)
	m.guard.Unlock()
	return p, nil
}

// keep puts a posting among the recent, under guard.
func (m *postings) keep(key sought, p *posting) {
	if m.recent[key] != nil {
		return // somebody else was faster
	}
	if m.filled += p.bytes(); m.recent == nil || m.filled > maxPostings/2 {
		m.recent, m.older = map[sought]*posting{}, m.recent
		m.filled = p.bytes()
	}
	m.recent[key] = p
}

// forget lets all postings go.
func (m *postings) forget() {
	m.guard.Lock()
	defer m.guard.Unlock()
	m.recent, m.older, m.filled = nil, nil, 0
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

// strength is how much of a field a word is. Of a year neither is kept: the field is
// the year, where Bleve's own scores are no numbers.
func strength(field string, d *index.TermFieldDoc) float64 {
	if field == "year" {
		return 1
	}
	return math.Sqrt(float64(d.Freq)) * d.Norm
}
