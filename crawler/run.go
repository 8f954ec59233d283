package crawler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// PushSeeds pushes the URLs that a crawl starts from, in order, and returns those that are not URLs of
// the web or out of scope. Seeds pushed before are unchanged, so a resumed crawl may seed again.
func (c *Crawler) PushSeeds(ctx context.Context, urls []string) (rejected []string, err error) {
	var seeds []Candidate
	for _, raw := range urls {
		url, err := webgraph.Canonical(raw)
		if err != nil || c.refusalReason(url, Seed) != "" {
			rejected = append(rejected, raw)
			continue
		}
		seed := Candidate{URL: url, Score: MaxScore, How: Seed}
		if c.o.SeedAgain > 0 {
			seed.Again = c.o.Now().Add(-c.o.SeedAgain)
		}
		seeds = append(seeds, seed)
	}
	return rejected, c.o.Frontier.Push(ctx, seeds)
}

// Run crawls until the budget is spent, the frontier is drained, or one of the other limits is met;
// Stats.Reason says which. When ctx ends, the pages in progress are finished and committed and
// ctx's error is returned. Such a run, and a killed one, continues when Run is called again with
// the same frontier.
//
// Errors of one page are recorded in its outcome and never end a run; errors of the frontier, link
// store or observer do. Run returns when all its goroutines have ended. It is called once.
func (c *Crawler) Run(ctx context.Context) (Stats, error) {
	if err := c.restoreState(ctx); err != nil {
		c.tally.setReason(Broken)
		return c.Stats(), fmt.Errorf("crawl: %w", err)
	}
	halt, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if c.o.MaxTime > 0 {
		limited, cancel := context.WithTimeoutCause(halt, c.o.MaxTime, haltError{TimeUp})
		defer cancel()
		halt = limited
	}
	if r := c.tally.stopReason(); r != "" {
		stop(haltError{r})
	}
	ends := make([]error, c.o.Workers)
	var wg sync.WaitGroup
	for i := range ends {
		wg.Go(func() {
			ends[i] = c.runWorker(ctx, halt, stop)
			stop(ends[i])
		})
	}
	wg.Wait()
	return c.resultsOf(ctx, context.Cause(halt), ends)
}

// restoreState restores the state that earlier parts of the crawl have committed.
func (c *Crawler) restoreState(ctx context.Context) error {
	progress, err := c.o.Frontier.Progress(ctx)
	if err != nil {
		return err
	}
	kept, err := recallNotes(ctx, c.o.Frontier, c.o.Tally)
	if err != nil {
		return err
	}
	c.budget.setSpent(kept.Spent)
	c.tally.start(kept.counts, progress, c.o.Now())
	if err := errors.Join(c.memory.restoreNotes(kept.runs), c.pendingQueries.restore(kept.debts)); err != nil {
		return err
	}
	if r, ok := c.o.Strategy.(Rememberer); ok {
		if err := r.RestoreNotes(kept.strategy); err != nil {
			return err
		}
	}
	if c.o.Backlinker == nil || !c.budget.hasLeft(max(1, MaxCalls*c.o.BacklinkCost)) {
		return nil
	}
	return c.o.Frontier.Push(ctx, c.pendingQueries.linksToReclaim())
}

// runWorker runs one worker: it processes pages until halt ends and returns the cause.
func (c *Crawler) runWorker(ctx, halt context.Context, stop context.CancelCauseFunc) error {
	// The current page is finished even if ctx ends; fetches have their own time limits.
	inHand := context.WithoutCancel(ctx)
	for {
		if !c.budget.reservePage(halt) {
			if halt.Err() != nil {
				return context.Cause(halt)
			}
			return haltError{BudgetSpent}
		}
		l, err := c.o.Frontier.Next(halt)
		if err != nil {
			c.budget.releaseReserved(1, 0)
			switch {
			case errors.Is(err, ErrDrained):
				return haltError{Drained}
			case halt.Err() != nil:
				return context.Cause(halt)
			}
			return fmt.Errorf("next page: %w", err)
		}
		if err := c.processPage(inHand, l); err != nil {
			return fmt.Errorf("%s: %w", l.URL, err)
		}
		if r := c.tally.stopReason(); r != "" {
			stop(haltError{r})
		}
		if c.outage.isLikely(c.o.Outage) {
			stop(haltError{Offline})
		}
	}
}

