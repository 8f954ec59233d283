package ui

import (
	"fmt"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/browsertest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// twoTimes returns events whose rows are as full as rows can be. They have a name of several lines, a place
// and fields, and a deadline of a track, in a zone other than the reader's, that was extended, with a
// caution.
func twoTimes() (events []eventseer.Event) {
	for n := range 9 {
		due := eventseer.Deadline{
			Kind: eventseer.Submission, Track: "short papers", Date: "2027-02-12", Instant: at("2027-02-13T01:00:00Z"), TZ: "America/Los_Angeles", TZSource: eventseer.TZPrinted, ExtendedFrom: "2027-01-26",
		}
		events = append(events, eventseer.Event{
			ID: eventseer.EventID(fmt.Sprintf("x%d-2027", n)), Acronym: fmt.Sprintf("WORDY-%d", n), Year: 2027, Kind: eventseer.Conference, Title: "Fourteenth International Conference on Tidal Mills, Harbour Bridges and the Long Names of Conferences on Them",
			URL: "https://x.example/", EventStart: "2027-07-09", EventEnd: "2027-07-11", Location: &eventseer.Venue{City: "Bolzano-Bozen", Region: "Trentino-Alto Adige", Country: "Italy", CountryCode: "IT"},
			Topics: []string{"Databases", "Data mining"}, Deadlines: []eventseer.Deadline{due}, Warnings: []eventseer.Warning{{}},
		})
	}
	return events
}

// TestRowsInABrowser wants enough calls on the first screen, few things to step over before
// them, the keys, and long rows for readers who want them.
func TestRowsInABrowser(t *testing.T) {
	w := richWorld()
	w.events = append(twoTimes(), w.events...)
	b := openBrowser(t, newUI(w.fullOptions()))
	const visible = `[...document.querySelectorAll("li.call")].filter(e => e.getBoundingClientRect().bottom <= innerHeight).length`
	const before = `(() => { const all = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, summary")].filter(e => e.checkVisibility()); return all.indexOf(document.querySelector(".call a")) })()`
	for _, l := range []struct {
		browsertest.Look
		rows int
	}{{browsertest.Look{Name: "desktop", Width: 1280, Height: 800, Scheme: "light"}, 8}, {browsertest.PhoneLight, 4}} {
		for _, path := range []string{"/", "/search?q=crawling"} {
			openAs(b, path, l.Look)
			if n := browsertest.Evaluate[int](b, visible); n < l.rows {
				t.Errorf("%s at %s: %d calls on the first screen, want %d", path, l.Name, n, l.rows)
			}
			if n := browsertest.Evaluate[int](b, before); n < 1 || n > 20 {
				t.Errorf("%s at %s: %d things to step over before the first call", path, l.Name, n)
			}
			b.Check(path + " " + l.Name)
			b.Shoot("rows" + path + "-" + l.Name)
		}
	}
	openAs(b, "/", browsertest.DesktopLight)
	b.Do(chromedp.KeyEvent("j"), chromedp.KeyEvent("j"), chromedp.KeyEvent("k"))
	if got := browsertest.Evaluate[string](b, `document.activeElement.pathname`); got != "/e/x0-2027" {
		t.Errorf("j, j, k lead to %q", got)
	}
	b.Do(chromedp.KeyEvent("/"), chromedp.KeyEvent("jo"))
	if got := browsertest.Evaluate[string](b, `document.activeElement.id + ":" + document.activeElement.value`); !strings.HasPrefix(got, "q:") || !strings.HasSuffix(got, "jo") {
		t.Errorf("what is typed behind / goes to %q", got)
	}
	b.Do(chromedp.KeyEvent(kb.Tab))
	b.Press(".rows button")
	if got := b.Text(".rows"); got != "Short rows" || browsertest.Evaluate[int](b, `document.querySelectorAll(".topics").length`) == 0 {
		t.Errorf("long rows: %q", got)
	}
	b.Check("long rows")
	b.Press(".rows button")
	if got := b.Text(".rows"); got != "Rows with topics" {
		t.Errorf("short rows: %q", got)
	}
	b.Go("/")
	b.Do(chromedp.KeyEvent("j"), chromedp.KeyEvent("o"), chromedp.WaitVisible("article.event"))
	if got := b.Address(); !strings.HasPrefix(got, "/e/") {
		t.Errorf("o leads to %q", got)
	}
}
