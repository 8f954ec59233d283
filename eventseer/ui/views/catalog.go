package views

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/field"
	"github.com/eventseer/eventseer/eventseer/query"

	"golang.org/x/text/unicode/norm"
)

// Limits on the work that one request for suggestions does for later ones.
const (
	CatalogChanges = 20_000 // changes read
	CatalogNames   = 1_000  // events read
	catalogFresh   = 2_000  // names that are searched sequentially
)

// A Catalog stores for all events the data that sitemaps and suggestions need, in the order they
// were found. It follows the outbox and reads new changes when called. It is safe for concurrent
// use.
type Catalog struct {
	store eventseer.Store

	mu      sync.Mutex // guards all below
	Seq     uint64     // of the last change read
	byID    map[eventseer.EventID]int
	entries []catalogEntry
	Unnamed []int        // entries whose name must be read
	sorted  []catalogKey // by text
	fresh   []catalogKey // not yet in sorted
}

// A catalogEntry is an event, present or deleted.
type catalogEntry struct {
	id       eventseer.EventID
	modified time.Time
	name     Name
	year     int
	waits    bool // in unnamed
	gone     bool
}

// A catalogKey is a text by which a suggestion is found.
type catalogKey struct {
	text    string // folded
	entry   int
	acronym bool
}

func NewCatalog(store eventseer.Store) *Catalog {
	return &Catalog{store: store, byID: map[eventseer.EventID]int{}}
}

// readChanges reads at most limit changes. mu must be held.
func (c *Catalog) readChanges(ctx context.Context, limit int) error {
	n := 0
	for change, err := range c.store.Outbox(ctx, c.Seq) {
		if ended := ctx.Err(); ended != nil {
			return ended
		}
		if err != nil && change.Seq == 0 {
			return err
		}
		c.Seq = max(c.Seq, change.Seq)
		if err == nil {
			c.addChange(change)
		}
		if n++; n == limit {
			break
		}
	}
	return nil
}

func (c *Catalog) addChange(change eventseer.Change) {
	if change.Event == "" {
		return
	}
	at, known := c.byID[change.Event]
	if !known {
		at = len(c.entries)
		c.byID[change.Event] = at
		c.entries = append(c.entries, catalogEntry{id: change.Event})
	}
	e := &c.entries[at]
	if change.At.After(e.modified) {
		e.modified = change.At
	}
	named := slices.ContainsFunc(change.Fields, func(f eventseer.FieldChange) bool {
		return f.Field == "title" || f.Field == "acronym" || f.Field == "year"
	})
	switch {
	case change.Into != "":
		e.gone = true
	case !e.waits && (!known || named):
		e.waits = true
		c.Unnamed = append(c.Unnamed, at)
	}
}

// readNames reads the names of at most limit events. mu must be held.
func (c *Catalog) readNames(ctx context.Context, limit int) error {
	for ; limit > 0 && len(c.Unnamed) > 0; limit-- {
		at := c.Unnamed[len(c.Unnamed)-1] // the newest first
		e := &c.entries[at]
		event, err := c.store.Event(ctx, e.id)
		if ended := ctx.Err(); ended != nil {
			return ended
		}
		c.Unnamed, e.waits = c.Unnamed[:len(c.Unnamed)-1], false
		switch {
		case errors.Is(err, eventseer.ErrNotFound) || err == nil && event.ID != e.id:
			e.gone = true
		case err == nil:
			e.name, e.year = NameOf(event), event.Year
			c.fresh = append(c.fresh, keysOf(e.name, at)...)
		}
	}
	if len(c.fresh) > catalogFresh {
		c.sorted = append(c.sorted, c.fresh...)
		slices.SortFunc(c.sorted, func(a, b catalogKey) int { return strings.Compare(a.text, b.text) })
		c.fresh = nil
	}
	return nil
}

// keysOf returns the texts by which a name can be found: its acronym, its title, and its title
// without common first words.
func keysOf(n Name, entry int) []catalogKey {
	var keys []catalogKey
	if n.Short != "" {
		keys = append(keys, catalogKey{foldText(n.Short), entry, true})
	}
	title := foldText(n.Title)
	if title == "" {
		return keys
	}
	keys = append(keys, catalogKey{title, entry, false})
	for _, word := range []string{" on ", " of ", " for "} {
		if _, rest, ok := strings.Cut(title, word); ok {
			return append(keys, catalogKey{rest, entry, false})
		}
	}
	return keys
}

// foldText normalizes case, diacritics and white space of a text.
func foldText(text string) string {
	folded := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFD.String(Clip(text, 200)))
	return strings.Join(strings.Fields(folded), " ")
}

// A Suggestion is a completion of typed text: an event by its name, or the calls of a field.
type Suggestion struct {
	Text  string `json:"text"`
	Title string `json:"title,omitempty"`
	URL   string `json:"url"` // URL of the event's page or the field's calls, without the host
}

