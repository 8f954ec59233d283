package eventseer

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestHeadingCallKind(t *testing.T) {
	for heading, want := range map[string]CallKind{
		"ICX 2027: Call for Tool Demonstrations":           DemoCall,
		"CALL FOR WORKSHOPS - ICX 2027":                    WorkshopCall,
		"Call for Workshop Proposals":                      WorkshopCall,
		"Second call for doctoral consortium papers, ICX":  DoctoralCall,
		"Call for Poster Papers (ICX 2027)":                PosterCall,
		"Call for Papers: Workshop on Challenges in Pumps": MainCall,
		"Call for Papers and Posters":                      MainCall,
		"Call for Posters, Demos and Papers":               MainCall,
		"Call for participation: ICX demos":                MainCall,
		"Demos":                                            MainCall,
		"":                                                 MainCall,
		"call for " + strings.Repeat("pumps ", 10000):      MainCall,
	} {
		if got := HeadingCallKind(heading); got != want {
			t.Errorf("%.60s: %q, want %q", heading, got, want)
		}
	}
}

func TestTrackKey(t *testing.T) {
	for track, want := range map[string]string{
		"": "", "Research Papers": "", "Main Track": "", "full papers": "", "Short Papers": "short", "short-paper track": "short", "Visions": "vision",
	} {
		if got := TrackKey(track, MainCall); got != want {
			t.Errorf("%s: %q, want %q", track, got, want)
		}
	}
	if a, b := TrackKey("Tool Demos", DemoCall), TrackKey("demonstration track", DemoCall); a != "tool" || b != "" {
		t.Errorf("%q and %q", a, b)
	}
}

func TestWithCalls(t *testing.T) {
	home, demos := "https://icx.example/2027/", "https://icx.example/2027/call-for-demos.html"
	e := Event{
		URL: home, Pages: []string{demos}, Topics: []string{"Crawling"}, SubmissionURL: "https://submit.example/",
		Deadlines: []Deadline{
			{Kind: Submission, Date: "2027-02-01"}, {Kind: Submission, Date: "2027-05-01", Round: 2}, {Kind: Submission, Track: "Short papers", Date: "2027-03-01"},
			{Kind: Demo, Date: "2027-04-01"}, {Kind: Notification, Date: "2027-04-10", Source: Provenance{URL: demos}},
		},
	}
	calls := e.WithCalls()
	var got []string
	for _, c := range calls.Calls {
		got = append(got, fmt.Sprintf("%s %d%d%d", c.Name(), len(c.Deadlines), len(c.Topics), len(c.Pages)))
	}
	want := []string{"Main call 111", "Main call, round 2 100", "Short papers 100", "Demos 201"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := e.SubmissionOf(e.Deadlines[2]) + " " + e.SubmissionOf(e.Deadlines[3]); got != "https://submit.example/ " {
		t.Errorf("short papers and demos are handed in at %q", got)
	}
	once, err := json.Marshal(calls)
	twice, err2 := json.Marshal(calls.WithCalls())
	if err != nil || err2 != nil || string(once) != string(twice) {
		t.Errorf("twice:\n%s\n%s", once, twice)
	}
	var read Event
	if err := json.Unmarshal(once, &read); err != nil || read.Calls[0].Kind != MainCall || !strings.Contains(string(once), `"kind":"main"`) {
		t.Errorf("read again: %v, %+v", err, read.Calls)
	}
	if b := read.WithinLimits(); len(b.Calls) != 4 || len(b.Calls[0].Deadlines)+len(b.Calls[0].Topics) > 0 {
		t.Errorf("stored: %+v", b.Calls)
	}
}

// TestManyCalls checks that calls beyond MaxCalls are left out with a warning.
func TestManyCalls(t *testing.T) {
	e := Event{URL: "https://icx.example/", Calls: []Call{{}}}
	for i := range 500 {
		e.Calls = append(e.Calls, Call{Kind: SessionCall, Track: fmt.Sprintf("Special session %03d", i)}, Call{Kind: SessionCall, Track: fmt.Sprintf("special sessions: %03d", i)})
	}
	b := e.WithinLimits()
	if len(b.Calls) != MaxCalls || b.Calls[0].Kind != MainCall || len(b.Warnings) != 1 || b.Warnings[0].Rule != ManyCallsRule || !strings.Contains(b.Warnings[0].Text, "501 calls") {
		t.Errorf("%d calls, the first %q, warned of %v", len(b.Calls), b.Calls[0].Name(), b.Warnings)
	}
	slices.Reverse(e.Calls)
	if again := e.WithinLimits(); !slices.EqualFunc(again.Calls, b.Calls, func(x, y Call) bool { return x.Key() == y.Key() }) {
		t.Error("another order gives other calls")
	}
}

// FuzzCalls: whatever pages and tracks are called, calls are bounded, in order and the same
// when they are distinguished again.
func FuzzCalls(f *testing.F) {
	f.Add("https://icx.example/call-for-demos.html", "Tool demos", "Call for demos", 1)
	f.Add("", "Ph.D. forum", "Call for , and papers", -3)
	f.Fuzz(func(t *testing.T, url, track, heading string, round int) {
		e := Event{URL: url, Topics: []string{track}, Deadlines: []Deadline{{Kind: Submission, Track: track, Round: round, Date: "2027-01-01"}, {Kind: Demo, Date: "2027-01-01"}}}
		e = OfCalls(e, heading).WithinLimits()
		calls := e.WithCalls().Calls
		n := 0
		for i, c := range calls {
			n += len(c.Deadlines)
			if i > 0 && calls[i-1].Key().compare(c.Key()) >= 0 {
				t.Errorf("%+v stands behind %+v", c.Key(), calls[i-1].Key())
			}
			if c.Name() == "" {
				t.Errorf("%+v has no name", c)
			}
		}
		if n != len(e.Deadlines) {
			t.Errorf("%d of %d deadlines are of calls", n, len(e.Deadlines))
		}
	})
}
