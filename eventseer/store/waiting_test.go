package store

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/bolt"

	"github.com/google/go-cmp/cmp"
)

// home makes the record of a page that is not a call, of the edition of call(n).
func home(n int, page string, seen time.Time) eventseer.Event {
	e := call(n, seen)
	e.URL = fmt.Sprintf("https://conf%d.example.org/%s", n, page)
	e.Related, e.Deadlines = []string{e.URL}, nil
	e.EventStart, e.EventEnd = "2027-06-01", "2027-06-03"
	e.Committee = []eventseer.Person{{Name: "Ann Example of " + page}}
	return e
}

func waiting(t *testing.T, s *Store) (n, keys int) {
	t.Helper()
	err := s.db.View(func(tx *bolt.Tx) error {
		n, keys = tx.Bucket(waitingBucket).Len(), tx.Bucket(waitingKeyBucket).Len()
		if pages := tx.Bucket(waitingPageBucket).Len(); pages != n {
			t.Errorf("%d pages of %d records wait", pages, n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return n, keys
}

// A page that is not a call creates no event, and adds the same to its event whether it comes before or after
// the call.
func TestRelatedPages(t *testing.T) {
	var got []eventseer.Event
	for _, first := range []bool{true, false} {
		s := newStore(t)
		if first {
			for range 2 {
				if id := put(t, s, home(0, "home", day1)); id != "" || s.Len() != 0 || len(outbox(t, s, 0)) != 0 {
					t.Fatalf("a home page became the event %q", id)
				}
			}
			put(t, s, home(1, "home", day1)) // of another event
			if n, _ := waiting(t, s); n != 2 {
				t.Fatalf("%d records wait, want 2", n)
			}
		}
		id := put(t, s, call(0, day1))
		if !first {
			put(t, s, home(0, "home", day1))
		}
		if wait, keys := waiting(t, s); first != (wait == 1) || first != (keys > 0) {
			t.Errorf("%d records wait under %d keys", wait, keys)
		}
		if rows := outbox(t, s, 0); first && len(rows) != 1 {
			t.Errorf("a new event that pages waited for is told in %d rows", len(rows))
		}
		got = append(got, event(t, s, id))
	}
	e := got[1]
	if e.EventStart != "2027-06-01" || len(e.Committee) != 1 || !cmp.Equal(e.Pages, []string{call(0, day1).URL}) || len(e.Related) != 1 {
		t.Errorf("the event is %+v", e)
	}
	if diff := cmp.Diff(got[0], e); diff != "" {
		t.Errorf("the home page first and last differ (-first +last):\n%s", diff)
	}
}

func TestWaitingRecordIsReplaced(t *testing.T) {
	s := newStore(t)
	put(t, s, home(0, "home", day1))
	moved := home(0, "home", day1.Add(time.Hour))
	moved.EventStart, moved.EventEnd = "2027-07-01", "2027-07-03"
	put(t, s, moved)
	if n, _ := waiting(t, s); n != 1 {
		t.Errorf("%d records of one page wait", n)
	}
	if e := event(t, s, put(t, s, call(0, day1))); e.EventStart != "2027-07-01" {
		t.Errorf("the event starts on %s", e.EventStart)
	}
	if n, keys := waiting(t, s); n != 0 || keys != 0 {
		t.Errorf("%d records wait under %d keys at the end", n, keys)
	}
}

// A page that waited and turns out to be a call waits no more.
func TestWaitingPageTurnsCall(t *testing.T) {
	s := newStore(t)
	e := home(0, "home", day1)
	put(t, s, e)
	e.Related = nil
	id := put(t, s, e)
	if n, _ := waiting(t, s); n != 0 || id == "" {
		t.Errorf("%d records wait beside %q", n, id)
	}
	e.Related = []string{e.URL}
	if again := put(t, s, e); again != id || len(event(t, s, id).Related) != 0 {
		t.Errorf("the call that is none now is %s, %+v", again, event(t, s, id))
	}
}

func TestWaitingRoomIsBounded(t *testing.T) {
	s := newStore(t)
	err := s.db.Update(func(tx *bolt.Tx) error {
		if err := tx.Bucket(waitingBucket).SetSequence(maxWaiting); err != nil {
			return err
		}
		for n := range 3 {
			if err := storeWaiting(tx, home(n, "home", day1)); err != nil {
				return err
			}
		}
		return tx.Bucket(waitingBucket).SetSequence(2 * maxWaiting)
	})
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, home(4, "home", day1))
	if n, _ := waiting(t, s); n != 3 {
		t.Errorf("%d records wait, want the newest 3", n)
	}
	long := home(5, "home", day1)
	long.Title += string(bytes.Repeat([]byte(" word"), maxWaitingRecord/5))
	put(t, s, long)
	if n, _ := waiting(t, s); n != 3 {
		t.Errorf("%d records wait after one that is too long", n)
	}
}

// Changes of a page besides its record are reported once for each version.
func TestKindsAreToldOnce(t *testing.T) {
	s := newStore(t)
	tell := func(version string, at time.Time, kinds ...eventseer.ChangeKind) {
		t.Helper()
		e := call(0, at)
		e.Version = version
		if _, err := s.Put(t.Context(), e, nil, kinds...); err != nil {
			t.Fatal(err)
		}
	}
	tell("v1", day1)
	tell("v2", day1.Add(time.Hour), eventseer.ProgramPosted, eventseer.LinksAdded)
	tell("v2", day1.Add(2*time.Hour), eventseer.ProgramPosted, eventseer.LinksAdded)
	tell("v3", day1.Add(3*time.Hour), eventseer.TemplateChange, eventseer.Cosmetic)
	tell("", day1.Add(4*time.Hour), eventseer.NewsItem)
	rows := outbox(t, s, 1)
	want := []eventseer.Change{{
		Seq: 2, Event: "suba-2027", At: day1.Add(time.Hour), Page: call(0, day1).URL,
		Kinds: []eventseer.ChangeKind{eventseer.ProgramPosted, eventseer.LinksAdded},
	}}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("outbox (-want +got):\n%s", diff)
	}
	moved := call(0, day1.Add(5*time.Hour))
	moved.Version, moved.Title = "v4", moved.Title+" and More"
	if _, err := s.Put(t.Context(), moved, nil, eventseer.NewsItem); err != nil {
		t.Fatal(err)
	}
	if rows := outbox(t, s, 2); len(rows) != 1 || len(rows[0].Fields) != 1 || len(rows[0].Kinds) != 1 {
		t.Errorf("a field and news are told in %+v", rows)
	}
}

// A store from before the waiting room opens, and has one.
func TestMigrateWaiting(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := openStore(t, path, Options{})
	put(t, s, call(0, day1))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s = openStore(t, path, Options{})
	put(t, s, home(1, "home", day1))
	checkClean(t, s)
}

func TestEventOf(t *testing.T) {
	s := newStore(t)
	id := put(t, s, call(0, day1))
	put(t, s, home(0, "home", day1))
	next := call(0, day1)
	next.Year, next.Acronym, next.Deadlines = 2028, "SUBA 2028", nil
	newest := put(t, s, next)
	for url, want := range map[string]eventseer.EventID{home(0, "home", day1).URL: id, next.URL: newest} {
		if e, err := s.EventOf(t.Context(), url); err != nil || e.ID != want {
			t.Errorf("event of %s is %s, %v; want %s", url, e.ID, err, want)
		}
	}
	if _, err := s.EventOf(t.Context(), "https://other.example/"); !errors.Is(err, eventseer.ErrNotFound) {
		t.Errorf("event of another page: %v", err)
	}
}
