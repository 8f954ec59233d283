package crawler

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// A committer commits pages in order of arrival. The first worker to arrive commits for all that
// arrived since the last commit, in one transaction, so that many pages share one disk write. It
// waits until half of the workers have arrived, unless no page is in progress.
type committer struct {
	turn   chan struct{} // full during a commit
	more   chan struct{} // has a value if enough steps may be waiting for a commit
	quorum int

	mu      sync.Mutex // guards below
	waiting []*pendingCommit
	working int // pages in progress that have not reached the commit
}

// maxLinger is the longest a committer waits for further pages.
const maxLinger = 5 * time.Millisecond

func newCommitter(workers int) *committer {
	return &committer{turn: make(chan struct{}, 1), more: make(chan struct{}, 1), quorum: min(workers/2, maxBatch)}
}

// A pendingCommit is a step that waits for its commit.
type pendingCommit struct {
	r    *pageResult
	done chan struct{} // closed when err is set
	err  error
}

// maxBatch bounds the pages of one transaction.
const maxBatch = 256

// countInProgress counts a page in progress, whose commit will follow.
func (q *committer) countInProgress() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.working++
}

// addPending adds a step to those waiting for a commit.
func (q *committer) addPending(e *pendingCommit) {
	q.mu.Lock()
	q.working--
	q.waiting = append(q.waiting, e)
	q.mu.Unlock()
	select {
	case q.more <- struct{}{}:
	default:
	}
}

// commitPage ends the lease of a page and returns when it is on disk.
func (c *Crawler) commitPage(ctx context.Context, r *pageResult) error {
	e, q := &pendingCommit{r: r, done: make(chan struct{})}, c.committer
	q.addPending(e)
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
		q.waitForBatch()
		batch := q.takeOldest()
		err := c.commitBatch(ctx, batch)
		for _, b := range batch {
			b.err = err
			close(b.done)
		}
	}
}

// waitForBatch waits until enough steps are waiting for a commit.
func (q *committer) waitForBatch() {
	if q.isBatchFull() {
		return
	}
	timer := time.NewTimer(maxLinger)
	defer timer.Stop()
	for !q.isBatchFull() {
		select {
		case <-q.more:
		case <-timer.C:
			return
		}
	}
}

func (q *committer) isBatchFull() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting) >= q.quorum || q.working == 0
}

// takeOldest removes the steps that have waited longest.
func (q *committer) takeOldest() []*pendingCommit {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.waiting), maxBatch)
	batch := q.waiting[:n:n]
	q.waiting = q.waiting[n:]
	return batch
}

// commitBatch stores the links of some steps, reports each step to the observer, and ends the leases. All
// of it may be repeated after a crash.
func (c *Crawler) commitBatch(ctx context.Context, batch []*pendingCommit) error {
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
	told := make([]StepRecord, 0, len(batch))
	ends := make([]End, 0, len(batch))
	for _, e := range batch {
		r := e.r
		r.arrival.Outcome.Notes = append(r.arrival.Outcome.Notes, c.updateMemory(r)...)
		n = n.afterStep(r.arrival, r.verdict, r.query, r.failed, c.o.MinHarvest.Window)
		told = append(told, StepRecord{N: n.Steps, Arrival: r.arrival, Verdict: r.verdict, Asked: r.query})
		ends = append(ends, End{Lease: r.arrival.Lease, Outcome: r.arrival.Outcome, Changes: r.changes})
	}
	if c.o.Observer != nil {
		if err := c.o.Observer.ObservePages(told); err != nil {
			return err
		}
	}
	note, err := n.encodeNote(c.o.Tally)
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
	c.tally.update(n, progress)
	return nil
}

// A Ranker is a Strategy that can score the backlinks of a page from the verdict of an earlier part
// of the crawl alone. Without one every source has the score of the page's Relevance.
type Ranker interface {
	Strategy
	// Rank returns what v.Backward would have returned. Of v, the fields Relevance, TopicScore and
	// Back are set.
	Rank(url string, v Verdict, links []webgraph.Link) ([]Candidate, []Note)
}

