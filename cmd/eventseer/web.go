package main

import (
	"context"
	"net/http"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler"
	"eventseer/crawler/backlink"
	"eventseer/crawler/fetch"
	"eventseer/crawler/replay"
	"eventseer/datasets/simweb"
	"eventseer/webgraph"
)

// A web is what a crawl crawls: the live web, a frozen one, or a generated one.
type web struct {
	fetcher crawler.Fetcher
	base    *fetch.Fetcher    // below fetcher: it knows the robots.txt files
	sources []backlink.Source // who is asked who links to a page, besides our own links
	frozen  bool              // the same pages at every visit: nobody to be polite to
	paced   bool              // its hosts are asked as the settings say all the same
	name    string            // for run.json
	digest  string            // of a frozen web
	record  recording         // of its answers
	sim     *simweb.Web       // the built-in one
	large   *simweb.Large     // a generated one of any size
	// now is the clock of the crawl. In a frozen web it stands still, so that
	// the same crawl writes the same bytes.
	now  func() time.Time
	free func(*webgraph.Page) bool // answers that cost nothing; nil for none
}

// openWeb opens the web that the flags name. Its parts close with the command.
func openWeb(ctx context.Context, a *app.App, f crawlFlags) (*web, error) {
	if len(f.replay) > 0 && f.sim != "" {
		return nil, app.Usagef("--replay and --sim exclude each other")
	}
	record, err := recorder(a, f.record)
	if err != nil {
		return nil, err
	}
	var w *web
	switch {
	case len(f.replay) > 0:
		w, err = openReplay(a, f.replay, record.wrap)
	case isLarge(f.sim):
		w, err = openLarge(a, f.sim, f.still, record.wrap)
	case f.sim != "":
		w, err = openSim(a, f.sim, record.wrap)
	default:
		w, err = openLive(a, record.wrap)
	}
	if err != nil {
		return nil, err
	}
	w.record = record
	var live []backlink.Source
	if !w.frozen {
		if live, err = providers(a); err != nil {
			return nil, err
		}
		w.sources = live
	}
	if f.backlinks != "" {
		edges, err := linksFileSource(a, f.backlinks, false)
		if err != nil {
			return nil, err
		}
		w.sources = append([]backlink.Source{edges}, live...)
	}
	return w, nil
}

func openLive(a *app.App, wrap func(http.RoundTripper) http.RoundTripper) (*web, error) {
	live, err := liveFetcher(a, wrap)
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("pdftotext"); err != nil {
		a.Logger().Warn("every PDF will be refused, for good", "err", fetch.ErrNoPDFTool)
	}
	w := &web{name: "live", now: a.Now, base: live}
	w.fetcher, err = rendered(a, live, time.Duration(a.Config.HostDelay))
	return w, err
}

func openReplay(a *app.App, paths []string, wrap func(http.RoundTripper) http.RoundTripper) (*web, error) {
	files, err := recordedFiles(paths)
	if err != nil {
		return nil, err
	}
	frozen, err := replay.Open(files, replay.Options{})
	if err != nil {
		return nil, err
	}
	a.OnClose(frozen.Close)
	for _, bad := range frozen.Bad() {
		a.Logf("%v: skipped", bad)
	}
	fetcher, err := fetch.New(fetch.Options{
		Transport: frozen, Wrap: wrap, UserAgent: userAgent(), StrictRobots: strictRobots(a), Now: a.Now, Log: a.Logger(), AnsweredAt: replay.AnsweredAt,
	})
	if err != nil {
		return nil, err
	}
	w := &web{
		base: fetcher, frozen: true, name: strings.Join(paths, ","), digest: frozen.Digest(), now: standing(frozen.Newest()),
		free: func(p *webgraph.Page) bool { return p.Status == http.StatusNotFound && frozen.Outside(p.URL) },
	}
	w.fetcher, err = rendered(a, fetcher, 0)
	return w, err
}

// openSim serves the built-in web on loopback and crawls it over real HTTP.
func openSim(a *app.App, spec string, wrap func(http.RoundTripper) http.RoundTripper) (*web, error) {
	key, value, _ := strings.Cut(spec, "=")
	seed, err := strconv.ParseUint(value, 10, 64)
	if key != "seed" || err != nil {
		return nil, app.Usagef("--sim %q is neither seed=N nor hosts=N,pages=N,seed=N", spec)
	}
	today := standing(a.Now().UTC().Truncate(24 * time.Hour))
	sim := simweb.New(simweb.Options{Seed: seed, Now: today()})
	server, err := sim.Start()
	if err != nil {
		return nil, err
	}
	a.OnClose(server.Close)
	fetcher, err := fetch.New(fetch.Options{
		Dial: server.Dial, Wrap: wrap, UserAgent: userAgent(), Contact: "demo@eventseer.example",
		StrictRobots: strictRobots(a), Now: today, Log: a.Logger(),
	})
	if err != nil {
		return nil, err
	}
	return &web{
		fetcher: fetcher, base: fetcher, frozen: true, name: "sim:" + spec, sim: sim, now: today,
		sources: []backlink.Source{{Provider: backlink.NewEdgeList(sim.Links(), backlink.Spec{Coverage: 1})}},
	}, nil
}

// generated reports whether the web is a generated one.
func (w *web) generated() bool { return w.sim != nil || w.large != nil }

// seeds are the pages a generated web is crawled from where nobody says others.
func (w *web) seeds() []string {
	switch {
	case w.sim != nil:
		return w.sim.Seeds()
	case w.large != nil:
		return w.large.Seeds()
	}
	return nil
}

// standing is a clock that stands still.
func standing(t time.Time) func() time.Time { return func() time.Time { return t } }
