package crawler_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/crawler/rundir"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// A world is a small web in memory: what each URL answers.
type world struct {
	pages     map[string]string
	redirects map[string]string
	status    map[string]int // else 200
	refused   map[string]bool
	endless   func(url string) string // pages besides those above; "" for none
	header    map[string]http.Header
	entries   map[string][]webgraph.Entry
	sitemaps  map[string][]string // by URL of a page

	mu      sync.Mutex
	fetches int
	onFetch func(url string)
}

var recorded = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

func (w *world) Fetch(ctx context.Context, r crawler.Request) (*webgraph.Page, error) {
	url := r.URL
	w.mu.Lock()
	w.fetches++
	w.mu.Unlock()
	if w.onFetch != nil {
		w.onFetch(url)
	}
	p := &webgraph.Page{Requested: url, URL: url, FetchedAt: recorded, Header: http.Header{"Content-Type": {"text/html; charset=utf-8"}}, Status: 200}
	if to, ok := w.redirects[url]; ok {
		p.Redirects = []webgraph.Redirect{{From: url, To: to, Status: 301}}
		if h := webgraph.HostOf(to); h != webgraph.HostOf(url) && !r.Turn(h) {
			p.Status = 301
			return p, nil
		}
		p.URL = to
	}
	if w.refused[p.URL] {
		return nil, &crawler.FetchError{URL: url, Fate: crawler.Refused, Err: errors.New("robots.txt")}
	}
	if w.status[p.URL] == http.StatusServiceUnavailable {
		return nil, &crawler.FetchError{URL: url, Fate: crawler.TryLater, Status: http.StatusServiceUnavailable, Err: errors.New("busy")}
	}
	if s := w.status[p.URL]; s != 0 {
		p.Status = s
	}
	body, ok := w.pages[p.URL]
	if !ok && w.endless != nil {
		body = w.endless(p.URL)
		ok = body != ""
	}
	for name, values := range w.header[p.URL] {
		p.Header[name] = values
	}
	if p.Entries = w.entries[p.URL]; p.Entries != nil {
		ok = true
	}
	if !ok && p.Status == 200 {
		p.Status = 404
	}
	p.Body = []byte(body)
	return p, nil
}

// Sitemaps makes the world a crawler.Lister.
func (w *world) Sitemaps(url string) []string { return w.sitemaps[url] }

func hash(parts ...any) uint32 {
	h := fnv.New32a()
	fmt.Fprint(h, parts...)
	return h.Sum32()
}

func pageURL(i int) string { return fmt.Sprintf("https://h%d.example%d.org/p%d.html", i%20, i%20, i) }

// newWorld makes n pages on 20 sites; page i links to six others. Some
// redirect, fail, are refused or call for papers.
func newWorld(n int) *world {
	w := &world{pages: map[string]string{}, redirects: map[string]string{}, status: map[string]int{}, refused: map[string]bool{}}
	for i := range n {
		var b strings.Builder
		fmt.Fprintf(&b, "<html><title>page %d</title><body><p>%s</p><ul>", i, map[bool]string{true: "call for papers", false: "nothing"}[hash("target", i)%4 == 0])
		for j := range 6 {
			to := int(hash("link", i, j)) % n
			anchor := []string{"CFP", "home", "more"}[hash("anchor", to)%3]
			fmt.Fprintf(&b, "<li><a href=%q>%s</a></li>", pageURL(to), anchor)
		}
		b.WriteString("</ul></body></html>")
		w.pages[pageURL(i)] = b.String()
		switch hash("kind", i) % 16 {
		case 0:
			w.redirects[pageURL(i)] = pageURL(int(hash("to", i)) % n)
		case 1:
			w.status[pageURL(i)] = 503
		case 2:
			w.refused[pageURL(i)] = true
		case 3:
			delete(w.pages, pageURL(i))
		case 4:
			w.status[pageURL(i)] = 403
		}
	}
	for i := range n { // one hop each, and none away from the seed
		if _, ok := w.redirects[w.redirects[pageURL(i)]]; ok || i == 0 {
			delete(w.redirects, pageURL(i))
		}
	}
	delete(w.status, pageURL(0))
	delete(w.refused, pageURL(0))
	return w
}

// Name, Scopes and Backlinks make the world a provider of backlinks.
func (w *world) Name() string { return "world" }

func (w *world) Scopes() []backlink.Scope { return []backlink.Scope{backlink.Directory, backlink.Host} }

func (w *world) Backlinks(_ context.Context, q backlink.Query) (backlink.Answer, error) {
	a := backlink.Answer{Calls: 1}
	about := "https://" + q.Scope.DescribeSubject(q.Target)
	for i := range len(w.pages) {
		body, ok := w.pages[pageURL(i)]
		if !ok || len(a.Links) >= q.Limit || strings.HasPrefix(pageURL(i), about) {
			continue
		}
		if strings.Contains(body, `"`+about) {
			a.Links = append(a.Links, backlink.Backlink{Source: pageURL(i), Target: about, Anchor: "back"})
		}
	}
	return a, nil
}

// A learner is a strategy whose scores depend on earlier pages: anchors that led to targets are worth more.
type learner struct {
	mu     sync.Mutex
	weight map[string]int
}

