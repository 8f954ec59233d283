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

// deliverTo gives a manager the messages after its mark, at most limit.
func (l *eventLog) deliverTo(t interface {
	Context() context.Context
	Fatal(args ...any)
}, s Sink, limit int) {
	mark, err := s.LastStored(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range slices.Sorted(maps.Keys(l.entries)) {
		if n <= mark || limit == 0 {
			continue
		}
		limit--
		if err := errors.Join(s.StoreAnnouncement(t.Context(), cluster.Announcement{Data: l.entries[n]}), s.SetLastStored(t.Context(), n)); err != nil {
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
			if _, err := senders[i].sendNext(rt.Context()); err != nil {
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
				pages := pagesOf(&e, rapid.IntRange(1, 3).Draw(rt, "pages"))
				from := rapid.SampledFrom([]string{"w1", "w2"}).Draw(rt, "crawler")
				data, _, err := encodeEvent(message{From: from, Event: e, Pages: pages}, cluster.MaxMessage)
				if err != nil {
					rt.Fatal(err)
				}
				_ = log.announce(rt.Context(), from+"."+string(e.ID), data)
			case 1:
				log.deliverTo(rt, sinks[i], rapid.IntRange(1, 3).Draw(rt, "messages"))
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
				log.deliverTo(rt, sinks[i], len(log.entries))
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

// pagesOf adds n pages to an event and returns the record of each.
func pagesOf(e *eventseer.Event, n int) (pages []eventseer.Event) {
	e.Pages = nil
	for i := range n {
		p := *e
		p.ID, p.Pages = "", nil
		if i > 0 {
			p.URL, p.Title = fmt.Sprint(e.URL, "/", i), fmt.Sprint(e.Title, ", page ", i)
		}
		pages = append(pages, p)
	}
	for _, p := range pages {
		e.Pages = append(e.Pages, p.URL)
	}
	if n == 1 {
		return nil
	}
	return pages
}

// TestSplitPageOfACrawler lets a manager split one page off an event that a crawler merged of two
// pages. A second manager shows the same two events, and later readings of the page go to the new
// event at both.
func TestSplitPageOfACrawler(t *testing.T) {
	worker := openEventStore(t)
	log := &eventLog{last: map[string]uint64{}, entries: map[uint64][]byte{}}
	p := publisher{name: "w1", store: worker, warn: t.Errorf, publish: log.announce}
	seen := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	e, _ := someCall(0)
	e.FirstSeen, e.LastSeen = seen, seen
	part := e
	part.URL, part.Title, part.EventEnd = e.URL+"/young", "Conference on Subject 0: Young Researchers", "2027-06-01"
	part.Text = "Young researchers meet on the first day."
	publish := func(read ...eventseer.Event) {
		t.Helper()
		for _, r := range read {
			if _, err := worker.Put(t.Context(), r, nil); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := p.publishNext(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	publish(e, part)
	if worker.Len() != 1 {
		t.Fatalf("%d events at the crawler, want 1 of two pages", worker.Len())
	}
	var managers []*store.Store
	var sinks []Sink
	for range 2 {
		managers = append(managers, openEventStore(t))
		sinks = append(sinks, Sink{managers[len(managers)-1], t.Errorf})
	}
	sender := CorrectionSender{From: "m1", Store: managers[0], Announce: log.announce, Warn: t.Errorf}
	share := func() {
		t.Helper()
		for i, s := range sinks {
			if i == 1 {
				if _, err := sender.sendNext(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			log.deliverTo(t, s, len(log.entries))
		}
	}
	share()
	id := slices.Collect(func(yield func(eventseer.EventID) bool) {
		for e := range managers[0].Events(t.Context()) {
			yield(e.ID)
		}
	})[0]
	kept, err := managers[0].Correct(t.Context(), nil, eventseer.Correction{Kind: eventseer.SplitCorrection, Event: id, Pages: []string{part.URL}, Who: "ann", At: seen})
	if err != nil {
		t.Fatal(err)
	}
	share()
	part.Title, part.Text, part.LastSeen = "Young Researchers on Subject 0", "They meet in the garden.", seen.Add(time.Hour)
	publish(part)
	share()
	for i, m := range managers {
		at, err := m.Event(t.Context(), kept[0].Other)
		if err != nil || at.Title != part.Title || !slices.Equal(at.Pages, []string{part.URL}) {
			t.Errorf("manager %d has %q of %v, %v; want %q of its own page", i+1, at.Title, at.Pages, err, part.Title)
		}
		if rest, err := m.Event(t.Context(), id); err != nil || rest.Title != e.Title || slices.Contains(rest.Pages, part.URL) {
			t.Errorf("manager %d is left with %q of %v, %v", i+1, rest.Title, rest.Pages, err)
		}
		for _, err := range m.Check() {
			t.Error(err)
		}
	}
}

// TestCorrectionBeforeItsEvent gives a manager a correction before the event. The event arrives without the
// page that the correction is about, because the crawlers no longer send that page.
func TestCorrectionBeforeItsEvent(t *testing.T) {
	st := openEventStore(t)
	seen := time.Date(2026, 11, 1, 0, 0, 0, 0, time.UTC)
	e, _ := someCall(0)
	e.ID, e.FirstSeen, e.LastSeen = "of-a", seen, seen
	c, err := curate.New(eventseer.Correction{Kind: eventseer.EditCorrection, Event: e.ID, Page: e.URL + "/gone", Field: "title", Value: "Corrected", Who: "ann", At: seen})
	if err != nil {
		t.Fatal(err)
	}
	if err := st.PutCorrections(t.Context(), []eventseer.Correction{c}, true); err != nil {
		t.Fatal(err)
	}
	data, _, err := encodeEvent(message{From: "w1", Event: e}, cluster.MaxMessage)
	if err != nil {
		t.Fatal(err)
	}
	if err := (Sink{st, t.Errorf}).StoreAnnouncement(t.Context(), cluster.Announcement{Data: data}); err != nil {
		t.Fatal(err)
	}
	if got, err := st.Event(t.Context(), e.ID); err != nil || got.Title != "Corrected" {
		t.Errorf("the event is called %q, %v", got.Title, err)
	}
	for _, err := range st.Check() {
		t.Error(err)
	}
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
	switch rapid.IntRange(0, 3).Draw(t, "correction") {
	case 0:
		c.Kind, c.Field, c.Value = eventseer.EditCorrection, "title", fmt.Sprint("Title ", at.Hour(), at.Day())
	case 1:
		c.Kind = eventseer.HideCorrection
	case 2:
		c.Kind, c.Other = eventseer.MergeCorrection, pick("other")
	case 3:
		e, err := s.Event(t.Context(), c.Event)
		if err != nil {
			t.Fatal(err)
		}
		pages := e.CallPages()
		c.Kind, c.Pages = eventseer.SplitCorrection, pages[rapid.IntRange(0, len(pages)-1).Draw(t, "page"):][:1]
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
