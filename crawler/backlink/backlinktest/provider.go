package backlinktest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// A Case is the expected content of a provider under test.
type Case struct {
	// Open returns the provider. It is called once a test.
	Open func(t *testing.T) backlink.Provider
	// Known is a canonical URL that has at least two linking pages in each scope.
	Known string
	// Unknown is a URL without backlinks in any scope. "" leaves that out.
	Unknown string
}

// maxAnswers is the maximum number of pages of an answer in a test.
const maxAnswers = 200

// Provider tests what every backlink.Provider must keep.
func Provider(t *testing.T, c Case) {
	t.Run("description", func(t *testing.T) { describes(t, c.Open(t)) })
	t.Run("answers", func(t *testing.T) { answers(t, c.Open(t), c.Known) })
	t.Run("pages", func(t *testing.T) { pages(t, c.Open(t), c.Known) })
	t.Run("nobody", func(t *testing.T) {
		p := c.Open(t)
		for _, s := range p.Scopes() {
			if c.Unknown == "" {
				break
			}
			a, err := p.Backlinks(t.Context(), backlink.Query{Target: c.Unknown, Scope: s, Limit: 9})
			if err != nil || len(a.Links) > 0 || a.Next != "" {
				t.Errorf("%s of a page without backlinks: %+v, %v", s, a, err)
			}
		}
	})
	t.Run("errors", func(t *testing.T) { refuses(t, c.Open(t), c.Known) })
	t.Run("concurrent", func(t *testing.T) { concurrent(t, c.Open(t), c.Known) })
}

// describes checks name and scopes.
func describes(t *testing.T, p backlink.Provider) {
	scopes := p.Scopes()
	if p.Name() == "" || len(scopes) == 0 || !slices.IsSorted(scopes) || len(slices.Compact(slices.Clone(scopes))) != len(scopes) {
		t.Errorf("name %q, scopes %v: want a name and distinct scopes, the narrowest first", p.Name(), scopes)
	}
}

// answers checks every link of an answer in each scope.
func answers(t *testing.T, p backlink.Provider, target string) {
	for _, s := range p.Scopes() {
		for _, limit := range []int{1, 2, backlink.MaxLimit} {
			q := backlink.Query{Target: target, Scope: s, Limit: limit}
			a := ask(t, p, q)
			if len(a.Links) == 0 && a.Next == "" {
				t.Errorf("%s, limit %d: nothing is known of a page that is linked to", s, limit)
			}
			if diff := cmp.Diff(a.Links, ask(t, p, q).Links); diff != "" {
				t.Errorf("%s: another answer the second time:\n%s", s, diff)
			}
			if err := keeps(p, q, a); err != nil {
				t.Errorf("%s, limit %d: %v", s, limit, err)
			}
		}
	}
}

// keeps reports the errors of an answer.
func keeps(p backlink.Provider, q backlink.Query, a backlink.Answer) error {
	if len(a.Links) > q.Limit || a.Calls < 0 || a.Dropped < 0 || !(a.Cost >= 0) || math.IsInf(a.Cost, 1) {
		return fmt.Errorf("%d links, %d calls, cost %v, %d dropped", len(a.Links), a.Calls, a.Cost, a.Dropped)
	}
	for _, l := range a.Links {
		source, err := webgraph.Canonical(l.Source)
		switch {
		case err != nil || source != l.Source:
			return fmt.Errorf("source %q is not canonical", l.Source)
		case webgraph.SameSite(webgraph.HostOf(l.Source), webgraph.HostOf(l.Target)):
			return fmt.Errorf("%s links to its own site", l.Source)
		case !q.Scope.Covers(q.Target, l.Target):
			return fmt.Errorf("target %q is not in the %s of %s", l.Target, q.Scope, q.Target)
		case l.Scope != q.Scope || l.Provider != p.Name():
			return fmt.Errorf("%+v: asked of %s in scope %s", l, p.Name(), q.Scope)
		case utf8.RuneCountInString(l.Anchor) > webgraph.MaxAnchor || utf8.RuneCountInString(l.Title) > webgraph.MaxAnchor:
			return fmt.Errorf("anchor or title of %s is too long", l.Source)
		}
	}
	return nil
}

// pages checks that a small limit shows the same sources as a large one, and that
// both end.
func pages(t *testing.T, p backlink.Provider, target string) {
	for _, s := range p.Scopes() {
		whole, small := sources(t, p, target, s, backlink.MaxLimit), sources(t, p, target, s, 1)
		if diff := cmp.Diff(whole, small); diff != "" || len(whole) < 2 {
			t.Errorf("%s: at once and one by one (-at once +one by one):\n%s", s, diff)
		}
	}
}

// sources follows the cursors to the end.
func sources(t *testing.T, p backlink.Provider, target string, s backlink.Scope, limit int) []string {
	var urls []string
	q := backlink.Query{Target: target, Scope: s, Limit: limit}
	for range maxAnswers {
		a := ask(t, p, q)
		for _, l := range a.Links {
			urls = append(urls, l.Source)
		}
		if q.Cursor = a.Next; q.Cursor == "" {
			slices.Sort(urls)
			return slices.Compact(urls)
		}
	}
	t.Fatalf("%s, limit %d: no end after %d pages", s, limit, maxAnswers)
	return nil
}

// refuses checks that errors are *backlink.ProviderError and name the provider. An invalid cursor may be
// refused, or accepted by a service that is more lenient than its client.
func refuses(t *testing.T, p backlink.Provider, target string) {
	q := backlink.Query{Target: target, Scope: p.Scopes()[0], Limit: 1}
	check := func(what string, a backlink.Answer, err error) {
		var known *backlink.ProviderError
		if !errors.As(err, &known) || known.Provider != p.Name() || len(a.Links) > 0 {
			t.Errorf("%s: %v, %d links; want a ProviderError of %s and none", what, err, len(a.Links), p.Name())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a, err := p.Backlinks(ctx, q)
	check("an ended context", a, err)
	q.Cursor = "\x00no cursor"
	if a, err = p.Backlinks(t.Context(), q); err != nil {
		check("a foreign cursor", a, err)
	}
}

// concurrent queries from many goroutines, for the race detector.
func concurrent(t *testing.T, p backlink.Provider, target string) {
	q := backlink.Query{Target: target, Scope: p.Scopes()[0], Limit: 5}
	want := ask(t, p, q)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			a, err := p.Backlinks(t.Context(), q)
			if diff := cmp.Diff(want.Links, a.Links); diff != "" || err != nil {
				t.Errorf("another answer at the same time: %v\n%s", err, diff)
			}
		})
	}
	group.Wait()
}

func ask(t *testing.T, p backlink.Provider, q backlink.Query) backlink.Answer {
	t.Helper()
	a, err := p.Backlinks(t.Context(), q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	return a
}
