// Package begin leads from an installation to the first call: it reads seeds, holds the
// starting points chosen, and runs the first steps of a new service.
package begin

import (
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler/seeds"
	"github.com/eventseer/eventseer/webgraph"
)

// ReadSeeds returns the URLs of the file and then those of the command line. Lines that
// are no URLs are said and left out; it is an error if all are.
func ReadSeeds(a *app.App, path string, urls []string) (given []string, err error) {
	var bad []seeds.BadLine
	if path != "" {
		if given, bad, err = seeds.ReadFile(path); err != nil {
			return nil, err
		}
	}
	for _, url := range urls {
		if _, err := webgraph.Canonical(url); err != nil {
			bad = append(bad, seeds.BadLine{Text: url})
			continue
		}
		given = append(given, url)
	}
	if len(given) == 0 && len(bad) > 0 {
		return nil, app.Usage(bad[0])
	}
	for _, b := range bad[:min(len(bad), maxBadSeeds)] {
		a.Logf("%v; left out", b)
	}
	if more := len(bad) - maxBadSeeds; more > 0 {
		a.Logf("seeds %s: %d more lines are left out", path, more)
	}
	return given, nil
}

// maxBadSeeds is how many lines of a file of seeds are said to be left out.
const maxBadSeeds = 20

// CheckSeeds refuses a crawl that has nowhere to begin; others says that it has seeds
// besides, those of a generated web or of a search.
func CheckSeeds(seeds []string, others bool) error {
	if len(seeds) == 0 && !others {
		return app.Usagef("crawl needs seeds: URLs, or a file with --seeds; `eventseer start` has a list of starting points")
	}
	return nil
}
