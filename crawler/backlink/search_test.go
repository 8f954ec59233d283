package backlink_test

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/backlink/backlinktest"
	"github.com/eventseer/eventseer/webgraph"
)

func TestMarginalia(t *testing.T) {
	links := []webgraph.Link{
		{Source: "https://prof.example/", Target: "https://conf.org/2027/cfp", Context: "A  professor"},
		{Source: "https://www.conf.org/about", Target: "https://conf.org/"},
		{Source: "https://other.example/", Target: "https://www.conf.org/"},
	}
	s := backlinktest.NewMarginalia(t, backlinktest.Options{Links: links, Key: secret})
	p, err := backlink.NewMarginalia(backlink.MarginaliaOptions{ClientOptions: clientOptions(s), API: s.URL, Key: secret})
	if err != nil {
		t.Fatal(err)
	}
	a := ask(t, p, backlink.Query{Target: target, Scope: backlink.Host, Limit: 1000})
	want := backlink.Answer{Calls: 1, Dropped: 1, Links: []backlink.Backlink{{
		Source: "https://prof.example/", Target: "https://conf.org/", Title: "A professor", Provider: "marginalia", Scope: backlink.Host,
	}}}
	diff(t, want, a)
	if q := s.Requests()[0].URL.Query(); q.Get("query") != "links:conf.org" || q.Get("count") != "100" {
		t.Errorf("asked %v", q)
	}
	if a := ask(t, p, backlink.Query{Target: "https://unknown.org/", Scope: backlink.Host, Limit: 5}); len(a.Links) > 0 || a.Next != "" {
		t.Errorf("of a host nobody links to: %+v", a)
	}
	dead, err := backlink.NewMarginalia(backlink.MarginaliaOptions{ClientOptions: clientOptions(s), API: s.URL, Key: "dead"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := dead.Backlinks(t.Context(), backlink.Query{Target: target, Scope: backlink.Host, Limit: 5}); troubleOf(t, err).Trouble != backlink.KeyRefused {
		t.Error(err)
	}
}

func openSearX(t *testing.T, o backlinktest.Options) (*backlink.SearX, *backlinktest.Server) {
	t.Helper()
	s := backlinktest.NewSearX(t, o)
	p, err := backlink.NewSearX(backlink.SearXOptions{ClientOptions: clientOptions(s), API: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

func TestSearXMentions(t *testing.T) {
	links := []webgraph.Link{
		{Source: "https://lists.example/msg1", Target: target, Context: "A call"},
		{Source: "https://www.conf.org/news", Target: target},
		{Source: "https://blog.example/", Target: "https://conf.org/2027/programme"},
	}
	p, s := openSearX(t, backlinktest.Options{Links: links})
	a := ask(t, p, backlink.Query{Target: target, Scope: backlink.Page, Limit: 9})
	diff(t, []backlink.Backlink{{
		Source: "https://lists.example/msg1", Target: target, Title: "A call", Provider: "searx", Scope: backlink.Page, Mention: true,
	}}, a.Links)
	for scope, query := range map[backlink.Scope]string{
		backlink.Page: `"conf.org/2027/cfp" -site:conf.org`, backlink.Directory: `"conf.org/2027" -site:conf.org`, backlink.Host: `"conf.org" -site:conf.org`,
	} {
		ask(t, p, backlink.Query{Target: target, Scope: scope, Limit: 9})
		all := s.Requests()
		if q := all[len(all)-1].URL.Query(); q.Get("q") != query || q.Get("format") != "json" || q.Get("pageno") != "1" {
			t.Errorf("%v: asked %v", scope, q)
		}
	}
}

func TestSearch(t *testing.T) {
	o := backlinktest.Options{PageSize: 2, Pages: []backlinktest.Page{
		{URL: "https://a.example/", Title: "Call for Papers: Logic", Snippet: "deadline \n 2027"},
		{URL: "https://b.example/", Title: "Logic", Snippet: "a course"},
		{URL: "https://c.example/", Title: "Call for papers on logic"},
		{URL: "https://d.example/", Title: "LOGIC call for papers"},
	}}
	p, _ := openSearX(t, o)
	var found []backlink.Result
	for page := 1; page > 0; {
		results, next, err := p.Search(t.Context(), `logic "call for papers"`, page)
		if err != nil {
			t.Fatal(err)
		}
		found, page = append(found, results...), next
	}
	diff(t, []backlink.Result{
		{URL: "https://a.example/", Title: "Call for Papers: Logic", Snippet: "deadline 2027"},
		{URL: "https://c.example/", Title: "Call for papers on logic"},
		{URL: "https://d.example/", Title: "LOGIC call for papers"},
	}, found)
}

// A newly installed instance does not return JSON; the error says what to change.
func TestSearXWithoutJSON(t *testing.T) {
	p, s := openSearX(t, backlinktest.Options{JSONDisabled: true})
	_, _, err := p.Search(t.Context(), "logic", 1)
	if e := troubleOf(t, err); e.Trouble != backlink.KeyRefused || !strings.Contains(err.Error(), "search: formats:") {
		t.Error(err)
	}
	s.Always(backlinktest.HTML())
	_, _, err = p.Search(t.Context(), "logic", 1)
	if e := troubleOf(t, err); e.Trouble != backlink.Nonsense || !strings.Contains(err.Error(), "search: formats:") {
		t.Error(err)
	}
}
