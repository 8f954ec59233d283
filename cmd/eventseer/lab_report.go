package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler/lab"
	"eventseer/internal/text"

	"github.com/spf13/cobra"
)

func newLabReportCommand(a *app.App) *cobra.Command {
	var against string
	cmd := &cobra.Command{
		Use: "report DIR", Short: "Write the report of an experiment anew, of the crawls that are complete", Args: args(cobra.ExactArgs(1)),
		Example: "  eventseer lab report lab/\n  eventseer lab report lab/ --against best-first",
	}
	cmd.Flags().StringVar(&against, "against", "", "strategy the others are tested against, or all for all pairs (default as in the run)")
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		dir := args[0]
		record, targets, err := readLab(dir)
		if errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: %s is no folder of `eventseer lab run`", err, dir)
		}
		if err != nil {
			return err
		}
		e, runs, err := completeCells(a, dir, record, targets)
		if err != nil {
			return err
		}
		rivals := slices.DeleteFunc(slices.Clone(e.Strategies), func(s string) bool { return s == lab.Oracle })
		switch known := append(rivals, lab.All); {
		case against != "" && !slices.Contains(known, against):
			return app.Usagef("--against %s: no strategy of that name is complete in %s; there are %s", against, dir, strings.Join(known, ", "))
		case against != "":
			record.Flags.Against = against
		case !slices.Contains(known, record.Flags.Against):
			record.Flags.Against = lab.All
		}
		return reportLab(a, record, dir, e, runs)
	}
	return cmd
}

// completeCells reads the cells of an experiment. Strategies of which some are
// missing are left out.
func completeCells(a *app.App, dir string, r labRecord, targets []lab.Target) (lab.Experiment, []lab.Run, error) {
	b := bench{record: r, targets: targets}
	e := b.experiment()
	if err := errors.Join(e.Validate(), r.check()); err != nil {
		return e, nil, fmt.Errorf("%s: %w", filepath.Join(dir, lab.RecordFile), err)
	}
	return lab.ReadComplete(e, dir, a.Logf)
}

// reportLab writes what the crawls come to, and prints it.
func reportLab(a *app.App, r labRecord, dir string, e lab.Experiment, runs []lab.Run) error {
	summary := e.Summarise(runs, r.Flags.Against, r.Flags.Seed)
	err := lab.WriteFiles(e, dir, lab.Report{
		Summary: summary, Runs: runs, Seed: r.Flags.Seed, Settings: r.settings(), Command: r.command() + " " + shellWord(dir),
		Reproduce: func(w io.Writer) error { return r.reproduce(w, dir) },
	})
	if err != nil {
		return err
	}
	a.Logf("%s of at most %d pages each, %d targets; the report is %s", text.Count(len(e.Cells()), "crawl", "crawls"), e.Budget, len(e.Targets), filepath.Join(dir, lab.ReportFile))
	return showLab(a.Stdout, e, summary)
}

// showLab prints the figures of the strategies.
func showLab(out io.Writer, e lab.Experiment, s *lab.Summary) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "strategy\tarea to %d\tarea\tof oracle\t", e.EarlyBudget())
	budgets := e.ToldBudgets()
	for _, b := range budgets {
		fmt.Fprintf(w, "@%d\t", b)
	}
	fmt.Fprintf(w, "events@%d\tcalls\t\n", budgets[len(budgets)-1])
	for _, name := range e.Strategies {
		f := s.Strategies[name]
		share := "-"
		if f.OracleShare != nil {
			share = fmt.Sprintf("%.3f", f.OracleShare.Mean)
		}
		fmt.Fprintf(w, "%s\t%.4f\t%.4f\t%s\t", name, f.HarvestAUC1000.Mean, f.HarvestAUC.Mean, share)
		for _, b := range budgets {
			fmt.Fprintf(w, "%.1f\t", f.FoundAt[fmt.Sprint(b)].Mean)
		}
		fmt.Fprintf(w, "%.1f\t%.0f\t\n", f.Events.Mean, f.BacklinkCalls.Mean)
	}
	return w.Flush()
}
