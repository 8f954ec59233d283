package main

import (
	"io"

	"eventseer/cmd/eventseer/internal/app"

	"github.com/spf13/cobra"
)

func newConfigCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{Use: "config", Short: "Show the configuration", Args: args(cobra.NoArgs)}
	show := &cobra.Command{
		Use: "show", Short: "Print every setting", Args: args(cobra.NoArgs),
		Example: "  eventseer config show --effective --origin",
	}
	show.Flags().Bool("effective", true, "the values in force (as opposed to the defaults)")
	origin := show.Flags().Bool("origin", false, "also say where each value comes from")
	show.RunE = func(cmd *cobra.Command, _ []string) error {
		effective, _ := cmd.Flags().GetBool("effective")
		return a.WithOutput(func(w io.Writer) error { return a.ShowConfig(w, effective, *origin) })
	}
	cmd.AddCommand(show)
	return cmd
}
