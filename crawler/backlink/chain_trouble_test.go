package backlink

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// A scripted provider returns the result of its function.
type scripted struct {
	name   string
	scopes []Scope
	answer func(q Query) (Answer, error)
	asked  []Query
}

func (s *scripted) Name() string    { return s.name }
func (s *scripted) Scopes() []Scope { return s.scopes }

func (s *scripted) Backlinks(_ context.Context, q Query) (Answer, error) {
	s.asked = append(s.asked, q)
	return s.answer(q)
}

// telling answers one link in every scope for one call.
func telling(name string, scopes ...Scope) *scripted {
	return &scripted{name: name, scopes: scopes, answer: func(q Query) (Answer, error) {
		return Answer{Calls: 1, Links: []Backlink{{Source: "https://" + name + ".net/", Target: q.Target}}}, nil
	}}
}

// failing fails in one way.
func failing(name string, trouble Trouble, after time.Time) *scripted {
	return &scripted{name: name, scopes: []Scope{Page}, answer: func(Query) (Answer, error) {
		return Answer{Calls: 1}, &ProviderError{Provider: name, Trouble: trouble, After: after, Err: errors.New("no")}
	}}
}

// A clock is set by tests.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

// sleep moves the clock on.
func (c *clock) sleep(_ context.Context, d time.Duration) error {
	c.at = c.at.Add(d)
	return nil
}

const asking = "https://conf.org/2027/cfp"

