package backlink

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// A Question is put to every provider of a Chain, not only until there are
// enough links.
type Question struct {
	Target string // canonical URL
	// Scopes are asked in one after the other until there is an answer. Nil: from
	// the narrowest that a provider knows on, as in a crawl.
	Scopes []Scope
	Limit  int // most links of a provider
	// Providers are the names of those asked. Nil: all.
	Providers []string
}

// ErrScope is of a provider that answers in none of the scopes of a Question.
var ErrScope = errors.New("it does not answer questions of this scope")

// errEndless is of an answer whose pages repeat.
var errEndless = errors.New("its answer names a next page that came before")

// Names returns the names of the providers in the order in which they are asked.
func (c *Chain) Names() []string {
	names := make([]string, len(c.sources))
	for i, s := range c.sources {
		names[i] = s.Name()
	}
	return names
}

// Ask puts a question to the providers and follows their cursors, to maxPages
// pages or until there are enough links. There is one Reply a provider, in order,
// with what it cost and why it failed. What was answered before it failed is in
// it too.
func (c *Chain) Ask(ctx context.Context, q Question) []Reply {
	var replies []Reply
	for _, s := range c.sources {
		if q.Providers == nil || slices.Contains(q.Providers, s.Name()) {
			replies = append(replies, c.askAll(ctx, s, q))
		}
	}
	return replies
}

func (c *Chain) askAll(ctx context.Context, s *source, q Question) Reply {
	total := Reply{Provider: s.Name()}
	scopes := widening(s.Scopes(), q.Target)
	if q.Scopes != nil {
		scopes = slices.DeleteFunc(slices.Clone(q.Scopes), func(w Scope) bool { return !slices.Contains(s.Scopes(), w) })
		if len(scopes) == 0 {
			total.Scope, total.Err = q.Scopes[0], fmt.Errorf("%s: %w: %s", s.Name(), ErrScope, q.Scopes[0])
			return total
		}
	}
	for _, scope := range scopes {
		total.add(c.follow(ctx, s, q, scope))
		if len(total.Links) > 0 || total.Err != nil {
			break
		}
	}
	return total
}

// follow asks in one scope, page after page.
func (c *Chain) follow(ctx context.Context, s *source, q Question, scope Scope) Reply {
	total := Reply{Provider: s.Name(), Scope: scope}
	seen := map[string]bool{"": true}
	for cursor := ""; len(seen) <= maxPages; {
		left := min(max(1, q.Limit-len(total.Links)), MaxLimit)
		r := c.ask(ctx, s, Query{Target: q.Target, Scope: scope, Limit: left, Cursor: cursor}, "")
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

// Standings returns how the providers stand, in the order in which they were
// given.
func (c *Chain) Standings() []Standing {
	var all []Standing
	for _, s := range c.sources {
		s.note(func(st *Standing) { all = append(all, *st) })
	}
	return all
}
