package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler"
	"eventseer/crawler/lab"
	"eventseer/crawler/rundir"
	"eventseer/crawler/strategy"
)

// A bench is everything the cells of an experiment share.
type bench struct {
	app     *app.App
	dir     string
	record  labRecord
	web     *web
	memo    *memo
	topic   topic
	seeds   []seedSet
	targets []lab.Target
	truth   func() (strategy.Truth, error) // for the oracle; read once
}

// openBench opens the web, reads seeds and targets, and loads the models.
func openBench(ctx context.Context, a *app.App, f labFlags, dir string) (*bench, error) {
	crawl := crawlFlags{backlinks: f.Backlinks, still: true}
	if spec, ok := strings.CutPrefix(f.Web, "sim:"); ok {
		crawl.sim = spec
	} else {
		crawl.replay = []string{f.Web}
	}
	b := &bench{app: a, dir: dir}
	var err error
	if b.web, err = openWeb(ctx, a, crawl); err != nil {
		return nil, err
	}
	if b.topic, err = openTopic(f.Topic); err != nil {
		return nil, err
	}
	if err := b.readInputs(ctx, f); err != nil {
		return nil, err
	}
	if truth := truthOf(ctx, b.web, f.Backlinks, b.targetURLs()); truth != nil {
		b.truth = sync.OnceValues(truth)
	}
	judge, hashes, err := newCrawlJudge(plan{web: b.web, models: f.Models})
	if err != nil {
		return nil, err
	}
	b.memo = newMemo(b.web.fetcher, judge, newExtractor(a))
	f.Models = modelsOf(plan{web: b.web, models: f.Models})
	b.record, err = newLabRecord(f, b, hashes)
	return b, err
}

// readInputs reads seeds and targets; a generated web has its own.
func (b *bench) readInputs(ctx context.Context, f labFlags) (err error) {
	if own := b.web.seeds(); own != nil && f.Seeds == "" {
		b.seeds = []seedSet{{"own", own}}
	} else if b.seeds, err = readSeedSets(f.Seeds); err != nil {
		return err
	}
	if b.web.generated() && f.Targets == "" {
		b.targets, err = b.web.simTargets(ctx)
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

// The files of a cell besides those of every crawl.
const (
	cellFile  = "cell.json" // last: the cell is complete
	cellState = "state"     // while it runs
)

// A cellEnd is what a complete cell says of itself.
type cellEnd struct {
	Violations     int     `json:"violations"`
	LinksPerSecond float64 `json:"links_per_second"`
}

// crawl runs one cell, unless its record is complete, and reads the record.
func (b *bench) crawl(ctx context.Context, c lab.Cell) (lab.Record, error) {
	run := filepath.Join(b.dir, runsDir, c.Name())
	record, err := readCell(run)
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
	if err := writeJSONFile(filepath.Join(run, cellFile), end); err != nil {
		return record, err
	}
	return readCell(run)
}

// runCell crawls into the folder run. The crawl is that of every other command,
// but for what is remembered between cells.
func (b *bench) runCell(ctx context.Context, c lab.Cell, run string) (end cellEnd, err error) {
	cell := *b.app // it closes what it opens
	cell.Closers, cell.Stderr = nil, io.Discard
	cell.Config.Quiet, cell.Config.Progress, cell.Config.Admin = true, "none", "off"
	cell.Config.Seed += uint64(c.Repeat)
	i := slices.IndexFunc(b.seeds, func(s seedSet) bool { return s.name == c.Seeds })
	timed := &timing{}
	p := plan{
		web: b.web, strategy: c.Strategy, models: b.record.Flags.Models, topic: b.topic, memo: b.memo, timing: timed, truth: b.truth, seeds: b.seeds[i].urls,
		run: run, state: filepath.Join(run, cellState), minAccuracy: minAccuracy,
		options: crawler.Options{
			Budget: float64(b.record.Flags.Budget), BacklinkCost: b.record.Flags.BacklinkCost, Workers: 1, MaxDepth: defaultMaxDepth,
			Free: b.web.free, Now: b.web.now, IgnoreDirectives: true, Rel: crawler.Rel(cell.Config.Rel),
		},
	}
	_, err = runPlan(ctx, &cell, p)
	if err = errors.Join(err, cell.Close()); err != nil {
		return end, err
	}
	if err := os.RemoveAll(p.state); err != nil {
		return end, err
	}
	if err := syncFile(filepath.Join(run, rundir.PagesFile)); err != nil {
		return end, err
	}
	end.LinksPerSecond = timed.rate()
	end.Violations, err = b.violations(run)
	return end, err
}

// violations counts the pages fetched that their robots.txt forbids.
func (b *bench) violations(run string) (n int, err error) {
	robots := robotsOf(b.web.base)
	for v, err := range readVisits(run) {
		if err != nil {
			return n, err
		}
		if !v.Call && v.Cost > 0 && strings.HasPrefix(robots(v.URL), disallowedBy) {
			n++
		}
	}
	return n, nil
}

// readCell reads the record of a complete cell; of others the error is
// fs.ErrNotExist.
func readCell(run string) (lab.Record, error) {
	text, err := os.ReadFile(filepath.Join(run, cellFile))
	if err != nil {
		return lab.Record{}, err
	}
	var end cellEnd
	if err := json.Unmarshal(text, &end); err != nil {
		return lab.Record{}, fmt.Errorf("%s: %w; remove the folder to run it again", filepath.Join(run, cellFile), err)
	}
	return lab.Record{Visits: readVisits(run), Violations: end.Violations, LinksPerSecond: end.LinksPerSecond}, nil
}

// readVisits reads pages.jsonl of a run folder.
func readVisits(run string) iter.Seq2[lab.Visit, error] {
	return func(yield func(lab.Visit, error) bool) {
		f, err := os.Open(filepath.Join(run, rundir.PagesFile))
		if err != nil {
			yield(lab.Visit{}, err)
			return
		}
		defer func() { _ = f.Close() }() // read only: nothing to lose
		pages := json.NewDecoder(bufio.NewReader(f))
		for {
			var p rundir.Page
			if err := pages.Decode(&p); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				yield(lab.Visit{}, fmt.Errorf("%s: %w", f.Name(), err))
				return
			}
			if !yield(lab.Visit{URL: p.URL, Cost: p.Cost, Status: p.Status, Call: p.How == rundir.Backlinks}, nil) {
				return
			}
		}
	}
}

// timing measures how fast a strategy scores links. It is used by one worker.
type timing struct {
	links int
	took  time.Duration
}

func (t *timing) rate() float64 {
	if t.took <= 0 {
		return 0
	}
	return float64(t.links) / t.took.Seconds()
}

// A timedStrategy counts the links that a strategy scores, and the time.
type timedStrategy struct {
	crawler.Strategy
	timing *timing
}

// Visit implements crawler.Strategy.
func (s timedStrategy) Visit(ctx context.Context, a crawler.Arrival) (crawler.Verdict, error) {
	begun := time.Now() // how long it takes is no part of the result
	v, err := s.Strategy.Visit(ctx, a)
	s.timing.took += time.Since(begun)
	s.timing.links += len(v.Forward)
	return v, err
}
