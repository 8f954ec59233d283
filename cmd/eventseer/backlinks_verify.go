package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/crawler"
	"eventseer/crawler/backlink"
	"eventseer/features/tagtree"
	"eventseer/webgraph"
)

// sourceFetcher returns what --verify reads sources with: the live web, politely,
// or the WARC files of --replay. Nil without --verify.
func sourceFetcher(a *app.App, f backlinksFlags) (crawler.Fetcher, error) {
	switch {
	case !f.verify:
		return nil, nil
	case len(f.replay) > 0:
		w, err := engine.OpenReplay(a, f.replay, nil)
		if err != nil {
			return nil, err
		}
		return w.Base, nil
	}
	live, err := engine.LiveFetcher(a, nil)
	if err != nil {
		return nil, err
	}
	return engine.NewPaced(a, live, time.Duration(a.Config.HostDelay)), nil
}

// maxFetchers is the most sources fetched at once.
const maxFetchers = 8

// A verifier looks at the sources of backlinks.
type verifier struct {
	app     *app.App
	fetcher crawler.Fetcher
	chain   *backlink.Chain
	links   *backlink.LinkDB // nil where nothing is kept
	target  string
}

// verify fetches the sources of the rows that are not known, so many at once, and
// notes in each row what it saw.
func (v verifier) verify(ctx context.Context, rows []*backlinkRow, workers int) error {
	var group sync.WaitGroup
	errs := make([]error, workers)
	open := make(chan *backlinkRow)
	for i := range workers {
		group.Go(func() {
			for r := range open {
				errs[i] = errors.Join(errs[i], v.look(ctx, r))
			}
		})
	}
	for _, r := range rows {
		if r.Verified == unknownLink && ctx.Err() == nil {
			open <- r
		}
	}
	close(open)
	group.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}

// look fetches one source. What it links to is kept like that of a crawled page.
func (v verifier) look(ctx context.Context, r *backlinkRow) error {
	page, err := v.fetch(ctx, r.Source)
	if ctx.Err() != nil {
		return nil // verify says so
	}
	var links []webgraph.Link
	gone, why := false, ""
	switch {
	case err != nil:
		why = err.Error()
	case page.Status == http.StatusNotFound || page.Status == http.StatusGone:
		gone, why = true, http.StatusText(page.Status)
	case page.Status != http.StatusOK:
		why = fmt.Sprintf("status %d", page.Status)
	default:
		tree, err := tagtree.Parse(page)
		if err != nil {
			why = err.Error()
			break
		}
		links = append([]webgraph.Link{}, tree.Links()...)
		if v.links != nil {
			if err := v.links.Add(ctx, links); err != nil {
				return err
			}
		}
	}
	seen, err := v.chain.Verify(r.link, v.target, links, gone)
	r.verified(seen, why)
	return err
}

// fetch brings a source. Some providers name pages without their scheme: what
// cannot be had by https is tried by http.
func (v verifier) fetch(ctx context.Context, source string) (*webgraph.Page, error) {
	page, err := v.get(ctx, source)
	var failed *crawler.FetchError
	rest, secure := strings.CutPrefix(source, "https://")
	if secure && errors.As(err, &failed) && failed.HostFailed && failed.Status == 0 {
		if plain, again := v.get(ctx, "http://"+rest); again == nil {
			return plain, nil
		}
	}
	return page, err
}

func (v verifier) get(ctx context.Context, url string) (*webgraph.Page, error) {
	blocks, err := v.app.Blocklist()
	if err != nil {
		return nil, err
	}
	if why := blocks.Blocked(url); why != "" {
		return nil, errors.New(why)
	}
	return v.fetcher.Fetch(ctx, crawler.Request{URL: url})
}