// A provider that fails is passed over; after some failures it rests.
func TestFallBack(t *testing.T) {
	for _, test := range []struct {
		trouble Trouble
		after   time.Duration // the provider's own
		before  int           // failures until it rests
		rest    time.Duration
	}{
		{Busy, 0, 1, time.Minute},
		{Busy, 5 * time.Second, 1, 5 * time.Second},
		{Busy, 1000 * 24 * time.Hour, 1, 31 * 24 * time.Hour},
		{QuotaSpent, 0, 1, 12 * time.Hour}, // the day ends at midnight
		{KeyRefused, 0, 1, 24 * time.Hour},
		{Nonsense, 0, 3, time.Minute},
		{Unreachable, 0, 3, time.Minute},
	} {
		t.Run(fmt.Sprint(test.trouble, test.after), func(t *testing.T) {
			clk := &clock{noon}
			after := time.Time{}
			if test.after > 0 {
				after = noon.Add(test.after)
			}
			bad, good := failing("bad", test.trouble, after), telling("good", Page)
			c := newChain(t, ChainOptions{Sources: []Source{{Provider: bad}, {Provider: good}}, Now: clk.now, Sleep: clk.sleep})
			for n := range test.before + 2 {
				links, calls, err := c.Backlinks(t.Context(), asking, 5)
				fails := n < test.before
				if want := 1 + btoi(fails); len(links) != 1 || calls != want || (err != nil) != fails {
					t.Errorf("question %d: %v, %d calls, %v", n, links, calls, err)
				}
			}
			if len(bad.asked) != test.before {
				t.Errorf("asked %d times before it rests, want %d", len(bad.asked), test.before)
			}
			clk.at = noon.Add(test.rest - time.Second)
			if _, calls, _ := c.Backlinks(t.Context(), asking, 5); calls != 1 {
				t.Errorf("it does not rest for %s", test.rest)
			}
			clk.at = noon.Add(test.rest)
			if _, calls, _ := c.Backlinks(t.Context(), asking, 5); calls != 2 {
				t.Errorf("it rests for more than %s", test.rest)
			}
		})
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// However often a provider fails, it is queried again within longestRest, and one that answers again loses
// its penalty.
func TestRestsAreBounded(t *testing.T) {
	clk := &clock{noon}
	p := failing("p", Unreachable, time.Time{})
	c := newChain(t, ChainOptions{Sources: []Source{{Provider: p}}, Now: clk.now})
	for range 40 {
		_, _, _ = c.Backlinks(t.Context(), asking, 5)
		clk.at = clk.at.Add(longestRest)
	}
	if len(p.asked) != 40 {
		t.Errorf("asked %d times in 40 hours", len(p.asked))
	}
	p.answer = telling("p").answer
	if links, _, err := c.Backlinks(t.Context(), asking, 5); len(links) != 1 || err != nil {
		t.Errorf("%v, %v", links, err)
	}
	if s := c.Standings()[0]; s.Failures != 0 || s.Trouble != "" || s.Failed != 40 {
		t.Errorf("%+v", s)
	}
}

// Providers widen their scopes each on its own, a question takes at most
// crawler.MaxCalls, and the order is that of the configuration.
func TestScopesWiden(t *testing.T) {
	empty := func(name string, scopes ...Scope) *scripted {
		return &scripted{name: name, scopes: scopes, answer: func(Query) (Answer, error) { return Answer{Calls: 1}, nil }}
	}
	for name, test := range map[string]struct {
		providers []*scripted
		want      []string
		calls     int
	}{
		"page, or the directory that includes it":  {[]*scripted{telling("a", Page), telling("b", Page, Directory)}, []string{"a page", "b prefix"}, 2},
		"then the host, then no call is left":      {[]*scripted{empty("a", Page, Host, Domain), telling("b", Page)}, []string{"a page", "a host"}, 2},
		"a domain where nothing narrower is known": {[]*scripted{empty("a", Domain), telling("b", Host)}, []string{"a domain", "b host"}, 2},
		"at most so many calls":                    {[]*scripted{empty("a", Page), empty("b", Page), telling("c", Page)}, []string{"a page", "b page"}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			var sources []Source
			for _, p := range test.providers {
				answer := p.answer
				p.answer = func(q Query) (Answer, error) {
					got = append(got, p.name+" "+q.Scope.String())
					return answer(q)
				}
				sources = append(sources, Source{Provider: p})
			}
			_, calls, err := newChain(t, ChainOptions{Sources: sources}).Backlinks(t.Context(), asking, 9)
			if diff := cmp.Diff(test.want, got); diff != "" || err != nil || calls != test.calls {
				t.Errorf("%d calls, %v (-want +got):\n%s", calls, err, diff)
			}
		})
	}
}

// Whatever a provider answers, the result is valid, and rows left out are counted.
func TestHostileAnswers(t *testing.T) {
	flood := make([]Backlink, 1_000_000)
	for i := range flood {
		flood[i] = Backlink{Source: fmt.Sprintf("https://s%d.net/", i), Target: asking}
	}
	long := strings.Repeat("ä", 10*webgraph.MaxAnchor)
	for name, test := range map[string]struct {
		links         []Backlink
		kept, dropped int
	}{
		"a million rows":     {flood, 5, 1_000_000 - 5},
		"another URL":        {[]Backlink{{Source: "https://a.net/", Target: "https://other.org/"}}, 0, 1},
		"its own site":       {[]Backlink{{Source: "https://www.conf.org/", Target: asking}}, 0, 1},
		"no URLs":            {[]Backlink{{Source: "javascript:x", Target: asking}, {Source: "https://a.net/"}, {Source: "http://", Target: asking}}, 0, 3},
		"twice":              {[]Backlink{{Source: "https://a.net/", Target: asking}, {Source: "HTTPS://A.net", Target: asking}}, 1, 1},
		"an endless anchor":  {[]Backlink{{Source: "https://a.net/", Target: asking, Anchor: long, Title: long}}, 1, 0},
		"an endless address": {[]Backlink{{Source: "https://a.net/" + strings.Repeat("x", 1<<20), Target: asking}}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			p := &scripted{name: "p", scopes: []Scope{Page}, answer: func(Query) (Answer, error) {
				return Answer{Links: test.links, Calls: -7, Cost: -1}, nil
			}}
			c := newChain(t, ChainOptions{Sources: []Source{{Provider: p}}})
			r := c.QueryAll(t.Context(), BroadcastQuery{Target: asking, Limit: 5})[0]
			if r.Err != nil || len(r.Links) != test.kept || r.Dropped != test.dropped || r.Calls != 0 || r.Cost != 0 {
				t.Errorf("%d links, %d dropped, %d calls, cost %v, %v", len(r.Links), r.Dropped, r.Calls, r.Cost, r.Err)
			}
			for _, l := range r.Links {
				if len([]rune(l.Anchor)) > webgraph.MaxAnchor || len([]rune(l.Title)) > webgraph.MaxAnchor {
					t.Error("a text is too long")
				}
			}
			if got := c.Standings()[0]; got.Dropped != test.dropped {
				t.Errorf("%d counted", got.Dropped)
			}
		})
	}
}

