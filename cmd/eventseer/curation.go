package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/curate"
	"github.com/eventseer/eventseer/eventseer/curate/queue"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/spf13/cobra"
)

// editorFlags are the flags for the editor and the reason.
type editorFlags struct{ who, why string }

func (f *editorFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.who, "by", "operator", "name of the editor, stored with the correction")
	cmd.Flags().StringVar(&f.why, "why", "", "reason, stored with the correction")
}

// correctionCommand returns a command that makes corrections of its arguments.
func correctionCommand(a *app.App, cmd *cobra.Command, correctionsOf func(args []string) ([]eventseer.Correction, error)) *cobra.Command {
	var f editorFlags
	f.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		given, err := correctionsOf(args)
		if err != nil {
			return err
		}
		for i := range given {
			given[i].Who, given[i].Why = f.who, f.why
		}
		st, err := engine.OpenStore(a)
		if err != nil {
			return err
		}
		kept, err := st.Correct(cmd.Context(), nil, given...)
		if errors.Is(err, curate.ErrBad) {
			return app.MarkUsage(err)
		}
		if err != nil {
			return err
		}
		for _, c := range kept {
			if err := a.Printf("%s\t%s\n", c.ID, describeCorrection(c)); err != nil {
				return err
			}
		}
		return nil
	}
	return cmd
}

// describeCorrection describes a correction in one line.
func describeCorrection(c eventseer.Correction) string {
	switch c.Kind {
	case eventseer.EditCorrection:
		return text.Printable(fmt.Sprintf("%s: %s is %q instead of %q", c.Event, c.Field, c.Value, c.Old))
	case eventseer.PinCorrection:
		return text.Printable(fmt.Sprintf("%s: %s is pinned at %q", c.Event, c.Field, c.Value))
	case eventseer.MergeCorrection:
		return fmt.Sprintf("%s is merged into %s", c.Other, c.Event)
	case eventseer.SplitCorrection:
		return fmt.Sprintf("%s of %s: %s", c.Other, c.Event, strings.Join(c.Pages, " "))
	case eventseer.ApartCorrection:
		return fmt.Sprintf("%s and %s are two events", c.Event, c.Other)
	}
	return fmt.Sprintf("%s: %s", c.Event, c.Kind)
}

func newEditCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "edit EVENT FIELD=VALUE…", Short: "Correct fields of an event", Args: usageArgs(cobra.MinimumNArgs(2)),
		Example: `  eventseer edit icx-2027 title='22nd International Conference on X' --why 'the page has a misprint'
  eventseer edit icx-2027 event_start=2027-06-02 event_end=2027-06-05
  eventseer edit icx-2027 'deadlines.submission=2027-01-22 AoE' location='Trondheim, Norway'`,
		Long: "Correct fields of an event. The values take precedence over what pages say, until they are\n" +
			"undone (eventseer curation undo). An empty value empties the field. Either all corrections are\n" +
			"made or none. The fields are\n" + strings.Join(curate.Fields(), ", ") + ";\ndeadlines.KIND[TRACK]@ROUND names the one of a track and a round.",
	}
	return correctionCommand(a, cmd, func(args []string) (all []eventseer.Correction, err error) {
		for _, pair := range args[1:] {
			name, value, ok := strings.Cut(pair, "=")
			if !ok {
				return nil, app.Usagef("%q is not FIELD=VALUE", pair)
			}
			all = append(all, eventseer.Correction{Kind: eventseer.EditCorrection, Event: eventseer.EventID(args[0]), Field: name, Value: value})
		}
		return all, nil
	})
}

func newPinCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "pin EVENT FIELD…", Short: "Pin fields of an event at their current values", Args: usageArgs(cobra.MinimumNArgs(2)),
		Example: "  eventseer pin icx-2027 title deadlines.submission",
		Long:    "Pin fields of an event at their current values, whatever pages say later. An event whose name\nis in doubt is listed once its title is pinned.",
	}
	return correctionCommand(a, cmd, func(args []string) (all []eventseer.Correction, err error) {
		for _, name := range args[1:] {
			all = append(all, eventseer.Correction{Kind: eventseer.PinCorrection, Event: eventseer.EventID(args[0]), Field: name})
		}
		return all, nil
	})
}

func newEventMergeCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "merge EVENT OTHER", Short: "Merge two events into one", Args: usageArgs(cobra.ExactArgs(2)),
		Example: "  eventseer merge icx-2027 icx-2027-2 --why 'one conference on two sites'",
		Long:    "Merge event OTHER into EVENT; its id then leads there. New pages are merged into either as\nbefore. If the merge is undone, they are two events again.",
	}
	return correctionCommand(a, cmd, func(args []string) ([]eventseer.Correction, error) {
		return []eventseer.Correction{{Kind: eventseer.MergeCorrection, Event: eventseer.EventID(args[0]), Other: eventseer.EventID(args[1])}}, nil
	})
}

func newCurationApartCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "apart EVENT OTHER", Short: "Mark two events as different", Args: usageArgs(cobra.ExactArgs(2)),
		Example: "  eventseer curation apart icx-2027 icx-2027-2",
		Long:    "Mark two events as different: the pair leaves the queue, and is a training example.\nNothing changes for readers.",
	}
	return correctionCommand(a, cmd, func(args []string) ([]eventseer.Correction, error) {
		return []eventseer.Correction{{Kind: eventseer.ApartCorrection, Event: eventseer.EventID(args[0]), Other: eventseer.EventID(args[1])}}, nil
	})
}

func newSplitCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "split EVENT PAGE…", Short: "Split pages off an event as an event of their own", Args: usageArgs(cobra.MinimumNArgs(2)),
		Example: "  eventseer split icx-2027 https://wics.example.org/cfp --why 'a workshop beside it'",
		Long:    "Split pages off an event as an event of their own. What the same pages say about other events\nstays there.",
	}
	return correctionCommand(a, cmd, func(args []string) ([]eventseer.Correction, error) {
		return []eventseer.Correction{{Kind: eventseer.SplitCorrection, Event: eventseer.EventID(args[0]), Pages: args[1:]}}, nil
	})
}

func newHideCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "hide EVENT…", Short: "Hide events from lists", Args: usageArgs(cobra.MinimumNArgs(1)),
		Example: "  eventseer hide icx-2027 --why 'no call for papers'",
		Long:    "Hide events from lists, messages and feeds of open calls. Their pages can still be viewed.\ncuration undo lists them again.",
	}
	return correctionCommand(a, cmd, func(args []string) (all []eventseer.Correction, err error) {
		for _, id := range args {
			all = append(all, eventseer.Correction{Kind: eventseer.HideCorrection, Event: eventseer.EventID(id)})
		}
		return all, nil
	})
}

func newUnpinCommand(a *app.App) *cobra.Command {
	var f editorFlags
	cmd := &cobra.Command{
		Use: "unpin EVENT FIELD…", Short: "Undo all corrections of fields of an event", Args: usageArgs(cobra.MinimumNArgs(2)),
		Example: "  eventseer unpin icx-2027 title",
	}
	f.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		st, err := engine.OpenStore(a)
		if err != nil {
			return err
		}
		all, err := st.CorrectionsOf(cmd.Context(), eventseer.EventID(args[0]))
		if err != nil {
			return err
		}
		for _, field := range args[1:] {
			found := false
			for _, c := range all {
				if c.Field != field || c.Undone != nil {
					continue
				}
				found = true
				if _, err := st.Undo(cmd.Context(), c.ID, eventseer.Undo{Who: f.who, Why: f.why}); err != nil {
					return err
				}
			}
			if _, err := st.Event(cmd.Context(), eventseer.EventID(args[0])); !found && err != nil {
				return st.SuggestID(cmd.Context(), eventseer.EventID(args[0]), err)
			}
			if !found {
				return fmt.Errorf("%s of %s is not corrected; `eventseer curation log %s` lists the corrections", field, args[0], args[0])
			}
		}
		return nil
	}
	return cmd
}

func newCurationCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "curation", Short: "Manage corrections of editors", Args: usageArgs(cobra.NoArgs),
		Example: "  eventseer curation log icx-2027\n  eventseer curation undo 20261101T120000.000000000-8d2f1c0a9b7e",
		RunE: func(*cobra.Command, []string) error {
			return app.Usagef("curation needs a command: queue, apart, log, undo, export, import, labels or pairs")
		},
	}
	cmd.AddCommand(newCurationLogCommand(a), newCurationUndoCommand(a), newCurationExportCommand(a), newCurationImportCommand(a), newCurationLabelsCommand(a), newCurationPairsCommand(a), newCurationQueueCommand(a), newCurationApartCommand(a))
	return cmd
}

