package store

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// threePages makes three pages that together create an edition, one of them with a deadline for submissions.
func threePages(pages []eventseer.Event) bool {
	return len(pages) >= 3 && slices.ContainsFunc(pages, func(e eventseer.Event) bool { return len(e.Deadlines) > 0 })
}

func siteStore(t *testing.T, path string) *Store {
	t.Helper()
	s := openStore(t, path, Options{Now: func() time.Time { return day1 }, IsEdition: threePages})
	s.db.NoSync = true
	return s
}

func inAnyOrder(t *rapid.T, pages []eventseer.Event) (mixed []eventseer.Event) {
	order := make([]int, len(pages))
	for i := range order {
		order[i] = i
	}
	for _, i := range rapid.Permutation(order).Draw(t, "order") {
		mixed = append(mixed, pages[i])
	}
	return mixed
}

func closeClean(t *testing.T, s *Store) {
	t.Helper()
	checkClean(t, s)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// sitePage makes the record of a page of the site of one edition that is not a call.
func sitePage(name string, change func(*eventseer.Event)) eventseer.Event {
	url := "https://events.example.org/quiet/" + name
	e := eventseer.Event{
		URL: url, Related: []string{url}, Title: "3rd Symposium on Quiet Engines", Acronym: "SQE 2027", Kind: eventseer.Symposium, Year: 2027,
		Sources: map[string]eventseer.Provenance{
			"title": {URL: url, Confidence: 0.9}, "acronym": {URL: url, Confidence: 0.9}, "kind": {URL: url}, "year": {URL: url},
		},
		Confidence: 0.7, FirstSeen: day1, LastSeen: day1,
	}
	if change != nil {
		change(&e)
	}
	return e
}

func sitePages() []eventseer.Event {
	days := func(start, end eventseer.Date, sure float64) func(e *eventseer.Event) {
		return func(e *eventseer.Event) {
			e.EventStart, e.EventEnd = start, end
			e.Sources["event_start"] = eventseer.Provenance{URL: e.URL, Confidence: sure}
			e.Sources["event_end"] = e.Sources["event_start"]
		}
	}
	return []eventseer.Event{
		sitePage("", days("2027-06-01", "2027-06-03", 0.8)),
		sitePage("dates.html", func(e *eventseer.Event) {
			days("2027-06-01", "2027-06-03", 0.7)(e)
			e.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-02-01", Source: eventseer.Provenance{URL: e.URL}}}
		}),
		sitePage("submission.html", func(e *eventseer.Event) { e.SubmissionURL = "https://submit.example.com/sqe27" }),
		sitePage("venue.html", func(e *eventseer.Event) {
			days("2027-06-01", "2027-06-05", 0.9)(e) // of the town's fair
			e.Location = &eventseer.Venue{City: "Bergen", Country: "Norway", CountryCode: "NO"}
		}),
		sitePage("speakers.html", func(e *eventseer.Event) { e.Title, e.Acronym, e.Year = "Invited Speakers", "", 0 }),
	}
}

// Pages of one site that are not calls found the edition together. It is the same in whatever order
// they come, with or without a call of the site or a mail among them.
func TestEditionOfSite(t *testing.T) {
	var first *eventseer.Event
	rapid.Check(t, func(rt *rapid.T) {
		s := siteStore(t, filepath.Join(t.TempDir(), "store.db"))
		for _, e := range inAnyOrder(rt, sitePages()) {
			put(t, s, e)
		}
		var all []eventseer.Event
		for e, err := range s.Events(t.Context()) {
			if err != nil {
				rt.Fatal(err)
			}
			all = append(all, e)
		}
		if n, _ := waiting(t, s); len(all) != 1 || n != 0 || s.Len() != 1 {
			rt.Fatalf("%d events and %d records that wait", len(all), n)
		}
		e := all[0]
		slices.Sort(e.Related)
		if first == nil {
			first = &e
		}
		if diff := cmp.Diff(*first, e, cmpopts.IgnoreFields(eventseer.Event{}, "Trail")); diff != "" {
			rt.Fatalf("another order gives another event (-first +this):\n%s", diff)
		}
		if rows := outbox(t, s, 0); !rows[0].New {
			rt.Fatalf("the first change is %+v", rows[0])
		}
		closeClean(t, s)
	})
	want := sitePages()
	if e := *first; e.Title != want[0].Title || e.EventEnd != "2027-06-03" || e.Location.City != "Bergen" || len(e.Deadlines) != 1 ||
		e.SubmissionURL == "" || len(e.Related) != 5 || len(e.Pages) != 0 || e.URL != want[0].URL || e.Homepage != want[0].URL || e.Sources["event_end"].URL != want[0].URL {
		t.Errorf("the event is %+v", e)
	}
}

// A call of the site counts as such whether it comes before its other pages or after them.
func TestEditionOfSiteWithCall(t *testing.T) {
	call := sitePage("cfp.html", func(e *eventseer.Event) {
		e.Related, e.Pages = nil, []string{e.URL}
		e.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-02-01", Source: eventseer.Provenance{URL: e.URL}}}
		e.Topics, e.Sources["topics"] = []string{"silence"}, eventseer.Provenance{URL: e.URL}
	})
	var first *eventseer.Event
	rapid.Check(t, func(rt *rapid.T) {
		s := siteStore(t, filepath.Join(t.TempDir(), "store.db"))
		for _, e := range inAnyOrder(rt, append(sitePages(), call)) {
			put(t, s, e)
		}
		e := event(t, s, "sqe-2027")
		slices.Sort(e.Related)
		if first == nil {
			first = &e
		}
		if diff := cmp.Diff(*first, e, cmpopts.IgnoreFields(eventseer.Event{}, "Trail")); diff != "" || s.Len() != 1 {
			rt.Fatalf("another order gives another event of %d (-first +this):\n%s", s.Len(), diff)
		}
		closeClean(t, s)
	})
	if first.URL != call.URL || !cmp.Equal(first.Pages, []string{call.URL}) || len(first.Related) != 5 || first.EventEnd != "2027-06-03" {
		t.Errorf("the event is %+v", *first)
	}
}

// Workshops held at one site stay apart from it and from each other.
func TestEditionsOfOneSiteStayApart(t *testing.T) {
	pages := sitePages()
	for _, name := range []string{"Valves", "Gears"} {
		for _, page := range []string{"", "cfp.html", "dates.html"} {
			pages = append(pages, sitePage(name+"/"+page, func(e *eventseer.Event) {
				e.Title, e.Acronym, e.Kind = "Workshop on "+name, "W"+name[:1]+"X 2027", eventseer.Workshop
				if page == "dates.html" {
					e.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-03-01", Source: eventseer.Provenance{URL: e.URL}}}
				}
			}))
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		s := siteStore(t, filepath.Join(t.TempDir(), "store.db"))
		for _, e := range inAnyOrder(rt, pages) {
			put(t, s, e)
		}
		var titles []string
		for e := range s.Events(t.Context()) {
			titles = append(titles, e.Title)
		}
		slices.Sort(titles)
		if want := []string{"3rd Symposium on Quiet Engines", "Workshop on Gears", "Workshop on Valves"}; !cmp.Equal(titles, want) {
			rt.Fatalf("the events are %q, want %q", titles, want)
		}
		closeClean(t, s)
	})
}

// Pages with outdated values do not outvote the page whose site has renewed them.
func TestChangedDaysAreBelieved(t *testing.T) {
	s := siteStore(t, filepath.Join(t.TempDir(), "store.db"))
	for _, e := range sitePages() {
		put(t, s, e)
	}
	moved := sitePages()[0]
	moved.EventStart, moved.EventEnd, moved.LastSeen = "2027-07-01", "2027-07-03", day1.Add(time.Hour)
	id := put(t, s, moved)
	again := sitePages()[1]
	again.LastSeen, again.Topics = day1.Add(2*time.Hour), []string{"noise"}
	put(t, s, again)
	if e := event(t, s, id); e.EventStart != "2027-07-01" || e.EventEnd != "2027-07-03" {
		t.Errorf("the event is on %s to %s", e.EventStart, e.EventEnd)
	}
	closeClean(t, s)
}

// A host with any number of waiting pages is read within limits, and the same page again creates nothing new.
func TestSiteIsBounded(t *testing.T) {
	s := siteStore(t, filepath.Join(t.TempDir(), "store.db"))
	for n := range 2 * maxSitePages {
		put(t, s, sitePage(fmt.Sprintf("%d.html", n), nil))
	}
	if n, _ := waiting(t, s); n != 2*maxSitePages || s.Len() != 0 {
		t.Fatalf("%d records wait beside %d events", n, s.Len())
	}
	dates := sitePages()[1]
	id := put(t, s, dates)
	if e := event(t, s, id); s.Len() != 1 || len(e.Related) > eventseer.MaxPages {
		t.Fatalf("%d events, %d pages", s.Len(), len(e.Related))
	}
	before := len(outbox(t, s, 0))
	if again := put(t, s, dates); again != id || len(outbox(t, s, 0)) != before {
		t.Errorf("the page again is of %s, with %d changes after %d", again, len(outbox(t, s, 0)), before)
	}
	closeClean(t, s)
}

// TestCrashWhileFounding stops the Put that founds an edition of the waiting pages after each page
// bbolt writes. The event is there or the pages wait, and a second Put founds it.
func TestCrashWhileFounding(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "store.db")
	o := Options{IsEdition: threePages}
	s := openStore(t, path, o)
	pages := sitePages()
	put(t, s, pages[0])
	put(t, s, pages[2])
	before := read(t, path)
	id := put(t, s, pages[1])
	after := read(t, path)
	want := event(t, s, id)
	closeClean(t, s)
	written := changedPages(before, after)
	torn := append(append(make([]byte, 0, len(after)), before...), make([]byte, len(after)-len(before))...)
	for n := 0; n <= len(written); n++ {
		at := filepath.Join(dir, fmt.Sprintf("torn-%d.db", n))
		if err := os.WriteFile(at, torn, 0o644); err != nil {
			t.Fatal(err)
		}
		s := openStore(t, at, o)
		wait, _ := waiting(t, s)
		if founded := n == len(written); founded && (s.Len() != 1 || wait != 0) || !founded && (s.Len() != 0 || wait != 2) {
			t.Errorf("after %d of %d pages: %d events and %d records that wait", n, len(written), s.Len(), wait)
		}
		if again := put(t, s, pages[1]); again != id {
			t.Errorf("after %d of %d pages the edition is %s, want %s", n, len(written), again, id)
		}
		if diff := cmp.Diff(want, event(t, s, id)); diff != "" {
			t.Errorf("after %d of %d pages (-want +got):\n%s", n, len(written), diff)
		}
		closeClean(t, s)
		if n < len(written) {
			copy(torn[written[n]:], after[written[n]:written[n]+pageSize])
		}
	}
}
