package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/webgraph"
)

// pacedWeb records the times of requests; slow.example demands ten seconds.
type pacedWeb struct {
	began time.Time
	asked []string
	to    map[string]string // redirects
	first map[string]bool   // URLs before which something else is requested
	err   error
}

func (w *pacedWeb) Fetch(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	w.asked = append(w.asked, fmt.Sprintf("%s %s", time.Since(w.began), r.URL))
	switch to := w.to[r.URL]; {
	case w.err != nil:
		return nil, w.err
	case w.first[r.URL]:
		delete(w.first, r.URL)
		return nil, &crawler.FetchError{URL: r.URL, Fate: crawler.Deferred, Err: errors.New("robots.txt was read first")}
	case to != "":
		hop := []webgraph.Redirect{{From: r.URL, To: to, Status: 302}}
		if !r.Turn(webgraph.HostOf(to)) {
			return &webgraph.Page{Requested: r.URL, URL: r.URL, Status: 302, Redirects: hop}, nil
		}
		page, err := w.Fetch(ctx, crawler.Request{URL: to, Turn: r.Turn})
		page.Requested, page.Redirects = r.URL, hop
		return page, err
	}
	return &webgraph.Page{Requested: r.URL, URL: r.URL, Status: 200}, nil
}

func (w *pacedWeb) CrawlDelay(url string) time.Duration {
	if webgraph.HostOf(url) == "slow.example" {
		return 10 * time.Second
	}
	return 0
}

const shortDelay = 200 * time.Millisecond

func newTable() *hosts.Table { return hosts.NewTable(hosts.Options{HostDelay: shortDelay}, nil) }

func TestPaced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &pacedWeb{began: time.Now()}
		p := fetch.NewPaced(w, newTable())
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		for _, tt := range []struct{ url, err string }{
			{"http://a.example/1", ""}, {"http://a.example/2", ""}, {"http://b.example/", ""},
			{"http://slow.example/1", ""}, {"http://slow.example/2", "slow.example is not requested for 10s"}, {"http://a.example/3", ""},
		} {
			_, err := p.Fetch(ctx, crawler.Request{URL: tt.url})
			var fe *crawler.FetchError
			if tt.err == "" && err != nil || tt.err != "" && (!errors.As(err, &fe) || fe.Fate != crawler.TryLater || !errors.Is(err, crawler.ErrTooLate) || !strings.Contains(err.Error(), tt.err)) {
				t.Errorf("%s: %v", tt.url, err)
			}
		}
		want := "0s http://a.example/1, 200ms http://a.example/2, 200ms http://b.example/, 200ms http://slow.example/1, 400ms http://a.example/3"
		if got := strings.Join(w.asked, ", "); got != want {
			t.Errorf("asked %s, want %s", got, want)
		}
		stopped, stop := context.WithCancel(t.Context())
		stop()
		if _, err := p.Fetch(stopped, crawler.Request{URL: "http://a.example/4"}); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled: %v", err)
		}
	})
}

// TestPacedRedirects waits for the host that a redirect leads to, and asks again for a
// page whose robots.txt was read first.
func TestPacedRedirects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &pacedWeb{
			began: time.Now(), to: map[string]string{"http://b.example/": "http://a.example/2", "http://c.example/": "http://d.example/"},
			first: map[string]bool{"http://a.example/1": true},
		}
		p := fetch.NewPaced(w, newTable())
		for url, want := range map[string]string{"http://a.example/1": "http://a.example/1"} {
			if page, err := p.Fetch(t.Context(), crawler.Request{URL: url}); err != nil || page.URL != want {
				t.Fatalf("%s: %+v, %v", url, page, err)
			}
		}
		page, err := p.Fetch(t.Context(), crawler.Request{URL: "http://b.example/"})
		if err != nil || page.URL != "http://a.example/2" || page.Requested != "http://b.example/" || len(page.Redirects) != 1 {
			t.Errorf("b.example: %+v, %v", page, err)
		}
		for _, url := range []string{"http://c.example/", "http://d.example/2"} {
			if _, err := p.Fetch(t.Context(), crawler.Request{URL: url}); err != nil {
				t.Errorf("%s: %v", url, err)
			}
		}
		want := "0s http://a.example/1, 200ms http://a.example/1, 200ms http://b.example/, 400ms http://a.example/2, " +
			"400ms http://c.example/, 400ms http://d.example/, 600ms http://d.example/2"
		if got := strings.Join(w.asked, ", "); got != want {
			t.Errorf("asked %s,\nwant  %s", got, want)
		}
	})
}

