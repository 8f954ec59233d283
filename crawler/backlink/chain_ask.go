package backlink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/eventseer/eventseer/internal/bolt"
)

// maxPages bounds the pages of an answer that are requested: some providers return next pages
// endlessly.
const maxPages = 20

// A Reply is the result of a query for one provider.
type Reply struct {
	Provider string
	Scope    Scope // of the last query
	Answer
	Kept int   // pages of the answer from the cache
	Err  error // a *ProviderError, or an error of the stored data
}

// add appends the next page of an answer.
func (r *Reply) add(p Reply) {
	r.Links = mergeBySource(r.Links, p.Links, len(r.Links)+len(p.Links))
	r.Scope, r.Next, r.Err = p.Scope, p.Next, p.Err
	r.Calls += p.Calls
	r.Cost += p.Cost
	r.Kept += p.Kept
	r.Dropped += p.Dropped
}

// A source is a Source with its current Standing.
type source struct {
	Source
	asking sync.Mutex // held during a query, so that two pages of a scope pay only once

	mu       sync.Mutex // guards standing
	standing Standing
}

func (s *source) updateStanding(f func(*Standing)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.standing)
}

func (s *source) tally() (t Tally) {
	s.updateStanding(func(st *Standing) { t = st.Tally })
	return t
}

// loadStanding reads the stored standing. It clears a refused key, because the key may have been changed since.
func (s *source) loadStanding(tx *bolt.Tx) error {
	s.standing.Name = s.Name()
	v := tx.Bucket(providerBucket).Get([]byte(s.Name()))
	if v == nil {
		return nil
	}
	st, err := decodeStanding(v)
	if err != nil {
		return fmt.Errorf("%w: provider %s: %w", errKept, s.Name(), err)
	}
	if st.Trouble == KeyRefused {
		st.clearFailures()
	}
	s.standing = st
	s.standing.Name = s.Name()
	return nil
}

func (s *source) saveStanding(tx *bolt.Tx) error {
	var v []byte
	var err error
	s.updateStanding(func(st *Standing) { v, err = json.Marshal(st) })
	if err != nil {
		return err
	}
	return tx.Bucket(providerBucket).Put([]byte(s.Name()), v)
}

// querySource queries one source for one page of links, or returns a cached answer. If the page payer that
// paid queries again, the calls are counted again, because its first answer was lost.
func (c *Chain) querySource(ctx context.Context, s *source, q Query, payer string) Reply {
	s.asking.Lock()
	defer s.asking.Unlock()
	r := Reply{Provider: s.Name(), Scope: q.Scope}
	kept, ok, err := c.cachedAnswer(s, q)
	if err != nil || ok {
		r.Answer, r.Kept, r.Err = kept.Answer, 1, err
		if r.Cost = 0; kept.Payer != payer || payer == "" {
			r.Calls = 0
		}
		s.updateStanding(func(st *Standing) { st.Asked++; st.Kept++ })
		return r
	}
	if r.Err = c.waitForSource(ctx, s); r.Err != nil {
		return r
	}
	a, err := s.Backlinks(ctx, q)
	a = validLinks(a, q, s.Name())
	r.Answer = a
	c.recordResult(ctx, s, a, err)
	r.Err = errors.Join(err, c.updateDB(func(tx *bolt.Tx) error {
		if err != nil || a.Calls == 0 {
			return s.saveStanding(tx)
		}
		return errors.Join(s.saveStanding(tx), c.storeAnswer(tx, s, q, payer, a))
	}))
	if err != nil {
		r.Links, r.Next = nil, ""
	}
	return r
}

// waitForSource waits for the source's delay to end. A query that counts against a limit is recorded before
// it is sent, so that a crash does not lose it.
func (c *Chain) waitForSource(ctx context.Context, s *source) error {
	var wait time.Duration
	var err error
	s.updateStanding(func(st *Standing) { wait, err = st.checkAdmission(s.Limits, c.o.Now()) })
	if err == nil && wait > 0 {
		err = c.o.Sleep(ctx, wait)
	}
	if err != nil || s.Limits == (Limits{}) {
		return err
	}
	s.updateStanding(func(st *Standing) { st.Next = c.o.Now().Add(s.Limits.Pause); st.countCost(1, 0, c.o.Now()) })
	return c.updateDB(s.saveStanding)
}

// recordResult records the result of a query. A query that ended because of ctx does not count against the
// provider.
func (c *Chain) recordResult(ctx context.Context, s *source, a Answer, err error) {
	now := c.o.Now()
	calls := a.Calls
	if s.Limits != (Limits{}) {
		calls-- // noted by admit
	}
	s.updateStanding(func(st *Standing) {
		st.Asked++
		st.Dropped += a.Dropped
		st.countCost(calls, a.Cost, now)
		switch known := (*ProviderError)(nil); {
		case err == nil:
			st.clearFailures()
		case ctx.Err() != nil:
		case errors.As(err, &known):
			st.recordFailure(known, now)
		default:
			st.recordFailure(&ProviderError{Provider: s.Name(), Trouble: Unreachable, Err: err}, now)
		}
	})
}

