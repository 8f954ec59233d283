// Package engine builds crawls, passes of the monitor, laboratory runs and the crawlers of a
// cluster from the configuration. It also writes the record of a run.
package engine

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/rundir"
	"github.com/eventseer/eventseer/crawler/seeds"
	"github.com/eventseer/eventseer/crawler/strategy"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/prometheus/client_golang/prometheus"
)

// A Plan describes a run. NewCrawl, NewMonitorRun and NewLabRun return one; InProcess and InCluster
// adapt it to run within a service or a cluster.
type Plan struct {
	Folders
	Seeding
	web     *Web
	guide   Guide
	models  judges.Set      // opened by RunPlan
	options crawler.Options // without the parts opened by the run
	monitor *MonitorPlan    // nil for a crawl
	memo    *Memo           // shared by the cells of a laboratory; nil elsewhere
	host    *RunHost        // nil for a run of a command
	cluster Membership
}

// Folders are the folders of a run's record and state.
type Folders struct{ Run, State string }

// A Guide selects the strategy and its models.
type Guide struct {
	Strategy    string
	Models      string // kind of models, see judges.SetOfKind; "" selects the web's default
	Topic       Topic
	MinAccuracy float64                        // minimum held-out accuracy of a layer model
	Values      crawler.Values                 // of finds; zero means the default
	Truth       func() (strategy.Truth, error) // of a web with known targets, for the oracle; otherwise nil
}

// A Seeding selects the seeds of a crawl.
type Seeding struct {
	Seeds  []string
	Search seeds.Search
	Resume bool
	Seeded func(ctx context.Context) error // called once the seeds are committed to the frontier; may be nil
}

// Bounds are the limits of a crawl; see crawler.Options.
type Bounds struct {
	Budget, BacklinkCost float64
	MaxTime              time.Duration
	MaxDepth, UntilFound int
	MinHarvest           crawler.Harvest
}

// PageRules are the treatment of pages and links; see crawler.Options.
type PageRules struct {
	Workers          int
	Blocked          func(url string) string
	IgnoreDirectives bool
	Rel              crawler.Rel
	Lists            bool
	UsualPages       bool
}

// ConfiguredPageRules returns the manners of the configuration.
func ConfiguredPageRules(a *app.App) (PageRules, error) {
	c := a.Config
	blocks, err := a.Blocklist()
	if err != nil {
		return PageRules{}, err
	}
	return PageRules{
		Workers: c.Workers, Blocked: blocks.BlockedReason, IgnoreDirectives: c.Directives == "ignore", Rel: crawler.Rel(c.Rel), Lists: c.Lists == "on", UsualPages: c.Lists == "on",
	}, nil
}

// PageRulesOf returns the configured rules for fetching pages of a web. Frozen or generated webs have other
// defaults: one worker, so that runs are reproducible; no robots directives of pages, because there is no
// site owner and crawls are compared with others; and no sitemaps and feeds.
func PageRulesOf(a *app.App, w *Web) (PageRules, error) {
	m, err := ConfiguredPageRules(a)
	if w.Frozen && a.Origins["workers"] == "default" {
		m.Workers = 1
	}
	if w.Frozen && a.Origins["directives"] == "default" {
		m.IgnoreDirectives = true
	}
	if w.Frozen && a.Origins["lists"] == "default" {
		m.Lists = false
	}
	return m, err
}

// NewCrawl plans a crawl.
func NewCrawl(w *Web, f Folders, g Guide, s Seeding, b Bounds, m PageRules) Plan {
	g.Models = ModelsOf(w, g.Models)
	p := Plan{Folders: f, Seeding: s, web: w, guide: g, options: crawler.Options{
		Budget: b.Budget, BacklinkCost: b.BacklinkCost, MaxTime: b.MaxTime, MaxDepth: b.MaxDepth, UntilFound: b.UntilFound, MinHarvest: b.MinHarvest,
		Workers: m.Workers, Blocked: m.Blocked, IgnoreDirectives: m.IgnoreDirectives, Rel: m.Rel, Lists: m.Lists, UsualPages: m.UsualPages,
		Free: w.Free, Now: w.Now,
	}}
	if !w.Frozen {
		p.options.Outage, p.options.SeedAgain = crawler.DefaultOutage, time.Hour
	}
	return p
}

