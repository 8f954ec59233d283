package engine

import (
	"fmt"
	"net/http"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/backlink/edgeindex"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/internal/text"
)

// newChain returns the backlink providers of a crawl: its own links first, then the providers of
// its web.
func newChain(a *app.App, w *Web, s State) (*backlink.Chain, error) {
	known := func(url string) bool {
		r, seen, err := s.Frontier.Lookup(url)
		return err == nil && seen && r.State != frontier.Waiting
	}
	return backlink.NewChain(backlink.ChainOptions{
		Links: s.Links, Sources: w.Sources, Known: known, TTL: time.Duration(a.Config.BacklinkTTL), Now: w.Now,
	})
}

// LinksFileSource opens the links file of a spec as a provider. Its queries are counted as calls
// unless free.
func LinksFileSource(a *app.App, content string, free bool) (backlink.Source, error) {
	spec, err := backlink.ParseSpec(content)
	if err != nil {
		return backlink.Source{}, app.MarkUsage(err)
	}
	spec.Free = free
	if edgeindex.IsIndex(spec.Path) {
		return backlink.Source{}, app.Usagef("%s is an index and not a links file: name it in backlinks.providers of the config as {type: edges, file: %s}", spec.Path, spec.Path)
	}
	edges, err := backlink.OpenEdgeList(spec)
	if err != nil {
		return backlink.Source{}, err
	}
	if edges.Skipped > 0 {
		a.Logf("%s: %s: skipped", spec.Path, text.Count(edges.Skipped, "line without a web link", "lines without a web link"))
	}
	return backlink.Source{Provider: edges}, nil
}

// OpenProviders opens the providers of a list, in order. The error is fetch.ErrNoContact if one is
// on the network and no contact is set.
func OpenProviders(a *app.App, list app.ProviderList) ([]backlink.Source, error) {
	var sources []backlink.Source
	for _, p := range list {
		provider, err := openProvider(a, p)
		if err != nil {
			return nil, err
		}
		limits := backlink.Limits{CallsPerDay: p.CallsPerDay, CostPerDay: p.CostPerDay}
		switch {
		case p.Pause != nil:
			limits.Pause = time.Duration(*p.Pause)
		case p.Type != "edges":
			limits.Pause = time.Duration(app.ProviderPause)
		}
		sources = append(sources, backlink.Source{Provider: backlink.WithName(provider, p.Label()), Limits: limits})
	}
	return sources, nil
}

// openProvider returns the client of a service, or opens a file.
func openProvider(a *app.App, p app.ProviderConfig) (backlink.Provider, error) {
	if p.Type == "edges" {
		return OpenEdges(a, p.File)
	}
	o, err := clientOptions(a, p)
	if err != nil {
		return nil, err
	}
	key, err := app.ProviderKey(a, p)
	if err != nil {
		return nil, err
	}
	switch p.Type {
	case "mediawiki":
		return backlink.NewMediaWiki(backlink.MediaWikiOptions{ClientOptions: o, Name: p.Label(), API: p.URL})
	case "marginalia":
		return backlink.NewMarginalia(backlink.MarginaliaOptions{ClientOptions: o, API: p.URL, Key: key})
	case "moz":
		if key == "" {
			return nil, fmt.Errorf("%s: it has no key: set key-file or key in the config, or %s", p.Label(), p.KeyVariable())
		}
		return backlink.NewMoz(backlink.MozOptions{ClientOptions: o, API: p.URL, Token: key})
	default:
		return backlink.NewSearX(backlink.SearXOptions{ClientOptions: o, API: p.URL})
	}
}

// OpenEdges opens an edge index or a links file.
func OpenEdges(a *app.App, path string) (backlink.Provider, error) {
	if !edgeindex.IsIndex(path) {
		s, err := LinksFileSource(a, path, true)
		return s.Provider, err
	}
	index, err := edgeindex.Open(path)
	if err != nil {
		return nil, err
	}
	a.OnClose(index.Close)
	return index, nil
}

// clientOptions returns the options of a service's client. An address set by the operator may be
// private.
func clientOptions(a *app.App, p app.ProviderConfig) (backlink.ClientOptions, error) {
	var client *http.Client
	client, err := fetch.NewClient(fetch.Options{
		UserAgent: UserAgent(), Contact: a.Config.Contact, AllowPrivate: a.Config.AllowPrivate || p.URL != "", Now: a.Now, Log: a.Logger(),
	})
	return backlink.ClientOptions{HTTP: client, Timeout: time.Duration(p.Timeout), Now: a.Now}, err
}

// OpenSearX returns the first SearXNG instance of the configuration, nil if there is none.
func OpenSearX(a *app.App) (*backlink.SearX, error) {
	for _, p := range a.Config.Providers {
		if p.Type != "searxng" {
			continue
		}
		o, err := clientOptions(a, p)
		if err != nil {
			return nil, err
		}
		return backlink.NewSearX(backlink.SearXOptions{ClientOptions: o, API: p.URL})
	}
	return nil, nil
}
