package main

import (
	"io"
	"os"
	"path/filepath"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler/lab"
	"github.com/eventseer/eventseer/crawler/replay/split"
	"github.com/eventseer/eventseer/internal/atomicfile"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/spf13/cobra"
)

func newWebSplitCommand(a *app.App) *cobra.Command {
	var o split.Options
	cmd := &cobra.Command{
		Use: "split WARC --targets TSV -o DIR", Short: "Split a frozen web into several with different events", Args: usageArgs(cobra.ExactArgs(1)), Annotations: formatAnnotations("table"),
		Long: `Split a frozen web into several with different events, so that strategies are compared on more webs than
one. The sites of events (event_site of the targets) are assigned to parts by --seed and their registered
domain. Each part, in DIR/1, DIR/2 and so on, has the pages of its own sites and all pages
without an event, with its targets, links and draws of seeds.`,
		Example: `  eventseer web split web.warc.gz --targets targets.tsv --seeds seeds/ --backlinks links.tsv.gz --parts 3 -o parts/
  eventseer lab run --web parts/1 --web parts/2 --web parts/3 --strategies breadth-first,eventseer --budget 1000 -o lab/`,
		RunE: func(_ *cobra.Command, arg []string) error {
			if a.Config.Output == "-" {
				return app.Usagef("-o DIR is needed: the folder for the parts, which must be new")
			}
			o.Web, o.Seed, o.Into = arg[0], a.Config.Seed, a.Config.Output
			parts, err := split.Split(o)
			if err != nil {
				return err
			}
			for _, p := range parts {
				a.Logf("%s: %d records, %s of %s, %s of seeds", p.Dir, p.Records, text.Count(p.Targets, "target", "targets"), text.Count(p.Events, "event", "events"), text.Count(p.Draws, "draw", "draws"))
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Targets, "targets", "", "TSV with the columns url, kind and event_site")
	flags.StringVar(&o.Seeds, "seeds", "", "folder of .txt files, each a draw of seeds")
	flags.StringVar(&o.Links, "backlinks", "", "links file of the web")
	flags.IntVar(&o.Parts, "parts", 3, "number of parts")
	markRequired(cmd, "targets")
	return cmd
}

// reportWebs compares the strategies of finished experiments on several webs.
func reportWebs(a *app.App, dirs []string, against string, m lab.Measure) error {
	if a.Config.Output == "-" {
		return app.Usagef("-o DIR is needed: the folder for the comparison of several experiments")
	}
	var webs []lab.WebResult
	for _, dir := range dirs {
		record, e, runs, err := readExperiment(a, dir, m)
		if err != nil {
			return err
		}
		webs = append(webs, lab.WebResult{Name: filepath.Base(filepath.Clean(dir)), Experiment: e, Runs: runs})
		if against == "" {
			against = record.Flags.Against
		}
		if against == lab.All { // over webs, all are compared with one
			against = e.Strategies[0]
		}
	}
	summary, err := lab.CompareWebs(webs, against, a.Config.Seed)
	if err != nil {
		return app.MarkUsage(err)
	}
	if err := os.MkdirAll(a.Config.Output, 0o755); err != nil {
		return err
	}
	for name, write := range map[string]func(io.Writer) error{
		lab.SummaryFile: func(w io.Writer) error { return atomicfile.EncodeJSON(w, summary) },
		lab.RunsFile:    func(w io.Writer) error { return lab.WriteWebs(w, webs) },
	} {
		if err := atomicfile.Write(filepath.Join(a.Config.Output, name), write); err != nil {
			return err
		}
	}
	return summary.Print(a.Stdout)
}
