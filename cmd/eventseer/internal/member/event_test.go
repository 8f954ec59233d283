package member

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/store"
)

func openEventStore(t *testing.T) *store.Store {
	t.Helper()
	st, err := store.Open(filepath.Join(t.TempDir(), app.StoreFile), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = st.Close() })
	return st
}

func someCall(n int) (eventseer.Event, []eventseer.Clip) {
	url := fmt.Sprintf("https://conf%d.example/cfp", n)
	return eventseer.Event{
		URL: url, Title: fmt.Sprintf("Conference on Subject %d", n), Acronym: fmt.Sprintf("SUBJ%c", 'A'+n), Year: 2027, EventStart: "2027-06-01",
		Sources: map[string]eventseer.Provenance{"title": {URL: url, Snippet: "Conference on"}},
	}, []eventseer.Clip{{ID: fmt.Sprint("c", n), URL: url, Summary: "Papers are due on 1 May"}}
}

// An event found by a crawler reaches the manager's store with its clips and where it was read. It
// comes once more after a crash before the mark, and two crawlers' finds of one event do not hide
// each other.
func TestClusterEventsArrive(t *testing.T) {
	ctx := context.Background()
	worker, manager := openEventStore(t), openEventStore(t)
	const calls = 3
	for n := range calls {
		e, clips := someCall(n)
		if _, err := worker.Put(ctx, e, clips); err != nil {
			t.Fatal(err)
		}
	}
	sink := Sink{manager, t.Errorf}
	ids := map[string]bool{}
	broken := errors.New("cut off")
	failing := true
	p := publisher{name: "w1", store: worker, warn: t.Errorf, publish: func(ctx context.Context, id string, data []byte) error {
		if len(ids) == 2 && failing {
			failing = false
			return broken
		}
		ids[id] = true
		return sink.StoreAnnouncement(ctx, cluster.Announcement{From: "w1", Data: data})
	}}
	if _, err := p.publishNext(ctx); !errors.Is(err, broken) {
		t.Fatalf("round without a bus: %v", err)
	}
	for {
		n, err := p.publishNext(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
	}
	if len(ids) != calls || manager.Len() != calls {
		t.Fatalf("%d ids, %d events; want %d", len(ids), manager.Len(), calls)
	}
	want, clips := someCall(1)
	got, err := manager.EventOf(ctx, want.URL)
	if err != nil {
		t.Fatal(err)
	}
	if got.Title != want.Title || got.Sources["title"].Snippet != want.Sources["title"].Snippet {
		t.Errorf("arrived as %+v", got)
	}
	kept, err := manager.Clips(ctx, got.ID)
	if err != nil || len(kept) != 1 || kept[0].Summary != clips[0].Summary {
		t.Errorf("clips %+v, %v", kept, err)
	}
}

// An event with more than a message holds arrives without its least parts.
func TestClusterEventTrimmed(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	noise := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte('!' + random.IntN(90))
		}
		return string(b)
	}
	e, clips := someCall(0)
	for range 400 {
		clips = append(clips, eventseer.Clip{ID: noise(20), URL: e.URL, Summary: noise(400)})
	}
	for range 600 {
		e.Committee = append(e.Committee, eventseer.Person{Name: noise(200)})
	}
	data, left, err := encodeEvent(message{From: "w1", Event: e, Clips: clips}, cluster.MaxMessage)
	if err != nil || len(data) > cluster.MaxMessage || left == "" {
		t.Fatalf("%d bytes, left %q, %v", len(data), left, err)
	}
	m, err := decodeMessage(data)
	if err != nil || m.Event.Title != e.Title || m.Event.Sources["title"].URL != e.URL {
		t.Fatalf("%+v, %v", m.Event, err)
	}
	e.Committee = e.Committee[:100]
	if _, left, err = encodeEvent(message{From: "w1", Event: e, Clips: clips[:50]}, cluster.MaxMessage); err != nil || left != "" {
		t.Errorf("what fits compressed is left out: %q, %v", left, err)
	}
}

// Messages of anybody are taken, or refused as no event; they never break a manager.
func FuzzClusterEvent(f *testing.F) {
	e, clips := someCall(0)
	data, _, err := encodeEvent(message{From: "w1", Event: e, Clips: clips}, cluster.MaxMessage)
	if err != nil {
		f.Fatal(err)
	}
	packed, err := gzipBytes(data)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Add(packed)
	f.Add([]byte("{}"))
	f.Add([]byte{0x1f, 0x8b})
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := decodeMessage(data)
		if err == nil && m.Event.URL == "" {
			t.Errorf("an event without a page: %+v", m)
		}
	})
}

// The credentials decide who the writer is, not the message: no crawler can publish in the name of another,
// or make corrections like a manager.
func TestSinkKnowsTheWriter(t *testing.T) {
	ctx := context.Background()
	e, clips := someCall(1)
	e.ID = "e1"
	event, _, err := encodeEvent(message{From: "w1", Event: e, Clips: clips}, cluster.MaxMessage)
	if err != nil {
		t.Fatal(err)
	}
	correction, err := json.Marshal(message{From: "m1", Correction: &eventseer.Correction{ID: "c1"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		a            cluster.Announcement
		warns, taken int
	}{
		{cluster.Announcement{From: "w2", Data: event}, 1, 0},
		{cluster.Announcement{From: "w1", Data: correction}, 1, 0},
		{cluster.Announcement{From: "m1", Data: correction}, 1, 0},
		{cluster.Announcement{From: "w1", Data: []byte("garbage")}, 1, 0},
		{cluster.Announcement{From: "w1", Data: event}, 0, 1},
		{cluster.Announcement{Data: event}, 0, 1},
	} {
		st, warned := openEventStore(t), 0
		sink := Sink{st, func(string, ...any) { warned++ }}
		if err := sink.StoreAnnouncement(ctx, c.a); err != nil || warned != c.warns || st.Len() != c.taken {
			t.Errorf("of %q: %d events, %d warnings, %v", c.a.From, st.Len(), warned, err)
		}
	}
}
