package match

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"

	"github.com/google/go-cmp/cmp"
)

// What a file of pairs holds of two records compares as they do, and has no people.
func TestCompared(t *testing.T) {
	a := eventseer.Event{
		ID: "icx-2027", URL: "https://icx.example.org/2027/cfp", Title: "7th International Conference on Crossings", Acronym: "ICX'27", Kind: eventseer.Conference,
		Year: 2027, Parent: "Crossing Week 2027", EventStart: "2027-06-01", EventEnd: "2027-06-04", Location: &eventseer.Venue{City: "Oslo", CountryCode: "NO"},
		Homepage: "https://icx.example.org/2027/", Pages: []string{"https://icx.example.org/2027/cfp", "https://list.example.net/7"}, Related: []string{"https://icx.example.org/2027/"},
		Topics: []string{"bridges", "tunnels"}, Committee: []eventseer.Person{{Name: "Ann Example"}}, Deadlines: []eventseer.Deadline{{Kind: eventseer.Submission, Date: "2027-01-15", ExtendedFrom: "2027-01-08", Instant: time.Now()}},
	}
	b := a
	b.URL, b.Pages, b.Title, b.EventStart, b.Deadlines = "https://icx.example.org/2027/posters", nil, "ICX 2027: Posters", "", nil
	line, err := json.Marshal(Pair{A: ComparedFields(a), B: ComparedFields(b), Same: true, How: "editor"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(line), "Ann") {
		t.Errorf("people are written: %s", line)
	}
	pairs, err := ReadPairs(strings.NewReader(string(line)+"\n"), "pairs.jsonl")
	if err != nil || len(pairs) != 1 || !pairs[0].Same {
		t.Fatalf("%v, %v", pairs, err)
	}
	want, got := PairTerms(NewEventKey(a), NewEventKey(b)), PairTerms(NewEventKey(pairs[0].A), NewEventKey(pairs[0].B))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("terms of the records (-) and of what is written of them (+):\n%s", diff)
	}
}

func TestReadPairsRefuses(t *testing.T) {
	good := `{"a":{"url":"https://a.example/"},"b":{"url":"https://b.example/"}}` + "\n"
	for text, say := range map[string]string{
		good + "{": "p, line 2",
		good + `{"a":{"url":"https://a.example/"}}`:        "p, line 2: a record has no url",
		`{"a":"` + strings.Repeat("x", maxPairLine) + `"}`: "p: ",
	} {
		if _, err := ReadPairs(strings.NewReader(text), "p"); err == nil || !strings.HasPrefix(err.Error(), say) {
			t.Errorf("%.40q: %v, want %q", text, err, say)
		}
	}
}