var correctionTable = app.Table[eventseer.Correction]{
	Head: "CORRECTION\tBY\tUNDONE BY\tWHAT\tWHY",
	Line: func(c eventseer.Correction) string {
		undone := ""
		if c.Undone != nil {
			undone = text.Printable(c.Undone.Who)
		}
		return fmt.Sprintf("%s\t%s\t%s\t%s\t%s", c.ID, text.Printable(c.Who), undone, describeCorrection(c), text.Printable(c.Why))
	},
}

func newCurationLogCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "log [EVENT]", Short: "List corrections, the oldest first", Args: usageArgs(cobra.MaximumNArgs(1)), Annotations: formatAnnotations("table", "jsonl", "json"),
		Example: "  eventseer curation log\n  eventseer curation log icx-2027 --format jsonl",
		RunE: func(cmd *cobra.Command, args []string) error {
			all, err := correctionsOf(cmd.Context(), a, args)
			if err != nil {
				return err
			}
			return correctionTable.Print(a, all)
		},
	}
}

// correctionsOf returns the corrections of an event, or all if none is named. Damaged ones are
// reported.
func correctionsOf(ctx context.Context, a *app.App, of []string) ([]eventseer.Correction, error) {
	st, err := engine.OpenStore(a)
	if err != nil {
		return nil, err
	}
	if len(of) > 0 {
		all, err := st.CorrectionsOf(ctx, eventseer.EventID(of[0]))
		if err == nil && len(all) == 0 {
			_, err = st.Event(ctx, eventseer.EventID(of[0]))
			err = st.SuggestID(ctx, eventseer.EventID(of[0]), err)
		}
		return all, err
	}
	all := []eventseer.Correction{}
	for c, err := range st.Corrections(ctx) {
		switch {
		case err != nil && c.ID == "":
			return nil, err
		case err != nil:
			a.Logf("correction %s: %v", c.ID, err)
		default:
			all = append(all, c)
		}
	}
	return all, nil
}

func newCurationUndoCommand(a *app.App) *cobra.Command {
	var f editorFlags
	cmd := &cobra.Command{
		Use: "undo CORRECTION…", Short: "Undo corrections", Args: usageArgs(cobra.MinimumNArgs(1)),
		Example: `  eventseer curation undo 20261101T120000.000000000-8d2f1c0a9b7e
  eventseer curation log --format jsonl icx-2027 | eventseer curation undo -`,
		Long: "Undo corrections by their ids; - reads them from stdin, one per line as curation log --format jsonl\nwrites them, and skips those that are already undone.",
	}
	f.add(cmd)
	cmd.RunE = func(cmd *cobra.Command, ids []string) error {
		if len(ids) == 1 && ids[0] == "-" {
			all, err := readCorrections(a.Stdin, "stdin")
			if err != nil {
				return err
			}
			ids = nil
			for _, c := range all {
				if c.Undone == nil {
					ids = append(ids, c.ID)
				}
			}
		}
		st, err := engine.OpenStore(a)
		if err != nil {
			return err
		}
		for _, id := range ids {
			c, err := st.Undo(cmd.Context(), id, eventseer.Undo{Who: f.who, Why: f.why})
			if err != nil {
				return err
			}
			a.Logf("undone: %s", describeCorrection(c))
		}
		return nil
	}
	return cmd
}

func newCurationExportCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "export", Short: "Write all corrections, one per line", Args: usageArgs(cobra.NoArgs),
		Example: "  eventseer curation export -o corrections.jsonl",
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := correctionsOf(cmd.Context(), a, nil)
			if err != nil {
				return err
			}
			return a.WithOutput(func(w io.Writer) error {
				e := json.NewEncoder(w)
				for _, c := range all {
					if err := e.Encode(c); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}

// maxCorrectionLine bounds a line of an export of corrections, in bytes.
const maxCorrectionLine = 1 << 20

// readCorrections reads corrections, one per line; name is the input's name in errors.
func readCorrections(in io.Reader, name string) (all []eventseer.Correction, err error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxCorrectionLine)
	for n := 1; lines.Scan(); n++ {
		var c eventseer.Correction
		err := json.Unmarshal(lines.Bytes(), &c)
		if err == nil {
			err = curate.Check(c)
		}
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, n, err)
		}
		all = append(all, c)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return all, nil
}

func newCurationImportCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "import FILE", Short: "Import corrections that curation export wrote", Args: usageArgs(cobra.ExactArgs(1)),
		Example: "  eventseer curation import corrections.jsonl",
		Long: "Import corrections that curation export wrote; - is stdin. Known ones are merged: what was undone\n" +
			"in either place is undone. Corrections of an unknown event wait for a page of it. An invalid line\n" +
			"is an error, and nothing is imported.",
		RunE: func(cmd *cobra.Command, files []string) error {
			in := a.Stdin
			if files[0] != "-" {
				f, err := os.Open(files[0])
				if err != nil {
					return err
				}
				defer func() { _ = f.Close() }() // it was read only
				in = f
			}
			all, err := readCorrections(in, files[0])
			if err != nil {
				return err
			}
			st, err := engine.OpenStore(a)
			if err != nil {
				return err
			}
			a.Logf("%s read", text.Count(len(all), "correction is", "corrections are"))
			return st.PutCorrections(cmd.Context(), all, false)
		},
	}
}

func newCurationLabelsCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "labels", Short: "Write corrections as a labels file", Args: usageArgs(cobra.NoArgs),
		Example: "  eventseer curation labels -o editors.tsv\n  eventseer train --task cfp --data labels.tsv --data editors.tsv --pages pages.warc.gz -o cfp.model",
		Long:    "Write the decisions of editors as a labels file, one page per line, for training. The page\nof an event is a call if they pinned or corrected its title, and no call if they hid the event.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			all, err := correctionsOf(cmd.Context(), a, nil)
			if err != nil {
				return err
			}
			calls := map[string]int{}
			for _, c := range all {
				switch {
				case c.Undone != nil:
				case c.Kind == eventseer.HideCorrection:
					calls[c.Page] = -1
				case c.Field == "title" && c.Value != "":
					calls[c.Page] = 1
				}
			}
			return a.Printf("%s", labelLines(calls, "editors"))
		},
	}
}

func newCurationPairsCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "pairs", Short: "Write pairs of pages that editors judged, with the decision", Args: usageArgs(cobra.NoArgs), Annotations: formatAnnotations("table", "jsonl"),
		Example: "  eventseer curation pairs -o pairs.tsv\n  eventseer curation pairs --format jsonl -o pairs.jsonl\n  eventseer train --task pair --data pairs.jsonl -o pair.model",
		Long: "Write the decisions of editors on pairs of events, one pair per line: yes for a merge, no for two\n" +
			"different events and for a split. The table has their pages in the columns of\n" +
			"eventseer/testdata/pairs.tsv, by which merging is measured; jsonl has the records of their pages, for\n" +
			"train --task pair.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			st, err := engine.OpenStore(a)
			if err != nil {
				return err
			}
			pairs, err := st.EditorDecisions(cmd.Context())
			if err != nil {
				return err
			}
			if a.Config.Format == "table" {
				return a.Printf("%s", match.PairTable(pairs))
			}
			return a.WithOutput(func(w io.Writer) error {
				e := json.NewEncoder(w)
				for _, p := range pairs {
					if err := e.Encode(p); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
}

var decisionTable = app.Table[queue.Item]{
	Head: "KIND\tEVENT\tQUESTION\tPAGE",
	Line: func(i queue.Item) string {
		return fmt.Sprintf("%s\t%s\t%s\t%s", i.Kind, i.Event, text.OneLine(i.Question(), text.MaxShown), text.OneLine(i.Page, text.MaxShown))
	},
}

func newCurationQueueCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "queue", Short: "List items that wait for a decision of an editor", Args: usageArgs(cobra.NoArgs), Annotations: formatAnnotations("table", "jsonl", "json"),
		Example: "  eventseer curation queue\n  eventseer curation queue --format jsonl",
		Long: "List items that wait for a decision of an editor: reports of readers, days and places on which pages\n" +
			"differ, pairs of events that may be one, hidden events, and randomly drawn fields of events, whose\n" +
			"accuracy is shown at /about. Decide with edit, pin, merge, curation apart or hide, or at\n" +
			"/admin/queue, where what concerns the most readers comes first.",
		RunE: func(cmd *cobra.Command, _ []string) error {
			st, err := engine.OpenStore(a)
			if err != nil {
				return err
			}
			items, err := queue.List(cmd.Context(), queue.Sources{Store: st, Desk: st})
			if err != nil {
				return err
			}
			return decisionTable.Print(a, items)
		},
	}
}
