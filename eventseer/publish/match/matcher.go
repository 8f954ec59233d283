// Package match compares the queries of all saved lists with one document at a time, and explains the
// matches.
package match

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/features/dictionary"
)

// A Matcher compares the queries of all lists with one document at a time. Each list is stored under the
// rarest words of one of its clauses. So the cost of a document grows with the number of lists that share
// such a word with it, not with the number of all lists. These lists are then verified completely. A Matcher
// is safe for concurrent use.
type Matcher struct {
	dictionary *dictionary.Dictionary
	People     bool // allows queries for people (person:)

	mu       sync.RWMutex // guards the fields below
	terms    *query.Compiler
	used     []int32 // number of lists by key
	lists    map[string]*compiledList
	byAnchor map[int32][]*compiledList
	always   map[string]*compiledList // lists without an anchor, such as those with only date terms
	windows  map[string]*dateWindow   // terms that depend on the current day, by Term.String
	dropped  int                      // lists removed since the last renew
}

// New returns a matcher without lists. If d is nil, there are no synonyms.
func New(d *dictionary.Dictionary) *Matcher {
	m := &Matcher{dictionary: d}
	m.clearIndex()
	return m
}

func (m *Matcher) clearIndex() {
	m.terms, m.used, m.dropped = query.NewCompiler(), nil, 0
	m.lists, m.always, m.byAnchor = map[string]*compiledList{}, map[string]*compiledList{}, map[int32][]*compiledList{}
	m.windows = map[string]*dateWindow{}
}

// Set adds lists and replaces those with the same ids. Adding many lists at once distributes them better than
// adding them one by one. A list with an invalid query is skipped; the error for the first such list wraps a
// *query.Error.
func (m *Matcher) Set(lists ...eventseer.List) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var first error
	var fresh []*compiledList
	for _, l := range lists {
		m.dropList(l.ID)
		c, err := compileList(m.terms, l, m.dictionary)
		if err != nil {
			first = cmp.Or(first, fmt.Errorf("list %s of account %s: %w", l.ID, l.Account, err))
			continue
		}
		m.countKeys(c)
		fresh = append(fresh, c)
	}
	for _, c := range fresh {
		m.addCompiled(c)
	}
	return first
}

// countKeys counts the keys of a list that was just compiled.
func (m *Matcher) countKeys(c *compiledList) {
	keys, _ := m.terms.Len()
	m.used = append(m.used, make([]int32, keys-len(m.used))...)
	c.forEachKey(func(k int32) { m.used[k]++ })
}

func (m *Matcher) addCompiled(c *compiledList) {
	m.lists[c.list.ID] = c
	m.countWindows(c, 1)
	c.setAnchors(m.used)
	if len(c.anchors) == 0 {
		m.always[c.list.ID] = c
		return
	}
	for _, k := range c.anchors {
		m.byAnchor[k] = append(m.byAnchor[k], c)
	}
}

// Remove removes a list. Nothing happens if there is no such list.
func (m *Matcher) Remove(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.dropList(id)
	if m.dropped > 10_000 && m.dropped > 2*len(m.lists) {
		m.recompileLists()
	}
}

// recompileLists compiles all lists again, so that words of removed lists are freed.
func (m *Matcher) recompileLists() {
	all := m.lists
	m.clearIndex()
	for _, old := range all {
		if c, err := compileList(m.terms, old.list, m.dictionary); err == nil {
			m.countKeys(c)
			m.lists[c.list.ID] = c
		}
	}
	for _, c := range m.lists {
		m.addCompiled(c)
	}
}

func (m *Matcher) dropList(id string) {
	c, ok := m.lists[id]
	if !ok {
		return
	}
	delete(m.lists, id)
	delete(m.always, id)
	m.dropped++
	m.countWindows(c, -1)
	c.forEachKey(func(k int32) { m.used[k]-- })
	for _, k := range c.anchors {
		m.byAnchor[k] = slices.DeleteFunc(m.byAnchor[k], func(o *compiledList) bool { return o == c })
		if len(m.byAnchor[k]) == 0 {
			delete(m.byAnchor, k)
		}
	}
}

// Len returns the number of lists.
func (m *Matcher) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.lists)
}

// A Match is a list that matches a document, with an explanation.
type Match struct {
	List eventseer.List
	// Why describes the matching terms and where they were found, for readers, at most maxWhy.
	Why []string
	// Passage is the text around the matches. Marks are the half-open byte ranges of the matches in Passage,
	// in order.
	Passage string
	Marks   [][2]int
	// Page is the URL of the page if the passage is from a page's text, otherwise "".
	Page string
}

// Match returns the lists that match a document, in order of id. now is the reference time of windows such as
// due<60d.
func (m *Matcher) Match(d eventseer.Document, now time.Time) []Match {
	return m.MatchNew(d, nil, now, now)
}

// MatchNew is like Match but omits the lists that matched the earlier document at the time then. If before is
// nil, none is omitted.
func (m *Matcher) MatchNew(d eventseer.Document, before *eventseer.Document, then, now time.Time) []Match {
	return m.matchIf(func(*compiledList) bool { return true }, d, before, then, now)
}

// matchIf is like MatchNew for the lists for which asked returns true.
func (m *Matcher) matchIf(asked func(*compiledList) bool, d eventseer.Document, before *eventseer.Document, then, now time.Time) []Match {
	m.mu.RLock()
	defer m.mu.RUnlock()
	t := m.terms.Read(d, m.People)
	found := m.matchingLists(t, asked, now)
	if len(found) > 0 && before != nil {
		old := m.terms.Read(*before, m.People)
		found = slices.DeleteFunc(found, func(c *compiledList) bool { return c.Matches(old, then) })
	}
	out := make([]Match, len(found))
	e := newExplainer(t, now)
	for i, c := range found {
		out[i] = e.explainMatch(c)
	}
	return out
}

// matchingLists returns the lists that match a document and for which asked returns true, in order of id.
func (m *Matcher) matchingLists(t *query.Words, asked func(*compiledList) bool, now time.Time) []*compiledList {
	var found []*compiledList
	try := func(c *compiledList) {
		if asked(c) && c.Matches(t, now) {
			found = append(found, c)
		}
	}
	t.Keys(m.terms, func(key int32) {
		for _, c := range m.byAnchor[key] {
			try(c)
		}
	})
	for _, c := range m.always {
		try(c)
	}
	slices.SortFunc(found, func(a, b *compiledList) int { return strings.Compare(a.list.ID, b.list.ID) })
	return slices.Compact(found)
}
