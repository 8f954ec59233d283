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
// phrases, so no text is read again.
func (f *viewSearch) findPassages(ctx context.Context, x query.Expr, page []scoredDocument, hits []eventseer.Hit) error {
	var leaves []*fieldWords
	for _, alternatives := range x.Clauses {
		for _, t := range alternatives {
			if !t.IsFact() && !t.IsStop() {
				leaves = appendLeaves(leaves, f.termNode(t))
			}
		}
	}
	order := make([]int, len(page)) // readers go forward only
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(page[a].document, page[b].document) })
	for _, l := range leaves {
		if err := f.addPlaces(ctx, l, page, order, hits); err != nil {
			return err
		}
	}
	for i := range hits {
		hits[i].Places = sortedPlaces(hits[i].Places)
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
