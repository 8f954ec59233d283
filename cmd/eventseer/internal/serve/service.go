// Package serve runs the search engine as one process. It serves pages and API, turns of the crawl
// and the monitor, mail, the operator's pages, and commands of other processes on its open
// databases.
package serve

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/snapshot"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/publish"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/eventseer/search"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/eventseer/wrapper/collection"
	"github.com/eventseer/eventseer/internal/bolt"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/errgroup"
)

// A Service holds the open resources of a daemon: for the web UI, the publisher, and alternating
// turns of crawl and monitor.
type Service struct {
	Dir       string
	Store     *store.Store
	Index     *search.Index
	Monitor   *monitor.DB
	Wrappers  *collection.Set
	Console   *Console
	Scrubber  *Scrubber
	Cluster   *ClusterPanel       // nil without one
	metrics   *admin.CrawlMetrics // nil before the first turn
	Hosts     *fetch.SharedTable  // the host table, for crawls and other fetches
	Readers   *publish.Service
	Execute   executor
	Mails     bool   // mails are sent: readers can sign in by mail
	MailsTold string // description of where mails go without a server
	Warm      func(context.Context) error
	FirstPage string // the path reported at the first start, see OperatorToken
}

// ServiceStore opens the store of a service. Without crawl turns it does not create one.
func ServiceStore(a *app.App, turns bool) (*store.Store, error) {
	if turns {
		return engine.OpenStoreIn(a, a.Config.Data, false)
	}
	return engine.OpenStore(a)
}

// Options are the settings of a service.
type Options struct {
	Parts   Parts
	Turns   bool          // it crawls and monitors in turn
	Cluster *ClusterPanel // nil unless a cluster crawls for it
	Execute executor      // runs commands of other processes
}

// Open opens the data directory for all parts. Without crawl turns it creates no sources if there
// are none.
func Open(ctx context.Context, a *app.App, st *store.Store, registry *prometheus.Registry, o Options) (*Service, error) {
	dir, turns := a.Config.Data, o.Turns
	s := &Service{Dir: dir, Store: st, Cluster: o.Cluster, Execute: o.Execute, Hosts: fetch.NewSharedTable(engine.NewHostTable(a, engine.SliceDelay))}
	s.Console = &Console{App: a, Of: s, crawls: turns, crawled: engine.LastCrawl(dir)}
	var err error
	if s.Index, err = engine.OpenIndexIn(a, dir); err != nil {
		return nil, err
	}
	s.Index.UseSeries(engine.SeriesNamed(st))
	s.Monitor, err = engine.OpenMonitor(a, dir, !turns)
	if err != nil && !errors.Is(err, bolt.ErrMissing) {
		return nil, err
	}
	if s.Wrappers, err = engine.OpenWrappers(a, s.crawlState()); err != nil {
		return nil, err
	}
	s.metrics = admin.NewCrawlMetrics(registry)
	s.Scrubber = NewScrubber(a, s)
	if err := errors.Join(registry.Register(s.Console), registry.Register(s.Scrubber)); err != nil {
		return nil, err
	}
	var mails message.Mailer
	if o.Parts.Has(PartMail) {
		if mails, err = engine.NewMailer(a, ""); err != nil {
			return nil, err
		}
	}
	if err := OpenPublisher(ctx, a, s, mails); err != nil {
		return nil, err
	}
	return s, registry.Register(readerMetrics{Service: s.Readers})
}

// ServeOperator serves the operator at the socket of the data directory, and runs commands of
// other processes, until stop is called.
func ServeOperator(ctx context.Context, a *app.App, s *Service, registry *prometheus.Registry) (stop func(), err error) {
	site, commands := serviceSite(a, s, registry), NewCommands(a, s, s.Execute)
	site.Command = commands
	silence, err := admin.ServeAdmin(ctx, a, s.Dir, site)
	return func() { silence(); commands.Close() }, err
}

// serviceSite returns the service's interface at its socket.
func serviceSite(a *app.App, s *Service, registry *prometheus.Registry) admin.AdminSite {
	site := admin.AdminSite{
		Metrics: registry, Healthy: func() error { return errors.Join(s.partErrors(), s.Scrubber.LastDamage()) }, Backup: snapshot.BackupHandler(a, s.openDatabases),
		Status: func(ctx context.Context, top int) (any, error) { return s.Console.crawlStatus(ctx, top) },
		Why:    func(ctx context.Context, url string) (any, error) { return s.Console.urlStory(ctx, url) },
	}
	if s.Cluster != nil {
		site.Why, site.Status = nil, s.Cluster.Status
	}
	return site
}

// partErrors returns the errors of the parts. Damage is not included, because a restart by a watchdog
// would not repair it.
func (s *Service) partErrors() error {
	return errors.Join(s.Console.lastTurnError(), s.Readers.LastPassError())
}

// openDatabases returns all open databases, for a backup.
func (s *Service) openDatabases() (open map[string]bolt.Source, release func()) {
	open = s.crawlState().Sources()
	open[app.PublishFile] = s.Readers.Database()
	i, done, err := s.Console.openInspector()
	if err != nil { // nothing was ever crawled, or a turn is just beginning: the backup opens the existing files
		return open, func() {}
	}
	open[app.FrontierFile], open[app.LinksFile] = i.Frontier.Database(), i.Links.Database()
	return open, func() { _ = done() } // nothing was written, so nothing can be lost
}

