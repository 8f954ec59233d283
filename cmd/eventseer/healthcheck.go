package main

import (
	"errors"
	"fmt"

	"eventseer/cmd/eventseer/internal/admin"
	"eventseer/cmd/eventseer/internal/app"

	"github.com/spf13/cobra"
)

func newHealthcheckCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "healthcheck", Short: "Ask the process that has the data directory open whether it is well", Args: args(cobra.NoArgs),
		Long:    "Ask the process that has the data directory open, at its admin socket, whether it is well.\nExit code 0 says yes, 1 that it is not or that none is running.",
		Example: "  eventseer healthcheck && echo well",
		RunE: func(cmd *cobra.Command, _ []string) error {
			dir, err := app.DataDir(a)
			if err != nil {
				return err
			}
			err = admin.AskAdmin(cmd.Context(), dir, "/healthz", nil)
			if errors.Is(err, admin.ErrSilent) {
				return fmt.Errorf("no eventseer has %s open, or it has no admin socket", dir)
			}
			return err
		},
	}
}
