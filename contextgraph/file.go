package contextgraph

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/internal/atomicfile"
	"github.com/eventseer/eventseer/internal/usage"
)

// ReadFiles reads the graphs of .graph files, in order.
func ReadFiles(paths []string) ([]*Graph, error) {
	var all []*Graph
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return nil, fmt.Errorf("graph: %w", err)
		}
		graphs, err := Read(bufio.NewReader(f))
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, graphs...)
	}
	return all, nil
}

// WriteFile writes a .graph file. It replaces an existing file only after everything was written.
func WriteFile(path string, graphs []*Graph) error {
	return atomicfile.Write(path, func(w io.Writer) error { return Write(w, graphs...) })
}

// SetTypes sets the types of the graphs' pages. A page that is not in types gets type "".
func SetTypes(graphs []*Graph, types map[string]string) {
	for _, g := range graphs {
		for i := range g.Nodes {
			g.Nodes[i].PageType = types[g.Nodes[i].URL]
		}
	}
}

// GraphNamed returns the graph with a name, or if name is empty all graphs merged.
func GraphNamed(graphs []*Graph, name string) (*Graph, error) {
	if name == "" && len(graphs) == 1 {
		return graphs[0], nil
	}
	if name == "" {
		return Merge("", graphs...), nil
	}
	at := slices.IndexFunc(graphs, func(g *Graph) bool { return g.Name == name })
	if at < 0 {
		var names []string
		for _, g := range graphs {
			names = append(names, cmp.Or(g.Name, "(no name)"))
		}
		return nil, usage.Errorf("--graph %q: the file holds %s", name, strings.Join(names, ", "))
	}
	return graphs[at], nil
}
