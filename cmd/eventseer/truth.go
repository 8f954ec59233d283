package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/contextgraph/table"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/strategy"
	"github.com/eventseer/eventseer/datasets/simweb"
	"github.com/eventseer/eventseer/internal/tsv"
	"github.com/eventseer/eventseer/webgraph"
)

// A linkTruth is the set of all links of a web and its targets. It is read-only and safe for concurrent
// use.
type linkTruth struct {
	out, in map[string][]string // by page, in the order of the file, each once
	targets []string
}

var _ strategy.Truth = (*linkTruth)(nil)

func (t *linkTruth) Links(url string) []string   { return t.out[url] }
func (t *linkTruth) Sources(url string) []string { return t.in[url] }
func (t *linkTruth) Targets() []string           { return t.targets }

// newTruth returns the truth of some links. Links of a page to itself are left out.
func newTruth(links iter.Seq2[string, string], targets []string) *linkTruth {
	t := &linkTruth{out: map[string][]string{}, in: map[string][]string{}, targets: slices.Sorted(slices.Values(targets))}
	type edge struct{ from, to string }
	seen := map[edge]bool{}
	for from, to := range links {
		if from != to && !seen[edge{from, to}] {
			seen[edge{from, to}] = true
			t.out[from] = append(t.out[from], to)
			t.in[to] = append(t.in[to], from)
		}
	}
	return t
}

// truthOf returns a function that loads the truth of a web, nil if it is unknown. A frozen web
// needs the targets and a links file, given like --backlinks.
func truthOf(ctx context.Context, w *engine.Web, links string, targets map[string]bool) func() (strategy.Truth, error) {
	if w.Large != nil {
		return func() (strategy.Truth, error) { return readLargeWebTruth(ctx, w, slices.Collect(maps.Keys(targets))) }
	}
	if w.Sim != nil {
		return func() (strategy.Truth, error) { return simTruth(w.Sim), nil }
	}
	spec, err := backlink.ParseSpec(links)
	if !w.Frozen || links == "" || err != nil || len(targets) == 0 {
		return nil
	}
	return func() (strategy.Truth, error) { return openTruth(spec.Path, targets) }
}

// simTruth returns the truth of a generated web: its targets are its calls.
func simTruth(w *simweb.Web) *linkTruth {
	var targets []string
	for _, p := range w.Truth().Pages {
		if p.IsCFP {
			targets = append(targets, p.URL)
		}
	}
	return newTruth(func(yield func(from, to string) bool) {
		for l := range w.Links() {
			if !yield(l.Source, l.Target) {
				return
			}
		}
	}, targets)
}

// readLargeWebTruth returns the truth of the reachable part of a large web. Its targets are its calls if
// none are named.
func readLargeWebTruth(ctx context.Context, of *engine.Web, targets []string) (*linkTruth, error) {
	if len(targets) == 0 {
		calls, err := of.SimTargets(ctx)
		if err != nil {
			return nil, err
		}
		for _, t := range calls {
			targets = append(targets, t.URL)
		}
	}
	w, n := of.Large, 0
	var bad error
	t := newTruth(func(yield func(from, to string) bool) {
		moved := map[string]bool{}
		err := w.Reachable(ctx, w.Seeds(), func(url string) bool {
			for _, l := range w.Links(url) {
				if n++; n > maxTruthLinks {
					bad = fmt.Errorf("the generated web has more than %d links, too many for the oracle", maxTruthLinks)
					return false
				}
				if !yield(url, l.Target) {
					return false
				}
				if p, ok := w.Page(l.Target); ok && p.Location != "" && !moved[l.Target] {
					moved[l.Target] = true
					if !yield(l.Target, p.Location) {
						return false
					}
				}
			}
			return true
		})
		bad = errors.Join(bad, err)
	}, targets)
	if bad != nil {
		return nil, bad
	}
	return t, nil
}

// maxTruthLinks bounds the links of a truth.
const maxTruthLinks = 20_000_000

// openTruth reads the links of a web from a links file, as readLinkGraph does. Lines
// without two http or https URLs are skipped. targets are canonical URLs.
func openTruth(path string, targets map[string]bool) (*linkTruth, error) {
	f, err := tsv.Open(path)
	if err != nil {
		return nil, fmt.Errorf("links: %w", err)
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	t, err := readTruth(f, slices.Collect(maps.Keys(targets)))
	if err != nil {
		return nil, fmt.Errorf("links %s: %w", path, err)
	}
	return t, nil
}

func readTruth(r io.Reader, targets []string) (*linkTruth, error) {
	urls, n := canonicalURLCache{}, 0
	var bad error
	t := newTruth(func(yield func(from, to string) bool) {
		for l := range table.Links(r, &bad) {
			if n++; n > maxTruthLinks {
				bad = fmt.Errorf("more than %d links", maxTruthLinks)
				return
			}
			from, to := urls.canonicalOf(l.Source), urls.canonicalOf(l.Target)
			if from != "" && to != "" && !yield(from, to) {
				return
			}
		}
	}, targets)
	if bad != nil {
		return nil, bad
	}
	return t, nil
}

// canonicalURLCache caches the canonical form of URLs, "" for invalid ones.
type canonicalURLCache map[string]string

func (c canonicalURLCache) canonicalOf(raw string) string {
	url, ok := c[raw]
	if !ok {
		raw = strings.Clone(raw)
		url, _ = webgraph.Canonical(raw) // "" with an error
		c[raw] = url
	}
	return url
}
