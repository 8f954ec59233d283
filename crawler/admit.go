package crawler

import (
	"context"
	"fmt"
	"slices"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// refusalReason returns why a canonical URL may not be fetched, "" if it may. It is checked before a link
// enters the frontier and again when the link is leased, because a block list may have changed or a
// trap been detected in between. Seeds and revisited pages never count as traps.
func (c *Crawler) refusalReason(url string, origin Origin) string {
	if why := c.scope.refusalReason(url); why != "" {
		return why
	}
	if c.o.Blocked != nil {
		if why := c.o.Blocked(url); why != "" {
			return why
		}
	}
	if c.o.NoTraps || origin == Seed || origin == Monitor {
		return ""
	}
	if why := trapReason(url); why != "" {
		return why
	}
	return c.memory.closedReason(url)
}

// RefusalChecker returns a function that checks links for a crawl with these options. It returns why a
// link to a canonical URL would not be followed, "" if it would. It uses the options Scope, Blocked
// and NoTraps, and what the crawl stored in Frontier has learned so far.
func RefusalChecker(ctx context.Context, o Options) (func(url string) string, error) {
	c := &Crawler{o: o, scope: o.Scope.compile(), memory: newMemory(maxRuns)}
	kept, err := recallNotes(ctx, o.Frontier, o.Tally)
	if err != nil {
		return nil, err
	}
	if err := c.memory.restoreNotes(kept.runs); err != nil {
		return nil, err
	}
	return func(url string) string { return c.refusalReason(url, Forward) }, nil
}

// maxSkips bounds the reasons reported for one page's skipped links. Links with further reasons are
// counted under the last one.
const maxSkips = 10

// skippedLinks count the links of a page that are not followed.
type skippedLinks []skippedLink

type skippedLink struct {
	reason  string
	n       int
	example string
}

func (s *skippedLinks) count(reason, url string) {
	for i := range *s {
		if p := &(*s)[i]; p.reason == reason || i == maxSkips-1 {
			p.n++
			return
		}
	}
	*s = append(*s, skippedLink{reason, 1, url})
}

// lines returns one line for each reason, nil if nothing was skipped.
func (s skippedLinks) lines() (lines []string) {
	for _, p := range s {
		lines = append(lines, fmt.Sprintf("%s: %d, such as %s", p.reason, p.n, p.example))
	}
	return lines
}

// hostOf returns the host a page answered from.
func hostOf(a Arrival) webgraph.Host { return webgraph.HostOf(a.URL()) }

// DefaultAgent is the product token by which sites know this crawler.
const DefaultAgent = "EventSeer"

// A Rel is the treatment of links that a page marks rel=nofollow, ugc or sponsored. The mark is
// about a search engine's credit, not about access: wikis mark all links to other sites.
type Rel string

// The treatments of links that an attribute rel marks.
const (
	RelFollow Rel = "follow" // followed like any other link; the zero value has this meaning too
	RelLast   Rel = "last"   // followed after all other links
	RelSkip   Rel = "skip"   // they are not followed
)

// relPenalty is subtracted from a link's score, so that it comes after all scores of a strategy.
const relPenalty = 1000

// robotsDirectives returns the robots directives of a page, or the zero value if the crawl ignores directives.
func (c *Crawler) robotsDirectives(t *tagtree.Tree) webgraph.Directives {
	if c.o.IgnoreDirectives || t == nil {
		return webgraph.Directives{}
	}
	return webgraph.ParseDirectives(c.o.Agent, t.Page.Header.Values("X-Robots-Tag"), t.RobotsMeta(c.o.Agent))
}

// permittedLinks returns the links of a verdict that the page's directives allow to follow. A page
// cannot forbid links of other pages for which it was a sample.
func (s *linkSelection) permittedLinks(cs []Candidate) []Candidate {
	all := s.directives.NoFollow
	rel := s.o.Rel == RelLast || s.o.Rel == RelSkip
	if s.page.Tree == nil || !all && !rel {
		return cs
	}
	marked := s.markedTargets()
	kept := make([]Candidate, 0, len(cs))
	for _, c := range cs {
		switch own := c.Parent == "" || c.Parent == s.page.URL() || c.Parent == s.page.Tree.Page.URL; {
		case own && all:
			s.skips.count("nofollow: the page asks crawlers not to follow its links", c.URL)
			continue
		case own && marked[c.URL] && s.o.Rel == RelSkip:
			s.skips.count("nofollow: the link is marked with it", c.URL)
			continue
		case own && marked[c.URL] && s.o.Rel == RelLast:
			c.Score = s.page.Lease.clampScore(c.Score) - relPenalty
		}
		kept = append(kept, c)
	}
	return kept
}

// markedTargets returns the targets of which the page marks every link.
func (s *linkSelection) markedTargets() map[string]bool {
	marked := map[string]bool{}
	for _, l := range s.page.Tree.Links() {
		before, seen := marked[l.Target]
		marked[l.Target] = l.NoFollow && (before || !seen)
	}
	return marked
}

func (r Rel) validate() error {
	if !slices.Contains([]Rel{"", RelFollow, RelLast, RelSkip}, r) {
		return fmt.Errorf("rel %q is not %s, %s or %s", r, RelFollow, RelLast, RelSkip)
	}
	return nil
}

// addCanonical adds the canonical address that a page states (RFC 6596) as its last link. Only
// addresses on the same host are used. The address is fetched like any other; if it has the same
// text, the two pages are duplicates. It comes last because its content is probably known already.
func (s *linkSelection) addCanonical() {
	a := s.page
	if a.Tree == nil {
		return
	}
	to := a.Tree.Canonical()
	if to == "" || to == a.Lease.URL || to == a.URL() || webgraph.HostOf(to) != hostOf(a) {
		return
	}
	s.push([]Candidate{{URL: to, Score: s.scoreAfterOwnLinks(), Anchor: a.Lease.Anchor}}, Forward)
}
