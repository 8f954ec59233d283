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
	f := viewSearch{view: x.view, series: x.named(plainWords(parsed)), termCompiler: x.compiler(q), now: q.Now, openAt: q.OpenAt}
	if f.now.IsZero() {
		f.now = q.OpenAt
	}
	if f.now.IsZero() {
		f.now = x.options.Now()
	}
	if f.same != nil {
		parsed = parsed.WithNames(func(words string) bool { return f.same(words) != nil })
	}
	found, err := f.runQuery(ctx, parsed, q)
	if err != nil {
		return eventseer.Found{}, fmt.Errorf("find %q: %w", q.Text, err)
	}
	return found, nil
}

// compiler returns the compiler for the terms of the query.
func (x *Index) compiler(q eventseer.Query) termCompiler {
	c := termCompiler{mapping: x.index.Mapping()}
	if !q.AsWritten {
		c.synonyms, c.same = x.options.Synonyms, x.options.Same
	}
	return c
}

func (f *viewSearch) runQuery(ctx context.Context, x query.Expr, q eventseer.Query) (eventseer.Found, error) {
	before := f.comparisonFor(q.Order)
	matched, err := f.matchQuery(ctx, x)
	if err != nil {
		return eventseer.Found{}, err
	}
	found := eventseer.Found{Total: matched.len()}
	if found.Total == 0 {
		found.Instead, err = f.suggestQuery(ctx, x)
		return found, err
	}
	var page []scoredDocument
	if from, limit := pageBounds(q); limit > 0 {
		if before != nil {
			best := topSelector{n: from + limit, before: before}
			for d := range matched.allDocuments {
				best.add(scoredDocument{document: d})
			}
			page = best.sortedBest()
		} else if q.ByDeadline {
			if page, err = f.firstInTiers(ctx, x, matched, from+limit); err != nil {
				return found, err
			}
		} else if page, err = f.firstByRelevance(ctx, x, matched, from+limit); err != nil {
			return found, err
		}
		page = page[min(from, len(page)):]
	}
	for _, s := range page {
		found.Hits = append(found.Hits, eventseer.Hit{ID: f.rows[s.document].facts.ID, Score: s.score})
	}
	if q.Passages && len(page) > 0 {
		if err := f.findPassages(ctx, x, q.ShortRows, page, found.Hits); err != nil {
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

// firstInTiers returns the first n documents of a set, sorted by deadline within each tier. The editions
// of a series that the query names come first, then the tiers of words.
func (f *viewSearch) firstInTiers(ctx context.Context, x query.Expr, matched documentSet, n int) (page []scoredDocument, err error) {
	tiers := f.wordTiers(x).deadlineTiers()
	if len(f.series) > 0 {
		tiers = slices.Insert(tiers, 0, func(_ context.Context, of documentSet) (documentSet, error) { return f.documentsOfSeries(of), nil })
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
		page = append(page, f.firstByDeadline(found, n-len(page))...)
		left.removeAll(found)
	}
	return append(page, f.firstByDeadline(left, n-len(page))...), nil
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
func (f *viewSearch) isOfSeries(document uint32) bool {
	return len(f.series) > 0 && slices.Contains(f.series, f.rows[document].facts.Series)
}

// documentsOfSeries returns the editions of the series that the query names among some documents; all
// documents if it names none.
func (f *viewSearch) documentsOfSeries(of documentSet) documentSet {
	if len(f.series) == 0 {
		return of
	}
	found := newDocumentSet(len(f.rows))
	for d := range of.allDocuments {
		if f.isOfSeries(d) {
			found.add(d)
		}
	}
	return found
}

func pageBounds(q eventseer.Query) (from, limit int) {
	limit = cmp.Or(min(max(q.Limit, 0), maxLimit), defaultLimit)
	if from = max(q.From, 0); from > maxFrom {
		return 0, 0
	}
	return from, limit
}

// firstByDeadline returns the first n of a set by their next deadline at or after
// openAt, those without one last, and by id.
func (f *viewSearch) firstByDeadline(matched documentSet, n int) (page []scoredDocument) {
	left := slices.Clone(matched)
	first, _ := slices.BinarySearchFunc(f.due, clampNanos(f.openAt), func(d documentDeadline, at int64) int { return cmp.Compare(d.at, at) })
	for _, d := range f.due[first:] {
		if len(page) == n {
			return page
		}
		if left.has(d.document) {
			left.remove(d.document)
			page = append(page, scoredDocument{document: d.document})
		}
	}
	for _, d := range f.byID {
		if len(page) == n {
			break
		}
		if left.has(d) {
			page = append(page, scoredDocument{document: d})
		}
	}
	return page
}

// firstByRelevance returns the first n documents of a set by tier of words, score, latest deadline
// and id. Editions of the series that the query names come first. Only tiers that are on the page
// are scored, so that pages with a word only in their text cost little.
func (f *viewSearch) firstByRelevance(ctx context.Context, x query.Expr, matched documentSet, n int) (page []scoredDocument, err error) {
	tiers, words := f.wordTiers(x).relevanceTiers(), f.splitQuery(x).words
	others := slices.Clone(matched)
	parts := []documentSet{others}
	if len(f.series) > 0 {
		editions := f.documentsOfSeries(matched)
		others.removeAll(editions)
		parts = []documentSet{editions, others}
	}
	for _, left := range parts {
		for tier := 0; tier <= len(tiers) && len(page) < n; tier++ {
			found := left
			if tier < len(tiers) {
				if found, err = tiers[tier](ctx, left); err != nil {
					return nil, err
				}
			}
			best := topSelector{n: n - len(page), before: f.compareRelevance}
			if err := f.scoreSet(ctx, words, found, best.add); err != nil {
				return nil, err
			}
			page = append(page, best.sortedBest()...)
			left.removeAll(found)
		}
	}
	return page, ctx.Err()
}

func (f *viewSearch) compareRelevance(a, b scoredDocument) int {
	return cmp.Or(
		cmp.Compare(b.score, a.score),
		cmp.Compare(f.last[b.document], f.last[a.document]),
		cmp.Compare(f.rows[a.document].facts.ID, f.rows[b.document].facts.ID),
	)
}

// A topSelector selects the first n of many documents.
type topSelector struct {
	n      int
	before func(a, b scoredDocument) int
	kept   []scoredDocument
	full   bool // kept has n documents, so kept[n-1] is the limit for further ones
}

func (t *topSelector) add(s scoredDocument) {
	if t.full && t.before(s, t.kept[t.n-1]) >= 0 {
		return
	}
	if t.kept = append(t.kept, s); len(t.kept) >= 2*t.n+64 {
		t.kept = t.sortedBest()
		t.full = true
	}
}

func (t *topSelector) sortedBest() []scoredDocument {
	slices.SortFunc(t.kept, t.before)
	return t.kept[:min(t.n, len(t.kept))]
}

// maxRemembered bounds the queries whose facets a view caches.
const maxRemembered = 64

// facetCache caches the facets of queries over one view for the minute of the query. The home page,
// its feeds and calendars have the same facets and are requested more often than events change. It
// also caches the postings of words and phrases as long as the view exists.
type facetCache struct {
	mu     sync.Mutex // guards below
	facets map[facetParameters][]eventseer.Facet
	facts  map[query.Term]documentSet // never modified; nil for a fact queried once
	postings
}

// factCacheKey returns a term as the key of its cached documents. ok is false for a term whose
// documents change with time, or that is not worth caching.
func factCacheKey(t query.Term) (fact query.Term, ok bool) {
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
func (m *facetCache) factsOf(t query.Term) (found documentSet, again bool) {
	key, ok := factCacheKey(t)
	if !ok {
		return nil, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	found, again = m.facts[key]
	if !again {
		if m.facts == nil || len(m.facts) >= maxFacts {
			m.facts = map[query.Term]documentSet{}
		}
		m.facts[key] = nil
	}
	return slices.Clone(found), again
}

func (m *facetCache) storeFacts(t query.Term, found documentSet) {
	key, _ := factCacheKey(t)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.facts != nil {
		m.facts[key] = slices.Clone(found)
	}
}

// isCached reports whether the documents of all these terms are cached.
func (m *facetCache) isCached(terms []query.Term) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return !slices.ContainsFunc(terms, func(t query.Term) bool {
		key, ok := factCacheKey(t)
		return !ok || m.facts[key] == nil
	})
}

// facetParameters are the parameters of facets besides the view.
type facetParameters struct {
	query       string
	now, openAt int64 // in minutes
}

func toMinutes(t time.Time) int64 { return t.Unix() / 60 }

// facetsOf returns the facets of what a query matches, counted at most once a minute. Values of a
// facet that the query chooses from are counted without that choice, since one more value joins it
// with OR. The caller may modify the result.
func (f *viewSearch) facetsOf(ctx context.Context, x query.Expr, matched documentSet) ([]eventseer.Facet, error) {
	key := facetParameters{x.String(), toMinutes(f.now), toMinutes(f.openAt)}
	m := &f.facetCache
	m.mu.Lock()
	facets, known := m.facets[key]
	m.mu.Unlock()
	if !known {
		facets = f.countFacets(matched)
		for i := range facets {
			if err := f.recountWithoutClause(ctx, x, &facets[i]); err != nil {
				return nil, err
			}
		}
		m.mu.Lock()
		if m.facets == nil || len(m.facets) >= maxRemembered {
			m.facets = map[facetParameters][]eventseer.Facet{}
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

// recountWithoutClause recounts a facet without the clause of the query that selects from it, if there is one.
func (f *viewSearch) recountWithoutClause(ctx context.Context, x query.Expr, facet *eventseer.Facet) error {
	wider, chosen := x.WithoutChoice(facet.Name)
	if !chosen {
		return nil
	}
	matched, err := f.matchQuery(ctx, wider)
	if err != nil {
		return err
	}
	for _, other := range f.countFacets(matched) {
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

// suggestQuery returns a similarly spelt query with results for one that has none; "" if there is none.
func (f *viewSearch) suggestQuery(ctx context.Context, x query.Expr) (string, error) {
	changed := 0
	other := query.Expr{Excluded: x.Excluded}
	for _, alternatives := range x.Clauses {
		var terms []query.Term
		for _, t := range alternatives {
			if !t.IsFact() && changed < maxMisspelt {
				n, err := f.respellTerm(ctx, &t)
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
	found, err := f.matchQuery(ctx, other)
	if err != nil || found.len() == 0 {
		return "", err
	}
	return other.String(), nil
}

// respellTerm replaces each word of t that no event has by a known one, and returns how many.
func (f *viewSearch) respellTerm(ctx context.Context, t *query.Term) (changed int, err error) {
	var b strings.Builder
	end := 0
	for w := range dictionary.Words(t.Text, "") {
		if query.IsStopWord(w.Text) {
			continue
		}
		known, err := f.isKnownWord(ctx, w.Text)
		if err != nil {
			return 0, err
		}
		if known || changed == maxMisspelt {
			continue
		}
		better, err := f.nearestWord(text.FoldForComparison(w.Text))
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

// isKnownWord reports whether an event has a word anywhere.
func (f *viewSearch) isKnownWord(ctx context.Context, word string) (bool, error) {
	found, err := f.documentsOf(ctx, f.anywhereNode(query.Term{Text: word}, 1), f.live)
	return err == nil && found.len() > 0, err
}

// nearestWord returns the word of titles, acronyms and topics with the smallest edit distance, at most
// two, and of those the most frequent.
func (f *viewSearch) nearestWord(word string) (best string, err error) {
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
