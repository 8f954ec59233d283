package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"eventseer/eventseer"
	"eventseer/features"
	"eventseer/features/tagtree"
	"eventseer/webgraph"

	"github.com/spf13/cobra"
)

// An extraction is one line of `extract --format jsonl`: an event, or the page
// and why it could not be read.
type extraction struct {
	eventseer.Event
	Error string `json:"error,omitempty"`
}

func newExtractCommand(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use: "extract INPUT…", Short: "Read calls for papers into records: event, dates, place, deadlines, topics",
		Example: `  eventseer extract call.html
  eventseer extract pages.warc.gz --format jsonl
  eventseer extract call.txt --format jsonl --explain
  curl -s https://conf.example/cfp | eventseer extract - --url https://conf.example/cfp`,
		Long: `Read calls for papers into records, one a page. Every page with a title gives a
record; whether it is a call at all says its cfp_score (see classify). What a
page does not say is left out. --explain adds to each field where it was read.`,
		Args: args(cobra.MinimumNArgs(1)),
	}
	url := cmd.Flags().String("url", "", "name of the page on stdin")
	explain := cmd.Flags().Bool("explain", false, "also show where each field was read, and by which rule")
	cmd.RunE = func(cmd *cobra.Command, inputs []string) error {
		return a.extract(cmd.Context(), inputs, *url, *explain)
	}
	return cmd
}

func (a *app) extract(ctx context.Context, inputs []string, url string, explain bool) error {
	format, err := a.format("table", "jsonl", "json", "csv")
	if err != nil {
		return err
	}
	judge, err := newPageJudge("shipped", nil)
	if err != nil {
		return err
	}
	reader := pageReader{extractor: a.newExtractor(), judge: judge, explain: explain}
	var bad, all int
	var first error
	err = a.withOutput(func(w io.Writer) error {
		var events []eventseer.Event
		for page, err := range a.pages(ctx, inputs, url) {
			x, err := reader.read(page, err)
			all++
			if err != nil {
				if bad++; first == nil {
					first = err
				}
				a.logf("%s: %v", page.URL, err)
			}
			switch {
			case format == "jsonl" && (x.Title != "" || err != nil):
				if err := writeJSONLine(w, x); err != nil {
					return err
				}
			case x.Title != "":
				events = append(events, x.Event)
			}
		}
		if format == "jsonl" {
			return nil
		}
		if err := a.writeEvents(w, format, len(events), events); err != nil || format != "table" || !explain {
			return err
		}
		return explainEvents(w, events)
	})
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return partly(bad, all, first)
}

// A pageReader turns pages into records.
type pageReader struct {
	extractor eventseer.Extractor
	judge     pageJudge
	explain   bool
}

// read extracts one page; of a page that cannot be read the line holds the
// error, which is also returned.
func (r pageReader) read(page *webgraph.Page, err error) (extraction, error) {
	var tree *tagtree.Tree
	if err == nil {
		tree, err = tagtree.Parse(page)
	}
	if err != nil {
		return extraction{Event: eventseer.Event{URL: page.URL}, Error: err.Error()}, err
	}
	// The page was given as a call: what Extract thinks of that is not asked.
	e, _ := r.extractor.Extract(tree)
	e = eventseer.Validate(e)
	e.CFPScore = r.judge.For(page.URL).Document(features.Read(tree)).CFPScore
	if e.Title != "" {
		e.ID = eventseer.MakeID(e)
	}
	if !r.explain {
		e.Sources = nil
	}
	return extraction{Event: e}, nil
}

// explainEvents prints where each field was read, below the table.
func explainEvents(w io.Writer, events []eventseer.Event) error {
	for _, e := range events {
		if _, err := fmt.Fprintf(w, "\n%s  %s\n", e.ID, printable(e.URL)); err != nil {
			return err
		}
		fields := make([]string, 0, len(e.Sources))
		for field := range e.Sources {
			fields = append(fields, field)
		}
		slices.Sort(fields)
		for _, field := range fields {
			src := e.Sources[field]
			fmt.Fprintf(w, "  %-14s %-16s %s: %s\n", field, src.Rule, printable(src.Path), oneLine(src.Snippet, 80))
		}
		for _, d := range e.Deadlines {
			fmt.Fprintf(w, "  %-14s %-16s %s: %s\n", d.Kind, d.String(), printable(d.Source.Path), oneLine(d.Text, 80))
		}
		for _, warning := range e.Warnings {
			fmt.Fprintf(w, "  %-14s %s\n", warning.Rule, oneLine(warning.Text, 100))
		}
	}
	return nil
}
