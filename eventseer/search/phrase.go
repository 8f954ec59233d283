package search

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/eventseer/query"

	index "github.com/blevesearch/bleve_index_api"
)

// phraseKey returns the key of a phrase in the cache.
func phraseKey(l *fieldWords) wordKey {
	var key strings.Builder
	for _, w := range l.words {
		key.WriteString("\x00" + strconv.Itoa(w.offset) + "\x00" + w.text)
	}
	return wordKey{l.field, key.String()}
}

// phrasePosting returns the documents with a phrase in a field. Positions are read only for documents with
// all of its words. For texts see documentsWithTextPhrase.
func (f *viewSearch) phrasePosting(ctx context.Context, l *fieldWords) (*posting, error) {
	return f.getOrRead(phraseKey(l), func() (*posting, error) {
		documents, err := f.documentsWithAll(ctx, l)
		if err != nil || documents.isEmpty() {
			return &posting{}, err
		}
		found, err := f.withPhrase(ctx, l, documents.all)
		return &posting{documentList: documentList{sorted: found}}, err
	})
}

// documentsWithTextPhrase returns those of some documents that have a phrase in a text. Positions in
// texts are read only for documents that no earlier search looked at.
func (f *viewSearch) documentsWithTextPhrase(ctx context.Context, l *fieldWords, of documentSet) (documentSet, error) {
	key := phraseKey(l)
	known, err := f.getOrRead(key, func() (*posting, error) {
		return &posting{documentList: documentList{set: newDocumentSet(len(f.rows))}, searched: newDocumentSet(len(f.rows))}, nil
	})
	if err != nil {
		return nil, err
	}
	documents, err := f.documentsWithAll(ctx, l)
	if err != nil {
		return nil, err
	}
	found, unknown := newDocumentSet(len(f.rows)), newDocumentSet(len(f.rows))
	documents.addTo(unknown, of)
	unknown.removeAll(known.searched)
	if unknown.len() > 0 {
		having, err := f.withPhrase(ctx, l, unknown.allDocuments)
		if err != nil {
			return nil, err
		}
		more := &posting{documentList: documentList{set: slices.Clone(known.set)}, searched: slices.Clone(known.searched)}
		more.searched.addAll(unknown)
		for _, d := range having {
			more.set.add(d)
		}
		f.replace(key, more)
		known = more
	}
	known.addTo(found, of)
	return found, nil
}

// withPhrase returns those documents of a sequence in order that have a phrase.
func (f *viewSearch) withPhrase(ctx context.Context, l *fieldWords, documents iter.Seq[uint32]) (found []uint32, err error) {
	r, err := f.readPlaces(ctx, l)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	n := 0
	for d := range documents {
		if n++; n%512 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		starts, err := r.phraseStarts(d)
		if err != nil {
			return nil, err
		}
		if len(starts) > 0 {
			found = append(found, d)
		}
	}
	return found, nil
}

// A placeReader reads the positions of a leaf's words in documents, which must be requested in
// order.
type placeReader struct {
	words    []placedWord
	readers  []*wordPlaces
	possible []phraseStart // of the last phrase
}

// A phraseStart is the beginning of a phrase: the value of the field, and the number of the word in it.
type phraseStart struct{ part, position uint64 }

func (f *viewSearch) readPlaces(ctx context.Context, l *fieldWords) (*placeReader, error) {
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

// phraseStarts returns the beginnings of the phrase in a document, valid until the next call.
func (r *placeReader) phraseStarts(document uint32) ([]phraseStart, error) {
	possible := r.possible[:0]
	for i, w := range r.words {
		places, err := r.readers[i].inDocument(document)
		if err != nil {
			return nil, err
		}
		if i == 0 {
			for _, p := range places {
				possible = append(possible, phraseStart{valueNumber(p), p.Pos})
			}
			r.possible = possible
			continue
		}
		kept := possible[:0]
		for _, s := range possible {
			at := phraseStart{s.part, s.position + uint64(w.offset)}
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
func comparePlace(p *index.TermFieldVector, at phraseStart) int {
	return cmp.Or(cmp.Compare(valueNumber(p), at.part), cmp.Compare(p.Pos, at.position))
}

// valueNumber returns the number of the value in which a word occurs, of a field with several values.
func valueNumber(p *index.TermFieldVector) uint64 {
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

// inDocument returns the positions of the word in a document, valid until the next call; nil if there are
// none. Documents must be requested in order.
func (w *wordPlaces) inDocument(document uint32) ([]*index.TermFieldVector, error) {
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
	return anywhereFields()
}

// anywhereFields returns the fields in which a term without a field is searched.
func anywhereFields() (fields []string) {
	for _, field := range anyField {
		fields = append(fields, field.name)
	}
	return append(fields, "text")
}

// documentsWithNear returns the documents of a set with the words of t within t.Near words, in any order, in one
// of some fields.
func (f *viewSearch) documentsWithNear(ctx context.Context, t query.Term, fields []string, of documentSet) (documentSet, error) {
	found := newDocumentSet(len(f.rows))
	left := slices.Clone(of)
	for _, field := range fields {
		if err := f.addNear(ctx, found, &fieldWords{field: field, words: f.distinctWords(field, t.Text)}, uint64(t.Near), left); err != nil {
			return nil, err
		}
		left.removeAll(found)
	}
	return found, nil
}

// addNear adds to found the documents of a set with a leaf's words within so many words in one
// value of the field.
func (f *viewSearch) addNear(ctx context.Context, found documentSet, l *fieldWords, within uint64, of documentSet) (err error) {
	documents, err := f.documentsWithAll(ctx, l)
	if err != nil || documents.isEmpty() {
		return err
	}
	r, err := f.readPlaces(ctx, l)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.close()) }()
	n := 0
	for d := range documents.all {
		if n++; n%512 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if !of.has(d) {
			continue
		}
		var places []wordPlace
		for i, w := range r.readers {
			vectors, err := w.inDocument(d)
			if err != nil {
				return err
			}
			for _, p := range vectors {
				places = append(places, wordPlace{i, phraseStart{valueNumber(p), p.Pos}})
			}
		}
		if areNear(places, len(l.words), within) {
			found.add(d)
		}
	}
	return nil
}

// distinctWords returns the words of a text as a field has them, each once.
func (f *viewSearch) distinctWords(field, text string) (words []placedWord) {
	seen := map[string]bool{}
	for _, token := range f.mapping.AnalyzerNamed(f.mapping.AnalyzerNameForPath(field)).Analyze([]byte(text)) {
		if w := string(token.Term); !seen[w] {
			seen[w] = true
			words = append(words, placedWord{text: w})
		}
	}
	return words
}

// A wordPlace is the position of a word, with the number of the word.
type wordPlace struct {
	word int
	phraseStart
}

// areNear reports whether n different words are within so many words in one value of the field.
func areNear(places []wordPlace, n int, within uint64) bool {
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
