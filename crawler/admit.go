package crawler

import (
	"context"
	"fmt"

	"eventseer/webgraph"
)

// refusal says why a canonical URL is not asked for, "" if it may be. It is put
// to every link before it goes into the frontier, and again when it is leased:
// meanwhile a list may have changed or a trap shown itself. Seeds and pages that
// are visited again are never taken for a trap.
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

// maxSkips bounds the reasons that one page's skipped links are told by; those
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

// hostOf is the host a page answered from.
func hostOf(a Arrival) webgraph.Host { return webgraph.HostOf(a.URL()) }
