package engine

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"eventseer/cmd/eventseer/internal/admin"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler"
	"eventseer/crawler/cluster"
	"eventseer/crawler/cluster/pages"
	"eventseer/crawler/cluster/worker"
	"eventseer/crawler/monitor"
)

// A laborer is a crawler of a cluster: it crawls and visits what is due in turn, as a
// fieldworker does, as the cluster orders.
type laborer struct {
	app         *app.App
	bus         cluster.Bus
	name        string
	web         *Web
	topic       Topic
	pages       *pages.Files // nil where none are kept
	maxDepth    int
	minAccuracy float64
	crawlsOnly  bool // a crawl that ends visits nothing again but by order

	fetched, calls atomic.Int64
	greet          sync.Once
}

// NewLaborer opens what all turns of a crawler have in common.
func NewLaborer(ctx context.Context, a *app.App, f WorkerFlags, bus cluster.Bus, s clusterSettings, once bool) (*laborer, error) {
	topicName, err := s.Topic, error(nil)
	if s.TopicModel != "" {
		if topicName, err = fetchTopic(ctx, a, bus, s.TopicModel); err != nil {
			return nil, err
		}
	}
	l := &laborer{app: a, bus: bus, name: NodeName(a.Config), maxDepth: s.MaxDepth, minAccuracy: s.MinAccuracy, crawlsOnly: once || f.Sim != ""}
	if l.topic, err = OpenTopic(topicName); err != nil {
		return nil, err
	}
	flags := CrawlOptions{Sim: f.Sim}
	if f.Record == "on" {
		flags.Record = pages.Prefix(a.Config.Data)
	}
	if l.web, err = OpenWeb(ctx, a, flags); err != nil {
		return nil, err
	}
	l.web.paced = true
	if _, err := a.Blocklist(); err != nil {
		return nil, err
	}
	if f.Record == "on" {
		if l.pages, err = pages.Open(a.Config.Data); err != nil {
			return nil, err
		}
		a.OnClose(l.pages.Close)
	}
	return l, nil
}

// A task is what a crawler does in a turn.
type task int

const (
	crawls task = iota // while no order asks for visits
	passes             // one pass over what is due, while others crawl
	visits             // what is due, by order
)

// Run makes turns until there is nothing to do any more or ctx ends.
func (l *laborer) Run(ctx context.Context) error {
	now := crawls
	for {
		order, done, err := l.turn(ctx, now)
		if done || err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		DropOldRecords(l.app, l.app.Config.Data)
		switch {
		case order.Do == cluster.DoMonitor:
			now = visits
		case now == crawls && !l.crawlsOnly:
			now = passes
		default:
			now = crawls
		}
	}
}

// turn does one task with a state and a membership of its own, and returns the order by
// then, and whether there is nothing to do any more.
func (l *laborer) turn(ctx context.Context, t task) (order cluster.Order, done bool, err error) {
	own := Child(l.app)
	d := &duty{laborer: l, app: own, task: t}
	p, err := l.plan(own, d)
	if err == nil {
		var r CrawlResult
		r, err = RunPlan(ctx, own, p)
		err = errors.Join(err, d.finish(ctx, err == nil && r.Stats.Reason == crawler.Drained && d.worker.Over()))
		idle, idleErr := DropIdle(p.Run)
		if err = errors.Join(err, idleErr); !idle && r.Stats.Reason != "" {
			own.Logf("%s", DescribeEnd(r, p))
		}
	}
	if d.worker != nil {
		order, done = d.worker.Order(), d.worker.Done()
	}
	if err = errors.Join(err, own.Close()); errors.Is(err, context.Canceled) {
		l.app.Logf("interrupted; the same command goes on")
	}
	return order, done, err
}

// plan is the plan of a turn.
func (l *laborer) plan(a *app.App, d *duty) (Plan, error) {
	p := Plan{
		Web: l.web, Strategy: a.Config.Strategy, Topic: l.topic, MinAccuracy: l.minAccuracy,
		Run: FreeRun(a, CrawlSuffix), State: a.Config.Data, Join: d.join, observer: d, figures: admin.WorkerMetrics{Of: func() *worker.Worker { return d.worker }},
		Options: crawler.Options{
			BacklinkCost: a.Config.BacklinkCost, Workers: a.Config.Workers, MaxDepth: l.maxDepth, Free: l.web.Free, Now: l.web.Now,
			Blocked: a.Blocks.Blocked, IgnoreDirectives: a.Config.Directives == "ignore", Rel: crawler.Rel(a.Config.Rel), Lists: a.Config.Lists == "on",
		},
	}
	if d.task == crawls {
		if !l.crawlsOnly {
			p.Options.MaxTime = CrawlTurn
		}
		return p, nil
	}
	links, err := DiscovererOf(DiscovererNames()[0])
	p.Run, p.Strategy, p.Models = FreeRun(a, WatchSuffix), "breadth-first", "shipped"
	p.Options.MaxDepth, p.Options.BacklinkCost, p.Options.Lists = 0, 0, false
	p.Monitor = &MonitorPlan{
		Plan: monitor.Plan{Policy: monitor.Policies()[0]}, Links: links, Fates: map[monitor.Fate]int{},
		Stay:  func() bool { return d.task == visits && !d.worker.Over() },
		woken: func() <-chan struct{} { return d.worker.Changed() },
		ours:  func(url string) bool { return d.worker.Owns(url) },
	}
	return p, err
}
