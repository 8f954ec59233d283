package crawler

import (
	"context"
	"sync"

	"eventseer/webgraph"
)

// A committer ends pages in the order they come. Whoever is first commits for
// all that came meanwhile, in one transaction: the more workers, the more pages
// share what a disk takes to write.
type committer struct {
	mu      sync.Mutex // guards waiting
	waiting []*ending
	turn    sync.Mutex // held by whoever commits
}

// An ending is a step that waits to be committed.
type ending struct {
	s    *step
	done bool
	err  error
}

// maxBatch bounds the pages of one transaction.
const maxBatch = 256

// commit ends a step's lease and returns when that is on disk.
func (c *Crawler) commit(ctx context.Context, s *step) error {
	e := &ending{s: s}
	c.committer.mu.Lock()
	c.committer.waiting = append(c.committer.waiting, e)
	c.committer.mu.Unlock()
	c.committer.turn.Lock()
	defer c.committer.turn.Unlock()
	for !e.done {
		batch := c.committer.take()
		err := c.end(ctx, batch)
		for _, b := range batch {
			b.done, b.err = true, err
		}
	}
	return e.err
}

// take removes the steps that have waited longest.
func (q *committer) take() []*ending {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.waiting), maxBatch)
	batch := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	return batch
}

// end keeps the links of some steps, tells the observer of each, and ends the
// leases. All of it may happen again after a crash.
func (c *Crawler) end(ctx context.Context, batch []*ending) error {
	var links []webgraph.Link
	for _, e := range batch {
		if e.s.a.Tree != nil {
			links = append(links, e.s.a.Tree.Links()...)
		}
	}
	if c.o.Links != nil && len(links) > 0 {
		if err := c.o.Links.Add(ctx, links); err != nil {
			return err
		}
	}
	n := c.tally.counts()
	told := make([]Told, 0, len(batch))
	ends := make([]End, 0, len(batch))
	for _, e := range batch {
		s := e.s
		n = n.next(s.a, s.v, s.asked, s.failed, c.o.MinHarvest.Window)
		told = append(told, Told{N: n.Steps, Arrival: s.a, Verdict: s.v, Asked: s.asked})
		ends = append(ends, End{Lease: s.a.Lease, Outcome: s.a.Outcome, Changes: s.changes})
	}
	if c.o.Observer != nil {
		if err := c.o.Observer.Arrived(told); err != nil {
			return err
		}
	}
	note, err := n.note()
	if err != nil {
		return err
	}
	last := &ends[len(ends)-1].Outcome
	last.Notes = append(last.Notes, note)
	if err := c.o.Frontier.Done(ctx, ends...); err != nil {
		return err
	}
	progress, err := c.o.Frontier.Progress(ctx)
	if err != nil {
		return err
	}
	c.tally.set(n, progress)
	return nil
}
