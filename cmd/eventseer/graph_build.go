package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/contextgraph"
	"github.com/eventseer/eventseer/contextgraph/target"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/spf13/cobra"
)

// buildFlags are the flags of `graph build`.
type buildFlags struct {
	targetFlags
	backlinks string
	models    string
	merge     bool
	separate  bool
	state     string
	resume    bool
	limit     app.Duration
	dedup     string
	options   contextgraph.Options
}

func newGraphBuildCommand(a *app.App) *cobra.Command {
	var f buildFlags
	cmd := &cobra.Command{
		Use: "build [TARGET…] --backlinks LINKS -o FILE.graph", Short: "Build context graphs backwards from targets", Annotations: formatAnnotations("table", "jsonl", "json"),
		Long: "Look up the pages that link to the targets, the pages that link to those, and so on, and write the graph. A page is in the\nlayer of its least number of links to a target. Then print the figures of the graph, as `graph stats` does.",
		Example: `  eventseer graph build https://conf.example/cfp --backlinks links.tsv.gz -o conf.graph
  eventseer graph build --targets targets.tsv --labels labels.tsv --discipline all --draw 40 --backlinks links.tsv.gz -o disciplines.graph
  eventseer graph build --targets targets.tsv --backlinks links.tsv.gz --replay web.warc.gz --dedup near --sample 500 -o near.graph
  eventseer graph build --targets known.txt --backlinks providers --fetch --max-calls 200 --state known.state -o known.graph
  eventseer graph build --targets known.txt --backlinks providers --fetch --max-calls 400 --state known.state --resume -o known.graph`,
	}
	f.add(cmd)
	flags, o := cmd.Flags(), &f.options
	flags.StringVar(&f.backlinks, "backlinks", "", "source of backlinks: a links file LINKS.tsv.gz[:coverage=0.5,stale=0.2], an index that backlinks index made, a run folder, or providers: the local link database and those of the config")
	flags.StringVar(&f.models, "models", "", "own (those of model use), shipped, or cross-fitted, where pages of training hosts are judged by models trained without them (default own; cross-fitted in a replay)")
	flags.BoolVar(&f.separate, "separate", false, "write one graph per target, the opposite of --merge")
	flags.BoolVar(&f.merge, "merge", true, "write one graph of all targets, or of each discipline")
	flags.IntVar(&o.Layers, "layers", 5, fmt.Sprintf("number of layers, including that of the targets; 2 to %d", contextgraph.MaxLayers))
	flags.IntVar(&o.Sample, "sample", 0, "maximum number of pages per layer whose backlinks are queried, drawn by --seed; 0 is all")
	flags.IntVar(&o.PerPage, "per-page", contextgraph.MaxPerPage, fmt.Sprintf("maximum number of links requested per page; 1 to %d", contextgraph.MaxPerPage))
	flags.StringVar(&f.dedup, "dedup", "none", "what counts as one page: none (every URL is a page), exact (other spellings, same body), near (nearly the same text), site (one page of a site in each layer)")
	flags.BoolVar(&o.InSite, "in-site", false, "keep known links within a site too")
	flags.BoolVar(&o.Verified, "verified", false, "leave out links not seen on the page itself")
	flags.StringVar(&f.state, "state", "", "file for query results and fetched pages, so that a build can be resumed")
	flags.BoolVar(&f.resume, "resume", false, "resume the build of --state")
	flags.IntVar(&o.MaxCalls, "max-calls", 0, "maximum number of calls per graph; 0 is no limit")
	flags.Float64Var(&o.MaxCost, "max-cost", 0, "maximum cost per graph, in the provider's unit; 0 is no limit")
	flags.IntVar(&o.MaxNodes, "max-nodes", 0, "maximum number of pages per graph; 0 is about a million")
	flags.IntVar(&o.MaxEdges, "max-edges", 0, "maximum number of links per graph; 0 is about eight million")
	flags.Var(&f.limit, "time", "time to spend per graph, such as 2h; 0 is no limit")
	app.AddConfigFlags(cmd, app.ModelKey, "host-delay", "max-crawl-delay", "robots", "allow-private", "blocklist")
	cmd.RunE = func(cmd *cobra.Command, urls []string) error {
		if f.separate && f.merge && flags.Changed("merge") {
			return app.Usagef("--merge and --separate exclude each other")
		}
		f.urls, f.separate = urls, f.separate || !f.merge
		return graphBuild(cmd.Context(), a, f)
	}
	return cmd
}

