package member

import (
	"context"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/cluster/worker"
)

// How a crawler transfers its results.
const (
	publishEvery = time.Second
	// farewell is how long a stopping crawler continues to publish.
	farewell = 15 * time.Second
)

// A clusterTurn is the cluster-related work of a crawler during a turn: its worker, publishing of events,
// and serving stored pages.
type clusterTurn struct {
	*Worker
	app  *app.App // of the turn
	task task

	worker        *worker.Worker
	publisher     publisher
	stop, silence context.CancelFunc // end the worker, and publishing
	ran           chan error         // result of the worker
	silent        chan struct{}      // closed when publishing during the crawl has ended
	published     chan struct{}      // closed when all publishing has ended
}

// endsTurn reports whether an order requires a different kind of turn.
func (d *clusterTurn) endsTurn(o cluster.Order) bool {
	switch d.task {
	case crawls:
		return o.Do == cluster.DoMonitor
	case visits:
		return o.Do == cluster.DoCrawl
	}
	return false
}

// joinCluster joins the cluster with the frontier of the crawl.
func (d *clusterTurn) joinCluster(ctx context.Context, s engine.State) (engine.ClusterWrapper, error) {
	d.published = make(chan struct{})
	o := worker.Options{
		Published: d.published,
		Bus:       d.bus, Name: d.name, Local: s.Frontier, Log: d.app.Logger(), Visits: d.task != crawls, Until: d.endsTurn,
		Counts: func(c *cluster.Counts) { c.Pages, c.Targets = int(d.fetched.Load()), int(d.calls.Load()) },
		Version: func(c cluster.Conf) (string, error) {
			settings, err := ReadSettings(c)
			if err != nil {
				return "", err
			}
			_, version, err := settings.Encode()
			return version, err
		},
	}
	if d.pages != nil {
		o.Page = d.pages.Page
	}
	w, err := worker.Join(ctx, o)
	if err != nil {
		return nil, VersionHint(err)
	}
	d.worker, d.ran, d.silent = w, make(chan error, 1), make(chan struct{})
	d.publisher = publisher{name: d.name, store: s.Store, publish: w.PublishEvent, warn: d.app.Logf}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	publish, silence := context.WithCancel(run)
	d.stop, d.silence = stop, silence
	d.greet.Do(func() { d.app.Logf("crawler %s has joined the cluster", d.name) })
	go func() { d.ran <- w.Run(run) }()
	go func() {
		defer close(d.silent)
		d.publishResults(publish)
	}()
	return w, nil
}

// publishResults publishes results until ctx ends.
func (d *clusterTurn) publishResults(ctx context.Context) {
	for ctx.Err() == nil {
		n, err := d.publisher.publishNext(ctx)
		if err != nil && ctx.Err() == nil {
			d.app.Logger().Warn("events wait until the cluster can be reached", "err", err)
		}
		if n == 0 || err != nil {
			engine.Wait(ctx, publishEvery)
		}
	}
}

// finishTurn ends the work after the crawl. If the whole crawl is over, the worker ends by itself after
// sending everything.
func (d *clusterTurn) finishTurn(ctx context.Context, over bool) error {
	if d.worker == nil {
		return nil
	}
	d.silence()
	<-d.silent
	d.publishAtEnd(ctx)
	close(d.published)
	var err error
	if over {
		select {
		case err = <-d.ran:
			d.ran <- err
		case <-ctx.Done():
		}
	}
	d.stop()
	return VersionHint(<-d.ran)
}

// publishAtEnd publishes for a short time.
func (d *clusterTurn) publishAtEnd(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), farewell)
	defer cancel()
	for n := 1; n > 0; {
		var err error
		if n, err = d.publisher.publishNext(ctx); err != nil {
			d.app.Logger().Warn("events wait until the next start", "err", err)
			return
		}
	}
}

// ObservePages implements crawler.Observer.
func (d *clusterTurn) ObservePages(batch []crawler.StepRecord) error {
	for _, t := range batch {
		if t.Arrival.CostsBudget() {
			d.fetched.Add(1)
		}
		if t.Verdict.Target {
			d.calls.Add(1)
		}
	}
	return nil
}
