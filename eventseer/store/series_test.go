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
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/internal/bolt"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// edition makes the record of one year of a series.
func edition(acronym string, year int) eventseer.Event {
	return eventseer.Event{
		URL:   fmt.Sprintf("https://%s%d.example.org/", strings.ToLower(acronym), year),
		Title: fmt.Sprintf("Conference on %s Matters %d", acronym, year), Acronym: acronym, Kind: eventseer.Conference, Year: year,
		EventStart: eventseer.Date(fmt.Sprintf("%d-06-01", year)), EventEnd: eventseer.Date(fmt.Sprintf("%d-06-03", year)),
		FirstSeen: day1, LastSeen: day1,
	}
}

func years(events []eventseer.Event) (all []int) {
	for _, e := range events {
		all = append(all, e.Year)
	}
	return all
}

func putSeries(t *testing.T, s *Store, series eventseer.Series) {
	t.Helper()
	if err := s.PutSeries(t.Context(), series); err != nil {
		t.Fatal(err)
	}
}

func TestEditions(t *testing.T) {
	s := newStore(t)
	for _, year := range []int{2025, 2027, 2024, 2026} {
		put(t, s, edition("ICX", year))
		put(t, s, edition("ICXY", year)) // its name begins like the other's
	}
	got, err := s.Editions(t.Context(), "icx")
	if want := []int{2027, 2026, 2025, 2024}; err != nil || !slices.Equal(years(got), want) {
		t.Errorf("editions of %v, %v, want %v", years(got), err, want)
	}
	if got, err := s.Editions(t.Context(), "ic"); err != nil || len(got) != 0 {
		t.Errorf("ic has %d editions, %v", len(got), err)
	}
	series, err := s.Series(t.Context(), "icx")
	if err != nil || series.ID != "icx" {
		t.Errorf("series known by its editions: %+v, %v", series, err)
	}
	for _, id := range []string{"ic", "", "icx\x00"} {
		if _, err := s.Series(t.Context(), id); !errors.Is(err, eventseer.ErrNotFound) {
			t.Errorf("series %q: %v, want ErrNotFound", id, err)
		}
	}
}

// An event that gets an acronym is of another series than its title was.
func TestEditionMovesWithItsName(t *testing.T) {
	s := newStore(t)
	e := edition("ICX", 2027)
	e.Acronym = ""
	put(t, s, e)
	before := series.Of(e)
	e.Acronym, e.LastSeen = "ICX", day1.Add(time.Hour)
	put(t, s, e)
	if got, err := s.Editions(t.Context(), before); err != nil || len(got) != 0 {
		t.Errorf("%d editions of %s, %v", len(got), before, err)
	}
	if got, err := s.Editions(t.Context(), "icx"); err != nil || len(got) != 1 {
		t.Errorf("%d editions of icx, %v", len(got), err)
	}
}

