package main

import (
	"context"
	"errors"

	"eventseer/cmd/eventseer/internal/admin"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/cmd/eventseer/internal/snapshot"
	"eventseer/crawler/monitor"
	"eventseer/eventseer/publish"
	"eventseer/eventseer/publish/message"
	"eventseer/eventseer/search"
	"eventseer/eventseer/store"
	"eventseer/eventseer/wrapper/collection"
	"eventseer/internal/bolt"

	"github.com/prometheus/client_golang/prometheus"
)

// A service is what a daemon keeps open for its parts: the web UI, the publisher, and
// the crawls and passes of the monitor that it makes in turn.
type service struct {
	dir       string
	store     *store.Store
	index     *search.Index
	monitor   *monitor.DB
	wrappers  *collection.Set
	console   *console
	cluster   *clusterDesk        // nil without one
	metrics   *admin.CrawlMetrics // nil before the first turn
	readers   *publish.Service
	mails     bool   // letters go out: readers can sign in by mail
	mailsTold string // where mails go that no server sends, in words
	warm      func(context.Context) error
}

// serviceStore opens the store of a service. Without turns of a crawl it makes none.
func serviceStore(a *app.App, turns bool) (*store.Store, error) {
	if turns {
		return engine.OpenStoreIn(a, a.Config.Data, store.Options{Now: a.Now})
	}
	return engine.OpenStore(a)
}

// serviceOptions say what a service does.
type serviceOptions struct {
	parts   parts
	turns   bool         // it crawls or monitors in turn
	cluster *clusterDesk // nil without a cluster that crawls for it
}

// openService opens the data directory for all parts. Without turns of a crawl it makes
// no sources where there are none.
func openService(ctx context.Context, a *app.App, st *store.Store, registry *prometheus.Registry, o serviceOptions) (*service, error) {
	dir, turns := a.Config.Data, o.turns
	s := &service{dir: dir, store: st, cluster: o.cluster}
	s.console = &console{app: a, of: s, crawls: turns, crawled: engine.LastCrawl(dir)}
	var err error
	if s.index, err = engine.OpenIndexIn(a, dir); err != nil {
		return nil, err
	}
	s.monitor, err = engine.OpenMonitorWith(a, dir, monitor.Options{MustExist: !turns, Software: engine.UserAgent(), Now: a.Now})
	if err != nil && !errors.Is(err, bolt.ErrMissing) {
		return nil, err
	}
	if s.wrappers, err = engine.OpenWrappers(a, s.state()); err != nil {
		return nil, err
	}
	s.metrics = admin.NewCrawlMetrics(registry)
	if err := registry.Register(s.console); err != nil {
		return nil, err
	}
	var mails message.Mailer
	if o.parts.has(partMail) {
		if mails, err = engine.NewMailer(a, ""); err != nil {
			return nil, err
		}
	}
	if err := openPublisher(ctx, a, s, mails); err != nil {
		return nil, err
	}
	return s, registry.Register(readerMetrics{s.readers})
}

// answerOperator answers at the socket of the data directory, and runs the verbs of other
// processes there, until stop is called.
func answerOperator(ctx context.Context, a *app.App, s *service, registry *prometheus.Registry) (stop func(), err error) {
	site, rooms := serviceSite(a, s, registry), newGuestRooms(a, s)
	site.Verbs = rooms
	silence, err := admin.ServeAdmin(ctx, a, s.dir, site)
	return func() { silence(); rooms.close() }, err
}

// serviceSite is what the service answers at its socket.
func serviceSite(a *app.App, s *service, registry *prometheus.Registry) admin.AdminSite {
	site := admin.AdminSite{
		Metrics: registry, Healthy: s.healthy, Backup: snapshot.BackupHandler(a, s.databases),
		Status: func(ctx context.Context, top int) (any, error) { return s.console.status(ctx, top) },
		Why:    s.console.why,
	}
	if s.cluster != nil {
		site.Why, site.Status = nil, s.cluster.status
	}
	return site
}

// healthy returns what is wrong with one of the parts.
func (s *service) healthy() error { return errors.Join(s.console.healthy(), s.readers.Health()) }

// databases are all those that are open, for a backup.
func (s *service) databases() (open map[string]bolt.Source, release func()) {
	open = s.state().Sources()
	open[app.PublishFile] = s.readers.Database()
	i, done, err := s.console.hold()
	if err != nil { // nothing was ever crawled, or a turn begins just now: the backup opens what there is
		return open, func() {}
	}
	open[app.FrontierFile], open[app.LinksFile] = i.Frontier.Database(), i.Links.Database()
	return open, func() { _ = done() } // what was only read loses nothing
}

// state is what a crawl finds open.
func (s *service) state() engine.State {
	return engine.State{Dir: s.dir, Store: s.store, Monitor: s.monitor, Wrappers: s.wrappers}
}

// host is what the runs of the service's turns use of it.
func (s *service) host() *engine.RunHost {
	return &engine.RunHost{State: s.state(), Gate: &s.console.gate, Metrics: s.metrics, Observer: s.console, Attach: s.console.attach}
}
