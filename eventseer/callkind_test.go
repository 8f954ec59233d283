package eventseer

import "testing"

func TestPageCallKind(t *testing.T) {
	for url, want := range map[string]CallKind{
		"https://icx.example/2027/cfp.html":                  MainCall,
		"https://icx.example/":                               MainCall,
		"https://icx.example":                                MainCall,
		"https://demo.example/":                              MainCall,
		"https://icx.example/demos/cfp.html":                 MainCall,
		"https://icx.example/call-for-demos/":                DemoCall,
		"https://icx.example/cfp/ToolDemoTrack.html":         DemoCall,
		"https://icx.example/call_for_industry_papers.html":  IndustryCall,
		"https://icx.example/calls/DoctoralSymposium.html":   DoctoralCall,
		"https://icx.example/accepted-papers-and-posters/":   MainCall,
		"https://icx.example/student-forum-2027/":            MainCall,
		"https://icx.example/workshop-on-pumps/":             MainCall,
		"https://icx.example/workshop_proposals.php?lang=en": WorkshopCall,
		"mid:demo@list.example":                              MainCall,
		"":                                                   MainCall,
	} {
		if got := PageCallKind(url); got != want {
			t.Errorf("%s: %q, want %q", url, got, want)
		}
	}
}

func TestOfCalls(t *testing.T) {
	read := func(url string, ds ...Deadline) []Deadline {
		for i := range ds {
			ds[i].Source.URL = url
		}
		return OfCalls(Event{URL: url, Deadlines: ds}, "").Deadlines
	}
	d := Deadline{Kind: Submission, Date: "2027-02-01"}
	if got := read("https://icx.example/call-for-demos.html", d); got[0].Kind != Demo || got[0].Track != "" {
		t.Errorf("a call for demos: %+v", got)
	}
	if got := read("https://icx.example/industry-track.html", d); got[0].Kind != Submission || got[0].Track != "industry" {
		t.Errorf("a call of the industry track: %+v", got)
	}
	mail := OfCalls(Event{URL: "https://lists.example/1.html", Deadlines: []Deadline{d, {Kind: Notification, Date: "2027-03-01"}}, Topics: []string{"Pumps"}}, "ICX 2027: Call for Tutorials")
	if mail.Deadlines[0].Kind != TutorialProposal || mail.Deadlines[1].Track != "tutorials" || mail.Calls[0].Kind != TutorialCall || len(mail.Calls[0].Topics) != 1 {
		t.Errorf("a message with a call for tutorials: %+v", mail)
	}
	d.Track = "Papers"
	if got := read("https://icx.example/call-for-demos.html", d); got[0].Kind != Submission || got[0].Track != "Papers" {
		t.Errorf("a page that names the track: %+v", got)
	}
	d.ExtendedFrom = "2027-03-01"
	if got := read("https://icx.example/", d); got[0].ExtendedFrom != "" {
		t.Errorf("put off from a later day: %+v", got)
	}
	if again := OfCalls(OfCalls(Event{URL: "https://icx.example/call-for-demos.html", Deadlines: []Deadline{d}}, ""), ""); again.Deadlines[0].Kind != Submission {
		t.Errorf("twice: %+v", again)
	}
}

func TestNamedCallKind(t *testing.T) {
	for heading, want := range map[string]CallKind{
		"Ph.D. Symposium: Call for Papers":                DoctoralCall,
		"Tutorials / Briefings: Call for Proposals":       TutorialCall,
		"4. Call for Papers: Doctoral Consortium":         MainCall, // begins with a number
		"Call for Papers: Posters and Demos":              DemoCall,
		"*** Call for Track Proposals ***":                SessionCall,
		"Workshops: Call for Papers":                      MainCall,
		"Industry: Call for Papers":                       MainCall,
		"Conference on Tutorials in Mud: Call for Papers": MainCall,
		"Call for Papers":                                 MainCall,
	} {
		if got := NamedCallKind(heading); got != want {
			t.Errorf("%q: %q, want %q", heading, got, want)
		}
	}
}

// TestTrackProposals checks that papers due after proposals for tracks belong to the main call.
func TestTrackProposals(t *testing.T) {
	e := OfCalls(Event{URL: "https://lists.example/1.html", Deadlines: []Deadline{
		{Kind: Submission, Date: "2027-02-11", Text: "Submission Deadline: February 11, 2027"},
		{Kind: Submission, Date: "2027-08-05", Text: "Submission of full papers: August 5, 2027"},
	}}, "*** Call for Track Proposals ***")
	if a, b := e.Deadlines[0].Call(), e.Deadlines[1].Call(); a != SessionCall || b != MainCall {
		t.Errorf("%q and %q", a, b)
	}
}
