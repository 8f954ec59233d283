package eventseer

import "testing"

// TestPageCorrectsItsDeadline: a page that is read again says where and how it
// prints a deadline now.
func TestPageCorrectsItsDeadline(t *testing.T) {
	read := func(text, zone string, at int) Event {
		return Event{URL: "https://icx.example/", Title: "ICX 2027", LastSeen: monday, Deadlines: []Deadline{{
			Kind: Submission, Date: "2027-02-01", TZ: zone, Text: text, Source: Provenance{URL: "https://icx.example/", Offset: [2]int{at, at + 5}},
		}}}
	}
	before, now := read("1 Feb, noon", "UTC", 10), read("1 Feb AoE", "AoE", 20)
	now.LastSeen = monday.AddDate(0, 0, 1)
	for range 2 {
		merged, _ := Merge(before, now)
		if got := merged.Deadlines; len(got) != 1 || got[0] != now.Deadlines[0] {
			t.Errorf("got %+v, want %+v", got, now.Deadlines)
		}
		before = merged
	}
}
