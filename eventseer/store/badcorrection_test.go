package store

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/curate"
)

// editTitle corrects the title of an event; seen is the title that the editor saw, "-" for nothing.
func editTitle(t *testing.T, s *Store, id eventseer.EventID, seen, title string) error {
	t.Helper()
	expect := map[string]string{"title": seen}
	if seen == "-" {
		expect = nil
	}
	_, err := s.Correct(t.Context(), expect, eventseer.Correction{Kind: eventseer.EditCorrection, Event: id, Field: "title", Value: title, Who: "ann", At: day1.Add(time.Duration(len(title)) * time.Second)})
	return err
}

// If two editors correct at once, the second one sees the correction of the first, and nothing is lost.
func TestTwoEditorsAtOnce(t *testing.T) {
	s := newStore(t)
	id := put(t, s, call(0, day1))
	seen := event(t, s, id).Title
	if err := editTitle(t, s, id, seen, "The First"); err != nil {
		t.Fatal(err)
	}
	err := editTitle(t, s, id, seen, "The Second")
	if !errors.Is(err, eventseer.ErrConflict) || !strings.Contains(err.Error(), "The First") || !strings.Contains(err.Error(), "look at it again") {
		t.Errorf("the second editor is told %v", err)
	}
	if got := event(t, s, id).Title; got != "The First" {
		t.Errorf("title is %q", got)
	}
	if err := editTitle(t, s, id, "The First", "The Second"); err != nil || event(t, s, id).Title != "The Second" {
		t.Errorf("%v after looking again", err)
	}
	checkClean(t, s)
}

