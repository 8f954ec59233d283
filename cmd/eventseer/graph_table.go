package main

import (
	"fmt"
	"os"
	"path/filepath"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/contextgraph"
	"eventseer/contextgraph/table"
	"eventseer/crawler/rundir"
	"eventseer/internal/text"
)

// readLinkGraph reads the graph of all links of a links file, tab-separated with
// the columns source and target, or of a run folder with what it knows of pages.
func readLinkGraph(a *app.App, path string) (*contextgraph.Graph, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("links: %w", err)
	}
	file, rows := path, table.Links
	if info.IsDir() {
		file, rows = filepath.Join(path, rundir.LinksFile), table.CSVLinks
	}
	g, skipped, err := table.ReadGraph(filepath.Base(path), file, rows)
	if err != nil {
		return nil, err
	}
	if skipped > 0 {
		a.Logf("%s: %s: skipped", file, text.Count(skipped, "line holds no link of the web", "lines hold no links of the web"))
	}
	if info.IsDir() {
		err = describeNodes(g, path)
	}
	return g, err
}

// describeNodes adds what a run says of its pages.
func describeNodes(g *contextgraph.Graph, run string) error {
	pages, err := rundir.JudgedPages(run)
	if err != nil {
		return err
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		if p, ok := pages[n.URL]; ok {
			n.Status, n.PageType, n.Bytes = p.Status, p.PageType, p.Bytes
			n.CFPScore = max(0, min(p.CFPScore, 1))
		}
	}
	return nil
}
