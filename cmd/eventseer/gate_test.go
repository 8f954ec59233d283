package main

import (
	"io"
	"testing"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
)

func TestIsEventPage(t *testing.T) {
	said := func(cfp, conference, list float64) classify.Judgement {
		return classify.Judgement{CFPScore: cfp, IsCFP: cfp > 0.6, PageTypeScores: map[string]float64{"conference": conference, "cfp_list": list}}
	}
	dated := eventseer.Event{EventStart: "2027-06-01", Deadlines: make([]eventseer.Deadline, engine.Gate().Deadlines)}
	announced := eventseer.Event{EventStart: "2027-06-01", Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-03-01"}}}
	noticed := eventseer.Event{EventStart: "2027-06-01", Deadlines: []eventseer.Deadline{{Kind: eventseer.Registration, Date: "2027-03-01"}}}
	named := eventseer.Event{EventStart: "2027-06-01", Kind: eventseer.Workshop}
	for _, tt := range []struct {
		name        string
		said        classify.Judgement
		e           eventseer.Event
		plain, want bool
	}{
		{"a call", said(0.7, 0, 0), eventseer.Event{}, false, true},
		{"a page of a conference", said(0.02, 0.97, 0.01), eventseer.Event{}, false, true},
		{"neither", said(0.02, 0.05, 0.01), eventseer.Event{}, false, false},
		{"in doubt", said(0.1, 0.5, 0.01), eventseer.Event{}, false, false},
		{"in doubt, with dates", said(0.1, 0.5, 0.01), dated, false, true},
		{"in doubt, with dates and a day to submit by", said(0.06, 0.15, 0.01), announced, false, true},
		{"in doubt, with dates and a day to register by", said(0.06, 0.15, 0.01), noticed, false, false},
		{"a list with dates", said(0.1, 0.3, 0.5), dated, false, false},
		{"certainly none, with dates", said(0.0001, 0.001, 0.01), dated, false, false},
		{"models that say nothing", classify.Judgement{}, dated, false, false},
		{"a named event's days in plain text", said(0.03, 0.08, 0.01), named, true, true},
		{"the same in HTML", said(0.03, 0.08, 0.01), named, false, false},
		{"certainly none, in plain text", said(0.01, 0.02, 0.01), named, true, false},
	} {
		if got := engine.IsEventPage(tt.said, tt.e, tt.plain); got != tt.want {
			t.Errorf("%s: %v, chance %.3f", tt.name, got, engine.Gate().Probability(tt.said))
		}
	}
}

// TestGateOnPages checks that the gate reaches its measured figures, on some of the labelled pages and with
// models that have not seen them.
func TestGateOnPages(t *testing.T) {
	t.Parallel()
	data, err := datasets.Open(golden.SharedPath(t, "corpora/pages/labels.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	judge, err := judges.CrossFittedSet().PageJudge()
	if err != nil {
		t.Fatal(err)
	}
	a := &app.App{Now: time.Now, Stderr: io.Discard}
	reader := pageReader{extractor: engine.NewExtractor(a, judges.Set{}), judge: judge}
	var pages, in [3]int // calls, others of conferences, others
	n := 0
	for e := range data.Examples(warc.Pages(golden.SharedPath(t, "corpora/pages/pages.warc.gz"))) {
		if n++; n%sampled != 0 {
			continue
		}
		_, ok, err := reader.extractPage(e.Page, nil)
		if err != nil {
			t.Errorf("%s: %v", e.URL, err)
		}
		kind := 2
		switch {
		case e.IsCFP:
			kind = 0
		case e.PageType == "conference":
			kind = 1
		}
		pages[kind]++
		if ok {
			in[kind]++
		}
	}
	share := func(kind int) float64 { return float64(in[kind]) / float64(max(1, pages[kind])) }
	t.Logf("records of %.3f of %d calls, %.3f of %d other pages of conferences, %.3f of %d others", share(0), pages[0], share(1), pages[1], share(2), pages[2])
	if share(0) < 0.97 || share(1) < 0.6 || share(2) > 0.02 {
		t.Error("the gate lets through .99, .77 and .01 of all")
	}
}
