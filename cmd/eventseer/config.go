package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"go.yaml.in/yaml/v3"
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

func newInitCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "init", Short: "Write a commented config and make the data directory", Args: args(cobra.NoArgs),
		Example: "  eventseer init --contact you@example.org",
	}
	force := cmd.Flags().Bool("force", false, "replace an existing config")
	cmd.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		a.MakesConfig = true
		return a.Configure(cmd.Flags())
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if a.Config.Contact == "" {
			return app.Usagef("init needs --contact: the e-mail address or URL by which site owners can reach you")
		}
		path, _ := cmd.Flags().GetString("config")
		next := "eventseer crawl --seeds FILE"
		if path == "" {
			path = a.DefaultConfigPath()
		} else {
			next = "eventseer crawl --config " + path + " --seeds FILE"
		}
		if err := initialise(a, path, *force); err != nil {
			return err
		}
		a.Logf("next: %s", next)
		return nil
	}
	return cmd
}

func initialise(a *app.App, path string, force bool) error {
	if _, err := os.Stat(path); err == nil && !force {
		return fmt.Errorf("%s exists; --force replaces it", path)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text, err := commentedConfig(a)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return err
	}
	if err := os.MkdirAll(a.Config.Data, 0o750); err != nil {
		return err
	}
	a.Logf("wrote %s; events will be kept in %s", path, a.Config.Data)
	return nil
}

// commentedConfig is every setting with its comment: those given now as they
// are, the others commented out at their default.
func commentedConfig(a *app.App) ([]byte, error) {
	var b strings.Builder
	b.WriteString("# EventSeer. Flags and EVENTSEER_* variables take precedence over this file.\n")
	values := a.Config.Values()
	for _, s := range app.Settings {
		if s.Key == app.ProvidersKey {
			part, err := app.CommentedProviders(a.Config.Providers)
			if err != nil {
				return nil, err
			}
			fmt.Fprintf(&b, "\n# %s\n%s", s.Comment, part)
			continue
		}
		line, err := yaml.Marshal(map[string]any{s.Key: values[s.Key]})
		if err != nil {
			return nil, err
		}
		set := a.Origins[s.Key] != "default" || s.Key == "data"
		fmt.Fprintf(&b, "\n# %s\n", s.Comment)
		if !set {
			b.WriteString("#")
		}
		b.Write(line)
	}
	return []byte(b.String()), nil
}

func newVersionCommand(a *app.App) *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version", Args: args(cobra.NoArgs), Annotations: formats("table", "json"),
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
