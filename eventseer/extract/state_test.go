package extract

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

func TestState(t *testing.T) {
	for _, c := range []struct {
		name string // text of the first heading, "" for the usual one
		text string
		want eventseer.State
	}{
		{text: "We regret that the conference has been cancelled.", want: eventseer.Cancelled},
		{text: "Due to the situation, ICX 2027 has been canceled.", want: eventseer.Cancelled},
		{text: "News: ICX'27 is cancelled, for too few papers came in.", want: eventseer.Cancelled},
		{text: "Because of the strike, the workshop has been postponed until 2028.", want: eventseer.Postponed},
		{text: "This year's symposium had to be called off.", want: eventseer.Cancelled},
		{text: "CANCELLED", want: eventseer.Cancelled},
		{name: "CANCELLED: ICX 2027", want: eventseer.Cancelled},
		{name: "ICX 2027 (postponed)", want: eventseer.Postponed},
		{name: "ICX 2027, Trondheim, Norway CANCELLED", want: eventseer.Cancelled},

		{text: "If the conference is cancelled, fees are refunded."},
		{text: "The workshop may be cancelled if there are fewer than ten papers."},
		{text: "Cancellation policy: your registration is cancelled without fee until May."},
		{text: "The keynote of the conference has been cancelled."},
		{text: "The tutorial session of the workshop was cancelled."},
		{text: "The deadline of the conference has been postponed."},
		{text: "Submission: 10 January 2027 (postponed)"},
		{text: "The 2020 edition was cancelled because of the pandemic."},
		{text: "ICX 2020 has been cancelled."},
		{text: "HOX 2027 has been cancelled, but we go on."},
		{text: "The conference has not been cancelled."},
		{text: "In the event that the conference is postponed, registrations stay valid."},
		{text: "Flights to the conference were cancelled."},
		{text: "The conference dinner is cancelled."},
		{text: "The organisers reserve the right to have the conference cancelled or postponed."},
	} {
		if c.name == "" {
			c.name = "ICX 2027: International Conference on Crawling"
		}
		html := "<html><title>ICX 2027</title><h1>" + c.name + "</h1><p>International Conference on Crawling (ICX 2027), 1-4 June 2027, Trondheim, Norway</p><p>" + c.text +
			"</p><h2>Important dates</h2><p>Paper submission: 15 January 2027</p>"
		tree, err := tagtree.Parse(&webgraph.Page{URL: "https://icx.example/2027/", Body: []byte(html)})
		if err != nil {
			t.Fatal(err)
		}
		e, ok := newTestExtractor().Extract(tree)
		if !ok || e.State != c.want {
			t.Errorf("%s %q: %q (acronym %q), want %q", c.name, c.text, e.State, e.Acronym, c.want)
		}
		if src := e.Sources["state"]; e.State != "" && !strings.Contains(strings.ToLower(src.Snippet), strings.ToLower(string(e.State)[:6])) && !strings.Contains(src.Snippet, "called off") {
			t.Errorf("%q: the source says %+v", c.text, src)
		}
	}
}
