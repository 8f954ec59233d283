package crawler

import (
	"context"
	"sync"
)

// A purse is the budget of a run. Workers reserve pages before they fetch and report the pages
// spent afterwards, so the sum never exceeds the limit.
type purse struct {
	limit float64 // 0 means none

	mu      sync.Mutex // guards below
	spent   float64
	held    float64
	holders int
	freed   *sync.Cond // another goroutine refunded
}

func newPurse(limit float64) *purse {
	p := &purse{limit: limit}
	p.freed = sync.NewCond(&p.mu)
	return p
}

// open sets the number of pages that earlier parts of the run have spent.
func (p *purse) open(spent float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spent = spent
}

// reserve reserves one page. If other workers have reserved the rest of the budget, it waits,
// because they may not use all of it. It returns false when the budget is spent or ctx ends.
func (p *purse) reserve(ctx context.Context) bool {
	stop := context.AfterFunc(ctx, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.freed.Broadcast()
	})
	defer stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for ctx.Err() == nil {
		if p.fits(1) {
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

// extend adds pages to an existing reservation and reports whether the budget allows it. It does
// not wait.
func (p *purse) extend(pages float64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.fits(pages) {
		return false
	}
	p.held += pages
	return true
}

// A reservation is the part of the budget that one worker has reserved.
type reservation struct {
	purse *purse
	pages float64
}

// extendTo extends the reservation to the given number of pages and reports whether the budget
// allows it.
func (r *reservation) extendTo(pages float64) bool {
	more := pages - r.pages
	if more <= 0 {
		return true
	}
	if !r.purse.extend(more) {
		return false
	}
	r.pages += more
	return true
}

// settleSpent ends the reservation: the pages spent are deducted, the rest is available again.
func (r *reservation) settleSpent(spent float64) { r.purse.settleSpent(r.pages, spent) }

// settleSpent releases the pages that one worker had reserved and deducts those it spent.
func (p *purse) settleSpent(held, spent float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spent += spent
	p.held -= held
	if p.holders--; p.holders == 0 {
		p.held = 0 // no rest of rounding
	}
	p.freed.Broadcast()
}

// has reports whether the budget has the given number of pages left.
func (p *purse) has(pages float64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fits(pages)
}

func (p *purse) fits(pages float64) bool {
	return p.limit == 0 || p.spent+p.held+pages <= p.limit
}
