package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/search"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/internal/browsertest"

	"github.com/chromedp/chromedp"
)

// harbours are calls on a topic, four in Europe and one in Asia. Three of those in Europe are ranked A,
// two of them are held in the same week, and the first has an edition of last year.
func harbours(t *testing.T) Options {
	t.Helper()
	o, st := realWorld(t, 40)
	for n, e := range []struct {
		acronym, country, code, rank string
		start, end                   eventseer.Date
		year                         int
	}{
		{"HARBA", "Norway", "NO", "A", "2027-06-01", "2027-06-04", 2027}, {"HARBB", "Greece", "GR", "A", "2027-06-03", "2027-06-06", 2027}, {"HARBC", "France", "FR", "A", "2027-09-01", "2027-09-04", 2027},
		{"HARBD", "Italy", "IT", "C", "2027-10-01", "2027-10-04", 2027}, {"HARBE", "Japan", "JP", "A", "2027-11-01", "2027-11-04", 2027}, {"HARBA", "Spain", "ES", "A", "2026-06-01", "2026-06-04", 2026},
	} {
		id := strings.ToLower(e.acronym)
		due := eventseer.Date(fmt.Sprintf("%d-%02d-%02d", e.year, 2+n%3, 10+n))
		call := eventseer.Event{
			URL: fmt.Sprintf("https://%s.example/%d/", id, e.year), Title: "Conference on Harbour Logistics " + e.acronym, Acronym: e.acronym, Year: e.year, Kind: eventseer.Conference,
			EventStart: e.start, EventEnd: e.end, Location: &eventseer.Venue{City: "Port " + e.acronym, Country: e.country, CountryCode: e.code}, Topics: []string{"Harbour logistics"},
			Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: due}}, FirstSeen: now.AddDate(0, 0, -n),
		}
		call.Series = series.Of(call)
		one := eventseer.Series{ID: call.Series, Name: call.Title, Acronym: e.acronym, Ranks: []eventseer.Rank{{System: "core", Value: e.rank, Year: 2026}}}
		if err := st.PutSeries(t.Context(), one); err != nil {
			t.Fatal(err)
		}
		if _, err := st.Put(t.Context(), call, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := search.Sync(t.Context(), st, o.Index.(*search.Index)); err != nil {
		t.Fatal(err)
	}
	readers := newTown().subscribers
	clear(readers.links)
	o.Subscriptions = readers
	return o
}

// A journey counts what a reader does: presses of the mouse, and lines typed.
type journey struct {
	*browsertest.Tab
	presses int
}

// press leaves the page by a link or a button.
func (j *journey) press(selector string) {
	j.presses++
	j.Press(selector)
}

// open unfolds a part of the page.
func (j *journey) open(selector string) {
	j.presses++
	j.Do(chromedp.Click(chromedp.CSS(selector)))
}

// typed fills a field and presses Enter.
func (j *journey) typed(selector, text string) {
	j.presses++
	j.Do(chromedp.WaitVisible(chromedp.CSS(selector)))
	j.Type(selector, text)
	j.Enter(selector)
}

// menu goes to a page of the navigation, which phones fold.
func (j *journey) menu(href string, phone bool) {
	if phone {
		j.open(".menu > summary")
	}
	j.press(`header nav a[href="` + href + `"]`)
}

