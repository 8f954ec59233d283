package main

import (
	"eventseer/cmd/eventseer/internal/app"

	"github.com/spf13/cobra"
)

func newWrapperCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "wrapper", Short: "Read the pages of one template, and lists, by their structure", Args: args(cobra.NoArgs),
		Example: `  eventseer wrapper induce talks/ -o talks.wrapper
  eventseer wrapper apply talks.wrapper talks/ --format jsonl
  eventseer wrapper annotate talks.wrapper talks/
  eventseer wrapper verify talks.wrapper talks/
  eventseer wrapper list
  eventseer wrapper records list.html`,
	}
	cmd.AddCommand(newWrapperInduceCommand(a), newWrapperApplyCommand(a), newWrapperRecordsCommand(a), newWrapperAnnotateCommand(a), newWrapperVerifyCommand(a), newWrapperListCommand(a), newWrapperJoinCommand(a))
	return cmd
}
