package explain

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer"

	"github.com/google/go-cmp/cmp"
)

// TestExplainEvent shows every sort of value: read, inferred, from another page, a
// list, and what no source is kept of.
func TestExplainEvent(t *testing.T) {
	at := eventseer.Provenance{
		URL: "https://icx.example/dates", Path: "html/body/" + strings.Repeat("div/", 20) + "p", Offset: [2]int{120, 136}, Rule: "label",
		Confidence: 0.934, Inferred: "year from the event's dates", Snippet: "Paper submission: January 15\n(was " + strings.Repeat("very ", 20) + "early)",
	}
	title := eventseer.Provenance{URL: "https://icx.example/", Path: "html/head/title", Rule: "title", Snippet: "ICX 2027"}
	e := eventseer.Event{
		ID: "icx-2027", URL: "https://icx.example/", Title: "ICX 2027", Year: 2027,
		Deadlines: []eventseer.Deadline{{
			Kind: eventseer.Submission, Date: "2027-01-15", Instant: time.Date(2027, 1, 16, 11, 59, 59, 0, time.UTC), TZ: "AoE", TZSource: eventseer.TZAssumed,
			Track: "Posters", Round: 2, ExtendedFrom: "2027-01-08", Firm: true, Source: at,
		}},
		Topics:   []string{"a", "b", "c", "d", "e", "f", "g", "h", "i"},
		Sources:  map[string]eventseer.Provenance{"title": title},
		Warnings: []eventseer.Warning{{Rule: "order", Text: "the submission is after the event"}},
	}
	want := `icx-2027  https://icx.example/
  title             ICX 2027
                    read at   html/head/title
                    rule      title
                    text      ICX 2027
  year              2027
                    rule      no place of its own: it follows from the rest of the page
  submission        2027-01-15 AoE = 2027-01-16T11:59:59Z, zone assumed, track Posters, round 2,
                    extended from 2027-01-08, firm
                    page      https://icx.example/dates
                    read at   [120,136)
                              html/body/div/div/div/div/div/div/div/div/div/div/div/div/div/div/div/
                              div/div/div/div/div/p
                    rule      label, right 93 times in 100
                    inferred  year from the event's dates
                    text      Paper submission: January 15 (was very very very very very very very
                              very very very very very very very very very very very very very
                              early)
  topics            9: a; b; c; d; e; f; g; h; …
                    rule      no place of its own: it follows from the rest of the page
  check failed      order: the submission is after the event`
	got := Event(e)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for line := range strings.Lines(got) {
		if utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > explainWidth {
			t.Errorf("longer than %d columns: %q", explainWidth, line)
		}
	}
}