// Cursors that never end, end.
func TestEndlessCursors(t *testing.T) {
	for name, test := range map[string]struct {
		next  func(n int) string
		rows  bool
		pages int
		fails bool
	}{
		"always another":       {func(n int) string { return fmt.Sprint("page ", n) }, true, maxPages, false},
		"always another, void": {func(n int) string { return fmt.Sprint("page ", n) }, false, maxPages, false},
		"the same":             {func(int) string { return "again" }, true, 2, false},
		"in a circle":          {func(n int) string { return fmt.Sprint("page ", n%3) }, true, 4, true},
		"too long":             {func(n int) string { return strings.Repeat("x", 1<<20) }, true, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := &scripted{name: "p", scopes: []Scope{Page}}
			p.answer = func(q Query) (Answer, error) {
				a := Answer{Calls: 1, Next: test.next(len(p.asked))}
				if test.rows {
					a.Links = []Backlink{{Source: fmt.Sprintf("https://s%d.net/", len(p.asked)), Target: asking}}
				}
				return a, nil
			}
			c := newChain(t, ChainOptions{Sources: []Source{{Provider: p}}})
			r := c.QueryAll(t.Context(), BroadcastQuery{Target: asking, Limit: 1000})[0]
			if len(p.asked) != test.pages || (r.Err != nil) != test.fails || r.Calls != test.pages {
				t.Errorf("%d pages, %d calls, %v", len(p.asked), r.Calls, r.Err)
			}
			p.asked = nil
			if _, calls, _ := c.Backlinks(t.Context(), asking, 1000); calls > crawler.MaxCalls || len(p.asked) > crawler.MaxCalls {
				t.Errorf("a crawl's question took %d calls", calls)
			}
		})
	}
}

// Limits hold over a restart: calls and cost of a day, and the pause.
func TestLimits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "links.db")
	clk := &clock{noon}
	p := telling("p", Page)
	one := p.answer
	p.answer = func(q Query) (Answer, error) { a, err := one(q); a.Cost = 10; return a, err }
	n := 0
	ask := func(l Limits) (paid bool) {
		d := openDB(t, path)
		defer closeClean(t, d)
		c := newChain(t, ChainOptions{Links: d, Sources: []Source{{Provider: p, Limits: l}}, Now: clk.now, Sleep: clk.sleep})
		n++
		_, calls, err := c.Backlinks(t.Context(), fmt.Sprintf("https://conf%d.org/", n), 5)
		if err != nil {
			t.Fatal(err)
		}
		return calls == 1
	}
	for i, want := range []bool{true, true, true, false, false} {
		if got := ask(Limits{CallsPerDay: 3}); got != want {
			t.Errorf("call %d of 3 a day: %v", i+1, got)
		}
	}
	clk.at = noon.Add(12*time.Hour - time.Second)
	if ask(Limits{CallsPerDay: 3}) {
		t.Error("asked before the day ends")
	}
	clk.at = noon.Add(12 * time.Hour)
	for i, want := range []bool{true, true, true, false} { // the third goes beyond
		if got := ask(Limits{CostPerDay: 25}); got != want {
			t.Errorf("call %d of cost 10, 25 a day: %v", i+1, got)
		}
	}
	clk.at = noon.Add(48 * time.Hour)
	start := clk.at
	for range 3 {
		ask(Limits{Pause: 4 * time.Second})
	}
	if got := clk.at.Sub(start); got != 8*time.Second {
		t.Errorf("three calls with a pause of 4s took %s", got)
	}
	ask(Limits{Pause: time.Hour})
	if ask(Limits{Pause: time.Hour}) {
		t.Error("a pause of an hour was waited for")
	}
	for _, l := range []Limits{{Pause: -1}, {CallsPerDay: -1}, {CostPerDay: -1}} {
		if _, err := NewChain(ChainOptions{Sources: []Source{{Provider: p, Limits: l}}}); err == nil {
			t.Errorf("%+v: no error", l)
		}
	}
}