func TestPutSeries(t *testing.T) {
	s := newStore(t)
	put(t, s, edition("ICX", 2026))
	put(t, s, edition("ICX", 2027))
	put(t, s, edition("ICY", 2027))
	core := eventseer.Rank{System: "core", Value: "A", Year: 2023}
	putSeries(t, s, eventseer.Series{ID: "icx", Name: "Conference on X", Ranks: []eventseer.Rank{core}})
	told := outbox(t, s, 3)
	if len(told) != 2 || told[0].New || len(told[0].Fields) > 0 || told[0].Event == told[1].Event {
		t.Fatalf("the outbox tells %+v, want each edition once", told)
	}
	if news, err := s.Recent(t.Context(), 0, 10); err != nil || len(news) != 3 {
		t.Errorf("%d changes are news, %v, want the three of the events", len(news), err)
	}
	history, err := s.History(t.Context(), told[0].Event)
	if err != nil || len(history) != 1 {
		t.Errorf("a history of %d, %v, want 1", len(history), err)
	}
	putSeries(t, s, eventseer.Series{ID: "icx", Ranks: []eventseer.Rank{core}})
	if again := outbox(t, s, 5); len(again) > 0 {
		t.Errorf("what was known is told again: %+v", again)
	}
	newer, other := eventseer.Rank{System: "core", Value: "A*", Year: 2026}, eventseer.Rank{System: "ccf", Value: "B", Year: 2026}
	fixed := eventseer.Rank{System: "core", Value: "B", Year: 2023, Source: "ranks.csv"}
	putSeries(t, s, eventseer.Series{
		ID: "icx", DBLP: "conf/icx", Ranks: []eventseer.Rank{newer, fixed, other},
		Rates: []eventseer.Rate{{Year: 2025, Rate: 0.2}, {Year: 2026, Accepted: 20, Submitted: 100}},
	})
	got, err := s.Series(t.Context(), "icx")
	want := eventseer.Series{
		ID: "icx", Name: "Conference on X", DBLP: "conf/icx", Ranks: []eventseer.Rank{other, newer, fixed},
		Rates: []eventseer.Rate{{Year: 2026, Accepted: 20, Submitted: 100}, {Year: 2025, Rate: 0.2}},
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("series (-want +got): %v\n%s", err, diff)
	}
	putSeries(t, s, eventseer.Series{ID: "aaa"})
	var ids []string
	for series, err := range s.AllSeries(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, series.ID)
	}
	if !slices.Equal(ids, []string{"aaa", "icx"}) {
		t.Errorf("all series: %v", ids)
	}
}

func TestPutSeriesRefuses(t *testing.T) {
	s := newStore(t)
	long := strings.Repeat("x", 600)
	for name, series := range map[string]eventseer.Series{
		"no id":           {},
		"an id to escape": {ID: "../x"},
		"a zero byte":     {ID: "a\x00b"},
		"capitals":        {ID: "ICX"},
		"a long id":       {ID: long},
		"a long name":     {ID: "x", Name: long},
		"system":          {ID: "x", Ranks: []eventseer.Rank{{System: "CORE", Value: "A"}}},
		"no value":        {ID: "x", Ranks: []eventseer.Rank{{System: "core"}}},
		"a rate over 1":   {ID: "x", Rates: []eventseer.Rate{{Year: 2020, Rate: 20}}},
		"more than all":   {ID: "x", Rates: []eventseer.Rate{{Year: 2020, Accepted: 3, Submitted: 2}}},
		"a year of none":  {ID: "x", Rates: []eventseer.Rate{{Rate: 0.2}}},
	} {
		if err := s.PutSeries(t.Context(), series); !errors.Is(err, ErrBadSeries) {
			t.Errorf("%s: %v, want ErrBadSeries", name, err)
		}
	}
	good := eventseer.Series{ID: "good"}
	if err := s.PutAllSeries(t.Context(), []eventseer.Series{good, {ID: "Bad"}}); !errors.Is(err, ErrBadSeries) {
		t.Errorf("one of two is bad: %v", err)
	}
	if _, err := s.Series(t.Context(), "good"); !errors.Is(err, eventseer.ErrNotFound) {
		t.Errorf("half of what was put is kept: %v", err)
	}
}

// A series or an edition that cannot be read does not hide the others.
func TestBadSeriesRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	s := openStore(t, path, Options{})
	bad := put(t, s, edition("ICX", 2026))
	put(t, s, edition("ICX", 2027))
	putSeries(t, s, eventseer.Series{ID: "icx", Name: "X"})
	putSeries(t, s, eventseer.Series{ID: "icy", Name: "Y"})
	err := s.db.Update(func(tx *bolt.Tx) error {
		return errors.Join(tx.Bucket(eventBucket).Put([]byte(bad), []byte("rot")), tx.Bucket(seriesBucket).Put([]byte("icx"), []byte("rot")))
	})
	if err != nil {
		t.Fatal(err)
	}
	editions, err := s.Editions(t.Context(), "icx")
	if len(editions) != 1 || !errors.Is(err, ErrCorrupt) {
		t.Errorf("%d editions, %v", len(editions), err)
	}
	read, broken := 0, 0
	for _, err := range s.AllSeries(t.Context()) {
		if err != nil {
			broken++
		} else {
			read++
		}
	}
	if read != 1 || broken != 1 {
		t.Errorf("%d series read, %d broken", read, broken)
	}
	if found := s.Check(); len(found) != 2 {
		t.Errorf("check finds %v, want both", found)
	}
	putSeries(t, s, eventseer.Series{ID: "icx", Name: "X"})
	if series, err := s.Series(t.Context(), "icx"); err != nil || series.Name != "X" {
		t.Errorf("put again: %+v, %v", series, err)
	}
}

