package ingest

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/change"
	"github.com/eventseer/eventseer/features/tagtree/diff"
	"github.com/eventseer/eventseer/internal/eventstest"
	"github.com/eventseer/eventseer/webgraph"
)

// teller is a shelf that also keeps the kinds.
type teller struct {
	shelf
	kinds []eventseer.ChangeKind
}

func (s *teller) Put(ctx context.Context, e eventseer.Event, clips []eventseer.Clip, kinds ...eventseer.ChangeKind) (eventseer.EventID, error) {
	s.kinds = append(s.kinds, kinds...)
	return s.shelf.Put(ctx, e, clips)
}

func TestTakeRelated(t *testing.T) {
	s := &shelf{}
	in := New(Options{Extractor: fixed{eventstest.Record("", 0, func(*eventseer.Event) {})}, Store: s})
	if err := in.StoreRelated(t.Context(), parse(t, "<p>Welcome to the conference."), 0.2); err != nil {
		t.Fatal(err)
	}
	if e := s.events[0]; !eventseer.IsRelated(e) || len(e.Pages) != 0 || e.CFPScore != 0.2 || !e.LastSeen.Equal(eventstest.Monday) || e.Version == "" || len(s.clips) != 0 {
		t.Errorf("stored %+v with clips %v", e, s.clips)
	}
	in = New(Options{Extractor: fixed{}, Store: s})
	if err := in.StoreRelated(t.Context(), parse(t, "<p>Nothing"), 0.2); err != nil || len(s.events) != 1 {
		t.Errorf("a page without a title: %v, %+v", err, s.events)
	}
}

// A page without a name waits for the event of its site if it has days. That is without the people
// and topics it lists, whether it was judged a call or not.
func TestPageWithoutName(t *testing.T) {
	nameless := eventseer.Event{
		Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-01-10"}},
		Committee: []eventseer.Person{{Name: "Ada Guest"}}, Topics: []string{"walls"},
		Sources: map[string]eventseer.Provenance{"committee": {Rule: "people-list"}, "topics": {Rule: "topic-list"}, "deadlines": {}},
	}
	for name, take := range map[string]func(*Ingester) error{
		"call": func(in *Ingester) error {
			_, err := in.StorePage(t.Context(), parse(t, "<p>Papers are due on 10 January 2027."), 0.9)
			return err
		},
		"related": func(in *Ingester) error {
			return in.StoreRelated(t.Context(), parse(t, "<p>Papers are due on 10 January 2027."), 0.1)
		},
	} {
		s, e := &shelf{}, nameless
		e.Sources = maps.Clone(e.Sources)
		if err := take(New(Options{Extractor: fixed{e}, Store: s})); err != nil || len(s.events) != 1 {
			t.Fatalf("%s: %v, stored %d records", name, err, len(s.events))
		}
		if e := s.events[0]; !eventseer.IsRelated(e) || len(e.Deadlines) != 1 || len(e.Committee)+len(e.Topics) > 0 || len(e.Sources) != 1 || len(s.clips) != 0 {
			t.Errorf("%s: stored %+v with %d clips", name, e, len(s.clips))
		}
		s, e.Deadlines = &shelf{}, nil
		if err := take(New(Options{Extractor: fixed{e}, Store: s})); err != nil || len(s.events) != 0 {
			t.Errorf("%s without days: %v, stored %d records", name, err, len(s.events))
		}
	}
}

func TestTakeTellsWhatIsNew(t *testing.T) {
	const old, now = "<h1>QUIET</h1><p>Call for papers.</p>", "<h1>QUIET</h1><p>Call for papers.</p><p>News: the hall has a <a href=/new>new roof</a>.</p>"
	version := func(body string) func(string) (*webgraph.Page, error) {
		return func(url string) (*webgraph.Page, error) {
			if body == "" {
				return nil, nil
			}
			return &webgraph.Page{URL: url, Status: 200, Body: []byte(body), FetchedAt: eventstest.Monday}, nil
		}
	}
	event := eventstest.Record(eventstest.Home, 0, nil)
	told := change.ChangesBetween(eventseer.Reading{Event: event}, eventseer.Reading{Event: event}, diff.Compare(parse(t, old), parse(t, now))).Kinds
	for name, test := range map[string]struct {
		before func(string) (*webgraph.Page, error)
		told   []eventseer.ChangeKind
		fails  bool
	}{
		"no versions":  {nil, nil, false},
		"first":        {version(""), nil, false},
		"same version": {version(now), nil, false},
		"new version":  {version(old), told, false},
		"broken":       {func(string) (*webgraph.Page, error) { return nil, errors.New("disk full") }, nil, true},
	} {
		s := &teller{}
		in := New(Options{Extractor: fixed{event}, Store: s, Previous: test.before})
		_, err := in.StorePage(t.Context(), parse(t, now), 0.9)
		if (err != nil) != test.fails || len(s.events) != 1 || !slices.Equal(s.kinds, test.told) {
			t.Errorf("%s: %v, %d events, kinds %v", name, err, len(s.events), s.kinds)
		}
	}
}

// Uncertain topics of a page that is not a call are not stored; those of a call are.
func TestTopicsOfRelatedPage(t *testing.T) {
	for _, sure := range []float64{0, leastSideTopics - 0.01, leastSideTopics} {
		e := eventstest.Record("", 0, func(e *eventseer.Event) {
			e.Topics, e.Committee = []string{"pumps"}, []eventseer.Person{{Name: "Ada Example"}}
			e.Sources = map[string]eventseer.Provenance{"topics": {Confidence: sure}}
		})
		s := &shelf{}
		in := New(Options{Extractor: fixed{e}, Store: s})
		if err := in.StoreRelated(t.Context(), parse(t, "<p>Talks on pumps"), 0.2); err != nil {
			t.Fatal(err)
		}
		if _, err := in.StorePage(t.Context(), parse(t, "<p>Papers on pumps"), 0.9); err != nil {
			t.Fatal(err)
		}
		side, call := s.events[0], s.events[1]
		if isKept := sure == 0 || sure >= leastSideTopics; (len(side.Topics) > 0) != isKept || len(call.Topics) != 1 || len(side.Committee) != 1 {
			t.Errorf("confidence %g: side page %q of %d people, call %q", sure, side.Topics, len(side.Committee), call.Topics)
		}
	}
}
