package series

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/golden"
)

// TestKnownSeries measures Match on the records of corpora/gold and corpora/wikicfp against
// testdata/known.tsv. Records that it does not name belong to no known series.
func TestKnownSeries(t *testing.T) {
	want := map[string]string{}
	for line := range strings.Lines(readText(t, "testdata/known.tsv")) {
		if name, id, ok := strings.Cut(strings.TrimSpace(line), "\t"); ok {
			want[name] = id
		}
	}
	for file, least := range map[string]int{"gold/gold.jsonl": 95, "wikicfp/events.jsonl": 80} {
		known, found, wrong, others, strays := 0, 0, 0, 0, 0
		for _, e := range recordsOf(t, file) {
			name := e.URL
			if e.Title == "" {
				continue
			}
			if name == "" {
				name = e.Title
			}
			m, _ := Shipped().Match(PageOf(e))
			switch id := want[name]; {
			case id == "":
				if others++; m.Series.ID != "" {
					strays++
					t.Logf("%s %q is taken for one of %s %v", e.Acronym, e.Title, m.Series.ID, m.Evidence)
				}
			case m.Series.ID == id:
				known++
				found++
			default:
				if known++; m.Series.ID != "" {
					wrong++
				}
				t.Logf("%s %q is %q, want %s", e.Acronym, e.Title, m.Series.ID, id)
			}
		}
		t.Logf("%s: of %d editions of known series %d are found, %d wrong; of %d others %d are taken for known ones", file, known, found, wrong, others, strays)
		if known == 0 || found*100 < least*known || (wrong+strays)*100 > known+others {
			t.Errorf("%s: %d of %d found, %d wrong", file, found, known, wrong+strays)
		}
	}
}

func readText(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// recordsOf reads records, or plain-text calls with their names, of a corpus.
func recordsOf(t *testing.T, file string) (events []eventseer.Event) {
	f, err := os.Open(golden.SharedPath(t, "corpora/"+file))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<22)
	for lines.Scan() {
		var e struct {
			URL, Title, Name, Acronym string
			Topics                    []string
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		events = append(events, eventseer.Event{URL: e.URL, Title: e.Title + e.Name, Acronym: e.Acronym, Topics: e.Topics})
	}
	return events
}
