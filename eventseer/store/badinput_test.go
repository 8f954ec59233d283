package store

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/eventstest"
	"github.com/eventseer/eventseer/internal/nightly"
)

// messagesOfOneTitle returns how many messages of one title an archive has: 10,000 at
// night, which take half a minute.
func messagesOfOneTitle() int {
	if nightly.Enabled() {
		return 10_000
	}
	return 1000
}

// TestArchiveOfOneTitle: messages of an archive share one title and acronym, but announce events of
// other days and places. They stay separate events and are held back.
func TestArchiveOfOneTitle(t *testing.T) {
	s, messages := newStore(t), messagesOfOneTitle()
	day := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	for n := range messages {
		from := day.AddDate(0, 0, 7*(n%52))
		e := eventseer.Event{
			URL: fmt.Sprintf("https://lists.example/pipermail/calls/2026-12/%05d.html", n), Title: "Gardens Post", Acronym: "Gardens", Year: 2027,
			EventStart: eventseer.Date(from.Format(time.DateOnly)), Location: &eventseer.Venue{City: fmt.Sprintf("Town %d", n), CountryCode: string([]byte{'A' + byte(n/52/26), 'A' + byte(n/52%26)})},
			FirstSeen: day1, LastSeen: day1,
		}
		e.EventEnd, e.Pages = eventseer.Date(from.AddDate(0, 0, 2).Format(time.DateOnly)), []string{e.URL}
		put(t, s, e)
	}
	listed, most := 0, 0
	for e, err := range s.Events(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, len(e.Pages))
		if e.ExclusionReason() == "" {
			listed++
		}
	}
	if most > 1 || s.Len() != messages {
		t.Errorf("%d messages of %d events became %d events, one of %d", messages, messages, s.Len(), most)
	}
	if listed > 2 {
		t.Errorf("%d events with the name of the list are listed", listed)
	}
	checkClean(t, s)
}

// named is a record of a page with a name and days.
func named(page, title, acronym string, from, to eventseer.Date) eventseer.Event {
	return eventstest.Record(page, 0, func(e *eventseer.Event) {
		e.Title, e.Acronym, e.EventStart, e.EventEnd, e.Deadlines = title, acronym, from, to, nil
	})
}

// TestTwoEditionsInOneYear: one series, site and year, in spring and in autumn.
func TestTwoEditionsInOneYear(t *testing.T) {
	s := newStore(t)
	spring := put(t, s, named("https://pumps.example/2027/spring/", "Workshop on Quiet Pumps", "WQP 2027", "2027-04-05", "2027-04-07"))
	autumn := put(t, s, named("https://pumps.example/2027/autumn/", "Workshop on Quiet Pumps", "WQP 2027", "2027-10-04", "2027-10-06"))
	cfp := put(t, s, named("https://pumps.example/2027/autumn/cfp.html", "Workshop on Quiet Pumps", "WQP 2027", "2027-10-04", "2027-10-06"))
	if spring == autumn || cfp != autumn || s.Len() != 2 {
		t.Errorf("spring %s, autumn %s and %s, %d events", spring, autumn, cfp, s.Len())
	}
	checkClean(t, s)
}

// TestEventChangesItsName checks that a page that renames its event still belongs to the event, and that the
// old name stays in the trail.
func TestEventChangesItsName(t *testing.T) {
	s := newStore(t)
	e := named("https://pumps.example/2027/", "Workshop on Quiet Pumps", "WQP 2027", "2027-04-05", "2027-04-07")
	was := put(t, s, e)
	e.Title, e.Acronym, e.LastSeen = "Symposium on Silent Pumps and Valves", "SSPV 2027", e.LastSeen.Add(time.Hour)
	is := put(t, s, e)
	got := event(t, s, is)
	if is != was || s.Len() != 1 || got.Title != e.Title {
		t.Errorf("%s became %s, %q of %d events", was, is, got.Title, s.Len())
	}
	kept := false
	for _, v := range got.Trail {
		kept = kept || v.Field == "title" && v.Value == "Workshop on Quiet Pumps"
	}
	if !kept {
		t.Errorf("the old name is lost: %+v", got.Trail)
	}
}

