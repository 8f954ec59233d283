package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"eventseer/crawler"
	"eventseer/crawler/backlink"
	"eventseer/crawler/fetch"
	"eventseer/crawler/frontier"
	"eventseer/crawler/monitor"
	"eventseer/datasets"
	"eventseer/eventseer"
	"eventseer/eventseer/clip"
	"eventseer/eventseer/extract"
	"eventseer/eventseer/search"
	"eventseer/eventseer/store"
	"eventseer/eventseer/wrapper"
	"eventseer/internal/bolt"
)

// The files of a data directory.
const (
	frontierFile = "frontier.db"
	linksFile    = "links.db"
	storeFile    = "store.db"
	indexDir     = "index.bleve"
)

// dataDir returns the data directory, which must exist.
func (a *app) dataDir() (string, error) {
	info, err := os.Stat(a.config.Data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w at %s; `eventseer init` or `eventseer crawl` makes one, --data names another", errNoData, a.config.Data)
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", fmt.Errorf("%w: %s is a file", errNoData, a.config.Data)
	}
	return a.config.Data, nil
}

// openStore opens the store of the data directory, which must exist.
func (a *app) openStore() (*store.Store, error) {
	dir, err := a.dataDir()
	if err != nil {
		return nil, err
	}
	st, err := a.openStoreIn(dir, store.Options{MustExist: true, Now: a.now})
	if errors.Is(err, bolt.ErrMissing) {
		err = fmt.Errorf("%w; `eventseer crawl` makes it", err)
	}
	return st, err
}

func (a *app) openStoreIn(dir string, o store.Options) (*store.Store, error) {
	if a.guest != nil {
		return a.guest.of.store, nil
	}
	if err := a.beside(dir); err != nil {
		return nil, err
	}
	o.Log = a.logger()
	st, err := store.Open(filepath.Join(dir, storeFile), o)
	if err != nil {
		return nil, err
	}
	a.onClose(st.Close)
	return st, nil
}

// openIndex opens the search index beside the store and brings it up to date.
func (a *app) openIndex(ctx context.Context, dir string, st *store.Store) (*search.Index, error) {
	index, err := a.openIndexIn(dir)
	if err != nil {
		return nil, err
	}
	return index, search.Sync(ctx, st, index)
}

// openIndexIn opens the search index of a data directory as it is.
func (a *app) openIndexIn(dir string) (*search.Index, error) {
	if a.guest != nil {
		return a.guest.of.index, nil
	}
	index, err := search.Open(filepath.Join(dir, indexDir), search.Options{Log: a.logger(), Now: a.now, People: a.config.People})
	if err != nil {
		return nil, err
	}
	a.onClose(index.Close)
	return index, nil
}

// openEvents opens the store of the data directory with its search index.
func (a *app) openEvents(ctx context.Context) (*store.Store, *search.Index, error) {
	st, err := a.openStore()
	if err != nil {
		return nil, nil, err
	}
	index, err := a.openIndex(ctx, a.config.Data, st)
	return st, index, err
}

// newExtractor returns the extractor every command uses.
func (a *app) newExtractor() eventseer.Extractor {
	cities, err := datasets.Cities()
	if err != nil {
		a.logger().Warn("places named without their country may be missed", "err", err)
	}
	return extract.New(extract.Options{Now: a.now, Cities: citiesOf(cities)})
}

// liveFetcher returns a fetcher of the real web. wrap may add a recorder.
func (a *app) liveFetcher(wrap func(http.RoundTripper) http.RoundTripper) (*fetch.Fetcher, error) {
	blocks, err := a.blocklist()
	if err != nil {
		return nil, err
	}
	return fetch.New(fetch.Options{
		Wrap: blocks.guard(wrap), UserAgent: userAgent(), Contact: a.config.Contact, StrictRobots: a.strictRobots(),
		AllowPrivate: a.config.AllowPrivate, Now: a.now, Log: a.logger(),
	})
}

func (a *app) strictRobots() bool { return a.config.Robots == "strict" }

func userAgent() string { return "EventSeer/" + version }

// politeness is how a frontier treats its hosts; in a frozen web there is nobody
// to wait for.
func (a *app) politeness(frozen bool) frontier.Options {
	c := a.config
	o := frontier.Options{PerHost: c.PerHost, PerDomain: c.PerDomain, PerDepth: c.PerDepth}
	if frozen {
		o.NoWait, o.NoSync, o.MaxTries = true, true, 1
		return o
	}
	o.HostDelay, o.MaxPause, o.DelayFactor = time.Duration(c.HostDelay), time.Duration(c.MaxCrawlDelay), c.DelayFactor
	o.Group = map[string]frontier.Group{"host": frontier.ByHost, "domain": frontier.ByDomain, "address": frontier.ByAddress}[c.Politeness]
	o.Workers = c.Workers
	return o
}

// state is the open data directory of a crawl.
type state struct {
	dir      string
	frontier *frontier.Frontier
	links    *backlink.LinkDB
	store    *store.Store
	monitor  *monitor.DB        // nil in a replay
	wrappers *wrapper.Set       // nil where nobody has them open yet
	hosts    *fetch.SharedTable // of a service; nil without one
}

// openState opens or makes the data directory of a crawl, but for what a service has
// open.
func (a *app) openState(dir string, politeness frontier.Options, of *service) (state, error) {
	s := state{dir: dir}
	var err error
	if of != nil {
		s = of.state()
		of.console.gate.Lock()
		defer of.console.gate.Unlock()
	}
	politeness.Now = a.now
	if s.frontier, err = frontier.Open(filepath.Join(dir, frontierFile), politeness); err != nil {
		return s, err
	}
	a.onClose(s.frontier.Close)
	if s.hosts != nil {
		s.hosts.Use(s.frontier)
		a.onClose(func() error { s.hosts.Use(nil); return nil })
	}
	if s.links, err = backlink.OpenLinkDB(filepath.Join(dir, linksFile), backlink.Options{NoSync: politeness.NoSync}); err != nil {
		return s, err
	}
	a.onClose(s.links.Close)
	if s.store == nil {
		s.store, err = a.openStoreIn(dir, store.Options{Now: a.now})
	}
	return s, err
}

// newIngester returns the sink that reads relevant pages into the store.
func (a *app) newIngester(s state, x eventseer.Extractor) (crawler.Sink, error) {
	clipper, err := clip.New(clip.Options{MaxSummary: eventseer.MaxSnippet})
	if err != nil {
		return nil, err
	}
	wrapped, err := a.newWrapped(s, x)
	if err != nil {
		return nil, err
	}
	return eventseer.NewIngester(eventseer.IngestOptions{
		Extractor: x, Store: s.store, Clipper: clipper, Wrapped: wrapped, Previous: s.previous, Now: a.now,
	}), nil
}

// citiesOf is what an extractor asks a gazetteer; nil of none.
func citiesOf(g *datasets.Gazetteer) func(string) []extract.City {
	if g == nil {
		return nil
	}
	return func(name string) []extract.City {
		var out []extract.City
		for _, c := range g.Lookup(name) {
			out = append(out, extract.City(c))
		}
		return out
	}
}
