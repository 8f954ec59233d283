package frontier

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eventseer/eventseer/crawler"
)

// An expired lease is withdrawn and counts as a try. Its former holder may still report what was spent and
// found, and does not change the link.
func TestLeaseRunsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := openAt(t, filepath.Join(t.TempDir(), "f.db"), Options{NoSync: true, LeaseTime: time.Minute})
		defer closeClean(t, f)
		const slow = "https://slow.org/"
		push(t, f, slow)
		start := time.Now()
		first := next(t, f)
		second := next(t, f) // waits for it
		if second.URL != slow || second.Tries != 1 || time.Since(start) != time.Minute {
			t.Errorf("%+v after %v", second, time.Since(start))
		}
		if mine, err := f.RecordAddress(t.Context(), first, "https://else.org/"); mine || err != nil {
			t.Errorf("claim of a lease that was taken back: %v, %v", mine, err)
		}
		if f.MayRequest(first, "else.org") {
			t.Error("turn of a lease that was taken back")
		}
		late := crawler.End{Lease: first, Outcome: fetched, Changes: crawler.Changes{Push: seeds("https://new.org/")}}
		late.Outcome.Notes = []crawler.Note{{Key: "k", Value: []byte("v")}}
		if err := f.Done(t.Context(), late); err != nil {
			t.Fatal(err)
		}
		if p, err := f.Progress(t.Context()); err != nil || p.Spent != 1 || p.Ended != 0 || p.Leased != 1 || p.Waiting != 1 {
			t.Errorf("%+v, %v", p, err)
		}
		if err := f.Done(t.Context(), late); err == nil {
			t.Error("the late end came twice: no error")
		}
		done(t, f, second, fetched)
		done(t, f, next(t, f), fetched)
		if _, err := f.Next(t.Context()); !errors.Is(err, crawler.ErrDrained) {
			t.Error(err)
		}
	})
}

func TestLeaseRunsOutForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := openAt(t, filepath.Join(t.TempDir(), "f.db"), Options{NoSync: true, LeaseTime: time.Minute, MaxTries: 2})
		defer closeClean(t, f)
		push(t, f, "https://slow.org/")
		next(t, f)
		next(t, f)
		if _, err := f.Next(t.Context()); !errors.Is(err, crawler.ErrDrained) {
			t.Error(err)
		}
		rec, _, err := f.Lookup("https://slow.org/")
		if err != nil || rec.Fate != crawler.Gone || rec.Reason != "gave up after 2 tries: no answer within 1m0s" {
			t.Errorf("%+v, %v", rec, err)
		}
	})
}

// A link waits for its time, over a new start too, and Next for the link.
func TestDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "f.db")
		f := openAt(t, path, Options{NoSync: true})
		at := func(url string, score float64, after time.Duration) crawler.Candidate {
			return crawler.Candidate{URL: url, Score: score, Due: time.Now().Add(after)}
		}
		start := time.Now()
		cs := []crawler.Candidate{
			at("https://a.org/hour", 1, time.Hour), at("https://a.org/minute", 1, time.Minute), at("https://b.org/minute", 2, time.Minute),
			at("https://b.org/past", 0, -time.Minute), at("https://b.org/sooner", 1, time.Hour), at("https://b.org/dropped", 9, time.Second),
			at("https://b.org/sooner", 0, time.Second), at("https://a.org/hour", 3, 2*time.Hour),
		}
		changes := crawler.Changes{Push: cs, Drop: []string{"https://b.org/dropped"}, Rescore: []crawler.Candidate{{URL: "https://b.org/minute", Score: -1}}}
		if err := f.Done(t.Context(), crawler.End{Changes: changes}); err != nil {
			t.Fatal(err)
		}
		if s, err := f.Status(0); err != nil || s.Links.Due != 4 || !s.NextDue.Equal(start.Add(time.Second)) {
			t.Errorf("%+v, %v", s, err)
		}
		for _, want := range []struct {
			url   string
			after time.Duration
		}{{"https://b.org/past", 0}, {"https://b.org/sooner", time.Second}, {"https://a.org/minute", time.Minute}, {"https://b.org/minute", time.Minute}, {"https://a.org/hour", time.Hour}} {
			closeClean(t, f)
			f = openAt(t, path, Options{NoSync: true})
			l := next(t, f)
			if l.URL != want.url || time.Since(start) != want.after || !l.Due.IsZero() {
				t.Errorf("%+v after %v, want %s after %v", l, time.Since(start), want.url, want.after)
			}
			done(t, f, l, fetched)
		}
		closeClean(t, f)
	})
}

// A link that was put off for a new try is not brought forward by a link to it.
func TestBackoffIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := openAt(t, filepath.Join(t.TempDir(), "f.db"), Options{NoSync: true})
		defer closeClean(t, f)
		push(t, f, "https://a.org/")
		done(t, f, next(t, f), crawler.Outcome{Fate: crawler.TryLater})
		if err := f.Push(t.Context(), []crawler.Candidate{{URL: "https://a.org/", Score: 7}}); err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		if l := next(t, f); l.Score != 7 || time.Since(start) != time.Minute {
			t.Errorf("%+v after %v", l, time.Since(start))
		}
	})
}

