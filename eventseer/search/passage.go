package search

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"

	index "github.com/blevesearch/bleve_index_api"
)

// findPassages finds the query words in the hits of a page. It uses the positions that Bleve stores for
// phrases, so no text is read again. Bleve walks through all positions of a word, so texts are read for
// as few words and hits as possible.
func (f *viewSearch) findPassages(ctx context.Context, x query.Expr, short bool, page []scoredDocument, hits []eventseer.Hit) error {
	order := make([]int, len(page)) // readers go forward only
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(page[a].document, page[b].document) })
	terms := passageTerms(x)
	var later []*fieldWords // in clips
	for _, t := range terms {
		for _, l := range appendLeaves(nil, f.termNode(t)) {
			if l.field == "clip" {
				later = append(later, l)
			} else if l.field != "text" {
				if err := f.addPlaces(ctx, l, page, order, hits); err != nil {
					return err
				}
			}
		}
	}
	if short {
		order = slices.DeleteFunc(order, func(i int) bool { return hasPlace(hits[i].Places, "title") })
	}
	for _, l := range later {
		if err := f.addPlaces(ctx, l, page, order, hits); err != nil {
			return err
		}
	}
	for _, t := range terms {
		if err := f.addTextPlaces(ctx, t, page, order, hits); err != nil {
			return err
		}
	}
	for i := range hits {
		hits[i].Places = sortedPlaces(hits[i].Places)
	}
	return nil
}

// passageTerms returns the terms of a query whose words are shown in hits.
func passageTerms(x query.Expr) (terms []query.Term) {
	for _, alternatives := range x.Clauses {
		for _, t := range alternatives {
			if !t.IsFact() && !t.IsStop() {
				terms = append(terms, t)
			}
		}
	}
	return terms
}

func hasPlace(places []eventseer.WordPosition, field string) bool {
	return slices.ContainsFunc(places, func(p eventseer.WordPosition) bool { return p.Field == field })
}

// addTextPlaces adds the positions of a term's words in texts to the hits. Other names of the term are
// looked for in the texts that lack the term itself.
func (f *viewSearch) addTextPlaces(ctx context.Context, t query.Term, page []scoredDocument, order []int, hits []eventseer.Hit) error {
	own := f.fieldWordsIn("text", t, 1).words
	before := make([]int, len(hits))
	for i := range hits {
		before[i] = len(hits[i].Places)
	}
	var others []*fieldWords
	for _, l := range appendLeaves(nil, f.termNode(t)) {
		switch {
		case l.field != "text":
		case !slices.Equal(l.words, own):
			others = append(others, l)
		default:
			if err := f.addPlaces(ctx, l, page, order, hits); err != nil {
				return err
			}
		}
	}
	lacking := slices.DeleteFunc(slices.Clone(order), func(i int) bool { return hasPlace(hits[i].Places[before[i]:], "text") })
	for _, l := range others {
		if err := f.addPlaces(ctx, l, page, lacking, hits); err != nil {
			return err
		}
	}
	return nil
}

// appendLeaves appends the leaves of a node whose words have reported positions.
func appendLeaves(leaves []*fieldWords, n searchNode) []*fieldWords {
	switch n := n.(type) {
	case anyOfNodes:
		for _, one := range n {
			leaves = appendLeaves(leaves, one)
		}
	case textOrFields:
		leaves = appendLeaves(appendLeaves(leaves, n.fields), n.text)
	case *fieldWords:
		if len(n.words) > 0 && fieldOrder[n.field] > 0 {
			leaves = append(leaves, n)
		}
	}
	return leaves
}

// addPlaces adds the positions of a leaf's words to the hits. order is that of the documents of a
// page.
func (f *viewSearch) addPlaces(ctx context.Context, l *fieldWords, page []scoredDocument, order []int, hits []eventseer.Hit) (err error) {
	having, err := f.documentsWithAll(ctx, l)
	if err != nil || having.isEmpty() {
		return err
	}
	var r *placeReader
	defer func() {
		if r != nil {
			err = errors.Join(err, r.close())
		}
	}()
	w := having.searcher()
	for _, i := range order {
		if !w.find(page[i].document) {
			continue
		}
		if r == nil {
			if r, err = f.readPlaces(ctx, l); err != nil {
				return err
			}
		}
		if hits[i].Places, err = r.appendPlaces(hits[i].Places, l, page[i].document); err != nil {
			return err
		}
	}
	return nil
}

// appendPlaces appends the positions of a leaf's words in a document.
func (r *placeReader) appendPlaces(out []eventseer.WordPosition, l *fieldWords, document uint32) ([]eventseer.WordPosition, error) {
	var starts []phraseStart
	if l.phrase {
		var err error
		if starts, err = r.phraseStarts(document); err != nil || len(starts) == 0 {
			return out, err
		}
	}
	for i, w := range r.words {
		places, err := r.readers[i].inDocument(document)
		if err != nil {
			return out, err
		}
		for _, p := range places {
			if l.phrase {
				if _, ok := slices.BinarySearchFunc(starts, phraseStart{valueNumber(p), p.Pos - uint64(w.offset)}, compareStarts); !ok {
					continue
				}
			}
			if out = appendPlace(out, l.field, p); len(out) > maxPlacesRead {
				break
			}
		}
	}
	return out, nil
}

// maxPlacesRead bounds the positions read in a document, of which the first are reported.
const maxPlacesRead = 1000

func compareStarts(a, b phraseStart) int {
	return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.position, b.position))
}

func appendPlace(out []eventseer.WordPosition, field string, p *index.TermFieldVector) []eventseer.WordPosition {
	place := eventseer.WordPosition{Field: field, Part: int(valueNumber(p)), Offset: [2]int{int(p.Start), int(p.End)}}
	if (field == "place" || field == "acronym") && place.Part > 0 {
		return out // the place as printed, or an acronym of the series: only the first value is shown
	}
	return append(out, place)
}

// fieldOrder is the order of fields in Hit.Places.
var fieldOrder = func() map[string]int {
	order := map[string]int{}
	for i, f := range anyField {
		order[f.name] = i + 1
	}
	order["text"] = len(anyField) + 1
	return order
}()

// sortedPlaces sorts places by importance of the field and position, removes repetitions and limits
// their number.
func sortedPlaces(out []eventseer.WordPosition) []eventseer.WordPosition {
	slices.SortFunc(out, func(a, b eventseer.WordPosition) int {
		return cmp.Or(cmp.Compare(fieldOrder[a.Field], fieldOrder[b.Field]), cmp.Compare(a.Part, b.Part), cmp.Compare(a.Offset[0], b.Offset[0]))
	})
	out = slices.Compact(out)
	return out[:min(len(out), eventseer.MaxPlaces)]
}
