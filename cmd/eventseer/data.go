package main

import (
	"eventseer/cmd/eventseer/internal/app"

	"github.com/spf13/cobra"
)

func newDataCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "data", Short: "Check, split, convert, count and fetch datasets", Args: args(cobra.NoArgs),
		Example: `  eventseer data check --data labels.tsv --pages pages.warc.gz
  eventseer data convert labels.tsv --pages pages.warc.gz --to svmlight -o pages.svm`,
	}
	cmd.AddCommand(newDataCheckCommand(a), newDataSplitCommand(a), newDataConvertCommand(a), newDataStatsCommand(a), newDataFetchCommand(a))
	return cmd
}
