package member

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/curate"
	"github.com/eventseer/eventseer/eventseer/store"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// An eventLog is a log that keeps the last message of each name, as the bus does.
type eventLog struct {
	last    map[string]uint64
	entries map[uint64][]byte
}

func (l *eventLog) announce(_ context.Context, id string, data []byte) error {
	delete(l.entries, l.last[id])
	n := uint64(1)
	for k := range l.entries {
		n = max(n, k+1)
	}
	for _, k := range l.last {
		n = max(n, k+1)
	}
	l.last[id], l.entries[n] = n, data
	return nil
}

// take hands a manager the messages after what it has marked, at most limit.
func (l *eventLog) take(t *rapid.T, s Sink, limit int) {
	mark, err := s.Taken(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range slices.Sorted(maps.Keys(l.entries)) {
		if n <= mark || limit == 0 {
			continue
		}
		limit--
		if err := errors.Join(s.Take(t.Context(), cluster.Announcement{Data: l.entries[n]}), s.Mark(t.Context(), n)); err != nil {
			t.Fatal(err)
		}
	}
}

// TestManagersAgree lets two managers correct events and undo corrections while crawlers find
// events, and starts a third at the end. The order of messages is random. All three must show
// the same events, and no correction may be lost.
func TestManagersAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		log := &eventLog{last: map[string]uint64{}, entries: map[uint64][]byte{}}
		var sinks []Sink
		var senders []CorrectionSender
		open := func() {
			st, err := store.Open(filepath.Join(dir, fmt.Sprint(len(sinks))), store.Options{})
			if err != nil {
				rt.Fatal(err)
			}
			sinks = append(sinks, Sink{st, rt.Errorf})
			senders = append(senders, CorrectionSender{From: fmt.Sprint("m", len(sinks)), Store: st, Announce: log.announce, Warn: rt.Errorf})
		}
		open()
		open()
		defer func() {
			for _, s := range senders {
				_ = s.Store.Close()
			}
		}()
		send := func(i int) {
			if _, err := senders[i].sendSome(rt.Context()); err != nil {
				rt.Fatal(err)
			}
		}
		seen := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
		said := map[string]bool{}
		for step := range rapid.IntRange(4, 24).Draw(rt, "steps") {
			at := seen.Add(time.Duration(step) * time.Hour)
			i := rapid.IntRange(0, 1).Draw(rt, "manager")
			switch rapid.IntRange(0, 4).Draw(rt, "what") {
			case 0:
				e, _ := someCall(rapid.IntRange(0, 3).Draw(rt, "call"))
				e.ID, e.FirstSeen, e.LastSeen = eventseer.EventID("of-"+e.Acronym), seen, at
				e.Title += fmt.Sprint(" ", step)
				from := rapid.SampledFrom([]string{"w1", "w2"}).Draw(rt, "crawler")
				data, _, err := encodeEvent(message{From: from, Event: e}, cluster.MaxMessage)
				if err != nil {
					rt.Fatal(err)
				}
				_ = log.announce(rt.Context(), from+"."+string(e.ID), data)
			case 1:
				log.take(rt, sinks[i], rapid.IntRange(1, 3).Draw(rt, "messages"))
			case 2:
				send(i)
			case 3:
				if id, ok := correctSomething(rt, senders[i].Store, at); ok {
					said[id] = true
				}
			case 4:
				undoSomething(rt, senders[i].Store, at)
			}
		}
		open()
		for range 2 {
			for i := range sinks {
				send(i)
				log.take(rt, sinks[i], len(log.entries))
			}
		}
		want := allEvents(rt, senders[0].Store)
		for i := range sinks {
			if diff := gocmp.Diff(want, allEvents(rt, senders[i].Store)); diff != "" {
				rt.Fatalf("manager %d differs from the first (-first +it):\n%s", i+1, diff)
			}
			known := map[string]bool{}
			for c := range senders[i].Store.Corrections(rt.Context()) {
				known[c.ID] = true
			}
			if diff := gocmp.Diff(said, known); diff != "" {
				rt.Fatalf("corrections of manager %d (-said +known):\n%s", i+1, diff)
			}
			for _, err := range senders[i].Store.Check() {
				rt.Fatal(err)
			}
		}
	})
}

func allEvents(t *rapid.T, s *store.Store) (all []eventseer.Event) {
	for e, err := range s.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, e)
	}
	return all
}

// correctSomething makes a correction at a manager; false where there is nothing to correct.
func correctSomething(t *rapid.T, s *store.Store, at time.Time) (string, bool) {
	all := allEvents(t, s)
	if len(all) == 0 {
		return "", false
	}
	pick := func(name string) eventseer.EventID {
		return all[rapid.IntRange(0, len(all)-1).Draw(t, name)].ID
	}
	c := eventseer.Correction{Event: pick("event"), Who: "ann", At: at}
	switch rapid.IntRange(0, 2).Draw(t, "correction") {
	case 0:
		c.Kind, c.Field, c.Value = eventseer.EditCorrection, "title", fmt.Sprint("Title ", at.Hour(), at.Day())
	case 1:
		c.Kind = eventseer.HideCorrection
	case 2:
		c.Kind, c.Other = eventseer.MergeCorrection, pick("other")
	}
	kept, err := s.Correct(t.Context(), nil, c)
	if errors.Is(err, curate.ErrBad) {
		return "", false
	}
	if err != nil {
		t.Fatal(err)
	}
	return kept[0].ID, true
}

func undoSomething(t *rapid.T, s *store.Store, at time.Time) {
	var open []string
	for c := range s.Corrections(t.Context()) {
		if c.Undone == nil {
			open = append(open, c.ID)
		}
	}
	slices.SortFunc(open, func(a, b string) int { return cmp.Compare(a, b) })
	if len(open) == 0 {
		return
	}
	by := eventseer.Undo{Who: rapid.SampledFrom([]string{"bob", "cid"}).Draw(t, "who"), At: at}
	if _, err := s.Undo(t.Context(), open[rapid.IntRange(0, len(open)-1).Draw(t, "undone")], by); err != nil {
		t.Fatal(err)
	}
}
