package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"eventseer/cmd/eventseer/internal/admin"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/crawler"
	"eventseer/crawler/lab"
	"eventseer/crawler/rundir"
	"eventseer/crawler/strategy"
	"eventseer/internal/atomicfile"
)

// A bench is everything the cells of an experiment share.
type bench struct {
	app     *app.App
	dir     string
	record  labRecord
	web     *engine.Web
	memo    *engine.Memo
	topic   engine.Topic
	seeds   []seedSet
	targets []lab.Target
	truth   func() (strategy.Truth, error) // for the oracle; read once
}

// openBench opens the web, reads seeds and targets, and loads the models.
func openBench(ctx context.Context, a *app.App, f labFlags, dir string) (*bench, error) {
	crawl := engine.CrawlOptions{Backlinks: f.Backlinks, Still: true}
	if spec, ok := strings.CutPrefix(f.Web, "sim:"); ok {
		crawl.Sim = spec
	} else {
		crawl.Replay = []string{f.Web}
	}
	b := &bench{app: a, dir: dir}
	var err error
	if b.web, err = engine.OpenWeb(ctx, a, crawl); err != nil {
		return nil, err
	}
	if b.topic, err = engine.OpenTopic(f.Topic); err != nil {
		return nil, err
	}
	if err := b.readInputs(ctx, f); err != nil {
		return nil, err
	}
	if truth := truthOf(ctx, b.web, f.Backlinks, b.targetURLs()); truth != nil {
		b.truth = sync.OnceValues(truth)
	}
	judge, hashes, err := engine.NewCrawlJudge(b.web, f.Models)
	if err != nil {
		return nil, err
	}
	b.memo = engine.NewMemo(b.web.Fetcher, judge, engine.NewExtractor(a))
	f.Models = engine.ModelsOf(b.web, f.Models)
	b.record, err = newLabRecord(f, b, hashes)
	return b, err
}

// readInputs reads seeds and targets; a generated web has its own.
func (b *bench) readInputs(ctx context.Context, f labFlags) (err error) {
	if own := b.web.Seeds(); own != nil && f.Seeds == "" {
		b.seeds = []seedSet{{"own", own}}
	} else if b.seeds, err = readSeedSets(f.Seeds); err != nil {
		return err
	}
	if b.web.Generated() && f.Targets == "" {
		b.targets, err = b.web.SimTargets(ctx)
		return err
	}
	b.targets, err = readLabTargets(f.Targets, f.Kinds)
	return err
}

func (b *bench) targetURLs() map[string]bool {
	urls := map[string]bool{}
	for _, t := range b.targets {
		urls[t.URL] = true
	}
	return urls
}

// cellState is the folder of the state of a cell while it runs.
const cellState = "state"

// crawl runs one cell, unless its record is complete, and reads the record.
func (b *bench) crawl(ctx context.Context, c lab.Cell) (lab.Record, error) {
	run := filepath.Join(b.dir, lab.RunsDir, c.Name())
	record, err := lab.ReadCell(run)
	if !errors.Is(err, fs.ErrNotExist) {
		return record, err
	}
	if err := os.RemoveAll(run); err != nil {
		return record, err
	}
	end, err := b.runCell(ctx, c, run)
	if err != nil {
		return record, err
	}
	if err := atomicfile.WriteJSON(filepath.Join(run, lab.CellFile), end); err != nil {
		return record, err
	}
	return lab.ReadCell(run)
}

// runCell crawls into the folder run. The crawl is that of every other command,
// but for what is remembered between cells.
func (b *bench) runCell(ctx context.Context, c lab.Cell, run string) (end lab.CellEnd, err error) {
	cell := *b.app // it closes what it opens
	cell.Closers, cell.Stderr = nil, io.Discard
	cell.Config.Quiet, cell.Config.Progress, cell.Config.Admin = true, "none", "off"
	cell.Config.Seed += uint64(c.Repeat)
	i := slices.IndexFunc(b.seeds, func(s seedSet) bool { return s.name == c.Seeds })
	timed := &engine.Timing{}
	flags := b.record.Flags
	p := engine.NewLabRun(b.web, engine.Folders{Run: run, State: filepath.Join(run, cellState)},
		engine.Guide{Strategy: c.Strategy, Models: flags.Models, Topic: b.topic, MinAccuracy: engine.MinAccuracy, Truth: b.truth}, b.seeds[i].urls,
		engine.Bounds{Budget: float64(flags.Budget), BacklinkCost: flags.BacklinkCost, MaxDepth: engine.DefaultMaxDepth}, crawler.Rel(cell.Config.Rel), b.memo, timed)
	_, err = engine.RunPlan(ctx, &cell, p)
	if err = errors.Join(err, cell.Close()); err != nil {
		return end, err
	}
	if err := os.RemoveAll(p.State); err != nil {
		return end, err
	}
	if err := lab.SyncFile(filepath.Join(run, rundir.PagesFile)); err != nil {
		return end, err
	}
	end.LinksPerSecond = timed.Rate()
	robots := engine.RobotsOf(b.web.Base)
	end.Violations, err = lab.CountViolations(run, func(url string) bool { return strings.HasPrefix(robots(url), admin.DisallowedBy) })
	return end, err
}
