package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/eventseer"
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

// maxRecord bounds a line of records, in bytes.
const maxRecord = 8 << 20

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
	r, err := unzipped(r)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	for text := lines.NewReader(r, maxRecord); ; {
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
		e, ok, err := readRecord(line)
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

// unzipped returns what a stream holds, whether compressed or not.
func unzipped(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	if magic, _ := b.Peek(2); !bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		return b, nil
	}
	return gzip.NewReader(b)
}

// readRecord reads a line of records: one of export, extract or show. ok is false of a
// line without an event, such as that of a page that could not be read.
func readRecord(line []byte) (e eventseer.Event, ok bool, err error) {
	if len(bytes.TrimSpace(line)) == 0 {
		return e, false, nil
	}
	var row struct {
		eventseer.Event
		Shown *eventseer.Event `json:"event"`
		Error string           `json:"error"`
	}
	if err := json.Unmarshal(line, &row); err != nil {
		return e, false, fmt.Errorf("no record: %w", err)
	}
	if e = row.Event; row.Shown != nil {
		e = *row.Shown
	}
	switch {
	case row.Error != "" || e.Title == "" && e.Acronym == "" && e.URL != "":
		return e, false, nil
	case e.URL == "":
		return e, false, errors.New("no record: it has no url")
	}
	return e, true, nil
}
