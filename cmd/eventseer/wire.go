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

	"eventseer/cmd/eventseer/internal/app"
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
func dataDir(a *app.App) (string, error) {
	info, err := os.Stat(a.Config.Data)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("%w at %s; `eventseer init` or `eventseer crawl` makes one, --data names another", app.ErrNoData, a.Config.Data)
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", fmt.Errorf("%w: %s is a file", app.ErrNoData, a.Config.Data)
	}
	return a.Config.Data, nil
}

// openStore opens the store of the data directory, which must exist.
func openStore(a *app.App) (*store.Store, error) {
	dir, err := dataDir(a)
	if err != nil {
		return nil, err
	}
	st, err := openStoreIn(a, dir, store.Options{MustExist: true, Now: a.Now})
	if errors.Is(err, bolt.ErrMissing) {
		err = fmt.Errorf("%w; `eventseer crawl` makes it", err)
	}
	return st, err
}

func openStoreIn(a *app.App, dir string, o store.Options) (*store.Store, error) {
	if a.Session != nil {
		return a.Session.Store, nil
	}
	if err := runsBeside(a, dir); err != nil {
		return nil, err
	}
	o.Log = a.Logger()
	st, err := store.Open(filepath.Join(dir, storeFile), o)
	if err != nil {
		return nil, err
	}
	a.OnClose(st.Close)
	return st, nil
}

// openIndex opens the search index beside the store and brings it up to date.
func openIndex(ctx context.Context, a *app.App, dir string, st *store.Store) (*search.Index, error) {
	index, err := openIndexIn(a, dir)
	if err != nil {
		return nil, err
	}
	return index, search.Sync(ctx, st, index)
}

// openIndexIn opens the search index of a data directory as it is.
func openIndexIn(a *app.App, dir string) (*search.Index, error) {
	if a.Session != nil {
		return a.Session.Index, nil
	}
	index, err := search.Open(filepath.Join(dir, indexDir), search.Options{Log: a.Logger(), Now: a.Now, People: a.Config.People})
	if err != nil {
		return nil, err
	}
	a.OnClose(index.Close)
	return index, nil
}

// openEvents opens the store of the data directory with its search index.
func openEvents(ctx context.Context, a *app.App) (*store.Store, *search.Index, error) {
	st, err := openStore(a)
	if err != nil {
		return nil, nil, err
	}
	index, err := openIndex(ctx, a, a.Config.Data, st)
	return st, index, err
}

// newExtractor returns the extractor every command uses.
func newExtractor(a *app.App) eventseer.Extractor {
	cities, err := datasets.Cities()
	if err != nil {
		a.Logger().Warn("places named without their country may be missed", "err", err)
	}
	return extract.New(extract.Options{Now: a.Now, Cities: citiesOf(cities)})
}

// liveFetcher returns a fetcher of the real web. wrap may add a recorder.
func liveFetcher(a *app.App, wrap func(http.RoundTripper) http.RoundTripper) (*fetch.Fetcher, error) {
	blocks, err := a.Blocklist()
	if err != nil {
		return nil, err
	}
	return fetch.New(fetch.Options{
		Wrap: blocks.Guard(wrap), UserAgent: userAgent(), Contact: a.Config.Contact, StrictRobots: strictRobots(a),
		AllowPrivate: a.Config.AllowPrivate, Now: a.Now, Log: a.Logger(),
	})
}

func strictRobots(a *app.App) bool { return a.Config.Robots == "strict" }

func userAgent() string { return "EventSeer/" + app.Version }

// politeness is how a frontier treats its hosts; in a frozen web there is nobody
// to wait for.
func politeness(a *app.App, frozen bool) frontier.Options {
	c := a.Config
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
	monitor  *monitor.DB  // nil in a replay
	wrappers *wrapper.Set // nil where nobody has them open yet
}

// openState opens or makes the data directory of a crawl, but for what a service has
// open.
func openState(a *app.App, dir string, politeness frontier.Options, host *runHost) (state, error) {
	s := state{dir: dir}
	var err error
	if host != nil {
		s = host.state
		host.gate.Lock()
		defer host.gate.Unlock()
	}
	politeness.Now = a.Now
	if s.frontier, err = frontier.Open(filepath.Join(dir, frontierFile), politeness); err != nil {
		return s, err
	}
	a.OnClose(s.frontier.Close)
	if s.links, err = backlink.OpenLinkDB(filepath.Join(dir, linksFile), backlink.Options{NoSync: politeness.NoSync}); err != nil {
		return s, err
	}
	a.OnClose(s.links.Close)
	if s.store == nil {
		s.store, err = openStoreIn(a, dir, store.Options{Now: a.Now})
	}
	return s, err
}

// newIngester returns the sink that reads relevant pages into the store.
func newIngester(a *app.App, s state, x eventseer.Extractor) (crawler.Sink, error) {
	clipper, err := clip.New(clip.Options{MaxSummary: eventseer.MaxSnippet})
	if err != nil {
		return nil, err
	}
	wrapped, err := newWrapped(a, s, x)
	if err != nil {
		return nil, err
	}
	return eventseer.NewIngester(eventseer.IngestOptions{
		Extractor: x, Store: s.store, Clipper: clipper, Wrapped: wrapped, Previous: s.previous, Now: a.Now,
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
