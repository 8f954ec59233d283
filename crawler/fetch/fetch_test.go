package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/webtest"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testClock is the time of all tests.
var testClock = time.Date(2027, 3, 1, 12, 0, 0, 0, time.UTC)

// newFetcher returns a live fetcher into w.
func newFetcher(t *testing.T, w *webtest.Web, set func(*Options)) *Fetcher {
	t.Helper()
	o := Options{
		Contact: "ops@eventseer.example",
		Resolve: w.Resolve,
		Dial:    w.Dial,
		Timeout: 10 * time.Second,
		Now:     func() time.Time { return testClock },
	}
	if set != nil {
		set(&o)
	}
	f, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f
}

// fetchError fetches url and returns the error it must bring.
func fetchError(t *testing.T, f *Fetcher, url string) *crawler.FetchError {
	t.Helper()
	p, err := f.Fetch(t.Context(), crawler.Request{URL: url})
	var fe *crawler.FetchError
	if !errors.As(err, &fe) {
		t.Fatalf("Fetch(%s) = %+v, %v, want a FetchError", url, p, err)
	}
	if fe.URL != url {
		t.Errorf("error names %s, want %s", fe.URL, url)
	}
	return fe
}

func TestFetchPage(t *testing.T) {
	w := webtest.Serve(t, nil)
	w.Handle("http://conf.example/cfp", http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		rw.Header().Set("Last-Modified", "Mon, 01 Feb 2027 00:00:00 GMT")
		rw.Header().Set("Set-Cookie", "id=1")
		rw.Header().Set("Date", "Mon, 01 Mar 2027 12:00:00 GMT")
		fmt.Fprintf(rw, "%s|%s|%s", r.UserAgent(), r.Header.Get("From"), r.Header.Get("Cookie"))
	}))
	f := newFetcher(t, w, func(o *Options) { o.UserAgent = "EventSeer/1.2" })
	body := "EventSeer/1.2 (+ops@eventseer.example)|ops@eventseer.example|"
	want := &webgraph.Page{
		URL:       "http://conf.example/cfp",
		Requested: "http://conf.example/cfp",
		Status:    200,
		Header: http.Header{
			"Content-Type":   {"text/html; charset=utf-8"},
			"Content-Length": {fmt.Sprint(len(body))},
			"Last-Modified":  {"Mon, 01 Feb 2027 00:00:00 GMT"},
			"Date":           {"Mon, 01 Mar 2027 12:00:00 GMT"},
		},
		Body:      []byte(body),
		FetchedAt: testClock,
		Addr:      "9.9.9.9",
	}
	for range 2 { // colly would call the second visit a revisit, and send the cookie
		got, err := f.Fetch(t.Context(), crawler.Request{URL: "http://conf.example/cfp"})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("page (-want +got):\n%s", diff)
		}
	}
}

// The server sees the URL we canonicalised, byte for byte.
func TestFetchKeepsURL(t *testing.T) {
	w := webtest.Serve(t, nil)
	w.Handle("http://a.example/*", webtest.Body("text/html", "x"))
	f := newFetcher(t, w, nil)
	for _, raw := range []string{
		"http://a.example/%7Euser/a%20b/?q=a+b&c=%2F%25", "http://a.example/x;y=1/a|b?[]=1",
		"http://a.example/100%/\"<>`{}", "http://a.example//a//./b/../c?", "http://a.example/caf\u00e9?\u00e9",
	} {
		u, err := webgraph.Canonical(raw)
		if err != nil {
			t.Fatal(err)
		}
		p, err := f.Fetch(t.Context(), crawler.Request{URL: u})
		if err != nil {
			t.Fatal(err)
		}
		if p.URL != u || w.Count(u) != 1 {
			t.Errorf("%s: page is %s, server saw %q", u, p.URL, w.Requests())
		}
	}
}