// A depth's budget holds links back, whatever their score, without keeping the
// crawl from its end, and a later run with more takes them up.
func TestPerDepth(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.db")
	o := Options{NoSync: true, PerDepth: 2}
	f := openAt(t, path, o)
	var cs []crawler.Candidate
	for i := range 5 {
		for depth := range 2 {
			cs = append(cs, crawler.Candidate{URL: fmt.Sprintf("https://h%d.org/%d", i%2, 2*i+depth), Score: float64(i + 10*depth), Depth: depth})
		}
	}
	if err := f.Push(t.Context(), cs); err != nil {
		t.Fatal(err)
	}
	drain := func() (depths []int) {
		t.Helper()
		for {
			l, err := f.Next(t.Context())
			if errors.Is(err, crawler.ErrDrained) {
				return depths
			}
			if err != nil {
				t.Fatal(err)
			}
			depths = append(depths, l.Depth)
			done(t, f, l, fetched)
		}
	}
	if got := fmt.Sprint(drain()); got != "[1 1 0 0]" {
		t.Errorf("depths %s", got)
	}
	if p, err := f.Progress(t.Context()); err != nil || p.Waiting != 6 {
		t.Errorf("%+v, %v", p, err)
	}
	if s, err := f.Story("https://h0.org/0"); err != nil || !s.Record.Held || s.Why != "It is held because the budget of depth 0 is used up." {
		t.Errorf("%+v, %v", s, err)
	}
	closeClean(t, f)
	o.PerDepth = 3
	f = openAt(t, path, o)
	if got := fmt.Sprint(drain()); got != "[1 0]" {
		t.Errorf("depths %s", got)
	}
	closeClean(t, f)
}

// Of two URLs with one hash the second counts as seen, and is not confused with the first.
func TestCollision(t *testing.T) {
	f := openAt(t, filepath.Join(t.TempDir(), "f.db"), Options{NoWait: true, NoSync: true})
	defer f.Close()
	const first, second = "https://a.org/1", "https://a.org/2"
	push(t, f, first)
	s := f.seen.get(f.hashURL(first))
	f.seen.set(f.hashURL(second), s.at, s.sequence(), inQueue)
	changes := crawler.Changes{Push: []crawler.Candidate{{URL: second, Score: 9}}, Rescore: []crawler.Candidate{{URL: second, Score: 8}}, Drop: []string{second}}
	if err := f.Done(t.Context(), crawler.End{Changes: changes}); err != nil {
		t.Fatal(err)
	}
	if rec, seen, err := f.Lookup(second); seen || err != nil {
		t.Errorf("%+v, %v, %v", rec, seen, err)
	}
	if rec, seen, err := f.Lookup(first); !seen || err != nil || rec.State != Waiting || rec.Score != 0 {
		t.Errorf("%+v, %v, %v", rec, seen, err)
	}
}

// Who waits for a link learns that the frontier is closed.
func TestCloseWakes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := openAt(t, filepath.Join(t.TempDir(), "f.db"), Options{NoSync: true})
		push(t, f, "https://a.org/")
		done(t, f, next(t, f), crawler.Outcome{Fate: crawler.TryLater})
		got := make(chan error)
		go func() {
			_, err := f.Next(t.Context())
			got <- err
		}()
		synctest.Wait()
		closeClean(t, f)
		if err := <-got; !errors.Is(err, errClosed) {
			t.Errorf("%v, want that it is closed", err)
		}
	})
}

// Many at once: every link is handed out once, and nothing is torn.
func TestConcurrent(t *testing.T) {
	f := openAt(t, filepath.Join(t.TempDir(), "f.db"), Options{NoWait: true, NoSync: true})
	defer closeClean(t, f)
	const links, workers = 300, 8
	url := func(i int) string { return fmt.Sprintf("https://h%d.org/%d", i%7, i) }
	push(t, f, url(0))
	var mu sync.Mutex
	got := map[string]int{}
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				l, err := f.Next(t.Context())
				if errors.Is(err, crawler.ErrDrained) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				got[l.URL]++
				n := len(got)
				mu.Unlock()
				err = useAll(t.Context(), f, l, seeds(url(2*n%links), url((2*n+1)%links), url(n%links)))
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	for u, n := range got {
		if n != 1 {
			t.Errorf("%s was handed out %d times", u, n)
		}
	}
	if len(got) != links {
		t.Errorf("%d links of %d", len(got), links)
	}
}

// useAll is a page that uses all of a frontier.
func useAll(ctx context.Context, f *Frontier, l crawler.Lease, cs []crawler.Candidate) error {
	_, claimed := f.RecordAddress(ctx, l, "https://other.org/"+strconv.Itoa(len(l.URL)))
	f.MayRequest(l, "robots.org")
	_, twin := f.FirstWithText(ctx, "h1.org", 3)
	_, _, looked := f.Lookup(cs[0].URL)
	_, status := f.Status(3)
	_, story := f.Story(l.URL)
	o := fetched
	o.Text = 3
	half := len(cs) / 2
	pushed := f.Push(ctx, cs[:half])
	done := f.Done(ctx, crawler.End{Lease: l, Outcome: o, Changes: crawler.Changes{Push: cs[half:]}})
	_, progress := f.Progress(ctx)
	return errors.Join(claimed, twin, looked, status, story, pushed, done, progress)
}
