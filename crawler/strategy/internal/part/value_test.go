package part_test

import (
	"math"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/strategy/internal/part"
	"github.com/eventseer/eventseer/crawler/strategy/internal/strategytest"
	"github.com/eventseer/eventseer/features/tagtree"
)

// valueOf returns the value of a call at an address with a page type, and its notes.
func valueOf(t *testing.T, p *part.Parts, url, pageType string) (float64, []crawler.Note) {
	t.Helper()
	v := crawler.Verdict{PageType: pageType}
	got := p.Value(strategytest.Arrive(t, url, pageType), &v, true)
	return got, v.Notes
}

func TestValueByKind(t *testing.T) {
	p := &part.Parts{Values: crawler.Values{Page: 0.9, PDF: 0.4, Mail: 0.1, Again: 1, Past: 1}, Finds: part.NewFinds()}
	for _, tt := range []struct {
		url, pageType string
		want          float64
		success       bool
	}{
		{"https://a.example/cfp", "cfp", 0.9, true},
		{"https://a.example/cfp.pdf", "cfp", 0.4, false},
		{"https://a.example/msg1", part.MailPage, 0.1, false},
	} {
		got, _ := valueOf(t, p, tt.url, tt.pageType)
		if got != tt.want || p.IsSuccess(got) != tt.success {
			t.Errorf("%s: value %v, success %v", tt.url, got, p.IsSuccess(got))
		}
	}
	v := crawler.Verdict{}
	if got := p.Value(strategytest.Arrive(t, "https://b.example/", "other"), &v, false); got != 0 || p.IsSuccess(got) {
		t.Errorf("a page that is no call has the value %v", got)
	}
	if got := p.Value(crawler.Arrival{}, &v, true); got != 0 {
		t.Errorf("a page without a tree has the value %v", got)
	}
	none := &part.Parts{} // neither values nor memory
	if got, notes := valueOf(t, none, "https://a.example/msg1", part.MailPage); got != crawler.DefaultValues().Mail || len(notes) > 0 {
		t.Errorf("a mail has the default value %v, notes %v", got, notes)
	}
}

// A further call of an event has less value, also after the crawl was interrupted.
func TestValueAgain(t *testing.T) {
	p := &part.Parts{Values: crawler.Values{Page: 1, PDF: 1, Mail: 0.5, Again: 0.25, Past: 1}, Finds: part.NewFinds()}
	var kept []crawler.Note
	for _, tt := range []struct {
		url, pageType string
		want          float64
	}{
		{"https://conf.example/2014/cfp", "cfp", 1},
		{"https://www.conf.example/2014/cfp.pdf", "cfp", 0.25},
		{"https://conf.example/2015/", "cfp", 1},
		{"https://list.example/1", part.MailPage, 0.5},
		{"https://list.example/2", part.MailPage, 0.5},
	} {
		got, notes := valueOf(t, p, tt.url, tt.pageType)
		if got != tt.want {
			t.Errorf("%s has the value %v", tt.url, got)
		}
		kept = append(kept, notes...)
	}
	resumed := &part.Parts{Values: p.Values, Finds: part.NewFinds()}
	if err := resumed.RestoreNotes(kept); err != nil {
		t.Fatal(err)
	}
	if got, _ := valueOf(t, resumed, "https://conf.example/2015/dates", "cfp"); got != 0.25 || resumed.Finds.Open != func() part.Outcomes { valueOf(t, p, "https://conf.example/2014/x", "cfp"); return p.Finds.Open }() {
		t.Errorf("after a resume a further call has the value %v, openness %+v", got, resumed.Finds.Open)
	}
}

// Where calls with open deadlines are found, others are worth less.
func TestValuePrefersOpenCalls(t *testing.T) {
	open := 0
	p := &part.Parts{Finds: part.NewFinds(), Deadlines: func(*tagtree.Tree) (int, int) { return open, 1 }}
	past := func() float64 {
		open = 0
		got, _ := valueOf(t, p, "https://a.example/", "cfp")
		return got
	}
	if got := past(); got != 1 {
		t.Errorf("where no deadline is open a call has the value %v", got)
	}
	for range 300 {
		open = 2
		if got, _ := valueOf(t, p, "https://a.example/", "cfp"); got != 1 {
			t.Fatalf("an open call has the value %v", got)
		}
	}
	if got := past(); math.Abs(got-crawler.DefaultValues().Past) > 0.05 {
		t.Errorf("among open calls one that is past has the value %v", got)
	}
}
