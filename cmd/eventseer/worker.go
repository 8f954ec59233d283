package main

import (
	"context"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/member"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/cluster/jetstream"

	"github.com/spf13/cobra"
)

func newWorkerCommand(a *app.App) *cobra.Command {
	var f member.WorkerFlags
	cmd := &cobra.Command{
		Use: "worker", Short: "Crawl the part of the web that a cluster's manager assigns to this machine",
		Long: `Crawl the part of the web that the manager of a cluster assigns to this machine. The manager
also sets what is crawled and how (see eventseer control); a crawler of another version
refuses. The frontier, the events and the pages stay in the data directory of this crawler,
so always start it again with the same --data and --name.

It ends when the crawl is over or after eventseer control drain NAME.`,
		Example: `  eventseer worker --data /var/lib/eventseer --name w1 --nats tls://10.0.0.1:4222,tls://10.0.0.2:4222 --nats-ca ca.pem --nats-creds w1.creds
  eventseer worker --data w1 --name w1 --nats-creds m1/bus/crawler.creds --sim hosts=1000,pages=20000,seed=7,at=127.0.0.1:9000`,
		Args: usageArgs(cobra.NoArgs),
	}
	flags := cmd.Flags()
	flags.StringVar(&f.Sim, "sim", "", "crawl a generated web instead of the live one, such as hosts=10000,pages=1e6,seed=7,at=HOST:PORT of eventseer web serve")
	flags.StringVar(&f.Record, "record", "on", "record every response in DATA/pages, so that the manager can request pages: on or off")
	groupFlags(cmd, workerFlagGroups)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if f.Record != "on" && f.Record != "off" {
			return app.Usagef("--record %q is neither on nor off", f.Record)
		}
		return runWorker(cmd.Context(), a, f)
	}
	return cmd
}

// workerFlagGroups are the headings of worker --help.
var workerFlagGroups = []flagGroup{
	{"Where the cluster is", member.FlagNames},
	{"What is crawled", []string{"sim", "record", "record-size", "blocklist", "allow-private", app.ModelKey}},
	{"Operation", []string{"workers", "admin", "admin-public"}},
}

// runWorker crawls for a cluster until the crawl is over, this crawler is drained, or ctx ends.
func runWorker(ctx context.Context, a *app.App, f member.WorkerFlags) error {
	bus, err := member.ConnectToBus(ctx, a, jetstream.RoleCrawler)
	if err != nil {
		return err
	}
	a.Logf("waiting for the manager of cluster %s", a.Config.Bucket)
	conf, err := cluster.ReadConf(ctx, bus)
	if err != nil {
		return err
	}
	settings, err := member.ReadSettings(conf)
	if err != nil {
		return member.VersionHint(err)
	}
	for _, key := range member.Keys {
		if a.Origins[key] == "flag" {
			return app.Usagef("--%s is set by the manager", key)
		}
	}
	settings.Apply(&a.Config)
	for _, key := range member.Keys {
		a.Origins[key] = "cluster"
	}
	l, err := member.NewWorker(ctx, a, f, bus, settings, conf.Once)
	if err != nil {
		return err
	}
	return l.Run(ctx) // its turns give advice about another version
}
