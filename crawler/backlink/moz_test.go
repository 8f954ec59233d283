package backlink_test

import (
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/backlink/backlinktest"
	"github.com/eventseer/eventseer/webgraph"
)

func openMoz(t *testing.T, o backlinktest.Options, token string) (*backlink.Moz, *backlinktest.Server) {
	t.Helper()
	s := backlinktest.NewMoz(t, o)
	p, err := backlink.NewMoz(backlink.MozOptions{ClientOptions: clientOptions(s), API: s.URL, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	return p, s
}

func TestMozScopes(t *testing.T) {
	links := []webgraph.Link{
		{Source: "http://list.example/cfps", Target: "http://conf.org/2027/cfp", Anchor: "CONF  2027", Context: "CFPs", NoFollow: true},
		{Source: "https://b.example/", Target: "https://conf.org/2027/"},
		{Source: "https://c.example/", Target: "https://conf.org/"},
		{Source: "https://d.example/", Target: "https://www.conf.org/x"},
		{Source: "https://e.example/", Target: "https://conf.org.example/2027/cfp"},
	}
	p, _ := openMoz(t, backlinktest.Options{Links: links, Key: secret}, secret)
	a := ask(t, p, backlink.Query{Target: "http://conf.org/2027/cfp", Scope: backlink.Page, Limit: 9})
	diff(t, backlink.Answer{Calls: 1, Cost: 1, Links: []backlink.Backlink{{
		Source: "https://list.example/cfps", Target: "http://conf.org/2027/cfp", Anchor: "CONF 2027", Title: "CFPs", Provider: "moz",
		NoFollow: true, Seen: time.Date(2026, 10, 2, 0, 0, 0, 0, time.UTC),
	}}}, a)
	for scope, want := range map[backlink.Scope]int{backlink.Directory: 2, backlink.Host: 3, backlink.Domain: 4} {
		if a := ask(t, p, backlink.Query{Target: target, Scope: scope, Limit: 9}); len(a.Links) != want || a.Cost != float64(want) || a.Dropped > 0 {
			t.Errorf("%v: %d links, want %d; cost %v, %d dropped", scope, len(a.Links), want, a.Cost, a.Dropped)
		}
	}
}

// The quota counts down by rows, and ends.
func TestMozQuota(t *testing.T) {
	p, _ := openMoz(t, backlinktest.Options{Links: linksTo(12), Quota: 9}, secret)
	q := backlink.Query{Target: target, Scope: backlink.Page, Limit: 5}
	a := ask(t, p, q)
	q.Cursor = a.Next
	_, err := p.Backlinks(t.Context(), q)
	if e := troubleOf(t, err); e.Trouble != backlink.QuotaSpent {
		t.Error(err)
	}
}

func TestMozErrors(t *testing.T) {
	tests := []struct {
		body string
		want backlink.Trouble
	}{
		{`{"error":{"code":-32655,"message":"Your quota is used up","data":{}}}`, backlink.QuotaSpent},
		{`{"error":{"code":-32655,"message":"Denied"}}`, backlink.QuotaSpent},
		{`{"error":{"code":-32600,"status":401,"message":"Denied"}}`, backlink.KeyRefused},
		{`{"error":{"code":-32600,"status":429,"message":"Slow down"}}`, backlink.Busy},
		{`{"error":{"code":-32602,"status":400,"message":"Bad scope"}}`, backlink.Nonsense},
		{`{"error":{"code":-32000,"message":"","data":{"issue":"monthly limit"}}}`, backlink.QuotaSpent},
		{`{"jsonrpc":"2.0"}`, backlink.Nonsense},
	}
	for _, tt := range tests {
		p, s := openMoz(t, backlinktest.Options{}, secret)
		s.Always(backlinktest.JSON(tt.body))
		if _, err := p.Backlinks(t.Context(), backlink.Query{Target: target, Scope: backlink.Page, Limit: 1}); troubleOf(t, err).Trouble != tt.want {
			t.Errorf("%s: %v", tt.body, err)
		}
	}
	p, s := openMoz(t, backlinktest.Options{Key: secret}, "dead")
	if _, err := p.Backlinks(t.Context(), backlink.Query{Target: target, Scope: backlink.Page, Limit: 1}); troubleOf(t, err).Trouble != backlink.KeyRefused {
		t.Error(err)
	}
	s.Always(backlinktest.NotFound())
	if a := ask(t, p, backlink.Query{Target: target, Scope: backlink.Page, Limit: 1}); len(a.Links) > 0 || a.Calls != 1 {
		t.Errorf("of an unknown site: %+v", a)
	}
}
