package monitor

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// A queue is a minimal frontier: it hands out each pushed link once.
type queue struct {
	crawler.Frontier
	waiting []crawler.Candidate
	pushes  int
}

func (q *queue) Push(_ context.Context, cs []crawler.Candidate) error {
	q.waiting = append(q.waiting, cs...)
	q.pushes++
	return nil
}

func (q *queue) Next(context.Context) (crawler.Lease, error) {
	if len(q.waiting) == 0 {
		return crawler.Lease{}, crawler.ErrDrained
	}
	c := q.waiting[0]
	q.waiting = q.waiting[1:]
	return crawler.Lease{Candidate: c}, nil
}

// TestFrontier checks that one pass pushes due links, as many as there is room for, and ends. A pass that
// stays waits for the next links, and does not push unvisited sources again.
func TestFrontier(t *testing.T) {
	const a, b = "https://a.example/", "https://b.example/"
	d := open(t, t.TempDir())
	for _, url := range []string{a, b} {
		if _, err := d.Add(url, Index, ByOperator); err != nil {
			t.Fatal(err)
		}
	}
	pass := func(f *Frontier) (urls []string) {
		for {
			l, err := f.Next(t.Context())
			if errors.Is(err, crawler.ErrDrained) {
				return urls
			}
			must(t, err)
			if l.Score < Floor || l.How != crawler.Monitor || l.Why != "never visited" {
				t.Errorf("lease: %+v", l)
			}
			urls = append(urls, l.URL)
		}
	}
	if diff := cmp.Diff([]string{a, b}, pass(&Frontier{Frontier: new(queue), DB: d})); diff != "" {
		t.Errorf("a pass (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{a}, pass(&Frontier{Frontier: new(queue), DB: d, Most: 1})); diff != "" {
		t.Errorf("a pass of one (-want +got):\n%s", diff)
	}
	synctest.Test(t, func(t *testing.T) {
		q, r := new(queue), &Recorder{DB: d}
		f := &Frontier{Frontier: q, DB: d, Stay: func() bool { return true }, Plan: Plan{Policy: Fixed{}, PerDay: 1}}
		start := time.Now()
		for i, want := range []struct {
			url   string
			after time.Duration
		}{{a, 0}, {b, 0}, {a, 48 * time.Hour}, {a, 96 * time.Hour}} {
			l, err := f.Next(t.Context())
			must(t, err)
			if took := time.Since(start); l.URL != want.url || took != want.after {
				t.Errorf("lease %d: %s after %v, want %s after %v", i, l.URL, took, want.url, want.after)
			}
			if l.URL == a { // b's host does not answer, and b waits
				must(t, r.ObservePages([]crawler.StepRecord{toldPage(t, a, htmlPage(a, "<p>Page", time.Now()), 200, time.Now())}))
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if _, err := f.Next(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("when the time is over: %v", err)
		}
		if q.pushes != 3 {
			t.Errorf("%d pushes, want 3", q.pushes)
		}
	})
	closed(t, d)
}

// A source of another crawler is pushed when it is due, for the frontier to pass on, and forgotten
// here. A pass that stays looks again when it is woken, and ends when it may.
func TestFrontierOfMany(t *testing.T) {
	const ours, theirs = "https://ours.example/", "https://theirs.example/"
	d := open(t, t.TempDir())
	for _, url := range []string{ours, theirs} {
		if _, err := d.Add(url, Index, ByOperator); err != nil {
			t.Fatal(err)
		}
	}
	synctest.Test(t, func(t *testing.T) {
		q := new(queue)
		var over atomic.Bool
		woken := make(chan struct{})
		f := &Frontier{
			Frontier: q, DB: d, Stay: func() bool { return !over.Load() }, Woken: func() <-chan struct{} { return woken },
			Ours: func(url string) bool { return url == ours },
		}
		for range 2 {
			if _, err := f.Next(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if _, there, err := d.Source(theirs); there || err != nil {
			t.Errorf("another's source is kept: %v, %v", there, err)
		}
		if _, there, err := d.Source(ours); !there || err != nil {
			t.Errorf("our source is gone: %v", err)
		}
		start := time.Now()
		go func() {
			time.Sleep(time.Second)
			over.Store(true)
			close(woken)
		}()
		if _, err := f.Next(t.Context()); !errors.Is(err, crawler.ErrDrained) || time.Since(start) != time.Second {
			t.Errorf("when it may end: %v after %v", err, time.Since(start))
		}
	})
	closed(t, d)
}

// resting is a frontier whose only host rests.
type resting struct{ crawler.Frontier }

func (resting) Push(context.Context, []crawler.Candidate) error { return nil }

func (resting) Next(ctx context.Context) (crawler.Lease, error) {
	<-ctx.Done()
	return crawler.Lease{}, ctx.Err()
}

// A pass with patience ends while a host may not be requested; if the run is stopped, it reports this.
func TestPatience(t *testing.T) {
	d := open(t, t.TempDir())
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		f := &Frontier{Frontier: resting{}, DB: d, Patience: time.Minute}
		if _, err := f.Next(t.Context()); !errors.Is(err, crawler.ErrDrained) || time.Since(start) != time.Minute {
			t.Errorf("%v after %v, want the end after a minute", err, time.Since(start))
		}
		stopped, stop := context.WithCancel(t.Context())
		stop()
		if _, err := f.Next(stopped); !errors.Is(err, context.Canceled) {
			t.Errorf("a run that was stopped ends with %v", err)
		}
	})
	closed(t, d)
}

// asked remembers a request.
type asked struct{ r crawler.Request }

func (f *asked) Fetch(_ context.Context, r crawler.Request) (*webgraph.Page, error) {
	f.r = r
	return &webgraph.Page{URL: r.URL}, nil
}

// TestFetcher checks that a source is requested with the validators of its stored version, or none, and any
// other page with those of the frontier.
func TestFetcher(t *testing.T) {
	d := open(t, t.TempDir())
	if _, err := d.Add(calls, Index, ByOperator); err != nil {
		t.Fatal(err)
	}
	below := new(asked)
	f := Fetcher{crawler.Wrapped{Fetcher: below}, d}
	etag := func(url, known string) string {
		if _, err := f.Fetch(t.Context(), crawler.Request{URL: url, ETag: known}); err != nil {
			t.Fatal(err)
		}
		return below.r.ETag
	}
	if got := etag(calls, `"crawl"`); got != "" {
		t.Errorf("without a version: %s", got)
	}
	crawled := toldPage(t, calls, nil, 304, day(0.5)) // with the validators of a crawl that kept no version
	crawled.Arrival.Outcome.ETag = `"crawl"`
	must(t, (&Recorder{DB: d}).ObservePages([]crawler.StepRecord{crawled}))
	if got := etag(calls, `"crawl"`); got != "" {
		t.Errorf("after an answer 304 and without a version: %s", got)
	}
	must(t, (&Recorder{DB: d}).ObservePages([]crawler.StepRecord{toldPage(t, calls, htmlPage(calls, listOf("a"), day(1)), 200, day(1))}))
	if got := etag(calls, `"1"`); got != `"1"` {
		t.Errorf("with a version: %s", got)
	}
	if got := etag(calls, `"0"`); got != "" {
		t.Errorf("with a version that the frontier has not heard of: %s", got)
	}
	must(t, (&Recorder{DB: d}).ObservePages([]crawler.StepRecord{toldPage(t, calls, nil, 304, day(2))}))
	if got := etag(calls, `"1"`); got != `"1"` {
		t.Errorf("after an answer 304 without validators: %s", got)
	}
	if got := etag("https://else.example/", `"crawl"`); got != `"crawl"` {
		t.Errorf("no source: %s", got)
	}
	closed(t, d)
}
