package main

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"eventseer/crawler"
	"eventseer/crawler/cluster"
	"eventseer/crawler/cluster/pages"
	"eventseer/crawler/cluster/worker"
	"eventseer/crawler/monitor"
)

// A laborer is a crawler of a cluster: it crawls and visits what is due in turn, as a
// fieldworker does, as the cluster orders.
type laborer struct {
	app         *app
	bus         cluster.Bus
	name        string
	web         *web
	topic       topic
	pages       *pages.Files // nil where none are kept
	maxDepth    int
	minAccuracy float64
	crawlsOnly  bool // a crawl that ends visits nothing again but by order

	fetched, calls atomic.Int64
	greet          sync.Once
}

// newLaborer opens what all turns of a crawler have in common.
func (a *app) newLaborer(ctx context.Context, f workerFlags, bus cluster.Bus, s clusterSettings, once bool) (*laborer, error) {
	topicName, err := s.Topic, error(nil)
	if s.TopicModel != "" {
		if topicName, err = a.fetchTopic(ctx, bus, s.TopicModel); err != nil {
			return nil, err
		}
	}
	l := &laborer{app: a, bus: bus, name: a.config.who(), maxDepth: s.MaxDepth, minAccuracy: s.MinAccuracy, crawlsOnly: once || f.sim != ""}
	if l.topic, err = openTopic(topicName); err != nil {
		return nil, err
	}
	flags := crawlFlags{sim: f.sim}
	if f.record == "on" {
		flags.record = pages.Prefix(a.config.Data)
	}
	if l.web, err = a.openWeb(ctx, flags); err != nil {
		return nil, err
	}
	l.web.paced = true
	if _, err := a.blocklist(); err != nil {
		return nil, err
	}
	if f.record == "on" {
		if l.pages, err = pages.Open(a.config.Data); err != nil {
			return nil, err
		}
		a.onClose(l.pages.Close)
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

// run makes turns until there is nothing to do any more or ctx ends.
func (l *laborer) run(ctx context.Context) error {
	now := crawls
	for {
		order, done, err := l.turn(ctx, now)
		if done || err != nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		l.app.dropOldRecords(l.app.config.Data)
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
	own := l.app.child()
	d := &duty{laborer: l, app: own, task: t}
	p, err := l.plan(own, d)
	if err == nil {
		var r crawlResult
		r, err = own.runPlan(ctx, p)
		err = errors.Join(err, d.finish(ctx, err == nil && r.stats.Reason == crawler.Drained && d.worker.Over()))
		idle, idleErr := dropIdle(p.run)
		if err = errors.Join(err, idleErr); !idle && r.stats.Reason != "" {
			own.logf("%s", describeEnd(r, p))
		}
	}
	if d.worker != nil {
		order, done = d.worker.Order(), d.worker.Done()
	}
	if err = errors.Join(err, own.close()); errors.Is(err, context.Canceled) {
		l.app.logf("interrupted; the same command goes on")
	}
	return order, done, err
}

// plan is the plan of a turn.
func (l *laborer) plan(a *app, d *duty) (plan, error) {
	p := plan{
		web: l.web, strategy: a.config.Strategy, topic: l.topic, minAccuracy: l.minAccuracy,
		run: a.freeRun(crawlSuffix), state: a.config.Data, join: d.join, observer: d, figures: workerMetrics{func() *worker.Worker { return d.worker }},
		options: crawler.Options{
			BacklinkCost: a.config.BacklinkCost, Workers: a.config.Workers, MaxDepth: l.maxDepth, Free: l.web.free, Now: l.web.now,
			Blocked: a.blocks.Blocked, IgnoreDirectives: a.config.Directives == "ignore", Rel: crawler.Rel(a.config.Rel), Lists: a.config.Lists == "on",
		},
	}
	if d.task == crawls {
		if !l.crawlsOnly {
			p.options.MaxTime = crawlTurn
		}
		return p, nil
	}
	links, err := discovererOf(discovererNames()[0])
	p.run, p.strategy, p.models = a.freeRun(watchSuffix), "breadth-first", "shipped"
	p.options.MaxDepth, p.options.BacklinkCost, p.options.Lists = 0, 0, false
	p.monitor = &monitorPlan{
		plan: monitor.Plan{Policy: monitor.Policies()[0]}, links: links, fates: map[monitor.Fate]int{},
		stay:  func() bool { return d.task == visits && !d.worker.Over() },
		woken: func() <-chan struct{} { return d.worker.Changed() },
		ours:  func(url string) bool { return d.worker.Owns(url) },
	}
	return p, err
}
