package main

import (
	"context"
	"fmt"
	"os"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer/exchange"
	"eventseer/eventseer/exchange/intake"
	"eventseer/eventseer/store"

	"github.com/spf13/cobra"
)

func newImportCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "import", Short: "Read in conference lists, records, and sources to watch", Args: args(cobra.NoArgs),
		Example: `  eventseer import ccfddl ccf-deadlines/                  # conferences with their ranks
  eventseer import ranks CORE.csv                         # a table of ranks or rates
  eventseer import jsonl all.jsonl                        # records that export or extract wrote
  eventseer import opml feeds.opml                        # feeds to watch
  eventseer import urls lists-of-calls.txt                # pages to watch`,
	}
	cmd.AddCommand(newImportCCFDDLCommand(a), newImportRecordsCommand(a), newImportOPMLCommand(a), newImportURLsCommand(a), newImportRanksCommand(a))
	return cmd
}

func newImportCCFDDLCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "ccfddl DIR|FILE…", Short: "Read in conference lists in the layout of ccfddl", Args: args(cobra.MinimumNArgs(1)),
		Example: "  eventseer import ccfddl ccf-deadlines/conference ccf-deadlines/accept_rates\n  eventseer import ccfddl conference/AI/aaai.yml",
		Long: `Read in conference lists in the layout of ccfddl, https://github.com/ccfddl/ccf-deadlines
(MIT licence), or of the lists before it that name an edition an entry: series
with their ranks and DBLP keys, editions with their deadlines, days and places,
and rates of acceptance.

What is imported is the weakest evidence: it changes nothing that a crawled page
says, today or later. Of a file or entry that cannot be understood the reason is
told, and the others are read.`,
		RunE: func(cmd *cobra.Command, paths []string) error { return importCCFDDL(cmd.Context(), a, paths) },
	}
}

// importStore opens or makes the store that records are imported into.
func importStore(a *app.App) (*store.Store, error) {
	if err := os.MkdirAll(a.Config.Data, 0o750); err != nil {
		return nil, err
	}
	return engine.OpenStoreIn(a, a.Config.Data, false)
}

func importCCFDDL(ctx context.Context, a *app.App, paths []string) error {
	st, err := importStore(a)
	if err != nil {
		return err
	}
	in := intake.NewCCFDDL(st, a.Logf)
	for _, path := range paths {
		if err := in.Tree(ctx, path); err != nil {
			return err
		}
	}
	if err := in.PutSeries(ctx); err != nil {
		return err
	}
	a.Logf("%d files: %d editions of %d series, %d deadlines", in.Files, in.Editions, len(in.Series), in.Deadlines)
	a.Logf("%s", exchange.CCFDDLNotice)
	switch {
	case in.Editions == 0 && len(in.Series) == 0 && in.Bad > 0:
		return fmt.Errorf("nothing could be read, first: %w", in.First)
	case in.Bad > 0:
		return fmt.Errorf("%w: %d entries or files are not understood in part or whole, first: %w", app.ErrPartly, in.Bad, in.First)
	}
	return nil
}
