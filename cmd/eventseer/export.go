package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/exchange"
	"github.com/eventseer/eventseer/eventseer/exchange/dump"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/search"

	"github.com/spf13/cobra"
)

// exportFlags are the flags that select what is exported.
type exportFlags struct{ dump.Options }

func newExportCommand(a *app.App) *cobra.Command {
	var f exportFlags
	cmd := &cobra.Command{
		Use: "export [QUERY]", Short: "Export all calls found, or those of a query, for other programs",
		Example: `  eventseer export -o all.jsonl                              # every record, closed calls too
  eventseer export --format csv topic:crawling -o crawling.csv
  eventseer export --format 'ics?what=all&alarm=7d,1d' --open country:norway -o norway.ics
  eventseer export --format atom --base https://calls.example/ -o calls.atom
  eventseer export dump                                      # dated dumps for /data`,
		Long: `Export all calls found, or those of a query in the language of find, for other
programs. Formats:
` + describeFormats() + `
Options of a calendar follow its name: as=todo, style=hour|instant|allday,
what=submissions,others,notifications,registration,days (deadlines and all stand for
several), alarm=7d,1d. Records of jsonl can be imported again with
import jsonl. All formats but ccfddl are written record by record, however many
there are.`,
		Args: usageArgs(cobra.ArbitraryArgs),
	}
	flags := cmd.Flags()
	flags.BoolVar(&f.Open, "open", false, "only open calls")
	flags.BoolVar(&f.History, "history", false, "with jsonl: add the history of each event as \"history\"")
	flags.BoolVar(&f.Public, "public", false, "with jsonl and json: leave out names of people and fields that an operator names")
	flags.StringVar(&f.Base, "base", "", "URL of the site that shows the calls, for links and stable identifiers")
	flags.StringVar(&f.Title, "title", "", "title of calendars and feeds")
	cmd.RunE = func(cmd *cobra.Command, words []string) error {
		f.Query = strings.Join(words, " ")
		return runExport(cmd.Context(), a, f)
	}
	cmd.AddCommand(newExportDumpCommand(a))
	return cmd
}

func describeFormats() string {
	var b strings.Builder
	for _, f := range exchange.Formats() {
		fmt.Fprintf(&b, "  %-9s %s\n", f.Name, f.Describe)
	}
	return b.String()
}

func runExport(ctx context.Context, a *app.App, f exportFlags) error {
	offered := slices.DeleteFunc(eventFormats(), func(s string) bool { return s == "table" })
	format, err := chooseEventFormat(a, offered...)
	if err != nil {
		return err
	}
	if f.History && format.name != "jsonl" {
		return app.Usagef("--history needs --format jsonl")
	}
	if f.Base != "" && !strings.HasSuffix(f.Base, "/") {
		f.Base += "/"
	}
	x := dump.Exporter{Now: a.Now, Partly: app.ErrPartly, Options: f.Options}
	var index *search.Index
	if f.Query != "" || f.Open {
		x.Store, index, err = engine.OpenEvents(ctx, a)
	} else {
		x.Store, err = engine.OpenStore(a)
	}
	if err != nil {
		return err
	}
	events, all := x.All(ctx), x.Store.Len()
	if index != nil {
		events, all = x.Found(ctx, index), 0
	}
	meter := app.NewCounter(a, "exporting", "calls", all)
	defer meter.RemoveBar()
	events = countForProgress(events, meter)
	err = a.WithOutput(func(w io.Writer) error { return x.Write(ctx, w, format.name, format.options, events) })
	if err = errors.Join(badFormatOption(err), usageIf[*query.Error](x.Fatal)); err != nil {
		return err
	}
	a.Logf("%d calls", x.N)
	if x.Unread > 0 {
		return fmt.Errorf("%w: %d calls cannot be read, first: %w", app.ErrPartly, x.Unread, x.First)
	}
	return nil
}

// countForProgress counts each event for the progress display.
func countForProgress(events iter.Seq[eventseer.Event], meter *app.Meter) iter.Seq[eventseer.Event] {
	return func(yield func(eventseer.Event) bool) {
		for e := range events {
			if !yield(e) {
				return
			}
			meter.Add(0, 1)
		}
	}
}

const (
	dumpsDir  = "dumps" // in the data directory
	keepDumps = 14      // days
)

func newExportDumpCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "dump", Short: "Write dated dumps of all calls with their checksums, and remove old ones", Args: usageArgs(cobra.NoArgs),
		Example: "  eventseer export dump                  # to the folder dumps of the data directory, which serve offers at /data\n  eventseer export dump -o /srv/dumps --keep 30",
		Long: `Write events-DAY.jsonl.gz and events-DAY.csv.gz of all calls, without the names
of people, and ` + dump.SumsFile + ` of all dumps there. A dump of the same day is
replaced. Readers never see an incomplete file.`,
	}
	keep := cmd.Flags().Int("keep", keepDumps, "number of days whose dumps are kept, at least 1")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *keep < 1 {
			return app.Usagef("--keep %d is less than 1", *keep)
		}
		st, err := engine.OpenStore(a)
		if err != nil {
			return err
		}
		dir := a.Config.Output
		if dir == "-" {
			dir = filepath.Join(a.Config.Data, dumpsDir)
		}
		meter := app.NewCounter(a, "dumping", "calls", 0)
		defer meter.RemoveBar()
		return meter.ShowDuring(func() error { return writeAndPruneDumps(cmd.Context(), a, st, dir, *keep) })
	}
	return cmd
}

// writeDumps writes the dumps of today into a folder, which is created if missing, and removes
// those older than the newest 14 days. Damaged records are left out; the error is then an
// errPartly.
func writeDumps(ctx context.Context, a *app.App, st eventseer.Store, dir string) error {
	return writeAndPruneDumps(ctx, a, st, dir, keepDumps)
}

func writeAndPruneDumps(ctx context.Context, a *app.App, st eventseer.Store, dir string, keep int) error {
	d, err := dump.Write(ctx, st, a.Now().UTC(), dir, keep)
	if err != nil {
		return err
	}
	a.Logf("%d calls dumped to %s, %d files kept", d.N, dir, d.Files)
	if d.Bad > 0 {
		return fmt.Errorf("%w: %d calls cannot be read, first: %w", app.ErrPartly, d.Bad, d.First)
	}
	return nil
}

// dumpPause is the interval of checks whether the day's dump is missing.
const dumpPause = 10 * time.Minute

// refreshDumps writes a dump every day until ctx ends.
func refreshDumps(ctx context.Context, a *app.App, st eventseer.Store) error {
	written := ""
	for ctx.Err() == nil {
		today := a.Now().UTC().Format(time.DateOnly)
		if today != written {
			if err := writeDumps(ctx, a, st, filepath.Join(a.Config.Data, dumpsDir)); err != nil && ctx.Err() == nil {
				a.Logger().Error("dump", "err", err)
			}
			written = today
		}
		engine.Wait(ctx, dumpPause)
	}
	return nil
}
