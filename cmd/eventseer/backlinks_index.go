package main

import (
	"context"
	"fmt"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler/backlink/edgeindex"
	"github.com/eventseer/eventseer/crawler/fetch/blocklist"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
)

// indexFlags are the flags of backlinks index.
type indexFlags struct {
	hosts   string
	sources int
	memory  string
}

func newBacklinksIndexCommand(a *app.App) *cobra.Command {
	f := indexFlags{sources: 1000, memory: "256MB"}
	cmd := &cobra.Command{
		Use: "index INPUT… -o FILE", Short: "Build an index of reversed links from other crawls", Args: usageArgs(cobra.MinimumNArgs(1)),
		Long: "Build an index of reversed links, which lists offline the pages that link to a page, a prefix, a host or a domain.\n" +
			"INPUT is a WAT file of Common Crawl (*.wat.gz), a list of links with the columns source and target (and optionally\n" +
			"anchor and nofollow; tabs or CSV), a list of two columns without header, or a folder of such files, such\n" +
			"as runs. Links within a site are left out. Lines without a link are counted and the first of them reported;\n" +
			"exit code 3 means that an input could not be read, or not to its end.\n" +
			"The same inputs give the same bytes. Building needs some 250 bytes of disk per link.",
		Example: `  eventseer backlinks index CC-MAIN-*.warc.wat.gz -o cc.edges
  eventseer backlinks index CC-MAIN-*.warc.wat.gz --hosts conferences.txt -o calls.edges
  eventseer backlinks index runs/ links.tsv.gz -o own.edges`,
		RunE: func(cmd *cobra.Command, inputs []string) error { return backlinksIndex(cmd.Context(), a, inputs, f) },
	}
	cmd.Flags().StringVar(&f.hosts, "hosts", "", "file of the hosts whose links are stored, one per line: conf.example, or .conf.example for all hosts below it too")
	cmd.Flags().IntVar(&f.sources, "sources", f.sources, "maximum number of links stored per target page")
	cmd.Flags().StringVar(&f.memory, "memory", f.memory, "memory for sorting; about 100 MB more are used")
	return cmd
}

func backlinksIndex(ctx context.Context, a *app.App, inputs []string, f indexFlags) error {
	if a.Config.Output == "-" {
		return app.Usagef("backlinks index needs -o FILE")
	}
	var memory app.Size
	if err := memory.UnmarshalText([]byte(f.memory)); err != nil || f.sources < 1 || memory < 1 {
		return app.Usagef("--sources and --memory must be above 0, the latter for example 1GB")
	}
	hosts, err := blocklist.ReadHosts(f.hosts)
	if err != nil {
		return err
	}
	stats, err := edgeindex.Build(ctx, edgeindex.Options{
		Path: a.Config.Output, Inputs: inputs, Hosts: hosts, Sources: f.sources, Memory: int(memory), Progress: indexProgress(a),
	})
	if err != nil {
		return err
	}
	a.Logf("wrote %s: %s, which lead to %s", a.Config.Output, text.Count(int(stats.Edges), "link", "links"), text.Count(int(stats.Targets), "page", "pages"))
	a.Logf("of %d lines, left out: %d links within a site, %d to other hosts, %d repeated, %d to pages that have %d links already",
		stats.Lines, stats.SameSite, stats.Unwanted, stats.Repeated, stats.Crowded, f.sources)
	for _, problem := range stats.Problems {
		a.Logf("%v", problem)
	}
	if stats.Bad > 0 {
		a.Logf("%s: left out", text.Count(int(stats.Bad), "line does not contain a web link", "lines do not contain a web link"))
	}
	if stats.Broken > 0 {
		return fmt.Errorf("%w: %s could not be read completely", app.ErrPartly, text.Count(int(stats.Broken), "input", "inputs"))
	}
	return nil
}

// readShare is the fraction of a build's time spent reading; the other part is for writing. It is about
// the same for inputs of all kinds.
const readShare = 0.75

// indexProgress returns a function that shows the progress of a build: a bar on a terminal, lines
// otherwise. It is nil if nothing is to be shown.
func indexProgress(a *app.App) func(edgeindex.Stats) {
	mode := a.ProgressMode()
	pause := app.LinePause
	show := func(done float64, s edgeindex.Stats, left time.Duration) {
		a.Status(map[string]any{"done": done, "links": s.Lines, "bad": s.Bad, "written": s.Written, "seconds_left": left.Seconds()},
			"%s, %.0f %% done, %s left", indexLine(s), 100*done, left)
	}
	switch mode {
	case "none":
		return nil
	case "bar":
		const steps = 1000
		pause = app.BarPause
		bar := progressbar.NewOptions(steps, progressbar.OptionSetWriter(a.Stderr), progressbar.OptionSetWidth(20), progressbar.OptionClearOnFinish())
		show = func(done float64, s edgeindex.Stats, _ time.Duration) {
			bar.Describe(indexLine(s))
			_ = bar.Set(int(done * steps)) // a progress bar that cannot be drawn is not an error
		}
	}
	start := a.Now()
	last := start
	return func(s edgeindex.Stats) {
		now := a.Now()
		if s.Edges == 0 && now.Sub(last) < pause {
			return
		}
		last = now
		done := readShare*shareOf(s.Read, s.Size) + (1-readShare)*shareOf(s.Written, s.Sorted)
		var left time.Duration
		if done > 0 {
			left = time.Duration(float64(now.Sub(start)) * (1 - done) / done).Round(time.Second)
		}
		show(done, s, left)
	}
}

func shareOf(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return min(1, float64(part)/float64(whole))
}

func indexLine(s edgeindex.Stats) string {
	doing := "reading"
	if s.Written > 0 {
		doing = "writing"
	}
	return fmt.Sprintf("%s: %d links, %d bad lines", doing, s.Lines, s.Bad)
}
