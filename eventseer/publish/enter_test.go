package publish

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/eventseer/publish/match"
	"github.com/eventseer/eventseer/eventseer/publish/records"
	"github.com/eventseer/eventseer/features/dictionary"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/eventstest"
)

// broughtEvents returns the events that a list brought so far, in order of their ids.
func (w *world) broughtEvents(l eventseer.List) (ids []string) {
	w.t.Helper()
	items, _, err := w.Items(w.t.Context(), l.Account, l.ID, 0, eventseer.MaxStream)
	if err != nil {
		w.t.Fatal(err)
	}
	for _, i := range items {
		if i.Kind == eventseer.NewCall {
			ids = append(ids, string(i.Event))
		}
	}
	slices.Sort(ids)
	return ids
}

func (w *world) reopen() {
	w.t.Helper()
	if err := w.Close(); err != nil {
		w.t.Fatal(err)
	}
	w.open()
}

// TestCallComesIntoWindow follows one reader. The call is in the digest of the day on which it
// comes within 30 days, once, over restarts and days without a run.
func TestCallComesIntoWindow(t *testing.T) {
	w := newWorld(t)
	w.store.put(call("known-2027", "Known Conference on Crawling", "2026-12-01"), eventseer.Change{New: true, At: noon})
	w.store.put(call("late-2027", "Late Conference on Crawling", "2027-01-20"), eventseer.Change{New: true, At: noon})
	w.store.put(call("later-2027", "Later Conference on Crawling", "2027-03-20"), eventseer.Change{New: true, At: noon})
	w.store.put(call("other-2027", "Conference on Soil", "2027-01-20"), eventseer.Change{New: true, At: noon})
	w.publish()
	_, lists := w.subscribe("ann@x.example", eventseer.List{Query: "crawling due<30d", Rhythm: eventseer.Daily})
	for day := range 29 { // the deadline is 2027-01-21 12:00 UTC: 30 days before it is 22 December
		w.until(noon.AddDate(0, 0, day).Add(2 * time.Minute))
		w.publish()
	}
	if got := w.mail.taken(); len(got) != 0 {
		t.Fatalf("told %v before the window", subjects(got))
	}
	w.reopen()
	w.until(noon.AddDate(0, 0, 30).Add(2 * time.Minute))
	w.publish()
	if got := w.broughtEvents(lists[0]); !slices.Equal(got, []string{"late-2027"}) {
		t.Fatalf("the list brought %v", got)
	}
	w.until(noon.AddDate(0, 0, 31))
	w.publish()
	got := w.mail.taken()
	if len(got) != 1 || !strings.Contains(got[0].Text, "Late Conference on Crawling") || !strings.Contains(got[0].Text, "due<30d") {
		t.Fatalf("letters %v", subjects(got))
	}
	for day := 31; day < 80; day += 13 { // nothing ran for days
		w.until(noon.AddDate(0, 0, day))
		w.reopen()
		w.publish()
	}
	w.until(noon.AddDate(0, 0, 100))
	w.publish()
	w.until(noon.AddDate(0, 0, 101))
	w.publish()
	if got := w.mail.taken(); len(got) != 1 || !strings.Contains(got[0].Text, "Later Conference on Crawling") {
		t.Fatalf("letters %v after a long pause", subjects(got))
	}
}

