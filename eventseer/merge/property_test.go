package merge

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/eventseer/validate"
	"github.com/eventseer/eventseer/internal/eventstest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// page draws a record of one of a few editions of workshops. It is like that of a page of a site or
// a message of a list, with gaps and, seldom, errors.
func page(t *rapid.T) eventseer.Event {
	n := rapid.IntRange(0, 3).Draw(t, "event")
	names := []string{"Workshop on Quiet Engines", "Workshop on Loud Engines", "Conference on Motors", "School of Valves"}
	acronyms := []string{"QUIET", "LOUD", "MOTOR", "VALVE"}
	year := rapid.IntRange(2026, 2027).Draw(t, "year")
	e := eventseer.Event{
		URL: rapid.SampledFrom([]string{
			fmt.Sprintf("https://%s.example/%d/", acronyms[n], year),
			fmt.Sprintf("https://%s.example/%d/cfp.html", acronyms[n], year),
			fmt.Sprintf("https://lists.example/%d.html", rapid.IntRange(0, 3).Draw(t, "message")),
		}).Draw(t, "url"),
		Title: names[n], Acronym: fmt.Sprintf("%s %d", acronyms[n], year), Year: year,
		EventStart: eventseer.Date(fmt.Sprintf("%d-06-1%d", year, n)), EventEnd: eventseer.Date(fmt.Sprintf("%d-06-1%d", year, n+1)),
		Location:   &eventseer.Venue{City: "Bergen", Country: "Norway", CountryCode: "NO"},
		Confidence: float64(rapid.IntRange(5, 9).Draw(t, "confidence")) / 10,
		LastSeen:   eventstest.Monday.AddDate(0, 0, rapid.IntRange(0, 30).Draw(t, "day")),
	}
	e.FirstSeen, e.Pages = e.LastSeen, []string{e.URL}
	for i := range rapid.IntRange(0, 3).Draw(t, "deadlines") {
		kind := rapid.SampledFrom([]eventseer.DeadlineKind{eventseer.Submission, eventseer.Notification, eventseer.Poster}).Draw(t, "kind")
		day := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 20).Draw(t, "due"))
		track := rapid.SampledFrom([]string{"", "Papers", "Demos"}).Draw(t, "track")
		e.Deadlines = append(e.Deadlines, eventseer.Deadline{Kind: kind, Track: track, Round: i % 2, Date: eventseer.Date(day.Format(time.DateOnly)), Source: eventseer.Provenance{URL: e.URL}})
	}
	switch rapid.IntRange(0, 5).Draw(t, "gap") {
	case 0:
		e.EventStart, e.EventEnd = "", ""
	case 1:
		e.Title = e.Acronym
	case 2:
		e.Acronym = ""
	case 3:
		e.Location = nil
	case 4:
		e.Year, e.EventStart, e.EventEnd = 0, "", ""
	}
	return validate.Event(e)
}

func TestLikenessIsSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := page(t), page(t)
		ab, ba := likeness(a, b), likeness(b, a)
		if ab != ba || math.IsNaN(ab) {
			t.Fatalf("%v one way, %v the other", ab, ba)
		}
		if sameEdition(a, b) && len(shared(match.BlockKeys(a), match.BlockKeys(b))) == 0 && a.URL != b.URL {
			t.Fatalf("no key leads from %+v to %+v", a, b)
		}
		if a.Year != 0 && b.Year != 0 && sameEdition(a, b) && len(shared(match.PossibleYears(a), match.PossibleYears(b))) == 0 {
			t.Fatalf("no year leads from %+v to %+v", a, b)
		}
	})
}

func shared[T comparable](a, b []T) (both []T) {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				both = append(both, x)
			}
		}
	}
	return both
}

// TestSourcesHaveOneOrder checks that of three dates of a deadline the better source does not depend on the order
// in which they are compared.
func TestSourcesHaveOneOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ds [3]eventseer.Deadline
		for i := range ds {
			ds[i] = eventseer.Deadline{Kind: eventseer.Submission, Date: eventseer.Date(fmt.Sprintf("2027-02-0%d", rapid.IntRange(1, 4).Draw(t, "day"))), Source: eventseer.Provenance{
				URL:        fmt.Sprintf("https://quiet.example/%d", i),
				Confidence: float64(rapid.IntRange(30, 99).Draw(t, "confidence")*rapid.IntRange(0, 1).Draw(t, "measured")) / 100,
			}}
		}
		m := &merger{}
		for _, p := range [...][3]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}} {
			a, b, c := ds[p[0]], ds[p[1]], ds[p[2]]
			if m.hasBetterSource(a, b) == m.hasBetterSource(b, a) {
				t.Fatalf("%+v and %+v: neither or both have the better source", a, b)
			}
			if m.hasBetterSource(a, b) && m.hasBetterSource(b, c) && !m.hasBetterSource(a, c) {
				t.Fatalf("%+v before %+v before %+v, but not before it", a, b, c)
			}
		}
	})
}

