package begin

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/seeds"
	"github.com/eventseer/eventseer/crawler/webtest"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/spf13/pflag"
)

// A week is a crawl of a few starting points over simulated days. Their host names are served from
// generated pages on loopback, by a clock that each run finds later.
type week struct {
	t     *testing.T
	web   *webtest.Web
	data  string
	now   time.Time
	seeds []string
}

// weekHosts is the number of starting points, and weekDelay the delay between two requests to one host. The
// host weekBusy asks once for a pause of a second.
const (
	weekHosts = 60
	weekBusy  = 4
	weekDelay = 20 * time.Millisecond
)

// newWeek serves the host names of the first starting points on http. Each has a home page that
// leads to a call, and a robots.txt that closes a folder.
func newWeek(t *testing.T) *week {
	w := &week{t: t, web: webtest.Serve(t, nil), data: t.TempDir(), now: time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)}
	known := map[string]bool{}
	for _, p := range seeds.Starting() {
		host, domain := string(webgraph.HostOf(p.URL)), webgraph.RegisteredDomain(webgraph.HostOf(p.URL))
		if known[domain] || len(w.seeds) == weekHosts {
			continue
		}
		known[domain] = true
		origin, n := "http://"+host, len(w.seeds)
		w.web.Robots(origin, "User-agent: *\nDisallow: /private/\n")
		w.web.Handle(origin+"/", webtest.Body("text/html; charset=utf-8", fmt.Sprintf(
			`<html><title>Series %d</title><body><h1>A series of conferences, number %d</h1><p><a href="/cfp.html">Call for papers</a> <a href="/private/list.html">Members</a></p></body></html>`, n, n)))
		call := webtest.Body("text/html; charset=utf-8", weekCall(n))
		if n == weekBusy {
			call = webtest.BusyFirst(http.StatusServiceUnavailable, "1", call)
		}
		w.web.Handle(origin+"/cfp.html", call)
		w.seeds = append(w.seeds, origin+"/")
	}
	if len(w.seeds) != weekHosts {
		t.Fatalf("%d host names, want %d", len(w.seeds), weekHosts)
	}
	return w
}

// weekCall is the call number n.
func weekCall(n int) string {
	name := fmt.Sprintf("International Conference on Subject Number %d", n+1)
	return fmt.Sprintf(`<html><head><title>Call for Papers: QZ%[2]d 2027</title></head><body>
<h1>%[1]s (QZ%[2]d 2027)</h1><p>14-17 June 2027, Oslo, Norway</p><h2>Call for papers</h2>
<p>We invite submissions of original research papers to QZ%[2]d 2027, the %[1]s. Papers are reviewed by the programme committee and accepted papers are published in the proceedings.</p>
<h2>Topics of interest</h2><ul><li>Methods of subject %[2]d</li><li>Evaluation and benchmarks</li><li>Applications in practice</li></ul>
<h2>Important dates</h2><ul><li>Paper submission: 15 February 2027</li><li>Notification of acceptance: 10 April 2027</li><li>Camera-ready version: 1 May 2027</li></ul>
<h2>Submission</h2><p>Papers of at most 12 pages are submitted electronically.</p></body></html>`, name, n+1)
}

// setDown makes the names of hosts unknown, or known.
func (w *week) setDown(down bool, which func(i int) bool) {
	for i, seed := range w.seeds {
		u, err := url.Parse(seed)
		if err != nil {
			w.t.Fatal(err)
		}
		switch {
		case !which(i):
		case down:
			w.web.SetAddrs(u.Hostname())
		default:
			w.web.SetAddrs(u.Hostname(), webtest.PublicAddr)
		}
	}
}

// crawl is one turn, at the clock of the week. It ends when as many calls as wanted are
// found; if none is wanted, after a moment.
func (w *week) crawl(wanted int) (engine.CrawlResult, map[string]bool) {
	w.t.Helper()
	begun := time.Now()
	now := func() time.Time { return w.now.Add(time.Since(begun)) }
	a := &app.App{Stdout: io.Discard, Stderr: io.Discard, Now: now, Getenv: func(string) string { return "" }}
	flags := pflag.NewFlagSet("week", pflag.ContinueOnError)
	a.AddGlobalFlags(flags)
	if err := flags.Parse([]string{"--data", w.data, "--contact", "ops@site.example", "--quiet"}); err != nil {
		w.t.Fatal(err)
	}
	if err := a.Configure(flags); err != nil {
		w.t.Fatal(err)
	}
	a.Config.HostDelay, a.Config.DelayFactor = app.Duration(weekDelay), 0
	f, err := fetch.New(fetch.Options{Resolve: w.web.Resolve, Dial: w.web.Dial, Contact: a.Config.Contact, UserAgent: engine.UserAgent(), Now: now, Log: a.Logger()})
	if err != nil {
		w.t.Fatal(err)
	}
	live := &engine.Web{Name: "week", Now: now, Base: f, Fetcher: f}
	manners, err := engine.ConfiguredPageRules(a)
	if err != nil {
		w.t.Fatal(err)
	}
	limit := time.Second
	if wanted > 0 {
		limit = 2 * time.Minute // of a machine under load; it takes a second or two
	}
	plan := engine.NewCrawl(live, engine.Folders{Run: filepath.Join(w.data, "runs", w.now.Format("20060102T150405")), State: w.data},
		engine.Guide{Strategy: "breadth-first", MinAccuracy: engine.MinAccuracy}, engine.Seeding{Seeds: w.seeds},
		engine.Bounds{MaxTime: limit, MaxDepth: 3, UntilFound: wanted}, manners)
	r, err := engine.RunPlan(w.t.Context(), a, plan)
	if err != nil {
		w.t.Fatal(err)
	}
	found := map[string]bool{}
	for e, err := range r.State.Store.Events(w.t.Context()) {
		if err != nil {
			w.t.Fatal(err)
		}
		for _, page := range e.Pages {
			found[page] = true
		}
	}
	if err := a.Close(); err != nil {
		w.t.Fatal(err)
	}
	return r, found
}

