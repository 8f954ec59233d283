package rundir

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/internal/atomicfile"
)

// Backlinks is the value of Page.How for a request for backlinks.
const Backlinks crawler.Origin = "backlinks"

// A Page is a line of pages.jsonl.
type Page struct {
	// N is the number of the ended lease, from 1. A request for backlinks has the N of its page.
	N int `json:"n"`
	// T is the time of the response, in a replay that of the recorded one.
	T time.Time `json:"t"`
	// URL is the final URL. It is the requested URL if there was no response, or if the final URL was fetched
	// before.
	URL      string         `json:"url"`
	Parent   string         `json:"parent"`
	How      crawler.Origin `json:"how"` // how the link was found, or Backlinks
	Depth    int            `json:"depth"`
	Score    float64        `json:"score"`
	Status   int            `json:"status"` // HTTP status, 0 without a response
	Bytes    int            `json:"bytes"`
	Cost     float64        `json:"cost"` // pages of budget used
	PageType string         `json:"page_type"`
	CFPScore float64        `json:"cfp_score"` // relevance of the page
	IsCFP    bool           `json:"is_cfp"`    // true for a target
	// TopicScore is the probability that the page is on the topic of the crawl.
	TopicScore float64 `json:"topic_score,omitempty"`
	// Reason is why the page could not be read or was not worth reading.
	Reason string `json:"reason,omitempty"`
	// Skipped are the links that were not followed, one line per reason.
	Skipped []string `json:"skipped,omitempty"`
}

// writePage appends the line of a page, and the line of its request for backlinks if there was one.
func writePage(b *bytes.Buffer, t crawler.StepRecord) error {
	o, l, v := t.Arrival.Outcome, t.Arrival.Lease, t.Verdict
	p := Page{
		N: t.N, T: o.At.UTC().Truncate(time.Second), URL: l.URL, Parent: l.Parent, How: l.How, Depth: l.Depth, Score: l.Score,
		Status: o.Status, Bytes: o.Bytes, PageType: v.PageType, CFPScore: v.Relevance, IsCFP: v.Target, TopicScore: v.TopicScore, Reason: o.Reason, Skipped: o.Skipped,
	}
	if t.Arrival.CostsBudget() {
		p.URL, p.Cost = t.Arrival.URL(), 1
	}
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(p); err != nil || t.Asked == nil {
		return err
	}
	return enc.Encode(Page{N: t.N, T: p.T, URL: t.Asked.URL, How: Backlinks, Depth: l.Depth, Cost: t.Asked.Cost})
}

// JudgedPages returns the lines of the run's pages with a page type, by URL. An incomplete last line is
// ignored.
func JudgedPages(run string) (map[string]Page, error) {
	path := filepath.Join(run, PagesFile)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // opened for reading only
	pages := map[string]Page{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	var broken error // error of the last line; a killed crawl may leave an incomplete one
	for n := 1; lines.Scan(); n++ {
		if broken != nil {
			return nil, broken
		}
		var p Page
		if err := json.Unmarshal(lines.Bytes(), &p); err != nil {
			broken = fmt.Errorf("%s: line %d: %w", path, n, err)
			continue
		}
		if p.PageType != "" {
			pages[p.URL] = p
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return pages, nil
}

// WriteRun writes run.json atomically. It is called at the start of the run, and at its end with totals and
// the reason.
func (d *Dir) WriteRun(v any) error {
	return replaceFile(filepath.Join(d.path, RunFile), func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	})
}

// WriteEvents writes events.jsonl atomically, one line per event. If events yields an error, it returns the
// error and leaves an earlier file unchanged.
func (d *Dir) WriteEvents(events iter.Seq2[any, error]) error {
	return replaceFile(filepath.Join(d.path, EventsFile), func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		for event, err := range events {
			if err != nil {
				return err
			}
			if err := enc.Encode(event); err != nil {
				return err
			}
		}
		return nil
	})
}

// replaceFile writes a file of the run atomically.
func replaceFile(path string, write func(io.Writer) error) error {
	if err := atomicfile.Write(path, write); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	return nil
}
