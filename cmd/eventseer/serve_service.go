package main

import (
	"context"
	"errors"

	"eventseer/crawler"
	"eventseer/crawler/monitor"
	"eventseer/eventseer/publish"
	"eventseer/eventseer/publish/message"
	"eventseer/eventseer/search"
	"eventseer/eventseer/store"
	"eventseer/eventseer/wrapper"
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
	wrappers  *wrapper.Set
	console   *console
	cluster   *clusterDesk  // nil without one
	metrics   *crawlMetrics // nil before the first turn
	readers   *publish.Service
	mails     bool   // letters go out: readers can sign in by mail
	mailsTold string // where mails go that no server sends, in words
	warm      func(context.Context) error
}

// serviceStore opens the store of a service. Without turns of a crawl it makes none.
func (a *app) serviceStore(turns bool) (*store.Store, error) {
	if turns {
		return a.openStoreIn(a.config.Data, store.Options{Now: a.now})
	}
	return a.openStore()
}

// serviceOptions say what a service does.
type serviceOptions struct {
	parts   parts
	turns   bool         // it crawls or monitors in turn
	cluster *clusterDesk // nil without a cluster that crawls for it
}

// openService opens the data directory for all parts. Without turns of a crawl it makes
// no sources where there are none.
func (a *app) openService(ctx context.Context, st *store.Store, registry *prometheus.Registry, o serviceOptions) (*service, error) {
	dir, turns := a.config.Data, o.turns
	s := &service{dir: dir, store: st, cluster: o.cluster}
	s.console = &console{app: a, of: s, crawls: turns, crawled: lastCrawl(dir)}
	var err error
	if s.index, err = a.openIndexIn(dir); err != nil {
		return nil, err
	}
	s.monitor, err = a.openMonitorWith(dir, monitor.Options{MustExist: !turns, Software: userAgent(), Now: a.now})
	if err != nil && !errors.Is(err, bolt.ErrMissing) {
		return nil, err
	}
	if s.wrappers, err = a.openWrappers(s.state()); err != nil {
		return nil, err
	}
	s.metrics = newCrawlMetrics(registry)
	if err := registry.Register(s.console); err != nil {
		return nil, err
	}
	var mails message.Mailer
	if o.parts.has(partMail) {
		if mails, err = a.newMailer(""); err != nil {
			return nil, err
		}
	}
	if err := a.openPublisher(ctx, s, mails); err != nil {
		return nil, err
	}
	return s, registry.Register(readerMetrics{s.readers})
}

// answerOperator answers at the socket of the data directory, and runs the verbs of other
// processes there, until stop is called.
func (a *app) answerOperator(ctx context.Context, s *service, registry *prometheus.Registry) (stop func(), err error) {
	site, rooms := a.serviceSite(s, registry), a.newGuestRooms(s)
	site.verbs = rooms
	silence, err := a.serveAdmin(ctx, s.dir, site)
	return func() { silence(); rooms.close() }, err
}

// serviceSite is what the service answers at its socket.
func (a *app) serviceSite(s *service, registry *prometheus.Registry) adminSite {
	site := adminSite{
		metrics: registry, healthy: s.healthy, backup: a.backupHandler(s.databases),
		status: func(ctx context.Context, top int) (any, error) { return s.console.status(ctx, top) },
		why:    s.console.why,
	}
	if s.cluster != nil {
		site.why, site.status = nil, s.cluster.status
	}
	return site
}

// healthy returns what is wrong with one of the parts.
func (s *service) healthy() error { return errors.Join(s.console.healthy(), s.readers.Health()) }

// databases are all those that are open, for a backup.
func (s *service) databases() (open map[string]bolt.Source, release func()) {
	open = s.state().sources()
	open[publishFile] = s.readers.Database()
	i, done, err := s.console.hold()
	if err != nil { // nothing was ever crawled, or a turn begins just now: the backup opens what there is
		return open, func() {}
	}
	open[frontierFile], open[linksFile] = i.frontier.Database(), i.links.Database()
	return open, func() { _ = done() } // what was only read loses nothing
}

// state is what a crawl finds open.
func (s *service) state() state {
	return state{dir: s.dir, store: s.store, monitor: s.monitor, wrappers: s.wrappers}
}

// crawlMetrics are those of all turns, or new ones of a crawl that is no turn.
func (s *service) crawlMetrics(r *prometheus.Registry) *crawlMetrics {
	if s == nil {
		return newCrawlMetrics(r)
	}
	return s.metrics
}

// witness is told what every turn fetches.
func (s *service) witness() crawler.Observer {
	if s == nil {
		return observers{}
	}
	return s.console
}