func graphBuild(ctx context.Context, a *app.App, f buildFlags) error {
	if err := f.check(a); err != nil {
		return err
	}
	t, err := f.readTargets()
	if err != nil {
		return err
	}
	pages, err := openGraphPages(a, f.replay, f.fetch, f.models)
	if err != nil {
		return err
	}
	if len(f.disciplines) > 0 {
		if err := setDisciplines(ctx, &t, f.targetFlags, pages); err != nil {
			return err
		}
	}
	groups, err := t.Groups(f.disciplines, f.draw, a.Config.Seed)
	if err != nil {
		return err
	}
	if f.options.Asker, err = openBacklinkSource(a, f.backlinks); err != nil {
		return err
	}
	f.options.Seed, f.options.Now, f.options.MaxTime = a.Config.Seed, a.Now, time.Duration(f.limit)
	source := f.backlinks
	if pages != nil {
		f.options.Fetcher, source = pages, source+" "+pages.name
	}
	if f.options.Journal, err = f.openState(a, source); err != nil {
		return err
	}
	graphs, err := buildGroups(ctx, a, f, groups)
	if err := errors.Join(err, f.options.Journal.Close()); err != nil {
		return reportFailedBuild(a, f, graphs, err)
	}
	if err := contextgraph.WriteFile(a.Config.Output, graphs); err != nil {
		return err
	}
	return showBuilt(a, f, graphs)
}

func (f *buildFlags) check(a *app.App) error {
	switch o := f.options; {
	case a.Config.Output == "-":
		return app.Usagef("graph build needs -o FILE.graph")
	case f.backlinks == "":
		return app.Usagef("--backlinks is needed: a links file, an index, a run folder, or providers")
	case f.resume && f.state == "":
		return app.Usagef("--resume needs --state: the file of the build to resume")
	case !(o.MaxCost >= 0) || math.IsInf(o.MaxCost, 1):
		return app.Usagef("--max-cost %v is not a number of at least 0", o.MaxCost)
	case o.Layers < 2 || o.Layers > contextgraph.MaxLayers:
		return app.Usagef("--layers %d is not from 2 to %d", o.Layers, contextgraph.MaxLayers)
	case o.PerPage < 1 || o.PerPage > contextgraph.MaxPerPage:
		return app.Usagef("--per-page %d is not from 1 to %d", o.PerPage, contextgraph.MaxPerPage)
	case min(o.Sample, o.MaxCalls, o.MaxNodes, o.MaxEdges) < 0:
		return app.Usagef("--sample and the bounds --max-… must not be negative; 0 is no limit")
	}
	if _, err := os.Stat(f.state); f.state != "" && err == nil && !f.resume {
		return app.Usagef("%s exists already; --resume continues it", f.state)
	} else if errors.Is(err, fs.ErrNotExist) && f.resume {
		return app.Usagef("--resume: there is no %s to resume", f.state)
	}
	if err := f.options.Dedup.UnmarshalText([]byte(f.dedup)); err != nil {
		return app.Usagef("--dedup %v", err)
	}
	if fetches := len(f.replay) > 0 || f.fetch; !fetches && (f.options.Dedup == contextgraph.Near || f.options.Verified) {
		return app.Usagef("--dedup near and --verified need the pages: --replay or --fetch")
	}
	return nil
}

// openState opens the state of the build; nil if none is stored.
func (f *buildFlags) openState(a *app.App, source string) (*contextgraph.Journal, error) {
	if f.state == "" {
		return nil, nil
	}
	j, err := contextgraph.OpenJournal(f.state, source)
	if err != nil {
		return nil, err
	}
	s := j.Stats()
	if s.Kept > 0 {
		a.Logf("%s: %d answers and pages are stored already", f.state, s.Kept)
	}
	if s.TornBytes > 0 {
		a.Logf("%s: %d incomplete or damaged bytes are left out; their queries are repeated", f.state, s.TornBytes)
	}
	return j, nil
}

