package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

// TestGraphInterrupted builds a graph whose context has ended: it exits with 130,
// leaves no graph, and its state can be gone on with.
func TestGraphInterrupted(t *testing.T) {
	dir := t.TempDir()
	links := filepath.Join(dir, "links.tsv")
	if err := os.WriteFile(links, []byte("source\ttarget\nhttp://a.example/\thttp://t.example/\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "t.graph")
	build := []string{"graph", "build", "http://t.example/", "--backlinks", links, "--state", dir + "/state", "-o", out}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	a := newTestApp(t)
	var talk talkLog
	a.Stderr = &talk
	if code := run(ctx, build, a); code != exitInterrupted || !strings.Contains(talk.String(), "--resume continues") {
		t.Errorf("exit code %d, want %d; said %s", code, exitInterrupted, &talk)
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a graph was written")
	}
	if code := run(context.Background(), append(build, "--resume", "--quiet"), newTestApp(t)); code != 0 {
		t.Errorf("resumed: exit code %d", code)
	}
}

// TestGraphFetches builds a graph of live pages: it sees which links exist, and leaves out pages that are
// gone or forbidden.
func TestGraphFetches(t *testing.T) {
	pages := map[string]string{
		"/robots.txt": "User-agent: *\nDisallow: /closed\n",
		"/cfp":        "<title>CFP</title><p>Call for papers",
		"/list":       "<title>Calls</title><p><a href=/cfp>Conf 2027</a>",
		"/stale":      "<title>News</title><p>nothing",
		"/closed":     "<p><a href=/cfp>Conf 2027</a>",
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if r.URL.Path != "/robots.txt" {
			w.Header().Set("Content-Type", "text/html")
		}
		_, _ = io.WriteString(w, page)
	}))
	defer server.Close()
	dir := t.TempDir()
	var links strings.Builder
	links.WriteString("source\ttarget\n")
	for _, source := range []string{"/list", "/stale", "/closed", "/gone"} {
		fmt.Fprintf(&links, "%s%s\t%s/cfp\n", server.URL, source, server.URL)
	}
	if err := os.WriteFile(dir+"/links.tsv", []byte(links.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	build := []string{
		"graph", "build", server.URL + "/cfp", "--backlinks", dir + "/links.tsv", "--in-site", "--fetch", "--layers", "2",
		"--allow-private", "--contact", "me@example.org", "--host-delay", "1ms", "--quiet", "-o", dir + "/t.graph",
	}
	if code := run(t.Context(), build, newTestApp(t)); code != 0 {
		t.Fatalf("exit code %d", code)
	}
	graphs, err := contextgraph.ReadFiles([]string{dir + "/t.graph"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, n := range graphs[0].Nodes {
		got = append(got, strings.TrimPrefix(n.URL, server.URL))
	}
	for _, e := range graphs[0].Edges {
		got = append(got, fmt.Sprint(e.From, e.To, e.Verified))
	}
	want := []string{"/cfp", "/list", "/stale", "1 0 true", "2 0 false"}
	if diff := cmp.Diff(want, got); diff != "" || graphs[0].Layers[0].Gone != 2 {
		t.Errorf("%+v (-want +got):\n%s", graphs[0].Layers[0], diff)
	}
}

// clockFetcher notes when each host is asked.
type clockFetcher struct {
	asked map[webgraph.Host][]time.Time
	to    map[string]string // redirects
}

func (f *clockFetcher) Fetch(_ context.Context, r crawler.Request) (*webgraph.Page, error) {
	h := webgraph.HostOf(r.URL)
	f.asked[h] = append(f.asked[h], time.Now())
	if to, ok := f.to[r.URL]; ok {
		if r.Turn(webgraph.HostOf(to)) {
			return f.Fetch(context.Background(), crawler.Request{URL: to, Turn: r.Turn})
		}
		return &webgraph.Page{URL: r.URL, Status: 302, Redirects: []webgraph.Redirect{{From: r.URL, To: to, Status: 302}}}, nil
	}
	return &webgraph.Page{URL: r.URL, Status: 200}, nil
}

// TestGraphIsPolite checks that no host is requested twice within the delay, including redirects.
func TestGraphIsPolite(t *testing.T) {
	robots, err := fetch.New(fetch.Options{Contact: "a@b.example", UserAgent: "test/1"})
	if err != nil {
		t.Fatal(err)
	}
	defer robots.Close()
	const pause = 30 * time.Millisecond
	next := &clockFetcher{asked: map[webgraph.Host][]time.Time{}, to: map[string]string{"http://b.example/1": "http://a.example/3"}}
	f := fetch.NewPaced(struct {
		crawler.Fetcher
		crawler.Pacer
	}{next, robots}, hosts.NewTable(hosts.Options{HostDelay: pause}, nil))
	for _, url := range []string{"http://a.example/1", "http://a.example/2", "http://b.example/1", "http://c.example/1"} {
		if p, err := f.Fetch(t.Context(), crawler.Request{URL: url}); err != nil || p.Status != 200 {
			t.Errorf("%s: %v, %+v", url, err, p)
		}
	}
	if n := len(next.asked["a.example"]); n != 3 {
		t.Errorf("a.example was asked %d times, want 3", n)
	}
	for host, times := range next.asked {
		for i := 1; i < len(times); i++ {
			if gap := times[i].Sub(times[i-1]); gap < pause {
				t.Errorf("%s was asked again after %v, less than %v", host, gap, pause)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Fetch(ctx, crawler.Request{URL: "http://a.example/4"}); err == nil {
		t.Error("a cancelled wait is no error")
	}
}
