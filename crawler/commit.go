package crawler

import (
	"context"
	"sync"
	"time"

	"eventseer/webgraph"
)

// A committer ends pages in the order they come. Whoever is first commits for
// all that came meanwhile, in one transaction: the more workers, the more pages
// share what a disk takes to write. For that it lingers until half of the workers
// wait, unless no page is on its way.
type committer struct {
	turn   chan struct{} // full while somebody commits
	more   chan struct{} // full if it may be worth another look whether enough wait
	quorum int

	mu      sync.Mutex // guards below
	waiting []*ending
	working int // pages in hand that do not wait yet
}

// maxLinger is the longest a committer waits for company.
const maxLinger = 5 * time.Millisecond

func newCommitter(workers int) *committer {
	return &committer{turn: make(chan struct{}, 1), more: make(chan struct{}, 1), quorum: min(workers/2, maxBatch)}
}

// An ending is a step that waits to be committed.
type ending struct {
	r    *pageResult
	done chan struct{} // closed when err is set
	err  error
}

// maxBatch bounds the pages of one transaction.
const maxBatch = 256

// begin counts a page in hand, whose commit will follow.
func (q *committer) begin() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.working++
}

// join adds a step to those that wait.
func (q *committer) join(e *ending) {
	q.mu.Lock()
	q.working--
	q.waiting = append(q.waiting, e)
	q.mu.Unlock()
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// commit ends the lease of a page and returns when that is on disk.
func (c *Crawler) commit(ctx context.Context, r *pageResult) error {
	e, q := &ending{r: r, done: make(chan struct{})}, c.committer
	q.join(e)
	select {
	case <-e.done:
		return e.err
	case q.turn <- struct{}{}:
	}
	defer func() { <-q.turn }()
	for {
		select {
		case <-e.done:
			return e.err
		default:
		}
		q.linger()
		batch := q.take()
		err := c.end(ctx, batch)
		for _, b := range batch {
			b.err = err
			close(b.done)
		}
	}
}

// linger waits until a commit is worth its price.
func (q *committer) linger() {
	if q.enough() {
		return
	}
	timer := time.NewTimer(maxLinger)
	defer timer.Stop()
	for !q.enough() {
		select {
		case <-q.more:
		case <-timer.C:
			return
		}
	}
}

func (q *committer) enough() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) >= q.quorum || q.working == 0
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
		if tree := e.r.arrival.Tree; tree != nil {
			links = append(links, tree.Links()...)
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
		r := e.r
		r.arrival.Outcome.Notes = append(r.arrival.Outcome.Notes, c.learn(r)...)
		n = n.next(r.arrival, r.verdict, r.asked, r.failed, c.o.MinHarvest.Window)
		told = append(told, Told{N: n.Steps, Arrival: r.arrival, Verdict: r.verdict, Asked: r.asked})
		ends = append(ends, End{Lease: r.arrival.Lease, Outcome: r.arrival.Outcome, Changes: r.changes})
	}
	if c.o.Observer != nil {
		if err := c.o.Observer.Arrived(told); err != nil {
			return err
		}
	}
	note, err := n.note(c.o.Tally)
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