// resultsOf converts the causes of the end into the results of Run.
func (c *Crawler) resultsOf(ctx context.Context, cause error, ends []error) (Stats, error) {
	var h haltError
	for _, err := range ends {
		if !errors.As(err, &h) && err != context.Cause(ctx) {
			c.tally.setReason(Broken)
			return c.Stats(), fmt.Errorf("crawl: %w", err)
		}
	}
	if errors.As(cause, &h) {
		c.tally.setReason(h.reason)
		return c.Stats(), nil
	}
	c.tally.setReason(Interrupted)
	return c.Stats(), ctx.Err()
}

// reasonOf shortens an error for people.
func reasonOf(what string, err error) string {
	const most = 300
	s := strings.ToValidUTF8(what+": "+err.Error(), "?")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}

// A Reason is why a run ended.
type Reason string

// The reasons why a run ends.
const (
	BudgetSpent  Reason = "budget"
	Drained      Reason = "drained" // no link waits
	Interrupted  Reason = "interrupted"
	TimeUp       Reason = "time"
	FoundEnough  Reason = "found"
	HarvestSmall Reason = "harvest"
	Broken       Reason = "error"
	Offline      Reason = "offline" // see Options.Outage
)

// haltError wraps a Reason as the cause of a cancelled context.
type haltError struct{ reason Reason }

func (h haltError) Error() string { return "crawl ended: " + string(h.reason) }

// Stats are the figures of a crawl. They include earlier parts of a resumed crawl unless a field
// says otherwise.
type Stats struct {
	Steps   int           `json:"steps"`   // ends of leases
	Pages   int           `json:"pages"`   // responses that count against the budget
	Targets int           `json:"targets"` // pages that the strategy judged to be targets
	Asked   int           `json:"asked"`   // requests for backlinks
	Failed  int           `json:"failed"`  // pages that could not be judged or stored
	Spent   float64       `json:"spent"`   // pages of budget
	Hosts   int           `json:"hosts"`
	Clips   int           `json:"clips"`
	Waiting int           `json:"waiting"`
	Leased  int           `json:"leased"`
	Own     int           `json:"-"` // pages of this run only; Pages counts all runs with the same Options.Tally
	Elapsed time.Duration `json:"-"` // of this run alone
	Rate    float64       `json:"-"` // pages per second of this run only
	Reason  Reason        `json:"reason,omitempty"`
}

// HarvestRate is targets per page, 0 before the first page.
func (s Stats) HarvestRate() float64 {
	if s.Pages == 0 {
		return 0
	}
	return float64(s.Targets) / float64(s.Pages)
}

// tallyPrefix begins the keys of the notes that store the counts below; Options.Tally follows.
const tallyPrefix = "crawler/tally"

func tallyKey(name string) string {
	if name == "" {
		return tallyPrefix
	}
	return tallyPrefix + "/" + name
}

// counts are committed with every step, as a note.
type counts struct {
	Steps   int     `json:"steps"`
	Pages   int     `json:"pages"`
	Targets int     `json:"targets"`
	Asked   int     `json:"asked"`
	Failed  int     `json:"failed"`
	Spent   float64 `json:"spent"`
	Recent  []int   `json:"recent,omitempty"` // numbers of the pages within the harvest window that were targets
}

