package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/crawler/frontier/hosts"
	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/crawler/render"
	"github.com/eventseer/eventseer/datasets"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/clip"
	"github.com/eventseer/eventseer/eventseer/extract"
	"github.com/eventseer/eventseer/eventseer/ingest"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/eventseer/search"
	"github.com/eventseer/eventseer/eventseer/series"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/eventseer/wrapper/collection"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/webgraph"
)

// Open returns a database of a data directory that the process already has open. Otherwise it opens
// it until the command ends, unless another process must run the command.
func Open[DB interface {
	comparable
	Close() error
}](a *app.App, dir string, already DB, open func() (DB, error)) (DB, error) {
	var none DB
	if already != none {
		return already, nil
	}
	if err := admin.CheckServed(a, dir); err != nil {
		return none, err
	}
	db, err := open()
	if err != nil {
		return none, err
	}
	a.OnClose(db.Close)
	return db, nil
}

// OpenStore opens the store of the data directory, which must exist.
func OpenStore(a *app.App) (*store.Store, error) {
	dir, err := app.DataDir(a)
	if err != nil {
		return nil, err
	}
	st, err := OpenStoreIn(a, dir, true)
	if errors.Is(err, bolt.ErrMissing) {
		err = fmt.Errorf("%w; %s", err, app.NextOfEmpty(dir))
	}
	return st, err
}

// OpenStoreIn opens the store of a directory. It creates it if it does not exist, unless mustExist is
// set.
func OpenStoreIn(a *app.App, dir string, mustExist bool) (*store.Store, error) {
	pairs, err := match.OpenPairs(filepath.Join(dir, app.ModelsDir))
	if err != nil {
		return nil, err
	}
	o := store.Options{MustExist: mustExist, Now: a.Now, Log: a.Logger(), IsEdition: IsEdition, Pairs: pairs}
	return Open(a, dir, a.Open.Store, func() (*store.Store, error) { return store.OpenOrRead(filepath.Join(dir, app.StoreFile), o) })
}

// OpenIndex opens the search index of the store and updates it.
func OpenIndex(ctx context.Context, a *app.App, dir string, st *store.Store) (*search.Index, error) {
	index, err := OpenIndexIn(a, dir)
	if err != nil {
		return nil, err
	}
	index.UseSeries(SeriesNamed(st))
	return index, search.Sync(ctx, st, index)
}

// SeriesNamed returns a function that finds series by acronym or name in the store's table, or if
// that cannot be read, in the shipped one.
func SeriesNamed(st *store.Store) func(words string) []string {
	return func(words string) []string {
		table, err := st.Table(context.Background())
		if err != nil {
			table = series.Shipped()
		}
		return table.Named(words)
	}
}

// OpenIndexIn opens the search index of a data directory and does not update it.
func OpenIndexIn(a *app.App, dir string) (*search.Index, error) {
	return Open(a, dir, a.Open.Index, func() (*search.Index, error) { return app.OpenIndex(a, dir) })
}

// OpenEvents opens the store of the data directory with its search index.
func OpenEvents(ctx context.Context, a *app.App) (*store.Store, *search.Index, error) {
	st, err := OpenStore(a)
	if err != nil {
		return nil, nil, err
	}
	index, err := OpenIndex(ctx, a, a.Config.Data, st)
	return st, index, err
}

// NewExtractor returns the extractor every command uses, with the models of a set.
func NewExtractor(a *app.App, models judges.Set) eventseer.Extractor {
	cities, err := datasets.Cities()
	if err != nil {
		a.Logger().Warn("places named without their country may be missed", "err", err)
	}
	o := extract.Options{Now: a.Now, Models: models.RecordModels()}
	if cities != nil {
		o.Cities = func(name string) (found []extract.City) {
			for _, c := range cities.Lookup(name) {
				found = append(found, extract.City(c))
			}
			return found
		}
	}
	return extract.New(o)
}

// LiveFetcher returns a fetcher of the real web. wrap may add a recorder.
func LiveFetcher(a *app.App, wrap func(http.RoundTripper) http.RoundTripper) (*fetch.Fetcher, error) {
	blocks, err := a.Blocklist()
	if err != nil {
		return nil, err
	}
	return fetch.New(fetch.Options{
		Wrap: blocks.GuardTransport(wrap), UserAgent: UserAgent(), Contact: a.Config.Contact, StrictRobots: StrictRobots(a),
		AllowPrivate: a.Config.AllowPrivate, Now: a.Now, Log: a.Logger(),
	})
}

// StrictRobots reports whether robots.txt is interpreted strictly by RFC 9309.
func StrictRobots(a *app.App) bool { return a.Config.Robots == "strict" }

// UserAgent returns the name and version that requests send.
func UserAgent() string { return "EventSeer/" + app.Version }

// endsPerWrite is how many steps of a replay share a transaction: fewer than a second's. A replay
// that is killed repeats them.
const endsPerWrite = 64

// politenessOptions returns the frontier options; a frozen web has no servers to wait for.
func politenessOptions(a *app.App, frozen bool) frontier.Options {
	c := a.Config
	o := frontier.Options{PerHost: c.PerHost, PerDomain: c.PerDomain, PerDepth: c.PerDepth}
	if frozen {
		o.NoWait, o.NoSync, o.MaxTries, o.EndsPerWrite = true, true, 1, endsPerWrite
		return o
	}
	o.HostDelay, o.MaxPause, o.DelayFactor = time.Duration(c.HostDelay), time.Duration(c.MaxCrawlDelay), c.DelayFactor
	o.Group = map[string]frontier.Group{"host": frontier.ByHost, "domain": frontier.ByDomain, "address": frontier.ByAddress}[c.Politeness]
	o.Workers = c.Workers
	return o
}

