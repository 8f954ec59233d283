package exchange

import (
	"io"
	"iter"
	"runtime"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/eventstest"
)

// repeated yields n entries of some events.
func repeated(events []eventseer.Event, n int) iter.Seq[eventseer.Entry] {
	return func(yield func(eventseer.Entry) bool) {
		for i := range n {
			if !yield(eventseer.Entry{Event: events[i%len(events)]}) {
				return
			}
		}
	}
}

// BenchmarkWrite writes 10,000 entries an iteration.
func BenchmarkWrite(b *testing.B) {
	events := eventstest.Events(1, 1000, testNow)
	p := publication()
	for _, name := range Names() {
		b.Run(name, func(b *testing.B) {
			const n = 10_000
			for b.Loop() {
				if err := Write(io.Discard, name, p, nil, repeated(events, n)); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// All formats that promise it keep only a bounded part of their output in memory. While 4,000 entries are
// written, the live heap grows by less than a megabyte.
func TestBoundedMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 4,000 entries in each format")
	}
	events := eventstest.Events(1, 100, testNow)
	for _, name := range Names() {
		if name == "ccfddl" {
			continue // contains all events, as documented
		}
		live := func() uint64 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		var before, after uint64
		const n = 4000
		err := Write(io.Discard, name, publication(), nil, func(yield func(eventseer.Entry) bool) {
			i := 0
			for en := range repeated(events, n) {
				switch i++; i {
				case 500:
					before = live()
				case n:
					after = live()
				}
				if !yield(en) {
					return
				}
			}
		})
		if err != nil {
			t.Fatal(err)
		}
		if after > before && after-before > 1<<20 {
			t.Errorf("%s: the heap grew by %d bytes over 3,500 entries", name, after-before)
		}
	}
}

// Seeded events of every sort give calendars, feeds and markup that read back.
func TestSeededEvents(t *testing.T) {
	p := publication()
	for _, e := range eventstest.Events(7, 300, testNow) {
		p.Entries = append(p.Entries, eventseer.Entry{Event: e})
	}
	text := written(t, "ics", p, "what=all")
	checkLines(t, text)
	seen := map[string]bool{}
	for _, c := range parsedCalendar(t, text).Children {
		uid := prop(t, c, "UID")
		if seen[uid] {
			t.Errorf("UID %s twice", uid)
		}
		seen[uid] = true
	}
	want := 0
	for _, en := range p.Entries {
		want += len(en.Event.Deadlines)
		if en.Event.EventStart != "" {
			want++
		}
	}
	if len(seen) != want {
		t.Errorf("%d components, want %d", len(seen), want)
	}
	for _, name := range feedNames {
		if n := len(parsedFeed(t, written(t, name, p, "")).Items); n != len(p.Entries) {
			t.Errorf("%s: %d items", name, n)
		}
	}
	all, errs := ReadCCFDDL(written(t, "ccfddl", p, ""))
	n := 0
	for _, c := range all {
		n += len(c.Confs)
	}
	if len(errs) > 0 || n < len(p.Entries)*9/10 {
		t.Errorf("ccfddl: %d editions of %d, %v", n, len(p.Entries), errs)
	}
}
