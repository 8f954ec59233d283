package series

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"

	"pgregory.net/rapid"
)

// edition makes an edition with a submission deadline and a first day; "" for neither.
func edition(year int, deadline, start eventseer.Date) eventseer.Event {
	e := eventseer.Event{ID: eventseer.EventID(fmt.Sprintf("icx-%d", year)), Acronym: "ICX", Year: year, EventStart: start}
	if deadline != "" {
		e.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: deadline}}
	}
	return e
}

func estimateOf(all []Estimate, kind eventseer.DeadlineKind) (Estimate, bool) {
	i := slices.IndexFunc(all, func(e Estimate) bool { return e.Kind == kind })
	if i < 0 {
		return Estimate{}, false
	}
	return all[i], true
}

func TestEstimateNext(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		editions []eventseer.Event
		kind     eventseer.DeadlineKind
		want     eventseer.Date // "" for none
		year     int
	}{
		"two fridays a year apart": {
			[]eventseer.Event{edition(2025, "2025-02-14", ""), edition(2026, "2026-02-13", "")}, eventseer.Submission, "2027-02-12", 2027,
		},
		"over the end of the year": {
			[]eventseer.Event{edition(2025, "2024-12-30", ""), edition(2026, "2026-01-03", ""), edition(2027, "2026-01-02", "")}, eventseer.Submission, "2027-01-02", 2028,
		},
		"every second year": {
			[]eventseer.Event{edition(2021, "", "2021-06-07"), edition(2023, "", "2023-06-05"), edition(2025, "", "2025-06-02")}, EventStarts, "2027-06-07", 2027,
		},
		"an edition was not seen": {
			[]eventseer.Event{edition(2023, "", "2023-06-05"), edition(2024, "", "2024-06-03")}, EventStarts, "2027-06-07", 2027,
		},
		"one edition":       {[]eventseer.Event{edition(2026, "2026-02-13", "")}, eventseer.Submission, "", 0},
		"announced already": {[]eventseer.Event{edition(2026, "2026-02-13", ""), edition(2027, "2027-02-12", "")}, eventseer.Submission, "", 0},
		"silent for long":   {[]eventseer.Event{edition(2019, "2019-02-13", ""), edition(2020, "2020-02-12", "")}, eventseer.Submission, "", 0},
		"half a year apart": {[]eventseer.Event{edition(2025, "2025-02-13", ""), edition(2026, "2026-08-12", "")}, eventseer.Submission, "", 0},
		"without a year":    {[]eventseer.Event{edition(0, "2025-02-13", ""), edition(0, "2026-02-12", "")}, eventseer.Submission, "", 0},
		"leap day":          {[]eventseer.Event{edition(2020, "", "2020-02-29"), edition(2024, "", "2024-02-29")}, EventStarts, "2028-02-29", 2028},
	} {
		got, ok := estimateOf(EstimateNext(test.editions, now), test.kind)
		if ok != (test.want != "") || got.Date != test.want || got.Year != test.year {
			t.Errorf("%s: %+v, want %s in %d", name, got, test.want, test.year)
		}
		if ok && (got.Spread < MinSpread || len(got.From) < 2) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// The main track's first round counts, and of two conferences with one acronym in one year, the one with more
// data.
func TestEstimateTakesTheMainDeadline(t *testing.T) {
	e := func(year int, day string) eventseer.Event {
		e := edition(year, eventseer.Date(fmt.Sprintf("%d-%s", year, day)), "")
		e.Deadlines = append(e.Deadlines,
			eventseer.Deadline{Kind: eventseer.Submission, Track: "posters", Date: eventseer.Date(fmt.Sprintf("%d-01-01", year))},
			eventseer.Deadline{Kind: eventseer.Submission, Round: 2, Date: eventseer.Date(fmt.Sprintf("%d-09-01", year))})
		return e
	}
	other := edition(2026, "2026-10-01", "")
	other.ID = "icx-2026-2"
	got := EstimateNext([]eventseer.Event{other, e(2026, "03-02"), e(2025, "03-03")}, time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC))
	if len(got) != 1 || got[0].Date != "2027-03-01" || !slices.Equal(got[0].From, []eventseer.EventID{"icx-2026", "icx-2025"}) {
		t.Errorf("%+v", got)
	}
}

// Whatever the editions, there is at most one estimate of a kind, it is not past, and it does not
// depend on their order.
func TestEstimateProperties(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		now := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
		var editions []eventseer.Event
		for i := range rapid.IntRange(0, 12).Draw(rt, "editions") {
			year := rapid.IntRange(2010, 2029).Draw(rt, "year")
			day := now.AddDate(year-2026, 0, rapid.IntRange(-300, 300).Draw(rt, "days"))
			e := edition(year, eventseer.Date(day.Format(time.DateOnly)), eventseer.Date(day.AddDate(0, 4, 0).Format(time.DateOnly)))
			e.ID = eventseer.EventID(fmt.Sprintf("%s-%d", e.ID, i))
			if rapid.IntRange(0, 5).Draw(rt, "odd") == 0 {
				e.EventStart = eventseer.Date(rapid.SampledFrom([]string{"", "nonsense", "0001-01-01", "9999-12-31"}).Draw(rt, "start"))
			}
			editions = append(editions, e)
		}
		got := EstimateNext(editions, now)
		seen := map[eventseer.DeadlineKind]bool{}
		for _, e := range got {
			day, ok := e.Date.Time()
			if seen[e.Kind] || !ok || day.Before(now) || e.Spread < MinSpread || e.Spread > MaxSpread || len(e.From) < 2 {
				rt.Fatalf("%+v", e)
			}
			seen[e.Kind] = true
		}
		shuffled := rapid.Permutation(editions).Draw(rt, "shuffled")
		if again := fmt.Sprint(EstimateNext(shuffled, now)); again != fmt.Sprint(got) {
			rt.Fatalf("in another order %s, not %s", again, fmt.Sprint(got))
		}
		if strings.Contains(fmt.Sprint(got), "0001") {
			rt.Fatal("the year 1 is estimated")
		}
	})
}