// crawlState returns the open databases for a crawl.
func (s *Service) crawlState() engine.State {
	return engine.State{Dir: s.Dir, Store: s.Store, Monitor: s.Monitor, Wrappers: s.Wrappers, Hosts: s.Hosts}
}

// Host returns the resources that the runs of turns use.
func (s *Service) Host() *engine.RunHost {
	return &engine.RunHost{State: s.crawlState(), Gate: &s.Console.gate, Metrics: s.metrics, Observer: s.Console, Attach: s.Console.Attach}
}

// Run does the work common to all services, and runs more concurrently, until ctx ends.
func Run(ctx context.Context, a *app.App, s *Service, registry *prometheus.Registry, p Parts, handler http.Handler, more ...func(context.Context) error) error {
	silence, err := ServeOperator(ctx, a, s, registry)
	if err != nil {
		return err
	}
	defer silence()
	notifySystemd(a, "EXTEND_TIMEOUT_USEC="+strconv.FormatInt(indexTime.Microseconds(), 10))
	if err := search.Sync(ctx, s.Store, s.Index); err != nil {
		return err
	}
	snapshot.RemoveLeftovers(a, s.Dir)
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return updateIndex(ctx, a, s, s.Readers.Wake) })
	group.Go(func() error { return warmPageCache(ctx, a, s) })
	group.Go(func() error { return s.Readers.Run(ctx) })
	group.Go(func() error { return s.Readers.RunArticles(ctx) })
	group.Go(func() error { return s.Scrubber.Run(ctx) })
	group.Go(func() error { return notifyWatchdog(ctx, a, s.partErrors) })
	if p.Has(PartWeb) {
		group.Go(func() error { return ServeHTTPUntilDone(ctx, a, handler, a.Config.Listen, "/", s.FirstPage) })
	}
	for _, run := range more {
		group.Go(func() error { return run(ctx) })
	}
	return group.Wait()
}

// The parts of a service.
const (
	PartWeb     = "web"
	PartCrawl   = "crawl"
	PartMonitor = "monitor"
	PartMail    = "mail"
)

// Parts selects the parts of a service.
type Parts []string

// Has reports whether a part is among them.
func (p Parts) Has(part string) bool { return slices.Contains(p, part) }

// PartsOf reads --parts.
func PartsOf(text string) (Parts, error) {
	var p Parts
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		if !slices.Contains([]string{PartWeb, PartCrawl, PartMonitor, PartMail}, part) {
			return nil, app.Usagef("--parts: %q is not one of web, crawl, monitor, mail", part)
		}
		p = append(p, part)
	}
	return p, nil
}

// WithoutUnavailable removes the parts whose requirements are missing, and reports those.
func WithoutUnavailable(a *app.App, p Parts) Parts {
	lacks := map[string]string{}
	if a.Config.Contact == "" {
		lacks[PartCrawl] = "no contact is set; `eventseer init --contact MAIL` sets one"
		lacks[PartMonitor] = lacks[PartCrawl]
	}
	if !engine.SendsMail(a) {
		lacks[PartMail] = "no smtp-server is set"
	}
	return slices.DeleteFunc(p, func(part string) bool {
		why, off := lacks[part]
		if off {
			a.Logf("%s is off: %s", part, why)
		}
		return off
	})
}

const (
	// indexPause is the delay before a new call can be found by a search.
	indexPause = time.Second
	indexShare = 10 // the maximum share of time for indexing is one over this number
	// indexTime is how long systemd waits while an index is rebuilt: for 100,000 events it takes
	// half a minute.
	indexTime = 15 * time.Minute
)

// IndexRevision returns the number of the newest change in the search index, 0 if there is none.
func IndexRevision(ctx context.Context, st eventseer.Store) uint64 {
	seq, err := st.ReaderPosition(ctx, search.Reader)
	if err != nil {
		return 0
	}
	return seq
}

// updateIndex updates the search index from the store, and calls changed after each update, until ctx
// ends.
func updateIndex(ctx context.Context, a *app.App, s *Service, changed func()) error {
	known := IndexRevision(ctx, s.Store)
	for ctx.Err() == nil {
		began := time.Now()
		if err := search.Sync(ctx, s.Store, s.Index); err != nil && ctx.Err() == nil {
			a.Logger().Error("the search index is not up to date", "err", err)
		}
		if now := IndexRevision(ctx, s.Store); now != known { // by this loop or a command of another process
			known = now
			changed()
		}
		engine.Wait(ctx, max(indexPause, (indexShare-1)*time.Since(began)))
	}
	return nil
}

// warmPageCache reads the data that the first visitors would wait for.
func warmPageCache(ctx context.Context, a *app.App, s *Service) error {
	if s.Warm == nil {
		return nil
	}
	if err := s.Warm(ctx); err != nil && ctx.Err() == nil {
		a.Logger().Warn("not all suggestions could be read", "err", err)
	}
	return nil
}
