// Package engine builds crawls, passes of the monitor, runs of the laboratory and
// the crawlers of a cluster from the configuration, and writes the record of a run.
package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"eventseer/cmd/eventseer/internal/admin"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler"
	"eventseer/crawler/backlink"
	"eventseer/crawler/rundir"
	"eventseer/crawler/seeds"
	"eventseer/crawler/strategy"
	"eventseer/eventseer"
	"eventseer/webgraph"

	"github.com/prometheus/client_golang/prometheus"
)

// A Plan is everything a crawl needs to know.
type Plan struct {
	Web        *Web
	Strategy   string
	Models     string // shipped or cross-fitted; "" for the web's own default
	Topic      Topic
	reader     *ReadOnce                      // of calls
	Memo       *Memo                          // of a laboratory; nil: the crawl judges and reads for itself
	Timing     *Timing                        // of the strategy; nil: nobody asks
	Truth      func() (strategy.Truth, error) // of a web whose targets are known, for the oracle; else nil
	Seeds      []string
	Search     seeds.Search
	Run, State string // folders
	chain      *backlink.Chain
	// minAccuracy is the least held-out accuracy of a layer model that may guide.
	MinAccuracy float64
	Resume      bool
	Monitor     *MonitorPlan // of a monitor's run; nil of a crawl
	Host        *RunHost     // the serving process of which this is a turn; nil for a command's own run
	// join, if not nil, makes this the crawl of one crawler of a cluster, once its
	// state is open.
	Join    func(ctx context.Context, s State) (Crew, error)
	Figures prometheus.Collector // shown with those of the crawl; nil: none
	// seeded, if not nil, is called once the frontier has the seeds for good.
	Seeded   func(ctx context.Context) error
	Observer crawler.Observer // told besides the record of the run; nil: nobody
	Options  crawler.Options  // without its parts
}

// A RunHost is the serving process of which a run is a turn: what it has open,
// and where the run reports.
type RunHost struct {
	State    State
	Gate     sync.Locker // held while the frontier is opened
	Metrics  *admin.CrawlMetrics
	Observer crawler.Observer
	// attach shows the state of the run to the operator until detach is called.
	Attach func(i *admin.Inspector, figures prometheus.Collector) (detach func())
}

// crawlMetrics returns those of all turns, or new ones for a run that is no turn.
func (h *RunHost) crawlMetrics(r *prometheus.Registry) *admin.CrawlMetrics {
	if h == nil {
		return admin.NewCrawlMetrics(r)
	}
	return h.Metrics
}

// witness returns the observer of every turn.
func (h *RunHost) witness() crawler.Observer {
	if h == nil {
		return observers{}
	}
	return h.Observer
}

// A Crew is what a cluster makes of a crawler's frontier and fetcher; a
// *worker.Worker is one.
type Crew interface {
	Frontier() crawler.Frontier
	Guard(crawler.Fetcher) crawler.Fetcher
}

// A CrawlResult is what a crawl leaves open for whoever started it.
type CrawlResult struct {
	State  State
	Stats  crawler.Stats
	events int
	// providers are those asked for backlinks.
	Providers []admin.ProviderRecord
}

// RunPlan builds the parts, crawls, and writes the record of the run.
func RunPlan(ctx context.Context, a *app.App, p Plan) (CrawlResult, error) {
	var r CrawlResult
	defer SpendMemory(a)()
	p.reader = NewReadOnce(NewExtractor(a))
	judge, modelHashes, err := NewCrawlJudge(p)
	if p.Memo != nil {
		judge, p.Options.Parse = p.Memo, p.Memo.parse
	}
	if err != nil {
		return r, err
	}
	if p.Options.Strategy, err = newStrategy(a, p, judge); err != nil {
		return r, err
	}
	if p.Timing != nil {
		p.Options.Strategy = timedStrategy{p.Options.Strategy, p.Timing}
	}
	if err := beginRun(p); err != nil {
		return r, err
	}
	if r.State, err = OpenState(a, p.State, paceOf(a, p), p.Host); err != nil {
		return r, err
	}
	if err := openSources(a, &p, &r.State); err != nil {
		return r, err
	}
	site := admin.AdminSite{Metrics: admin.NewRegistry()}
	metrics := p.Host.crawlMetrics(site.Metrics)
	if err := assemble(ctx, a, &p, r.State, metrics); err != nil {
		return r, err
	}
	sources, err := watch(ctx, a, &p, r.State)
	if err != nil {
		return r, err
	}
	record, err := openRecord(ctx, a, p, r.State, modelHashes)
	if err != nil {
		return r, err
	}
	p.Options.Observer = observers{p.Web.record, sources, record, p.chain, metrics, p.Host.witness(), pageLog{a.Logger()}}
	if p.Observer != nil {
		p.Options.Observer = observers{p.Options.Observer, p.Observer}
	}
	p.Options.Tally = record.run.Tally
	if p.Options.Budget > 0 {
		p.Options.Budget += record.run.SpentBefore
	}
	c, err := crawler.New(p.Options)
	if err != nil {
		return r, errors.Join(app.Usage(err), record.Close())
	}
	if err := seed(ctx, a, c, p); err != nil {
		return r, errors.Join(err, record.Close())
	}
	if p.Seeded != nil {
		if err := p.Seeded(ctx); err != nil {
			return r, errors.Join(err, record.Close())
		}
	}
	if err := SearchSeeds(ctx, a, p); err != nil {
		return r, errors.Join(err, record.Close())
	}
	stop, err := operate(ctx, a, p, r, c, site)
	if err != nil {
		return r, errors.Join(err, record.Close())
	}
	silence := a.StartProgress(ctx, p.Options.Budget, c.Stats, r.State.Store.Len)
	r.Stats, err = c.Run(ctx)
	silence()
	stop()
	return r, errors.Join(err, finishRecord(context.WithoutCancel(ctx), a, record, &r))
}