// State is the open data directory of a crawl.
type State struct {
	Dir      string
	Frontier *frontier.Frontier
	Links    *backlink.LinkDB
	Store    *store.Store
	Monitor  *monitor.DB        // nil in a replay
	Wrappers *collection.Set    // nil if they are not open yet
	Hosts    *fetch.SharedTable // of a service; nil without one
}

// OpenState opens or creates the data directory of a crawl, except what a service has open.
func OpenState(a *app.App, dir string, politeness frontier.Options, host *RunHost) (State, error) {
	s := State{Dir: dir}
	var err error
	if host != nil {
		s = host.State
		host.Gate.Lock()
		defer host.Gate.Unlock()
	}
	politeness.Now = a.Now
	if s.Frontier, err = frontier.Open(filepath.Join(dir, app.FrontierFile), politeness); err != nil {
		return s, err
	}
	a.OnClose(s.Frontier.Close)
	if s.Hosts != nil {
		s.Hosts.SetRunning(s.Frontier)
		a.OnClose(func() error { s.Hosts.SetRunning(nil); return nil })
	}
	if s.Links, err = backlink.OpenLinkDB(filepath.Join(dir, app.LinksFile), backlink.Options{NoSync: politeness.NoSync}); err != nil {
		return s, err
	}
	a.OnClose(s.Links.Close)
	if s.Store == nil {
		s.Store, err = OpenStoreIn(a, dir, false)
	}
	return s, err
}

// newIngester returns the sink that reads relevant pages into the store.
func newIngester(a *app.App, s State, x eventseer.Extractor) (crawler.Sink, error) {
	clipper, err := clip.New(clip.Options{MaxSummary: eventseer.MaxSnippet})
	if err != nil {
		return nil, err
	}
	wrapped, err := newWrapped(a, s, x)
	if err != nil {
		return nil, err
	}
	in := ingest.New(ingest.Options{
		Extractor: x, Store: s.Store, Clipper: clipper, Wrapped: wrapped, Previous: s.previousMessage, Before: s.Frontier.Flush, Now: a.Now,
	})
	return messageSink{in, x}, nil
}

// Sources returns the databases of a state by their names, for a backup.
func (s State) Sources() map[string]bolt.Source {
	open := map[string]bolt.Source{}
	if s.Frontier != nil {
		open[app.FrontierFile] = s.Frontier.Database()
	}
	if s.Links != nil {
		open[app.LinksFile] = s.Links.Database()
	}
	if s.Store != nil {
		open[app.StoreFile] = s.Store.Database()
	}
	if s.Monitor != nil {
		open[monitor.File] = s.Monitor.Database()
	}
	return open
}

// SliceDelay is the default delay between two pages of a host for slices. A user waits up to ten
// seconds for a slice, and most of its links lead to one host. While a crawl runs in the same
// service, its host delay applies.
const SliceDelay = 200 * time.Millisecond

// NewHostTable returns the host table for fetches without a crawl; a delay of 0 means SliceDelay.
// It uses the real time, whatever the clock of the program.
func NewHostTable(a *app.App, delay time.Duration) *hosts.Table {
	return hosts.NewTable(hosts.Options{HostDelay: cmp.Or(delay, SliceDelay), MaxPause: time.Duration(a.Config.MaxCrawlDelay)}, nil)
}

// NewPaced returns a fetcher that obeys host delays outside a crawl.
func NewPaced(a *app.App, web fetch.PacingFetcher, delay time.Duration) crawler.Fetcher {
	return fetch.NewPaced(web, NewHostTable(a, delay))
}

// withRenderer wraps a fetcher with the renderer if configured. pause is the delay between two files
// from a page's host.
func withRenderer(a *app.App, f *fetch.Fetcher, pause time.Duration) (crawler.Fetcher, error) {
	if a.Config.Render == "off" {
		return f, nil
	}
	r, err := render.New(render.Options{
		Fetcher: f, Loader: f, NoSandbox: a.Config.Render == "unsandboxed", Pause: pause, Log: a.Logger(),
	})
	if err != nil {
		return nil, fmt.Errorf("--render: %w", err)
	}
	a.OnClose(r.Close)
	return r, nil
}

// newWrapped returns the reader of pages by wrappers, which also trains them, in a live crawl. It
// returns nil in a replay, which does not use wrappers.
func newWrapped(a *app.App, s State, x eventseer.Extractor) (ingest.WrapperReader, error) {
	if s.Monitor == nil {
		return nil, nil
	}
	_, notices := WrapperFiles(s.Dir)
	set := s.Wrappers
	if set == nil {
		var err error
		if set, err = OpenWrappers(a, s); err != nil {
			return nil, err
		}
	}
	return collection.NewReader(collection.ReaderOptions{
		Set: set, Extractor: x, Known: s.Store.EventOf, Notices: collection.NewNoticeLog(notices), Now: a.Now,
	}), nil
}

// OpenWrappers opens the wrappers of a state, which are relearned from its stored versions of
// pages.
func OpenWrappers(a *app.App, s State) (*collection.Set, error) {
	dir, _ := WrapperFiles(s.Dir)
	return collection.OpenSet(dir, collection.SetOptions{
		Archive: Archive{s}, Warn: func(err error) { a.Logger().Warn("wrapper", "err", err) },
	})
}

// Archive provides the versions of pages stored by the monitor.
type Archive struct{ State }

// LastVersion returns the stored version of a page, nil if there is none.
func (s Archive) LastVersion(url string) (*webgraph.Page, error) { return s.previousVersion(url) }

// WrapperFiles returns the paths of a data directory's wrappers and their notices.
func WrapperFiles(dir string) (set, notices string) {
	return filepath.Join(dir, "wrappers"), filepath.Join(dir, "wrappers", "notices.jsonl")
}
