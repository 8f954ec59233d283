package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer"
	"eventseer/eventseer/change/versions"
	"eventseer/internal/text"

	"github.com/spf13/cobra"
)

func newShowCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "show EVENT", Short: "Show all that is known of one event", Args: args(cobra.ExactArgs(1)),
		Example: "  eventseer show icx-2027\n  eventseer show icx-2027 --history\n  eventseer show icx-2027 --format json\n  eventseer show icx-2027 --format 'ics?alarm=7d,1d' -o icx.ics",
	}
	history := cmd.Flags().Bool("history", false, "also what changed when, and what pages say otherwise")
	cmd.RunE = func(cmd *cobra.Command, given []string) error {
		return show(cmd.Context(), a, eventseer.EventID(given[0]), *history)
	}
	return cmd
}

// A shown is what show prints.
type shown struct {
	Event   eventseer.Event    `json:"event"`
	Clips   []eventseer.Clip   `json:"clips,omitempty"`
	History []eventseer.Change `json:"history,omitempty"`
}

func show(ctx context.Context, a *app.App, id eventseer.EventID, history bool) error {
	format, err := chooseEventFormat(a)
	if err != nil {
		return err
	}
	st, err := engine.OpenStore(a)
	if err != nil {
		return err
	}
	var s shown
	if s.Event, err = st.Event(ctx, id); err != nil {
		if errors.Is(err, eventseer.ErrNotFound) {
			err = fmt.Errorf("%w; `eventseer find --all` lists those there are", err)
		}
		return err
	}
	var clipErr, historyErr error
	s.Clips, clipErr = st.Clips(ctx, id)
	if history {
		s.History, historyErr = st.History(ctx, id)
	}
	err = a.WithOutput(func(w io.Writer) error {
		switch format.name {
		case "json":
			return app.WriteJSON(w, s)
		case "jsonl":
			return app.WriteJSONLine(w, s)
		case "table":
			return writeShown(w, s, history)
		}
		return writeEventsIn(ctx, a, w, format, st, heading(s.Event), 1, []eventseer.Event{s.Event})
	})
	if err != nil {
		return err
	}
	if err := errors.Join(clipErr, historyErr); err != nil {
		return fmt.Errorf("%w: %w", app.ErrPartly, err)
	}
	return nil
}

func writeShown(w io.Writer, s shown, history bool) error {
	e := s.Event
	fmt.Fprintln(w, heading(e))
	facts := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, f := range [][2]string{
		{"event", string(e.ID)}, {"kind", strings.ReplaceAll(string(e.Kind), "_", " ")}, {"series", e.Series}, {"held with", e.Parent},
		{"days", describeDays(e)}, {"place", describePlace(e)}, {"call", e.URL}, {"submission", e.SubmissionURL}, {"publisher", e.Publisher},
		{"confidence", shareText(e.Confidence)}, {"first seen", timeText(e.FirstSeen)}, {"last seen", timeText(e.LastSeen)},
	} {
		if f[1] != "" {
			fmt.Fprintf(facts, "%s\t%s\n", f[0], text.OneLine(f[1], app.MaxShown))
		}
	}
	if err := facts.Flush(); err != nil {
		return err
	}
	if err := writeDeadlines(w, e.Deadlines); err != nil {
		return err
	}
	writeList(w, "topics", e.Topics)
	writeList(w, "warnings", warningTexts(e.Warnings))
	writeList(w, "read at", e.Pages)
	writeList(w, "also on", e.Related)
	for _, c := range s.Clips {
		writeList(w, "clip of "+text.OneLine(c.URL, app.MaxShown), []string{c.Title, c.Summary})
	}
	if history {
		writeTrail(w, e.Trail)
	}
	writeHistory(w, s.History)
	return nil
}

func heading(e eventseer.Event) string {
	switch {
	case e.Acronym == "" && e.Title == "":
		return "untitled call"
	case e.Acronym == "" || e.Title == "":
		return text.OneLine(e.Acronym+e.Title, app.MaxShown)
	}
	return text.OneLine(e.Acronym+" - "+e.Title, app.MaxShown)
}

func writeDeadlines(w io.Writer, deadlines []eventseer.Deadline) error {
	if len(deadlines) == 0 {
		return nil
	}
	fmt.Fprintln(w, "\ndeadlines")
	table := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	for _, d := range deadlines {
		kind := string(d.Kind)
		if d.Round > 0 {
			kind += fmt.Sprintf(" %d", d.Round)
		}
		instant := timeText(d.Instant)
		if instant == "" {
			instant = "-"
		}
		zone := text.OneLine(d.TZ, 30)
		if d.TZSource == eventseer.TZAssumed {
			zone += " (assumed)"
		}
		if zone == "" {
			zone = "-"
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\t%s\t%s\t%s\t%s\n", text.OneLine(kind, 40), text.OneLine(d.Track, 40),
			text.OneLine(string(d.Date), 20), instant, zone, text.OneLine(d.Text, app.MaxShown), deadlineNotes(d))
	}
	return table.Flush()
}

// deadlineNotes is what else is to know of a deadline.
func deadlineNotes(d eventseer.Deadline) string {
	var notes []string
	if d.ExtendedFrom != "" {
		notes = append(notes, "extended from "+text.OneLine(string(d.ExtendedFrom), 20))
	}
	if d.Firm {
		notes = append(notes, "firm")
	}
	if d.Source.Inferred != "" {
		notes = append(notes, "not printed: "+text.OneLine(d.Source.Inferred, app.MaxShown))
	}
	return strings.Join(notes, "; ")
}

// writeTrail tells what pages say otherwise.
func writeTrail(w io.Writer, trail []eventseer.Evidence) {
	var lines []string
	for _, v := range trail {
		lines = append(lines, fmt.Sprintf("%s %s: %s, at %s", v.Seen.UTC().Format(time.RFC3339), v.Field, v.Value, v.Source.URL))
	}
	writeList(w, "what pages say otherwise", lines)
}

func warningTexts(warnings []eventseer.Warning) []string {
	var texts []string
	for _, w := range warnings {
		texts = append(texts, w.Rule+": "+w.Text)
	}
	return texts
}

func writeList(w io.Writer, name string, lines []string) {
	if len(lines) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s\n", name)
	for _, line := range lines {
		fmt.Fprintf(w, "  %s\n", text.OneLine(line, app.MaxShown))
	}
}

func writeHistory(w io.Writer, history []eventseer.Change) {
	if len(history) == 0 {
		return
	}
	fmt.Fprintln(w, "\nhistory")
	for _, c := range history {
		fmt.Fprintf(w, "  %s %s at %s\n", c.At.UTC().Format(time.RFC3339), versions.Happened(c), text.OneLine(c.Page, app.MaxShown))
		for _, f := range c.Fields {
			fmt.Fprintf(w, "    %s: %s -> %s\n", text.OneLine(f.Field, 80), text.OneLine(f.Old, app.MaxShown), text.OneLine(f.New, app.MaxShown))
		}
	}
}

func shareText(share float64) string {
	if share == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", share)
}