// suggestedFields bounds the fields among suggestions.
const suggestedFields = 2

// SuggestFields returns the fields with a word that begins with prefix, those whose name begins
// with it first. There are none for one letter.
func SuggestFields(prefix string) (found []Suggestion) {
	prefix = foldText(prefix)
	if len(prefix) < 2 {
		return nil
	}
	for _, begins := range []func(name string) bool{
		func(name string) bool { return strings.HasPrefix(name, prefix) },
		func(name string) bool { return !strings.HasPrefix(name, prefix) && strings.Contains(name, " "+prefix) },
	} {
		for _, f := range field.All() {
			if len(found) < suggestedFields && begins(foldText(f.Name)) {
				found = append(found, Suggestion{Text: f.Name, Title: "Field, open calls", URL: SearchHref(query.TermText("field", f.ID), false)})
			}
		}
	}
	return found
}

// catalogStep is the number of events that Warm reads at a time, while requests may wait.
const catalogStep = 200

// A Warmer reads data in advance that first requests would wait for.
type Warmer interface {
	// Warm returns when all data is read or ctx ends, with an error of the store. Requests may be
	// served meanwhile.
	Warm(ctx context.Context) error
}

// Warm reads the names of all events.
func (c *Catalog) Warm(ctx context.Context) error {
	for {
		if left, err := c.warmStep(ctx); err != nil || !left {
			return err
		}
	}
}

// warmStep reads some changes and names, and reports whether there are more.
func (c *Catalog) warmStep(ctx context.Context) (left bool, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	from := c.Seq
	if err := c.readChanges(ctx, CatalogNames); err != nil {
		return false, err
	}
	if err := c.readNames(ctx, catalogStep); err != nil {
		return false, err
	}
	return c.Seq > from || len(c.Unnamed) > 0, nil
}

const maxCandidates = 500

// suggestedEditions bounds the editions of one acronym among suggestions, to leave room for others.
const suggestedEditions = 3

// Suggest returns at most limit suggestions: acronyms first, then the latest editions, a few of
// each acronym.
func (c *Catalog) Suggest(ctx context.Context, prefix string, limit int) ([]Suggestion, error) {
	prefix = foldText(prefix)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.readChanges(ctx, CatalogChanges); err != nil {
		return nil, err
	}
	if err := c.readNames(ctx, CatalogNames); err != nil {
		return nil, err
	}
	found := []Suggestion{}
	if prefix == "" {
		return found, nil
	}
	hits := c.candidateKeys(prefix)
	rank := map[bool]int{true: 0, false: 1}
	slices.SortStableFunc(hits, func(a, b catalogKey) int {
		return cmp.Or(rank[a.acronym]-rank[b.acronym], c.entries[b.entry].year-c.entries[a.entry].year)
	})
	seen := map[int]bool{}
	editions := map[string]int{}
	for _, k := range hits {
		e := c.entries[k.entry]
		if len(found) == limit {
			break
		}
		series := strings.TrimRight(foldText(e.name.Short), " 0123456789")
		if seen[k.entry] || e.gone || series != "" && editions[series] == suggestedEditions {
			continue
		}
		seen[k.entry] = true
		editions[series]++
		s := Suggestion{Text: e.name.Short, Title: Clip(e.name.Title, 120), URL: EventHref(e.id)}
		if s.Text == "" {
			s.Text, s.Title = s.Title, ""
		}
		found = append(found, s)
	}
	return found, nil
}

// candidateKeys returns the names that begin with prefix, at most maxCandidates in sorted order.
func (c *Catalog) candidateKeys(prefix string) []catalogKey {
	var hits []catalogKey
	for _, k := range c.fresh {
		if strings.HasPrefix(k.text, prefix) {
			hits = append(hits, k)
		}
	}
	i, _ := slices.BinarySearchFunc(c.sorted, prefix, func(k catalogKey, p string) int { return strings.Compare(k.text, p) })
	for n := 0; i < len(c.sorted) && n < maxCandidates && strings.HasPrefix(c.sorted[i].text, prefix); i, n = i+1, n+1 {
		hits = append(hits, c.sorted[i])
	}
	return hits
}

// A LocatedEvent is an event's page with when it last changed.
type LocatedEvent struct {
	ID       eventseer.EventID
	Modified time.Time
}

// LocatedEvents returns at most limit existing events, beginning with the from-th event found, and how
// many were ever found.
func (c *Catalog) LocatedEvents(ctx context.Context, from, limit int) ([]LocatedEvent, int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.readChanges(ctx, 0); err != nil { // all
		return nil, 0, err
	}
	var found []LocatedEvent
	for _, e := range c.entries[min(from, len(c.entries)):min(from+limit, len(c.entries))] {
		if !e.gone {
			found = append(found, LocatedEvent{e.id, e.modified})
		}
	}
	return found, len(c.entries), nil
}
