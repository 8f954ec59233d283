package ui

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

func TestEstimateShown(t *testing.T) {
	w := richWorld()
	shelf := icxShelf()
	shelf.editions = []eventseer.Event{edition(-1), edition(-2), edition(-3), edition(-4)}
	w.events = append([]eventseer.Event{edition(-1), edition(-2)}, w.events...)
	o := w.fullOptions()
	o.Series = shelf
	h := newUI(o)
	doc := page(t, h, "/s/icx", 200)
	for selector, want := range map[string]string{
		".card.estimate h2": "is not announced yet estimate", ".card.estimate": "Submissionaround 14 February 2027", ".estimate .meta": "Estimated from 4 editions.",
		"section .meta": "In 4 editions papers were due between 13 February and 16 February.",
	} {
		wantText(t, doc, selector, want)
	}
	wantText(t, page(t, h, "/e/icx-2026", 200), ".card", "estimate Next edition: Submission around 14 February 2027")
	list := page(t, h, "/search?all=1", 200)
	wantText(t, list, "li.call:first-child .expected", "estimate Next one: Submission around 14 February 2027")
	if text := list.Find("li.call:nth-child(2)").Text(); strings.Contains(text, "estimate") {
		t.Errorf("an older edition: %q", text)
	}
	if text := page(t, h, "/", 200).Find("li.call:last-child").Text(); strings.Contains(text, "estimate") {
		t.Errorf("an open call: %q", text)
	}
}

func TestSpread(t *testing.T) {
	on := func(dates ...eventseer.Date) (editions []eventseer.Event) {
		for _, d := range dates {
			editions = append(editions, eventseer.Event{Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: d}}})
		}
		return editions
	}
	for _, tt := range []struct {
		editions []eventseer.Event
		want     string
	}{
		{on("2024-12-20", "2026-01-10", "2027-01-02"), "In 3 editions papers were due between 20 December and 10 January."},
		{on("2024-02-29", "2025-03-01", "2026-03-01"), "In 3 editions papers were due on 1 March."},
		{on("2024-02-29", "2025-03-01"), ""}, {on("soon", "2025-03-01", "2026-03-01"), ""}, {nil, ""},
	} {
		if got := views.SpreadOf(tt.editions); got != tt.want {
			t.Errorf("spread = %q, want %q", got, tt.want)
		}
	}
}