func TestMergeIsIdempotent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := page(t)
		for range rapid.IntRange(1, 6).Draw(t, "pages") {
			next := page(t)
			if !sameEdition(e, next) {
				continue
			}
			once, _ := Merge(e, next)
			twice, changes := Merge(once, next)
			if diff := cmp.Diff(once, twice); diff != "" || len(changes) > 0 {
				t.Fatalf("merged twice changes %v:\n%s", changes, diff)
			}
			for _, v := range once.Trail {
				if v.Value == "" || v.Field == "" || v.Seen.IsZero() {
					t.Fatalf("evidence %+v", v)
				}
			}
			e = once
		}
	})
}

// TestRelatedPagesHaveOneOrder checks that managers which receive the pages of an event in different orders list
// the same pages.
func TestRelatedPagesHaveOneOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		urls := rapid.SliceOfN(rapid.SampledFrom([]string{"https://quiet.example/venue", "https://quiet.example/committee", "https://quiet.example/news"}), 1, 6).Draw(t, "urls")
		merged := func(urls []string) []string {
			e := eventstest.Record(eventstest.Home, 0, nil)
			for _, url := range urls {
				next := eventstest.Record(url, 0, nil)
				next.Pages, next.Related = nil, []string{url}
				e, _ = Merge(e, next)
			}
			return e.Related
		}
		if diff := cmp.Diff(merged(urls), merged(rapid.Permutation(urls).Draw(t, "order"))); diff != "" {
			t.Fatalf("in two orders (-first +second):\n%s", diff)
		}
	})
}

// TestOrderOfPagesMattersLittle checks that the pages of one edition that differ only in omitted values give
// the same event in any order.
func TestOrderOfPagesMattersLittle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := eventstest.Record(eventstest.Home, 0, nil)
		pages := make([]eventseer.Event, rapid.IntRange(2, 5).Draw(t, "pages"))
		for i := range pages {
			pages[i] = eventstest.Record(fmt.Sprintf("https://quiet.example/%d", i), 0, nil)
			if rapid.Bool().Draw(t, "no days") {
				pages[i].EventStart, pages[i].EventEnd = "", ""
			}
			if rapid.Bool().Draw(t, "no place") {
				pages[i].Location = nil
			}
			if rapid.Bool().Draw(t, "no deadlines") {
				pages[i].Deadlines = nil
			}
			if rapid.Bool().Draw(t, "another place") {
				pages[i].Location = &eventseer.Venue{City: fmt.Sprintf("City%d", i), Country: whole.Location.Country}
			}
		}
		join := func(pages []eventseer.Event) eventseer.Event {
			e := pages[0]
			for _, p := range pages[1:] {
				if !sameEdition(e, p) {
					t.Fatalf("%+v is not of %+v", p, e)
				}
				e, _ = Merge(e, p)
			}
			return e
		}
		one, other := join(pages), join(rapid.Permutation(pages).Draw(t, "order"))
		type values struct {
			Title, Acronym, City string
			Start, End           eventseer.Date
			Deadlines            int
			Trail                int
		}
		of := func(e eventseer.Event) values {
			v := values{Title: e.Title, Acronym: e.Acronym, Start: e.EventStart, End: e.EventEnd, Deadlines: len(e.Deadlines)}
			said := map[string]bool{}
			for _, lost := range e.Trail {
				said[lost.Field+lost.Value] = true
			}
			v.Trail = len(said)
			if e.Location != nil {
				v.City = e.Location.City
			}
			return v
		}
		if diff := cmp.Diff(of(one), of(other)); diff != "" || series.MakeID(one) != series.MakeID(other) {
			t.Fatalf("in another order:\n%s", diff)
		}
	})
}

// TestOrderOfDeadlines merges pages of an event's site with different days of a deadline, some of
// them extensions. The result must be the same in any order.
func TestOrderOfDeadlines(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pages := make([]eventseer.Event, rapid.IntRange(2, 4).Draw(t, "pages"))
		for i := range pages {
			url := fmt.Sprintf("https://quiet.example/2027/%d.html", i)
			d := eventseer.Deadline{Kind: eventseer.Submission, Text: "Papers", Source: eventseer.Provenance{URL: url}}
			d.Date = eventseer.Date(fmt.Sprintf("2027-02-%02d", 1+7*rapid.IntRange(0, 3).Draw(t, "week")))
			switch rapid.IntRange(0, 4).Draw(t, "evidence") {
			case 0:
				d.Text = "Papers (extended)"
			case 1:
				d.ExtendedFrom = "2027-01-25"
			case 2:
				d.Source.Inferred = "year from the event's dates"
			}
			pages[i] = eventstest.Record(url, 0, func(e *eventseer.Event) { e.Deadlines = []eventseer.Deadline{d} })
		}
		join := func(pages []eventseer.Event) (e eventseer.Event) {
			e = pages[0]
			for _, p := range pages[1:] {
				e, _ = Merge(e, p)
			}
			return e
		}
		one, other := join(pages), join(rapid.Permutation(pages).Draw(t, "order"))
		a, b := one.Deadlines, other.Deadlines
		if len(a) != 1 || len(b) != 1 || a[0].Date != b[0].Date || a[0].ExtendedFrom != b[0].ExtendedFrom {
			t.Fatalf("%+v, in another order %+v", a, b)
		}
	})
}

func sameEdition(a, b eventseer.Event) bool { return likeness(a, b) >= 0 }

func likeness(a, b eventseer.Event) float64 {
	return match.NewEventKey(a).Similarity(match.NewEventKey(b))
}
