package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/begin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/menu"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

func newConfigCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "config", Short: "Show, check, edit and reload the configuration", Args: usageArgs(cobra.NoArgs),
		Long: "Show, check, edit and reload the configuration. A flag takes precedence over the variable EVENTSEER_KEY,\n" +
			"that over the config file, and that over the default. All keys of the file, the most important first:\n" +
			"\n" + app.DescribeKeys(),
		Example: "  eventseer config show --origin\n  eventseer config edit\n  eventseer config reload",
	}
	path := func(cmd *cobra.Command) string {
		named, _ := cmd.Flags().GetString("config")
		return cmp.Or(named, a.DefaultConfigPath())
	}
	show := &cobra.Command{
		Use: "show [KEY]", Short: "Print every setting, or the value of one", Args: usageArgs(cobra.MaximumNArgs(1)),
		Example: "  eventseer config show --effective --origin\n  eventseer config show host-delay",
	}
	show.Flags().Bool("effective", true, "show the values in force (as opposed to the defaults)")
	origin := show.Flags().Bool("origin", false, "also show the origin of each value")
	show.RunE = func(cmd *cobra.Command, given []string) error {
		effective, _ := cmd.Flags().GetBool("effective")
		return a.WithOutput(func(w io.Writer) error {
			if len(given) == 1 {
				return a.ShowSetting(w, given[0], effective, *origin)
			}
			return a.ShowConfig(w, effective, *origin)
		})
	}
	check := &cobra.Command{
		Use: "check", Short: "Check the config file", Args: usageArgs(cobra.NoArgs),
		Long:    "Check the config file for unknown keys (with their line), invalid values, keys outside their section, and\nsecrets that other users can read.",
		Example: "  eventseer config check\n  eventseer config check --rewrite --config /etc/eventseer/config.yaml",
	}
	rewrite := check.Flags().Bool("rewrite", false, "move keys that stand outside their section into it; comments stay")
	check.RunE = func(cmd *cobra.Command, _ []string) error { return begin.CheckConfig(a, path(cmd), *rewrite) }
	edit := &cobra.Command{
		Use: "edit", Short: "Edit the config file with VISUAL or EDITOR, and replace it if the result is valid", Args: usageArgs(cobra.NoArgs),
		Example: "  EDITOR=nano eventseer config edit",
		RunE:    func(cmd *cobra.Command, _ []string) error { return begin.EditConfig(cmd.Context(), a, path(cmd)) },
	}
	reload := &cobra.Command{
		Use: "reload", Short: "Reload the configuration of the process that has the data directory open", Args: usageArgs(cobra.NoArgs),
		Long:    "Reload the configuration of the process that has the data directory open, as SIGHUP does. Prints which changes\napply at once, which at the next turn of the crawl, and which need a restart.",
		Example: "  eventseer config reload",
		RunE:    func(cmd *cobra.Command, _ []string) error { return begin.ReloadConfig(cmd.Context(), a) },
	}
	edit.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		_ = a.Configure(cmd.Flags()) // a file that cannot be read can still be edited
		return nil
	}
	cmd.AddCommand(show, check, edit, reload)
	return cmd
}

func newInitCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "init", Short: "Write a short config and make the data directory", Args: usageArgs(cobra.NoArgs),
		Example: "  eventseer init --contact you@example.org",
	}
	force := cmd.Flags().Bool("force", false, "replace an existing config")
	cmd.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		a.MakesConfig = true
		return errors.Join(a.Configure(cmd.Flags()), a.CheckData("init"))
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		named, _ := cmd.Flags().GetString("config")
		return begin.InitConfig(a, named, *force)
	}
	return cmd
}

func newVersionCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: usageArgs(cobra.NoArgs), Annotations: formatAnnotations("table", "json"),
		Example: "  eventseer version --format json",
		RunE: func(*cobra.Command, []string) error {
			platform := runtime.GOOS + "/" + runtime.GOARCH
			record := map[string]string{"version": app.Version, "commit": app.Commit(), "go": runtime.Version(), "platform": platform}
			return a.PrintLine(record, func(w io.Writer) error {
				_, err := fmt.Fprintf(w, "eventseer %s %s %s\n", app.FullVersion(), runtime.Version(), platform)
				return err
			})
		},
	}
}

func newManCommand(*app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "man", Short: "Write the manual pages, one per command", Args: usageArgs(cobra.NoArgs),
		Example: "  eventseer man --dir man1\n  man -l man1/eventseer-serve.1",
	}
	dir := cmd.Flags().String("dir", ".", "folder for the pages")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if err := os.MkdirAll(*dir, 0o755); err != nil {
			return err
		}
		root := cmd.Root()
		menu.HideAliases(root)
		root.DisableAutoGenTag = true // the same program gives the same pages
		return doc.GenManTree(root, &doc.GenManHeader{Title: "EVENTSEER", Section: "1", Source: "EventSeer " + app.Version}, *dir)
	}
	return cmd
}
