package keyword

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/features/tagtree/tagtreetest"
)

const call = `Second Workshop on River Sediment Transport
We invite papers on all aspects of sediment transport in rivers. The workshop is held in Town on 3 May 2027.
Topics include sediment transport models, flood prediction, satellite imagery of river deltas, and flood prediction in cold regions.
Submission deadline: 1 February 2027. Papers are reviewed by the program committee. Send questions to the program chairs.`

// TestPhrases checks the keywords of a call: noun phrases of its subject, and no words of all calls.
func TestPhrases(t *testing.T) {
	x := New()
	got := x.Phrases(call, 5)
	if len(got) < 3 || len(got) > 5 {
		t.Fatalf("keywords %q", got)
	}
	lower := strings.ToLower(strings.Join(got, "|"))
	for _, want := range []string{"sediment", "flood prediction"} {
		if !strings.Contains(lower, want) {
			t.Errorf("keywords %q lack %q", got, want)
		}
	}
	for _, word := range strings.FieldsFunc(lower, func(r rune) bool { return r == '|' || r == ' ' }) {
		if callWords[word] {
			t.Errorf("keywords %q contain %q, a word of all calls", got, word)
		}
	}
	if again := New().Phrases(call, 5); !slices.Equal(got, again) {
		t.Errorf("another extractor finds %q, not %q", again, got)
	}
	if two := x.Phrases(call, 2); !slices.Equal(two, got[:2]) {
		t.Errorf("two keywords are %q, not the first of %q", two, got)
	}
}

// TestPhrasesOfBadText checks texts without keywords, in other languages and of great size: the work is bounded.
func TestPhrasesOfBadText(t *testing.T) {
	x := New()
	for name, s := range map[string]string{
		"empty": "", "spaces": " \n \n", "numbers": "12 34\n56", "bytes": "\xff\xfe\x00", "Greek": strings.Repeat("Πρόσκληση υποβολής εργασιών για το συνέδριο υπολογιστών. ", 20),
	} {
		if got := x.Phrases(s, 5); len(got) != 0 {
			t.Errorf("%s: %q", name, got)
		}
	}
	var one []string
	took := tagtreetest.CPU(t, func() { one = x.Phrases(call+strings.Repeat(" sediment", 1_000_000), 5) })
	if len(one) > 5 || took > 10*time.Second {
		t.Errorf("a word repeated a million times: %q in %v", one, took)
	}
	if got := x.Phrases(strings.Repeat("Call on rivers and the floods of rivers in the world. ", 1000), 0); len(got) != 0 {
		t.Errorf("no keywords were wanted, %q returned", got)
	}
}

// oneEvent is a store with one event.
type oneEvent struct {
	event eventseer.Event
	texts []eventseer.PageText
}

var errNone = errors.New("no such event")

func (s oneEvent) Event(_ context.Context, id eventseer.EventID) (eventseer.Event, error) {
	if id != s.event.ID {
		return eventseer.Event{}, errNone
	}
	return s.event, nil
}

func (s oneEvent) Texts(context.Context, eventseer.EventID, time.Time) ([]eventseer.PageText, error) {
	return s.texts, nil
}

// TestSimilarQuery checks queries for similar calls: they parse, exclude the event, and come from topics if the text is not
// English.
func TestSimilarQuery(t *testing.T) {
	x := New()
	for name, c := range map[string]struct {
		store oneEvent
		want  []string
	}{
		"English": {oneEvent{eventseer.Event{ID: "rst-2027", Title: "River Sediment Transport"}, []eventseer.PageText{{Text: call}}}, []string{"ediment", " OR ", "-id:rst-2027"}},
		"Greek":   {oneEvent{eventseer.Event{ID: "gr-2027", Topics: []string{"ποτάμια", `a "quoted" one`, "πλημμύρες"}}, nil}, []string{`"ποτάμια" OR `, `"πλημμύρες" -id:gr-2027`}},
	} {
		got, err := x.SimilarQuery(t.Context(), c.store, c.store.event.ID)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if _, err := query.Parse(got); err != nil {
			t.Errorf("%s: %q does not parse: %v", name, got, err)
		}
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q lacks %q", name, got, want)
			}
		}
	}
	if _, err := x.SimilarQuery(t.Context(), oneEvent{event: eventseer.Event{ID: "x"}}, "y"); !errors.Is(err, errNone) {
		t.Errorf("an unknown event: %v", err)
	}
	if _, err := x.SimilarQuery(t.Context(), oneEvent{event: eventseer.Event{ID: "x"}}, "x"); err == nil || !strings.Contains(err.Error(), "search for words of its title") {
		t.Errorf("an event without words: %v", err)
	}
}
