package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

// memory is a store of two lists.
type memory struct {
	eventseer.Store
	events  map[eventseer.EventID]eventseer.Event
	changes []eventseer.Change
	marks   map[string]uint64
	clips   map[eventseer.EventID][]eventseer.Clip
	bad     eventseer.EventID // cannot be read
	poor    eventseer.EventID // its clips cannot
}

func newMemory() *memory {
	return &memory{events: map[eventseer.EventID]eventseer.Event{}, marks: map[string]uint64{}}
}

func (m *memory) put(e eventseer.Event) {
	m.events[e.ID] = e
	m.changes = append(m.changes, eventseer.Change{Seq: uint64(len(m.changes) + 1), Event: e.ID})
}

func (m *memory) Event(_ context.Context, id eventseer.EventID) (eventseer.Event, error) {
	if id == m.bad {
		return eventseer.Event{ID: id}, errors.New("corrupt")
	}
	e, ok := m.events[id]
	if !ok {
		return e, eventseer.ErrNotFound
	}
	return e, nil
}

func (m *memory) Events(ctx context.Context) iter.Seq2[eventseer.Event, error] {
	return func(yield func(eventseer.Event, error) bool) {
		for id := range m.events {
			if !yield(m.Event(ctx, id)) {
				return
			}
		}
	}
}

func (m *memory) Outbox(_ context.Context, after uint64) iter.Seq2[eventseer.Change, error] {
	return func(yield func(eventseer.Change, error) bool) {
		for _, c := range m.changes[min(after, uint64(len(m.changes))):] {
			if !yield(c, nil) {
				return
			}
		}
	}
}

func (m *memory) Clips(_ context.Context, id eventseer.EventID) ([]eventseer.Clip, error) {
	if id == m.poor {
		return nil, errors.New("torn")
	}
	return m.clips[id], nil
}

func (m *memory) History(_ context.Context, id eventseer.EventID) (out []eventseer.Change, err error) {
	for _, c := range m.changes {
		if c.Event == id {
			out = append(out, c)
		}
	}
	return out, nil
}

func (m *memory) SetReaderPosition(_ context.Context, r string, seq uint64) error {
	m.marks[r] = seq
	return nil
}
func (m *memory) ReaderPosition(_ context.Context, r string) (uint64, error) { return m.marks[r], nil }

func numbered(n int) eventseer.Event {
	return eventseer.Event{ID: eventseer.EventID(fmt.Sprintf("e%d", n)), Title: fmt.Sprintf("Meeting number%d", n)}
}

func syncAll(t *testing.T, m *memory, x *Index) {
	t.Helper()
	if err := Sync(t.Context(), m, x); err != nil {
		t.Fatal(err)
	}
	found, err := x.Find(t.Context(), eventseer.Query{})
	if want := len(m.events); err != nil || found.Total != want {
		t.Fatalf("the index holds %d events (%v), want %d", found.Total, err, want)
	}
	if m.marks[Reader] != uint64(len(m.changes)) {
		t.Fatalf("mark = %d of %d changes", m.marks[Reader], len(m.changes))
	}
}

func TestSync(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index")
	x, err := Open(path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = x.Close() }()
	m := newMemory()
	syncAll(t, m, x)
	for n := range 3 {
		m.put(numbered(n))
	}
	syncAll(t, m, x)
	for n := range batchSize*2 + 7 {
		m.put(numbered(n))
	}
	renamed := numbered(1)
	renamed.Title = "Gathering"
	m.put(renamed)
	syncAll(t, m, x)
	if got := find(t, x, eventseer.Query{Text: "gathering"}); !slices.Equal(got, []string{"e1"}) {
		t.Errorf("found %v", got)
	}
	if got := find(t, x, eventseer.Query{Text: "number1"}); len(got) != 0 {
		t.Errorf("the old title still finds %v", got)
	}
	delete(m.events, "e5")
	m.changes = append(m.changes, eventseer.Change{Seq: uint64(len(m.changes) + 1), Event: "e5"})
	syncAll(t, m, x)

	other := newMemory() // a store that lost its end, such as one restored
	other.put(numbered(9999))
	syncAll(t, other, x)
}

func TestSyncLeavesOutWhatCannotBeRead(t *testing.T) {
	var talk bytes.Buffer
	x, err := Open("", Options{Log: slog.New(slog.NewTextHandler(&talk, nil))})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = x.Close() }()
	m := newMemory()
	m.put(numbered(1))
	m.put(numbered(2))
	m.bad = "e2"
	for range 2 { // rebuilt, then synced
		if err := Sync(t.Context(), m, x); err != nil {
			t.Fatal(err)
		}
		m.put(numbered(2))
	}
	if got := find(t, x, eventseer.Query{}); !slices.Equal(got, []string{"e1"}) {
		t.Errorf("found %v", got)
	}
	if !strings.Contains(talk.String(), "corrupt") {
		t.Errorf("nobody was told: %s", talk.String())
	}
}

// ranked is a store that keeps series too.
type ranked struct {
	*memory
	eventseer.SeriesStore
	series map[string]eventseer.Series
}

func (r ranked) Series(_ context.Context, id string) (eventseer.Series, error) {
	if id == "torn" {
		return eventseer.Series{}, errors.New("torn")
	}
	s, ok := r.series[id]
	if !ok {
		return s, eventseer.ErrNotFound
	}
	return s, nil
}

func TestSyncReadsClipsRanksAndChanges(t *testing.T) {
	x, err := Open("", Options{})
	must(t, err)
	defer func() { _ = x.Close() }()
	store := ranked{memory: newMemory(), series: map[string]eventseer.Series{"icx": {Ranks: []eventseer.Rank{{System: "core", Value: "A"}}}}}
	store.clips = map[eventseer.EventID][]eventseer.Clip{"icx-2027": {{Summary: "Robots come."}}, "torn-2027": {{Summary: "Robots go."}}}
	store.poor = "torn-2027"
	for range 2 { // rebuilt, then synced
		store.put(eventseer.Event{ID: "icx-2027", Acronym: "ICX", Title: "Robots"})
		store.put(eventseer.Event{ID: "torn-2027", Series: "torn", Title: "Robots"})
		store.changes[len(store.changes)-2].At = now.AddDate(0, 0, -2)
		store.changes[len(store.changes)-2].Fields = []eventseer.FieldChange{{Field: "title", New: "Robots"}}
		must(t, Sync(t.Context(), store, x))
		for text, want := range map[string][]string{
			"clip:robots": {"icx-2027"}, "rank:core>=A": {"icx-2027"}, "changed<3d": {"icx-2027"}, "title:robots": {"icx-2027", "torn-2027"},
		} {
			got := find(t, x, eventseer.Query{Text: text, Now: now})
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("%s finds %v, want %v", text, got, want)
			}
		}
	}
	store.series["icx"] = eventseer.Series{Ranks: []eventseer.Rank{{System: "core", Value: "B", Year: 2026}}}
	store.put(store.events["icx-2027"]) // as PutSeries has it
	must(t, Sync(t.Context(), store, x))
	if got := find(t, x, eventseer.Query{Text: "rank:core>=A"}); len(got) != 0 {
		t.Errorf("the old rank finds %v", got)
	}
}
