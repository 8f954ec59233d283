package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"eventseer/crawler"
	"eventseer/crawler/backlink"
	"eventseer/crawler/rundir"
	"eventseer/crawler/strategy"
	"eventseer/eventseer"
	"eventseer/webgraph"

	"github.com/prometheus/client_golang/prometheus"
)

// A plan is everything a crawl needs to know.
type plan struct {
	web        *web
	strategy   string
	models     string // shipped or cross-fitted; "" for the web's own default
	topic      topic
	reader     *readOnce                      // of calls
	memo       *memo                          // of a laboratory; nil: the crawl judges and reads for itself
	timing     *timing                        // of the strategy; nil: nobody asks
	truth      func() (strategy.Truth, error) // of a web whose targets are known, for the oracle; else nil
	seeds      []string
	search     seedSearch
	run, state string // folders
	chain      *backlink.Chain
	// minAccuracy is the least held-out accuracy of a layer model that may guide.
	minAccuracy float64
	resume      bool
	monitor     *monitorPlan // of a monitor's run; nil of a crawl
	service     *service     // whose turn this is; nil of a command's own run
	// join, if not nil, makes this the crawl of one crawler of a cluster, once its
	// state is open.
	join    func(ctx context.Context, s state) (crew, error)
	figures prometheus.Collector // shown with those of the crawl; nil: none
	// seeded, if not nil, is called once the frontier has the seeds for good.
	seeded   func(ctx context.Context) error
	observer crawler.Observer // told besides the record of the run; nil: nobody
	options  crawler.Options  // without its parts
}

// A crew is what a cluster makes of a crawler's frontier and fetcher; a
// *worker.Worker is one.
type crew interface {
	Frontier() crawler.Frontier
	Guard(crawler.Fetcher) crawler.Fetcher
}

// A crawlResult is what a crawl leaves open for whoever started it.
type crawlResult struct {
	state  state
	stats  crawler.Stats
	events int
	// providers are those asked for backlinks.
	providers []providerRecord
}

// runPlan builds the parts, crawls, and writes the record of the run.
func (a *app) runPlan(ctx context.Context, p plan) (crawlResult, error) {
	var r crawlResult
	defer a.spendMemory()()
	p.reader = newReadOnce(a.newExtractor())
	judge, modelHashes, err := newCrawlJudge(p)
	if p.memo != nil {
		judge, p.options.Parse = p.memo, p.memo.parse
	}
	if err != nil {
		return r, err
	}
	if p.options.Strategy, err = a.newStrategy(p, judge); err != nil {
		return r, err
	}
	if p.timing != nil {
		p.options.Strategy = timedStrategy{p.options.Strategy, p.timing}
	}
	if err := beginRun(p); err != nil {
		return r, err
	}
	if r.state, err = a.openState(p.state, a.paceOf(p), p.service); err != nil {
		return r, err
	}
	if err := a.openSources(&p, &r.state); err != nil {
		return r, err
	}
	site := adminSite{metrics: newRegistry()}
	metrics := p.service.crawlMetrics(site.metrics)
	if err := a.assemble(ctx, &p, r.state, metrics); err != nil {
		return r, err
	}
	sources, err := a.watch(ctx, &p, r.state)
	if err != nil {
		return r, err
	}
	record, err := a.openRecord(ctx, p, r.state, modelHashes)
	if err != nil {
		return r, err
	}
	p.options.Observer = observers{p.web.record, sources, record, p.chain, metrics, p.service.witness(), pageLog{a.logger()}}
	if p.observer != nil {
		p.options.Observer = observers{p.options.Observer, p.observer}
	}
	p.options.Tally = record.run.Tally
	if p.options.Budget > 0 {
		p.options.Budget += record.run.SpentBefore
	}
	c, err := crawler.New(p.options)
	if err != nil {
		return r, errors.Join(usageError{err}, record.Close())
	}
	if err := a.seed(ctx, c, p); err != nil {
		return r, errors.Join(err, record.Close())
	}
	if p.seeded != nil {
		if err := p.seeded(ctx); err != nil {
			return r, errors.Join(err, record.Close())
		}
	}
	if err := a.searchSeeds(ctx, p); err != nil {
		return r, errors.Join(err, record.Close())
	}
	stop, err := a.operate(ctx, p, r, c, site)
	if err != nil {
		return r, errors.Join(err, record.Close())
	}
	silence := a.startProgress(ctx, p.options.Budget, c.Stats, r.state.store.Len)
	r.stats, err = c.Run(ctx)
	silence()
	stop()
	return r, errors.Join(err, a.finishRecord(context.WithoutCancel(ctx), record, &r))
}

// assemble fills in the parts that a crawl's state gives it.
func (a *app) assemble(ctx context.Context, p *plan, s state, m *crawlMetrics) (err error) {
	p.options.Frontier = committedFrontier{s.frontier, m}
	p.options.Links = s.links
	p.options.Fetcher = p.web.fetcher
	if p.join != nil {
		joined, err := p.join(ctx, s)
		if err != nil {
			return err
		}
		p.options.Frontier = committedFrontier{joined.Frontier(), m}
		p.options.Fetcher = joined.Guard(p.web.fetcher)
	}
	if p.chain, err = a.newChain(p.web, s); err != nil {
		return err
	}
	p.options.Backlinker = p.chain
	var extractor eventseer.Extractor = p.reader
	if p.memo != nil {
		p.options.Fetcher, extractor = p.memo, p.memo
	}
	p.options.Sink, err = a.newIngester(s, extractor)
	return err
}

// seed pushes the seeds and says which are left out.
func (a *app) seed(ctx context.Context, c *crawler.Crawler, p plan) error {
	rejected, err := c.Seed(ctx, p.seeds)
	for _, seed := range rejected {
		url, err := webgraph.Canonical(seed)
		switch {
		case err != nil:
			a.logf("seed %q is no http or https URL: left out", seed)
		case p.blocked(url) != "":
			a.logf("seed %s: %s", url, p.blocked(url))
		default:
			a.logf("seed %s is out of scope: left out", url)
		}
	}
	return err
}

// blocked returns why a URL is never asked for, "" if it may be.
func (p plan) blocked(url string) string {
	if p.options.Blocked == nil {
		return ""
	}
	return p.options.Blocked(url)
}

// beginRun makes the run folder, and refuses to mix two crawls in one.
func beginRun(p plan) error {
	_, err := os.Stat(p.run)
	if errors.Is(err, fs.ErrNotExist) && p.resume {
		return usagef("there is no %s to go on with", p.run)
	}
	if _, err := os.Stat(filepath.Join(p.run, rundir.PagesFile)); err == nil && !p.resume {
		return usagef("%s holds a crawl already; --resume goes on with it, another --run starts a new one", p.run)
	}
	return os.MkdirAll(p.run, 0o755)
}
