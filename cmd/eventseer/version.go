package main

import (
	"fmt"
	"io"
	"runtime"

	"eventseer/cmd/eventseer/internal/app"

	"github.com/spf13/cobra"
)

func newVersionCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: args(cobra.NoArgs),
		Example: "  eventseer version --format json",
		RunE: func(*cobra.Command, []string) error {
			format, err := a.Format("table", "json")
			if err != nil {
				return err
			}
			return a.WithOutput(func(w io.Writer) error { return writeVersion(w, format) })
		},
	}
}

func writeVersion(w io.Writer, format string) error {
	if format == "json" {
		return app.WriteJSONLine(w, map[string]string{
			"version": app.Version, "commit": app.Commit(), "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
		})
	}
	_, err := fmt.Fprintf(w, "eventseer %s %s %s/%s\n", app.FullVersion(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