// A correction of an event that was merged, by pages or by an editor, applies to the event it was
// merged into. One of an unknown event is refused, or waits if another store has made it.
func TestCorrectGoneEvent(t *testing.T) {
	s := openStore(t, filepath.Join(t.TempDir(), "store.db"), Options{Now: func() time.Time { return day1 }})
	a, b := put(t, s, call(0, day1)), put(t, s, call(1, day1))
	if err := editTitle(t, s, "gone-2027", "-", "X"); !errors.Is(err, eventseer.ErrNotFound) || !strings.Contains(err.Error(), "eventseer find") {
		t.Errorf("of an event that vanished: %v", err)
	}
	if _, err := s.Correct(t.Context(), nil, eventseer.Correction{Kind: eventseer.MergeCorrection, Event: a, Other: "gone-2027", Who: "ann"}); !errors.Is(err, eventseer.ErrNotFound) || !strings.Contains(err.Error(), "eventseer find") {
		t.Errorf("merged with an event that vanished: %v", err)
	}
	merged, err := s.Correct(t.Context(), nil, eventseer.Correction{Kind: eventseer.MergeCorrection, Event: a, Other: b, Who: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	if err := editTitle(t, s, b, "-", "Of Both"); err != nil || event(t, s, a).Title != "Of Both" {
		t.Errorf("of an event that was merged: %v, title %q", err, event(t, s, a).Title)
	}
	waits, err := curate.New(eventseer.Correction{Kind: eventseer.EditCorrection, Event: "subc-2027", Page: call(2, day1).URL, Field: "title", Value: "It Waited", Who: "bob", At: day1})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.PutCorrections(t.Context(), []eventseer.Correction{waits}, false); err != nil {
		t.Fatal(err)
	}
	checkClean(t, s)
	if got := event(t, s, put(t, s, call(2, day1))).Title; got != "It Waited" {
		t.Errorf("the title of an event that came later is %q", got)
	}
	if _, err := s.Undo(t.Context(), merged[0].ID, eventseer.Undo{Who: "ann"}); err != nil {
		t.Fatal(err)
	}
	if event(t, s, a).Title != "Of Both" || event(t, s, b).Title != call(1, day1).Title {
		t.Errorf("after the undo they are %q and %q", event(t, s, a).Title, event(t, s, b).Title)
	}
	checkClean(t, s)
}

// A page of three calls can be split off one of them: its data about the others stays.
func TestSplitPageOfThreeCalls(t *testing.T) {
	s := newStore(t)
	const list = "https://list.example.net/calls"
	calls := func(n int, seen time.Time) eventseer.Event {
		e := call(n, seen)
		e.Acronym = []string{"BRIDGX 2027", "GARDX 2027", "CLOX 2027"}[n]
		e.Title = []string{"Workshop on Wooden Bridges", "Symposium on Formal Gardens", "Conference on Tower Clocks"}[n]
		return e
	}
	var ids []eventseer.EventID
	for n := range 3 {
		ids = append(ids, put(t, s, calls(n, day1)))
		listed := calls(n, day1.Add(time.Hour))
		listed.URL, listed.Publisher = list, "Press of Lists"
		if id := put(t, s, listed); id != ids[n] {
			t.Fatalf("the list feeds %s, want %s", id, ids[n])
		}
	}
	before := []eventseer.Event{event(t, s, ids[0]), event(t, s, ids[2])}
	kept, err := s.Correct(t.Context(), nil, eventseer.Correction{Kind: eventseer.SplitCorrection, Event: ids[1], Pages: []string{list}, Who: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	part := event(t, s, kept[0].Other)
	if part.URL != list || part.Acronym != calls(1, day1).Acronym || part.Publisher != "Press of Lists" {
		t.Errorf("what was split off is %s of %s, by %q", part.Acronym, part.URL, part.Publisher)
	}
	if rest := event(t, s, ids[1]); rest.Publisher != "" || strings.Contains(strings.Join(rest.Pages, " "), list) {
		t.Errorf("what is left is by %q, of %v", rest.Publisher, rest.Pages)
	}
	for i, id := range []eventseer.EventID{ids[0], ids[2]} {
		if got := event(t, s, id); got.Publisher != "Press of Lists" || len(got.Pages) != len(before[i].Pages) {
			t.Errorf("%s has changed: %v", id, got)
		}
	}
	checkClean(t, s)
	if _, err := s.Undo(t.Context(), kept[0].ID, eventseer.Undo{Who: "ann"}); err != nil {
		t.Fatal(err)
	}
	if got := event(t, s, kept[0].Other).ID; got != ids[1] {
		t.Errorf("after the undo the part is %s, want %s", got, ids[1])
	}
	checkClean(t, s)
}

// An editor splits an event, hides the part and undoes the split; the two events stay hidden or shown as
// they are. Another store gets the corrections one by one, in both orders, and shows the same.
func TestCorrectionOfAPartBeforeItsSplit(t *testing.T) {
	read := func(s *Store) eventseer.EventID {
		put(t, s, call(0, day1))
		more := call(0, day1.Add(time.Hour))
		more.URL += "/more"
		return put(t, s, more)
	}
	s := newStore(t)
	id := read(s)
	split, err := s.Correct(t.Context(), nil, eventseer.Correction{Kind: eventseer.SplitCorrection, Event: id, Pages: []string{call(0, day1).URL + "/more"}, Who: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	part := split[0].Other
	hidden, err := s.Correct(t.Context(), nil, eventseer.Correction{Kind: eventseer.HideCorrection, Event: part, Who: "ann", At: day1.Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	if !event(t, s, part).Hidden || event(t, s, id).Hidden {
		t.Fatalf("the part is hidden %v, the rest %v; want only the part", event(t, s, part).Hidden, event(t, s, id).Hidden)
	}
	orders := func(split eventseer.Correction, want bool) {
		for _, order := range [][]eventseer.Correction{{split, hidden[0]}, {hidden[0], split}} {
			other := newStore(t)
			read(other)
			for _, c := range order {
				if err := other.PutCorrections(t.Context(), []eventseer.Correction{c}, true); err != nil {
					t.Fatal(err)
				}
			}
			if got := event(t, other, id).Hidden; got {
				t.Errorf("%s first: the rest is hidden, want it shown", order[0].Kind)
			}
			if got := event(t, other, part).Hidden; got != want {
				t.Errorf("%s first: what is seen under the part's id is hidden %v, want %v", order[0].Kind, got, want)
			}
		}
	}
	orders(split[0], true)
	undone, err := s.Undo(t.Context(), split[0].ID, eventseer.Undo{Who: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	if event(t, s, id).Hidden {
		t.Fatal("the event is hidden after its split was undone")
	}
	orders(undone, false)
}
