package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/backlink/backlinktest"
	"github.com/eventseer/eventseer/crawler/seeds"
	"github.com/eventseer/eventseer/internal/golden"
)

func TestSeedQueries(t *testing.T) {
	var out strings.Builder
	for _, tt := range []struct {
		topic string
		n     int
	}{{"", 14}, {"mathematics", 12}, {"physics", 8}} {
		topics, err := engine.SearchTopics(tt.topic)
		if err != nil {
			t.Fatal(err)
		}
		queries := seeds.Queries(topics, seeds.CallYear(time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)), tt.n)
		if len(queries) != tt.n {
			t.Errorf("topic %q: %d queries, want %d", tt.topic, len(queries), tt.n)
		}
		fmt.Fprintf(&out, "# topic %q\n%s\n", tt.topic, strings.Join(queries, "\n"))
		if !slices.Equal(queries, seeds.Queries(topics, 2027, tt.n)) {
			t.Errorf("topic %q: the queries differ from one time to the next", tt.topic)
		}
	}
	golden.Check(t, "searchseeds/queries.txt", []byte(out.String()))
}

// TestCrawlFindsSeeds crawls with seeds from a search only: one page is left out because it is blocked.
func TestCrawlFindsSeeds(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>%s</title><p>A page.", r.URL.Path)
	}))
	defer site.Close()
	engine := backlinktest.NewSearX(t, backlinktest.Options{Pages: []backlinktest.Page{
		{URL: site.URL + "/a", Title: "Call for papers physics 2026 2027 2028"},
		{URL: "https://blocked.example/", Title: "Call for papers physics 2026 2027 2028"},
		{URL: "gopher://old.example/", Title: "Call for papers physics 2026 2027 2028"},
	}})
	dir := t.TempDir()
	write(t, filepath.Join(dir, "config.yaml"), "backlinks:\n  providers:\n    - {type: searxng, url: "+engine.URL+"}\n")
	write(t, filepath.Join(dir, "blocked"), "blocked.example\n")
	args := []string{"crawl", "--config", filepath.Join(dir, "config.yaml"), "--allow-private", "--contact", "me@site.example", "--host-delay", "0s",
		"--blocklist", filepath.Join(dir, "blocked"), "--data", filepath.Join(dir, "data"), "--topic", "physics", "--search-seeds"}
	code, _, stderr := runCaptured(t, append(args, "1")...)
	if code != 0 || !strings.Contains(stderr, "1 seeds found by search, 2 results left out") {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	agent := engine.Requests()[0].UserAgent()
	if !strings.Contains(agent, "me@site.example") {
		t.Errorf("asked as %q", agent)
	}
	_, stdout, _ := runCaptured(t, "crawl", "why", "--data", filepath.Join(dir, "data"), site.URL+"/a")
	if !strings.Contains(stdout, `result 1 of the search for "call for papers"`) {
		t.Errorf("why: %s", stdout)
	}
	engine.Always(backlinktest.Status(503, "60", ""))
	code, _, stderr = runCaptured(t, append(args, "5", site.URL+"/b")...)
	if code != 0 || !strings.Contains(stderr, "4 of 5 queries are not sent") || engine.Calls() != 2 {
		t.Errorf("a search that fails: exit %d, %d calls: %s", code, engine.Calls(), stderr)
	}
	for name, tt := range map[string]struct {
		args []string
		says string
	}{
		"too many":   {append(slices.Clone(args), "51"), "51"},
		"negative":   {append(slices.Clone(args), "-1"), "-1"},
		"replay":     {append(slices.Clone(args), "1", "--sim", "seed=1"), "live web"},
		"no engine":  {[]string{"crawl", "--contact", "me@site.example", "--data", filepath.Join(dir, "data"), "--search-seeds", "1"}, "searxng"},
		"no contact": {[]string{"crawl", "--config", filepath.Join(dir, "config.yaml"), "--data", filepath.Join(dir, "data"), "--search-seeds", "1"}, "contact"},
	} {
		if code, _, stderr := runCaptured(t, tt.args...); code == 0 || !strings.Contains(stderr, tt.says) {
			t.Errorf("%s: exit %d: %s", name, code, stderr)
		}
	}
}

