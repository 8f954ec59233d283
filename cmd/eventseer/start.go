package main

import (
	"errors"
	"strings"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/begin"

	"github.com/spf13/cobra"
)

func newStartCommand(a *app.App) *cobra.Command {
	var fields []string
	var noServe bool
	cmd := &cobra.Command{
		Use: "start", Short: "Begin a service: ask what is needed, write a config, add starting points, and serve", Args: usageArgs(cobra.NoArgs),
		Long: `Begin a service: ask for a contact, fields of research and the address of the web pages;
write a short config; add the shipped starting points of these fields to the seeds, and the
lists of calls among them to the watched sources; check that nothing is missing (doctor); and
serve. What exists already is kept: a second start asks nothing and serves.

With --contact nothing is asked, for scripts.`,
		Example: `  eventseer start
  eventseer start --contact you@example.org --fields databases,security --listen :8080
  eventseer start --contact you@example.org --fields none --seeds https://conf.example/     # from your own seeds alone
  eventseer start --contact you@example.org --no-serve     # systemctl start eventseer serves`,
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&fields, "fields", nil, "fields of research or disciplines whose starting points are added; all, the default, adds every one, none adds none")
	flags.BoolVar(&noServe, "no-serve", false, "stop before serving")
	app.AddConfigFlags(cmd, "listen", "seeds", "sources", "allow-private")
	cmd.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		a.MakesConfig = true
		a.Command = "start"
		return errors.Join(a.Configure(cmd.Flags()), a.CheckData("start"))
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		path, _ := cmd.Flags().GetString("config")
		if path == "" {
			path = a.DefaultConfigPath()
		}
		if err := begin.PrepareService(cmd.Context(), a, path, fields); err != nil {
			return err
		}
		if noServe {
			a.Logf("next: %s", begin.ServeCommand(a, path))
			return nil
		}
		if err := checkListen(a); err != nil {
			return err
		}
		a.Logf("first calls appear at http://%s/ within some minutes; Ctrl-C stops, `eventseer start` continues", strings.Replace(a.Config.Listen, "0.0.0.0", "127.0.0.1", 1))
		return runServe(cmd.Context(), a, serveFlags{})
	}
	return cmd
}
