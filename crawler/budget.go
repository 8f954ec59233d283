package crawler

import (
	"context"
	"sync"
)

// A purse is the budget of a run. Workers put pages aside before they fetch
// and settle afterwards, so that the sum never goes above the limit.
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

// open sets what earlier parts of the run have spent.
func (p *purse) open(spent float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spent = spent
}

// reserve puts one page aside. If others hold the last of the budget it waits, for they may not
// need it. It returns false when the budget is spent, or when ctx ends.
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

// extend puts more aside for one who holds already, or reports that there is
// not enough. It does not wait.
func (p *purse) extend(pages float64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.fits(pages) {
		return false
	}
	p.held += pages
	return true
}

// A reservation is the part of the budget that one worker has put aside.
type reservation struct {
	purse *purse
	pages float64
}

// extendTo reserves more until it is the given number of pages, or reports that the budget has not
// enough left.
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

// settleSpent ends the reservation: what was spent is spent, the rest is free again.
func (r *reservation) settleSpent(spent float64) { r.purse.settleSpent(r.pages, spent) }

// settleSpent gives back all that one worker held and takes what was spent of it.
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

// has reports whether the given number of pages is left.
func (p *purse) has(pages float64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fits(pages)
}

func (p *purse) fits(pages float64) bool {
	return p.limit == 0 || p.spent+p.held+pages <= p.limit
}
