package crawler

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/google/go-cmp/cmp"
)

func TestScope(t *testing.T) {
	s := Scope{Hosts: []string{"Example.org", "127.0.0.1"}, Exclude: []string{"private.example.org"}}.compile()
	for url, want := range map[string]bool{
		"https://example.org/":                true,
		"http://www.example.org/a.html?x=.js": true,
		"http://127.0.0.1:8080/":              true,
		"https://notexample.org/":             false,
		"https://a.private.example.org/":      false,
		"https://example.org/paper.PDF":       true,
		"https://example.org/logo.PNG":        false,
		"https://example.org/a.zip?v=1":       false,
		"https://example.org/a.zip/":          true,
		"https://example.org/sitemap.XML.gz":  true,
		"https://example.org/a.tar.gz":        false,
		"ftp://example.org/":                  false,
		"/relative":                           false,
		"":                                    false,
	} {
		if got := s.refusalReason(url) == ""; got != want {
			t.Errorf("%s: %v, want %v", url, got, want)
		}
	}
	if open := (Scope{}).compile(); open.refusalReason("https://any.site.example/") != "" || open.refusalReason("mailto:a@b.c") == "" {
		t.Error("the zero scope is not the web")
	}
}

func TestBestLinks(t *testing.T) {
	list := func(scores ...float64) (cs []Candidate) {
		for i, s := range scores {
			cs = append(cs, Candidate{URL: string(rune('a' + i)), Score: s})
		}
		return cs
	}
	names := func(cs []Candidate) (s string) {
		for _, c := range cs {
			s += c.URL
		}
		return s
	}
	for _, test := range []struct {
		cs    []Candidate
		limit int
		want  string
	}{
		{list(1, 2, 3), 5, "abc"},
		{list(1, 3, 2, 3, 1), 3, "bcd"},
		{list(1, 1, 1), 2, "ab"},
		{list(math.NaN(), -1, math.Inf(1), math.Inf(-1)), 2, "ac"},
		{list(1), 0, ""},
	} {
		if got := names(bestLinks(test.cs, test.limit)); got != test.want {
			t.Errorf("best(%v, %d) = %s, want %s", test.cs, test.limit, got, test.want)
		}
	}
}

func TestFailedOutcome(t *testing.T) {
	after := time.Unix(1, 0)
	for name, test := range map[string]struct {
		err  error
		want Outcome
	}{
		"typed":   {&FetchError{Fate: Refused, After: after, Err: errors.New("robots.txt, line 3")}, Outcome{Fate: Refused, NotBefore: after, Reason: "refused: robots.txt, line 3"}},
		"unknown": {errors.New("odd"), Outcome{Fate: TryLater, Reason: "fetch: odd"}},
		"long":    {&FetchError{Fate: Gone, Err: errors.New(strings.Repeat("ä", 1000) + "\xff")}, Outcome{Fate: Gone, Reason: "gone: " + strings.Repeat("ä", 147)}},
	} {
		if diff := cmp.Diff(test.want, failedOutcome(test.err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// A worker that finds the budget reserved waits for the worker that reserved it, which may not need it.
func TestBudgetWaitsForReservations(t *testing.T) {
	p := newPageBudget(1)
	if !p.reservePage(t.Context()) || p.extendReservation(0.1) {
		t.Fatal("one page fits a budget of one, more does not")
	}
	got := make(chan bool)
	go func() { got <- p.reservePage(context.WithoutCancel(t.Context())) }()
	p.releaseReserved(1, 0)
	if !<-got {
		t.Error("a page given back was not taken")
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() { got <- p.reservePage(ctx) }()
	cancel()
	if <-got {
		t.Error("reserved after the end of the context")
	}
	p.releaseReserved(1, 1)
	if p.reservePage(t.Context()) {
		t.Error("reserved more than the budget")
	}
}

// Every answer whose links are followed is paid for, or a site could lead a crawl
// on for nothing.
func TestCountsAgainstBudget(t *testing.T) {
	for status, want := range map[int]bool{
		0: false, 200: true, 203: true, 299: true, 301: false, 304: false, 403: false, 404: true, 410: true, 429: false, 500: true, 599: true, 600: false,
	} {
		if got := countsAgainstBudget(status); got != want {
			t.Errorf("%d: got %v", status, got)
		}
	}
}

// A packed list has the cost of the unpacked one.
func TestMemoryOfList(t *testing.T) {
	p := &webgraph.Page{Body: make([]byte, 1000), Entries: make([]webgraph.Entry, 20_000)}
	if got := memoryCostOf(p); got < 20<<20 {
		t.Errorf("got %d bytes", got)
	}
}
