package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/curate"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestCorrections checks a store against the corrections of editors. Pages are read and read again,
// corrections made and undone, and processes killed, in any order. Corrections take precedence, and the
// values of pages are as in a store without corrections. Another store with the same pages and corrections
// shows the same.
func TestCorrections(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		open := func(name string) *Store {
			s, err := Open(filepath.Join(dir, name), Options{Now: func() time.Time { return day1 }})
			if err != nil {
				rt.Fatal(err)
			}
			s.db.NoSync = true
			return s
		}
		s, plain, other := open("s.db"), open("plain.db"), open("other.db")
		defer func() { _ = errors.Join(s.Close(), plain.Close(), other.Close()) }()
		var reads []eventseer.Event
		var all []eventseer.Correction
		for step := range rapid.IntRange(3, 14).Draw(rt, "steps") {
			at := day1.Add(time.Duration(step) * time.Hour)
			switch rapid.IntRange(0, 5).Draw(rt, "what") {
			case 0, 1, 2:
				e := call(rapid.IntRange(0, 3).Draw(rt, "edition"), at)
				if rapid.Bool().Draw(rt, "on a list") {
					e.URL = "https://list.example.net/" + e.Acronym
				}
				e.Deadlines[0].Date, e.Deadlines[0].Instant = eventseer.Date(rapid.SampledFrom([]string{"2027-02-01", "2027-02-08"}).Draw(rt, "deadline")), time.Time{}
				reads = append(reads, e)
				for _, st := range []*Store{s, plain} {
					if _, err := st.Put(t.Context(), e, nil); err != nil {
						rt.Fatal(err)
					}
				}
			case 3, 4:
				if c, ok := drawCorrection(rt, s, at); ok {
					all = append(all, c)
				}
			case 5:
				if len(all) == 0 {
					continue
				}
				i := rapid.IntRange(0, len(all)-1).Draw(rt, "undone")
				if all[i].Undone != nil {
					continue
				}
				undone, err := s.Undo(t.Context(), all[i].ID, eventseer.Undo{Who: "bob", At: at})
				if err != nil {
					rt.Fatal(err)
				}
				all[i] = undone
			}
			if rapid.IntRange(0, 5).Draw(rt, "reopen") == 0 {
				_ = s.Close()
				s = open("s.db")
			}
			checkCurated(rt, s, plain, all)
		}
		// Another store gets the corrections before, between or after the pages.
		first := rapid.IntRange(0, len(reads)).Draw(rt, "corrections come after")
		for i := range len(reads) + 1 {
			if i == first {
				shuffled := rapid.Permutation(all).Draw(rt, "order of corrections")
				if err := other.PutCorrections(t.Context(), shuffled, false); err != nil {
					rt.Fatal(err)
				}
			}
			if i < len(reads) {
				if _, err := other.Put(t.Context(), reads[i], nil); err != nil {
					rt.Fatal(err)
				}
			}
		}
		if diff := gocmp.Diff(allSeen(rt, s), allSeen(rt, other)); diff != "" {
			rt.Fatalf("two stores differ (-first +second):\n%s", diff)
		}
		// Undone to the last, all is as without corrections.
		for _, c := range all {
			if c.Undone == nil {
				if _, err := s.Undo(t.Context(), c.ID, eventseer.Undo{Who: "bob", At: day1}); err != nil {
					rt.Fatal(err)
				}
			}
		}
		if diff := gocmp.Diff(allSeen(rt, plain), allSeen(rt, s)); diff != "" {
			rt.Fatalf("after all is undone (-without +with):\n%s", diff)
		}
	})
}

// allSeen returns all events that readers see.
func allSeen(t *rapid.T, s *Store) map[eventseer.EventID]eventseer.Event {
	all := map[eventseer.EventID]eventseer.Event{}
	for e, err := range s.Events(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		all[e.ID] = e
	}
	return all
}

// drawCorrection makes a correction; false where there is nothing to correct.
func drawCorrection(t *rapid.T, s *Store, at time.Time) (eventseer.Correction, bool) {
	events := slices.SortedFunc(maps.Values(allSeen(t, s)), func(a, b eventseer.Event) int { return cmp.Compare(a.ID, b.ID) })
	if len(events) == 0 {
		return eventseer.Correction{}, false
	}
	draw := func(name string) eventseer.Event {
		return events[rapid.IntRange(0, len(events)-1).Draw(t, name)]
	}
	e := draw("event")
	c := eventseer.Correction{Event: e.ID, Who: "ann", At: at}
	switch rapid.IntRange(0, 4).Draw(t, "correction") {
	case 0:
		c.Kind, c.Field, c.Value = eventseer.EditCorrection, "title", fmt.Sprintf("Title %d", at.Hour())
	case 1:
		c.Kind, c.Field = eventseer.PinCorrection, "deadlines.submission"
	case 2:
		c.Kind = eventseer.HideCorrection
	case 3:
		c.Kind, c.Other = eventseer.MergeCorrection, draw("other").ID
	case 4:
		c.Kind, c.Pages = eventseer.SplitCorrection, e.Pages[:min(1, len(e.Pages))]
	}
	kept, err := s.Correct(context.Background(), nil, c)
	if err != nil {
		if !strings.Contains(err.Error(), curate.ErrBad.Error()) {
			t.Fatal(err)
		}
		return c, false
	}
	return kept[0], true
}

