package main

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"runtime/debug"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/crawler/rundir"
	"github.com/eventseer/eventseer/crawler/strategy"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/bench/cost"
)

// crawlEventSeer crawls with the whole pipeline except the classifiers. The frontier, the backlink index
// and the run folder are on disk and written as in a live crawl.
func crawlEventSeer(ctx context.Context, o options) (result, error) {
	return crawlPipeline(ctx, o, true)
}

// crawlEventSeerWithoutLinks is like crawlEventSeer without a backlink index.
func crawlEventSeerWithoutLinks(ctx context.Context, o options) (result, error) {
	return crawlPipeline(ctx, o, false)
}

// noJudge judges no page.
type noJudge struct{}

func (noJudge) JudgePage(*tagtree.Tree) classify.Judgement { return classify.Judgement{} }

func crawlPipeline(ctx context.Context, o options, links bool) (_ result, err error) {
	dir, err := os.MkdirTemp("", "crawl-*")
	if err != nil {
		return result{}, err
	}
	var closers []func() error
	defer func() {
		for _, c := range closers {
			err = errors.Join(err, c())
		}
		err = errors.Join(err, os.RemoveAll(dir))
	}()
	co := crawler.Options{Workers: o.Workers}
	if co.Fetcher, err = fetch.New(fetch.Options{
		Contact: "bench@eventseer.example",
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("9.9.9.9")}, nil
		},
		Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, o.Web)
		},
	}); err != nil {
		return result{}, err
	}
	f, err := frontier.Open(filepath.Join(dir, "frontier.db"), frontier.Options{})
	if err != nil {
		return result{}, err
	}
	closers = append(closers, f.Close)
	co.Frontier = f
	if links {
		db, err := backlink.OpenLinkDB(filepath.Join(dir, "links.db"), backlink.Options{})
		if err != nil {
			return result{}, err
		}
		closers = append(closers, db.Close)
		co.Links = db
	}
	run, err := rundir.Create(filepath.Join(dir, "run"), rundir.Options{})
	if err != nil {
		return result{}, err
	}
	closers = append(closers, run.Close)
	co.Observer = run
	if co.Strategy, err = strategy.New("breadth-first", strategy.Parts{Judge: noJudge{}}); err != nil {
		return result{}, err
	}
	c, err := crawler.New(co)
	if err != nil {
		return result{}, err
	}
	if _, err := c.PushSeeds(ctx, []string{seedURL(o)}); err != nil {
		return result{}, err
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(400) // the same setting as in `eventseer crawl`, see cmd/eventseer/memory.go
	}
	stats, err := c.Run(ctx)
	if err != nil {
		return result{}, err
	}
	heap := cost.Heap()
	disk, err := cost.Disk(dir)
	return result{stats.Pages, disk, heap}, err
}
