package main

import (
	"fmt"
	"net/http"
	"time"

	"eventseer/crawler/backlink"
	"eventseer/crawler/backlink/edgeindex"
	"eventseer/crawler/fetch"
	"eventseer/crawler/frontier"
)

// newChain returns who is asked who links to a page in a crawl: its own links
// first, and then the providers of its web.
func (a *app) newChain(w *web, s state) (*backlink.Chain, error) {
	known := func(url string) bool {
		r, seen, err := s.frontier.Lookup(url)
		return err == nil && seen && r.State != frontier.Waiting
	}
	return backlink.NewChain(backlink.ChainOptions{
		Links: s.links, Sources: w.sources, Known: known, TTL: time.Duration(a.config.BacklinkTTL), Now: w.now,
	})
}

// linksFileSource opens the links file of a spec as a provider, whose answers
// count calls unless they are free.
func (a *app) linksFileSource(text string, free bool) (backlink.Source, error) {
	spec, err := backlink.ParseSpec(text)
	if err != nil {
		return backlink.Source{}, usageError{err}
	}
	spec.Free = free
	if edgeindex.IsIndex(spec.Path) {
		return backlink.Source{}, usagef("%s is an index and no links file: name it in backlinks.providers of the config as {type: edges, file: %s}", spec.Path, spec.Path)
	}
	edges, err := backlink.OpenEdgeList(spec)
	if err != nil {
		return backlink.Source{}, err
	}
	if edges.Skipped > 0 {
		a.logf("%s: %s: skipped", spec.Path, count(edges.Skipped, "line holds no link of the web", "lines hold no links of the web"))
	}
	return backlink.Source{Provider: edges}, nil
}

// providers returns the configured providers, in order. The error is
// fetch.ErrNoContact where one is on the network and no contact is set.
func (a *app) providers() ([]backlink.Source, error) { return a.openProviders(a.config.Providers) }

func (a *app) openProviders(list providerList) ([]backlink.Source, error) {
	var sources []backlink.Source
	for _, p := range list {
		provider, err := a.openProvider(p)
		if err != nil {
			return nil, err
		}
		limits := backlink.Limits{CallsPerDay: p.CallsPerDay, CostPerDay: p.CostPerDay}
		switch {
		case p.Pause != nil:
			limits.Pause = time.Duration(*p.Pause)
		case p.Type != "edges":
			limits.Pause = time.Duration(providerPause)
		}
		sources = append(sources, backlink.Source{Provider: backlink.Named(provider, p.name()), Limits: limits})
	}
	return sources, nil
}

// openProvider makes the client of a service, or opens a file.
func (a *app) openProvider(p providerConfig) (backlink.Provider, error) {
	if p.Type == "edges" {
		return a.openEdges(p.File)
	}
	o, err := a.clientOptions(p)
	if err != nil {
		return nil, err
	}
	key, err := a.providerKey(p)
	if err != nil {
		return nil, err
	}
	switch p.Type {
	case "mediawiki":
		return backlink.NewMediaWiki(backlink.MediaWikiOptions{ClientOptions: o, Name: p.name(), API: p.URL})
	case "marginalia":
		return backlink.NewMarginalia(backlink.MarginaliaOptions{ClientOptions: o, API: p.URL, Key: key})
	case "moz":
		if key == "" {
			return nil, fmt.Errorf("%s: it has no key: set key-file or key in the config, or %s", p.name(), p.keyVariable())
		}
		return backlink.NewMoz(backlink.MozOptions{ClientOptions: o, API: p.URL, Token: key})
	default:
		return backlink.NewSearX(backlink.SearXOptions{ClientOptions: o, API: p.URL})
	}
}

// openEdges opens an edge index or a links file.
func (a *app) openEdges(path string) (backlink.Provider, error) {
	if !edgeindex.IsIndex(path) {
		s, err := a.linksFileSource(path, true)
		return s.Provider, err
	}
	index, err := edgeindex.Open(path)
	if err != nil {
		return nil, err
	}
	a.onClose(index.Close)
	return index, nil
}

// clientOptions are what the client of a service needs. An address that the
// operator has set himself may be private.
func (a *app) clientOptions(p providerConfig) (backlink.ClientOptions, error) {
	var client *http.Client
	client, err := fetch.NewClient(fetch.Options{
		UserAgent: userAgent(), Contact: a.config.Contact, AllowPrivate: a.config.AllowPrivate || p.URL != "", Now: a.now, Log: a.logger(),
	})
	return backlink.ClientOptions{HTTP: client, Timeout: time.Duration(p.Timeout), Now: a.now}, err
}

// searx returns the first SearXNG instance of the configuration, nil where there
// is none.
func (a *app) searx() (*backlink.SearX, error) {
	for _, p := range a.config.Providers {
		if p.Type != "searxng" {
			continue
		}
		o, err := a.clientOptions(p)
		if err != nil {
			return nil, err
		}
		return backlink.NewSearX(backlink.SearXOptions{ClientOptions: o, API: p.URL})
	}
	return nil, nil
}
