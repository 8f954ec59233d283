package search

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/eventseer/eventseer/eventseer/query"
)

// A finding is one search over one view.
type finding struct {
	*view
	compiler
	series []string  // ids of the series named by the query
	now    time.Time // what windows count from
	openAt time.Time // zero of all
}

// A scored is a document with the query words, and its score.
type scored struct {
	document uint32
	score    float64
	// tier is the number of the first tier of words with the document.
	tier uint8
}

// match returns the documents that match, and, if asked for, the scores of those where
// words were looked for, in order of number.
func (f *finding) match(ctx context.Context, x query.Expr, scores bool) (set, []scored, error) {
	p := f.plan(x)
	found, err := f.words(ctx, p.words)
	if err != nil {
		return nil, nil, err
	}
	if !f.openAt.IsZero() {
		f.keepOpen(found)
	}
	f.knownFirst(p.mixed)
	for _, alternatives := range p.mixed {
		if err := f.keepAny(ctx, found, alternatives); err != nil {
			return nil, nil, err
		}
	}
	for _, t := range p.excluded {
		leaving, err := f.excludedSet(ctx, found, t)
		if err != nil {
			return nil, nil, err
		}
		found.without(leaving)
	}
	var ranking []scored
	if scores && (p.words != nil || slices.ContainsFunc(p.mixed, hasWords)) {
		ranking, err = f.rank(ctx, x, p.words, found)
	}
	return found, ranking, cmp.Or(err, ctx.Err())
}

// words returns the documents with the query words, all if there are none.
func (f *finding) words(ctx context.Context, n node) (set, error) {
	if n == nil {
		return slices.Clone(f.live), ctx.Err()
	}
	found, err := f.set(ctx, n)
	if err == nil {
		found.intersect(f.live)
	}
	return found, err
}

// keepOpen leaves out documents without a deadline at or after openAt.
func (f *finding) keepOpen(found set) {
	open := clamp(f.openAt)
	for n := range found.all {
		if f.last[n] < open {
			found.remove(n)
		}
	}
}

// clamp returns the nanoseconds of a time, limited to the range of int64.
func clamp(t time.Time) int64 {
	switch {
	case t.Before(earliest):
		return earliest.UnixNano()
	case t.After(latest):
		return latest.UnixNano()
	}
	return t.UnixNano()
}

// keepAny removes documents that match none of some terms.
func (f *finding) keepAny(ctx context.Context, found set, alternatives []query.Term) error {
	union := newSet(len(f.rows))
	for _, t := range alternatives {
		fits, err := f.termSet(ctx, found, t)
		if err != nil {
			return err
		}
		union.unite(fits)
	}
	found.intersect(union)
	return nil
}

// termSet returns those of some documents that match a term.
func (f *finding) termSet(ctx context.Context, of set, t query.Term) (set, error) {
	if test := t.Test(f.now); test != nil {
		return f.fitting(of, t, test), ctx.Err()
	}
	if t.Near > 0 {
		return f.near(ctx, t, fieldsOf(t), of)
	}
	return f.words(ctx, f.term(t))
}

// excludedSet is termSet for an excluded term: a stop word is searched in all fields, and words are
// compared as written.
func (f *finding) excludedSet(ctx context.Context, of set, t query.Term) (set, error) {
	switch {
	case t.Field == "" && t.Near == 0:
		return f.words(ctx, f.anywhere(t, 1))
	case !t.IsStop():
		return f.termSet(ctx, of, t)
	case t.Near > 0:
		return f.near(ctx, t, anywhere(), of)
	}
	return f.words(ctx, f.term(t))
}

// fitting returns those of some documents whose facts pass the test of a term. If the term does not
// depend on time, it is tested for all documents and cached when it is queried again.
func (f *finding) fitting(of set, t query.Term, test func(*query.Facts) bool) set {
	known, again := f.factsOf(t)
	if known != nil {
		known.intersect(of)
		return known
	}
	tested := of
	if again {
		tested = f.live
	}
	fits := newSet(len(f.rows))
	for n := range tested.all {
		if test(&f.rows[n].facts) {
			fits.add(n)
		}
	}
	if again {
		f.keepFacts(t, fits)
		fits.intersect(of)
	}
	return fits
}

// knownFirst moves clauses first whose facts are all cached, so that later clauses examine fewer
// documents.
func (f *finding) knownFirst(clauses [][]query.Term) {
	slices.SortStableFunc(clauses, func(a, b []query.Term) int {
		return cmp.Compare(bit(!f.isKnown(a)), bit(!f.isKnown(b)))
	})
}