// Whatever is put in whatever order, the index of editions and the news are those of
// the events and changes that are there.
func TestSearchedAgainstModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, err := Open(filepath.Join(t.TempDir(), "store.db"), Options{})
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = s.Close() }()
		s.db.NoSync = true
		for step := range rapid.IntRange(1, 15).Draw(rt, "steps") {
			name := rapid.SampledFrom([]string{"ICX", "ICY", "ICXY"}).Draw(rt, "name")
			e := edition(name, rapid.IntRange(2025, 2027).Draw(rt, "year"))
			e.LastSeen = day1.Add(time.Duration(step) * time.Hour)
			if rapid.Bool().Draw(rt, "no acronym") {
				e.Acronym = ""
			}
			if rapid.Bool().Draw(rt, "other page") {
				e.URL += "cfp"
			}
			day := rapid.IntRange(1, 3).Draw(rt, "day")
			e.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: eventseer.Date(fmt.Sprintf("%d-02-%02d", e.Year, day))}}
			if _, err := s.Put(t.Context(), e, nil); err != nil {
				rt.Fatal(err)
			}
			if rapid.Bool().Draw(rt, "series") {
				err := s.PutSeries(t.Context(), eventseer.Series{ID: strings.ToLower(name), Ranks: []eventseer.Rank{{System: "core", Value: "A", Year: day}}})
				if err != nil {
					rt.Fatal(err)
				}
			}
		}
		compareSearched(rt, t, s)
	})
}

func compareSearched(rt *rapid.T, t *testing.T, s *Store) {
	of := map[string]int{}
	for e, err := range s.Events(t.Context()) {
		if err != nil {
			rt.Fatal(err)
		}
		of[series.Of(e)]++
	}
	for series, n := range of {
		got, err := s.Editions(t.Context(), series)
		if err != nil || len(got) != n {
			rt.Fatalf("%d editions of %s, %v, want %d", len(got), series, err, n)
		}
		if !slices.IsSortedFunc(got, func(a, b eventseer.Event) int { return b.Year - a.Year }) {
			rt.Fatalf("editions of %s are of %v", series, years(got))
		}
	}
	var told, fresh, moved []eventseer.Change
	for _, c := range outbox(t, s, 0) {
		if c.New || c.Into != "" || len(c.Fields) > 0 {
			told = append(told, c)
		}
		if c.New {
			fresh = append(fresh, c)
		}
		if slices.ContainsFunc(c.Fields, func(f eventseer.FieldChange) bool {
			return f.Field == "deadlines.submission" && f.Old != "" && f.New != ""
		}) {
			moved = append(moved, c)
		}
	}
	for name, class := range map[string]struct {
		want []eventseer.Change
		read func(uint64, int) ([]eventseer.Change, error)
	}{
		"all":   {told, func(b uint64, n int) ([]eventseer.Change, error) { return s.Recent(t.Context(), b, n) }},
		"new":   {fresh, func(b uint64, n int) ([]eventseer.Change, error) { return s.RecentNew(t.Context(), b, n) }},
		"moved": {moved, func(b uint64, n int) ([]eventseer.Change, error) { return s.RecentMoved(t.Context(), b, n) }},
	} {
		slices.Reverse(class.want)
		var got []eventseer.Change
		for before := uint64(0); ; {
			page, err := class.read(before, 2)
			if err != nil {
				rt.Fatal(err)
			}
			if got = append(got, page...); len(page) == 0 {
				break
			}
			before = page[len(page)-1].Seq
		}
		if diff := cmp.Diff(class.want, got); diff != "" {
			rt.Fatalf("%s, page by page (-want +got):\n%s", name, diff)
		}
	}
	for _, err := range s.Check() {
		rt.Fatal(err)
	}
}