func (s *learner) RestoreNotes(notes []crawler.Note) error {
	for _, n := range notes {
		weight, err := strconv.Atoi(string(n.Value))
		if err != nil {
			return err
		}
		s.weight[n.Key] = weight
	}
	return nil
}

func (s *learner) Visit(ctx context.Context, a crawler.Arrival) (v crawler.Verdict, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.Tree == nil {
		return v, nil
	}
	if v.Target = strings.Contains(a.Tree.Text(), "call for papers"); v.Target {
		v.Relevance, v.PageType, v.Back = 0.9, "cfp", 3
		key := "anchor " + a.Lease.Anchor
		s.weight[key]++
		v.Notes = []crawler.Note{{Key: key, Value: fmt.Append(nil, s.weight[key])}}
	}
	for _, l := range a.Tree.Links() {
		v.Forward = append(v.Forward, crawler.Candidate{URL: l.Target, Anchor: l.Anchor, Score: float64(s.weight["anchor "+l.Anchor]) + float64(hash(l.Target)%7)/7})
	}
	if n := len(v.Forward); n > 2 {
		v.Rescore = []crawler.Candidate{{URL: v.Forward[0].URL, Score: 0.1}}
		v.Drop = []string{v.Forward[n-1].URL}
	}
	return v, nil
}

// keeper is a Sink that names a clip after the page, and reports related pages.
type keeper struct{ related func(url string) }

func (keeper) StorePage(ctx context.Context, t *tagtree.Tree, relevance float64) ([]string, error) {
	return []string{"clip of " + t.Page.URL}, nil
}

func (k keeper) StoreRelated(_ context.Context, t *tagtree.Tree, _ float64) error {
	if k.related != nil {
		k.related(t.Page.URL)
	}
	return nil
}

// A crawl is everything of one crawl that is on disk under dir.
type crawl struct {
	t        testing.TB
	dir      string
	w        *world
	frontier *frontier.Frontier
	links    *backlink.LinkDB
	run      *rundir.Dir
}

func openCrawl(t testing.TB, w *world, dir string) *crawl {
	t.Helper()
	c := &crawl{t: t, dir: dir, w: w}
	var err error
	if c.frontier, err = frontier.Open(filepath.Join(dir, "frontier.db"), frontier.Options{NoWait: true, NoSync: true}); err != nil {
		t.Fatal(err)
	}
	if c.links, err = backlink.OpenLinkDB(filepath.Join(dir, "links.db"), backlink.Options{NoSync: true}); err != nil {
		t.Fatal(err)
	}
	n, _, err := crawler.CommittedEnds(t.Context(), c.frontier, "")
	if err != nil {
		t.Fatal(err)
	}
	var lost int
	if c.run, lost, err = rundir.Resume(filepath.Join(dir, "run"), n, rundir.Options{}); err != nil || lost != 0 {
		t.Fatal(lost, err)
	}
	return c
}

func (c *crawl) options() crawler.Options {
	known := func(url string) bool {
		rec, seen, err := c.frontier.Lookup(url)
		return err == nil && seen && rec.State != frontier.Waiting
	}
	chain, err := backlink.NewChain(backlink.ChainOptions{
		Links: c.links, Sources: []backlink.Source{{Provider: c.w}}, Known: known, Now: func() time.Time { return recorded },
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return crawler.Options{
		Frontier: c.frontier, Fetcher: c.w, Strategy: &learner{weight: map[string]int{}}, Sink: keeper{},
		Backlinker: chain, Links: c.links, Observer: c.run, BacklinkCost: 1,
		Now: func() time.Time { return recorded },
	}
}

func (c *crawl) start(o crawler.Options) (crawler.Stats, error) {
	c.t.Helper()
	cr, err := crawler.New(o)
	if err != nil {
		c.t.Fatal(err)
	}
	if rejected, err := cr.PushSeeds(c.t.Context(), []string{pageURL(0)}); err != nil || len(rejected) > 0 {
		return crawler.Stats{}, errors.Join(err, fmt.Errorf("rejected %v", rejected))
	}
	return cr.Run(c.t.Context())
}

// kill leaves the crawl as kill -9 does: locks go, nothing more is written.
func (c *crawl) kill() {
	c.t.Helper()
	if err := errors.Join(c.frontier.Close(), c.links.Close()); err != nil {
		c.t.Fatal(err)
	}
}

// end checks the files and closes all.
func (c *crawl) end() {
	c.t.Helper()
	for _, err := range append(c.frontier.Check(), c.links.Check()...) {
		c.t.Errorf("check: %v", err)
	}
	if err := c.run.Close(); err != nil {
		c.t.Error(err)
	}
	c.kill()
}

// files returns the contents of the run folder.
func (c *crawl) files() map[string]string {
	c.t.Helper()
	got := map[string]string{}
	for _, name := range []string{rundir.PagesFile, rundir.CurveFile, rundir.LinksFile} {
		b, err := os.ReadFile(filepath.Join(c.dir, "run", name))
		if err != nil {
			c.t.Fatal(err)
		}
		got[name] = string(b)
	}
	return got
}