func TestFetchStatuses(t *testing.T) {
	w := webtest.Serve(t, nil)
	f := newFetcher(t, w, nil)
	for _, status := range []int{304, 300, 400, 401, 404, 410, 418, 500, 502, 504} {
		u := fmt.Sprintf("http://conf.example/%d", status)
		w.Handle(u, webtest.Status(status, "Content-Type", "image/png"))
		p, err := f.Fetch(t.Context(), crawler.Request{URL: u})
		if err != nil || p.Status != status || len(p.Body) != 0 {
			t.Errorf("status %d: got %+v, %v", status, p, err)
		}
	}
}

func TestFetchRetryAfter(t *testing.T) {
	tests := []struct {
		name, value string
		status      int
		want        time.Duration // 0: none
	}{
		{"seconds", "120", 429, 2 * time.Minute},
		{"date", testClock.Add(time.Hour).Format(http.TimeFormat), 503, time.Hour},
		{"more than a day", "999999", 503, 24 * time.Hour},
		{"more than a number", "99999999999999999999", 503, 24 * time.Hour},
		{"past date", testClock.Add(-time.Hour).Format(http.TimeFormat), 503, 0},
		{"nonsense", "soon", 503, 0},
		{"none", "", 429, 0},
	}
	w := webtest.Serve(t, nil)
	f := newFetcher(t, w, nil)
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			u := fmt.Sprintf("http://conf.example/%d", i)
			w.Handle(u, webtest.Status(tt.status, "Retry-After", tt.value))
			fe := fetchError(t, f, u)
			want := time.Time{}
			if tt.want > 0 {
				want = testClock.Add(tt.want)
			}
			if fe.Fate != crawler.TryLater || fe.Status != tt.status || !fe.After.Equal(want) {
				t.Errorf("got %s %d %v, want try_later %d %v", fe.Fate, fe.Status, fe.After, tt.status, want)
			}
		})
	}
}

func TestFetchRedirects(t *testing.T) {
	w := webtest.Serve(t, map[string]string{"http://b.example/new/": "<p>here</p>"})
	w.Handle("http://a.example/old", webtest.Redirect(301, "../a.example/./step#part"))
	w.Handle("http://a.example/a.example/step", webtest.Redirect(307, "HTTP://B.example:80/new/"))
	w.Handle("http://a.example/loop", webtest.Redirect(302, "/pool"))
	w.Handle("http://a.example/pool", webtest.Redirect(302, "http://a.example/loop"))
	w.Handle("http://a.example/script", webtest.Redirect(302, "javascript:alert(1)"))
	for scheme, to := range map[string]string{
		"ftp": "ftp://b.example/x", "mail": "mailto:chair@b.example", "data": "data:text/html,x", "file": "file:///etc/passwd", "https0": "https:///x y z:99999",
	} {
		w.Handle("http://a.example/to-"+scheme, webtest.Redirect(302, to))
	}
	w.Handle("http://a.example/nowhere", webtest.Status(302, "Content-Type", "text/html"))
	for i := range 12 {
		w.Handle(fmt.Sprintf("http://a.example/%d", i), webtest.Redirect(303, fmt.Sprint("/", i+1)))
	}
	w.Handle("http://a.example/12", webtest.Body("text/html", "the end"))
	f := newFetcher(t, w, nil)

	p, err := f.Fetch(t.Context(), crawler.Request{URL: "http://a.example/old"})
	if err != nil {
		t.Fatal(err)
	}
	want := []webgraph.Redirect{
		{From: "http://a.example/old", To: "http://a.example/a.example/step", Status: 301},
		{From: "http://a.example/a.example/step", To: "http://b.example/new/", Status: 307},
	}
	if diff := cmp.Diff(want, p.Redirects); diff != "" || p.URL != "http://b.example/new/" || p.Requested != "http://a.example/old" {
		t.Errorf("%s after %s (-want +got):\n%s", p.URL, p.Requested, diff)
	}
	if p, err := f.Fetch(t.Context(), crawler.Request{URL: "http://a.example/nowhere"}); err != nil || p.Status != 302 {
		t.Errorf("a redirect without Location: %+v, %v", p, err)
	}
	if p, err := f.Fetch(t.Context(), crawler.Request{URL: "http://a.example/2"}); err != nil || len(p.Redirects) != 10 {
		t.Errorf("ten hops: %+v, %v", p, err)
	}
	for u, want := range map[string]struct {
		fate crawler.Fate
		text string
	}{
		"http://a.example/loop":      {crawler.Gone, "redirect loop"},
		"http://a.example/0":         {crawler.Gone, "more than 10 redirects"},
		"http://a.example/script":    {crawler.Refused, "redirect from http://a.example/script"},
		"http://a.example/to-ftp":    {crawler.Refused, "redirect from"},
		"http://a.example/to-mail":   {crawler.Refused, "redirect from"},
		"http://a.example/to-data":   {crawler.Refused, "redirect from"},
		"http://a.example/to-file":   {crawler.Refused, "redirect from"},
		"http://a.example/to-https0": {crawler.Refused, "redirect from"},
	} {
		if fe := fetchError(t, f, u); fe.Fate != want.fate || !strings.Contains(fe.Error(), want.text) {
			t.Errorf("%s: %s: %v", u, fe.Fate, fe)
		}
	}
}

