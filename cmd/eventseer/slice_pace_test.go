package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"eventseer/crawler"
	"eventseer/webgraph"
)

// pacedWeb notes when it is asked; slow.example asks for ten seconds.
type pacedWeb struct {
	began time.Time
	asked []string
}

func (w *pacedWeb) Fetch(_ context.Context, r crawler.Request) (*webgraph.Page, error) {
	url := r.URL
	w.asked = append(w.asked, fmt.Sprintf("%s %s", time.Since(w.began), url))
	return &webgraph.Page{URL: url}, nil
}

func (w *pacedWeb) CrawlDelay(url string) time.Duration {
	if webgraph.HostOf(url) == "slow.example" {
		return 10 * time.Second
	}
	return 0
}

func TestPacedFetcher(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		w := &pacedWeb{began: time.Now()}
		p := &pacedFetcher{web: w, now: time.Now}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		for _, tt := range []struct{ url, err string }{
			{"http://a.example/1", ""}, {"http://a.example/2", ""}, {"http://b.example/", ""},
			{"http://slow.example/1", ""}, {"http://slow.example/2", "slow.example is left 10s"}, {"http://a.example/3", ""},
		} {
			_, err := p.Fetch(ctx, crawler.Request{URL: tt.url})
			var fe *crawler.FetchError
			if tt.err == "" && err != nil || tt.err != "" && (!errors.As(err, &fe) || fe.Fate != crawler.TryLater || !strings.Contains(err.Error(), tt.err)) {
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
		time.Sleep(time.Minute)
		for i := range 3 * maxPaced {
			if _, err := p.Fetch(t.Context(), crawler.Request{URL: fmt.Sprintf("http://h%d.example/", i)}); err != nil {
				t.Fatal(err)
			}
			if i%maxPaced == 0 {
				time.Sleep(time.Second)
			}
		}
		if len(p.due) > maxPaced+1 {
			t.Errorf("%d hosts remembered", len(p.due))
		}
	})
}
