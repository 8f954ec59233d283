package frontier

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
)

// TestScoreFloor: with a floor the links that earlier crawls left stay out of the queue, also those
// leased and those that wait for a time. Without it they are back.
func TestScoreFloor(t *testing.T) {
	path, ctx := filepath.Join(t.TempDir(), "frontier.db"), t.Context()
	now := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	open := func(floor float64) *Frontier {
		f, err := Open(path, Options{Floor: floor, HostDelay: time.Nanosecond, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	drain := func(f *Frontier) (urls []string) {
		for {
			now = now.Add(time.Second)
			l, err := f.Next(ctx)
			if errors.Is(err, crawler.ErrDrained) {
				return urls
			}
			if err != nil {
				t.Fatal(err)
			}
			urls = append(urls, l.URL)
			if err := f.Done(ctx, crawler.End{Lease: l, Outcome: crawler.Outcome{Fate: crawler.Fetched, Status: 200}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	push := func(f *Frontier, cs ...crawler.Candidate) {
		if err := f.Push(ctx, cs); err != nil {
			t.Fatal(err)
		}
	}
	f := open(0)
	push(f, crawler.Candidate{URL: "https://a.example/seed", Score: crawler.MaxScore, How: crawler.Seed},
		crawler.Candidate{URL: "https://a.example/left", Score: 1},
		crawler.Candidate{URL: "https://b.example/left", Score: 2},
		crawler.Candidate{URL: "https://b.example/later", Score: 2, Due: now.Add(time.Hour)},
		crawler.Candidate{URL: "https://c.example/known", Score: 3})
	if _, err := f.Next(ctx); err != nil { // the seed is leased when the process ends
		t.Fatal(err)
	}
	f.writeLeases()
	if err := f.db.Close(); err != nil {
		t.Fatal(err)
	}

	const floor = 1.5 * crawler.MaxScore
	f = open(floor)
	if got := drain(f); len(got) != 0 {
		t.Errorf("leftovers were handed out: %v", got)
	}
	push(f, crawler.Candidate{URL: "https://b.example/left", Score: floor + 1, How: crawler.Monitor},
		crawler.Candidate{URL: "https://d.example/new", Score: floor + 2, How: crawler.Forward},
		crawler.Candidate{URL: "https://a.example/below", Score: floor - 1})
	if got := drain(f); len(got) != 2 || got[0] != "https://d.example/new" || got[1] != "https://b.example/left" {
		t.Errorf("handed out: %v, want what is above the floor, best first", got)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}

	f = open(0)
	now = now.Add(2 * time.Hour)
	if got := drain(f); len(got) != 5 {
		t.Errorf("without the floor: %v, want the 5 that were left", got)
	}
	if errs := f.Check(); len(errs) != 0 {
		t.Error(errs)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}
