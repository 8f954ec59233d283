package engine

import (
	"cmp"
	"context"
	"net/http"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/lab"
	"github.com/eventseer/eventseer/crawler/replay"
	"github.com/eventseer/eventseer/datasets/simweb"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/webgraph"
)

// A Web is the web of a crawl: the live web, a frozen one, or a generated one.
type Web struct {
	Fetcher crawler.Fetcher
	Base    *fetch.Fetcher    // the fetcher that Fetcher wraps; it has the cache of robots.txt files
	Sources []backlink.Source // the backlink providers, besides the local links
	Frozen  bool              // every visit gives the same pages, and no server has to be protected
	Paced   bool              // the configured delays apply to its hosts nevertheless
	Name    string            // for run.json
	Digest  string            // of a frozen web
	record  recording         // of its answers
	Sim     *simweb.Web       // the built-in one
	Large   *simweb.Large     // a generated web of any size
	// Now is the clock of the crawl. In a frozen web it stands still, so that the same crawl writes
	// the same bytes.
	Now  func() time.Time
	Free func(*webgraph.Page) bool // responses that cost nothing; nil for none
}

// OpenWeb opens the web that the flags select. It is closed when the command ends.
func OpenWeb(ctx context.Context, a *app.App, f CrawlOptions) (*Web, error) {
	if len(f.Replay) > 0 && f.Sim != "" {
		return nil, app.Usagef("--replay and --sim exclude each other")
	}
	record, err := newRecording(a, f.Record)
	if err != nil {
		return nil, err
	}
	var w *Web
	switch {
	case len(f.Replay) > 0:
		w, err = OpenReplay(a, f.Replay, record.wrap)
	case IsLargeWeb(f.Sim):
		w, err = openLargeWeb(a, f.Sim, f.Still, record.wrap)
	case f.Sim != "":
		w, err = OpenSim(a, f.Sim, record.wrap)
	default:
		w, err = openLive(a, record.wrap)
	}
	if err != nil {
		return nil, err
	}
	w.record = record
	var live []backlink.Source
	if !w.Frozen {
		list, _ := a.Config.BacklinkProviders()
		if live, err = OpenProviders(a, list); err != nil {
			return nil, err
		}
		w.Sources = live
	}
	if f.Backlinks != "" {
		edges, err := LinksFileSource(a, f.Backlinks, false)
		if err != nil {
			return nil, err
		}
		w.Sources = append([]backlink.Source{edges}, live...)
	}
	return w, nil
}

func openLive(a *app.App, wrap func(http.RoundTripper) http.RoundTripper) (*Web, error) {
	live, err := LiveFetcher(a, wrap)
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath("pdftotext"); err != nil {
		a.Logger().Warn("PDFs are not read; the addresses of those found are stored, and the first crawl after the installation fetches them", "err", fetch.ErrNoPDFTool)
	}
	w := &Web{Name: "live", Now: a.Now, Base: live}
	w.Fetcher, err = withRenderer(a, live, time.Duration(a.Config.HostDelay))
	return w, err
}

// OpenReplay opens recordings as the web of a crawl; wrap, if not nil, wraps their transport.
func OpenReplay(a *app.App, paths []string, wrap func(http.RoundTripper) http.RoundTripper) (*Web, error) {
	files, err := RecordedFiles(paths)
	if err != nil {
		return nil, err
	}
	frozen, err := replay.Open(files, replay.Options{NoRobots: func(host webgraph.Host) {
		a.Logf("no robots.txt of %s is recorded: in this replay hosts without one allow everything", host)
	}})
	if err != nil {
		return nil, err
	}
	a.OnClose(frozen.Close)
	for _, bad := range frozen.Bad() {
		a.Logf("%v: skipped", bad)
	}
	fetcher, err := fetch.New(fetch.Options{
		Transport: frozen, Wrap: wrap, UserAgent: UserAgent(), StrictRobots: StrictRobots(a), Now: a.Now, Log: a.Logger(), AnsweredAt: replay.AnsweredAt,
	})
	if err != nil {
		return nil, err
	}
	w := &Web{
		Base: fetcher, Frozen: true, Name: strings.Join(paths, ","), Digest: frozen.Digest(), Now: fixedClock(frozen.Newest()),
		Free: func(p *webgraph.Page) bool { return p.Status == http.StatusNotFound && frozen.IsOutside(p.URL) },
	}
	w.Fetcher, err = withRenderer(a, fetcher, 0)
	return w, err
}