func TestFetchCancelled(t *testing.T) {
	w := webtest.Serve(t, nil)
	w.Handle("http://a.example/", webtest.Endless("<p>", time.Millisecond))
	answered := func() {}
	f := newFetcher(t, w, func(o *Options) {
		o.AnsweredAt = func(*http.Response) time.Time { answered(); return testClock }
	})
	if ok, _, err := f.Allowed(t.Context(), "http://a.example/"); !ok || err != nil {
		t.Fatal(ok, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	answered = cancel
	if p, err := f.Fetch(ctx, crawler.Request{URL: "http://a.example/"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %+v, %v", p, err)
	}
}

func TestNewRefuses(t *testing.T) {
	replay := http.NewFileTransport(http.Dir(t.TempDir()))
	tests := []struct {
		name string
		o    Options
		want string
	}{
		{"live without contact", Options{}, "contact: you@example.org"},
		{"live without contact says the flag", Options{}, "--contact"},
		{"no contact", Options{Contact: "me"}, "neither a mail address nor"},
		{"contact of two lines", Options{Contact: "https://a.example/\r\nX: y"}, "neither a mail address nor"},
		{"contact in letters no header holds", Options{Contact: "https://a.example/\u00e9"}, "an HTTP header cannot contain"},
		{"agent with a blank", Options{Transport: replay, UserAgent: "Event Seer/1"}, "robots.txt can name only"},
		{"agent of two lines", Options{Transport: replay, UserAgent: "EventSeer/1\nX: y"}, "robots.txt can name only"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := New(tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
	if _, err := New(Options{}); !errors.Is(err, ErrNoContact) {
		t.Errorf("got %v, want ErrNoContact", err)
	}
	if _, err := New(Options{Transport: replay}); err != nil {
		t.Errorf("a replay needs no contact: %v", err)
	}
}

// Many at a time, over many hosts: every page its own, each robots.txt once.
func TestFetchConcurrently(t *testing.T) {
	const workers, hosts = 16, 8
	pages := map[string]string{}
	for i := range workers * 10 {
		u := fmt.Sprintf("http://h%d.example/%d", i%hosts, i)
		pages[u] = "page " + u
	}
	w := webtest.Serve(t, pages)
	f := newFetcher(t, w, nil)
	var wg sync.WaitGroup
	for k := range workers {
		wg.Go(func() {
			for i := k * 10; i < k*10+10; i++ {
				u := fmt.Sprintf("http://h%d.example/%d", i%hosts, i)
				p, err := f.Fetch(t.Context(), crawler.Request{URL: u})
				if err != nil || string(p.Body) != pages[u] {
					t.Errorf("%s: %+v, %v", u, p, err)
				}
			}
		})
	}
	wg.Wait()
	for i := range hosts {
		if n := w.Count(fmt.Sprintf("http://h%d.example/robots.txt", i)); n != 1 {
			t.Errorf("robots.txt of host %d was asked for %d times", i, n)
		}
	}
}