// TestCoLocatedEvents: workshops that share days, place and deadlines are one event each.
func TestCoLocatedEvents(t *testing.T) {
	s := newStore(t)
	ids := map[eventseer.EventID]bool{}
	for _, w := range [][3]string{
		{"https://wqp.example/", "Workshop on Quiet Pumps", "WQP 2027"}, {"https://brass.example/", "Workshop on Brass Valves", "BRASS 2027"},
		{"https://motors.example/2027/", "International Conference on Motors", "MOTORS 2027"}, {"https://motors.example/2027/mounts/", "Workshop on Engine Mounts", "WEM 2027"},
	} {
		e := named(w[0], w[1], w[2], "2027-06-01", "2027-06-03")
		e.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-02-01"}, {Kind: eventseer.Notification, Date: "2027-03-15"}}
		ids[put(t, s, e)] = true
	}
	if len(ids) != 4 || s.Len() != 4 {
		t.Errorf("4 co-located events became %d", s.Len())
	}
}

// TestHackedPage: a foreign page on the site of an old conference opens no call, whatever it
// says, and the conference keeps its name and days.
func TestHackedPage(t *testing.T) {
	s, err := Open(filepath.Join(t.TempDir(), "store.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }() // a test's
	old := named("https://pumps.example/2013/cfp.html", "Workshop on Quiet Pumps", "WQP 2013", "2013-04-05", "2013-04-07")
	old.Year, old.Deadlines = 2013, []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2013-01-10"}}
	id := put(t, s, old)
	for n, hacked := range []eventseer.Event{
		named("https://pumps.example/2013/cfp.html_page=1.html", "Workshop on Quiet Pumps", "WQP 2013", "2013-04-05", "2013-04-07"),
		named("https://pumps.example/2013/shop.html", "Cheap Watches 2026", "", "", ""),
		named("https://pumps.example/2013/other.html", "Workshop on Quiet Pumps", "WQP", "", ""),
	} {
		hacked.Year = []int{2013, 2026, 0}[n]
		hacked.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2026-12-07", Text: "call closes"}}
		put(t, s, hacked)
	}
	e := event(t, s, id)
	if e.Title != old.Title || e.EventStart != old.EventStart {
		t.Errorf("the conference is now %q from %s", e.Title, e.EventStart)
	}
	if d, open := eventseer.NextDeadline(e, time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)); open {
		t.Errorf("a conference of 2013 is open until %s", d.Date)
	}
}

// TestHistoryOfOtherCalls checks that a moved day of demos is in the history of the event, and postpones no
// day of papers.
func TestHistoryOfOtherCalls(t *testing.T) {
	s := newStore(t)
	e := edition("ICX", 2027)
	e.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-02-01", Source: eventseer.Provenance{URL: e.URL}}}
	id := put(t, s, e)
	demos := demosOfICX()
	for n, day := range []eventseer.Date{"2027-03-01", "2027-03-15"} {
		demos.LastSeen = e.LastSeen.Add(time.Duration(n+1) * time.Hour)
		demos.Deadlines = []eventseer.Deadline{{Kind: eventseer.Demo, Date: day, Source: eventseer.Provenance{URL: demos.URL}}}
		if got := put(t, s, demos); got != id {
			t.Fatalf("the call for demos went to %s, not %s", got, id)
		}
	}
	history, err := s.History(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	moved := false
	for _, c := range history {
		for _, f := range c.Fields {
			moved = moved || strings.Contains(f.Field, string(eventseer.Demo)) && strings.Contains(f.New, "2027-03-15")
		}
	}
	if !moved {
		t.Errorf("the moved day of the demos is not in the history: %+v", history)
	}
	for _, d := range event(t, s, id).Deadlines {
		if d.Kind == eventseer.Submission && (d.Date != "2027-02-01" || d.ExtendedFrom != "") {
			t.Errorf("the day of papers became %s, from %q", d.Date, d.ExtendedFrom)
		}
	}
}

// TestEditionOf500Calls: calls beyond the bound of an edition are left out. The order in which
// calls come does not change which one is the main call.
func TestEditionOf500Calls(t *testing.T) {
	s := newStore(t)
	id := put(t, s, edition("ICX", 2027))
	for n := range 5 {
		e := demosOfICX()
		e.LastSeen = e.LastSeen.Add(time.Duration(n) * time.Hour)
		for c := range 100 {
			e.Calls = append(e.Calls, eventseer.Call{Kind: eventseer.DemoCall, Track: fmt.Sprintf("Track %d", 100*n+c), Pages: []string{e.URL}})
		}
		put(t, s, e)
	}
	if e := event(t, s, id); len(e.Calls) > eventseer.MaxCalls || len(e.Calls) < eventseer.MaxCalls/2 || e.Calls[0].Kind != eventseer.MainCall {
		t.Errorf("%d calls, the first of %q", len(e.Calls), e.Calls[0].Kind)
	}
	checkClean(t, s)
}
