// Package reproduce runs the command that writes the tables of doc/reproduction.md.
package reproduce

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/contextgraph/reproduce"
	"github.com/eventseer/eventseer/contextgraph/table"
	"github.com/eventseer/eventseer/contextgraph/target"
	"github.com/eventseer/eventseer/datasets/simweb"
	"github.com/eventseer/eventseer/internal/atomicfile"
)

// Options are the flags of `lab reproduce`.
type Options struct {
	Web    string // folder of the frozen web
	Labels string // TSV with the disciplines of targets; "" is pages/labels.tsv beside the folder of Web
	Draws  int    // number of draws of targets
	Hosts  int    // of each generated web
	Pages  int    // of each generated web
}

// maxDraws is the largest number of draws.
const maxDraws = 1000

// Run measures the tables and writes them into the document of --output, or to stdout.
func Run(ctx context.Context, a *app.App, f Options) error {
	if f.Draws < 2 || f.Draws > maxDraws {
		return app.Usagef("--draws %d is not from 2 to %d", f.Draws, maxDraws)
	}
	if a.Config.Output != "-" {
		if err := writeDocument(a.Config.Output, []reproduce.Table{{Name: "layers"}, {Name: "parents"}}, true); err != nil {
			return err // before minutes of measuring
		}
	}
	tables, err := measure(ctx, a, f)
	if err != nil {
		return err
	}
	if a.Config.Output == "-" {
		return a.WithOutput(func(w io.Writer) error {
			for _, t := range tables {
				if _, err := fmt.Fprintf(w, "%s\n\n%s\n", t.Name, t.Text); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return writeDocument(a.Config.Output, tables, false)
}

// writeDocument writes tables into the document at path. With dry it only checks that the document has a place for
// each.
func writeDocument(path string, tables []reproduce.Table, dry bool) error {
	document, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("%w; -o names a document that exists", err)
	}
	rewritten, err := reproduce.Rewrite(string(document), tables)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if dry {
		return nil
	}
	return atomicfile.Write(path, func(w io.Writer) error {
		_, err := io.WriteString(w, rewritten)
		return err
	})
}

// measure returns all tables.
func measure(ctx context.Context, a *app.App, f Options) ([]reproduce.Table, error) {
	if f.Labels == "" {
		f.Labels = filepath.Join(filepath.Dir(filepath.Clean(f.Web)), "pages", "labels.tsv")
	}
	targets, err := target.Read(nil, filepath.Join(f.Web, "targets.tsv"), []string{"page", "pdf"})
	if err != nil {
		return nil, err
	}
	labels, err := table.ReadLabels(f.Labels, "discipline")
	if err != nil {
		return nil, err
	}
	targets.SetDisciplines(labels)
	types, err := table.ReadLabels(filepath.Join(f.Web, "nodes.tsv"), "page_type")
	if err != nil {
		return nil, err
	}
	graph, _, err := table.ReadGraph("web", filepath.Join(f.Web, "links.tsv.gz"), table.Links)
	if err != nil {
		return nil, err
	}
	frozen := graph.BacklinkSource()
	var disciplines []reproduce.Discipline
	for i, p := range reproduce.PaperKB {
		d := reproduce.Discipline{Name: p.Discipline, Web: "frozen web", Links: frozen, PaperKB: p.KB}
		for _, t := range targets.Targets {
			if t.Discipline == d.Name {
				d.Targets = append(d.Targets, t)
			}
		}
		if len(d.Targets) < reproduce.Draw {
			if d, err = generated(ctx, d, uint64(i+1), f); err != nil {
				return nil, err
			}
		}
		disciplines = append(disciplines, d)
	}
	a.Logf("measuring %d draws of %d disciplines", f.Draws, len(disciplines))
	layers, err := reproduce.LayerTable(ctx, disciplines, f.Draws)
	if err != nil {
		return nil, err
	}
	parents, err := reproduce.ParentTable(ctx, targets.Targets, frozen, types)
	if err != nil {
		return nil, err
	}
	return []reproduce.Table{{Name: "layers", Text: layers}, {Name: "parents", Text: parents}}, nil
}

// generated returns the discipline on a generated web instead: its targets are the calls that links lead to from
// its seeds.
func generated(ctx context.Context, d reproduce.Discipline, seed uint64, f Options) (reproduce.Discipline, error) {
	web, err := simweb.NewLarge(simweb.LargeOptions{Seed: seed, Hosts: f.Hosts, Pages: f.Pages})
	if err != nil {
		return d, app.MarkUsage(err)
	}
	d.Web = fmt.Sprintf("generated (seed %d; %d in the frozen web)", seed, len(d.Targets))
	d.Targets, d.Links = nil, generatedLinks{web}
	err = web.Reachable(ctx, web.Seeds(), func(url string) bool {
		if p, ok := web.Page(url); ok && p.IsCFP {
			d.Targets = append(d.Targets, target.Target{URL: url, Discipline: d.Name})
		}
		return true
	})
	slices.SortFunc(d.Targets, func(x, y target.Target) int { return strings.Compare(x.URL, y.URL) })
	return d, err
}

// generatedLinks computes the backlinks of a generated web.
type generatedLinks struct{ web *simweb.Large }

// Backlinks implements contextgraph.BacklinkSource.
func (g generatedLinks) Backlinks(_ context.Context, url string, limit int) (contextgraph.Backlinks, error) {
	return contextgraph.Backlinks{Links: g.web.Backlinks(url, limit), Calls: 1}, nil
}
