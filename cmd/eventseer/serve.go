package main

import (
	"context"

	"eventseer/cmd/eventseer/internal/admin"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/serve"

	"github.com/spf13/cobra"
)

// serveFlags are the flags of `serve`.
type serveFlags struct {
	seeds  string
	inputs []string
	labels string
}

func newServeCommand(a *app.App) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use: "serve", Short: "Run the conference search engine: web UI and API, crawl, monitor and mail in one process",
		Long: `Run the conference search engine on the data directory: the web UI with its API,
calendars and feeds, the crawl, the monitor, and the mails to readers. Each part can be
left out with --parts; the crawl and the monitor, which take turns, need --contact.
/admin shows how all parts are, and what waits for the operator.

Where the data directory holds a folder models with cfp.model and page-type.model,
these judge in place of the shipped models. The folder is watched: whole, fitting
models put there are taken up without a restart, others are refused with a line in
the log. /api/v1/models.json names the files in use. SIGHUP reads the blocklist again.

With --label-input and --labels, /label serves the queue of eventseer label serve to
this machine, judged by the models in use.`,
		Example: `  eventseer serve --seeds known-calls.txt
  eventseer serve --listen :8080 --parts web,mail
  eventseer serve --parts web --label-input crawl.warc.gz --labels labels.tsv`,
		Args: args(cobra.NoArgs),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.seeds, "seeds", "", "file of seed URLs that every turn of the crawl begins from, one a line, # starts a comment")
	flags.StringArrayVar(&f.inputs, "label-input", nil, "INPUT whose pages are labelled at /label, may be repeated")
	flags.StringVar(&f.labels, "labels", "", "labels file they are appended to")
	groupFlags(cmd, serveFlagGroups)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if (len(f.inputs) > 0) != (f.labels != "") {
			return app.Usagef("--label-input and --labels go together")
		}
		return runServe(cmd.Context(), a, f)
	}
	return cmd
}

// serveFlagGroups are the headings of serve --help.
var serveFlagGroups = []flagGroup{
	{"What runs", []string{"parts", "listen", "label-input", "labels", "people", "dumps", "user-header", "user-proxies"}},
	{"Crawl", []string{"seeds", "strategy", "crawl-per-day", "lists", "render", "backlink-cost"}},
	{"Politeness", []string{"host-delay", "delay-factor", "max-crawl-delay", "politeness", "per-host", "per-domain", "per-depth", "robots", "directives", "rel", "blocklist", "allow-private"}},
	{"Operation", []string{"workers", "admin", "admin-public"}},
}

// runServe runs the parts of a service on the data directory until ctx ends.
func runServe(ctx context.Context, a *app.App, f serveFlags) error {
	wanted, err := serve.PartsOf(a.Config.Parts)
	if err != nil {
		return err
	}
	used, stop, err := serve.WatchModels(ctx, a)
	if err != nil {
		return err
	}
	defer stop()
	if _, err := app.DataDir(a); err != nil {
		return err
	}
	p := serve.Possible(a, wanted)
	if len(p) == 0 {
		return app.Usagef("--parts %s: nothing is left to run", a.Config.Parts)
	}
	if a.Config.UserHeader != "" && a.Config.UserProxies == "" {
		a.Logf("%s", noProxies)
	}
	field := p.Has(serve.PartCrawl) || p.Has(serve.PartMonitor)
	st, err := serve.ServiceStore(a, field)
	if err != nil {
		return err
	}
	registry := admin.NewRegistry()
	s, err := serve.Open(ctx, a, st, registry, serve.Options{Parts: p, Turns: field, Execute: run})
	if err != nil {
		return err
	}
	handler, err := serviceHandler(ctx, a, s, used, f)
	if err != nil {
		return err
	}
	crawl := func(context.Context) error { return nil }
	if field {
		worker, err := serve.NewFieldworker(ctx, a, s, p, f.seeds)
		if err != nil {
			return err
		}
		crawl = worker.Run
	}
	defer a.ReloadOnHangup(ctx)()
	return serve.Run(ctx, a, s, registry, p, handler, append(chores(a, s, p), crawl)...)
}

// chores are what a service does now and then, each until its context ends: it
// reads mails that came back, and writes dumps.
func chores(a *app.App, s *serve.Service, p serve.Parts) (all []func(context.Context) error) {
	if p.Has(serve.PartMail) && a.Config.BounceFolder != "" {
		all = append(all, func(ctx context.Context) error { return keepBounces(ctx, a, s.Readers) })
	}
	if a.Config.Dumps {
		all = append(all, func(ctx context.Context) error { return refreshDumps(ctx, a, s.Store) })
	}
	return all
}
