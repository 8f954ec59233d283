package extract

import (
	"testing"

	"eventseer/eventseer"
)

func TestEventDays(t *testing.T) {
	for _, test := range []struct {
		name, page string
		start, end eventseer.Date
	}{
		{"not the conference beside", "<h1>Symposium on River Dams 2027</h1><p>It will take place on June 13, 2027, and be co-located with ABCD 2027, held June 13-17 in Oslo, Norway.", "2027-06-13", "2027-06-13"},
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

// TestExtendedSaidTwice demands that a deadline which running text and a list
// name keeps the day that only one of them gives.
func TestExtendedSaidTwice(t *testing.T) {
	e, _ := newTestExtractor().Extract(parse(t, "p.html", "<h1>RDX 2027 Conference</h1><p>We extended the paper deadline to the 18th of July 2027.</p><ul><li>Paper submission deadline: <s>4 Jul 2027</s> 18 Jul 2027</ul>"))
	if len(e.Deadlines) != 1 || e.Deadlines[0].ExtendedFrom != "2027-07-04" {
		t.Errorf("deadlines %+v", e.Deadlines)
	}
}
