package search

import (
	"slices"
	"sync"
	"time"

	"eventseer/eventseer"
	"eventseer/eventseer/query"
)

// maxRemembered bounds the queries whose facets a view remembers.
const maxRemembered = 64

// remembered are the facets of queries over one view, for the minute in which they
// were asked: the home page is asked for far more often than events change, and
// each of its pages, feeds and calendars has the same facets. So are the postings of
// words and phrases, as long as the view lasts.
type remembered struct {
	mu     sync.Mutex // guards below
	facets map[asked][]eventseer.Facet
	facts  map[fact]set // never changed; nil of one that was asked for once
	postings
}

// A fact is a term of which the documents do not change while the view lasts.
type fact struct{ field, op, text string }

// newFact returns the fact of a term; ok is false of one of which the documents change
// with time, or that is worth no memory.
func newFact(t query.Term) (f fact, ok bool) {
	switch t.Field {
	case "city", "country", "where", "rank", "kind", "has", "year", "month":
		return fact{t.Field, t.Op, t.Text}, true
	}
	return f, false
}

// maxFacts bounds the facts that a view remembers: of 100,000 events each takes 12.5 kB.
const maxFacts = 256

// factsOf returns the documents of a fact, which are the caller's, nil if they are not
// remembered. Again says that they are to be: the term was asked for before.
func (m *remembered) factsOf(t query.Term) (found set, again bool) {
	key, ok := newFact(t)
	if !ok {
		return nil, false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	found, again = m.facts[key]
	if !again {
		if m.facts == nil || len(m.facts) >= maxFacts {
			m.facts = map[fact]set{}
		}
		m.facts[key] = nil
	}
	return slices.Clone(found), again
}

func (m *remembered) keepFacts(t query.Term, found set) {
	key, _ := newFact(t)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.facts != nil {
		m.facts[key] = slices.Clone(found)
	}
}

// isKnown tells whether the documents of all of some terms are remembered.
func (m *remembered) isKnown(terms []query.Term) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, t := range terms {
		if key, ok := newFact(t); !ok || m.facts[key] == nil {
			return false
		}
	}
	return true
}

// asked is what facets depend on besides the view.
type asked struct {
	query       string
	now, openAt int64 // in minutes
}

func minutes(t time.Time) int64 { return t.Unix() / 60 }

// facetsOf returns the facets of what a query matches, counted at most once a
// minute. The result is the caller's.
func (f *finding) facetsOf(x query.Expr, matched set) []eventseer.Facet {
	key := asked{x.String(), minutes(f.now), minutes(f.openAt)}
	m := &f.remembered
	m.mu.Lock()
	facets, known := m.facets[key]
	m.mu.Unlock()
	if !known {
		facets = f.facets(matched)
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
	return facets
}
