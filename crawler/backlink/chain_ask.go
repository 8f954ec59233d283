package backlink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"eventseer/webgraph"

	"go.etcd.io/bbolt"
)

// maxPages is how many pages of an answer are asked for at most: some providers
// name a next page for ever.
const maxPages = 20

// A Reply is what one provider answered to a question.
type Reply struct {
	Provider string
	Scope    Scope // in which the last was asked
	Links    []Backlink
	Calls    int
	Cost     float64
	Kept     int // pages of the answer that were kept from before
	Dropped  int // rows left out
	Next     string
	Err      error // a *ProviderError, or what is wrong with the file of what is kept
}

// add appends the next page of an answer.
func (r *Reply) add(p Reply) {
	r.Links = merge(r.Links, p.Links, len(r.Links)+len(p.Links))
	r.Scope, r.Next, r.Err = p.Scope, p.Next, p.Err
	r.Calls += p.Calls
	r.Cost += p.Cost
	r.Kept += p.Kept
	r.Dropped += p.Dropped
}

// A source is a Source with its standing.
type source struct {
	Source
	asking sync.Mutex // one question at a time: two pages of a scope pay once

	mu       sync.Mutex // guards standing
	standing Standing
}

func (s *source) note(f func(*Standing)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.standing)
}

func (s *source) tally() (t Tally) {
	s.note(func(st *Standing) { t = st.Tally })
	return t
}

// load reads the standing. A key that was refused may have been changed since.
func (s *source) load(tx *bbolt.Tx) error {
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
		st.answered()
	}
	s.standing = st
	s.standing.Name = s.Name()
	return nil
}

func (s *source) save(tx *bbolt.Tx) error {
	var v []byte
	var err error
	s.note(func(st *Standing) { v, err = json.Marshal(st) })
	if err != nil {
		return err
	}
	return tx.Bucket(providerBucket).Put([]byte(s.Name()), v)
}

// ask puts a question for one page of links to one source, or answers it from
// what was paid for. The page payer that paid is told its calls again: it asks
// twice only when its first answer was lost.
func (c *Chain) ask(ctx context.Context, s *source, q Query, payer string) Reply {
	s.asking.Lock()
	defer s.asking.Unlock()
	r := Reply{Provider: s.Name(), Scope: q.Scope}
	paid, a, ok, err := c.recall(s, q)
	if err != nil || ok {
		r.Links, r.Next, r.Dropped, r.Kept, r.Err = a.Links, a.Next, a.Dropped, 1, err
		if paid == payer && payer != "" {
			r.Calls = a.Calls
		}
		s.note(func(st *Standing) { st.Asked++; st.Kept++ })
		return r
	}
	if r.Err = c.admit(ctx, s); r.Err != nil {
		return r
	}
	a, err = s.Backlinks(ctx, q)
	a = sound(a, q, s.Name())
	r.Links, r.Next, r.Calls, r.Cost, r.Dropped = a.Links, a.Next, a.Calls, a.Cost, a.Dropped
	c.account(ctx, s, a, err)
	r.Err = errors.Join(err, c.update(func(tx *bbolt.Tx) error {
		if err != nil || a.Calls == 0 {
			return s.save(tx)
		}
		return errors.Join(s.save(tx), c.keep(tx, s, q, payer, a))
	}))
	if err != nil {
		r.Links, r.Next = nil, ""
	}
	return r
}

// admit waits for the source's pause to end. A question that counts against a
// limit is noted before it is put, so that a crash does not forget it.
func (c *Chain) admit(ctx context.Context, s *source) error {
	var wait time.Duration
	var err error
	s.note(func(st *Standing) { wait, err = st.admit(s.Limits, c.o.Now()) })
	if err == nil && wait > 0 {
		err = c.o.Sleep(ctx, wait)
	}
	if err != nil || s.Limits == (Limits{}) {
		return err
	}
	s.note(func(st *Standing) { st.Next = c.o.Now().Add(s.Limits.Pause); st.spend(1, 0, c.o.Now()) })
	return c.update(s.save)
}

// account counts what a question brought. One that ended because ctx did says
// nothing of the provider.
func (c *Chain) account(ctx context.Context, s *source, a Answer, err error) {
	now := c.o.Now()
	calls := a.Calls
	if s.Limits != (Limits{}) {
		calls-- // noted by admit
	}
	s.note(func(st *Standing) {
		st.Asked++
		st.Dropped += a.Dropped
		st.spend(calls, a.Cost, now)
		switch known := (*ProviderError)(nil); {
		case err == nil:
			st.answered()
		case ctx.Err() != nil:
		case errors.As(err, &known):
			st.failed(known, now)
		default:
			st.failed(&ProviderError{Provider: s.Name(), Trouble: Unreachable, Err: err}, now)
		}
	})
}

// keep keeps an answer that was paid for.
func (c *Chain) keep(tx *bbolt.Tx, s *source, q Query, payer string, a Answer) error {
	now := c.o.Now()
	v, err := encodeAnswer(keptAnswer{Payer: payer, At: now, Limit: q.Limit, Scope: q.Scope, Calls: a.Calls, Cost: a.Cost, Dropped: a.Dropped, Next: a.Next}, a.Links)
	if err != nil {
		return err
	}
	return answers.put(tx, answerKey(s.Name(), versionOf(s.Provider), q), v, now, now.Add(c.keepFor(a)))
}

// keepFor is how long an answer is kept.
func (c *Chain) keepFor(a Answer) time.Duration {
	if len(a.Links) == 0 {
		return c.o.TTL / emptyShorter
	}
	return c.o.TTL
}

// recall returns what was kept of a question that was asked before, and the page
// that paid for it.
func (c *Chain) recall(s *source, q Query) (payer string, a Answer, ok bool, err error) {
	err = c.view(func(tx *bbolt.Tx) error {
		v := answers.get(tx, answerKey(s.Name(), versionOf(s.Provider), q), c.o.Now())
		if v == nil {
			return nil
		}
		kept, answer, err := decodeAnswer(v, s.Name())
		if err != nil || !kept.serves(q.Limit) {
			return nil // what cannot be read is asked for again
		}
		payer, a, ok = kept.Payer, answer, true
		a.Links = a.Links[:min(q.Limit, len(a.Links))]
		return nil
	})
	return payer, a, ok, err
}

// sound returns what is right of an answer: distinct sources from other sites,
// links to what was asked about, no more than wanted. The rest is counted.
func sound(a Answer, q Query, provider string) Answer {
	links := make([]Backlink, 0, min(len(a.Links), q.Limit))
	seen := make(map[string]bool, cap(links))
	for i, l := range a.Links {
		if len(links) == q.Limit {
			a.Dropped += len(a.Links) - i
			break
		}
		source, err1 := webgraph.Canonical(l.Source)
		target, err2 := webgraph.Canonical(l.Target)
		if err1 != nil || err2 != nil || seen[source] || !q.Scope.Covers(q.Target, target) ||
			webgraph.SameSite(webgraph.HostOf(source), webgraph.HostOf(target)) {
			a.Dropped++
			continue
		}
		seen[source] = true
		l.Source, l.Target, l.Provider, l.Scope = source, target, provider, q.Scope
		l.Anchor, l.Title = ClipText(l.Anchor), ClipText(l.Title)
		links = append(links, l)
	}
	a.Links = links
	a.Calls, a.Cost = max(0, a.Calls), max(0, a.Cost)
	if len(a.Next) > maxNext || a.Next == q.Cursor {
		a.Next = ""
	}
	return a
}
