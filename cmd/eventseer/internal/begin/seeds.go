// Package begin leads from an installation to the first call. It reads seeds, adds starting points,
// and performs the first steps of a new service.
package begin

import (
	"bytes"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler/seeds"
	"github.com/eventseer/eventseer/webgraph"
)

// ReadSeeds returns the URLs of the file and then those of the command line. Invalid lines are
// reported and left out; it is an error if all are invalid.
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
	return given, reportBadSeedLines(a, path, given, bad)
}

// reportBadSeedLines reports the invalid lines of a file of seeds. It is an error if no line is a URL.
func reportBadSeedLines(a *app.App, path string, given []string, bad []seeds.BadLine) error {
	if n := len(bad); len(given) == 0 && n > 1 {
		return app.Usagef("%w; nor can any of %d others", bad[0], n-1)
	} else if len(given) == 0 && n > 0 {
		return app.MarkUsage(bad[0])
	}
	for _, b := range bad[:min(len(bad), maxBadSeeds)] {
		a.Logf("%v; left out", b)
	}
	if more := len(bad) - maxBadSeeds; more > 0 {
		a.Logf("seeds %s: %d more invalid lines are left out", path, more)
	}
	return nil
}

// ParseSeeds parses a list of URLs like ReadSeeds, and returns the number of invalid lines.
func ParseSeeds(a *app.App, name string, list []byte) (urls []string, bad int, err error) {
	urls, lines, err := seeds.Read(bytes.NewReader(list), name)
	if err != nil {
		return nil, 0, err
	}
	return urls, len(lines), reportBadSeedLines(a, name, urls, lines)
}

// maxBadSeeds is the maximum number of invalid lines of a file of seeds that are reported.
const maxBadSeeds = 20

// CheckSeeds rejects a crawl without seeds; others means that it has further ones, from a generated
// web or a search.
func CheckSeeds(seeds []string, others bool) error {
	if len(seeds) == 0 && !others {
		return app.Usagef("crawl needs seeds: give URLs, or a file with --seeds; `eventseer start` offers a list of starting points")
	}
	return nil
}
