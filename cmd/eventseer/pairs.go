package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/eventseer"

	"github.com/spf13/cobra"
)

func newPairsCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "pairs", Short: "List pairs of events that may be one", Args: usageArgs(cobra.NoArgs), Annotations: formatAnnotations("table", "jsonl"),
		Example: "  eventseer check pairs\n  eventseer check pairs --data runs/a/state --format jsonl",
		Long: `List pairs of events that may be one edition, the likeliest first: the evidence is too
weak to unite them, and too strong to be sure that they are two. Nothing is changed.`,
		RunE: func(cmd *cobra.Command, _ []string) error { return listPairs(cmd.Context(), a) },
	}
}

// A pairRow is a line of the pairs command.
type pairRow struct {
	Likeness float64 `json:"likeness"` // log-odds relative to the threshold; below 0: not merged
	// Probability is the probability of one edition.
	Probability float64  `json:"probability"`
	Events      []string `json:"events"`
	Names       []string `json:"names"`
	Pages       []string `json:"pages"`
}

func listPairs(ctx context.Context, a *app.App) error {
	st, err := engine.OpenStore(a)
	if err != nil {
		return err
	}
	questions, err := st.OpenQuestions(ctx)
	if err != nil {
		return err
	}
	return a.WithOutput(func(w io.Writer) error {
		write, end := app.RowsIn(a.Config.Format, showPair)(w)
		for _, q := range questions {
			row := pairRow{Likeness: q.Likeness, Probability: q.Probability}
			for _, id := range []eventseer.EventID{q.A, q.B} {
				e, err := st.Event(ctx, id)
				if err != nil {
					return err
				}
				row.Events, row.Pages = append(row.Events, string(id)), append(row.Pages, e.Page())
				row.Names = append(row.Names, cmp.Or(e.Title, e.Acronym, "without a name"))
			}
			if err := write(row); err != nil {
				return err
			}
		}
		return end()
	})
}

func showPair(w io.Writer, r pairRow) error {
	_, err := fmt.Fprintf(w, "%.2f\n", r.Probability)
	for i := range r.Events {
		if err == nil {
			_, err = fmt.Fprintf(w, "\t%s\t%s\t%s\n", cellText(r.Events[i]), cellText(r.Names[i]), cellText(r.Pages[i]))
		}
	}
	return err
}
