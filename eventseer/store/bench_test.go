package store

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/eventstest"
)

// benchStore makes a store of n events with their clips.
func benchStore(b *testing.B, n int) *Store {
	b.Helper()
	s, err := Open(filepath.Join(b.TempDir(), "store.db"), Options{Now: func() time.Time { return day1 }})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	for events := range slices.Chunk(eventstest.Events(1, n, day1), 2000) {
		err := s.db.Update(func(tx *bolt.Tx) error { // as Put does, many at once
			for _, e := range events {
				if _, _, err := s.putEvent(tx, e, eventstest.Clips(e), nil); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	return s
}

// BenchmarkPutSeries puts 1,000 series of 5 editions each, as an import does. Some hundreds go in a
// transaction that is on disk at its end: 112 ms on 2026-11-22, on two cores of which others had
// most (load 20).
func BenchmarkPutSeries(b *testing.B) {
	s, all := benchStore(b, 5000), eventstest.Series(1)
	n := 0
	for b.Loop() {
		n++
		for i := range all {
			all[i].Ranks = []eventseer.Rank{{System: "core", Value: fmt.Sprint("A", n), Year: 2026}}
		}
		for at := 0; at < len(all); at += 200 {
			if err := s.PutAllSeries(b.Context(), all[at:at+200]); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(len(all)*n)/b.Elapsed().Seconds(), "series/s")
}

// BenchmarkPutCrowded puts records that share words of their names, years and places with hundreds
// of 3,000 stored events. A large field or a generated web is like that. It took 3.4 ms on
// 2026-11-23, and 31.9 ms when every event they are compared with was read again.
func BenchmarkPutCrowded(b *testing.B) {
	s := openStore(b, filepath.Join(b.TempDir(), "store.db"), Options{})
	record := func(n int) eventseer.Event {
		e := call(n, day1)
		e.Title = fmt.Sprintf("Workshop on Learning for Crawling and Ranking the Subject%d", n)
		e.Acronym, e.URL = fmt.Sprint("WLS", n), fmt.Sprintf("https://host%d.example/wls/cfp.html", n)
		e.Pages = []string{e.URL}
		return e
	}
	n := 0
	put := func() {
		n++
		if _, err := s.Put(b.Context(), record(n), nil); err != nil {
			b.Fatal(err)
		}
	}
	for range 3000 {
		put()
	}
	for b.Loop() {
		put()
	}
}

// BenchmarkReads reads the editions of a series out of 100,000 events, and copies the
// store while a writer puts events. To make the store takes minutes.
func BenchmarkReads(b *testing.B) {
	if testing.Short() {
		b.Skip("making the store takes minutes")
	}
	s := benchStore(b, 100_000)
	series := eventstest.Series(1)[0].ID
	b.Run("Editions", func(b *testing.B) {
		for b.Loop() {
			if got, err := s.Editions(b.Context(), series); err != nil || len(got) == 0 {
				b.Fatal(len(got), err)
			}
		}
	})
	b.Run("Snapshot", func(b *testing.B) { benchSnapshot(b, s) })
}

// BenchmarkRecent reads 50 changes from anywhere among 100,000, of which each tenth moves a
// deadline. It took 0.5 to 1 ms on 2026-11-22, on two cores of which others had most (load 22).
func BenchmarkRecent(b *testing.B) {
	s := benchStore(b, 1)
	err := s.db.Update(func(tx *bolt.Tx) error {
		for n := range 100_000 {
			c := eventseer.Change{Event: "icx-2027", At: day1, Page: "https://icx.example.org/cfp", New: n%10 != 0}
			if !c.New {
				c.Fields = []eventseer.FieldChange{{Field: "deadlines.submission", Old: "2027-01-01", New: "2027-01-08"}}
			}
			if err := putChange(tx, c); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
	for name, read := range map[string]func(context.Context, uint64, int) ([]eventseer.Change, error){"all": s.Recent, "new": s.RecentNew, "moved": s.RecentMoved} {
		b.Run(name, func(b *testing.B) {
			for before := uint64(0); b.Loop(); before = 1000 + (before+7919)%99_000 {
				if got, err := read(b.Context(), before, 50); err != nil || len(got) != 50 {
					b.Fatal(len(got), err)
				}
			}
		})
	}
}

// benchSnapshot writes a snapshot to io.Discard while another goroutine puts events, and reports the duration
// of the longest Put.
func benchSnapshot(b *testing.B, s *Store) {
	stop, longest, puts := make(chan struct{}), time.Duration(0), 0
	events := eventstest.Events(7, 20_000, day1)
	var wg sync.WaitGroup
	wg.Go(func() {
		for n, e := range events {
			select {
			case <-stop:
				return
			default:
			}
			e.URL = fmt.Sprintf("https://w%d.example.org/", n)
			begin := time.Now()
			if _, err := s.Put(b.Context(), e, nil); err != nil {
				b.Error(err)
				return
			}
			puts++
			longest = max(longest, time.Since(begin))
		}
	})
	var bytes int64
	for b.Loop() {
		snaps, err := bolt.TakeSnapshots(nil, s.Database())
		if err != nil {
			b.Fatal(err)
		}
		n, err := snaps[0].WriteTo(io.Discard)
		if err != nil {
			b.Fatal(err)
		}
		if err := snaps[0].Close(); err != nil {
			b.Fatal(err)
		}
		bytes = n
	}
	close(stop)
	wg.Wait()
	b.SetBytes(bytes)
	b.ReportMetric(float64(longest.Milliseconds()), "ms/longest-Put")
	b.ReportMetric(float64(puts)/b.Elapsed().Seconds(), "puts/s")
}