// NewMonitorRun plans the monitor's visits to due pages, at most budget pages within the time
// limit; 0 means no limit.
func NewMonitorRun(w *Web, f Folders, visits *MonitorPlan, budget float64, limit time.Duration, m PageRules) Plan {
	m.Lists, m.UsualPages = false, false
	guide := Guide{Strategy: "breadth-first", Models: judges.Shipped, Topic: visits.Topic}
	if !w.Frozen {
		guide.Models = judges.Own
	}
	p := NewCrawl(w, f, guide, Seeding{}, Bounds{Budget: budget, MaxTime: limit}, m)
	p.monitor = visits
	return p
}

// NewLabRun plans the crawl of a laboratory cell. All cells share memo.
func NewLabRun(w *Web, f Folders, g Guide, seeds []string, b Bounds, rel crawler.Rel, memo *Memo) Plan {
	p := NewCrawl(w, f, g, Seeding{Seeds: seeds}, b, PageRules{Workers: 1, IgnoreDirectives: true, Rel: rel})
	p.memo = memo
	return p
}

// InProcess makes a run part of a serving process.
func (p Plan) InProcess(h *RunHost) Plan {
	p.host = h
	if p.options.SeedAgain > 0 {
		p.options.SeedAgain = 7 * 24 * time.Hour // the monitor revisits lists
	}
	return p
}

// InCluster makes a run that of a crawler in a cluster.
func (p Plan) InCluster(m Membership) Plan {
	p.cluster = m
	return p
}

// A Membership connects a crawler with a cluster; the zero Membership is none.
type Membership struct {
	Join     func(ctx context.Context, s State) (ClusterWrapper, error) // called once the state is open
	Observer crawler.Observer                                           // receives pages too; may be nil
	Figures  prometheus.Collector                                       // exported with the metrics of the crawl; may be nil
}

// A RunHost is the serving process of a run: its open databases, and where the run reports.
type RunHost struct {
	State    State
	Gate     sync.Locker // held while the frontier is opened
	Metrics  *admin.CrawlMetrics
	Observer crawler.Observer
	// Attach shows the state of the run to the operator until detach is called.
	Attach func(i *admin.Inspector, figures prometheus.Collector) (detach func())
}

// A ClusterWrapper wraps a crawler's frontier and fetcher for a cluster; a *worker.Worker is one.
type ClusterWrapper interface {
	Frontier() crawler.Frontier
	GuardFetcher(crawler.Fetcher) crawler.Fetcher
}

// A CrawlResult is the result of a crawl with resources still open for its caller.
type CrawlResult struct {
	State  State
	Stats  crawler.Stats
	events int
	// Providers are those that were queried for backlinks.
	Providers []admin.ProviderRecord
}

// RunPlan builds the parts, crawls, and writes the record of the run.
func RunPlan(ctx context.Context, a *app.App, p Plan) (CrawlResult, error) {
	var r CrawlResult
	defer app.RelaxMemoryLimit(a)()
	if p.cluster.Join != nil {
		p.guide.Models = judges.Shipped // the manager sets the others
	}
	judge, models, err := NewCrawlJudge(a, p.web, p.guide.Models)
	if p.memo != nil {
		judge, p.options.Parse = p.memo, p.memo.parse
	}
	if err != nil {
		return r, err
	}
	p.models = models
	reader := NewReadOnce(NewExtractor(a, models))
	if p.options.Strategy, err = newStrategy(a, p, judge, reader); err != nil {
		return r, err
	}
	if err := beginRun(p); err != nil {
		return r, err
	}
	if r.State, err = OpenState(a, p.State, pacingOptions(a, p), p.host); err != nil {
		return r, err
	}
	if err := openSources(a, p, &r.State); err != nil {
		return r, err
	}
	site := admin.AdminSite{Metrics: admin.NewRegistry()}
	var metrics *admin.CrawlMetrics
	if p.host != nil {
		metrics = p.host.Metrics
	} else {
		metrics = admin.NewCrawlMetrics(site.Metrics)
	}
	chain, err := buildStateParts(ctx, a, &p, r.State, metrics, reader)
	if err != nil {
		return r, err
	}
	sources, err := watchSources(ctx, a, &p, r.State)
	if err != nil {
		return r, err
	}
	record, err := openRecord(ctx, a, p, r.State, chain)
	if err != nil {
		return r, err
	}
	all := observers{p.web.record, sources, record, chain, metrics}
	if p.host != nil {
		all = append(all, p.host.Observer)
	}
	all = append(all, pageLog{a.Logger()}, fetch.UnreadPDFs{Dir: p.State})
	if p.cluster.Observer != nil {
		all = append(all, p.cluster.Observer)
	}
	p.options.Observer = all
	p.options.Tally = record.run.Tally
	if p.options.Budget > 0 {
		p.options.Budget += record.run.SpentBefore
	}
	c, err := crawler.New(p.options)
	if err != nil {
		return r, errors.Join(app.MarkUsage(err), record.Close())
	}
	if err := pushSeeds(ctx, a, c, p); err != nil {
		return r, errors.Join(err, record.Close())
	}
	stop, err := startOperatorAccess(ctx, a, p, r, c, site)
	if err != nil {
		return r, errors.Join(err, record.Close())
	}
	silence := a.StartProgress(ctx, p.options.Budget, c.Stats, r.State.Store.Len)
	r.Stats, err = c.Run(ctx)
	silence()
	stop()
	return r, errors.Join(err, finishRecord(context.WithoutCancel(ctx), a, record, &r))
}

