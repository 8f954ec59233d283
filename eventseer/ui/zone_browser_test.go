package ui

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/browsertest"
)

// TestZoneInABrowser compares the script's dates on the first page with the server's on the next
// ones. It covers zones, a reader's choice, and browsers without scripts.
func TestZoneInABrowser(t *testing.T) {
	w := fullWorld()
	e := fullEvent()
	e.ID, e.Deadlines = "plain", e.Deadlines[2:3]
	e.Deadlines[0].Kind = eventseer.Submission // without a time zone
	w.events = append([]eventseer.Event{e}, w.events...)
	o := w.fullOptions()
	b := openBrowser(t, newUI(o))
	const rows = `[...document.querySelectorAll("li.call .next")].slice(0, 9).map(e => e.textContent.replace(/,[^,]*$/, "")).join("\n")`
	b.Go("/about")
	seen := map[string]bool{}
	for _, zone := range []string{"Europe/Oslo", "America/New_York", "Australia/Adelaide", "Pacific/Kiritimati", "Australia/Lord_Howe"} {
		b.Zone(zone)
		browsertest.Evaluate[int](b, `document.cookie = "tz=; max-age=0; path=/", 0`)
		openAs(b, "/", browsertest.DesktopLight)
		first, foot := browsertest.Evaluate[string](b, rows), b.Text("footer .zone")
		b.Go("/")
		if second := browsertest.Evaluate[string](b, rows); second != first || second == "" || seen[second] {
			t.Errorf("%s: first\n%s\nthen\n%s", zone, first, second)
		} else {
			seen[second] = true
		}
		if again := b.Text("footer .zone"); again != foot || !strings.HasSuffix(strings.ReplaceAll(zone, "_", " "), foot) {
			t.Errorf("%s: called %q, then %q", zone, foot, again)
		}
		if !strings.Contains(first, "Thu 1 Apr 2027 time zone not stated") {
			t.Errorf("%s: no printed day in\n%s", zone, first)
		}
	}
	b.Go("/zone")
	b.Press("button[value='Asia/Tokyo']")
	b.Zone("Europe/Oslo")
	b.Go("/")
	if got := b.Text("footer .zone"); got != "Tokyo" {
		t.Errorf("the chosen zone became %q", got)
	}
	b.Go("/zone")
	b.Press("button[value=browser]")
	b.Go("/")
	if got := b.Text("footer .zone"); got != "Oslo" {
		t.Errorf("the browser's zone is %q", got)
	}
	browsertest.Evaluate[int](b, `document.cookie = "tz=; max-age=0; path=/", 0`)
	b.Scripts(false)
	b.Go("/")
	if got := browsertest.Evaluate[string](b, rows); !strings.Contains(got, "23:59 Oslo = Fri 15 Jan 22:59 UTC") {
		t.Errorf("without scripts:\n%s", got)
	}
}
