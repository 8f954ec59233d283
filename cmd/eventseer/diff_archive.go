package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/crawler/monitor"
	"eventseer/eventseer"
	"eventseer/eventseer/change/versions"
	"eventseer/eventseer/ui"
	"eventseer/eventseer/ui/views"
	"eventseer/features/tagtree"
	"eventseer/internal/bolt"
)

// A pageArchive compares versions of pages that the monitor keeps.
type pageArchive struct {
	db *monitor.DB
	x  eventseer.Extractor
}

var _ ui.Versions = (*pageArchive)(nil)

// openArchive opens the versions of the data directory; nil where there are none yet.
func openArchive(a *app.App) (*pageArchive, error) {
	db, err := engine.OpenMonitor(a, a.Config.Data, true)
	if errors.Is(err, bolt.ErrMissing) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &pageArchive{db: db, x: engine.NewExtractor(a)}, nil
}

// Versions implements ui.Versions. What a site answered in place of the page is no
// version of it.
func (p *pageArchive) Versions(_ context.Context, page string) ([]time.Time, error) {
	all, err := p.db.Versions(page)
	if err != nil {
		return nil, err
	}
	var seen []time.Time
	for _, v := range all {
		if v.Status == http.StatusOK {
			seen = append(seen, v.At)
		}
	}
	return seen, nil
}

// Diff implements ui.Versions.
func (p *pageArchive) Diff(ctx context.Context, page string, old, new time.Time) (views.VersionDiff, error) {
	before, err := p.read(ctx, page, old)
	if err != nil {
		return views.VersionDiff{}, err
	}
	after, err := p.read(ctx, page, new)
	if err != nil {
		return views.VersionDiff{}, err
	}
	change, pages := versions.Compare(p.x, before, after)
	return views.VersionDiff{Change: change, Pages: pages}, nil
}

func (p *pageArchive) read(ctx context.Context, page string, at time.Time) (*tagtree.Tree, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	version, err := p.db.Page(page, at)
	if errors.Is(err, monitor.ErrNoVersion) {
		err = fmt.Errorf("%w: %w", eventseer.ErrNotFound, err)
	}
	if err != nil {
		return nil, err
	}
	return tagtree.Parse(version)
}

// last compares the last two versions of the first page of an event that has two, or
// returns nil.
func (p *pageArchive) last(ctx context.Context, e eventseer.Event) (*versions.Diff, error) {
	for _, page := range append([]string{e.URL}, e.Pages...) {
		seen, err := p.Versions(ctx, page)
		if err != nil {
			return nil, err
		}
		if n := len(seen); n > 1 {
			d, err := p.Diff(ctx, page, seen[n-2], seen[n-1])
			if err != nil {
				return nil, err
			}
			shown := versions.New(versions.Pair{From: versionName(page, seen[n-2]), To: versionName(page, seen[n-1])}, d.Change, d.Pages)
			return &shown, nil
		}
	}
	return nil, nil
}

// versionName names a version of a page by when it was seen.
func versionName(page string, at time.Time) string {
	return page + "@" + at.UTC().Format(time.RFC3339)
}
