package main

import (
	"context"
	"fmt"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/eventseer/exchange/intake"

	"github.com/spf13/cobra"
)

func newImportRecordsCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "jsonl FILE…", Short: "Read in records that export, extract or a dump wrote", Args: args(cobra.MinimumNArgs(1)),
		Example: "  eventseer import jsonl all.jsonl\n  eventseer import jsonl dumps/events-2026-11-22.jsonl.gz\n  eventseer extract pages.warc.gz --format jsonl | eventseer import jsonl -",
		Long: `Read in records of events, one a line, also compressed by gzip; - is stdin. Each
joins the event it belongs to as if its page had been read when it was last seen.
A line that holds no record is told and left out, so are lines of pages that gave
an error. Histories are not read: backup keeps them.`,
		RunE: func(cmd *cobra.Command, paths []string) error { return importRecords(cmd.Context(), a, paths) },
	}
}

func importRecords(ctx context.Context, a *app.App, paths []string) error {
	st, err := importStore(a)
	if err != nil {
		return err
	}
	in := intake.NewRecords(st, a.Stdin, a.Logf)
	for _, path := range paths {
		if err := in.File(ctx, path); err != nil {
			return err
		}
	}
	left := ""
	if in.Left > 0 {
		left = fmt.Sprintf(", %d lines without a record left out", in.Left)
	}
	a.Logf("%d records read in%s; %d calls in the store", in.N, left, st.Len())
	switch {
	case in.Bad > 0 && in.N == 0:
		return fmt.Errorf("no line could be read, first: %w", in.First)
	case in.Bad > 0:
		return fmt.Errorf("%w: %d lines hold no record, first: %w", app.ErrPartly, in.Bad, in.First)
	}
	return nil
}
