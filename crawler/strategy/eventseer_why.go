package strategy

import (
	"fmt"
	"strings"
)

// places say in plain words where a link of each kind stands.
var places = map[string]string{
	list: "a list of calls links here", callPage: "a call links here", "cfp": "a page like a call links here",
	"conference": "a conference links here", "homepage": "a homepage links here", "institution_topic": "an institution links here",
	"weblog": "a weblog links here", mailPage: "a mail links here", backKind: "it links to a call",
}

// why says in plain words how the score of an offer came about.
func (s *eventSeer) why(f *offer, o *origin, x *signals) string {
	place := places[o.Kind]
	if place == "" {
		place = "a page of no kind links here"
	}
	said := []string{place}
	add := func(is bool, format string, args ...any) {
		if is {
			said = append(said, fmt.Sprintf(format, args...))
		}
	}
	add(f.Worth >= 1, "its words promise a call")
	add(f.Worth >= 0.4 && f.Worth < 1, "its words speak of dates or submission")
	add(f.Worth > 0 && f.Worth < 0.4, "its words promise an event")
	add(f.List, "its words promise a list")
	add(f.Model >= 0, "link model %.2f", f.Model)
	add(o.Parked && !f.Sample, "parked until a sample turns out well")
	add(o.Parked && f.Sample, "sample")
	add(o.Links.N >= 1, "%.0f links followed from there, worth %.2f each", o.Links.N, o.Links.mean())
	add(x[siteHasCall] > 0, "its site has a call")
	return because("%s", strings.Join(said, ", "))
}