// TestPacedSharesFrontier: while a crawl runs, other fetches share its host delays, and they make
// the crawl wait.
func TestPacedSharesFrontier(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const delay = 2 * time.Second
		f, err := frontier.Open(filepath.Join(t.TempDir(), "f"), frontier.Options{HostDelay: delay, NoSync: true})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		ctx := t.Context()
		if err := f.Push(ctx, []crawler.Candidate{{URL: "http://a.example/1"}, {URL: "http://a.example/2"}}); err != nil {
			t.Fatal(err)
		}
		shared := fetch.NewSharedTable(newTable())
		shared.SetRunning(f)
		w := &pacedWeb{began: time.Now()}
		p := fetch.NewPaced(w, shared)
		soon, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()

		l, err := f.Next(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Fetch(soon, crawler.Request{URL: "http://a.example/x"}); !errors.Is(err, crawler.ErrTooLate) {
			t.Errorf("while the crawl asks the host: %v, want %v", err, crawler.ErrTooLate)
		}
		if err := f.Done(ctx, crawler.End{Lease: l, Outcome: crawler.Outcome{Fate: crawler.Fetched, Status: 200}}); err != nil {
			t.Fatal(err)
		}
		done := time.Now()
		if _, err := p.Fetch(soon, crawler.Request{URL: "http://a.example/x"}); !errors.Is(err, crawler.ErrTooLate) {
			t.Errorf("while the host rests: %v, want %v", err, crawler.ErrTooLate)
		}
		if _, err := p.Fetch(ctx, crawler.Request{URL: "http://a.example/x"}); err != nil || time.Since(done) < delay {
			t.Errorf("asked %v after the crawl, want %v: %v", time.Since(done), delay, err)
		}
		done = time.Now()
		if _, err := f.Next(ctx); err != nil || time.Since(done) < delay {
			t.Errorf("the crawl asked %v after another, want %v: %v", time.Since(done), delay, err)
		}
		if errs := f.Check(); len(errs) > 0 {
			t.Error(errs)
		}

		shared.SetRunning(nil) // the crawl has ended
		if _, err := p.Fetch(ctx, crawler.Request{URL: "http://b.example/"}); err != nil {
			t.Error(err)
		}
		if _, known, err := f.Host("b.example"); known || err != nil {
			t.Errorf("the frontier knows a host of after its crawl: %v", err)
		}
	})
}

// TestPacedFailures reports to the table the failures of the host, and none of ours.
func TestPacedFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &pacedWeb{began: time.Now(), err: &crawler.FetchError{Fate: crawler.TryLater, Status: 503, HostFailed: true, After: time.Now().Add(time.Hour), Err: errors.New("busy")}}
		table := newTable()
		p := fetch.NewPaced(w, table)
		if _, err := p.Fetch(t.Context(), crawler.Request{URL: "http://a.example/"}); err == nil {
			t.Error("no error")
		}
		if wait, ok := table.Reserve("a.example"); ok || wait != time.Hour {
			t.Errorf("after 503 with Retry-After: wait %v, %v", wait, ok)
		}
		w.err = &crawler.FetchError{Fate: crawler.Refused, Unasked: true, Err: errors.New("robots")}
		if _, err := p.Fetch(t.Context(), crawler.Request{URL: "http://b.example/"}); err == nil {
			t.Error("no error")
		}
		if wait, ok := table.Reserve("b.example"); !ok {
			t.Errorf("after no request: wait %v", wait)
		}
	})
}
