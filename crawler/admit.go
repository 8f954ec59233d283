package crawler

import (
	"context"
	"fmt"
	"slices"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// refusal returns why a canonical URL may not be fetched, "" if it may. It is put to every link
// before it goes into the frontier, and again when it is leased: meanwhile a list may have changed
// or a trap shown itself. Seeds and revisited pages never count as traps.
func (c *Crawler) refusal(url string, how How) string {
	if why := c.scope.refusal(url); why != "" {
		return why
	}
	if c.o.Blocked != nil {
		if why := c.o.Blocked(url); why != "" {
			return why
		}
	}
	if c.o.NoTraps || how == Seed || how == Monitor {
		return ""
	}
	if why := trapOf(url); why != "" {
		return why
	}
	return c.memory.closed(url)
}

// Refusals returns the function that says why a crawl with these options would
// not follow a link to a canonical URL, "" if it would. Of o it takes Scope,
// Blocked and NoTraps, and what the crawl in Frontier has learned until now.
func Refusals(ctx context.Context, o Options) (func(url string) string, error) {
	c := &Crawler{o: o, scope: o.Scope.compile(), memory: newMemory(maxRuns)}
	kept, err := recall(ctx, o.Frontier, o.Tally)
	if err != nil {
		return nil, err
	}
	if err := c.memory.recall(kept.runs); err != nil {
		return nil, err
	}
	return func(url string) string { return c.refusal(url, Forward) }, nil
}

// maxSkips bounds the reasons that one page's skipped links are reported by; those
// of further reasons are counted with the last.
const maxSkips = 10

// skips count the links of a page that are not followed.
type skips []skip

type skip struct {
	reason  string
	n       int
	example string
}

func (s *skips) add(reason, url string) {
	for i := range *s {
		if p := &(*s)[i]; p.reason == reason || i == maxSkips-1 {
			p.n++
			return
		}
	}
	*s = append(*s, skip{reason, 1, url})
}

// lines returns a line a reason, nil where nothing was skipped.
func (s skips) lines() (lines []string) {
	for _, p := range s {
		lines = append(lines, fmt.Sprintf("%s: %d, such as %s", p.reason, p.n, p.example))
	}
	return lines
}

// hostOf returns the host a page answered from.
func hostOf(a Arrival) webgraph.Host { return webgraph.HostOf(a.URL()) }

// DefaultAgent is the product token by which sites know this crawler.
const DefaultAgent = "EventSeer"

// A Rel says what becomes of links that a page marks rel=nofollow, ugc or
// sponsored. The mark is about a search engine's credit, not about access: wikis
// mark all links out of them.
type Rel string

// What may become of such links.
const (
	RelFollow Rel = "follow" // they are links like any other; the zero value means this too
	RelLast   Rel = "last"   // they come after all others
	RelSkip   Rel = "skip"   // they are not followed
)

// relPenalty puts a link after those of any strategy's scores.
const relPenalty = 1000

// directives returns the robots directives of a page, or the zero value if the crawl ignores directives.
func (c *Crawler) directives(t *tagtree.Tree) webgraph.Directives {
	if c.o.IgnoreDirectives || t == nil {
		return webgraph.Directives{}
	}
	return webgraph.ParseDirectives(c.o.Agent, t.Page.Header.Values("X-Robots-Tag"), t.RobotsMeta(c.o.Agent))
}

// permitted returns those links of a verdict that the page lets be followed.
// Links of other pages, of which this one was a sample, are not its to forbid.
func (s *linkSelection) permitted(cs []Candidate) []Candidate {
	all := s.directives.NoFollow
	rel := s.o.Rel == RelLast || s.o.Rel == RelSkip
	if s.page.Tree == nil || !all && !rel {
		return cs
	}
	marked := s.marked()
	kept := make([]Candidate, 0, len(cs))
	for _, c := range cs {
		switch own := c.Parent == "" || c.Parent == s.page.URL() || c.Parent == s.page.Tree.Page.URL; {
		case own && all:
			s.skips.add("nofollow: the page asks not to follow its links", c.URL)
			continue
		case own && marked[c.URL] && s.o.Rel == RelSkip:
			s.skips.add("nofollow: the link is marked", c.URL)
			continue
		case own && marked[c.URL] && s.o.Rel == RelLast:
			c.Score = s.page.Lease.clamp(c.Score) - relPenalty
		}
		kept = append(kept, c)
	}
	return kept
}

// marked returns the targets of which the page marks every link.
func (s *linkSelection) marked() map[string]bool {
	marked := map[string]bool{}
	for _, l := range s.page.Tree.Links() {
		before, seen := marked[l.Target]
		marked[l.Target] = l.NoFollow && (before || !seen)
	}
	return marked
}

func (r Rel) validate() error {
	if !slices.Contains([]Rel{"", RelFollow, RelLast, RelSkip}, r) {
		return fmt.Errorf("rel %q is none of %s, %s and %s", r, RelFollow, RelLast, RelSkip)
	}
	return nil
}

// canonical makes the address a page gives as its own (RFC 6596) the last of its
// links. It is believed within a host, and no further than that: the address is
// fetched as any other, and if it says the same the two are duplicates. It comes
// last because what it says is known already.
func (s *linkSelection) canonical() {
	a := s.page
	if a.Tree == nil {
		return
	}
	to := a.Tree.Canonical()
	if to == "" || to == a.Lease.URL || to == a.URL() || webgraph.HostOf(to) != hostOf(a) {
		return
	}
	s.push([]Candidate{{URL: to, Score: s.afterOwn(), Anchor: a.Lease.Anchor}}, Forward)
}