// buildStateParts sets the parts that depend on a crawl's state, and returns the chain of backlink
// providers.
func buildStateParts(ctx context.Context, a *app.App, p *Plan, s State, m *admin.CrawlMetrics, reader eventseer.Extractor) (*backlink.Chain, error) {
	o := &p.options
	var f crawler.Frontier = s.Frontier
	o.Links, o.Fetcher = s.Links, p.web.Fetcher
	if p.cluster.Join != nil {
		joined, err := p.cluster.Join(ctx, s)
		if err != nil {
			return nil, err
		}
		f, o.Fetcher = joined.Frontier(), joined.GuardFetcher(o.Fetcher)
	}
	o.Frontier = admin.CommittedFrontier{Frontier: f, Metrics: m}
	chain, err := newChain(a, p.web, s)
	if err != nil {
		return nil, err
	}
	o.Backlinker = chain
	if p.memo != nil {
		o.Fetcher, reader = p.memo, p.memo
	}
	o.Sink, err = newIngester(a, s, reader)
	return chain, err
}

// pushSeeds pushes the seeds, reports those that were refused, and searches for more.
func pushSeeds(ctx context.Context, a *app.App, c *crawler.Crawler, p Plan) error {
	rejected, err := c.PushSeeds(ctx, p.Seeds)
	for _, seed := range rejected {
		url, err := webgraph.Canonical(seed)
		switch {
		case err != nil:
			a.Logf("seed %q is not an http or https URL: left out", seed)
		case p.BlockedReason(url) != "":
			a.Logf("seed %s: %s", url, p.BlockedReason(url))
		default:
			a.Logf("seed %s is out of scope: left out", url)
		}
	}
	if err == nil && !p.web.Frozen {
		err = fetch.UnreadPDFs{Dir: p.State}.RequeueUnread(ctx, p.options.Frontier, p.web.Now())
	}
	if err == nil && p.Seeded != nil {
		err = p.Seeded(ctx)
	}
	if err != nil {
		return err
	}
	return p.RunSearch(ctx, p.options, a.Logf)
}

// BlockedReason returns why a URL is never fetched, "" if it may be.
func (p Plan) BlockedReason(url string) string {
	if p.options.Blocked == nil {
		return ""
	}
	return p.options.Blocked(url)
}

// beginRun creates the run folder, and returns an error if it belongs to another crawl.
func beginRun(p Plan) error {
	_, err := os.Stat(p.Run)
	if errors.Is(err, fs.ErrNotExist) && p.Resume {
		return app.Usagef("there is no %s to resume", p.Run)
	}
	if _, err := os.Stat(filepath.Join(p.Run, rundir.PagesFile)); err == nil && !p.Resume {
		return app.Usagef("%s holds a crawl already; --resume continues it, another --run starts a new one", p.Run)
	}
	return os.MkdirAll(p.Run, 0o700)
}
