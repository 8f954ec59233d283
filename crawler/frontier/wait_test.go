package frontier

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func openAt(t testing.TB, path string, o Options) *Frontier {
	t.Helper()
	f, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// closeClean checks all invariants and closes.
func closeClean(t testing.TB, f *Frontier) {
	t.Helper()
	for _, err := range f.Check() {
		t.Errorf("check: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func seeds(urls ...string) []crawler.Candidate {
	var cs []crawler.Candidate
	for _, url := range urls {
		cs = append(cs, crawler.Candidate{URL: url, How: crawler.Seed})
	}
	return cs
}

func push(t testing.TB, f *Frontier, urls ...string) {
	t.Helper()
	if err := f.Push(t.Context(), seeds(urls...)); err != nil {
		t.Fatal(err)
	}
}

func next(t testing.TB, f *Frontier) crawler.Lease {
	t.Helper()
	l, err := f.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func done(t testing.TB, f *Frontier, l crawler.Lease, o crawler.Outcome) {
	t.Helper()
	if err := f.Done(t.Context(), crawler.End{Lease: l, Outcome: o}); err != nil {
		t.Fatal(err)
	}
}

var fetched = crawler.Outcome{Fate: crawler.Fetched, Status: 200, Cost: 1}

// A host rests after the end of a fetch while others are requested.
func TestHostDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := openAt(t, filepath.Join(t.TempDir(), "f.db"), Options{HostDelay: 10 * time.Second})
		defer closeClean(t, f)
		start := time.Now()
		push(t, f, "https://a.org/1", "https://a.org/2", "https://b.org/1", "https://a.org/3")
		for _, want := range []struct {
			url string
			at  time.Duration
		}{{"https://a.org/1", 0}, {"https://b.org/1", 1 * time.Second}, {"https://a.org/2", 11 * time.Second}, {"https://a.org/3", 22 * time.Second}} {
			l := next(t, f)
			if at := time.Since(start); l.URL != want.url || at != want.at {
				t.Errorf("%s after %v, want %s after %v", l.URL, at, want.url, want.at)
			}
			time.Sleep(time.Second) // the fetch
			done(t, f, l, fetched)
		}
	})
}

// With a delay a host has one outstanding fetch at a time; the due time survives.
func TestOneFetchAHost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "f.db")
		f := openAt(t, path, Options{HostDelay: time.Second})
		push(t, f, "https://a.org/1", "https://a.org/2")
		first := next(t, f)
		got := make(chan string)
		go func() {
			l, err := f.Next(context.WithoutCancel(t.Context()))
			if err != nil {
				got <- err.Error()
				return
			}
			got <- l.URL
		}()
		synctest.Wait()
		time.Sleep(time.Minute)
		select {
		case url := <-got:
			t.Fatalf("%s handed out while a fetch of its host was in hand", url)
		default:
		}
		start := time.Now()
		done(t, f, first, fetched)
		if url := <-got; url != "https://a.org/2" || time.Since(start) != time.Second {
			t.Errorf("%s after %v", url, time.Since(start))
		}
		closeClean(t, f)
		f = openAt(t, path, Options{HostDelay: time.Second}) // a crash: the lease returns, when its host is due
		defer closeClean(t, f)
		start = time.Now()
		if l := next(t, f); l.URL != "https://a.org/2" || time.Since(start) != time.Second {
			t.Errorf("%s after %v", l.URL, time.Since(start))
		}
	})
}

func TestTryLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := openAt(t, filepath.Join(t.TempDir(), "f.db"), Options{Backoff: time.Minute})
		defer closeClean(t, f)
		push(t, f, "https://a.org/")
		later := crawler.Outcome{Fate: crawler.TryLater, Status: 503, Reason: "status 503", Cost: 1}
		start := time.Now()
		for try, want := range []time.Duration{0, time.Minute, 3 * time.Minute} {
			l := next(t, f)
			if at := time.Since(start); at != want || l.Tries != try {
				t.Errorf("try %d after %v, want %v", l.Tries, at, want)
			}
			done(t, f, l, later)
		}
		if _, err := f.Next(t.Context()); !errors.Is(err, crawler.ErrDrained) {
			t.Errorf("after three tries: %v", err)
		}
		rec, seen, err := f.Lookup("https://a.org/")
		if err != nil || !seen || rec.Fate != crawler.Gone || rec.Reason != "gave up after 3 tries: status 503" {
			t.Errorf("record %+v, %v, %v", rec, seen, err)
		}
		if p, _ := f.Progress(t.Context()); p.Spent != 3 || p.Ended != 1 {
			t.Errorf("progress %+v", p)
		}
	})
}