// TestChangeBringsIntoWindow has calls come into windows by what became known of them.
func TestChangeBringsIntoWindow(t *testing.T) {
	w := newWorld(t)
	bare := call("bare-2027", "Conference on Crawling", "")
	bare.Deadlines = nil
	far, closed := call("far-2027", "Far Crawling", "2027-06-01"), call("closed-2027", "Closed Crawling", "2026-11-01")
	for _, e := range []eventseer.Event{bare, far, closed} {
		w.store.put(e, eventseer.Change{New: true, At: noon})
	}
	w.publish()
	_, lists := w.subscribe("ann@x.example", eventseer.List{Query: "crawling due<30d"}, eventseer.List{Query: "crawling month:2027-06"}, eventseer.List{Query: "crawling"})
	w.until(noon.Add(time.Hour))
	bare.Deadlines, bare.EventStart = call("", "", "2026-12-10").Deadlines, "2027-06-03"
	w.store.put(bare, eventseer.Change{At: w.clock, Fields: []eventseer.FieldChange{
		{Field: "event_start", New: "2027-06-03"}, {Field: "deadlines.submission", New: "2026-12-10 AoE"},
	}})
	far.Deadlines = call("", "", "2026-12-11").Deadlines
	w.store.put(far, eventseer.Change{At: w.clock, Fields: []eventseer.FieldChange{{Field: "deadlines.submission", Old: "2027-06-01 AoE", New: "2026-12-11 AoE"}}})
	closed.Deadlines = call("", "", "2027-03-01").Deadlines
	w.store.put(closed, eventseer.Change{At: w.clock, Fields: []eventseer.FieldChange{{Field: "deadlines.submission", Old: "2026-11-01 AoE", New: "2027-03-01 AoE"}}})
	w.publish()
	for i, want := range [][]string{{"bare-2027", "far-2027"}, {"bare-2027"}, {"closed-2027"}} {
		if got := w.broughtEvents(lists[i]); !slices.Equal(got, want) {
			t.Errorf("%s brought %v, want %v", lists[i].Query, got, want)
		}
	}
}

// A naiveReader stores the matches of a list at the last check, and the items it got. New matches since then
// it gets once.
type naiveReader struct {
	list  eventseer.List
	query *match.Matcher
	asked map[eventseer.EventID]bool
	told  map[string]bool
}

func (r *naiveReader) look(t *testing.T, w *world, tell bool) {
	if r.query == nil {
		r.query = matcherOf(t, r.list)
	}
	asked := map[eventseer.EventID]bool{}
	for id, e := range w.store.events {
		asked[id] = len(r.query.Match(eventseer.Document{Event: e}, w.clock)) > 0 && !match.IsOver(e, w.clock)
		if tell && asked[id] && !r.asked[id] {
			r.told[string(id)] = true
		}
	}
	r.asked = asked
}

var windowQueries = []string{
	"due<30d", "due<6h", "due<=2w crawling", "due>30d", "start<3m", "start>2m crawling", "new>7d crawling", "new<3d", "-due<10d crawling",
	"crawling due<1m", "crawling due>2w due<6w", "due<1w OR start<20d", "crawling", "start<45d -due>10d",
}

// TestWindowsDayByDay feeds a store day by day, with lists that are created meanwhile. There are skipped
// days, restarts, new calls and calls that move. Each list gets its new matches since the last time, minus
// the items it got before.
func TestWindowsDayByDay(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { dayByDay(t, rand.New(rand.NewPCG(seed, 9))) })
	}
}

func dayByDay(t *testing.T, rnd *rand.Rand) {
	w := newWorld(t)
	w.db.NoSync = true
	a, _ := w.subscribe("ann@x.example")
	var readers []*naiveReader
	ids := 0
	total := 0
	for range 40 {
		for range rnd.IntN(3) {
			ids++
			w.store.put(randomCall(rnd, ids, w.clock), eventseer.Change{New: true, At: w.clock})
		}
		if ids > 0 && rnd.IntN(2) == 0 {
			moveCall(rnd, w, ids)
		}
		w.publish()
		for _, r := range readers {
			r.look(t, w, true)
			if want, got := slices.Sorted(maps.Keys(r.told)), w.broughtEvents(r.list); !slices.Equal(want, got) {
				t.Fatalf("on %s the list %q was told %v, want %v", w.clock.Format(time.DateTime), r.list.Query, got, want)
			}
			total += len(r.told)
		}
		if len(readers) < len(windowQueries) {
			w.clock = w.clock.Add(time.Duration(rnd.IntN(3600)) * time.Second)
			l, err := w.SaveList(t.Context(), eventseer.List{Account: a.ID, Query: windowQueries[len(readers)], Rhythm: eventseer.Quiet})
			if err != nil {
				t.Fatal(err)
			}
			r := &naiveReader{list: l, told: map[string]bool{}}
			r.look(t, w, false)
			readers = append(readers, r)
		}
		if rnd.IntN(5) == 0 {
			w.reopen()
			w.db.NoSync = true
		}
		w.clock = w.clock.Add(time.Duration(1+rnd.IntN(36)) * time.Hour)
		if rnd.IntN(9) == 0 {
			w.clock = w.clock.AddDate(0, 0, rnd.IntN(20))
		}
	}
	t.Logf("%d events, %d times told over all days", ids, total)
}

