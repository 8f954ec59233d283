package search

import (
	"context"
	"errors"
	"strconv"
	"strings"

	index "github.com/blevesearch/bleve_index_api"
)

// phrase returns the documents with a phrase in a field. Where its words stand is read
// of those alone that have all of them.
func (f *finding) phrase(ctx context.Context, l *leaf) (*posting, error) {
	var key strings.Builder
	for _, w := range l.words {
		key.WriteString("\x00" + strconv.Itoa(w.offset) + "\x00" + w.text)
	}
	return f.remember(sought{l.field, key.String()}, func() (*posting, error) { return f.readPhrase(ctx, l) })
}

func (f *finding) readPhrase(ctx context.Context, l *leaf) (p *posting, err error) {
	p = &posting{}
	documents, err := f.having(ctx, l)
	if err != nil || len(documents) == 0 {
		return p, err
	}
	r, err := f.readPlaces(ctx, l)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	for n, d := range documents {
		if n%512 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		starts, err := r.starts(d)
		if err != nil {
			return nil, err
		}
		if len(starts) > 0 {
			p.documents = append(p.documents, d)
		}
	}
	return p, nil
}

// A placeReader reads where the words of a leaf stand in documents, asked for in
// order.
type placeReader struct {
	words    []placedWord
	readers  []*wordPlaces
	possible []start // of the last phrase
}

// A start is where a phrase begins: the value of the field, and the number of the
// word in it.
type start struct{ part, position uint64 }

func (f *finding) readPlaces(ctx context.Context, l *leaf) (*placeReader, error) {
	r := &placeReader{words: l.words}
	for _, w := range l.words {
		reader, err := f.reader.TermFieldReader(ctx, []byte(w.text), l.field, false, false, true)
		if err != nil {
			return nil, errors.Join(err, r.close())
		}
		r.readers = append(r.readers, &wordPlaces{reader: reader})
	}
	return r, nil
}

func (r *placeReader) close() (err error) {
	for _, w := range r.readers {
		err = errors.Join(err, w.reader.Close())
	}
	return err
}

// starts returns where the phrase of the words begins in a document, until it is
// called again.
func (r *placeReader) starts(document uint32) ([]start, error) {
	possible := r.possible[:0]
	for i, w := range r.words {
		places, err := r.readers[i].in(document)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			for _, p := range places {
				possible = append(possible, start{part(p), p.Pos})
			}
			r.possible = possible
			continue
		}
		kept := possible[:0]
		for _, s := range possible {
			if stands(places, s.part, s.position+uint64(w.offset)) {
				kept = append(kept, s)
			}
		}
		if possible = kept; len(possible) == 0 {
			break
		}
	}
	return possible, nil
}

func stands(places []*index.TermFieldVector, in, position uint64) bool {
	for _, p := range places {
		if p.Pos == position && part(p) == in {
			return true
		}
	}
	return false
}

// part is the number of the value of a field with many in which a word stands.
func part(p *index.TermFieldVector) uint64 {
	if len(p.ArrayPositions) == 0 {
		return 0
	}
	return p.ArrayPositions[0]
}

// A wordPlaces reads the places of one word.
type wordPlaces struct {
	reader index.TermFieldReader
	id     index.IndexInternalID
	last   index.TermFieldDoc // as read, valid if begun and not ended
	begun  bool
	ended  bool
}

// in returns where the word stands in a document, until it is called again: nil if
// nowhere. Documents are asked for in order.
func (w *wordPlaces) in(document uint32) ([]*index.TermFieldVector, error) {
	if !w.ended && (!w.begun || w.last.ID.Value() < uint64(document)) {
		w.id = index.NewIndexInternalID(w.id, uint64(document))
		d, err := w.reader.Advance(w.id, &w.last)
		if err != nil {
			return nil, err
		}
		w.begun, w.ended = true, d == nil
	}
	if w.ended || w.last.ID.Value() != uint64(document) {
		return nil, nil
	}
	return w.last.Vectors, nil
}