// afterStep returns the counts after one more step.
func (n counts) afterStep(a Arrival, v Verdict, query *BacklinkQuery, failed bool, window int) counts {
	n.Steps++
	n.Spent += a.Outcome.Cost
	if failed {
		n.Failed++
	}
	if query != nil {
		n.Asked++
	}
	if !a.CostsBudget() {
		return n
	}
	n.Pages++
	var recent []int
	for _, page := range n.Recent {
		if page > n.Pages-window {
			recent = append(recent, page)
		}
	}
	if v.Target {
		n.Targets++
		if window > 0 {
			recent = append(recent, n.Pages)
		}
	}
	n.Recent = recent
	return n
}

func (n counts) encodeNote(tally string) (Note, error) {
	value, err := json.Marshal(n)
	return Note{Key: tallyKey(tally), Value: value}, err
}

// CommittedEnds returns how many ends of leases f has committed for runs with this Options.Tally, and
// the pages of budget they spent. n equals the N of the last committed Observer call.
func CommittedEnds(ctx context.Context, f Frontier, tally string) (n int, spent float64, err error) {
	kept, err := recallNotes(ctx, f, tally)
	return kept.Steps, kept.Spent, err
}

// recalledNotes are the notes of a frontier, separated by owner.
type recalledNotes struct {
	counts
	runs, debts, strategy []Note
}

// recallNotes reads the crawler's own notes and those of the strategy.
func recallNotes(ctx context.Context, f Frontier, tally string) (r recalledNotes, err error) {
	err = f.Notes(ctx, func(note Note) error {
		switch {
		case note.Key == tallyKey(tally):
			r.Spent = -1
			if err := json.Unmarshal(note.Value, &r.counts); err != nil {
				return fmt.Errorf("note %s: %w", note.Key, err)
			}
		case strings.HasPrefix(note.Key, runPrefix):
			r.runs = append(r.runs, note)
		case strings.HasPrefix(note.Key, owedPrefix):
			r.debts = append(r.debts, note)
		case !strings.HasPrefix(note.Key, "crawler/"):
			r.strategy = append(r.strategy, note)
		}
		return nil
	})
	if err == nil && r.Spent < 0 { // a note from before tallies had names: all spending belongs to it
		var p Progress
		p, err = f.Progress(ctx)
		r.Spent = p.Spent
	}
	return r, err
}

// A sharedCounts provides the counts to readers while the crawl runs.
type sharedCounts struct {
	o Options

	mu       sync.Mutex // guards below
	n        counts
	progress Progress
	started  time.Time
	before   int // pages of earlier parts
	reason   Reason
}

func newSharedCounts(o Options) *sharedCounts { return &sharedCounts{o: o} }

func (t *sharedCounts) start(n counts, p Progress, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n, t.progress, t.started, t.before = n, p, now, n.Pages
}

func (t *sharedCounts) counts() counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}

func (t *sharedCounts) update(n counts, p Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n, t.progress = n, p
}

func (t *sharedCounts) setReason(r Reason) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reason = r
}

// stopReason returns the reason to stop that follows from the counts, or "".
func (t *sharedCounts) stopReason() Reason {
	n, h := t.counts(), t.o.MinHarvest
	switch {
	case t.o.UntilFound > 0 && n.Targets >= t.o.UntilFound:
		return FoundEnough
	case h.Rate > 0 && n.Pages >= h.Window && float64(len(n.Recent)) < h.Rate*float64(h.Window):
		return HarvestSmall
	}
	return ""
}

// Stats returns the figures of this moment. It is safe for concurrent use.
func (c *Crawler) Stats() Stats {
	t := c.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	s := Stats{
		Steps: t.n.Steps, Pages: t.n.Pages, Targets: t.n.Targets, Asked: t.n.Asked, Failed: t.n.Failed,
		Spent: t.n.Spent, Hosts: t.progress.Hosts, Clips: t.progress.Clips,
		Waiting: t.progress.Waiting, Leased: t.progress.Leased, Reason: t.reason,
		Own: t.n.Pages - t.before,
	}
	if !t.started.IsZero() {
		s.Elapsed = c.o.Now().Sub(t.started)
	}
	if s.Elapsed > 0 {
		s.Rate = float64(s.Own) / s.Elapsed.Seconds()
	}
	return s
}