// assemble fills in the parts that a crawl's state gives it.
func assemble(ctx context.Context, a *app.App, p *Plan, s State, m *admin.CrawlMetrics) (err error) {
	p.Options.Frontier = admin.CommittedFrontier{Frontier: s.Frontier, Metrics: m}
	p.Options.Links = s.Links
	p.Options.Fetcher = p.Web.Fetcher
	if p.Join != nil {
		joined, err := p.Join(ctx, s)
		if err != nil {
			return err
		}
		p.Options.Frontier = admin.CommittedFrontier{Frontier: joined.Frontier(), Metrics: m}
		p.Options.Fetcher = joined.Guard(p.Web.Fetcher)
	}
	if p.chain, err = newChain(a, p.Web, s); err != nil {
		return err
	}
	p.Options.Backlinker = p.chain
	var extractor eventseer.Extractor = p.reader
	if p.Memo != nil {
		p.Options.Fetcher, extractor = p.Memo, p.Memo
	}
	p.Options.Sink, err = newIngester(a, s, extractor)
	return err
}

// seed pushes the seeds and says which are left out.
func seed(ctx context.Context, a *app.App, c *crawler.Crawler, p Plan) error {
	rejected, err := c.Seed(ctx, p.Seeds)
	for _, seed := range rejected {
		url, err := webgraph.Canonical(seed)
		switch {
		case err != nil:
			a.Logf("seed %q is no http or https URL: left out", seed)
		case p.Blocked(url) != "":
			a.Logf("seed %s: %s", url, p.Blocked(url))
		default:
			a.Logf("seed %s is out of scope: left out", url)
		}
	}
	return err
}

// Blocked returns why a URL is never asked for, "" if it may be.
func (p Plan) Blocked(url string) string {
	if p.Options.Blocked == nil {
		return ""
	}
	return p.Options.Blocked(url)
}

// beginRun makes the run folder, and refuses to mix two crawls in one.
func beginRun(p Plan) error {
	_, err := os.Stat(p.Run)
	if errors.Is(err, fs.ErrNotExist) && p.Resume {
		return app.Usagef("there is no %s to go on with", p.Run)
	}
	if _, err := os.Stat(filepath.Join(p.Run, rundir.PagesFile)); err == nil && !p.Resume {
		return app.Usagef("%s holds a crawl already; --resume goes on with it, another --run starts a new one", p.Run)
	}
	return os.MkdirAll(p.Run, 0o755)
}

// Timing measures how fast a strategy scores links. It is used by one worker.
type Timing struct {
	links int
	took  time.Duration
}

// Rate returns visits of the strategy a second.
func (t *Timing) Rate() float64 {
	if t.took <= 0 {
		return 0
	}
	return float64(t.links) / t.took.Seconds()
}

// A timedStrategy counts the links that a strategy scores, and the time.
type timedStrategy struct {
	crawler.Strategy
	timing *Timing
}

// Visit implements crawler.Strategy.
func (s timedStrategy) Visit(ctx context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	begun := time.Now() // how long it takes is no part of the result
	v, err := s.Strategy.Visit(ctx, a)
	s.timing.took += time.Since(begun)
	s.timing.links += len(v.Forward)
	return v, err
}