// buildGroups returns the built graphs, complete or ended by a limit.
func buildGroups(ctx context.Context, a *app.App, f buildFlags, groups []target.Group) ([]*contextgraph.Graph, error) {
	var graphs []*contextgraph.Graph
	for _, group := range groups {
		parts := [][]target.Target{group.Targets}
		if f.separate {
			parts = slices.Collect(slices.Chunk(group.Targets, 1))
		}
		for _, part := range parts {
			o := f.options
			if o.Name = group.Name; f.separate {
				o.Name = part[0].URL
			}
			o.Progress = graphProgress(a, o.Name)
			g, err := contextgraph.Build(ctx, target.URLs(part), o)
			if g != nil && (err == nil || !errors.Is(err, context.Canceled)) {
				graphs = append(graphs, g)
			}
			if err != nil {
				return graphs, err
			}
			if g.Ended != "" {
				a.Logf("%s ended early: its bound of %s is reached", strings.TrimSpace("the graph "+g.Name), g.Ended)
			}
		}
	}
	return graphs, nil
}

// reportFailedBuild reports what remains of a failed build. If a provider no longer responds, the graph so
// far is saved; an interrupted build keeps its state.
func reportFailedBuild(a *app.App, f buildFlags, graphs []*contextgraph.Graph, err error) error {
	if errors.Is(err, context.Canceled) {
		if f.state != "" {
			a.Logf("interrupted; the same command with --resume continues")
		}
		return err
	}
	if len(graphs) == 0 {
		return err
	}
	if err := contextgraph.WriteFile(a.Config.Output, graphs); err != nil {
		return err
	}
	a.Logf("%s holds the graphs built so far", a.Config.Output)
	return fmt.Errorf("%w: %w", app.ErrPartly, err)
}

// showBuilt prints the figures of the built graphs, which are in --output.
func showBuilt(a *app.App, f buildFlags, graphs []*contextgraph.Graph) error {
	if s := f.options.Journal.Stats(); s.Kept > 0 {
		a.Logf("this run: %d calls at a cost of %.4g, %d pages fetched", s.Calls, s.Cost, s.Fetched)
	}
	a.Logf("wrote %s: %s", a.Config.Output, countGraphs(graphs))
	if a.Config.Quiet {
		return nil
	}
	return writeGraphStats(a.Stdout, graphs, a.Config.Format)
}

func countGraphs(graphs []*contextgraph.Graph) string {
	nodes, edges := 0, 0
	for _, g := range graphs {
		nodes, edges = nodes+len(g.Nodes), edges+len(g.Edges)
	}
	size := text.Count(nodes, "page", "pages") + ", " + text.Count(edges, "link", "links")
	if len(graphs) == 1 {
		return size
	}
	return fmt.Sprintf("%d graphs, %s", len(graphs), size)
}

// graphProgress returns a function that shows the progress of a build every few seconds; nil for
// none.
func graphProgress(a *app.App, name string) func(contextgraph.Progress) {
	if a.Config.Quiet || a.Config.Progress == "none" {
		return nil
	}
	last := a.Now()
	return func(p contextgraph.Progress) {
		if now := a.Now(); now.Sub(last) < app.LinePause {
			return
		}
		last = a.Now()
		a.Status(map[string]any{
			"graph": name, "layer": p.Layer, "asked": p.Asked, "to_ask": p.ToAsk, "nodes": p.Nodes, "edges": p.Edges, "calls": p.Calls, "cost": p.Cost,
		}, "%s", strings.TrimSpace(fmt.Sprintf("%s layer %d: %d of %d pages queried; %d pages, %d links, %d calls so far", name, p.Layer, p.Asked, p.ToAsk, p.Nodes, p.Edges, p.Calls)))
	}
}
