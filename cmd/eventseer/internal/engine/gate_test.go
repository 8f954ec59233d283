package engine

import (
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/models"

	"pgregory.net/rapid"
)

// sitePages draws records of pages of one site that are not calls.
func sitePages(t *rapid.T) []eventseer.Event {
	pages := make([]eventseer.Event, rapid.IntRange(0, 12).Draw(t, "pages"))
	for i := range pages {
		e := &pages[i]
		e.URL, e.CFPScore = fmt.Sprintf("https://sqe.example/%d", i), rapid.Float64Range(0, 0.6).Draw(t, "score")
		e.Title = rapid.SampledFrom([]string{"", "Symposium on Quiet Engines"}).Draw(t, "title")
		e.EventStart = rapid.SampledFrom([]eventseer.Date{"", "2027-05-03", "2027-05-04"}).Draw(t, "start")
		e.SubmissionURL = rapid.SampledFrom([]string{"", "", "https://submit.example/"}).Draw(t, "submission")
		if rapid.IntRange(0, 2).Draw(t, "dates") == 0 {
			e.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-01-01"}}
		}
	}
	return pages
}

// The card of the gate has the weights of the shipped file. Each of three tests that fit them (tag measure)
// rewrites a part of both.
func TestGateHasTheWeightsOfItsCard(t *testing.T) {
	card, err := fs.ReadFile(models.Files(), "gate.md")
	if err != nil {
		t.Fatal(err)
	}
	g := Gate()
	w := g.Site.Weights
	for _, want := range []string{
		fmt.Sprintf("z = %.2f + %.2f·log odds of a call + %.2f·log odds of a call or a page", g.Bias, g.Call, g.Either),
		fmt.Sprintf("says yes from a chance of %.2f;", g.Threshold),
		fmt.Sprintf("log odds = %.2f + %.2f·those of the page by itself + %.2f·those of the likeliest other page. ", g.Calls.Bias, g.Calls.Own, g.Calls.Best),
		fmt.Sprintf("z = %.2f + %.2f·log odds of a call of the likeliest page + %.2f·of the next + %.2f·ln(1 + pages) + %.2f·ln(1 + pages with a day to hand something in) + %.2f·ln(", g.Site.Bias, w[0], w[1], w[2], w[3], w[4]),
	} {
		if !strings.Contains(string(card), want) {
			t.Errorf("models/gate.md does not say %q", want)
		}
	}
}

// What some pages of a site found all of them found: so the order in which they come does
// not matter.
func TestMorePagesFoundTheSame(t *testing.T) {
	said := map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		pages := sitePages(t)
		some := pages[:rapid.IntRange(0, len(pages)).Draw(t, "some")]
		said[IsEdition(pages)]++
		if IsEdition(some) && !IsEdition(pages) {
			t.Fatalf("%d of %d pages found an edition, all do not", len(some), len(pages))
		}
	})
	if said[true] == 0 || said[false] == 0 {
		t.Errorf("one answer for all: %v", said)
	}
}

func TestIsEdition(t *testing.T) {
	page := func(change func(*eventseer.Event)) eventseer.Event {
		e := eventseer.Event{Title: "Symposium on Quiet Engines", EventStart: "2027-05-03", CFPScore: 0.1}
		if change != nil {
			change(&e)
		}
		return e
	}
	dates := page(func(e *eventseer.Event) {
		e.Deadlines = []eventseer.Deadline{{Kind: eventseer.Abstract, Date: "2027-01-01"}}
	})
	schedule := func(second eventseer.DeadlineKind) eventseer.Event {
		return page(func(e *eventseer.Event) {
			e.CFPScore, e.Deadlines = 0, []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-01-01"}, {Kind: second, Date: "2027-02-01"}}
		})
	}
	nameless := func(e eventseer.Event) eventseer.Event { e.Title = ""; return e }
	for _, c := range []struct {
		what  string
		pages []eventseer.Event
		want  bool
	}{
		{"nothing", nil, false},
		{"home, dates and people", []eventseer.Event{page(nil), dates, page(nil)}, true},
		{"no page that says what to hand in", []eventseer.Event{page(nil), page(nil), page(nil), page(nil), page(nil)}, false},
		{"no name", []eventseer.Event{nameless(page(nil)), nameless(dates), nameless(page(nil))}, false},
		{"a home with a schedule, in a language that no model knows", []eventseer.Event{schedule(eventseer.Notification)}, true},
		{"a page that only says where to submit", []eventseer.Event{{Title: "Lab of Engines", SubmissionURL: "https://submit.example/", CFPScore: 0.001}}, false},
	} {
		if got := IsEdition(c.pages); got != c.want {
			t.Errorf("%s: %v", c.what, got)
		}
	}
	undated := schedule(eventseer.Notification)
	undated.EventStart = ""
	for what, e := range map[string]eventseer.Event{"one kind": dates, "a day of no kind": schedule(eventseer.OtherDeadline), "no event dates": undated} {
		if e.HasSchedule() {
			t.Errorf("%s is a schedule", what)
		}
	}
}
