package search

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"

	api "github.com/blevesearch/scorch_segment_api/v2"
)

// Scores equal those of Bleve's searchers, except for rounding. A word's score is the root of its
// frequency in the field, times the field's norm, times the square of its rarity, times the field's
// boost. For several optional terms the sum is multiplied by the share that match. Scores are
// computed only for the documents that remain after everything else.

// scoreSet passes the documents of a set that match a node to add, with their scores, in order of
// number. A nil node, for a query that places or facts may match, matches all with a score of 0.
func (f *viewSearch) scoreSet(ctx context.Context, n searchNode, of documentSet, add func(scoredDocument)) error {
	if n == nil {
		for d := range of.allDocuments {
			add(scoredDocument{document: d})
		}
		return nil
	}
	documents := make([]uint32, 0, of.len())
	for d := range of.allDocuments {
		documents = append(documents, d)
	}
	if len(documents) == 0 {
		return nil
	}
	weight, err := f.squaredNorm(ctx, n)
	if err != nil {
		return err
	}
	scores, err := f.scoreDocuments(ctx, n, documents, 1/math.Sqrt(weight))
	if err != nil {
		return err
	}
	for i, d := range documents {
		if scores[i] >= 0 {
			add(scoredDocument{d, scores[i]})
		}
	}
	return nil
}

// squaredNorm returns the squared divisor of a node's scores.
func (f *viewSearch) squaredNorm(ctx context.Context, n searchNode) (sum float64, err error) {
	var parts []searchNode
	switch n := n.(type) {
	case anyOfNodes:
		parts = n
	case allOfNodes:
		parts = n
	case textOrFields:
		parts = n.fields // so that scores of fields equal those of Bleve
	case *fieldWords:
		for _, w := range n.words {
			p, err := f.wordPosting(ctx, n.field, w.text)
			if err != nil {
				return 0, err
			}
			sum += n.boost * p.idf * n.boost * p.idf
		}
	}
	for _, one := range parts {
		w, err := f.squaredNorm(ctx, one)
		if err != nil {
			return 0, err
		}
		sum += w
	}
	return sum, nil
}

// unmatched is the score of a document that does not match.
const unmatched = -1

// scoreDocuments returns the score of each document for a node, or unmatched.
func (f *viewSearch) scoreDocuments(ctx context.Context, n searchNode, documents []uint32, norm float64) ([]float64, error) {
	if l, ok := n.(*fieldWords); ok {
		return f.leafScores(ctx, l, documents, norm)
	}
	if w, ok := n.(textOrFields); ok {
		return f.scoresWithText(ctx, w, documents, norm)
	}
	parts, all := []searchNode(nil), false
	switch n := n.(type) {
	case anyOfNodes:
		parts = n
	case allOfNodes:
		parts, all = n, true
	}
	sums, matching := make([]float64, len(documents)), make([]uint16, len(documents))
	for _, one := range parts {
		scores, err := f.scoreDocuments(ctx, one, documents, norm)
		if err != nil {
			return nil, err
		}
		for i, s := range scores {
			if s >= 0 {
				sums[i] += s
				matching[i]++
			}
		}
	}
	for i, m := range matching {
		switch {
		case m == 0, all && int(m) < len(parts):
			sums[i] = unmatched
		case !all:
			sums[i] *= float64(m) / float64(len(parts))
		}
	}
	return sums, nil
}

// scoresWithText adds the scores of texts to those of fields.
func (f *viewSearch) scoresWithText(ctx context.Context, n textOrFields, documents []uint32, norm float64) ([]float64, error) {
	scores, err := f.scoreDocuments(ctx, n.fields, documents, norm)
	if err != nil {
		return nil, err
	}
	texts, err := f.leafScores(ctx, n.text, documents, norm)
	if err != nil {
		return nil, err
	}
	for i, s := range texts {
		if s >= 0 {
			scores[i] = max(scores[i], 0) + s
		}
	}
	return scores, nil
}

