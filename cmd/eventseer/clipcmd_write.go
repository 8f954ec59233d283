package main

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"eventseer/classify/active"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/eventseer/publish"

	"github.com/spf13/cobra"
)

func newClipLabelsCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "labels", Short: "Write readers' votes as lines of a labels file", Args: args(cobra.NoArgs),
		Example: "  eventseer clip labels -o votes.tsv && eventseer train --labels votes.tsv INPUT",
		Long: `Write what readers found useful or not as a labels file, a page a line, for training:
a page that more readers found useful than not is a call. Pages with as many votes for
as against are left out. No reader is named.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			s, err := openClipsFile(cmd.Context(), a)
			if err != nil {
				return err
			}
			lines, err := voteLabels(cmd.Context(), s)
			if err != nil {
				return err
			}
			return a.Printf("%s\n", strings.Join(append([]string{strings.Join(active.Columns, "\t")}, lines...), "\n"))
		},
	}
}

// voteLabels returns the lines of a labels file in the order of the pages' URLs.
func voteLabels(ctx context.Context, s *publish.Service) ([]string, error) {
	votes, err := s.Votes(ctx)
	if err != nil {
		return nil, err
	}
	sum := map[string]int{}
	for _, v := range votes {
		if v.URL != "" && active.IsField(v.URL) {
			sum[v.URL] += v.Useful
		}
	}
	var lines []string
	for url, n := range sum {
		if n == 0 {
			continue
		}
		label := map[string]string{"url": url, "page_type": "other", "is_cfp": strconv.FormatBool(n > 0), "how": "vote", "source": "readers"}
		if n > 0 {
			label["page_type"] = "cfp"
		}
		var fields []string
		for _, column := range active.Columns {
			fields = append(fields, label[column])
		}
		lines = append(lines, strings.Join(fields, "\t"))
	}
	slices.Sort(lines)
	return lines, nil
}
