package merge_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/merge"
)

// TestDaysOfSeveralPages merges pages that print different dates, in any order. Lines of a page are a kind, a date
// and what is special about it.
func TestDaysOfSeveralPages(t *testing.T) {
	for _, test := range []struct {
		name  string
		pages map[string]string // a name that ends in ! is a call
		want  string
	}{
		{
			"most pages decide", map[string]string{
				"":          "notification 2027-03-09; submission 2027-01-10",
				"venue":     "notification 2027-03-09; submission 2027-01-10",
				"workshop!": "notification 2027-03-11; submission 2027-01-10",
			}, "submission 2027-01-10; notification 2027-03-09",
		},
		{
			"one page against one", map[string]string{
				"":     "notification 2027-03-09; submission 2027-01-10",
				"cfp!": "notification 2027-03-11; submission 2027-01-10",
			}, "submission 2027-01-10; notification 2027-03-11",
		},
		{
			"an extension stays", map[string]string{
				"":      "submission 2027-01-10; notification 2027-03-09",
				"venue": "submission 2027-01-10; notification 2027-03-09",
				"cfp!":  "submission 2027-01-24 extended; notification 2027-03-09",
			}, "submission 2027-01-24; notification 2027-03-09",
		},
		{
			"dates of two calls beside each other", map[string]string{
				"":        "notification 2027-03-09; notification 2027-04-09",
				"cfp!":    "notification 2027-03-09",
				"second!": "notification 2027-04-09",
			}, "notification 2027-03-09; notification 2027-04-09",
		},
		{
			"dates of a track beside another", map[string]string{
				"":         "notification 2027-03-09 [Papers]; notification 2027-04-09 [Demos]; submission 2027-01-10",
				"cfp!":     "notification 2027-03-09; submission 2027-01-10",
				"second!":  "notification 2027-04-09",
				"register": "",
			}, "submission 2027-01-10; notification 2027-03-09; notification 2027-04-09",
		},
		{
			"running text of a side page", map[string]string{
				"cfp!":   "submission 2027-01-10",
				"travel": "notification 2027-05-05 prose",
				"grants": "camera_ready 2027-05-06 inferred",
				"proofs": "camera_ready 2027-04-06",
				"fees":   "registration 2027-05-07 inferred",
			}, "submission 2027-01-10; camera_ready 2027-04-06; registration 2027-05-07",
		},
		{
			"running text of the only page with dates", map[string]string{
				"":         "",
				"abstract": "submission 2027-05-05 prose",
			}, "submission 2027-05-05",
		},
	} {
		var records []eventseer.Event
		for name, lines := range test.pages {
			records = append(records, pageOfDays(name, lines))
		}
		slices.SortFunc(records, func(a, b eventseer.Event) int { return strings.Compare(a.URL, b.URL) })
		for turn := range 12 {
			rand.New(rand.NewPCG(7, uint64(turn))).Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
			if got := daysIn(merge.MergeSite(records)); got != test.want {
				t.Errorf("%s, turn %d: %s, want %s", test.name, turn, got, test.want)
			}
			e := records[0]
			votes := []eventseer.Event{merge.VoteOf(e, eventseer.Event{})}
			for _, r := range records[1:] {
				before := e
				e, _ = merge.Merge(e, r)
				votes = append(votes, merge.VoteOf(r, eventseer.Event{}))
				e, _ = merge.ApplyVotes(before, e, votes)
			}
			if got := daysIn(e); got != test.want {
				t.Errorf("%s, turn %d, page by page: %s, want %s", test.name, turn, got, test.want)
			}
		}
	}
}

func pageOfDays(name, lines string) eventseer.Event {
	name, call := strings.CutSuffix(name, "!")
	e := eventseer.Event{URL: "https://conf.test/2027/" + name, Title: "Conference on Walls", Acronym: "WALLS", Year: 2027, EventStart: "2027-07-01", EventEnd: "2027-07-03"}
	for line := range strings.SplitSeq(lines, "; ") {
		f := strings.Fields(line)
		if len(f) < 2 {
			continue
		}
		d := eventseer.Deadline{Kind: eventseer.DeadlineKind(f[0]), Date: eventseer.Date(f[1]), Source: eventseer.Provenance{URL: e.URL, Rule: "label-left", Confidence: .9}}
		switch special := strings.Join(f[2:], " "); {
		case special == "extended":
			d.ExtendedFrom = "2027-01-10"
		case special == "prose":
			d.Source.Rule = eventseer.ProseRule
		case special == "inferred":
			d.Source.Inferred = "year"
		default:
			d.Track = strings.Trim(special, "[]")
		}
		e.Deadlines = append(e.Deadlines, d)
	}
	if e.Pages = []string{e.URL}; !call {
		e.Pages, e.Related = nil, e.Pages
	}
	return e
}

// daysIn returns the kinds and dates of the deadlines of e, in the order of dates, each once.
func daysIn(e eventseer.Event) string {
	var days []string
	for _, d := range e.Deadlines {
		days = append(days, string(d.Date)+" "+string(d.Kind))
	}
	slices.Sort(days)
	for i, d := range days {
		date, kind, _ := strings.Cut(d, " ")
		days[i] = kind + " " + date
	}
	return strings.Join(slices.Compact(days), "; ")
}
