package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/eventseer/exchange"
	"eventseer/eventseer/store"
	"eventseer/internal/lines"

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
	in := recordImport{a: a, st: st}
	for _, path := range paths {
		if err := in.file(ctx, path); err != nil {
			return err
		}
	}
	left := ""
	if in.left > 0 {
		left = fmt.Sprintf(", %d lines without a record left out", in.left)
	}
	a.Logf("%d records read in%s; %d calls in the store", in.n, left, st.Len())
	switch {
	case in.bad > 0 && in.n == 0:
		return fmt.Errorf("no line could be read, first: %w", in.first)
	case in.bad > 0:
		return fmt.Errorf("%w: %d lines hold no record, first: %w", app.ErrPartly, in.bad, in.first)
	}
	return nil
}

// A recordImport puts records into a store.
type recordImport struct {
	a  *app.App
	st *store.Store

	n, left, bad int
	first        error
}

// maxTold bounds the bad lines that are told one by one.
const maxTold = 20

func (in *recordImport) wrong(err error) {
	if in.bad++; in.bad <= maxTold {
		in.a.Logf("%v", err)
	}
	if in.first == nil {
		in.first = err
	}
}

func (in *recordImport) file(ctx context.Context, path string) error {
	r := io.Reader(in.a.Stdin)
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		r = f
	}
	r, err := exchange.Unzipped(r)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for text := lines.NewReader(r, exchange.MaxRecord); ; {
		line, err := text.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, lines.ErrLong):
			in.wrong(fmt.Errorf("%s: line %d: %w", path, text.N, err))
			continue
		case err != nil:
			return fmt.Errorf("%s: line %d: %w", path, text.N, err)
		}
		e, ok, err := exchange.ReadRecord(line)
		switch {
		case err != nil:
			in.wrong(fmt.Errorf("%s: line %d: %w", path, text.N, err))
		case ok:
			if _, err := in.st.Put(ctx, e, nil); err != nil {
				return err
			}
			in.n++
		default:
			in.left++
		}
	}
}