// TestTasksInABrowser does five tasks as a reader who comes for the first time, and counts presses. The
// reader has a desktop with scripts, then a phone without. The tasks: three open calls on a topic in
// Europe of rank A; they in a calendar; mail when something changes; a plan without clashes; and the
// dates of last year.
func TestTasksInABrowser(t *testing.T) {
	h := newUI(harbours(t))
	for _, tt := range []struct {
		browsertest.Look
		scripts bool
		most    [5]int
	}{{browsertest.DesktopLight, true, [5]int{5, 3, 3, 3, 3}}, {browsertest.PhoneLight, false, [5]int{6, 4, 4, 4, 3}}} {
		b := openBrowser(t, h) // without the cookies of the one before
		b.Scripts(tt.scripts)
		b.See(tt.Look)
		j := &journey{Tab: b}
		for i, task := range []func(*testing.T, *journey, bool){findThree, putIntoCalendar, getMail, planAround, findLastYear} {
			j.presses = 0
			began := time.Now()
			task(t, j, tt.Phone)
			t.Logf("%s, scripts %t: task %d took %d presses, %.1f s", tt.Name, tt.scripts, i+1, j.presses, time.Since(began).Seconds())
			if j.presses > tt.most[i] {
				t.Errorf("%s: task %d took %d presses, want at most %d", tt.Name, i+1, j.presses, tt.most[i])
			}
		}
	}
}

// findThree finds and stars the open calls on harbours in Europe of rank A.
func findThree(t *testing.T, j *journey, phone bool) {
	t.Helper()
	j.Go("/")
	j.typed("#q", "harbour europe")
	if phone {
		j.open(".tofilters")
	}
	j.press(`.filters a[href*="rank%3Acore%3DA"]`)
	if got := browsertest.Evaluate[string](j.Tab, `[...document.querySelectorAll("li.call .short")].map(e => e.innerText.trim()).join(" ")`); got != "HARBA 2027 HARBB 2027 HARBC 2027" {
		t.Fatalf("the calls are %q", got)
	}
	for n := range 3 {
		j.press(fmt.Sprintf("li.call:nth-child(%d) .star[aria-pressed=false]", n+1))
	}
}

// putIntoCalendar goes from there to the address that a calendar program subscribes to.
func putIntoCalendar(t *testing.T, j *journey, phone bool) {
	t.Helper()
	j.menu("/starred", phone)
	j.open(".subscribe > summary")
	j.presses++ // the link opens the calendar program
	address := browsertest.Evaluate[string](j.Tab, `document.querySelector(".subscribe a[href^='webcal:']").getAttribute("href")`)
	calendar := browsertest.Evaluate[string](j.Tab, `fetch(`+fmt.Sprintf("%q", "/starred.ics"+address[strings.Index(address, "?"):])+`).then(r => r.text())`)
	if strings.Count(calendar, "BEGIN:VEVENT") != 3 || !strings.Contains(calendar, "HARBB 2027: submission") {
		t.Errorf("%s has %d entries", address, strings.Count(calendar, "BEGIN:VEVENT"))
	}
}

// getMail subscribes to mail about the calls of a search.
func getMail(t *testing.T, j *journey, phone bool) {
	t.Helper()
	j.Go("/search?q=harbour+europe+rank%3Acore%3DA") // where the first task ended
	j.open(".subscribe > summary")
	j.press(`.subscribe a[href^="/subscribe"]`)
	j.typed("#address", "ann@home.example")
	if got := j.Text("h1"); got != "Look in your mail" {
		t.Errorf("after the form: %q", got)
	}
}

// planAround sees which of the starred calls are held at the same time, and all on a timeline.
func planAround(t *testing.T, j *journey, phone bool) {
	t.Helper()
	j.menu("/starred", phone)
	if got := j.Text(".warnings"); !strings.Contains(got, "HARBA 2027 and HARBB 2027, 3–4 June 2027") || strings.Contains(got, "HARBC") {
		t.Errorf("the starred page says of clashes: %q", got)
	}
	j.open(".order > summary")
	j.press(`.order a[href^="/timeline"]`)
	if got := j.Count("tbody tr"); got != 3 {
		t.Errorf("%d calls on the timeline", got)
	}
}

// findLastYear goes from a call to the dates of the edition before.
func findLastYear(t *testing.T, j *journey, phone bool) {
	t.Helper()
	j.Go("/")
	j.typed("#q", "HARBA")
	j.press("li.call h2 a")
	j.press(`.facts a[href="/e/harba-2026"]`)
	if got := j.Text("#dates + table"); !strings.Contains(got, "2026") {
		t.Errorf("the dates of last year: %q", got)
	}
}