// owedPrefix begins the keys of notes about pending backlink queries; the lease's URL follows.
const owedPrefix = "crawler/owed/"

// A pendingBacklinks is a backlink query that the budget did not allow yet.
type pendingBacklinks struct {
	URL        string  `json:"url"` // that answered
	Relevance  float64 `json:"relevance"`
	TopicScore float64 `json:"topic_score,omitempty"`
	Back       int     `json:"back"`
	Depth      int     `json:"depth"`
}

// pendingQueries are the pending queries, by the URL of the lease. They are safe for concurrent use.
type pendingQueries struct {
	mu   sync.Mutex // guards owed
	owed map[string]pendingBacklinks
}

// restore reads notes.
func (d *pendingQueries) restore(notes []Note) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.owed = map[string]pendingBacklinks{}
	for _, n := range notes {
		var o pendingBacklinks
		if err := json.Unmarshal(n.Value, &o); err != nil {
			return fmt.Errorf("note %s: %w", n.Key, err)
		}
		d.owed[strings.TrimPrefix(n.Key, owedPrefix)] = o
	}
	return nil
}

// removePending removes and returns the pending query of a lease.
func (d *pendingQueries) removePending(url string) (pendingBacklinks, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	o, ok := d.owed[url]
	delete(d.owed, url)
	return o, ok
}

// linksToReclaim returns links that make the frontier lease the pages with pending queries again, before
// all others.
func (d *pendingQueries) linksToReclaim() []Candidate {
	d.mu.Lock()
	defer d.mu.Unlock()
	var cs []Candidate
	for _, url := range slices.Sorted(maps.Keys(d.owed)) {
		cs = append(cs, Candidate{URL: url, Score: MaxScore, Depth: d.owed[url].Depth, How: Monitor})
	}
	return cs
}

// pendingBacklinksNote returns the note that the page's backlinks are still to be queried. A crawl that
// continues with a larger budget does that first.
func pendingBacklinksNote(a Arrival, v Verdict) []Note {
	value, err := json.Marshal(pendingBacklinks{URL: a.URL(), Relevance: v.Relevance, TopicScore: v.TopicScore, Back: v.Back, Depth: a.Lease.Depth})
	if err != nil { // strings and finite numbers always encode
		return nil
	}
	return []Note{{Key: owedPrefix + a.Lease.URL, Value: value}}
}

// runPendingBacklinks runs the pending backlink query for a page of an earlier part of the crawl. The page is
// not fetched again.
func (c *Crawler) runPendingBacklinks(ctx context.Context, l Lease, d pendingBacklinks, held *reservation) *pageResult {
	a := Arrival{Lease: l, Outcome: Outcome{
		Fate: Unchanged, At: c.o.Now(), Unasked: true, Reason: "not fetched again: only its backlinks were queried",
		Digest: l.Digest, ETag: l.ETag, LastModified: l.LastModified,
	}}
	if d.URL != l.URL {
		a.Outcome.FinalURL = d.URL
	}
	v := Verdict{Relevance: d.Relevance, TopicScore: d.TopicScore, Back: d.Back}
	known := v
	if r, ok := c.o.Strategy.(Ranker); ok {
		v.Backward = func(links []webgraph.Link) ([]Candidate, []Note) { return r.Rank(d.URL, known, links) }
	}
	links := &linkSelection{Crawler: c, page: a}
	back := c.queryBacklinks(ctx, a, v, held)
	links.push(back.sources, Back)
	a.Outcome.Cost += back.cost()
	a.Outcome.Notes = append([]Note{{Key: owedPrefix + l.URL}}, back.notes...)
	a.Outcome.Skipped = links.skips.lines()
	return &pageResult{arrival: a, verdict: v, query: back.query, changes: Changes{Push: links.pushed}}
}
