package match

import (
	"slices"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/eventstest"
)

// BenchmarkMatch matches one new event with its clips against 10,000 lists of 5 terms, as the
// publisher does. It includes the passages and reasons of all that match.
func BenchmarkMatch(b *testing.B) {
	m := matcherOf(b, eventstest.Lists(3, 10_000)...)
	var docs []eventseer.Document
	for _, e := range eventstest.Events(5, 200, noon) {
		docs = append(docs, eventseer.Document{Event: e, Clips: eventstest.Clips(e)})
	}
	found := 0
	var took []time.Duration
	for b.Loop() {
		begin := time.Now()
		found += len(m.Match(docs[len(took)%len(docs)], noon))
		took = append(took, time.Since(begin))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, "p50-ms")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds())/1000, "p95-ms")
	b.ReportMetric(float64(found)/float64(len(took)), "lists/clip")
}

// BenchmarkSet adds and removes one list among 10,000.
func BenchmarkSet(b *testing.B) {
	m := matcherOf(b, eventstest.Lists(3, 10_000)...)
	one := eventstest.Lists(4, 1)[0]
	one.ID = "another"
	for b.Loop() {
		if err := m.Set(one); err != nil {
			b.Fatal(err)
		}
		m.Remove(one.ID)
	}
}
