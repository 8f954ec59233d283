package main

import (
	"context"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/features/tagtree"
	"eventseer/webgraph"
)

// maxSites bounds how many hosts analyze learns from; pages of others are
// analysed alone.
const maxSites = 10_000

// sites are what the inputs' pages say together, by host.
type sites map[webgraph.Host]*tagtree.Site

// learnSites reads the inputs that can be read twice, which are all but stdin
// and URLs. Pages without a host, such as single files, are of no site. What
// cannot be read is left for the second reading to report.
func learnSites(ctx context.Context, a *app.App, frames *frameReader, inputs []string) sites {
	var files []string
	for _, input := range inputs {
		if input != "-" && !strings.HasPrefix(input, "http://") && !strings.HasPrefix(input, "https://") {
			files = append(files, input)
		}
	}
	known := sites{}
	for page, err := range engine.PagesOfInputs(ctx, a, files, "") {
		host := webgraph.HostOf(page.URL)
		if err != nil || host == "" {
			continue
		}
		if known[host] == nil && len(known) < maxSites {
			known[host] = tagtree.NewSite()
		}
		if tree, err := frames.parse(ctx, page); err == nil && known[host] != nil {
			known[host].Add(tree)
		}
	}
	return known
}

// of returns the site of a page, nil if nothing is known but the page itself.
func (s sites) of(page *webgraph.Page) *tagtree.Site {
	if site := s[webgraph.HostOf(page.URL)]; site != nil && site.Pages() > 1 {
		return site
	}
	return nil
}
