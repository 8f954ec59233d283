package main

import (
	"os"

	"eventseer/cmd/eventseer/internal/app"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func newManCommand(*app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "man", Short: "Write the manual pages, one a command", Args: args(cobra.NoArgs),
		Example: "  eventseer man --dir man1\n  man -l man1/eventseer-serve.1",
	}
	dir := cmd.Flags().String("dir", ".", "folder the pages are written to")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := os.MkdirAll(*dir, 0o755); err != nil {
			return err
		}
		root := cmd.Root()
		root.DisableAutoGenTag = true // the same program, the same pages
		return doc.GenManTree(root, &doc.GenManHeader{Title: "EVENTSEER", Section: "1", Source: "EventSeer " + app.Version}, *dir)
	}
	return cmd
}