// OpenSim serves the built-in web on loopback and crawls it over real HTTP.
func OpenSim(a *app.App, spec string, wrap func(http.RoundTripper) http.RoundTripper) (*Web, error) {
	key, value, _ := strings.Cut(spec, "=")
	seed, err := strconv.ParseUint(value, 10, 64)
	if key != "seed" || err != nil {
		return nil, app.Usagef("--sim %q is neither seed=N nor hosts=N,pages=N,seed=N", spec)
	}
	today := fixedClock(a.Now().UTC().Truncate(24 * time.Hour))
	sim := simweb.New(simweb.Options{Seed: seed, Now: today()})
	server, err := sim.Start()
	if err != nil {
		return nil, err
	}
	a.OnClose(server.Close)
	fetcher, err := fetch.New(fetch.Options{
		Dial: server.Dial, Wrap: wrap, UserAgent: UserAgent(), Contact: "demo@eventseer.example",
		StrictRobots: StrictRobots(a), Now: today, Log: a.Logger(),
	})
	if err != nil {
		return nil, err
	}
	return &Web{
		Fetcher: fetcher, Base: fetcher, Frozen: true, Name: "sim:" + spec, Sim: sim, Now: today,
		Sources: []backlink.Source{{Provider: backlink.NewEdgeList(sim.Links(), backlink.Spec{Coverage: 1})}},
	}, nil
}

// IsGenerated reports whether the web is a generated one.
func (w *Web) IsGenerated() bool { return w.Sim != nil || w.Large != nil }

// Seeds returns the default pages from which a generated web is crawled.
func (w *Web) Seeds() []string {
	switch {
	case w.Sim != nil:
		return w.Sim.Seeds()
	case w.Large != nil:
		return w.Large.Seeds()
	}
	return nil
}

// fixedClock returns a clock with a constant time.
func fixedClock(t time.Time) func() time.Time { return func() time.Time { return t } }

// Recall counts the events of a generated web of which a page with a call was stored.
func (w *Web) Recall(events []eventseer.Event) (found, all int) {
	kept := storedCallPages(events)
	truth := w.Sim.Truth()
	for _, e := range truth.Events {
		if slices.ContainsFunc(e.Pages, func(url string) bool { return kept[url] }) {
			found++
		}
	}
	return found, len(truth.Events)
}

// Precision returns the share of true calls among the stored pages.
func (w *Web) Precision(events []eventseer.Event) float64 {
	kept := storedCallPages(events)
	right := 0
	for url := range kept {
		if p, ok := w.Sim.Truth().Page(url); ok && p.IsCFP {
			right++
		}
	}
	return float64(right) / float64(max(len(kept), 1))
}

func storedCallPages(events []eventseer.Event) map[string]bool {
	kept := map[string]bool{}
	for _, e := range events {
		for _, url := range e.Pages {
			kept[url] = true
		}
	}
	return kept
}

// SimTargets returns the calls of a generated web, those that no link leads to among them.
func (w *Web) SimTargets(ctx context.Context) (targets []lab.Target, err error) {
	if w.Large != nil {
		err := w.Large.Calls(ctx, func(p simweb.LargePage) {
			targets = append(targets, lab.Target{URL: p.URL, Event: p.Event, Kind: "page"})
		})
		slices.SortFunc(targets, func(x, y lab.Target) int { return cmp.Compare(x.URL, y.URL) })
		return targets, err
	}
	for _, p := range w.Sim.Truth().Pages {
		if p.IsCFP {
			targets = append(targets, lab.Target{URL: p.URL, Event: p.Event, Kind: "page"})
		}
	}
	return targets, nil
}
