// Package match matches the queries of all saved lists against one document at a time, and explains
// the matches.
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

// A Matcher holds the queries of all lists against one document at a time. It finds
// the lists by the words and values of the document: each list waits under the rarest
// words of one of its clauses, so that what a document costs grows with the lists that
// have such a word in common with it, not with all lists. Then those are verified in
// full. It is safe for concurrent use.
type Matcher struct {
	dictionary *dictionary.Dictionary
	People     bool // person: finds people

	mu       sync.RWMutex // guards below
	terms    *query.Compiler
	used     []int32 // by key: how many lists have it
	lists    map[string]*compiled
	byAnchor map[int32][]*compiled
	always   map[string]*compiled // lists without an anchor, such as those of days alone
	windows  map[string]*window   // by Term.String: the terms of lists that depend on the day
	dropped  int                  // lists removed since the compiler was made
}

// New returns a matcher without lists. Nil as dictionary knows no synonyms.
func New(d *dictionary.Dictionary) *Matcher {
	m := &Matcher{dictionary: d}
	m.reset()
	return m
}

func (m *Matcher) reset() {
	m.terms, m.used, m.dropped = query.NewCompiler(), nil, 0
	m.lists, m.always, m.byAnchor = map[string]*compiled{}, map[string]*compiled{}, map[int32][]*compiled{}
	m.windows = map[string]*window{}
}

// Set takes lists in, in the place of those of the same ids. Many at once are better
// placed than one by one. A list whose query cannot be understood is left out; the
// error, of the first such list, wraps an *query.Error.
func (m *Matcher) Set(lists ...eventseer.List) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	var first error
	var fresh []*compiled
	for _, l := range lists {
		m.drop(l.ID)
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
func (m *Matcher) countKeys(c *compiled) {
	keys, _ := m.terms.Len()
	m.used = append(m.used, make([]int32, keys-len(m.used))...)
	c.eachKey(func(k int32) { m.used[k]++ })
}

func (m *Matcher) addCompiled(c *compiled) {
	m.lists[c.list.ID] = c
	m.countWindows(c, 1)
	c.anchor(m.used)
	if len(c.anchors) == 0 {
		m.always[c.list.ID] = c
		return
	}
	for _, k := range c.anchors {
		m.byAnchor[k] = append(m.byAnchor[k], c)
	}
}

// Remove takes a list out; one that is not there is no error.
func (m *Matcher) Remove(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.drop(id)
	if m.dropped > 10_000 && m.dropped > 2*len(m.lists) {
		m.renew()
	}
}

// renew forgets the words of lists that are gone.
func (m *Matcher) renew() {
	all := m.lists
	m.reset()
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

func (m *Matcher) drop(id string) {
	c, ok := m.lists[id]
	if !ok {
		return
	}
	delete(m.lists, id)
	delete(m.always, id)
	m.dropped++
	m.countWindows(c, -1)
	c.eachKey(func(k int32) { m.used[k]-- })
	for _, k := range c.anchors {
		m.byAnchor[k] = slices.DeleteFunc(m.byAnchor[k], func(o *compiled) bool { return o == c })
		if len(m.byAnchor[k]) == 0 {
			delete(m.byAnchor, k)
		}
	}
}

// Len returns how many lists there are.
func (m *Matcher) Len() int {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return len(m.lists)
}

// A Match is a list that matches a document, and why.
type Match struct {
	List eventseer.List
	// Why names the terms found and where, for people, at most maxWhy.
	Why []string
	// Passage is the text around what was found, and Marks the half-open ranges of bytes
	// there that hold it, in order.
	Passage string
	Marks   [][2]int
	// Page is the URL of the page whose text the passage is of, "" of another passage.
	Page string
}

// Match returns the lists that match a document, in the order of their ids. now is what windows
// such as due<60d count from.
func (m *Matcher) Match(d eventseer.Document, now time.Time) []Match {
	return m.MatchNew(d, nil, now, now)
}

// MatchNew is Match without the lists that already matched the document as it was before, if not
// nil, at the time then.
func (m *Matcher) MatchNew(d eventseer.Document, before *eventseer.Document, then, now time.Time) []Match {
	return m.matchIf(func(*compiled) bool { return true }, d, before, then, now)
}

// matchIf is matchNew among the lists for which asked returns true.
func (m *Matcher) matchIf(asked func(*compiled) bool, d eventseer.Document, before *eventseer.Document, then, now time.Time) []Match {
	m.mu.RLock()
	defer m.mu.RUnlock()
	t := m.terms.Read(d, m.People)
	found := m.matching(t, asked, now)
	if len(found) > 0 && before != nil {
		old := m.terms.Read(*before, m.People)
		found = slices.DeleteFunc(found, func(c *compiled) bool { return c.Matches(old, then) })
	}
	out := make([]Match, len(found))
	e := newExplainer(t, now)
	for i, c := range found {
		out[i] = e.explain(c)
	}
	return out
}

// matching returns the lists, of those for which asked returns true, that match a document, in the order of their
// ids.
func (m *Matcher) matching(t *query.Words, asked func(*compiled) bool, now time.Time) []*compiled {
	var found []*compiled
	try := func(c *compiled) {
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
	slices.SortFunc(found, func(a, b *compiled) int { return strings.Compare(a.list.ID, b.list.ID) })
	return slices.Compact(found)
}
