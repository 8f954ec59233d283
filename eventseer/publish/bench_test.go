package publish

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish/match"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/eventstest"
)

// BenchmarkOpen opens a file of 10,000 readers with a list each, and reports the memory of the matcher.
func BenchmarkOpen(b *testing.B) {
	o := Options{Path: filepath.Join(b.TempDir(), "publish.db"), Store: newFakeStore(), Now: func() time.Time { return noon }}
	s, err := Open(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	addReaders(b, s, eventstest.Lists(3, 10_000))
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
	s = nil
	before := heapBytes()
	for b.Loop() {
		b.StopTimer()
		if s != nil {
			if err := s.Close(); err != nil {
				b.Fatal(err)
			}
		}
		s = nil
		b.StartTimer()
		if s, err = Open(b.Context(), o); err != nil {
			b.Fatal(err)
		}
	}
	b.StopTimer()
	b.ReportMetric(float64(heapBytes()-before)/1e6, "MB-memory")
	if err := s.Close(); err != nil {
		b.Fatal(err)
	}
}

func heapBytes() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// BenchmarkDigests makes the daily digests of 10,000 readers with a list each, who get 100 new calls;
// matching is measured separately.
func BenchmarkDigests(b *testing.B) {
	const readers, calls = 10_000, 100
	for b.Loop() {
		b.StopTimer()
		store := newFakeStore()
		clock := noon
		s, err := Open(b.Context(), Options{
			Path: filepath.Join(b.TempDir(), "publish.db"), Store: store, Now: func() time.Time { return clock }, Hour: 7,
			Site: message.Site{Name: "EventSeer", Base: "https://seer.example/"},
		})
		if err != nil {
			b.Fatal(err)
		}
		addReaders(b, s, eventstest.Lists(3, readers))
		for _, e := range eventstest.Events(5, 3*calls, noon) {
			if !match.IsOver(e, noon) {
				store.put(e, eventseer.Change{New: true}, eventstest.Clips(e)...)
			}
		}
		b.StartTimer()
		begin := time.Now()
		if err := s.publishChanges(context.Background()); err != nil {
			b.Fatal(err)
		}
		matched := time.Now()
		clock = noon.Add(24 * time.Hour)
		n, err := s.queueDigests(context.Background())
		if err != nil {
			b.Fatal(err)
		}
		made := time.Now()
		var box fakeMailer
		d, err := s.DryRun(context.Background(), &box)
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(matched.Sub(begin).Seconds(), "s-match")
		b.ReportMetric(made.Sub(matched).Seconds(), "s-digests")
		b.ReportMetric(time.Since(made).Seconds(), "s-letters")
		b.ReportMetric(float64(n), "digests")
		b.ReportMetric(float64(d.Sent), "letters")
		b.ReportMetric(float64(s.Counters().Items), "items")
		b.ReportMetric(float64(len(store.changes)), "calls")
		b.StopTimer()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// addReaders makes a reader of each list, a thousand in a transaction.
func addReaders(b *testing.B, s *Service, lists []eventseer.List) {
	b.Helper()
	for from := 0; from < len(lists); from += 1000 {
		err := s.db.Update(func(tx *bolt.Tx) error {
			for i, l := range lists[from:min(from+1000, len(lists))] {
				a, err := s.MakeAccount(tx, fmt.Sprintf("reader%d@x.example", from+i), "", s.now())
				if err != nil {
					return err
				}
				l.Account, l.Rhythm = a.ID, eventseer.Daily
				if _, err := s.AddList(tx, l); err != nil {
					return err
				}
				if err := s.Schedule(tx, &a, time.Time{}); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := s.LoadLists(); err != nil {
		b.Fatal(err)
	}
}
