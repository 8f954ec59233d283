package crawler

import (
	"context"
	"sync"
)

// A pageBudget is the budget of a run. Workers reserve pages before they fetch and report the pages
// spent afterwards, so the sum never exceeds the limit.
type pageBudget struct {
	limit float64 // 0 means none

	mu      sync.Mutex // guards below
	spent   float64
	held    float64
	holders int
	freed   *sync.Cond // another goroutine refunded
}

func newPageBudget(limit float64) *pageBudget {
	p := &pageBudget{limit: limit}
	p.freed = sync.NewCond(&p.mu)
	return p
}

// setSpent sets the number of pages that earlier parts of the run have spent.
func (p *pageBudget) setSpent(spent float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spent = spent
}

// reservePage reserves one page. If other workers have reserved the rest of the budget, it waits,
// because they may not use all of it. It returns false when the budget is spent or ctx ends.
func (p *pageBudget) reservePage(ctx context.Context) bool {
	stop := context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.freed.Broadcast()
	})
	defer stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for ctx.Err() == nil {
		if p.hasUnreserved(1) {
			p.held++
			p.holders++
			return true
		}
		if p.holders == 0 {
			return false
		}
		p.freed.Wait()
	}
	return false
}

// extendReservation adds pages to an existing reservation and reports whether the budget allows it. It does
// not wait.
func (p *pageBudget) extendReservation(pages float64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.hasUnreserved(pages) {
		return false
	}
	p.held += pages
	return true
}

// A reservation is the part of the budget that one worker has reserved.
type reservation struct {
	budget *pageBudget
	pages  float64
}

// extendTo extends the reservation to the given number of pages and reports whether the budget
// allows it.
func (r *reservation) extendTo(pages float64) bool {
	more := pages - r.pages
	if more <= 0 {
		return true
	}
	if !r.budget.extendReservation(more) {
		return false
	}
	r.pages += more
	return true
}

// release ends the reservation: the pages spent are deducted, the rest is available again.
func (r *reservation) release(spent float64) { r.budget.releaseReserved(r.pages, spent) }

// releaseReserved releases the pages that one worker had reserved and deducts those it spent.
func (p *pageBudget) releaseReserved(held, spent float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spent += spent
	p.held -= held
	if p.holders--; p.holders == 0 {
		p.held = 0 // no rest of rounding
	}
	p.freed.Broadcast()
}

// hasLeft reports whether the budget has the given number of pages left.
func (p *pageBudget) hasLeft(pages float64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.hasUnreserved(pages)
}

func (p *pageBudget) hasUnreserved(pages float64) bool {
	return p.limit == 0 || p.spent+p.held+pages <= p.limit
}
