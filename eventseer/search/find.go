package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"eventseer/eventseer"
	"eventseer/eventseer/query"
)

// Limits on a page of results.
const (
	defaultLimit = 50
	maxLimit     = 1000
	maxFrom      = 10_000
)

// Find implements eventseer.Index. Of equally relevant events the one with the
// latest deadline comes first. A text that cannot be understood gives a
// *query.Error. From beyond 10,000 gives the total and no hits.
func (x *Index) Find(ctx context.Context, q eventseer.Query) (eventseer.Found, error) {
	parsed, err := query.Parse(q.Text)
	if err != nil {
		return eventseer.Found{}, err
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.view == nil {
		return eventseer.Found{}, fmt.Errorf("find %q: %w", q.Text, errClosed)
	}
	f := finding{view: x.view, compiler: compiler{x.index.Mapping(), x.options.Synonyms}, now: q.Now, openAt: q.OpenAt}
	if f.now.IsZero() {
		f.now = q.OpenAt
	}
	if f.now.IsZero() {
		f.now = x.options.Now()
	}
	found, err := f.find(ctx, parsed, q)
	if err != nil {
		return eventseer.Found{}, fmt.Errorf("find %q: %w", q.Text, err)
	}
	return found, nil
}

func (f *finding) find(ctx context.Context, x query.Expr, q eventseer.Query) (eventseer.Found, error) {
	matched, ranking, err := f.match(ctx, x, !q.ByDeadline)
	if err != nil {
		return eventseer.Found{}, err
	}
	found := eventseer.Found{Total: matched.len()}
	if found.Total == 0 {
		found.Instead, err = f.instead(ctx, x)
		return found, err
	}
	var page []scored
	if from, limit := bounds(q); limit > 0 {
		if q.ByDeadline {
			page = f.byDeadline(matched, from+limit)
		} else {
			page = f.byRelevance(matched, ranking, from+limit)
		}
		page = page[min(from, len(page)):]
	}
	for _, s := range page {
		found.Hits = append(found.Hits, eventseer.Hit{ID: f.rows[s.document].facts.ID, Score: s.score})
	}
	if q.Passages && len(page) > 0 {
		if err := f.passages(ctx, x, page, found.Hits); err != nil {
			return found, err
		}
	}
	if q.Facets {
		found.Facets = f.facetsOf(x, matched)
	}
	return found, ctx.Err()
}

func bounds(q eventseer.Query) (from, limit int) {
	limit = min(max(q.Limit, 0), maxLimit)
	if limit == 0 {
		limit = defaultLimit
	}
	if from = max(q.From, 0); from > maxFrom {
		return 0, 0
	}
	return from, limit
}

// byDeadline returns the first n of a set by their next deadline at or after
// openAt, those without one last, and by id.
func (f *finding) byDeadline(matched set, n int) []scored {
	var page []scored
	left := slices.Clone(matched)
	first, _ := slices.BinarySearchFunc(f.due, clamp(f.openAt), func(d due, at int64) int { return cmp.Compare(d.at, at) })
	for _, d := range f.due[first:] {
		if len(page) == n {
			return page
		}
		if left.has(d.document) {
			left.remove(d.document)
			page = append(page, scored{document: d.document})
		}
	}
	for _, d := range f.byID {
		if len(page) == n {
			break
		}
		if left.has(d) {
			page = append(page, scored{document: d})
		}
	}
	return page
}

// byRelevance returns the first n of a set by score, then by latest deadline, the
// last in time first, then by id.
func (f *finding) byRelevance(matched set, ranking []scored, n int) []scored {
	best := top{n: n, before: f.better}
	if ranking == nil {
		for d := range matched.all {
			best.add(scored{document: d})
		}
	}
	for _, s := range ranking {
		best.add(s)
	}
	return best.sorted()
}

func (f *finding) better(a, b scored) int {
	if c := cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	if c := cmp.Compare(f.last[b.document], f.last[a.document]); c != 0 {
		return c
	}
	return strings.Compare(string(f.rows[a.document].facts.ID), string(f.rows[b.document].facts.ID))
}

// A top keeps the first n of many.
type top struct {
	n      int
	before func(a, b scored) int
	kept   []scored
	full   bool // kept[n-1] is the last that counts
}

func (t *top) add(s scored) {
	if t.full && t.before(s, t.kept[t.n-1]) >= 0 {
		return
	}
	if t.kept = append(t.kept, s); len(t.kept) >= 2*t.n+64 {
		t.kept = t.sorted()
		t.full = true
	}
}

func (t *top) sorted() []scored {
	slices.SortFunc(t.kept, t.before)
	return t.kept[:min(t.n, len(t.kept))]
}
