package manager

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/cluster/clustertest"
)

// A slowSink counts events and stores each in some time.
type slowSink struct {
	takes  time.Duration
	n      int
	marked uint64
}

func (s *slowSink) LastStored(context.Context) (uint64, error) { return s.marked, nil }

func (s *slowSink) StoreAnnouncement(ctx context.Context, _ cluster.Announcement) error {
	s.n++
	return crawler.WaitFor(ctx, s.takes)
}

func (s *slowSink) SetLastStored(_ context.Context, number uint64) error {
	s.marked = number
	return nil
}

// TestManagersEndTogether ends managers of one crawl, each as if it had the bus in its process, which the others lose
// when it ends. No manager ends before the slowest has all events. One that was stopped before is not waited for
// long, and is named in the log.
func TestManagersEndTogether(t *testing.T) {
	const events = 200
	for _, stopped := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			bus := clustertest.NewMemory()
			var log bytes.Buffer
			start := func(name string, s *slowSink) *Manager {
				m, err := New(Options{
					Bus: bus.End(name), Name: name, Sink: s, Log: slog.New(slog.NewTextHandler(&log, nil)),
					Conf: cluster.Conf{Version: "v", Partitions: 2, Lease: time.Minute, Once: true},
				})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := m.ingestNext(t.Context()); err != nil { // at its start
					t.Fatal(err)
				}
				return m
			}
			fast, slow := &slowSink{}, &slowSink{takes: 100 * time.Millisecond}
			first, second := start("m1", fast), start("m2", slow)
			if stopped {
				start("m3", &slowSink{})
			}
			for i := range events {
				if err := bus.End("w").Announce(t.Context(), string(rune('a'+i)), []byte("{}")); err != nil {
					t.Fatal(err)
				}
			}
			began := time.Now()
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				time.Sleep(3 * time.Second) // it learns of the end later
				second.ingestRemaining(t.Context())
			}()
			first.ingestRemaining(t.Context())
			bus.Cut("m2", true) // the bus ends with the first manager
			if fast.n != events || slow.n != events {
				t.Errorf("%d and %d of %d events are stored when the first manager ends", fast.n, slow.n, events)
			}
			<-ended
			took, warned := time.Since(began), strings.Contains(log.String(), "other managers have not stored all events")
			switch {
			case !stopped && (warned || took > 25*time.Second):
				t.Errorf("it took %v:\n%s", took, &log)
			case stopped && (!strings.Contains(log.String(), "others=m3\n") || took > maxDrainTime):
				t.Errorf("it took %v with a manager that is stopped:\n%s", took, &log)
			}
		})
	}
}