// The delay that a server demands is kept, up to MaxPause.
func TestRetryAfterIsBounded(t *testing.T) {
	for name, test := range map[string]struct{ asks, want time.Duration }{
		"kept":    {5 * time.Minute, 5 * time.Minute},
		"bounded": {24 * 365 * time.Hour, MaxRetry},
		"past":    {-time.Hour, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := openAt(t, filepath.Join(t.TempDir(), "f.db"), Options{})
				defer closeClean(t, f)
				push(t, f, "https://a.org/")
				start := time.Now()
				done(t, f, next(t, f), crawler.Outcome{Fate: crawler.TryLater, NotBefore: start.Add(test.asks)})
				next(t, f)
				if got := time.Since(start); got != test.want {
					t.Errorf("again after %v, want %v", got, test.want)
				}
			})
		})
	}
}

// The host that a redirect led to rests as well.
func TestRedirectedHostRests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := openAt(t, filepath.Join(t.TempDir(), "f.db"), Options{HostDelay: time.Minute})
		defer closeClean(t, f)
		push(t, f, "https://a.org/", "https://b.org/2")
		start := time.Now()
		l := next(t, f)
		o := fetched
		o.FinalURL = "https://b.org/1"
		done(t, f, l, o)
		if l := next(t, f); l.URL != "https://b.org/2" || time.Since(start) != time.Minute {
			t.Errorf("%s after %v", l.URL, time.Since(start))
		}
		if h, asked, err := f.Host("b.org"); err != nil || !asked || h.Fetched != 1 {
			t.Errorf("%+v, %v, %v", h, asked, err)
		}
	})
}

// Waiting links are found again with all that is known about them.
func TestLookup(t *testing.T) {
	f := openAt(t, filepath.Join(t.TempDir(), "f.db"), Options{NoWait: true})
	defer closeClean(t, f)
	push(t, f, "https://a.org/", "https://b.org/")
	done(t, f, next(t, f), crawler.Outcome{Fate: crawler.Fetched, Status: 200, Redirects: []webgraph.Redirect{{From: "https://a.org/", To: "https://c.org/#x", Status: 302}}, FinalURL: "https://d.org/"})
	var got []string
	err := f.ForEach(t.Context(), func(url string, r Record) error {
		got = append(got, url+" "+r.State.String()+" "+r.Via)
		return nil
	})
	want := []string{"https://b.org/ waiting ", "https://a.org/ ended ", "https://d.org/ alias https://a.org/", "https://c.org/ alias https://a.org/"}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, seen, err := f.Lookup("https://never.org/"); seen || err != nil {
		t.Errorf("%v, %v", seen, err)
	}
}

// A seed that is given again is fetched again. This happens if its last response is older than Again, or, if
// it is gone, after a back-off that doubles with its tries up to a day. A seed without Again, and a link that
// is not a seed, are left unchanged.
func TestSeedAgain(t *testing.T) {
	now := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	path := filepath.Join(t.TempDir(), "frontier.db")
	f := openAt(t, path, Options{Now: func() time.Time { return now }, NoWait: true})
	again := func(url string, how crawler.Origin, age time.Duration) bool {
		t.Helper()
		c := crawler.Candidate{URL: url, How: how}
		if age > 0 {
			c.Again = now.Add(-age)
		}
		if err := f.Push(t.Context(), []crawler.Candidate{c}); err != nil {
			t.Fatal(err)
		}
		p, err := f.Progress(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return p.Waiting == 1
	}
	const live, dead = "https://live.example/", "https://dead.example/"
	gone := crawler.Outcome{Fate: crawler.Gone, HostFailed: true, Reason: "no such host"}
	push(t, f, live)
	answer := fetched
	answer.At = now
	done(t, f, next(t, f), answer)
	now = now.Add(time.Hour)
	if again(live, crawler.Seed, 0) || again(live, crawler.Seed, 2*time.Hour) || again(live, crawler.Forward, time.Minute) {
		t.Error("a seed that was answered waits too soon")
	}
	if !again(live, crawler.Seed, 59*time.Minute) {
		t.Fatal("a seed that was answered an hour ago does not wait")
	}
	answer.At = now
	done(t, f, next(t, f), answer)

	push(t, f, dead)
	for _, wait := range []time.Duration{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1440, 1440} { // minutes
		gone.At = now
		done(t, f, next(t, f), gone)
		now = now.Add(wait*time.Minute - time.Second)
		if again(dead, crawler.Seed, time.Hour) {
			t.Fatalf("a seed that is gone waits before %d minutes are over", wait)
		}
		now = now.Add(time.Second)
		if again(dead, crawler.Seed, 0) || !again(dead, crawler.Seed, time.Hour) {
			t.Fatalf("a seed that is gone does not wait after %d minutes, or without Again", wait)
		}
	}
	answer.At = now
	done(t, f, next(t, f), answer)
	closeClean(t, f)
}
