package extract

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"os"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

// goldDeadlines returns the deadlines of the gold pages by URL.
func goldDeadlines(t *testing.T) map[string]map[eventseer.Deadline]bool {
	t.Helper()
	data, err := os.ReadFile(golden.Shared(t, "corpora/gold/gold.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	gold := map[string]map[eventseer.Deadline]bool{}
	for line := range bytes.Lines(data) {
		var r struct {
			URL       string `json:"url"`
			Deadlines []struct {
				Kind eventseer.DeadlineKind `json:"kind"`
				Date eventseer.Date         `json:"date"`
			} `json:"deadlines"`
		}
		if err := json.Unmarshal(line, &r); err != nil {
			t.Fatal(err)
		}
		gold[r.URL] = map[eventseer.Deadline]bool{}
		for _, d := range r.Deadlines {
			gold[r.URL][eventseer.Deadline{Kind: d.Kind, Date: d.Date}] = true
		}
	}
	return gold
}

// TestShapeConfidence compares the confidences of shapes with those measured on the gold pages.
func TestShapeConfidence(t *testing.T) {
	gold := goldDeadlines(t)
	r, err := warc.Open(golden.Shared(t, "corpora/gold/pages.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	right, read := map[shape]int{}, map[shape]int{}
	for r.Scan() {
		rec, err := r.Record()
		if err != nil || rec.Header.Get("WARC-Type") != "response" {
			continue
		}
		resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(rec.Block)), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		url := rec.Header.Get("WARC-Target-URI")
		tree, err := tagtree.Parse(&webgraph.Page{URL: url, Status: http.StatusOK, Header: resp.Header, Body: body})
		if err != nil {
			continue
		}
		e, _ := newTestExtractor().Extract(tree)
		for _, d := range e.Deadlines {
			if d.Kind == eventseer.OtherDeadline {
				continue
			}
			read[shape(d.Source.Rule)]++
			if gold[url][eventseer.Deadline{Kind: d.Kind, Date: d.Date}] {
				right[shape(d.Source.Rule)]++
			}
		}
	}
	for s, want := range shapeConfidence {
		got := float64(right[s]+1) / float64(read[s]+2)
		t.Logf("%-16s %3d of %3d right, confidence %.2f", s, right[s], read[s], got)
		if math.Abs(got-want) > 0.05 {
			t.Errorf("%s: confidence %.2f, table says %.2f", s, got, want)
		}
	}
}
