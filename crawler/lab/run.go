package lab

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"
)

// ScoreCell measures one cell by its record.
func (e *Experiment) ScoreCell(c Cell, record Record) (Run, error) {
	return newTargetScorer(e).scoreCell(c, record)
}

// TotalValue returns the value of all targets: their number, if Values is zero.
func (e *Experiment) TotalValue() float64 {
	p := newValueSum(e.Values)
	for _, t := range e.Targets {
		p.add(t)
	}
	return p.sum
}

// Run runs the cells of an experiment, several at a time, and returns their results in the order of
// Cells. A failed cell does not end it: errors are joined and returned after all others are
// complete. When ctx ends, the running cells stop; Crawl has stored the complete ones.
func (e *Experiment) Run(ctx context.Context) ([]Run, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	cells := e.Cells()
	runs := make([]Run, len(cells))
	judge := newTargetScorer(e)
	failed := make([]error, len(cells))
	var mu sync.Mutex // guards done, failed and Progress
	done := 0
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(max(1, e.Parallel))
	for i, c := range cells {
		group.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			record, err := e.Crawl(ctx, c)
			if err == nil {
				runs[i], err = judge.scoreCell(c, record)
			}
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed[i] = fmt.Errorf("%s: %w", c.Name(), err)
				return ctx.Err()
			}
			done++
			if e.Progress != nil {
				e.Progress(done, len(cells), runs[i])
			}
			return nil
		})
	}
	return runs, errors.Join(append(failed, group.Wait())...)
}