// failing answers so many queries with an error before it finds a page each.
type failing struct {
	errors int
	err    error
	asked  int
}

func (f *failing) Search(_ context.Context, query string, _ int) ([]backlink.Result, int, error) {
	f.asked++
	if f.asked <= f.errors {
		return nil, 0, f.err
	}
	return []backlink.Result{{URL: fmt.Sprintf("https://found.example/%d", f.asked), Title: query}}, 2, nil
}

// pushed records what is pushed into a frontier.
type pushed struct {
	crawler.Frontier
	all []crawler.Candidate
}

func (p *pushed) Push(_ context.Context, cs []crawler.Candidate) error {
	p.all = append(p.all, cs...)
	return nil
}
func (p *pushed) Notes(context.Context, func(crawler.Note) error) error { return nil }

// A search continues if the engine sometimes does not respond, and ends if it never does or refuses.
func TestSearchFailures(t *testing.T) {
	t.Parallel()
	network := &backlink.ProviderError{Provider: "searx", Trouble: backlink.Unreachable, Err: errors.New("timeout")}
	refused := &backlink.ProviderError{Provider: "searx", Trouble: backlink.KeyRefused, Err: errors.New("no JSON")}
	for _, tt := range []struct {
		err                  error
		errors, asked, found int
	}{{nil, 0, 5, 5}, {network, 2, 5, 3}, {network, 9, 3, 0}, {refused, 9, 1, 0}, {errors.New("odd"), 9, 1, 0}} {
		a := newTestApp(t)
		a.Stderr = io.Discard
		f, into := &failing{errors: tt.errors, err: tt.err}, &pushed{}
		s := engine.Seeding{Search: seeds.Search{By: f, Queries: []string{"1", "2", "3", "4", "5"}}}
		if err := s.RunSearch(t.Context(), crawler.Options{Frontier: into}, a.Logf); err != nil {
			t.Fatal(err)
		}
		if f.asked != tt.asked || len(into.all) != tt.found {
			t.Errorf("%v, %d times: %d asked, %d found; want %d, %d", tt.err, tt.errors, f.asked, len(into.all), tt.asked, tt.found)
		}
		s.Resume = true
		if err := s.RunSearch(t.Context(), crawler.Options{Frontier: into}, a.Logf); err != nil || f.asked != tt.asked {
			t.Errorf("a crawl that goes on asks again: %d times, %v", f.asked, err)
		}
	}
}

// interrupted ends its context with the second query.
type interrupted struct {
	failing
	stop context.CancelFunc
}

func (i *interrupted) Search(ctx context.Context, query string, page int) ([]backlink.Result, int, error) {
	if i.asked == 1 {
		i.stop()
		return nil, 0, &backlink.ProviderError{Provider: "searx", Trouble: backlink.Unreachable, Err: ctx.Err()}
	}
	return i.failing.Search(ctx, query, page)
}

// An interrupted search prints the queries that were not made, because they are not made later.
func TestSearchInterrupted(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	a, into := newTestApp(t), &pushed{}
	var said talkLog
	a.Stderr = &said
	s := engine.Seeding{Search: seeds.Search{By: &interrupted{stop: stop}, Queries: []string{"1", "2", "3"}}}
	if err := s.RunSearch(ctx, crawler.Options{Frontier: into}, a.Logf); err != nil || len(into.all) != 1 {
		t.Errorf("%d found, %v", len(into.all), err)
	}
	if got := said.String(); !strings.Contains(got, "2 of 3 queries are not sent") || strings.Contains(got, "search for") {
		t.Errorf("it says %q", got)
	}
}

// A model file of a topic has words and no name.
func TestQueriesOfTopicFile(t *testing.T) {
	topics, err := engine.SearchTopics("../../models/topic.model")
	if err != nil {
		t.Fatal(err)
	}
	queries := seeds.Queries(topics, 2027, 3)
	if len(queries) != 3 || !strings.HasPrefix(queries[0], `"call for papers" 2027 `) {
		t.Errorf("%q", queries)
	}
	if _, err := engine.SearchTopics("nowhere.model"); err == nil {
		t.Error("a file that is not there is no error")
	}
}
