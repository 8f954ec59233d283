package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/eventseer/query"

	index "github.com/blevesearch/bleve_index_api"
)

// phrase returns the documents with a phrase in a field. Positions are read only for documents with
// all of its words.
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

// A placeReader reads the positions of a leaf's words in documents, which must be requested in
// order.
type placeReader struct {
	words    []placedWord
	readers  []*wordPlaces
	possible []start // of the last phrase
}

// A start is the beginning of a phrase: the value of the field, and the number of the word in it.
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

// starts returns the beginnings of the phrase in a document, valid until the next call.
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
			at := start{s.part, s.position + uint64(w.offset)}
			if _, ok := slices.BinarySearchFunc(places, at, comparePlace); ok { // places are in order
				kept = append(kept, s)
			}
		}
		if possible = kept; len(possible) == 0 {
			break
		}
	}
	return possible, nil
}

// comparePlace compares the position of a word with a start.
func comparePlace(p *index.TermFieldVector, at start) int {
	return cmp.Or(cmp.Compare(part(p), at.part), cmp.Compare(p.Pos, at.position))
}

// part returns the number of the value in which a word occurs, of a field with several values.
func part(p *index.TermFieldVector) uint64 {
	if len(p.ArrayPositions) == 0 {
		return 0
	}
	return p.ArrayPositions[0]
}

// A wordPlaces reads the positions of one word.
type wordPlaces struct {
	reader index.TermFieldReader
	id     index.IndexInternalID
	last   index.TermFieldDoc // last one read; valid if begun and not ended
	begun  bool
	ended  bool
}

// in returns the positions of the word in a document, valid until the next call; nil if there are
// none. Documents must be requested in order.
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

// fieldsOf returns the fields in which a term is searched.
func fieldsOf(t query.Term) []string {
	switch {
	case t.Field != "":
		return []string{t.Field}
	case t.IsStop():
		return []string{"acronym"}
	}
	return anywhere()
}

// anywhere returns the fields in which a term without a field is searched.
func anywhere() (fields []string) {
	for _, field := range anyField {
		fields = append(fields, field.name)
	}
	return append(fields, "text")
}

// near returns the documents of a set with the words of t within t.Near words, in any order, in one
// of some fields.
func (f *finding) near(ctx context.Context, t query.Term, fields []string, of set) (set, error) {
	found := newSet(len(f.rows))
	left := slices.Clone(of)
	for _, field := range fields {
		if err := f.addNear(ctx, found, &leaf{field: field, words: f.distinct(field, t.Text)}, uint64(t.Near), left); err != nil {
			return nil, err
		}
		left.without(found)
	}
	return found, nil
}

// addNear adds to found the documents of a set with a leaf's words within so many words in one
// value of the field.
func (f *finding) addNear(ctx context.Context, found set, l *leaf, within uint64, of set) (err error) {
	documents, err := f.having(ctx, l)
	if err != nil || len(documents) == 0 {
		return err
	}
	r, err := f.readPlaces(ctx, l)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	for n, d := range documents {
		if n%512 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !of.has(d) {
			continue
		}
		var places []wordPlace
		for i, w := range r.readers {
			vectors, err := w.in(d)
			if err != nil {
				return err
			}
			for _, p := range vectors {
				places = append(places, wordPlace{i, start{part(p), p.Pos}})
			}
		}
		if closeBy(places, len(l.words), within) {
			found.add(d)
		}
	}
	return nil
}

// distinct returns the words of a text as a field has them, each once.
func (f *finding) distinct(field, text string) (words []placedWord) {
	seen := map[string]bool{}
	for _, token := range f.mapping.AnalyzerNamed(f.mapping.AnalyzerNameForPath(field)).Analyze([]byte(text)) {
		if w := string(token.Term); !seen[w] {
			seen[w] = true
			words = append(words, placedWord{text: w})
		}
	}
	return words
}

// A wordPlace is the position of one of some words.
type wordPlace struct {
	word int
	start
}

// closeBy reports whether n different words are within so many words in one value of the field.
func closeBy(places []wordPlace, n int, within uint64) bool {
	slices.SortFunc(places, func(a, b wordPlace) int {
		return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.position, b.position))
	})
	count, different, first := make([]int, n), 0, 0 // of the words in the window beginning with first
	for _, p := range places {
		for places[first].part != p.part || p.position-places[first].position > within {
			if count[places[first].word]--; count[places[first].word] == 0 {
				different--
			}
			first++
		}
		if count[p.word]++; count[p.word] == 1 {
			different++
		}
		if different == n {
			return true
		}
	}
	return false
}
