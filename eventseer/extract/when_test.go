package extract

import (
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

func TestEventDays(t *testing.T) {
	for _, test := range []struct {
		name, page string
		start, end eventseer.Date
	}{
		{"not the conference beside", "<h1>Symposium on River Dams 2027</h1><p>It will take place on June 13, 2027, and be co-located with ABCD 2027, held June 13-17 in Oslo, Norway.", "2027-06-13", "2027-06-13"},
		{"two days of two months", "<h1>Symposium on River Dams 2027</h1><p>30th September and 1st October 2027, Oslo, Norway</p>", "2027-09-30", "2027-10-01"},
		{"start and end apart", "<h1>Conference on River Dams 2027</h1><table><tr><td>Conference starts<td>June 3, 2027<tr><td>Conference ends<td>June 5, 2027</table>", "2027-06-03", "2027-06-05"},
		{"not the day before", "<h1>Conference on River Dams 2027</h1><p>Oslo, Norway</p><ul><li>Paper submission: January 8, 2027<li>Tutorials: June 2, 2027<li>Main conference: June 3-5, 2027</ul>", "2027-06-03", "2027-06-05"},
		{"workshop at a conference", "<h1>Workshop on Beaver Dams 2027</h1><p>Oslo, Norway</p><ul><li>Papers due: January 8, 2027<li>Workshop day: June 2, 2027<li>Conference: June 1-5, 2027</ul>", "2027-06-02", "2027-06-02"},
		{"workshop named after its conference", "<title>Conference on River Dams Workshop: Beavers</title><h1>Conference on River Dams Workshop: Beavers</h1><h2>Important dates</h2><p>Submission: June 7, 2027</p><p>Notification: July 5, 2027</p><p>Workshop: August 21, 2027</p>", "2027-08-21", "2027-08-21"},
		{"verb behind the day", "<html lang=zh><title>KITE 2027</title><h1>会议简介</h1><p>协会成立于1990年，历来重视学术交流。今年，第三届全国河狸会议(KITE 2027)暨第二届木材研讨会(WOOD 2027)将于2027年8月25日在杭州举行。</p>", "2027-08-25", "2027-08-25"},
		{"no day of its own", "<h1>Conference on River Dams 2027</h1><p>To be held in Oslo, Norway; dates to be announced.</p><ul><li>Paper submission: January 8, 2027<li>Notification: March 5, 2027</ul>", "", ""},
		{"a deadline in the title", "<title>Special issue on dams 2027: extended deadline Mar 15</title><h1>Special issue on dams 2027</h1><p>Submit your paper.", "", ""},
		{"days in the title", "<title>Conference on River Dams, June 3-5, 2027</title><h1>Conference on River Dams</h1><p>Submit your paper.", "2027-06-03", "2027-06-05"},
		{"last year's", "<h1>Conference on River Dams 2027</h1><p>The previous conference was held in Bergen, Norway, on June 3-5, 2026.</p><p>Papers are due on January 8, 2027.", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			e, _ := newTestExtractor().Extract(parse(t, "p.html", test.page))
			if e.EventStart != test.start || e.EventEnd != test.end {
				t.Errorf("got %s to %s, want %s to %s", e.EventStart, e.EventEnd, test.start, test.end)
			}
		})
	}
}

func TestLabelKind(t *testing.T) {
	for label, want := range map[string]eventseer.DeadlineKind{
		"Final Regular Paper Submission and Registration": eventseer.CameraReady,
		"Receipt of publication files":                    eventseer.CameraReady,
		"Submission deadline (papers, demos & posters)":   eventseer.Submission,
		"Contest entry submission":                        eventseer.OtherDeadline,
		"Poster submission":                               eventseer.Poster,
	} {
		if got := labelKind(label); got != want {
			t.Errorf("%s: got %q, want %q", label, got, want)
		}
	}
}

// TestExtendedSaidTwice checks that a deadline in both running text and a list keeps the day that only one
// of them contains.
func TestExtendedSaidTwice(t *testing.T) {
	e, _ := newTestExtractor().Extract(parse(t, "p.html", "<h1>RDX 2027 Conference</h1><p>We extended the paper deadline to the 18th of July 2027.</p><ul><li>Paper submission deadline: <s>4 Jul 2027</s> 18 Jul 2027</ul>"))
	if len(e.Deadlines) != 1 || e.Deadlines[0].ExtendedFrom != "2027-07-04" {
		t.Errorf("deadlines %+v", e.Deadlines)
	}
}
