package extract

import (
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"

	"github.com/google/go-cmp/cmp"
)

// TestYears checks the years of dates without one, and how the record says they were inferred.
func TestYears(t *testing.T) {
	type read struct {
		Date     eventseer.Date
		Inferred string
	}
	for _, test := range []struct {
		name, page string
		want       []read
	}{
		{"printed", "<h1>Conference on River Dams 2027</h1><p>June 3-5, 2027, Oslo, Norway</p><p>Paper submission: January 8, 2027", []read{{"2027-01-08", ""}}},
		{"of its line", "<h1>Conference on River Dams</h1><p>Submission (for the meeting of 2027): January 8", []read{{"2027-01-08", yearOfLine}}},
		{"of the heading", "<h1>Conference on River Dams</h1><h2>Important dates 2027</h2><p>Paper submission: January 8", []read{{"2027-01-08", yearOfHeading}}},
		{"of a neighbour", "<h1>Conference on River Dams 2027</h1><h2>Dates</h2><ul><li>Paper submission: December 8<li>Notification: March 1, 2027</ul>", []read{{"2026-12-08", yearOfNeighbour}, {"2027-03-01", ""}}},
		{"of the event", "<h1>Conference on River Dams</h1><p>Oslo, Norway, February 3-5, 2027</p><h2>Dates</h2><ul><li>Paper submission: November 8<li>Notification: January 4</ul>", []read{{"2026-11-08", yearOfEvent}, {"2027-01-04", yearOfEvent}}},
		{"of the weekday", "<h1>Conference on River Dams 2027</h1><h2>Dates</h2><ul><li>Paper submission: Monday, November 9</ul>", []read{{"2026-11-09", yearOfWeekday}}},
		{"of the order", "<h1>Conference on River Dams 2027</h1><h2>Dates</h2><ul><li>Paper submission: October 9<li>Notification: December 1<li>Final version: January 20</ul>", []read{{"2026-10-09", yearOfOrder}, {"2026-12-01", yearOfOrder}, {"2027-01-20", yearOfEdition}}},
		{"after the event", "<h1>Conference on River Dams</h1><p>Oslo, Norway, June 3-5, 2027</p><h2>Dates</h2><ul><li>Paper submission: March 1<li>Final version: September 1</ul>", []read{{"2027-03-01", yearOfEvent}, {"2027-09-01", yearOfOrder}}},
		{"of nothing", "<h1>Conference on River Dams</h1><h2>Dates</h2><ul><li>Paper submission: March 1</ul>", nil},
		{"not of a far year of its line", "<h1>Conference on River Dams 2027</h1><h2>Dates</h2><p>Paper submission (Water Vision 2090): January 8", []read{{"2027-01-08", yearOfEdition}}},
		{"not of a far year of the title", "<h1>Conference on Water Vision 2090</h1><p>Oslo, Norway, June 3-5, 2027</p><p>Paper submission: January 8", []read{{"2027-01-08", yearOfNeighbour}}},
		{"not of a far year", "<h1>Conference on River Dams</h1><p>Water in 2090.<h2>Dates</h2><ul><li>Paper submission: March 1</ul>", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, _ := newTestExtractor().Extract(parse(t, "p.html", test.page))
			var got []read
			for _, d := range e.Deadlines {
				got = append(got, read{d.Date, d.Source.Inferred})
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			warned := slices.ContainsFunc(e.Warnings, func(w eventseer.Warning) bool { return w.Rule == "no-year" })
			if warned != (test.want == nil) {
				t.Errorf("warnings %+v", e.Warnings)
			}
		})
	}
}

// TestYearOfRunningText reads deadlines of a page whose only year is in running text and may mean anything.
// The text of another page names an edition.
func TestYearOfRunningText(t *testing.T) {
	filler := strings.Repeat("We study how kites of paper and of silk behave in the wind above hills and lakes. ", 4)
	for said, want := range map[string]string{
		"The first kite flew over these hills in 2019, and in 2019 it fell.": "",
		"KITES 2027 is held where the wind is.":                              "submission 2027-05-01",
		"Kites fly on 4 August 2027.":                                        "submission 2027-05-01",
	} {
		tree := parse(t, "p.html", "<h1>Workshop on Kites</h1><p>"+filler+said+" "+filler+"</p><h2>Important Dates</h2><ul><li>Paper submission: May 1<li>Notification: in time</ul>")
		e, _ := newTestExtractor().Extract(tree)
		got := ""
		for _, d := range e.Deadlines {
			got += string(d.Kind) + " " + string(d.Date)
		}
		if got != want {
			t.Errorf("%s: %s", said, got)
		}
	}
}
