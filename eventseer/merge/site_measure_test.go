//go:build measure

package merge_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/datasets/split"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/merge"
	"github.com/eventseer/eventseer/internal/golden"
)

// TestCrossFittedSite joins the records of corpora/sites/sites.warc.gz that TestCrossFittedExtract
// wrote to the file EVENTSEER_RECORDS. It writes one record of each work site, at the address of
// its home, to EVENTSEER_OUT, and the labels of these sites to EVENTSEER_GOLD, for
// score_extract.py.
func TestCrossFittedSite(t *testing.T) {
	in, out, gold := os.Getenv("EVENTSEER_RECORDS"), os.Getenv("EVENTSEER_OUT"), os.Getenv("EVENTSEER_GOLD")
	if in == "" || out == "" || gold == "" {
		t.Skip("EVENTSEER_RECORDS, EVENTSEER_OUT and EVENTSEER_GOLD are not all set")
	}
	records := map[string]eventseer.Event{}
	for _, line := range linesOf(t, in) {
		var e eventseer.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if url := strings.TrimSuffix(e.URL, "index.html"); records[url].URL == "" {
			records[url] = e
		}
	}
	var said, known strings.Builder
	for _, line := range linesOf(t, golden.SharedPath(t, "corpora/sites/sites.jsonl")) {
		var r struct {
			Site, Home string
			Pages      []string
			Event      map[string]any
		}
		if err := json.Unmarshal([]byte(line), &r); err != nil {
			t.Fatal(err)
		}
		if split.IsValidation(r.Site) {
			continue
		}
		var pages []eventseer.Event
		for _, url := range r.Pages {
			if e, ok := records[strings.TrimSuffix(url, "index.html")]; ok {
				pages = append(pages, e)
			}
		}
		e := merge.MergeSite(pages)
		e.URL, r.Event["url"] = r.Home, r.Home
		write(t, &said, e)
		write(t, &known, r.Event)
	}
	for path, text := range map[string]string{out: said.String(), gold: known.String()} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

func write(t *testing.T, b *strings.Builder, v any) {
	line, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	b.Write(append(line, '\n'))
}

func linesOf(t *testing.T, path string) []string {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}