// missing counts the calls of hosts that were not found.
func (w *week) missing(found map[string]bool, of func(i int) bool) (n int) {
	for i, seed := range w.seeds {
		if of(i) && !found[seed+"cfp.html"] {
			n++
		}
	}
	return n
}

// checkManners compares the log of requests with robots.txt and the delay. Each host gets a request for
// robots.txt first, no forbidden request, and no request before the delay is over.
func (w *week) checkManners() {
	w.t.Helper()
	last, rest, robots := map[string]time.Duration{}, map[string]time.Duration{}, map[string]bool{}
	for _, r := range w.web.Log() {
		if r.At < rest[r.Host] {
			w.t.Errorf("%s came %v before the end of the pause that its host had asked for", r.URL, rest[r.Host]-r.At)
		}
		if r.Rest > 0 {
			rest[r.Host] = r.At + r.Rest
		}
		switch {
		case strings.HasSuffix(r.URL, "/robots.txt"):
			robots[r.Host] = true
		case !robots[r.Host]:
			w.t.Errorf("%s was asked for before the robots.txt of its host", r.URL)
		case strings.Contains(r.URL, "/private/"):
			w.t.Errorf("%s was asked for, which robots.txt closes", r.URL)
		}
		if at, ok := last[r.Host]; ok && r.At-at < weekDelay*9/10 {
			w.t.Errorf("%s came %v after the request before", r.URL, r.At-at)
		}
		last[r.Host] = r.At
	}
	if len(robots) < weekHosts || len(rest) != 1 {
		w.t.Errorf("%d hosts were asked for their robots.txt and %d asked for a pause, want %d and 1", len(robots), len(rest), weekHosts)
	}
}

// TestWeek crawls 60 starting points of which half are down on the first day. After a week every
// living call is found, the dead were tried again, and no host was treated badly.
func TestWeek(t *testing.T) {
	w := newWeek(t)
	odd := func(i int) bool { return i%2 == 1 }
	forever := func(i int) bool { return i%10 == 9 }
	w.setDown(true, odd)
	_, found := w.crawl(weekHosts / 2)
	if n := w.missing(found, func(i int) bool { return !odd(i) }); n > 0 {
		t.Errorf("first day: %d living calls are missing", n)
	}
	w.setDown(false, func(i int) bool { return odd(i) && !forever(i) })
	for day := 1; day <= 7; day++ {
		w.now = w.now.Add(24*time.Hour + 5*time.Minute)
		wanted := 0
		if day == 1 {
			wanted = w.missing(found, func(i int) bool { return !forever(i) })
		}
		_, found = w.crawl(wanted)
	}
	if n := w.missing(found, func(i int) bool { return !forever(i) }); n > 0 {
		t.Errorf("after a week %d living calls are missing", n)
	}
	// A host that was dead all week is found when it comes back.
	w.setDown(false, forever)
	w.now = w.now.Add(25 * time.Hour)
	if _, found = w.crawl(w.missing(found, forever)); w.missing(found, func(int) bool { return true }) > 0 {
		t.Errorf("hosts that came back after a week: %d calls are missing", w.missing(found, func(int) bool { return true }))
	}
	w.checkManners()
}

// TestOwnNetworkDown has the resolver down at the first start. The run ends with its links kept,
// and the next one, a while later, finds the calls.
func TestOwnNetworkDown(t *testing.T) {
	w := newWeek(t)
	all := func(int) bool { return true }
	w.setDown(true, all)
	r, _ := w.crawl(1)
	if r.Stats.Reason != crawler.Offline || r.Stats.Waiting < weekHosts/2 {
		t.Errorf("ended by %q with %d links", r.Stats.Reason, r.Stats.Waiting)
	}
	w.setDown(false, all)
	w.now = w.now.Add(20 * time.Minute)
	if _, found := w.crawl(weekHosts); w.missing(found, all) > 0 {
		t.Errorf("%d calls are missing", w.missing(found, all))
	}
	w.checkManners()
}
