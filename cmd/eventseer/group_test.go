package main

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/crawler/webtest"
)

// nothing is a strategy that follows no links.
type nothing struct{}

func (nothing) Visit(context.Context, crawler.Arrival) (crawler.Verdict, error) {
	return crawler.Verdict{}, nil
}

// TestRobotsWithinGroup reads a robots.txt that redirects to another host of its
// group: neither may be asked while the other is.
func TestRobotsWithinGroup(t *testing.T) {
	t.Parallel()
	for _, group := range []frontier.Group{frontier.ByHost, frontier.ByDomain, frontier.ByAddress} {
		w := webtest.Serve(t, map[string]string{"http://conf.example/cfp": "call"})
		w.Handle("http://conf.example/robots.txt", webtest.Redirect(301, "http://www.conf.example/robots.txt"))
		w.Handle("http://www.conf.example/robots.txt", webtest.Body("text/plain", "User-agent: *\nDisallow: /private\n"))
		f, err := fetch.New(fetch.Options{Contact: "ops@eventseer.example", Resolve: w.Resolve, Dial: w.Dial})
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		front, err := frontier.Open(filepath.Join(t.TempDir(), "f.db"), frontier.Options{HostDelay: 20 * time.Millisecond, Group: group})
		if err != nil {
			t.Fatal(err)
		}
		c, err := crawler.New(crawler.Options{Frontier: front, Fetcher: f, Strategy: nothing{}})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.PushSeeds(t.Context(), []string{"http://conf.example/cfp"}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		if stats, err := c.Run(ctx); err != nil || stats.Pages != 1 {
			t.Errorf("%s: %+v, %v, asked for %q", group, stats, err, w.Requests())
		}
		if err := front.Close(); err != nil {
			t.Error(err)
		}
	}
}
