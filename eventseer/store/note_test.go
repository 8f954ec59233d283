package store

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/bolt"

	"pgregory.net/rapid"
)

func notes(t *testing.T, s *Store, done bool) []eventseer.Note {
	t.Helper()
	all, err := s.Notes(t.Context(), done, eventseer.MaxNotes)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func leave(t *testing.T, s *Store, n eventseer.Note) {
	t.Helper()
	if err := s.StoreNote(t.Context(), n); err != nil {
		t.Fatal(err)
	}
}

func TestNotes(t *testing.T) {
	s := newStore(t)
	wrong := eventseer.Note{Kind: eventseer.ErrorReport, Event: "icx-2027", Field: "location", Text: "It is in Oslo. Ask ann@uni.example."}
	leave(t, s, wrong)
	leave(t, s, wrong)
	next := wrong
	next.At = day1.Add(24 * time.Hour)
	leave(t, s, next)
	leave(t, s, eventseer.Note{Kind: eventseer.Submitted, URL: "https://new.example.org/"})
	waiting := notes(t, s, false)
	if len(waiting) != 3 || waiting[0].Field != "location" || !waiting[0].At.Equal(day1) || waiting[2].URL == "" {
		t.Fatalf("%d wait: %+v", len(waiting), waiting)
	}
	if strings.Contains(waiting[0].Text, "@") {
		t.Errorf("an address is kept: %q", waiting[0].Text)
	}
	if err := s.CloseNote(t.Context(), waiting[1].ID, "corrected", day1.Add(48*time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := s.CloseNote(t.Context(), waiting[1].ID, "again", day1); err != nil {
		t.Errorf("settled twice: %v", err)
	}
	if err := s.CloseNote(t.Context(), "none", "", day1); !errors.Is(err, eventseer.ErrNotFound) {
		t.Errorf("no such note: %v", err)
	}
	done := notes(t, s, true)
	if len(done) != 1 || done[0].Answer != "corrected" || done[0].ID != waiting[1].ID || done[0].Done.IsZero() {
		t.Errorf("settled: %+v", done)
	}
	leave(t, s, next) // of the same day, and settled
	if left := notes(t, s, false); len(left) != 2 {
		t.Errorf("%d wait, want 2", len(left))
	}
	if n, err := s.CountOpenNotes(); n != 2 || err != nil {
		t.Errorf("%d are counted, %v", n, err)
	}
}

func TestDeskBoundsNotes(t *testing.T) {
	s := newStore(t)
	leave(t, s, eventseer.Note{Kind: eventseer.Removal, Text: strings.Repeat("é", eventseer.MaxNote+5) + "\xff"})
	if text := notes(t, s, false)[0].Text; len([]rune(text)) != eventseer.MaxNote {
		t.Errorf("%d runes are kept", len([]rune(text)))
	}
	for name, n := range map[string]eventseer.Note{
		"no kind":       {},
		"a long kind":   {Kind: eventseer.NoteKind(strings.Repeat("x", 200))},
		"a long URL":    {Kind: eventseer.Submitted, URL: "https://x.example/" + strings.Repeat("x", maxNoteURL)},
		"a long field":  {Kind: eventseer.ErrorReport, Field: strings.Repeat("x", 200)},
		"a long event ": {Kind: eventseer.ErrorReport, Event: eventseer.EventID(strings.Repeat("x", 300))},
	} {
		if err := s.StoreNote(t.Context(), n); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}

func TestDeskIsFull(t *testing.T) {
	s := newStore(t)
	err := s.db.Update(func(tx *bolt.Tx) error { // in one transaction, to be quick
		for n := range eventseer.MaxNotes {
			if err := putNote(tx, fit(t, s, n)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.StoreNote(t.Context(), eventseer.Note{Kind: eventseer.Appeal, Text: "one more"}); !errors.Is(err, eventseer.ErrDeskFull) {
		t.Fatalf("%v, want ErrDeskFull", err)
	}
	first := notes(t, s, false)[0].ID
	if err := s.CloseNote(t.Context(), first, "", day1); err != nil {
		t.Fatal(err)
	}
	leave(t, s, eventseer.Note{Kind: eventseer.Appeal, Text: "one more"})
}

// Of the settled notes the newest are kept.
func TestDeskForgets(t *testing.T) {
	s := newStore(t)
	err := s.db.Update(func(tx *bolt.Tx) error {
		for n := range eventseer.MaxNoteDone + 3 {
			note := fit(t, s, n)
			if err := errors.Join(putNote(tx, note), closeNote(tx, note.ID, fmt.Sprint(n), day1)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	done, err := s.Notes(t.Context(), true, 2*eventseer.MaxNoteDone)
	if err != nil || len(done) != eventseer.MaxNoteDone || done[0].Answer != "3" {
		t.Errorf("%d settled are kept, from %q, %v", len(done), done[0].Answer, err)
	}
}

// fit returns the nth note as it is stored.
func fit(t *testing.T, s *Store, n int) eventseer.Note {
	t.Helper()
	note, err := s.prepareNote(eventseer.Note{Kind: eventseer.Appeal, Text: fmt.Sprint("number ", n)})
	if err != nil {
		t.Fatal(err)
	}
	return note
}

func TestDeskAgainstModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := newStore(t)
		var waiting, done []string // texts
		for range rapid.IntRange(1, 20).Draw(rt, "steps") {
			text := rapid.SampledFrom([]string{"a", "b", "c", "d", "e"}).Draw(rt, "text")
			if rapid.Bool().Draw(rt, "leave") {
				if err := s.StoreNote(t.Context(), eventseer.Note{Kind: eventseer.Appeal, Text: text}); err != nil {
					rt.Fatal(err)
				}
				if !slices.Contains(waiting, text) && !slices.Contains(done, text) {
					waiting = append(waiting, text)
				}
				continue
			}
			for _, n := range notes(t, s, false) {
				if n.Text != text {
					continue
				}
				if err := s.CloseNote(t.Context(), n.ID, "ok", day1); err != nil {
					rt.Fatal(err)
				}
				waiting = slices.DeleteFunc(waiting, func(w string) bool { return w == text })
				done = append(done, text)
			}
		}
		texts := func(notes []eventseer.Note) (all []string) {
			for _, n := range notes {
				all = append(all, n.Text)
			}
			return all
		}
		if got := texts(notes(t, s, false)); !slices.Equal(got, waiting) {
			rt.Fatalf("%v wait, want %v", got, waiting)
		}
		if got := texts(notes(t, s, true)); !slices.Equal(got, done) {
			rt.Fatalf("%v are settled, want %v", got, done)
		}
	})
}
