package search

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/eventseer/eventseer/eventseer/query"
)

// A viewSearch is one search over one view.
type viewSearch struct {
	*view
	termCompiler
	series []string  // ids of the series named by the query
	now    time.Time // what windows count from
	openAt time.Time // zero of all
}

// A scoredDocument is a document with the query words, and its score.
type scoredDocument struct {
	document uint32
	score    float64
}

// matchQuery returns the documents that match. Phrases in texts are looked for last, in the documents
// that match everything else.
func (f *viewSearch) matchQuery(ctx context.Context, x query.Expr) (documentSet, error) {
	p := f.splitQuery(x)
	wider, exact := withoutPositions(p.words)
	found, err := f.documentsWithWords(ctx, wider, f.live)
	if err != nil {
		return nil, err
	}
	if !f.openAt.IsZero() {
		f.removeClosed(found)
	}
	f.moveCachedFirst(p.mixed)
	for _, alternatives := range p.mixed {
		if err := f.removeMatchingNone(ctx, found, alternatives); err != nil {
			return nil, err
		}
	}
	for _, t := range p.excluded {
		leaving, err := f.excludedSet(ctx, found, t)
		if err != nil {
			return nil, err
		}
		found.removeAll(leaving)
	}
	if !exact {
		if found, err = f.documentsOf(ctx, p.words, found); err != nil {
			return nil, err
		}
	}
	return found, ctx.Err()
}

// documentsWithWords returns those of some documents with the query words, all if there are none.
func (f *viewSearch) documentsWithWords(ctx context.Context, n searchNode, of documentSet) (documentSet, error) {
	if n == nil {
		return slices.Clone(of), ctx.Err()
	}
	return f.documentsOf(ctx, n, of)
}

// removeClosed leaves out documents without a deadline at or after openAt.
func (f *viewSearch) removeClosed(found documentSet) {
	open := clampNanos(f.openAt)
	for n := range found.allDocuments {
		if f.last[n] < open {
			found.remove(n)
		}
	}
}

// clampNanos returns the nanoseconds of a time, limited to the range of int64.
func clampNanos(t time.Time) int64 {
	switch {
	case t.Before(earliest):
		return earliest.UnixNano()
	case t.After(latest):
		return latest.UnixNano()
	}
	return t.UnixNano()
}

// removeMatchingNone removes documents that match none of some terms.
func (f *viewSearch) removeMatchingNone(ctx context.Context, found documentSet, alternatives []query.Term) error {
	union := newDocumentSet(len(f.rows))
	for _, t := range alternatives {
		fits, err := f.termSet(ctx, found, t)
		if err != nil {
			return err
		}
		union.addAll(fits)
	}
	found.keepCommon(union)
	return nil
}

// termSet returns those of some documents that match a term.
func (f *viewSearch) termSet(ctx context.Context, of documentSet, t query.Term) (documentSet, error) {
	if test := t.FactTest(f.now); test != nil {
		return f.documentsPassing(of, t, test), ctx.Err()
	}
	if t.Near > 0 {
		return f.documentsWithNear(ctx, t, fieldsOf(t), of)
	}
	return f.documentsWithWords(ctx, f.termNode(t), of)
}

// excludedSet is termSet for an excluded term: a stop word is searched in all fields, and words are
// compared as written.
func (f *viewSearch) excludedSet(ctx context.Context, of documentSet, t query.Term) (documentSet, error) {
	switch {
	case t.Field == "" && t.Near == 0:
		return f.documentsWithWords(ctx, f.anywhereNode(t, 1), of)
	case !t.IsStop():
		return f.termSet(ctx, of, t)
	case t.Near > 0:
		return f.documentsWithNear(ctx, t, anywhereFields(), of)
	}
	return f.documentsWithWords(ctx, f.termNode(t), of)
}

// documentsPassing returns those of some documents whose facts pass the test of a term. If the term does not
// depend on time, it is tested for all documents and cached when it is queried again.
func (f *viewSearch) documentsPassing(of documentSet, t query.Term, test func(*query.Facts) bool) documentSet {
	known, again := f.factsOf(t)
	if known != nil {
		known.keepCommon(of)
		return known
	}
	tested := of
	if again {
		tested = f.live
	}
	fits := newDocumentSet(len(f.rows))
	for n := range tested.allDocuments {
		if test(&f.rows[n].facts) {
			fits.add(n)
		}
	}
	if again {
		f.storeFacts(t, fits)
		fits.keepCommon(of)
	}
	return fits
}

// moveCachedFirst moves clauses first whose facts are all cached, so that later clauses examine fewer
// documents.
func (f *viewSearch) moveCachedFirst(clauses [][]query.Term) {
	slices.SortStableFunc(clauses, func(a, b []query.Term) int {
		return cmp.Compare(bitOf(!f.isCached(a)), bitOf(!f.isCached(b)))
	})
}
