package backlink

import (
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// toldPage is a page that was read, or a gone page if its HTML is "".
func toldPage(t *testing.T, url, html string) crawler.StepRecord {
	t.Helper()
	a := crawler.Arrival{Lease: crawler.Lease{Candidate: crawler.Candidate{URL: url, How: crawler.Back}}, Outcome: crawler.Outcome{Fate: crawler.Fetched, Status: http.StatusNotFound}}
	if html != "" {
		tree, err := tagtree.Parse(&webgraph.Page{URL: url, Requested: url, Status: http.StatusOK, Header: http.Header{"Content-Type": {"text/html"}}, Body: []byte(html)})
		if err != nil {
			t.Fatal(err)
		}
		a.Tree, a.Outcome.Status = tree, http.StatusOK
	}
	return crawler.StepRecord{Arrival: a}
}

// A source is checked for a link to the page, or within the scope of the answer, when it is read.
// It is counted once, and known after a restart.
func TestArrived(t *testing.T) {
	path := filepath.Join(t.TempDir(), "links.db")
	d := openDB(t, path)
	p := &scripted{name: "p", scopes: []Scope{Directory}, answer: func(q Query) (Answer, error) {
		a := Answer{Calls: 1}
		for i := range 6 {
			a.Links = append(a.Links, Backlink{Source: fmt.Sprintf("https://s%d.net/", i), Target: q.Target})
		}
		return a, nil
	}}
	o := ChainOptions{Links: d, Sources: []Source{{Provider: p}}}
	c := newChain(t, o)
	if _, _, err := c.Backlinks(t.Context(), asking, 9); err != nil {
		t.Fatal(err)
	}
	later := toldPage(t, "https://s4.net/", "")
	later.Arrival.Outcome = crawler.Outcome{Fate: crawler.TryLater, Status: http.StatusServiceUnavailable}
	moved := toldPage(t, "https://s5.net/", `<a href="https://conf.org/2027/cfp">here</a>`)
	moved.Arrival.Outcome.FinalURL = "https://s5.net/new"
	batch := []crawler.StepRecord{
		toldPage(t, "https://s0.net/", `<a href="http://conf.org/2027/cfp">it</a>`),
		toldPage(t, "https://s1.net/", `<a href="https://conf.org/2027/venue">its directory</a>`),
		toldPage(t, "https://s2.net/", `<a href="https://conf.org/">its host only</a>`),
		toldPage(t, "https://s3.net/", ""), later, moved,
		toldPage(t, "https://nobody.net/", `<a href="https://conf.org/2027/cfp">never told</a>`),
	}
	for range 2 { // observed again after a crash
		if err := c.ObservePages(batch); err != nil {
			t.Fatal(err)
		}
	}
	closeClean(t, d)
	d = openDB(t, path)
	defer closeClean(t, d)
	o.Links = d
	c = newChain(t, o)
	if s := c.Standings()[1]; s.Returned != 6 || s.Visited != 5 || s.Verified != 3 {
		t.Errorf("%+v; want 6 returned, 5 visited, 3 verified", s)
	}
	for i, want := range []Verification{Verified, Verified, Refuted, Refuted, Unverified, Verified} {
		l := Backlink{Source: fmt.Sprintf("https://s%d.net/", i), Target: asking, Provider: "p", Scope: Directory}
		if got, err := c.Verifications([]Backlink{l}, asking); err != nil || got[0] != want {
			t.Errorf("%s: %q, %v; want %q", l.Source, got, err, want)
		}
	}
	own := Backlink{Source: "https://own.net/", Target: asking, Scope: Page}
	if err := d.Add(t.Context(), []webgraph.Link{{Source: own.Source, Target: asking}}); err != nil {
		t.Fatal(err)
	}
	if got, err := c.Verifications([]Backlink{own}, asking); err != nil || got[0] != Verified {
		t.Errorf("our own link: %q, %v", got, err)
	}
}

// A kill comes anywhere between an answer and its commit. The page is queried again with the same
// links and the same calls, and nothing is paid for twice.
func TestAskedAgainAfterCrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "links.db")
	d := openDB(t, path)
	defer closeClean(t, d)
	a, b := telling("a", Directory, Host), telling("b", Page)
	a.answer = func(Query) (Answer, error) { return Answer{Calls: 1}, nil }
	sources := []Source{{Provider: a, Limits: Limits{CallsPerDay: 9}}, {Provider: b}}
	links, calls, err := newChain(t, ChainOptions{Links: d, Sources: sources[1:]}).Backlinks(t.Context(), asking, 5)
	if err != nil || calls != 1 {
		t.Fatal(links, calls, err)
	}
	both := ChainOptions{Links: d, Sources: []Source{sources[1], sources[0]}}
	first, calls, err := newChain(t, both).Backlinks(t.Context(), asking, 5)
	if err != nil || calls != 2 {
		t.Fatalf("%d calls, %v", calls, err)
	}
	before := len(a.asked) + len(b.asked)
	for range 3 {
		both.Links = crashed(t, path, 0)
		again, told, err := newChain(t, both).Backlinks(t.Context(), asking, 5)
		if err != nil || told != calls || len(again) != len(first) || len(a.asked)+len(b.asked) != before {
			t.Errorf("asked again: %d calls of %d, %v, asked %d times of %d", told, calls, err, len(a.asked)+len(b.asked), before)
		}
		closeClean(t, both.Links)
	}
}
