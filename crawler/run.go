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

// Seed pushes the URLs that a crawl starts from, in order, and returns those that are not URLs of
// the web or out of scope. Seeds pushed before are unchanged, so a resumed crawl may seed again.
func (c *Crawler) Seed(ctx context.Context, urls []string) (rejected []string, err error) {
	var seeds []Candidate
	for _, raw := range urls {
		url, err := webgraph.Canonical(raw)
		if err != nil || c.refusal(url, Seed) != "" {
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
	if err := c.resume(ctx); err != nil {
		c.tally.end(Broken)
		return c.Stats(), fmt.Errorf("crawl: %w", err)
	}
	halt, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	if c.o.MaxTime > 0 {
		limited, cancel := context.WithTimeoutCause(halt, c.o.MaxTime, halted{TimeUp})
		defer cancel()
		halt = limited
	}
	if r := c.tally.enough(); r != "" {
		stop(halted{r})
	}
	ends := make([]error, c.o.Workers)
	var wg sync.WaitGroup
	for i := range ends {
		wg.Go(func() {
			ends[i] = c.work(ctx, halt, stop)
			stop(ends[i])
		})
	}
	wg.Wait()
	return c.ended(ctx, context.Cause(halt), ends)
}

// resume restores the state that earlier parts of the crawl have committed.
func (c *Crawler) resume(ctx context.Context) error {
	progress, err := c.o.Frontier.Progress(ctx)
	if err != nil {
		return err
	}
	kept, err := recall(ctx, c.o.Frontier, c.o.Tally)
	if err != nil {
		return err
	}
	c.purse.open(kept.Spent)
	c.tally.open(kept.counts, progress, c.o.Now())
	if err := errors.Join(c.memory.recall(kept.runs), c.debts.recall(kept.debts)); err != nil {
		return err
	}
	if r, ok := c.o.Strategy.(Rememberer); ok {
		if err := r.Recall(kept.strategy); err != nil {
			return err
		}
	}
	if c.o.Backlinker == nil || !c.purse.has(max(1, MaxCalls*c.o.BacklinkCost)) {
		return nil
	}
	return c.o.Frontier.Push(ctx, c.debts.claims())
}

// work runs one worker: it processes pages until halt ends and returns the cause.
func (c *Crawler) work(ctx, halt context.Context, stop context.CancelCauseFunc) error {
	// The current page is finished even if ctx ends; fetches have their own time limits.
	inHand := context.WithoutCancel(ctx)
	for {
		if !c.purse.reserve(halt) {
			if halt.Err() != nil {
				return context.Cause(halt)
			}
			return halted{BudgetSpent}
		}
		l, err := c.o.Frontier.Next(halt)
		if err != nil {
			c.purse.settleSpent(1, 0)
			switch {
			case errors.Is(err, ErrDrained):
				return halted{Drained}
			case halt.Err() != nil:
				return context.Cause(halt)
			}
			return fmt.Errorf("next page: %w", err)
		}
		if err := c.step(inHand, l); err != nil {
			return fmt.Errorf("%s: %w", l.URL, err)
		}
		if r := c.tally.enough(); r != "" {
			stop(halted{r})
		}
		if c.outage.isLikely(c.o.Outage) {
			stop(halted{Offline})
		}
	}
}

// ended converts the causes of the end into the results of Run.
func (c *Crawler) ended(ctx context.Context, cause error, ends []error) (Stats, error) {
	var h halted
	for _, err := range ends {
		if !errors.As(err, &h) && err != context.Cause(ctx) {
			c.tally.end(Broken)
			return c.Stats(), fmt.Errorf("crawl: %w", err)
		}
	}
	if errors.As(cause, &h) {
		c.tally.end(h.reason)
		return c.Stats(), nil
	}
	c.tally.end(Interrupted)
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

// halted wraps a Reason as the cause of a cancelled context.
type halted struct{ reason Reason }

func (h halted) Error() string { return "crawl ended: " + string(h.reason) }

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

// next returns the counts after one more step.
func (n counts) next(a Arrival, v Verdict, asked *Asked, failed bool, window int) counts {
	n.Steps++
	n.Spent += a.Outcome.Cost
	if failed {
		n.Failed++
	}
	if asked != nil {
		n.Asked++
	}
	if !a.Paid() {
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

func (n counts) note(tally string) (Note, error) {
	value, err := json.Marshal(n)
	return Note{Key: tallyKey(tally), Value: value}, err
}

// Committed returns how many ends of leases f has committed for runs with this Options.Tally, and
// the pages of budget they spent. n equals the N of the last committed Observer call.
func Committed(ctx context.Context, f Frontier, tally string) (n int, spent float64, err error) {
	kept, err := recall(ctx, f, tally)
	return kept.Steps, kept.Spent, err
}

// recalled are the notes of a frontier, separated by owner.
type recalled struct {
	counts
	runs, debts, strategy []Note
}

// recall reads the crawler's own notes and those of the strategy.
func recall(ctx context.Context, f Frontier, tally string) (r recalled, err error) {
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

// A tally provides the counts to readers while the crawl runs.
type tally struct {
	o Options

	mu       sync.Mutex // guards below
	n        counts
	progress Progress
	started  time.Time
	before   int // pages of earlier parts
	reason   Reason
}

func newTally(o Options) *tally { return &tally{o: o} }

func (t *tally) open(n counts, p Progress, now time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n, t.progress, t.started, t.before = n, p, now, n.Pages
}

func (t *tally) counts() counts {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.n
}

func (t *tally) set(n counts, p Progress) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n, t.progress = n, p
}

func (t *tally) end(r Reason) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.reason = r
}

// enough returns the reason to stop that follows from the counts, or "".
func (t *tally) enough() Reason {
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
