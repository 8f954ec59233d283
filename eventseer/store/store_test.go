package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/internal/bolt"

	"github.com/google/go-cmp/cmp"
	"go.etcd.io/bbolt"
)

var day1 = time.Date(2027, 1, 1, 12, 0, 0, 0, time.UTC)

func openStore(t testing.TB, path string, o Options) *Store {
	t.Helper()
	s, err := Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func newStore(t *testing.T) *Store {
	t.Helper()
	s := openStore(t, filepath.Join(t.TempDir(), "store.db"), Options{Now: func() time.Time { return day1 }})
	s.db.NoSync = true // no test of this kind crashes
	t.Cleanup(func() { checkClean(t, s) })
	return s
}

func checkClean(t *testing.T, s *Store) {
	t.Helper()
	for _, err := range s.Check() {
		t.Errorf("check: %v", err)
	}
}

// call makes a record as one page gives it; n tells editions apart.
func call(n int, seen time.Time) eventseer.Event {
	return eventseer.Event{
		URL:     fmt.Sprintf("https://conf%d.example.org/cfp", n),
		Title:   fmt.Sprintf("Conference on Subject %c", 'A'+n),
		Acronym: fmt.Sprintf("SUB%c 2027", 'A'+n), Kind: eventseer.Conference, Year: 2027,
		Deadlines: []eventseer.Deadline{{
			Kind: eventseer.Submission, Date: "2027-02-01", Instant: time.Date(2027, 2, 2, 12, 0, 0, 0, time.UTC),
		}},
		FirstSeen: seen, LastSeen: seen,
	}
}

func put(t *testing.T, s *Store, e eventseer.Event, clips ...eventseer.Clip) eventseer.EventID {
	t.Helper()
	id, err := s.Put(t.Context(), e, clips)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func event(t *testing.T, s *Store, id eventseer.EventID) eventseer.Event {
	t.Helper()
	e, err := s.Event(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func outbox(t *testing.T, s *Store, after uint64) (changes []eventseer.Change) {
	t.Helper()
	for c, err := range s.Outbox(t.Context(), after) {
		if err != nil {
			t.Fatal(err)
		}
		changes = append(changes, c)
	}
	return changes
}

func TestPutIsIdempotent(t *testing.T) {
	s := newStore(t)
	clip := eventseer.Clip{ID: "c1", Title: "call", Seen: day1}
	id := put(t, s, call(0, day1), clip)
	if again := put(t, s, call(0, day1), clip); again != id {
		t.Errorf("the same record went into %s, then %s", id, again)
	}
	later := day1.Add(time.Hour)
	put(t, s, call(0, later), clip)
	e := event(t, s, id)
	if !e.LastSeen.Equal(later) || !e.FirstSeen.Equal(day1) {
		t.Errorf("seen %v to %v, want %v to %v", e.FirstSeen, e.LastSeen, day1, later)
	}
	want := []eventseer.Change{{Seq: 1, Event: id, At: day1, Page: call(0, day1).URL, New: true}}
	if diff := cmp.Diff(want, outbox(t, s, 0)); diff != "" {
		t.Errorf("outbox (-want +got):\n%s", diff)
	}
	clips, err := s.Clips(t.Context(), id)
	if err != nil || len(clips) != 1 || clips[0].Event != id {
		t.Errorf("clips = %+v, %v", clips, err)
	}
}

func TestPutRecordsAChange(t *testing.T) {
	s := newStore(t)
	id := put(t, s, call(0, day1))
	moved := call(0, day1.Add(time.Hour))
	moved.Deadlines[0].Date, moved.Deadlines[0].Instant = "2027-02-08", time.Date(2027, 2, 9, 12, 0, 0, 0, time.UTC)
	if again := put(t, s, moved); again != id {
		t.Fatalf("the moved call became %s, not %s", again, id)
	}
	back := call(0, day1.Add(2*time.Hour))
	put(t, s, back)
	history, err := s.History(t.Context(), id)
	if err != nil || len(history) != 3 {
		t.Fatalf("history = %+v, %v; want new, moved, moved back", history, err)
	}
	if !history[0].New || len(history[1].Fields) == 0 || len(history[2].Fields) == 0 {
		t.Errorf("history = %+v", history)
	}
	if diff := cmp.Diff(history[1:], outbox(t, s, 1)); diff != "" {
		t.Errorf("outbox after 1 (-want +got):\n%s", diff)
	}
}

func TestPutMergesPagesOfOneEdition(t *testing.T) {
	s := newStore(t)
	id := put(t, s, call(0, day1))
	other := call(0, day1)
	other.URL = "https://list.example.net/all/7"
	if got := put(t, s, other); got != id {
		t.Errorf("the call on a list became %s, not %s", got, id)
	}
	if pages := event(t, s, id).Pages; len(pages) != 2 {
		t.Errorf("pages = %v", pages)
	}
	next := call(0, day1)
	next.Year, next.Acronym = 2028, "SUBA 2028"
	next.Deadlines[0].Date, next.Deadlines[0].Instant = "2028-02-01", time.Date(2028, 2, 2, 12, 0, 0, 0, time.UTC)
	if got := put(t, s, next); got == id {
		t.Error("next year's edition on the same page went into this year's")
	}
}

func TestFreeIDCounts(t *testing.T) {
	s := newStore(t)
	err := s.db.Update(func(tx *bolt.Tx) error {
		seen := map[eventseer.EventID]bool{}
		for n := range maxSameID + 20 {
			id := freeID(tx, call(0, day1))
			if seen[id] || n == 1 && !strings.HasSuffix(string(id), "-2") {
				t.Errorf("id %d is %s", n, id)
			}
			seen[id] = true
			if err := tx.Bucket(eventBucket).Put([]byte(id), []byte{0}); err != nil {
				return err
			}
		}
		return errors.New("roll back")
	})
	if err == nil {
		t.Error("the transaction was kept")
	}
}

func TestPutRefuses(t *testing.T) {
	s := newStore(t)
	if _, err := s.Put(t.Context(), eventseer.Event{Title: "x"}, nil); err == nil {
		t.Error("an event without URL was taken")
	}
	huge := call(0, day1)
	long := strings.Repeat("x", eventseer.MaxText)
	for range eventseer.MaxDeadlines { // each as long as can be, they are too much together
		huge.Deadlines = append(huge.Deadlines, eventseer.Deadline{Date: "2027-02-01", Track: long, Text: long, Source: eventseer.Provenance{URL: long, Path: long, Snippet: long, Inferred: long}})
	}
	if _, err := s.Put(t.Context(), huge, nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("error = %v, want ErrTooLarge", err)
	}
	if _, err := s.Put(t.Context(), call(1, day1), []eventseer.Clip{{ID: strings.Repeat("c", bbolt.MaxKeySize)}}); err == nil {
		t.Error("a clip with an endless id was taken")
	}
	if n := len(outbox(t, s, 0)); n != 0 {
		t.Errorf("refused records left %d changes", n)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Put(ctx, call(0, day1), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v, want context.Canceled", err)
	}
	if _, err := s.Event(t.Context(), "none"); !errors.Is(err, eventseer.ErrNotFound) {
		t.Errorf("error = %v, want ErrNotFound", err)
	}
	if _, err := s.History(t.Context(), "none"); !errors.Is(err, eventseer.ErrNotFound) {
		t.Errorf("error = %v, want ErrNotFound", err)
	}
}

// An imported event is cut to its bounds before it is merged, so that no page, feed or answer of
// the API grows with it.
func TestPutBounds(t *testing.T) {
	s := newStore(t)
	wide := call(0, day1)
	for i := range 10_000 {
		wide.Topics = append(wide.Topics, fmt.Sprintf("topic %d", i))
		wide.Deadlines = append(wide.Deadlines, eventseer.Deadline{Kind: eventseer.Submission, Track: fmt.Sprintf("track %d", i), Date: "2027-02-01", Instant: time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC)})
	}
	got := event(t, s, put(t, s, wide))
	if len(got.Topics) > eventseer.MaxTopics || len(got.Deadlines) > eventseer.MaxDeadlines || got.Deadlines[0].Instant.Year() > 9999 {
		t.Errorf("%d topics, %d deadlines, first at %v", len(got.Topics), len(got.Deadlines), got.Deadlines[0].Instant)
	}
	checkClean(t, s)
}

func TestBareRecord(t *testing.T) {
	s := newStore(t)
	id := put(t, s, eventseer.Event{URL: "/tmp/page.html"})
	e := event(t, s, id)
	if !e.FirstSeen.Equal(day1) || !e.LastSeen.Equal(day1) || len(e.Pages) != 1 {
		t.Errorf("event = %+v", e)
	}
}

func TestCorruptRecordHidesNoOther(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "store.db"), Options{})
	for n := range 3 {
		put(t, s, call(n, day1), eventseer.Clip{ID: "c", Seen: day1})
	}
	bad := put(t, s, call(1, day1))
	err := s.db.Update(func(tx *bolt.Tx) error {
		return errors.Join(
			tx.Bucket(eventBucket).Put([]byte(bad), []byte("\x01{half a rec")),
			tx.Bucket(changeBucket).Put(seqBytes(2), []byte("\x07later version")),
			tx.Bucket(clipBucket).Put(joinKey(string(bad), "c"), nil),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
	var good, corrupt int
	for e, err := range s.Events(t.Context()) {
		if errors.Is(err, ErrCorrupt) && e.ID == bad {
			corrupt++
		} else if err == nil {
			good++
		}
	}
	if good != 2 || corrupt != 1 {
		t.Errorf("%d good and %d corrupt events, want 2 and 1", good, corrupt)
	}
	good = 0
	for c, err := range s.Outbox(t.Context(), 0) {
		if err == nil {
			good++
		} else if c.Seq != 2 || !errors.Is(err, ErrCorrupt) {
			t.Errorf("change %d: %v", c.Seq, err)
		}
	}
	if good != 2 {
		t.Errorf("%d good changes, want 2", good)
	}
	if n := len(s.Check()); n != 3 {
		t.Errorf("check reports %d, want 3: %v", n, s.Check())
	}
	if id := put(t, s, call(1, day1)); id == bad {
		t.Error("the record of a corrupt event was dropped")
	} else if again := put(t, s, call(1, day1)); again != id {
		t.Errorf("then it went into %s", again)
	}
}

func TestReadersMayWrite(t *testing.T) {
	s := newStore(t)
	for n := range chunk + 20 {
		e := call(n%20, day1)
		e.Year, e.Acronym = 2000+n, fmt.Sprintf("X%d", n)
		put(t, s, e)
	}
	n := 0
	for e, err := range s.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; n%50 == 0 {
			put(t, s, e)
			if err := s.SetReaderPosition(t.Context(), "reader", uint64(n)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if n != chunk+20 {
		t.Errorf("%d events, want %d", n, chunk+20)
	}
	if got, err := s.ReaderPosition(t.Context(), "reader"); err != nil || got != 250 {
		t.Errorf("marked %d, %v", got, err)
	}
}

func TestOpenModes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data", "store.db")
	if _, err := Open(path, Options{MustExist: true}); !errors.Is(err, bolt.ErrMissing) {
		t.Errorf("error = %v, want ErrMissing", err)
	}
	s := openStore(t, path, Options{})
	id := put(t, s, call(0, day1))
	if _, err := Open(path, Options{Timeout: time.Millisecond}); !errors.Is(err, bolt.ErrLocked) {
		t.Errorf("error = %v, want ErrLocked", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	a, b := openStore(t, path, Options{ReadOnly: true}), openStore(t, path, Options{ReadOnly: true})
	for _, s := range []*Store{a, b} {
		if e := event(t, s, id); e.ID != id {
			t.Errorf("read %+v", e)
		}
	}
	if _, err := a.Put(t.Context(), call(1, day1), nil); err == nil {
		t.Error("a read-only store was written")
	}
}

// pages of one workshop: two that share too little to be merged, and the one that connects them.
func bridged() (program, call, home eventseer.Event) {
	program = eventseer.Event{
		URL: "https://list.example.net/2027/quiet", Title: "Programme of Quiet Engines", Year: 2027,
		EventStart: "2027-06-01", EventEnd: "2027-06-02", FirstSeen: day1, LastSeen: day1,
	}
	call = eventseer.Event{
		URL: "https://engines.example.org/cfp", Title: "Call for silent motors", Acronym: "QUIET", Year: 2027,
		Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-02-01"}},
		FirstSeen: day1.Add(time.Hour), LastSeen: day1.Add(time.Hour),
	}
	home = eventseer.Event{
		URL: "https://engines.example.org/", Title: "Programme of Quiet Engines", Acronym: "QUIET", Year: 2027,
		EventStart: "2027-06-01", EventEnd: "2027-06-02", FirstSeen: day1.Add(2 * time.Hour), LastSeen: day1.Add(2 * time.Hour),
		Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-02-01"}},
	}
	return program, call, home
}

func TestTwoEventsTurnOutToBeOne(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := openStore(t, path, Options{Score: match.RuleScore}) // by the rules the page of both joins them
	program, call, home := bridged()
	older := put(t, s, program, eventseer.Clip{ID: "a", Seen: day1})
	younger := put(t, s, call, eventseer.Clip{ID: "b", Seen: day1})
	if older == younger {
		t.Fatal("the two pages are one event already")
	}
	if id := put(t, s, home); id != older {
		t.Errorf("the page of both went into %s, want the older %s", id, older)
	}
	if s.Len() != 1 {
		t.Errorf("%d events, want 1", s.Len())
	}
	for range 2 {
		checkClean(t, s)
		e := event(t, s, younger)
		if e.ID != older || len(e.Pages) != 3 || len(e.Deadlines) != 1 || e.Acronym != "QUIET" {
			t.Errorf("%s leads to %+v", younger, e)
		}
		clips, err := s.Clips(t.Context(), younger)
		if err != nil || len(clips) != 2 || clips[1].Event != older {
			t.Errorf("clips = %+v, %v", clips, err)
		}
		history, err := s.History(t.Context(), older)
		if err != nil || len(history) < 4 {
			t.Errorf("history = %+v, %v", history, err)
		}
		rows := outbox(t, s, 0)
		if len(rows) != len(history) || !rows[0].New || !rows[1].New {
			t.Errorf("outbox = %+v", rows)
		}
		into := 0
		for _, c := range rows {
			if c.Into != "" {
				into++
				if c.Event != younger || c.Into != older {
					t.Errorf("change %+v, want %s into %s", c, younger, older)
				}
			}
		}
		if into != 1 {
			t.Errorf("%d changes say that an event went into another", into)
		}
		if again := put(t, s, call); again != older {
			t.Errorf("the same page then went into %s", again)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = openStore(t, path, Options{})
	}
}

// TestUniteCrashes stops the Put that unites two events after each page bbolt
// writes.
func TestUniteCrashes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "store.db")
	s := openStore(t, path, Options{Score: match.RuleScore})
	program, call, home := bridged()
	put(t, s, program)
	put(t, s, call)
	before := read(t, path)
	put(t, s, home)
	after := read(t, path)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	written := changedPages(before, after)
	torn := append(make([]byte, 0, len(after)), before...)
	torn = append(torn, make([]byte, len(after)-len(before))...)
	for n := 0; n <= len(written); n++ {
		at := filepath.Join(dir, fmt.Sprintf("torn-%d.db", n))
		if err := os.WriteFile(at, torn, 0o644); err != nil {
			t.Fatal(err)
		}
		want := 2
		if n == len(written) {
			want = 1
		} else {
			copy(torn[written[n]:], after[written[n]:written[n]+pageSize])
		}
		s := openStore(t, at, Options{Score: match.RuleScore})
		checkClean(t, s)
		if s.Len() != want {
			t.Errorf("torn at %d: %d events, want %d", n, s.Len(), want)
		}
		if put(t, s, home); s.Len() != 1 {
			t.Errorf("torn at %d: %d events after the repeated Put", n, s.Len())
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestOldStoreIsFiledAnew: a store from before there were aliases finds its
// events by the keys of today.
func TestOldStoreIsFiledAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	all := migrations
	migrations = all[:1]
	db, err := bolt.Open(path, bolt.Options{Kind: "store", Migrations: migrations})
	migrations = all
	if err != nil {
		t.Fatal(err)
	}
	e := call(0, day1)
	e.ID, e.Pages = "suba-2027", []string{e.URL}
	err = db.Update(func(tx *bolt.Tx) error {
		return errors.Join(
			putRecord(tx.Bucket(eventBucket), []byte(e.ID), e),
			tx.Bucket(pageBucket).Put(pageKey(e.URL, e.ID), make([]byte, 32)),
			tx.Bucket(eventBucket).Put([]byte("torn"), []byte("\x01{")),
		)
	})
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, path, Options{})
	mirror := call(0, day1)
	mirror.URL = "https://list.example.net/all/7"
	if id := put(t, s, mirror); id != e.ID {
		t.Errorf("a mirror went into %s, want %s", id, e.ID)
	}
}

func TestCopiedFromLastYear(t *testing.T) {
	s := newStore(t)
	dated := func(year string) eventseer.Event {
		e := call(0, day1)
		e.Acronym, e.EventStart = "SUBA "+year, eventseer.Date(year+"-06-01")
		e.Year, _ = strconv.Atoi(year)
		e.Confidence = 0.8
		e.Deadlines = []eventseer.Deadline{
			{Kind: eventseer.Submission, Date: eventseer.Date(year + "-02-01")},
			{Kind: eventseer.Notification, Date: eventseer.Date(year + "-04-01")},
		}
		return e
	}
	put(t, s, dated("2027"))
	e := event(t, s, put(t, s, dated("2028")))
	if len(e.Warnings) != 1 || e.Warnings[0].Rule != "copied" || e.Year != 2028 {
		t.Errorf("warnings of %d: %v", e.Year, e.Warnings)
	}
	mirror := dated("2028")
	mirror.URL = "https://list.example.net/all/8"
	if again := event(t, s, put(t, s, mirror)); again.ID != e.ID || len(again.Warnings) != 1 || again.Confidence != e.Confidence {
		t.Errorf("confidence %v of %s with a mirror, want %v of %s; warnings %v", again.Confidence, again.ID, e.Confidence, e.ID, again.Warnings)
	}
}

func TestCommitteesAreNoNews(t *testing.T) {
	committee := eventseer.FieldChange{Field: "committee", New: "Ann Example"}
	for want, c := range map[string]eventseer.Change{
		"":   {Fields: []eventseer.FieldChange{committee}},
		"a":  {Fields: []eventseer.FieldChange{committee, {Field: "title", Old: "A", New: "B"}}},
		"an": {New: true, Fields: []eventseer.FieldChange{committee}},
	} {
		if got := string(classesOf(c)); got != want {
			t.Errorf("%+v is of classes %q, want %q", c, got, want)
		}
	}
	for kind, want := range map[eventseer.ChangeKind]string{eventseer.CommitteeChanged: "", eventseer.Cosmetic: "", eventseer.PlaceChanged: "a"} {
		if got := string(classesOf(eventseer.Change{Kinds: []eventseer.ChangeKind{kind}})); got != want {
			t.Errorf("%s is of classes %q, want %q", kind, got, want)
		}
	}
}

// TestListName checks an archive that announces different events under one name, in any order, which shows
// that it is the name of the list. The events are hidden until one of their own pages gives their name.
// Nothing is merged by it, however many there are.
func TestListName(t *testing.T) {
	message := func(n int) eventseer.Event {
		e := eventseer.Event{
			URL: fmt.Sprintf("https://lists.example/calls/%04d.html", n), Title: "Gardens Post", Acronym: "Gardens", Year: 2027,
			EventStart: eventseer.Date(fmt.Sprintf("2027-%02d-01", 1+n%12)), EventEnd: eventseer.Date(fmt.Sprintf("2027-%02d-0%d", 1+n%12, 2+n/12%7)),
			Sources: map[string]eventseer.Provenance{"title": {Confidence: 0.9}}, FirstSeen: day1, LastSeen: day1,
			Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: eventseer.Date(fmt.Sprintf("2026-10-%02d", 1+n%28))}},
		}
		e.Pages = []string{e.URL}
		return e
	}
	for _, backwards := range []bool{false, true} {
		s := newStore(t)
		ids := map[eventseer.EventID]bool{}
		for i := range 4 {
			n := 3 * i
			if backwards {
				n = 9 - n
			}
			ids[put(t, s, message(n))] = true
		}
		if len(ids) != 4 {
			t.Fatalf("four events are %d", len(ids))
		}
		for id := range ids {
			if e := event(t, s, id); e.ExclusionReason() == "" {
				t.Errorf("%s is listed as %q", id, e.Acronym)
			}
		}
	}
	s := newStore(t)
	for n := range 2 {
		put(t, s, message(3*n))
	}
	for e, err := range s.Events(t.Context()) {
		if err != nil || e.ExclusionReason() != "" {
			t.Errorf("of two messages: %s, %v", e.ExclusionReason(), err)
		}
	}
	for n := range 300 {
		put(t, s, message(n))
	}
	if s.Len() < 12 {
		t.Errorf("300 messages of 84 events are %d events", s.Len())
	}
	for _, err := range s.Check() {
		t.Error(err)
	}
}

// TestQuestions: two messages that share a title and a year and nothing else stay apart and are an
// open question. Events that differ for certain are not.
func TestQuestions(t *testing.T) {
	s := newStore(t)
	e := eventseer.Event{URL: "https://lists.example/calls/1.html", Title: "Symposium on Beds and Hedges", Acronym: "SBH 2027", Year: 2027, FirstSeen: day1, LastSeen: day1}
	a := put(t, s, e)
	e.URL, e.Acronym = "https://lists.example/calls/2.html", ""
	b := put(t, s, e)
	put(t, s, call(7, day1))
	e.URL, e.Title, e.Year, e.Acronym = "https://lists.example/calls/3.html", "SBH 2026", 2026, "SBH 2026"
	put(t, s, e)
	got, err := s.OpenQuestions(t.Context())
	if err != nil || a == b || len(got) != 1 || got[0].A != min(a, b) || got[0].B != max(a, b) || got[0].Likeness >= 0 || got[0].Probability < match.QuestionProbability {
		t.Errorf("open questions of %s and %s: %+v, %v", a, b, got, err)
	}
}