func (f *viewSearch) leafScores(ctx context.Context, l *fieldWords, documents []uint32, norm float64) ([]float64, error) {
	scores := slices.Repeat([]float64{unmatched}, len(documents))
	having, err := f.documentsWithAll(ctx, l)
	if err != nil || having.isEmpty() {
		return scores, err
	}
	switch {
	case l.isTextPhrase():
		of := newDocumentSet(len(f.rows))
		documentList{sorted: documents}.addTo(of, f.live)
		found, err := f.documentsWithTextPhrase(ctx, l, of)
		if err != nil {
			return nil, err
		}
		having = documentList{set: found}
	case l.phrase:
		p, err := f.phrasePosting(ctx, l)
		if err != nil {
			return nil, err
		}
		having = p.documentList
	}
	matching := having.searcher()
	for i, d := range documents {
		if matching.find(d) {
			scores[i] = 0
		}
	}
	for _, word := range l.words {
		p, err := f.wordPosting(ctx, l.field, word.text)
		if err != nil {
			return nil, err
		}
		factor := p.idf * l.boost * p.idf * norm
		if factor == 0 {
			continue
		}
		if p.strengths == nil {
			if p, err = f.textStrengths(ctx, word.text, p); err != nil {
				return nil, err
			}
		}
		at := p.searcher()
		for i, d := range documents {
			if scores[i] >= 0 && at.find(d) {
				scores[i] += p.strengths[at.index(d)] * factor
			}
		}
	}
	return scores, nil
}

// textStrengths returns the posting of a word in texts with its strengths. They are read for words of scored
// documents only: a text has many words, and most of them are not searched in the first tiers.
func (f *viewSearch) textStrengths(ctx context.Context, word string, having *posting) (*posting, error) {
	return f.getOrRead(wordKey{"strengths in text", word}, func() (*posting, error) {
		p := &posting{documentList: having.documentList, idf: having.idf, strengths: make([]float64, 0, having.len())}
		err := f.eachTextPosting(ctx, word, true, func(list api.PostingsIterator, _ uint64) error {
			for {
				d, err := list.Next()
				if err != nil || d == nil {
					return err
				}
				p.strengths = append(p.strengths, math.Sqrt(float64(d.Frequency()))*d.Norm())
			}
		})
		if err == nil && len(p.strengths) != having.len() {
			err = fmt.Errorf("the index is damaged: %.40q is in %d texts but was counted in %d; delete its folder, then the next start rebuilds it", word, having.len(), len(p.strengths))
		}
		return p, err
	})
}

// comparisonFor returns the comparison of documents for an order determined by facts, nil for others. Equal
// documents are sorted by next deadline, then by id.
func (f *viewSearch) comparisonFor(o eventseer.Order) func(a, b scoredDocument) int {
	var key func(document uint32) int64 // the lowest first
	switch o {
	case eventseer.OrderEvent:
		key = f.startKey
	case eventseer.OrderRank:
		key = func(d uint32) int64 { return bestRank(f.rows[d].facts.Ranks) }
	case eventseer.OrderAdded:
		key = func(d uint32) int64 { return -clampNanos(f.rows[d].facts.Seen) }
	default:
		return nil
	}
	return func(a, b scoredDocument) int {
		return cmp.Or(
			cmp.Compare(key(a.document), key(b.document)),
			cmp.Compare(f.nextKey(a.document), f.nextKey(b.document)),
			cmp.Compare(f.rows[a.document].facts.ID, f.rows[b.document].facts.ID),
		)
	}
}

// startKey sorts future events by time before past ones, of these the last first, and those without
// a day last.
func (f *viewSearch) startKey(document uint32) int64 {
	start := f.rows[document].facts.Start
	switch {
	case start.IsZero():
		return math.MaxInt64
	case start.AddDate(0, 0, 1).Before(f.now):
		return math.MaxInt64/2 - clampNanos(start)/4
	}
	return clampNanos(start) / 4 // so that it is less than the score of any past date
}

// nextKey returns the next deadline, or the end of time.
func (f *viewSearch) nextKey(document uint32) int64 {
	if next, ok := f.rows[document].facts.Next(f.now); ok {
		return clampNanos(next.Moment)
	}
	return math.MaxInt64
}

// bestRank returns the best position in a ranking system, 0 for the first.
func bestRank(ranks []eventseer.Rank) int64 {
	best := int64(math.MaxInt64)
	for _, r := range ranks {
		if place, known := query.RankOrder(r.System, r.Value); known {
			best = min(best, int64(place))
		}
	}
	return best
}
