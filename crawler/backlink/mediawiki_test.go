package backlink_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/backlink/backlinktest"
	"github.com/eventseer/eventseer/webgraph"
)

// wikiLinks are links in a wiki about conferences; sources are titles.
var wikiLinks = []webgraph.Link{
	{Source: "Conf 2027", Target: "https://conf.org/2027/cfp"},
	{Source: "Conf 2027", Target: "https://conf.org/2027/"},
	{Source: "Old Conf", Target: "http://conf.org/2027/cfp"},
	{Source: "Talk:Conf/Archive 1", Target: "https://conf.org/2027/cfp.pdf"},
	{Source: "Is this a call?", Target: "https://conf.org/"},
	{Source: "Sub", Target: "http://www.conf.org/a?b=c"},
	{Source: "Other", Target: "https://conf.org.example.com/2027/cfp"},
	{Source: "Lexikon: Ä & Ö 100%", Target: "https://conf.org/2027/cfp"},
}

func openWiki(t *testing.T, o backlinktest.Options) (*backlink.MediaWiki, *backlinktest.Server) {
	t.Helper()
	s := backlinktest.NewMediaWiki(t, o)
	p, err := backlink.NewMediaWiki(backlink.MediaWikiOptions{ClientOptions: clientOptions(s), API: s.URL, Namespaces: []int{0, 4}})
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

// all requests every page of an answer.
func all(t *testing.T, p backlink.Provider, q backlink.Query) (links []backlink.Backlink, calls, dropped int) {
	t.Helper()
	for range 100 {
		a := ask(t, p, q)
		links, calls, dropped = append(links, a.Links...), calls+a.Calls, dropped+a.Dropped
		if q.Cursor = a.Next; q.Cursor == "" {
			return links, calls, dropped
		}
	}
	t.Fatal("the answer does not end")
	return nil, 0, 0
}

func TestMediaWikiScopes(t *testing.T) {
	const wiki = "https://wiki.example.net/wiki/"
	tests := []struct {
		scope   backlink.Scope
		pattern string
		want    []string
		dropped int
	}{
		{backlink.Page, "conf.org/2027/cfp", []string{"Conf_2027", "Old_Conf", "Lexikon:_%C3%84_&_%C3%96_100%25"}, 1},
		{backlink.Directory, "conf.org/2027/", []string{"Conf_2027", "Conf_2027", "Old_Conf", "Talk:Conf/Archive_1", "Lexikon:_%C3%84_&_%C3%96_100%25"}, 0},
		{backlink.Host, "conf.org/", []string{"Conf_2027", "Conf_2027", "Old_Conf", "Talk:Conf/Archive_1", "Is_this_a_call%3F", "Lexikon:_%C3%84_&_%C3%96_100%25"}, 0},
		{backlink.Domain, "*.conf.org", []string{"Conf_2027", "Conf_2027", "Old_Conf", "Talk:Conf/Archive_1", "Is_this_a_call%3F", "Sub", "Lexikon:_%C3%84_&_%C3%96_100%25"}, 0},
	}
	for _, tt := range tests {
		for _, old := range []bool{false, true} {
			p, s := openWiki(t, backlinktest.Options{Links: wikiLinks, Old: old, PageSize: 3})
			links, calls, dropped := all(t, p, backlink.Query{Target: target, Scope: tt.scope, Limit: 100})
			want := map[string]int{}
			for _, w := range tt.want {
				want[wiki+w]++
			}
			got := map[string]int{}
			for _, l := range links {
				got[l.Source]++
			}
			diff(t, want, got)
			if dropped != tt.dropped || calls != s.Calls() {
				t.Errorf("%v: %d dropped, want %d; %d calls, %d seen by the wiki", tt.scope, dropped, tt.dropped, calls, s.Calls())
			}
			if q := s.Requests()[1].URL.Query(); q.Get("euquery") != tt.pattern || q.Get("eunamespace") != "0|4" || q.Get("maxlag") != "5" || q.Get("eulimit") != "100" {
				t.Errorf("%v: asked %v", tt.scope, q)
			}
		}
	}
}

func TestMediaWikiRow(t *testing.T) {
	p, _ := openWiki(t, backlinktest.Options{Links: wikiLinks[:1]})
	a := ask(t, p, backlink.Query{Target: target, Scope: backlink.Page, Limit: 9})
	diff(t, []backlink.Backlink{{
		Source: backlinktest.WikiPage("Conf 2027"), Target: target, Title: "Conf 2027", Provider: "mediawiki", Scope: backlink.Page,
	}}, a.Links)
}

// The wiki is asked for its site information once, and again only if it did not return it.
func TestMediaWikiAsksOnceWhoItIs(t *testing.T) {
	p, s := openWiki(t, backlinktest.Options{Links: wikiLinks})
	s.Next(backlinktest.JSON(`{"query":{"general":{"server":"//","articlepath":"/wiki/"}}}`))
	q := backlink.Query{Target: target, Scope: backlink.Page, Limit: 9}
	if _, err := p.Backlinks(t.Context(), q); troubleOf(t, err).Trouble != backlink.Nonsense {
		t.Error(err)
	}
	if a := ask(t, p, q); a.Calls != 2 {
		t.Errorf("%d calls, want 2", a.Calls)
	}
	if a := ask(t, p, q); a.Calls != 1 {
		t.Errorf("%d calls, want 1", a.Calls)
	}
}

func TestMediaWikiLag(t *testing.T) {
	p, s := openWiki(t, backlinktest.Options{Links: wikiLinks})
	s.Next(nil, backlinktest.Lag(6))
	a, err := p.Backlinks(t.Context(), backlink.Query{Target: target, Scope: backlink.Page, Limit: 9})
	e := troubleOf(t, err)
	if e.Trouble != backlink.Busy || e.After.Sub(now()) != 5*time.Second || a.Calls != 2 {
		t.Errorf("%v, again at %v, %d calls", err, e.After, a.Calls)
	}
}

// In miser mode an answer without rows is not the end.
func TestMediaWikiMiser(t *testing.T) {
	p, _ := openWiki(t, backlinktest.Options{Links: wikiLinks, Miser: true, PageSize: 2})
	links, calls, _ := all(t, p, backlink.Query{Target: target, Scope: backlink.Host, Limit: 100})
	if len(links) != 6 || calls < 5 {
		t.Errorf("%d links in %d calls", len(links), calls)
	}
}

func TestMediaWikiErrors(t *testing.T) {
	for code, want := range map[string]backlink.Trouble{
		"readapidenied": backlink.KeyRefused, "ratelimited": backlink.Busy, "badquery": backlink.Nonsense, "readonly": backlink.Busy,
	} {
		p, s := openWiki(t, backlinktest.Options{})
		s.Always(backlinktest.JSON(`{"error":{"code":"` + code + `","info":"sorry"}}`))
		if _, err := p.Backlinks(t.Context(), backlink.Query{Target: target, Scope: backlink.Page, Limit: 1}); troubleOf(t, err).Trouble != want {
			t.Errorf("%s: %v", code, err)
		}
	}
}

// A wiki whose articles are parameters has them escaped as such.
func TestMediaWikiPlainAddresses(t *testing.T) {
	p, s := openWiki(t, backlinktest.Options{Links: []webgraph.Link{{Source: "R&D + co: a/b?", Target: target}}})
	s.Next(backlinktest.JSON(`{"query":{"general":{"server":"https://old.example.net","articlepath":"/w/index.php?title=$1","generator":"MediaWiki 1.99"}}}`))
	a := ask(t, p, backlink.Query{Target: target, Scope: backlink.Page, Limit: 9})
	diff(t, []string{"https://old.example.net/w/index.php?title=R%26D_%2B_co:_a/b%3F"}, sources(a.Links))
	u, err := url.Parse(a.Links[0].Source)
	if err != nil || u.Query().Get("title") != "R&D_+_co:_a/b?" {
		t.Errorf("%v: title %q", err, u.Query().Get("title"))
	}
}