func randomCall(rnd *rand.Rand, n int, now time.Time) eventseer.Event {
	day := func(ahead int) string { return now.AddDate(0, 0, rnd.IntN(ahead)).Format(time.DateOnly) }
	e := call(fmt.Sprintf("e%d-2027", n), []string{"Conference on Crawling", "Conference on Soil"}[rnd.IntN(2)], day(90))
	e.FirstSeen = now
	if rnd.IntN(3) > 0 {
		e.EventStart = eventseer.Date(day(200))
	}
	if rnd.IntN(3) == 0 {
		e.Deadlines = append(e.Deadlines, eventseer.Deadline{Kind: eventseer.Abstract, Date: eventseer.Date(day(60)), TZ: "AoE"})
	}
	if rnd.IntN(5) == 0 {
		e.Deadlines = nil
	}
	return e
}

func moveCall(rnd *rand.Rand, w *world, ids int) {
	e := w.store.events[eventseer.EventID(fmt.Sprintf("e%d-2027", 1+rnd.IntN(ids)))]
	next := randomCall(rnd, 0, w.clock)
	moved := e
	moved.Deadlines, moved.EventStart = next.Deadlines, next.EventStart
	if fields := change.Diff(e, moved); len(fields) > 0 {
		w.store.put(moved, eventseer.Change{At: w.clock, Fields: fields})
	}
}

// TestEdgesAgree compares the stored days of events with the actual ones, after events were added, changed,
// merged and read again.
func TestEdgesAgree(t *testing.T) {
	w := newWorld(t)
	events := eventstest.Events(3, 60, noon)
	for _, e := range events[:30] {
		w.store.put(e, eventseer.Change{New: true, At: noon})
	}
	w.publish()
	w.subscribe("ann@x.example", eventseer.List{Query: "due<30d"})
	w.publish()
	for _, e := range events[30:] {
		w.store.put(e, eventseer.Change{New: true, At: noon})
	}
	w.store.unite(events[0].ID, events[1].ID)
	moved := events[2]
	moved.Deadlines = call("", "", "2027-02-02").Deadlines
	w.store.put(moved, eventseer.Change{At: noon.Add(time.Minute), Fields: []eventseer.FieldChange{{Field: "deadlines.submission", New: "2027-02-02 AoE"}}})
	w.publish()
	got := map[eventseer.EventID]string{}
	w.eachRecord(func(bucket string, k, v []byte) {
		if bucket == "edges" {
			got[eventseer.EventID(k)] = string(v)
		}
	})
	for id, e := range w.store.events {
		changed := time.Time{}
		if id == moved.ID {
			changed = noon.Add(time.Minute)
		}
		if got[id] != string(windowDaysOf(e, changed, noon)) {
			t.Errorf("the days kept of %s are others than those it has", id)
		}
		delete(got, id)
	}
	if len(got) > 0 {
		t.Errorf("days of %v are kept, which are no events", slices.Sorted(maps.Keys(got)))
	}
}

// TestWindowsCostWhatEnters counts the events that are looked at: those with a day at the
// end of a window, not all.
func TestWindowsCostWhatEnters(t *testing.T) {
	w := newWorld(t)
	for n := range 400 { // one deadline a day
		w.store.put(call(fmt.Sprintf("e%d-2027", n), "Crawling", noon.AddDate(0, 0, n).Format(time.DateOnly)), eventseer.Change{New: true, At: noon})
	}
	w.subscribe("ann@x.example", eventseer.List{Query: "due<30d"}, eventseer.List{Query: "crawling due<30d"}, eventseer.List{Query: "due<90d"})
	w.publish()
	var ids []eventseer.EventID
	err := w.db.View(func(tx *bolt.Tx) error {
		then := records.WindowsDone(tx)
		ids = eventsWithDaysIn(tx, w.matcher.WindowCrossings(then, then.AddDate(0, 0, 1)))
		return nil
	})
	if err != nil || len(ids) != 3 { // now, in 30 days and in 90
		t.Errorf("%d events are looked at: %v, %v", len(ids), ids, err)
	}
}

func matcherOf(t testing.TB, lists ...eventseer.List) *match.Matcher {
	t.Helper()
	d, err := dictionary.Open(dictionary.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := match.New(d)
	if err := m.Set(lists...); err != nil {
		t.Fatal(err)
	}
	return m
}
