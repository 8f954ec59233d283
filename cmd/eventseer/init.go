package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"eventseer/cmd/eventseer/internal/app"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
)

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
