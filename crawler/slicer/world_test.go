package slicer

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/features/tagtree/slice"
	"github.com/eventseer/eventseer/webgraph"
)

// A world is a fetcher and a backlinker with pages in memory, and a clock that
// each fetch moves on.
type world struct {
	pages     map[string]string // URL → HTML; "→URL" redirects, "!" hangs until the time is up
	backlinks []webgraph.Link
	cost      time.Duration // of a fetch
	time      time.Time
	asked     []string
	grow      func(url string) string // answers for URLs not in pages
}

var _ crawler.Fetcher = (*world)(nil)

func (w *world) now() time.Time { return w.time }

func (w *world) page(url string) (*webgraph.Page, error) {
	p := &webgraph.Page{URL: url, Requested: url, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}}
	body, ok := w.pages[p.URL]
	if len(body) > len("→") && body[:len("→")] == "→" {
		to := body[len("→"):]
		p.Redirects = []webgraph.Redirect{{From: url, To: to, Status: 301}}
		p.URL, body = to, w.pages[to]
	}
	if !ok && w.grow != nil {
		body, ok = w.grow(url), true
	}
	if !ok {
		p.Status = http.StatusNotFound
	}
	p.Body = []byte(body)
	return p, nil
}

func (w *world) Fetch(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	url := r.URL
	w.asked = append(w.asked, url)
	w.time = w.time.Add(w.cost)
	if w.pages[url] == "!" {
		<-ctx.Done()
		return nil, &crawler.FetchError{URL: url, Fate: crawler.TryLater, Err: ctx.Err()}
	}
	if w.pages[url] == "refused" {
		return nil, &crawler.FetchError{URL: url, Fate: crawler.Refused, Err: errors.New("robots.txt disallows it")}
	}
	if w.pages[url] == "late" {
		return nil, &crawler.FetchError{URL: url, Fate: crawler.TryLater, Err: crawler.ErrTooLate}
	}
	return w.page(url)
}

func (w *world) Backlinks(_ context.Context, _ string, limit int) ([]webgraph.Link, int, error) {
	return w.backlinks[:min(limit, len(w.backlinks))], 1, nil
}

// run slices from url and returns the output.
func (w *world) run(t *testing.T, url, query string, o Options) ([]*Result, Summary) {
	t.Helper()
	p, err := w.page(url)
	if err != nil {
		t.Fatal(err)
	}
	if o.Query, err = slice.ParseQuery(query); err != nil {
		t.Fatal(err)
	}
	if o.Fetcher == nil {
		o.Fetcher = w
	}
	if w.time.IsZero() {
		w.time = time.Date(2027, 1, 10, 9, 0, 0, 0, time.UTC)
	}
	if o.Now == nil {
		o.Now = w.now
	}
	var results []*Result
	sum, err := Run(t.Context(), p, o, func(r *Result) error {
		results = append(results, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return results, sum
}

// urls returns the addresses of results, those without a slice in brackets.
func urls(results []*Result) []string {
	var urls []string
	for _, r := range results {
		if r.Shown() {
			urls = append(urls, r.URL)
		} else {
			urls = append(urls, "("+r.URL+")")
		}
	}
	return urls
}
