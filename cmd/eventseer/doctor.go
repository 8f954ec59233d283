package main

import (
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/begin"

	"github.com/spf13/cobra"
)

func newDoctorCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "doctor", Short: "Check whether this machine and the configuration have what a service needs", Args: usageArgs(cobra.NoArgs), Annotations: formatAnnotations("table", "jsonl"),
		Long:    "Check whether this machine and the configuration have what a service needs, and print\nadvice. Nothing is changed, and no host is requested without --network. Exit code 4\nmeans that a check failed.",
		Example: "  eventseer doctor\n  eventseer doctor --network\n  eventseer doctor --format jsonl",
	}
	network := cmd.Flags().Bool("network", false, "also request the hosts of three seeds, to check the connection and the clock")
	app.AddConfigFlags(cmd, "allow-private")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return begin.RunDoctor(cmd.Context(), a, *network) }
	return cmd
}