// A provider whose links often do not exist is queried last, and fewer of its links are used.
func TestStaleProviderLoses(t *testing.T) {
	d := openDB(t, filepath.Join(t.TempDir(), "links.db"))
	defer closeClean(t, d)
	wide := func(name string) *scripted {
		return &scripted{name: name, scopes: []Scope{Host}, answer: func(q Query) (Answer, error) {
			a := Answer{Calls: 1}
			for i := range q.Limit {
				a.Links = append(a.Links, Backlink{Source: fmt.Sprintf("https://s%d.%s.net/", i, name), Target: q.Target})
			}
			return a, nil
		}}
	}
	stale, fresh := wide("stale"), wide("fresh")
	o := ChainOptions{Links: d, Sources: []Source{{Provider: stale}, {Provider: fresh}}}
	c := newChain(t, o)
	links, _, err := c.Backlinks(t.Context(), asking, visitsToJudge)
	if err != nil || len(links) != visitsToJudge || len(fresh.asked) > 0 {
		t.Fatalf("%d links, %v", len(links), err)
	}
	for i, l := range links {
		seen := []webgraph.Link{}
		if i%4 == 0 {
			seen = append(seen, webgraph.Link{Source: l.Source, Target: "http://conf.org/other"})
		}
		b := Backlink{Source: l.Source, Target: l.Target, Provider: "stale", Scope: Host}
		for range 2 { // counted once
			if _, err := c.Verify(b, asking, seen, false); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s := c.Standings()[1]; s.Visited != visitsToJudge || s.Verified != visitsToJudge/4 {
		t.Errorf("%+v", s)
	}
	c = newChain(t, o) // it is not forgotten
	links, _, err = c.Backlinks(t.Context(), "https://next.org/", 30)
	if err != nil || len(fresh.asked) != 1 || len(links) != 30 || len(stale.asked) != 1 {
		t.Errorf("%d links, fresh asked %d times, stale %d times, %v", len(links), len(fresh.asked), len(stale.asked), err)
	}
	fresh.answer = func(Query) (Answer, error) { return Answer{Calls: 1}, nil }
	links, _, _ = c.Backlinks(t.Context(), "https://third.org/", 30)
	if want := 11; len(links) != want { // a share of 9/25 of 30
		t.Errorf("%d links of a stale provider, want %d", len(links), want)
	}
}

// A query is booked on one day and answered on the next, without a request having been made. The
// stored state can be read again.
func TestMidnight(t *testing.T) {
	path := filepath.Join(t.TempDir(), "links.db")
	clk := &clock{time.Date(2027, 1, 1, 23, 59, 59, 0, time.UTC)}
	down := &scripted{name: "p", scopes: []Scope{Page}, answer: func(Query) (Answer, error) {
		clk.at = clk.at.Add(2 * time.Second)
		return Answer{}, &ProviderError{Provider: "p", Trouble: Unreachable, Err: errors.New("no route")}
	}}
	for range 2 {
		d := openDB(t, path)
		c, err := NewChain(ChainOptions{
			Links: d, Now: clk.now, Sleep: clk.sleep, Sources: []Source{{Provider: down, Limits: Limits{CallsPerDay: 5}}},
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := c.Backlinks(t.Context(), asking, 10); err == nil {
			t.Error("no error of a provider that is down")
		}
		if s := c.Standings()[1]; s.DayCalls != 0 || s.Calls != 0 {
			t.Errorf("%d calls, %d on %s: none was made", s.Calls, s.DayCalls, s.Day)
		}
		closeClean(t, d)
	}
}
