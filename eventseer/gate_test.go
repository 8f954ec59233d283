package eventseer

import (
	"testing"
	"time"
)

func TestDue(t *testing.T) {
	at := func(kind DeadlineKind, days ...Date) (ds []Deadline) {
		for _, day := range days {
			ds = append(ds, Deadline{Kind: kind, Date: day})
		}
		return ds
	}
	read := map[string]Provenance{"title": {Confidence: 0.9}}
	doubtful := map[string]Provenance{"title": {Confidence: 0.3}}
	for name, tt := range map[string]struct {
		e    Event
		want []Date
	}{
		"an event to come":            {Event{Title: "ICX 2027", Year: 2027, EventStart: "2027-06-01", Deadlines: at(Submission, "2027-02-01"), Sources: read}, []Date{"2027-02-01"}},
		"its last day":                {Event{EventStart: "2027-06-01", EventEnd: "2027-06-03", Deadlines: at(Submission, "2027-06-03")}, []Date{"2027-06-03"}},
		"after the event":             {Event{EventStart: "2027-06-01", EventEnd: "2027-06-03", Deadlines: at(Submission, "2027-02-01", "2027-09-01")}, []Date{"2027-02-01"}},
		"of another page's year":      {Event{Title: "ICX 2013", Year: 2013, EventStart: "2013-06-01", Deadlines: at(Submission, "2013-02-01", "2026-12-01")}, []Date{"2013-02-01"}},
		"without days of the event":   {Event{Title: "ICX 2013", Deadlines: at(Submission, "2026-12-01")}, nil},
		"a special issue of the year": {Event{Year: 2026, Kind: SpecialIssue, Deadlines: at(Submission, "2027-03-01")}, []Date{"2027-03-01"}},
		"years before the event":      {Event{EventStart: "2027-06-01", Deadlines: at(Submission, "2024-01-01", "2027-01-01")}, []Date{"2027-01-01"}},
		"ends before it starts":       {Event{EventStart: "2027-06-01", EventEnd: "2026-06-03", Deadlines: at(Submission, "2027-02-01")}, []Date{"2027-02-01"}},
		"after all notifications":     {Event{Deadlines: append(at(Submission, "2027-01-01", "2027-05-01"), at(Notification, "2027-03-01")...)}, []Date{"2027-01-01"}},
		"two rounds":                  {Event{Deadlines: append(at(Submission, "2027-01-01", "2027-05-01"), at(Notification, "2027-03-01", "2027-07-01")...)}, []Date{"2027-01-01", "2027-05-01"}},
		"one, after its notification": {Event{Deadlines: append(at(Submission, "2027-05-01"), at(Notification, "2027-03-01")...)}, []Date{"2027-05-01"}},
		"posters after notifications": {Event{Deadlines: append(append(at(Submission, "2027-01-01"), at(Notification, "2027-03-01")...), at(Poster, "2027-05-01")...)}, []Date{"2027-01-01", "2027-05-01"}},
		"cancelled":                   {Event{State: Cancelled, Deadlines: at(Submission, "2027-01-01")}, nil},
		"a name in doubt":             {Event{Title: "Important dates", Sources: doubtful, Deadlines: at(Submission, "2027-01-01")}, nil},
		"an acronym in its place":     {Event{Title: "ICX2027", Acronym: "ICX 2027", Sources: doubtful, Deadlines: at(Submission, "2027-01-01")}, []Date{"2027-01-01"}},
		"an extension as acronym":     {Event{Title: "October 31, 2027 (EXTENDED)", Acronym: "EXTENDED", Sources: read, Deadlines: at(Submission, "2027-01-01")}, nil},
		"a page without a name":       {Event{Sources: map[string]Provenance{"event_start": {}}, Deadlines: at(Submission, "2027-01-01")}, nil},
		"notifications alone":         {Event{Deadlines: at(Notification, "2027-01-01")}, nil},
	} {
		var got []Date
		for _, d := range tt.e.SubmissionDeadlines() {
			got = append(got, d.Date)
		}
		if len(got) != len(tt.want) || len(got) > 0 && (got[0] != tt.want[0] || got[len(got)-1] != tt.want[len(got)-1]) {
			t.Errorf("%s: %v, want %v", name, got, tt.want)
		}
	}
	over := Event{EventStart: "2026-10-01", EventEnd: "2026-10-03", Deadlines: at(Submission, "2026-05-01", "2026-12-24")}
	if d, open := NextDeadline(over, time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)); open {
		t.Errorf("an event that is over is open until %s", d.Date)
	}
}

func TestIsNotAName(t *testing.T) {
	for title, want := range map[string]bool{
		"":                                     false,
		"October 31, 2027 (EXTENDED)":          true,
		"February 15th, 2027":                  true,
		"Extended":                             true,
		"Friday, July 7, 2027":                 true,
		"The International Conference on?":     true,
		"Internationale Tagung für":            true,
		"ICX 2027":                             false,
		"May 2027 Meeting of the Beds Society": false,
		"R 2027":                               false,
		"useR! 2027":                           false,
		"Symposium on Beds":                    false,
		"第五届园林会议":                              false,
		"Конференция по садам":                 false,
		"제5회 정원 학회":                            false,
	} {
		if got := isNotAName(title); got != want {
			t.Errorf("%q is no name: %v, want %v", title, got, want)
		}
	}
}
