package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/crawler/lab"
	"eventseer/internal/tsv"
	"eventseer/webgraph"
)

// A seedSet is what one crawl starts from.
type seedSet struct {
	name string
	urls []string
}

// readSeedSets reads one file, or all .txt files of a folder in order of name.
func readSeedSets(path string) ([]seedSet, error) {
	if path == "" {
		return nil, app.Usagef("--seeds is needed: a file of URLs or a folder of such .txt files")
	}
	files, err := lab.SeedFiles(path)
	if err != nil {
		return nil, err
	}
	var sets []seedSet
	for _, file := range files {
		urls, err := engine.ReadSeeds(file, nil)
		if err != nil {
			return nil, err
		}
		if err := engine.CheckSeeds(urls, engine.CrawlOptions{}); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		sets = append(sets, seedSet{strings.TrimSuffix(filepath.Base(file), ".txt"), urls})
	}
	if len(sets) == 0 {
		return nil, app.Usagef("--seeds %s holds no .txt files", path)
	}
	return sets, nil
}

// readLabTargets reads the targets of the kinds that count from a TSV with the
// columns url and kind, and maybe event_site, in order of URL.
func readLabTargets(path string, kinds []string) ([]lab.Target, error) {
	if path == "" {
		return nil, app.Usagef("--targets is needed: the pages to be found")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("targets: %w", err)
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	var targets []lab.Target
	err = tsv.Rows(f, []string{"url", "kind"}, []string{"event_site"}, func(fields []string) error {
		if !slices.Contains(kinds, fields[1]) {
			return nil
		}
		url, err := webgraph.Canonical(fields[0])
		targets = append(targets, lab.Target{URL: url, Kind: strings.Clone(fields[1]), Event: strings.Clone(fields[2])})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("targets %s: %w", path, err)
	}
	if len(targets) == 0 {
		return nil, fmt.Errorf("targets %s: none is of the kinds %s, which --kinds names", path, strings.Join(kinds, ", "))
	}
	slices.SortStableFunc(targets, func(x, y lab.Target) int { return cmp.Compare(x.URL, y.URL) })
	return slices.CompactFunc(targets, func(x, y lab.Target) bool { return x.URL == y.URL }), nil
}
