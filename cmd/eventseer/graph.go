package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/contextgraph"

	"github.com/spf13/cobra"
)

func newGraphCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "graph", Short: "Build, measure, export and judge context graphs and link graphs",
		Long: "A context graph holds the pages from which targets can be reached over few links, in layers by their distance\n" +
			"(paper 002, section 3.3). A .graph file holds one graph or more.",
		Example: `  eventseer graph build https://conf.example/cfp --backlinks links.tsv.gz -o conf.graph
  eventseer graph stats conf.graph
  eventseer graph export conf.graph --format gexf -o conf.gexf
  eventseer graph export runs/a --format csv --level host -o hosts.csv`,
	}
	cmd.AddCommand(newGraphBuildCommand(a), newGraphStatsCommand(a), newGraphExportCommand(a), newGraphClassifyCommand(a),
		newGraphTargetsCommand(a))
	return cmd
}

// readGraphs reads the graphs of .graph files, in order.
func readGraphs(paths []string) ([]*contextgraph.Graph, error) {
	var all []*contextgraph.Graph
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("graph: %w", err)
		}
		graphs, err := contextgraph.Read(bufio.NewReader(f))
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, graphs...)
	}
	return all, nil
}

// writeGraphs writes a .graph file in one piece.
func writeGraphs(path string, graphs []*contextgraph.Graph) (err error) {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".graph-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(tmp.Name()))
		}
	}()
	out := bufio.NewWriter(tmp)
	err = errors.Join(contextgraph.Write(out, graphs...), out.Flush(), tmp.Chmod(0o644), tmp.Sync(), tmp.Close())
	if err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

// tsvRows calls row with the named columns of each line of a TSV whose first line
// names its columns; those after need may be missing and are "" then.
func tsvRows(r io.Reader, need, maybe []string, row func(fields []string) error) error {
	t, err := newTSV(r)
	if err != nil {
		return err
	}
	places, err := t.columns(need, maybe)
	if err != nil {
		return err
	}
	fields := make([]string, len(places))
	for {
		line, err := t.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i, at := range places {
			if fields[i] = ""; at >= 0 && at < len(line) {
				fields[i] = line[at]
			}
		}
		if err := row(fields); err != nil {
			return fmt.Errorf("line %d: %w", t.line, err)
		}
	}
}
