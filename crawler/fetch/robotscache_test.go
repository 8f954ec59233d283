package fetch

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/webtest"
)

func TestFetchObeysRobots(t *testing.T) {
	w := webtest.Serve(t, map[string]string{
		"http://a.example/open": "open", "http://a.example/private/x": "secret", "http://b.example/x": "secret",
	})
	w.Robots("http://a.example", "User-agent: *\nDisallow: /\n\nUser-agent: eventseer\nDisallow: /private\nCrawl-delay: 7\n")
	w.Robots("http://b.example", "User-agent: *\nDisallow: /\n")
	w.Handle("http://a.example/to-private", webtest.Redirect(301, "/private/x"))
	w.Handle("http://a.example/to-b", webtest.Redirect(301, "http://b.example/x"))
	f := newFetcher(t, w, nil)
	if _, err := f.Fetch(t.Context(), crawler.Request{URL: "http://a.example/open"}); err != nil {
		t.Fatal(err)
	}
	for u, rule := range map[string]string{
		"http://a.example/private/x":  "http://a.example: disallow: /private (line 5)",
		"http://a.example/to-private": "http://a.example: disallow: /private (line 5)",
		"http://a.example/to-b":       "http://b.example: disallow: / (line 2)",
		"http://b.example/x":          "http://b.example: disallow: / (line 2)",
	} {
		if fe := fetchError(t, f, u); fe.Fate != crawler.Refused || !strings.Contains(fe.Error(), rule) {
			t.Errorf("%s: %s: %v", u, fe.Fate, fe)
		}
	}
	if w.Count("http://a.example/private/x")+w.Count("http://b.example/x") != 0 {
		t.Errorf("robots.txt was not obeyed: %q", w.Requests())
	}
	if w.Count("http://a.example/robots.txt") != 1 {
		t.Error("robots.txt was asked for again")
	}
	if got := f.CrawlDelay("http://a.example/x"); got != 7*time.Second {
		t.Errorf("crawl delay %v", got)
	}
	if got := f.CrawlDelay("https://a.example/x"); got != 7*time.Second {
		t.Errorf("crawl delay by the other scheme %v", got)
	}
	if got := f.CrawlDelay("http://never-seen.example/"); got != 0 {
		t.Errorf("crawl delay of an unknown host %v", got)
	}
	ok, reason, err := f.Allowed(t.Context(), "http://a.example/private/x")
	if ok || err != nil || reason != "robots.txt of http://a.example: disallow: /private (line 5)" {
		t.Errorf("Allowed: %v, %q, %v", ok, reason, err)
	}
	if ok, _, err := f.Allowed(t.Context(), "http://b.example/robots.txt"); !ok || err != nil {
		t.Errorf("robots.txt itself: %v, %v", ok, err)
	}
	if _, _, err := f.Allowed(t.Context(), "mailto:a@b.example"); err == nil {
		t.Error("Allowed of no web URL brings no error")
	}
}

func TestRobotsAnswers(t *testing.T) {
	const deny = "User-agent: *\nDisallow: /\n"
	const other, page = "http://other.example/robots.txt", "/page"
	w := webtest.Serve(t, nil)
	w.Handle(other, webtest.Body("text/plain", deny))
	w.SetAddrs("nowhere.example")
	chain := func(host string, hops int) http.Handler {
		for i := range hops {
			to := fmt.Sprintf("/%d", i+1)
			if i == hops-1 {
				to = other
			}
			w.Handle(fmt.Sprintf("http://%s/%d", host, i), webtest.Redirect(302, to))
		}
		return webtest.Redirect(302, "/0")
	}
	tests := []struct {
		name string
		fate crawler.Fate // "": allowed
		h    http.Handler
	}{
		{"404", "", webtest.Status(404)},
		{"403", "", webtest.Status(403)},
		{"429", crawler.TryLater, webtest.Status(429)},
		{"500", crawler.TryLater, webtest.Status(500)},
		{"503", crawler.TryLater, webtest.Status(503)},
		{"denies", crawler.Refused, webtest.Body("text/plain", deny)},
		{"html page", "", webtest.Body("text/html", "<p>no robots here</p>")},
		{"denies, gzip, odd type", crawler.Refused, webtest.Encoded("image/png", "gzip", zip(t, deny))},
		{"redirect to another host", crawler.Refused, webtest.Redirect(301, other)},
		{"six redirects", crawler.Refused, chain("chain.example", 5)},
		{"endless redirects", "", webtest.Redirect(302, "/robots.txt")},
		{"redirect to a dead host", crawler.TryLater, webtest.Redirect(302, "http://nowhere.example/robots.txt")},
		{"redirect to a private address", crawler.Refused, webtest.Redirect(302, "http://10.0.0.1/robots.txt")},
		{"closes early", crawler.TryLater, webtest.Short("User-agent: *\n", 1000)},
		{"never ends", crawler.TryLater, webtest.Endless("# and so on\n", 20*time.Millisecond)},
		{"5 MB, denies at the beginning", crawler.Refused, webtest.Body("text/plain", deny+strings.Repeat("# and so on\n", 5<<20/12))},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			origin := fmt.Sprintf("http://h%d.example", i)
			if tt.name == "six redirects" {
				origin = "http://chain.example"
			}
			w.Handle(origin+"/robots.txt", tt.h)
			w.Handle(origin+page, webtest.Body("text/html", "page"))
			f := newFetcher(t, w, func(o *Options) { o.Timeout = 200 * time.Millisecond })
			if tt.fate == "" {
				if _, err := f.Fetch(t.Context(), crawler.Request{URL: origin + page}); err != nil {
					t.Error(err)
				}
				return
			}
			fe := fetchError(t, f, origin+page)
			if fe.Fate != tt.fate || (fe.Fate == crawler.TryLater) != fe.After.Equal(testClock.Add(robotsRetry)) {
				t.Errorf("got %s, after %v: %v", fe.Fate, fe.After, fe)
			}
			if w.Count(origin+page) != 0 {
				t.Error("the page was asked for")
			}
		})
	}
}

// A robots.txt is requested once a day, and sooner if it could not be read.
func TestRobotsExpire(t *testing.T) {
	w := webtest.Serve(t, map[string]string{"http://a.example/": "x"})
	now := testClock
	f := newFetcher(t, w, func(o *Options) { o.Now = func() time.Time { return now } })
	w.Handle("http://a.example/robots.txt", webtest.Status(503))
	fetchError(t, f, "http://a.example/")
	w.Handle("http://a.example/robots.txt", webtest.Status(404))
	now = now.Add(robotsRetry - time.Second)
	fetchError(t, f, "http://a.example/")
	for _, wait := range []time.Duration{time.Second, robotsTTL - time.Second} {
		now = now.Add(wait)
		if _, err := f.Fetch(t.Context(), crawler.Request{URL: "http://a.example/"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.Count("http://a.example/robots.txt"); n != 2 {
		t.Errorf("asked %d times, want 2", n)
	}
	w.Robots("http://a.example", "User-agent: *\nDisallow: /")
	now = now.Add(time.Second)
	fetchError(t, f, "http://a.example/")
}
