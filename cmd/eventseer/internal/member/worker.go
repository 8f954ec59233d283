package member

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/cluster/pages"
	"github.com/eventseer/eventseer/crawler/cluster/worker"
)

// WorkerFlags are the flags of `worker`.
type WorkerFlags struct {
	Sim    string
	Record string
}

// A Worker is a crawler of a cluster. Like a service it alternates between crawling and visiting
// due sources, but by the orders of the cluster.
type Worker struct {
	app         *app.App
	bus         cluster.Bus
	name        string
	web         *engine.Web
	topic       engine.Topic
	pages       *pages.Files // nil if none are stored
	maxDepth    int
	minAccuracy float64
	crawlsOnly  bool // after a crawl it visits pages only if an order says so

	fetched, calls atomic.Int64
	greet          sync.Once
}

// NewWorker opens the resources common to all turns of a crawler.
func NewWorker(ctx context.Context, a *app.App, f WorkerFlags, bus cluster.Bus, s Settings, once bool) (*Worker, error) {
	topicName, err := s.Topic, error(nil)
	if s.TopicModel != "" {
		if topicName, err = fetchModel(ctx, a, bus, s.TopicModel); err != nil {
			return nil, err
		}
	}
	own := app.SplitList(a.Config.Model) // of this crawler; they replace the manager's of the same task
	var files []string
	for _, hash := range s.Models {
		path, err := fetchModel(ctx, a, bus, hash)
		if err != nil {
			return nil, err
		}
		files = append(files, path)
	}
	if len(own) > 0 {
		a.Logf("this crawler judges by its own models: %s", strings.Join(own, ", "))
	}
	a.Config.Model = strings.Join(append(files, own...), ",")
	w := &Worker{app: a, bus: bus, name: Name(a.Config), maxDepth: s.MaxDepth, minAccuracy: s.MinAccuracy, crawlsOnly: once || f.Sim != ""}
	if w.topic, err = engine.OpenTopic(a, topicName, judges.Shipped); err != nil {
		return nil, err
	}
	flags := engine.CrawlOptions{Sim: f.Sim}
	if f.Record == "on" {
		flags.Record = pages.RecordingPrefix(a.Config.Data)
	}
	if a.Config.Providers == nil {
		a.Config.Providers = app.ProviderList{} // the crawlers of a cluster would multiply the rate at which public services are queried
	}
	if w.web, err = engine.OpenWeb(ctx, a, flags); err != nil {
		return nil, err
	}
	w.web.Paced = true
	if _, err := a.Blocklist(); err != nil {
		return nil, err
	}
	if f.Record == "on" {
		if w.pages, err = pages.Open(a.Config.Data); err != nil {
			return nil, err
		}
		a.OnClose(w.pages.Close)
	}
	return w, nil
}

// A task is the kind of work of a crawler in a turn.
type task int

const (
	crawls task = iota // crawl as long as no order requires visits
	passes             // one pass over due sources, while others crawl
	visits             // due sources, by order
)

// Run makes turns until there is no more work or ctx ends.
func (w *Worker) Run(ctx context.Context) error {
	now := crawls
	for {
		order, done, err := w.doTask(ctx, now)
		if done || err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		engine.DropOldRecords(w.app, w.app.Config.Data)
		switch {
		case order.Do == cluster.DoMonitor:
			now = visits
		case now == crawls && !w.crawlsOnly:
			now = passes
		default:
			now = crawls
		}
	}
}

// doTask performs one task with its own state and membership. It returns the last order, and
// whether the work is finished.
func (w *Worker) doTask(ctx context.Context, t task) (order cluster.Order, done bool, err error) {
	own := engine.ChildApp(w.app)
	d := &clusterTurn{Worker: w, app: own, task: t}
	p, err := w.turnPlan(own, d)
	if err == nil {
		var r engine.CrawlResult
		r, err = engine.RunPlan(ctx, own, p)
		err = errors.Join(err, d.finishTurn(ctx, err == nil && r.Stats.Reason == crawler.Drained && d.worker.IsOver()))
		idle, idleErr := engine.RemoveIdleRun(p.Run)
		if err = errors.Join(err, idleErr); !idle && r.Stats.Reason != "" {
			own.Logf("%s", engine.DescribeEnd(r, p))
		}
	}
	if d.worker != nil {
		order, done = d.worker.Order(), d.worker.IsDone()
	}
	if err = errors.Join(err, own.Close()); errors.Is(err, context.Canceled) {
		w.app.Logf("interrupted; the same command continues")
	}
	return order, done, err
}

// turnPlan returns the plan of a turn.
func (w *Worker) turnPlan(a *app.App, d *clusterTurn) (engine.Plan, error) {
	member := engine.Membership{Join: d.joinCluster, Observer: d, Figures: admin.WorkerMetrics{Of: func() *worker.Worker { return d.worker }}}
	manners, err := engine.ConfiguredPageRules(a)
	if err != nil {
		return engine.Plan{}, err
	}
	if d.task == crawls {
		bounds := engine.Bounds{BacklinkCost: a.Config.BacklinkCost, MaxDepth: w.maxDepth}
		if !w.crawlsOnly {
			bounds.MaxTime = engine.CrawlTurn
		}
		guide := engine.Guide{Strategy: a.Config.Strategy, Topic: w.topic, MinAccuracy: w.minAccuracy}
		folders := engine.Folders{Run: engine.UnusedRunFolder(a, engine.CrawlSuffix), State: a.Config.Data}
		return engine.NewCrawl(w.web, folders, guide, engine.Seeding{}, bounds, manners).InCluster(member), nil
	}
	m, err := engine.DefaultMonitorPlan(a, judges.Shipped)
	m.Topic = w.topic
	m.Stay = func() bool { return d.task == visits && !d.worker.IsOver() }
	m.Woken = func() <-chan struct{} { return d.worker.Changed() }
	m.Ours = func(url string) bool { return d.worker.Owns(url) }
	folders := engine.Folders{Run: engine.UnusedRunFolder(a, engine.WatchSuffix), State: a.Config.Data}
	return engine.NewMonitorRun(w.web, folders, m, 0, 0, manners).InCluster(member), err
}

// VersionHint returns advice about a different version.
func VersionHint(err error) error {
	if errors.Is(err, cluster.ErrVersion) {
		return fmt.Errorf("%w; install the same program on all machines, then start the crawlers again", err)
	}
	return err
}
