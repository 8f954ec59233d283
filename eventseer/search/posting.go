package search

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	index "github.com/blevesearch/bleve_index_api"
	api "github.com/blevesearch/scorch_segment_api/v2"
)

// A posting is the ordered list of documents with a word or phrase in a field, from Bleve at the
// moment of the view. It is immutable.
type posting struct {
	documentList
	// strengths of a word in each of its documents: the root of its frequency, times the norm of
	// the field. Nil for a phrase, and for a word in texts, see textStrengths.
	strengths []float64
	// idf is the inverse document frequency of a word, by Bleve's formula.
	idf float64
	// searched are the documents in which a phrase in texts was looked for, nil for others.
	searched documentSet
}

// memoryBytes returns the approximate memory of a posting.
func (p *posting) memoryBytes() int {
	return 4*cap(p.sorted) + 8*cap(p.set) + 8*cap(p.searched) + 8*cap(p.strengths) + 200
}

// maxPostings bounds the postings cached by a view, in bytes.
const maxPostings = 64 << 20

// postings caches recently used postings in two generations: one used while the newer generation
// fills up moves to it. Bleve's own searchers of five fields took 24 ms for one common word among
// 100,000 events, each time.
type postings struct {
	guard         sync.Mutex // guards below
	recent, older map[wordKey]*posting
	filled        int // bytes of recent
}

// A wordKey is a word of a search, with its offset from the first word of a phrase.
type wordKey struct{ field, text string }

// getOrRead returns a posting from the cache, or reads it.
func (m *postings) getOrRead(key wordKey, read func() (*posting, error)) (*posting, error) {
	m.guard.Lock()
	p := m.recent[key]
	if p == nil {
		if p = m.older[key]; p != nil {
			m.storePosting(key, p)
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
	m.storePosting(key, p)
	m.guard.Unlock()
	return p, nil
}

// replace puts a posting into the cache instead of the one with its key.
func (m *postings) replace(key wordKey, p *posting) {
	m.guard.Lock()
	defer m.guard.Unlock()
	if old := m.recent[key]; old != nil {
		m.filled -= old.memoryBytes()
		delete(m.recent, key)
	}
	m.storePosting(key, p)
}

// storePosting puts a posting among the recent, under guard.
func (m *postings) storePosting(key wordKey, p *posting) {
	if m.recent[key] != nil {
		return // another goroutine was faster
	}
	if m.filled += p.memoryBytes(); m.recent == nil || m.filled > maxPostings/2 {
		m.recent, m.older = map[wordKey]*posting{}, m.recent
		m.filled = p.memoryBytes()
	}
	m.recent[key] = p
}

// wordPosting returns the posting of a word.
func (f *viewSearch) wordPosting(ctx context.Context, field, word string) (*posting, error) {
	return f.getOrRead(wordKey{field, word}, func() (*posting, error) { return f.readWord(ctx, field, word) })
}

func (f *viewSearch) readWord(ctx context.Context, field, word string) (p *posting, err error) {
	if field == "text" {
		return f.readTextWord(ctx, word)
	}
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
	p = &posting{documentList: documentList{sorted: make([]uint32, 0, count)}, strengths: make([]float64, 0, count), idf: rarity(total, count)}
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
			p.sorted = append(p.sorted, uint32(document))
			p.strengths = append(p.strengths, wordWeight(field, d))
		}
		at.ID = at.ID[:0]
	}
}

// rarity returns the idf of a word in count of total documents.
func rarity(total, count uint64) float64 { return 1 + math.Log(float64(total)/float64(count+1)) }

// readTextWord reads the documents with a word in the text of a page, without its frequencies. It takes
// the documents of a frequent word as a set, as the segment stores them.
func (f *viewSearch) readTextWord(ctx context.Context, word string) (*posting, error) {
	total, err := f.reader.DocCount()
	if err != nil {
		return nil, err
	}
	found := newDocumentSet(len(f.rows))
	err = f.eachTextPosting(ctx, word, false, func(list api.PostingsIterator, first uint64) error {
		whole, ok := list.(api.OptimizablePostingsIterator)
		if !ok || whole.ActualBitmap() == nil {
			return addNext(found, list, first)
		}
		if bits := whole.ActualBitmap(); !bits.IsEmpty() && first+uint64(bits.Maximum()) >= uint64(len(f.rows)) {
			return fmt.Errorf("the index is damaged: it has %.40q in texts of unknown events; delete its folder, then the next start rebuilds it", word)
		}
		dense := make([]uint64, whole.ActualBitmap().DenseSize())
		whole.ActualBitmap().WriteDenseTo(dense)
		found.addShifted(dense, int(first))
		return nil
	})
	if err != nil {
		return nil, err
	}
	count := found.len()
	return &posting{documentList: found.toList(count), idf: rarity(total, uint64(count))}, nil
}

// eachTextPosting calls read with the documents of each segment that have a word in a text, and the number
// of the segment's first document. Bleve's own reader converts the number of each document to bytes and back.
func (f *viewSearch) eachTextPosting(ctx context.Context, word string, frequencies bool, read func(list api.PostingsIterator, first uint64) error) error {
	first := uint64(0)
	for _, segment := range f.reader.Segments() {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		words, err := segment.Segment().Dictionary("text")
		if err != nil {
			return err
		}
		list, err := words.PostingsList([]byte(word), segment.Deleted(), nil)
		if err != nil {
			return err
		}
		if err := read(list.Iterator(frequencies, frequencies, false, nil), first); err != nil {
			return err
		}
		first += uint64(segment.FullSize())
	}
	return nil
}

