package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/bolt"
)

// textsOf returns the texts of the pages of an event.
func textsOf(t *testing.T, s *Store, id eventseer.EventID, before time.Time) (out []string) {
	t.Helper()
	texts, err := s.Texts(t.Context(), id, before)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range texts {
		out = append(out, p.Text)
	}
	return out
}

func saying(text string, day int) eventseer.Event {
	e := call(0, day1.AddDate(0, 0, day))
	e.Text = text
	return e
}

func changes(t *testing.T, s *Store) (n int) {
	t.Helper()
	for _, err := range s.Outbox(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

func TestTexts(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	id := put(t, s, saying("first", 0))
	for day := 1; day <= 7; day++ {
		before := changes(t, s)
		put(t, s, saying(fmt.Sprintf("version %d", day/2), day)) // each twice
		if told := changes(t, s) - before; told != (day+1)%2 && day > 1 {
			t.Errorf("day %d: %d changes told", day, told)
		}
	}
	if got := textsOf(t, s, id, time.Time{}); !slices.Equal(got, []string{"version 3"}) {
		t.Errorf("texts %q", got)
	}
	for before, want := range map[int][]string{0: nil, 1: nil, 3: {"version 1"}, 6: {"version 2"}, 60: {"version 3"}} {
		if got := textsOf(t, s, id, day1.AddDate(0, 0, before)); !slices.Equal(got, want) {
			t.Errorf("before day %d: %q, want %q", before, got, want)
		}
	}
	if history, err := s.History(t.Context(), id); err != nil || len(history) != 1 {
		t.Errorf("history %v, %v: another text alone is no change of the event", history, err)
	}
	put(t, s, saying("an old one", 3))
	if got := textsOf(t, s, id, time.Time{}); !slices.Equal(got, []string{"version 3"}) {
		t.Errorf("texts %q after one that was read before", got)
	}
	n := 0
	err := s.db.View(func(tx *bolt.Tx) error {
		for range keysWithPrefix(tx, textBucket, pageHash(saying("", 0).URL)) {
			n++
		}
		return nil
	})
	if err != nil || n != maxVersions {
		t.Errorf("%d versions, %v", n, err)
	}
	if broken := s.Check(); broken != nil {
		t.Errorf("check: %v", broken)
	}
}

// A page that was read before texts were kept has its text as if it always had.
func TestFirstTextOfKnownPage(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	id := put(t, s, call(0, day1))
	put(t, s, saying("late", 5))
	if got := textsOf(t, s, id, day1); !slices.Equal(got, []string{"late"}) {
		t.Errorf("texts %q", got)
	}
}

func TestLongAndBrokenTexts(t *testing.T) {
	t.Parallel()
	s := openStore(t, filepath.Join(t.TempDir(), "store.db"), Options{}) // which is not checked at its end
	t.Cleanup(func() { _ = s.Close() })
	id := put(t, s, saying(strings.Repeat("sluice ", 1_000_000), 0))
	if got := textsOf(t, s, id, time.Time{}); len(got) != 1 || len(got[0]) > eventseer.MaxPageText || len(got[0]) < eventseer.MaxPageText/2 {
		t.Errorf("%d texts", len(got))
	}
	other := call(1, day1)
	other.Text = "of another page"
	put(t, s, other)
	err := s.db.Update(func(tx *bolt.Tx) error {
		for k, v := range keysWithPrefix(tx, textBucket, pageHash(saying("", 0).URL)) {
			return tx.Bucket(textBucket).Put(slices.Clone(k), v[:len(v)-3])
		}
		return errors.New("no text")
	})
	if err != nil {
		t.Fatal(err)
	}
	if texts, err := s.Texts(t.Context(), id, time.Time{}); !errors.Is(err, ErrCorrupt) || len(texts) != 0 {
		t.Errorf("texts %v, %v", texts, err)
	}
	if broken := s.Check(); len(broken) != 1 {
		t.Errorf("check: %v", broken)
	}
	put(t, s, saying("written anew", 1))
	if got := textsOf(t, s, id, time.Time{}); !slices.Equal(got, []string{"written anew"}) {
		t.Errorf("texts %q", got)
	}
}

// The texts of another store come with its event, and an event of two pages has both.
func TestTextsOfOtherStores(t *testing.T) {
	t.Parallel()
	s := newStore(t)
	e := call(0, day1)
	e.ID = "icx-2027"
	texts := []eventseer.PageText{{URL: e.URL, Text: "from afar", Seen: day1}}
	id, err := s.PutRemote(t.Context(), "crawler-1", e, nil, nil, texts...)
	if err != nil {
		t.Fatal(err)
	}
	before := changes(t, s)
	if _, err := s.PutRemote(t.Context(), "crawler-1", e, nil, nil, texts...); err != nil || changes(t, s) != before {
		t.Errorf("%d changes, %d before: %v", changes(t, s), before, err)
	}
	if got := textsOf(t, s, id, time.Time{}); !slices.Equal(got, []string{"from afar"}) {
		t.Errorf("texts %q", got)
	}
}
