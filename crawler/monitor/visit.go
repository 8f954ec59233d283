package monitor

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// A Fetcher requests sources with the validators of the stored version if the frontier has the same
// one. Otherwise it requests unconditionally, because a 304 would leave nothing to compare after a
// crawl without a stored version, or after a visit whose new links were lost in a crash.
type Fetcher struct {
	crawler.Wrapped
	DB *DB
}

// Fetch implements crawler.Fetcher.
func (f Fetcher) Fetch(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	s, ok, err := f.DB.Source(r.URL)
	if err != nil {
		return nil, &crawler.FetchError{URL: r.URL, Fate: crawler.TryLater, Unasked: true, Err: err}
	}
	if ok && (r.ETag != s.ETag || r.LastModified != s.LastModified) {
		r.ETag, r.LastModified = "", ""
	}
	return f.Wrapped.Fetch(ctx, r)
}

// A Frontier leases the due sources and the new links found on them. It needs one with the floor
// Floor, and pushes due sources when that is drained: once, or as long as the run lasts. It is safe
// for concurrent use.
type Frontier struct {
	crawler.Frontier
	DB   *DB
	Plan Plan
	// Most is the maximum number of sources to push. Zero means all due ones.
	Most int
	// Stay makes Next wait for the next source to be due instead of ending the run, as long as it
	// returns true. Nil never waits.
	Stay func() bool
	// Woken returns a channel that is closed when Stay or the frontier below may have changed. Nil:
	// they are checked when a source is due, and every minute.
	Woken func() <-chan struct{}
	// Patience is how long Next waits for a resting host before it ends a run without Stay. The
	// next run visits the waiting links. Zero means no limit.
	Patience time.Duration
	// Ours selects the sources visited here. Others are pushed when due, to a frontier that passes
	// them on, and then removed here. Nil means all.
	Ours func(url string) bool
	// Now is the clock for due times. Nil means time.Now.
	Now func() time.Time
	// Pushed receives how many sources were due. It may be nil.
	Pushed func(n int)

	mu     sync.Mutex // guards the fields below; held while sources are pushed
	passes int
	next   time.Time            // time of the next check for due sources
	pushed map[string]time.Time // last visit of each source when it was pushed
}

// Next implements crawler.Frontier.
func (f *Frontier) Next(ctx context.Context) (crawler.Lease, error) {
	for {
		f.mu.Lock()
		passes := f.passes
		f.mu.Unlock()
		var woken <-chan struct{}
		if f.Woken != nil {
			woken = f.Woken()
		}
		if passes > 0 {
			l, err := f.nextLink(ctx)
			if !errors.Is(err, crawler.ErrDrained) {
				return l, err
			}
		}
		wait, err := f.pushDue(ctx, passes)
		if err != nil {
			return crawler.Lease{}, err
		}
		if err := sleep(ctx, wait, woken); err != nil {
			return crawler.Lease{}, err
		}
	}
}

// nextLink returns the next link of the frontier below, which is drained after Patience.
func (f *Frontier) nextLink(ctx context.Context) (crawler.Lease, error) {
	if f.Patience <= 0 || f.Stay != nil {
		return f.Frontier.Next(ctx)
	}
	patient, cancel := context.WithTimeout(ctx, f.Patience)
	defer cancel()
	l, err := f.Frontier.Next(patient)
	if err != nil && patient.Err() != nil && ctx.Err() == nil {
		return l, crawler.ErrDrained
	}
	return l, err
}

// longestWait is the maximum time between checks for due sources, because the operator may have
// added one.
const longestWait = time.Minute

// pushDue pushes the due sources, unless another goroutine has since pass seen. It returns how long to
// wait if none was due.
func (f *Frontier) pushDue(ctx context.Context, seen int) (wait time.Duration, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.passes != seen {
		return 0, nil
	}
	if stay := f.Stay != nil && f.Stay(); f.passes > 0 && !stay || f.Most > 0 && len(f.pushed) >= f.Most {
		return 0, crawler.ErrDrained
	}
	if wait := f.next.Sub(f.now()); wait > 0 {
		return wait, nil
	}
	planned, err := f.DB.Plan(f.Plan)
	if err != nil {
		return 0, err
	}
	due, next := f.dueSources(planned)
	if len(due) == 0 && f.passes > 0 {
		f.next = f.now().Add(next)
		return next, nil
	}
	f.passes++
	if f.Pushed != nil {
		f.Pushed(len(due))
	}
	if err := f.Frontier.Push(ctx, due); err != nil {
		return 0, err
	}
	return 0, f.removePushed(due)
}

// removePushed removes the pushed sources that another crawler visits from now on.
func (f *Frontier) removePushed(pushed []crawler.Candidate) error {
	if f.Ours == nil {
		return nil
	}
	for _, c := range pushed {
		if !f.Ours(c.URL) {
			if _, err := f.DB.Remove(c.URL); err != nil {
				return err
			}
		}
	}
	return nil
}

// dueSources returns the due sources, the longest due first, and the time until the next one. A pushed
// source not visited since, because its host does not respond, waits in the frontier and is not
// pushed again.
func (f *Frontier) dueSources(planned []Planned) (due []crawler.Candidate, next time.Duration) {
	if f.pushed == nil {
		f.pushed = map[string]time.Time{}
	}
	now := f.now()
	next = longestWait
	for i, p := range planned {
		last, pushed := f.pushed[p.URL]
		switch waits := p.At.Sub(now); {
		case pushed && last.Equal(p.Source.Last().At):
		case waits > 0:
			next = min(next, waits)
		case f.Most == 0 || len(f.pushed) < f.Most:
			f.pushed[p.URL] = p.Source.Last().At
			score := Floor + 1/float64(2+i)
			due = append(due, crawler.Candidate{URL: p.URL, Score: score, How: crawler.Monitor, Why: p.Why})
		}
	}
	return due, max(next, time.Second)
}

func (f *Frontier) now() time.Time {
	if f.Now == nil {
		return time.Now()
	}
	return f.Now()
}

// sleep waits for a time, or until it is woken.
func sleep(ctx context.Context, d time.Duration, woken <-chan struct{}) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-woken:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