// storeAnswer caches an answer with a cost.
func (c *Chain) storeAnswer(tx *bolt.Tx, s *source, q Query, payer string, a Answer) error {
	now := c.o.Now()
	v, err := encodeAnswer(cachedAnswer{Payer: payer, At: now, Limit: q.Limit, Scope: q.Scope, Answer: a})
	if err != nil {
		return err
	}
	ttl := c.o.TTL
	if len(a.Links) == 0 {
		ttl /= emptyShorter
	}
	return answers.put(tx, answerKey(s.Name(), versionOf(s.Provider), q), v, now, now.Add(ttl))
}

// cachedAnswer returns the cached answer to a query.
func (c *Chain) cachedAnswer(s *source, q Query) (kept cachedAnswer, ok bool, err error) {
	err = c.viewDB(func(tx *bolt.Tx) error {
		v := answers.get(tx, answerKey(s.Name(), versionOf(s.Provider), q), c.o.Now())
		if v == nil {
			return nil
		}
		k, err := decodeAnswer(v, s.Name())
		if err != nil || !k.isSufficientFor(q.Limit) {
			return nil // an unreadable entry is queried again
		}
		kept, ok = k, true
		kept.Links = kept.Links[:min(q.Limit, len(kept.Links))]
		return nil
	})
	return kept, ok, err
}

// validLinks returns the valid links of an answer: distinct sources from other sites, with links to the
// target, at most the wanted number. It counts the others as dropped.
func validLinks(a Answer, q Query, provider string) Answer {
	links := make([]Backlink, 0, min(len(a.Links), q.Limit))
	seen := make(map[string]bool, cap(links))
	for i, l := range a.Links {
		if len(links) == q.Limit {
			a.Dropped += len(a.Links) - i
			break
		}
		l, ok := q.normalized(l, provider)
		if !ok || seen[l.Source] {
			a.Dropped++
			continue
		}
		seen[l.Source] = true
		links = append(links, l)
	}
	a.Links = links
	a.Calls, a.Cost = max(0, a.Calls), max(0, a.Cost)
	if len(a.Next) > maxNext || a.Next == q.Cursor {
		a.Next = ""
	}
	return a
}

// A BroadcastQuery is sent to every provider of a Chain, not only until there are enough links.
type BroadcastQuery struct {
	Target string // canonical URL
	// Scopes are queried one after the other until there are results. Nil: from the provider's
	// narrowest scope on, as in a crawl.
	Scopes []Scope
	Limit  int // maximum number of links per provider
	// Providers are the names of the providers to query. Nil: all.
	Providers []string
}

// ErrScope means that a provider supports none of the scopes of a Question.
var ErrScope = errors.New("it does not support the scope of this query")

// errEndless means that the pages of an answer repeat.
var errEndless = errors.New("its response names a next page that was already read")

// QueryAll queries the providers and follows their cursors, for maxPages pages or until there are enough
// links. There is one Reply per provider, in order, with its cost, error and the links found before
// it.
func (c *Chain) QueryAll(ctx context.Context, q BroadcastQuery) []Reply {
	var replies []Reply
	for _, s := range c.sources {
		if q.Providers == nil || slices.Contains(q.Providers, s.Name()) {
			replies = append(replies, c.queryWholeSource(ctx, s, q))
		}
	}
	return replies
}

func (c *Chain) queryWholeSource(ctx context.Context, s *source, q BroadcastQuery) Reply {
	total := Reply{Provider: s.Name()}
	scopes := wideningScopes(s.Scopes(), q.Target)
	if q.Scopes != nil {
		scopes = slices.DeleteFunc(slices.Clone(q.Scopes), func(w Scope) bool { return !slices.Contains(s.Scopes(), w) })
		if len(scopes) == 0 {
			total.Scope, total.Err = q.Scopes[0], fmt.Errorf("%s: %w: %s", s.Name(), ErrScope, q.Scopes[0])
			return total
		}
	}
	for _, scope := range scopes {
		total.add(c.queryScope(ctx, s, q, scope))
		if len(total.Links) > 0 || total.Err != nil {
			break
		}
	}
	return total
}

// queryScope queries one scope, page after page.
func (c *Chain) queryScope(ctx context.Context, s *source, q BroadcastQuery, scope Scope) Reply {
	total := Reply{Provider: s.Name(), Scope: scope}
	seen := map[string]bool{"": true}
	for cursor := ""; len(seen) <= maxPages; {
		left := min(max(1, q.Limit-len(total.Links)), MaxLimit)
		r := c.querySource(ctx, s, Query{Target: q.Target, Scope: scope, Limit: left, Cursor: cursor}, "")
		total.add(r)
		switch {
		case r.Err != nil || r.Next == "" || len(total.Links) >= q.Limit:
			return total
		case seen[r.Next]:
			total.Err = &ProviderError{Provider: s.Name(), Trouble: Nonsense, Err: errEndless}
			return total
		}
		cursor = r.Next
		seen[cursor] = true
	}
	return total
}

// Standings returns the state of the providers, in the given order.
func (c *Chain) Standings() []Standing {
	var all []Standing
	for _, s := range c.sources {
		s.updateStanding(func(st *Standing) { all = append(all, *st) })
	}
	return all
}
