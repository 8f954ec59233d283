package crawler

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"eventseer/webgraph"
)

// Seed pushes the pages a crawl starts from, in order, and returns those that
// are no URL of the web or out of scope. Seeds pushed before are left alone, so
// a resumed crawl may seed again.
func (c *Crawler) Seed(ctx context.Context, urls []string) (rejected []string, err error) {
	var seeds []Candidate
	for _, raw := range urls {
		url, err := webgraph.Canonical(raw)
		if err != nil || c.refusal(url, Seed) != "" {
			rejected = append(rejected, raw)
			continue
		}
		seeds = append(seeds, Candidate{URL: url, Score: MaxScore, How: Seed})
	}
	return rejected, c.o.Frontier.Push(ctx, seeds)
}

// Run crawls until the budget is spent, the frontier is drained, or one of the
// other limits is met; Stats.Reason says which. When ctx ends, the pages in
// hand are finished and committed and ctx's error is returned: such a run, and
// one that was killed, goes on where it stopped when Run is called again with
// the same frontier.
//
// What goes wrong with one page is recorded in its outcome and never ends a
// run; an error of frontier, link store or observer does. Run returns when all
// its goroutines have ended. It is called once.
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

// resume takes up the state that earlier parts of the crawl have committed.
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

// work is one worker: it takes pages until halt ends and returns why it went.
func (c *Crawler) work(ctx, halt context.Context, stop context.CancelCauseFunc) error {
	// The page in hand is finished even when ctx ends; fetches have limits of
	// their own.
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
			c.purse.settle(1, 0)
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
	}
}

// ended turns the causes of the end into Run's results.
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

// reasonOf cuts what is said for people.
func reasonOf(what string, err error) string {
	const most = 300
	s := strings.ToValidUTF8(what+": "+err.Error(), "?")
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "")
	}
	return s
}
