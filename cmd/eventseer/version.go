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
		Use: "version", Short: "Print the version", Args: args(cobra.NoArgs), Annotations: formats("table", "json"),
		Example: "  eventseer version --format json",
		RunE: func(*cobra.Command, []string) error {
			return a.WithOutput(func(w io.Writer) error { return writeVersion(w, a.Config.Format) })
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