// addNext adds the documents of an iterator to a set; first is the number of the segment's first document.
func addNext(found documentSet, documents api.PostingsIterator, first uint64) error {
	for {
		d, err := documents.Next()
		if err != nil || d == nil {
			return err
		}
		if n := first + d.Number(); n < uint64(len(found))*64 {
			found.add(uint32(n))
		}
	}
}

// wordWeight returns the weight of a word in a field. For a year neither frequency nor norm is
// stored: the field is the year, and Bleve's own scores would be NaN.
func wordWeight(field string, d *index.TermFieldDoc) float64 {
	if field == "year" || field == "named" {
		return 1
	}
	return math.Sqrt(float64(d.Freq)) * d.Norm
}

// documentsOf returns those of some documents that match a node. The caller may modify the result.
func (f *viewSearch) documentsOf(ctx context.Context, n searchNode, of documentSet) (documentSet, error) {
	all, ok := n.(allOfNodes)
	if !ok {
		found := newDocumentSet(len(f.rows))
		return found, f.addDocumentsOf(ctx, found, n, of)
	}
	found := slices.Clone(of)
	for _, one := range all {
		fits, err := f.documentsOf(ctx, one, found)
		if err != nil {
			return nil, err
		}
		found = fits
	}
	return found, nil
}

// addDocumentsOf adds to found those of some documents that match a node. Phrases in texts are searched
// only in documents that match nothing else.
func (f *viewSearch) addDocumentsOf(ctx context.Context, found documentSet, n searchNode, of documentSet) error {
	leaves, others := unionOf(n)
	for _, one := range others {
		fits, err := f.documentsOf(ctx, one, of)
		if err != nil {
			return err
		}
		found.addAll(fits)
	}
	for _, l := range leaves {
		if l.isTextPhrase() {
			continue
		}
		if err := f.addDocumentsWithWords(ctx, found, l, of); err != nil {
			return err
		}
	}
	for _, l := range leaves {
		if l.isTextPhrase() {
			left := slices.Clone(of)
			left.removeAll(found)
			fits, err := f.documentsWithTextPhrase(ctx, l, left)
			if err != nil {
				return err
			}
			found.addAll(fits)
		}
	}
	return ctx.Err()
}

// unionOf returns the parts of a node any of which matches: leaves and other nodes.
func unionOf(n searchNode) (leaves []*fieldWords, others []searchNode) {
	switch n := n.(type) {
	case anyOfNodes:
		for _, one := range n {
			l, o := unionOf(one)
			leaves, others = append(leaves, l...), append(others, o...)
		}
	case textOrFields:
		leaves, others = unionOf(n.fields)
		leaves = append(leaves, n.text)
	case *fieldWords:
		leaves = []*fieldWords{n}
	case allOfNodes:
		others = []searchNode{n}
	}
	return leaves, others
}

// isTextPhrase reports whether the positions of words in texts decide what a leaf matches.
func (l *fieldWords) isTextPhrase() bool { return l.phrase && l.field == "text" }

// withoutPositions returns a node that matches what n matches, and documents that have the words of a phrase
// anywhere in their texts. exact means that n has no such phrase.
func withoutPositions(n searchNode) (wider searchNode, exact bool) {
	exact = true
	each := func(nodes []searchNode) (out []searchNode) {
		for _, one := range nodes {
			w, same := withoutPositions(one)
			out, exact = append(out, w), exact && same
		}
		return out
	}
	switch n := n.(type) {
	case anyOfNodes:
		return anyOfNodes(each(n)), exact
	case allOfNodes:
		return allOfNodes(each(n)), exact
	case textOrFields:
		fields := each(n.fields)
		text := *n.text
		text.phrase = false
		return textOrFields{anyOfNodes(fields), &text}, exact && !n.text.isTextPhrase()
	case *fieldWords:
		if n.isTextPhrase() {
			words := *n
			words.phrase = false
			return &words, false
		}
	}
	return n, true
}

// addDocumentsWithWords adds those of some documents with the words of a leaf to found.
func (f *viewSearch) addDocumentsWithWords(ctx context.Context, found documentSet, l *fieldWords, of documentSet) error {
	if len(l.words) == 0 {
		return nil
	}
	if l.phrase {
		p, err := f.phrasePosting(ctx, l)
		if err == nil {
			p.addTo(found, of)
		}
		return err
	}
	documents, err := f.documentsWithAll(ctx, l)
	if err == nil {
		documents.addTo(found, of)
	}
	return err
}

// documentsWithAll returns the documents with all words of a leaf, anywhere in the field. The caller must not
// modify the result.
func (f *viewSearch) documentsWithAll(ctx context.Context, l *fieldWords) (documents documentList, err error) {
	for i, w := range l.words {
		p, err := f.wordPosting(ctx, l.field, w.text)
		switch {
		case err != nil:
			return documentList{}, err
		case i == 0:
			documents = p.documentList
		default:
			documents = documents.common(p.documentList)
		}
		if documents.isEmpty() {
			break
		}
	}
	return documents, nil
}
