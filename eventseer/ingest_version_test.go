package eventseer

import (
	"context"
	"errors"
	"slices"
	"testing"

	"eventseer/features/tagtree/diff"
	"eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// teller is a shelf that also keeps the kinds.
type teller struct {
	shelf
	kinds []ChangeKind
}

func (s *teller) Put(ctx context.Context, e Event, clips []Clip, kinds ...ChangeKind) (EventID, error) {
	s.kinds = append(s.kinds, kinds...)
	return s.shelf.Put(ctx, e, clips)
}

func TestTakeRelated(t *testing.T) {
	s := &shelf{}
	in := NewIngester(IngestOptions{Extractor: fixed{record("", 0, func(*Event) {})}, Store: s})
	if err := in.TakeRelated(t.Context(), parse(t, "<p>Welcome to the conference."), 0.2); err != nil {
		t.Fatal(err)
	}
	if e := s.events[0]; !IsRelated(e) || len(e.Pages) != 0 || e.CFPScore != 0.2 || !e.LastSeen.Equal(monday) || e.Version == "" || len(s.clips) != 0 {
		t.Errorf("stored %+v with clips %v", e, s.clips)
	}
	in = NewIngester(IngestOptions{Extractor: fixed{}, Store: s})
	if err := in.TakeRelated(t.Context(), parse(t, "<p>Nothing"), 0.2); err != nil || len(s.events) != 1 {
		t.Errorf("a page without a title: %v, %+v", err, s.events)
	}
}

func TestTakeTellsWhatIsNew(t *testing.T) {
	const old, now = "<h1>QUIET</h1><p>Call for papers.</p>", "<h1>QUIET</h1><p>Call for papers.</p><p>News: the hall has a <a href=/new>new roof</a>.</p>"
	version := func(body string) func(string) (*webgraph.Page, error) {
		return func(url string) (*webgraph.Page, error) {
			if body == "" {
				return nil, nil
			}
			return &webgraph.Page{URL: url, Status: 200, Body: []byte(body), FetchedAt: monday}, nil
		}
	}
	event := record(home, 0, nil)
	told := Changed(Reading{Event: event}, Reading{Event: event}, diff.Compare(parse(t, old), parse(t, now))).Kinds
	for name, test := range map[string]struct {
		before func(string) (*webgraph.Page, error)
		told   []ChangeKind
		fails  bool
	}{
		"no versions":  {nil, nil, false},
		"first":        {version(""), nil, false},
		"same version": {version(now), nil, false},
		"new version":  {version(old), told, false},
		"broken":       {func(string) (*webgraph.Page, error) { return nil, errors.New("disk full") }, nil, true},
	} {
		s := &teller{}
		in := NewIngester(IngestOptions{Extractor: fixed{event}, Store: s, Previous: test.before})
		_, err := in.Take(t.Context(), parse(t, now), 0.9)
		if (err != nil) != test.fails || len(s.events) != 1 || !slices.Equal(s.kinds, test.told) {
			t.Errorf("%s: %v, %d events, kinds %v", name, err, len(s.events), s.kinds)
		}
	}
}

// Values of a related page fill gaps and do not replace those of a call, whichever
// comes first; but an extended deadline is one.
func TestMergeRelated(t *testing.T) {
	call := record(home, 0, func(e *Event) {
		e.Title, e.EventStart, e.EventEnd, e.Topics = "Conference on Quiet Engines", "2027-06-01", "2027-06-03", []string{"engines"}
		e.Deadlines = []Deadline{{Kind: Submission, Date: "2027-01-15", Source: Provenance{URL: home}}}
		e.Confidence, e.LastSeen = 0.5, monday
	})
	page := call
	page.URL = home + "welcome"
	page.Related, page.Pages = []string{page.URL}, nil
	page.EventStart, page.EventEnd, page.Publisher, page.Confidence = "2027-06-08", "2027-06-10", "Press", 0.9
	page.Topics = []string{"coffee"}
	page.Committee = []Person{{Name: "Ann Example"}}
	page.Deadlines = []Deadline{{Kind: Submission, Date: "2027-01-22", Source: Provenance{URL: page.URL}}}
	got, _ := Merge(call, page)
	if got.EventStart != "2027-06-01" || got.Publisher != "Press" || len(got.Committee) != 1 || len(got.Topics) != 1 {
		t.Errorf("merged %+v", got)
	}
	if d := got.Deadlines; len(d) != 1 || d[0].Date != "2027-01-22" || d[0].ExtendedFrom != "2027-01-15" {
		t.Errorf("deadlines %+v", d)
	}
	if diff := cmp.Diff([]string{page.URL}, got.Related); diff != "" || len(got.Pages) != 1 {
		t.Errorf("pages %v; related %s", got.Pages, diff)
	}
	second := call
	second.URL, second.Confidence = home+"cfp", 0.4
	if again, _ := Merge(got, second); again.EventStart != "2027-06-01" || len(again.Pages) != 2 || len(again.Related) != 1 {
		t.Errorf("with another call %+v", again)
	}
	turned := call
	turned.URL = page.URL
	if again, _ := Merge(got, turned); len(again.Pages) != 2 || len(again.Related) != 0 {
		t.Errorf("a page that turned out to be a call: %v, related %v", again.Pages, again.Related)
	}
}

func TestReconcile(t *testing.T) {
	extracted := record(home, 0, func(e *Event) {
		e.EventStart, e.EventEnd, e.Topics, e.Publisher = "2027-06-01", "2027-06-03", []string{"menu", "engines"}, "Press"
		e.Sources = map[string]Provenance{"event_start": {URL: home, Rule: "when"}}
	})
	wrapped := Event{
		URL: home, Title: extracted.Title, EventStart: "2027-06-08", EventEnd: "2027-06-10", Topics: []string{"engines"},
		Sources: map[string]Provenance{"event_start": {URL: home, Rule: WrapperRule}, "topics": {URL: home, Rule: WrapperRule}},
	}
	got := Reconcile(wrapped, extracted)
	if got.EventStart != "2027-06-08" || got.Sources["event_start"].Rule != WrapperRule || len(got.Topics) != 1 || got.Publisher != "Press" || len(got.Pages) != 0 {
		t.Errorf("reconciled %+v", got)
	}
	if len(got.Trail) == 0 || got.Trail[0].Field != "event_end" && got.Trail[0].Field != "event_start" {
		t.Errorf("trail %+v", got.Trail)
	}
	if none := Reconcile(wrapped, Event{}); none.EventStart != "2027-06-08" || none.URL != home {
		t.Errorf("without the extractor %+v", none)
	}
}