// checkCurated checks that every correction that counts is on top, that no page is lost,
// and what Check knows.
func checkCurated(t *rapid.T, s, plain *Store, all []eventseer.Correction) {
	events := allSeen(t, s)
	if s.Len() != len(events) {
		t.Fatalf("Len is %d of %d events", s.Len(), len(events))
	}
	last := map[string]string{}            // event and field → value
	joined := map[eventseer.EventID]bool{} // parts whose split was undone: their data counts no more
	for _, c := range all {
		joined[c.Other] = joined[c.Other] || c.Kind == eventseer.SplitCorrection && c.Undone != nil
	}
	for _, c := range all {
		if c.Undone != nil || joined[c.Event] || joined[c.Other] {
			continue
		}
		e, err := s.Event(context.Background(), c.Event)
		if err != nil {
			t.Fatal(err)
		}
		switch c.Kind {
		case eventseer.EditCorrection, eventseer.PinCorrection:
			last[string(e.ID)+" "+c.Field] = c.Value
		case eventseer.HideCorrection:
			if !e.Hidden && len(c.Pages) == 0 {
				t.Fatalf("%s is hidden by %s and is seen", e.ID, c.ID)
			}
		case eventseer.MergeCorrection:
			other, err := s.Event(context.Background(), c.Other)
			if err != nil || other.ID != e.ID {
				t.Fatalf("%s is merged into %s and is %s, %v", c.Other, e.ID, other.ID, err)
			}
		}
	}
	for key, want := range last {
		id, field, _ := strings.Cut(key, " ")
		if got, _ := curate.FieldValue(events[eventseer.EventID(id)], field); got != want {
			t.Fatalf("%s of %s is %q, an editor said %q", field, id, got, want)
		}
	}
	pages := func(s *Store) (urls []string) {
		for _, e := range allSeen(t, s) {
			urls = append(append(urls, e.Pages...), e.Related...)
		}
		slices.Sort(urls)
		return slices.Compact(urls)
	}
	if diff := gocmp.Diff(pages(plain), pages(s)); diff != "" {
		t.Fatalf("pages (-without corrections +with):\n%s", diff)
	}
	for _, err := range s.Check() {
		t.Fatal(err)
	}
}

// TestManyCorrections imports 10,000 corrections at once. They are of existing events and of later
// ones, with a field that is corrected again and again: none is lost.
func TestManyCorrections(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "store.db"), Options{Now: func() time.Time { return day1 }})
	const events, many = 40, 10_000
	read := func(n int) eventseer.Event {
		e := call(n%20, day1)
		e.Acronym, e.Title, e.URL = fmt.Sprintf("M%dX", n), fmt.Sprintf("Many Things %d", n), fmt.Sprintf("https://m%d.example/cfp", n)
		return e
	}
	var ids []eventseer.EventID
	for n := range events / 2 {
		ids = append(ids, put(t, s, read(n)))
	}
	var all []eventseer.Correction
	for n := range many {
		c := eventseer.Correction{Kind: eventseer.EditCorrection, Field: "title", Value: fmt.Sprint("Title ", n), Who: "ann", At: day1.Add(time.Duration(n) * time.Second)}
		c.Event, c.Page = eventseer.EventID(fmt.Sprintf("m%dx-2027", n%events)), fmt.Sprintf("https://m%d.example/cfp", n%events)
		if n%3 == 1 {
			c.Field, c.Value = "publisher", fmt.Sprint("Press ", n)
		}
		c, err := curate.New(c)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	if err := s.PutCorrections(t.Context(), all, false); err != nil {
		t.Fatal(err)
	}
	for n := events / 2; n < events; n++ {
		ids = append(ids, put(t, s, read(n)))
	}
	for n, id := range ids {
		e, err := s.Event(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{}
		for i := n; i < many; i += events {
			want[all[i].Field] = all[i].Value
		}
		for field, value := range want {
			if got, _ := curate.FieldValue(e, field); got != value {
				t.Errorf("%s of %s is %q, want %q", field, id, got, value)
			}
		}
	}
	known := 0
	for _, err := range s.Corrections(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		known++
	}
	if own, _, err := s.OwnCorrections(t.Context(), 0, 2*many); known != many || len(own) != many || err != nil {
		t.Errorf("%d corrections, %d for a cluster, %v; want %d", known, len(own), err, many)
	}
	checkClean(t, s)
}
