package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/features/dictionary"
	"github.com/eventseer/eventseer/internal/text"
)

// Limits on a page of results.
const (
	defaultLimit = 50
	maxLimit     = 1000
	maxFrom      = 1_000_000
)

// Find implements eventseer.Index. A query for the acronym or the name of a known series has its
// editions first, in either order. The others come in tiers by the fields of the words (wordTiers).
// Of equally relevant events the one with the latest deadline comes first. A syntax error is
// returned as a *query.Error. If From exceeds 1,000,000 only the total is returned.
func (x *Index) Find(ctx context.Context, q eventseer.Query) (eventseer.Found, error) {
	parsed, err := query.Parse(q.Text)
	if err != nil {
		return eventseer.Found{}, err
	}
	if q.Order != "" {
		q.ByDeadline = q.Order == eventseer.OrderDeadline
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	if x.view == nil {
		return eventseer.Found{}, fmt.Errorf("find %q: %w", q.Text, errClosed)
	}
	f := finding{view: x.view, series: x.named(plainWords(parsed)), compiler: x.compiler(q), now: q.Now, openAt: q.OpenAt}
	if f.now.IsZero() {
		f.now = q.OpenAt
	}
	if f.now.IsZero() {
		f.now = x.options.Now()
	}
	if f.same != nil {
		parsed = parsed.WithNames(func(words string) bool { return f.same(words) != nil })
	}
	found, err := f.find(ctx, parsed, q)
	if err != nil {
		return eventseer.Found{}, fmt.Errorf("find %q: %w", q.Text, err)
	}
	return found, nil
}

// compiler returns the compiler for the terms of the query.
func (x *Index) compiler(q eventseer.Query) compiler {
	c := compiler{mapping: x.index.Mapping()}
	if !q.AsWritten {
		c.synonyms, c.same = x.options.Synonyms, x.options.Same
	}
	return c
}

func (f *finding) find(ctx context.Context, x query.Expr, q eventseer.Query) (eventseer.Found, error) {
	before := f.order(q.Order)
	matched, ranking, err := f.match(ctx, x, !q.ByDeadline && before == nil)
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
		if before != nil {
			best := top{n: from + limit, before: before}
			for d := range matched.all {
				best.add(scored{document: d})
			}
			page = best.sorted()
		} else if q.ByDeadline {
			if page, err = f.inTiers(ctx, x, matched, from+limit); err != nil {
				return found, err
			}
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
		if found.Facets, err = f.facetsOf(ctx, x, matched); err != nil {
			return found, err
		}
	}
	return found, ctx.Err()
}

// inTiers returns the first n documents of a set, sorted by deadline within each tier. The editions
// of a series that the query names come first, then the tiers of words.
func (f *finding) inTiers(ctx context.Context, x query.Expr, matched set, n int) (page []scored, err error) {
	tiers := f.wordTiers(x).byDeadline()
	if len(f.series) > 0 {
		tiers = slices.Insert(tiers, 0, func(_ context.Context, of set) (set, error) { return f.ofSeries(of), nil })
	}
	left := slices.Clone(matched)
	for _, find := range tiers {
		if len(page) == n {
			return page, nil
		}
		found, err := find(ctx, left)
		if err != nil {
			return nil, err
		}
		page = append(page, f.byDeadline(found, n-len(page))...)
		left.without(found)
	}
	return append(page, f.byDeadline(left, n-len(page))...), nil
}

// plainWords returns the words that a query searches in any field or as an acronym, in order; "" if
// it has alternatives.
func plainWords(x query.Expr) string {
	var words []string
	for _, alternatives := range x.Clauses {
		for _, t := range alternatives {
			switch {
			case t.IsFact():
			case len(alternatives) > 1 || t.Field != "" && t.Field != "acronym":
				return ""
			default:
				words = append(words, t.Text)
			}
		}
	}
	return strings.Join(words, " ")
}

// isOfSeries reports whether a document is an edition of a series that the query names.
func (f *finding) isOfSeries(document uint32) bool {
	return len(f.series) > 0 && slices.Contains(f.series, f.rows[document].facts.Series)
}

// ofSeries returns the editions of the series that the query names among some documents; all
// documents if it names none.
func (f *finding) ofSeries(of set) set {
	if len(f.series) == 0 {
		return of
	}
	found := newSet(len(f.rows))
	for d := range of.all {
		if f.isOfSeries(d) {
			found.add(d)
		}
	}
	return found
}

func bounds(q eventseer.Query) (from, limit int) {
	limit = cmp.Or(min(max(q.Limit, 0), maxLimit), defaultLimit)
	if from = max(q.From, 0); from > maxFrom {
		return 0, 0
	}
	return from, limit
}

// byDeadline returns the first n of a set by their next deadline at or after
// openAt, those without one last, and by id.
func (f *finding) byDeadline(matched set, n int) (page []scored) {
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

// byRelevance returns the first n of a set by score, then by latest deadline, then by id.
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
	return cmp.Or(
		cmp.Compare(bit(f.isOfSeries(b.document)), bit(f.isOfSeries(a.document))),
		cmp.Compare(a.tier, b.tier),
		cmp.Compare(b.score, a.score),
		cmp.Compare(f.last[b.document], f.last[a.document]),
		cmp.Compare(f.rows[a.document].facts.ID, f.rows[b.document].facts.ID),
	)
}

// A top selects the first n of many documents.
type top struct {
	n      int
	before func(a, b scored) int
	kept   []scored
	full   bool // kept[n-1] is the present limit
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

// maxRemembered bounds the queries whose facets a view caches.
const maxRemembered = 64

// remembered caches the facets of queries over one view for the minute of the query. The home page,
// its feeds and calendars have the same facets and are requested more often than events change. It
// also caches the postings of words and phrases as long as the view exists.
type remembered struct {
	mu     sync.Mutex // guards below
	facets map[asked][]eventseer.Facet
	facts  map[query.Term]set // never modified; nil for a fact queried once
	postings
}

// lastingFact returns a term as the key of its cached documents. ok is false for a term whose
// documents change with time, or that is not worth caching.
func lastingFact(t query.Term) (fact query.Term, ok bool) {
	switch t.Field {
	case "city", "country", "where", "mode", "rank", "kind", "has", "year", "month":
		return query.Term{Field: t.Field, Op: t.Op, Text: t.Text}, true
	}
	return t, false
}

// maxFacts bounds the facts that a view caches: with 100,000 events each takes 12.5 kB.
const maxFacts = 256

// factsOf returns the documents of a fact, which the caller may modify, nil if they are not cached.
// again means that they should be cached, because the term was queried before.
func (m *remembered) factsOf(t query.Term) (found set, again bool) {
	key, ok := lastingFact(t)
	if !ok {
		return nil, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	found, again = m.facts[key]
	if !again {
		if m.facts == nil || len(m.facts) >= maxFacts {
			m.facts = map[query.Term]set{}
		}
		m.facts[key] = nil
	}
	return slices.Clone(found), again
}

func (m *remembered) keepFacts(t query.Term, found set) {
	key, _ := lastingFact(t)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.facts != nil {
		m.facts[key] = slices.Clone(found)
	}
}

// isKnown reports whether the documents of all these terms are cached.
func (m *remembered) isKnown(terms []query.Term) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !slices.ContainsFunc(terms, func(t query.Term) bool {
		key, ok := lastingFact(t)
		return !ok || m.facts[key] == nil
	})
}

// asked are the parameters of facets besides the view.
type asked struct {
	query       string
	now, openAt int64 // in minutes
}

func minutes(t time.Time) int64 { return t.Unix() / 60 }

// facetsOf returns the facets of what a query matches, counted at most once a minute. Values of a
// facet that the query chooses from are counted without that choice, since one more value joins it
// with OR. The caller may modify the result.
func (f *finding) facetsOf(ctx context.Context, x query.Expr, matched set) ([]eventseer.Facet, error) {
	key := asked{x.String(), minutes(f.now), minutes(f.openAt)}
	m := &f.remembered
	m.mu.Lock()
	facets, known := m.facets[key]
	m.mu.Unlock()
	if !known {
		facets = f.facets(matched)
		for i := range facets {
			if err := f.widen(ctx, x, &facets[i]); err != nil {
				return nil, err
			}
		}
		m.mu.Lock()
		if m.facets == nil || len(m.facets) >= maxRemembered {
			m.facets = map[asked][]eventseer.Facet{}
		}
		m.facets[key] = facets
		m.mu.Unlock()
	}
	facets = slices.Clone(facets)
	for i := range facets {
		facets[i].Values = slices.Clone(facets[i].Values)
	}
	return facets, nil
}

// widen recounts a facet without the clause of the query that selects from it, if there is one.
func (f *finding) widen(ctx context.Context, x query.Expr, facet *eventseer.Facet) error {
	wider, chosen := x.WithoutChoice(facet.Name)
	if !chosen {
		return nil
	}
	matched, _, err := f.match(ctx, wider, false)
	if err != nil {
		return err
	}
	for _, other := range f.facets(matched) {
		if other.Name == facet.Name {
			*facet = other
		}
	}
	return nil
}

// Limits on the correction of misspelt words.
const (
	maxMisspelt   = 4
	minSpelt      = 3 // runes
	maxSpelt      = 30
	maxCandidates = 5000
)

// instead returns a similarly spelt query with results for one that has none; "" if there is none.
func (f *finding) instead(ctx context.Context, x query.Expr) (string, error) {
	changed := 0
	other := query.Expr{Excluded: x.Excluded}
	for _, alternatives := range x.Clauses {
		var terms []query.Term
		for _, t := range alternatives {
			if !t.IsFact() && changed < maxMisspelt {
				n, err := f.respell(ctx, &t)
				if err != nil {
					return "", err
				}
				changed += n
			}
			terms = append(terms, t)
		}
		other.Clauses = append(other.Clauses, terms)
	}
	if changed == 0 {
		return "", nil
	}
	found, _, err := f.match(ctx, other, false)
	if err != nil || found.len() == 0 {
		return "", err
	}
	return other.String(), nil
}

// respell replaces each word of t that no event has by a known one, and returns how many.
func (f *finding) respell(ctx context.Context, t *query.Term) (changed int, err error) {
	var b strings.Builder
	end := 0
	for w := range dictionary.Words(t.Text, "") {
		if query.IsStopWord(w.Text) {
			continue
		}
		known, err := f.known(ctx, w.Text)
		if err != nil {
			return 0, err
		}
		if known || changed == maxMisspelt {
			continue
		}
		better, err := f.nearest(text.Fold(w.Text))
		if err != nil {
			return 0, err
		}
		if better != "" {
			b.WriteString(t.Text[end:w.Start] + better)
			end = w.End
			changed++
		}
	}
	t.Text = b.String() + t.Text[end:]
	return changed, nil
}

// known reports whether an event has a word anywhere.
func (f *finding) known(ctx context.Context, word string) (bool, error) {
	found, err := f.set(ctx, f.anywhere(query.Term{Text: word}, 1))
	if err != nil {
		return false, err
	}
	found.intersect(f.live)
	return found.len() > 0, nil
}

// nearest returns the word of titles, acronyms and topics with the smallest edit distance, at most
// two, and of those the most frequent.
func (f *finding) nearest(word string) (best string, err error) {
	letters := utf8.RuneCountInString(word)
	if letters < minSpelt || letters > maxSpelt || strings.Contains(word, " ") {
		return "", nil
	}
	most := 2
	if letters <= 4 {
		most = 1
	}
	dict, err := f.reader.FieldDictFuzzy("word", word, most, "")
	if err != nil {
		return "", err
	}
	defer func() { _ = dict.Close() }() // it holds nothing
	changes, count := most+1, uint64(0)
	for range maxCandidates {
		entry, err := dict.Next()
		if err != nil {
			return "", err
		}
		if entry == nil {
			break
		}
		n := text.EditDistance(word, entry.Term, changes+1)
		if n < changes || n == changes && entry.Count > count {
			best, changes, count = entry.Term, n, entry.Count
		}
	}
	return best, nil
}
