package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/begin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/member"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/serve"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/cluster/jetstream"
	"github.com/eventseer/eventseer/crawler/cluster/manager"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/spf13/cobra"
)

// controlFlags are the flags of `control`.
type controlFlags struct {
	seeds    string
	seedURLs []string
	sim      string
	topic    string
	maxDepth int
	accuracy float64

	partitions int
	lease      app.Duration
	settle     app.Duration
	budget     float64
	once       bool
	replace    bool
}

func newControlCommand(a *app.App) *cobra.Command {
	f := controlFlags{lease: app.Duration(cluster.DefaultLease), settle: app.Duration(10 * time.Second)}
	cmd := &cobra.Command{
		Use: "control [SEED…]", Short: "Manage a crawl on many machines",
		Long: `Manage a crawl on many machines (doc/cluster.md). The manager assigns the partitions of
the web to crawlers (eventseer worker), reassigns those of dead crawlers, and stores the
events that crawlers find in its own data directory. Of several managers one leads and
the others stand by; each has all events.

With --listen it serves the search engine over these events, its web UI and API, with the
page of the cluster at /admin/cluster, and mails readers if an SMTP server is set.

With --nats-listen this process is also a node of NATS JetStream, which stores its part
of the queues under DATA/nats; without it the nodes of --nats are used.`,
		Example: `  eventseer control --data m1 --nats-listen 127.0.0.1:4222 --seeds seeds.txt
  eventseer control status
  eventseer control drain w3
  eventseer control page https://conf.example/cfp`,
	}
	flags := cmd.Flags()
	flags.StringVar(&f.seeds, "seeds", "", "file of seed URLs, one per line; # starts a comment")
	flags.StringVar(&f.sim, "sim", "", "use the seeds of this generated web, such as hosts=10000,pages=1e6,seed=7")
	flags.StringVar(&f.topic, "topic", "", "store only calls on this topic: a discipline or a model file of task topic")
	flags.IntVar(&f.maxDepth, "max-depth", engine.DefaultMaxDepth, "maximum number of steps from a seed; 0 is no limit")
	flags.Float64Var(&f.accuracy, "min-accuracy", engine.MinAccuracy, "minimum held-out accuracy of a layer model that may guide a crawl by context graphs, 0 to 1")
	flags.IntVar(&f.partitions, "partitions", cluster.DefaultPartitions, fmt.Sprintf("number of partitions of the web, fixed for the cluster: %d to %d", cluster.MinPartitions, cluster.MaxPartitions))
	flags.Var(&f.lease, "lease", "time after which a silent crawler counts as dead; its partitions are then crawled again")
	flags.Var(&f.settle, "settle", "minimum time a crawler must be present before partitions of others move to it")
	flags.Float64Var(&f.budget, "budget", 0, "pages to spend by all crawlers together; 0 is no limit")
	flags.BoolVar(&f.once, "once", false, "end the crawl when no link is left, instead of waiting for more")
	flags.BoolVar(&f.replace, "replace", false, "replace the settings of the cluster; its crawlers end and must be started again")
	groupFlags(cmd, controlFlagGroups)
	cmd.AddCommand(newControlStatusCommand(a), newControlDrainCommand(a), newControlPageCommand(a),
		newControlInitCommand(a), newControlIssueCommand(a), newControlRevokeCommand(a))
	for _, o := range serve.Orders {
		cmd.AddCommand(newOrderCommand(a, o))
	}
	cmd.RunE = func(cmd *cobra.Command, seeds []string) error {
		f.seedURLs = seeds
		return runControl(cmd.Context(), a, f)
	}
	return cmd
}

// controlFlagGroups are the headings of control --help.
var controlFlagGroups = []flagGroup{
	{"What is crawled", []string{"seeds", "sim", "strategy", "topic", "model", "min-accuracy", "max-depth", "budget", "once", "replace", "lists", "render", "backlink-cost"}},
	{"Who crawls what", []string{"partitions", "lease", "settle"}},
	{"Where the cluster is", member.FlagNames},
	{"A node of NATS in this process", member.ServerFlagNames},
	{"Politeness", []string{"host-delay", "delay-factor", "max-crawl-delay", "politeness", "per-host", "per-domain", "per-depth", "robots", "directives", "rel"}},
	{"What runs", []string{"listen", "people", "user-header", "user-proxies"}},
	{"Operation", []string{"admin", "admin-public"}},
}

// runControl manages a cluster until ctx ends or the crawl is finished.
func runControl(ctx context.Context, a *app.App, f controlFlags) error {
	conf, seeds, published, err := clusterConf(a, f)
	if err != nil {
		return err
	}
	registry := admin.NewRegistry()
	if a.Config.NatsListen != "" {
		node, err := startNode(a)
		if err != nil {
			return err
		}
		a.OnClose(func() error { node.Close(); return nil })
		registry.MustRegister(admin.NewNodeMetric(node.MissingData))
	}
	bus, err := member.ConnectToBus(ctx, a, jetstream.RoleManager)
	if err != nil {
		return err
	}
	for _, hash := range slices.Sorted(maps.Keys(published)) {
		if err := member.PublishModel(ctx, bus, published[hash], hash); err != nil {
			return err
		}
	}
	st, err := engine.OpenStoreIn(a, a.Config.Data, false)
	if err != nil {
		return err
	}
	m, err := manager.New(manager.Options{
		Bus: bus, Name: member.Name(a.Config), Conf: conf, Replace: f.replace, Seeds: seeds, Now: a.Now, Log: a.Logger(),
		Sink: member.Sink{Store: st, Warn: a.Logf},
	})
	if err != nil {
		return app.MarkUsage(err)
	}
	a.Logf("manager %s of cluster %s: %d partitions, a lease of %s; crawlers join with `eventseer worker --nats %s%s`",
		member.Name(a.Config), a.Config.Bucket, conf.Partitions, conf.Lease, a.Config.Nats, member.CrawlerCredentials(a))
	desk := &serve.ClusterPanel{Bus: bus, Of: m, Name: member.Name(a.Config), Now: a.Now}
	registry.MustRegister(admin.ClusterMetrics{Status: m.Status, Name: member.Name(a.Config)})
	sender := member.CorrectionSender{From: member.Name(a.Config), Store: st, Announce: bus.Announce, Warn: a.Logf}
	desk.Corrections = sender.Run
	if a.Origins["listen"] == "default" {
		return runManager(ctx, a, desk, registry)
	}
	return runSearchEngine(ctx, a, desk, st, registry)
}

// runManager runs a manager without a web UI, and serves the operator's socket meanwhile.
func runManager(ctx context.Context, a *app.App, d *serve.ClusterPanel, registry *prometheus.Registry) error {
	silence, err := admin.ServeAdmin(ctx, a, a.Config.Data, admin.AdminSite{Metrics: registry, Healthy: func() error { return nil }, Status: d.Status})
	if err != nil {
		return err
	}
	defer silence()
	return runClusterManager(ctx, a, d)
}

// runSearchEngine runs a manager with the search engine over its crawlers' events, which continues
// after the crawl.
func runSearchEngine(ctx context.Context, a *app.App, d *serve.ClusterPanel, st *store.Store, registry *prometheus.Registry) error {
	used, stop, err := serve.WatchModels(ctx, a)
	if err != nil {
		return err
	}
	defer stop()
	p := serve.Parts{serve.PartWeb}
	if engine.SendsMail(a) {
		p = append(p, serve.PartMail)
	}
	s, err := serve.Open(ctx, a, st, registry, serve.Options{Parts: p, Cluster: d, Execute: run})
	if err != nil {
		return err
	}
	handler, err := serviceHandler(ctx, a, s, used, serveFlags{})
	if err != nil {
		return err
	}
	return serve.Run(ctx, a, s, registry, p, handler, append(periodicTasks(a, s, p), func(ctx context.Context) error {
		if err := runClusterManager(ctx, a, d); err != nil && ctx.Err() == nil {
			a.Logf("the manager has stopped: %v. The search engine continues with the events it has; restart eventseer control to manage again", err)
		}
		return nil
	})...)
}

// runClusterManager runs a manager and sends its corrections, and reports the state of the cluster at the end.
func runClusterManager(ctx context.Context, a *app.App, d *serve.ClusterPanel) error {
	sending, stop := context.WithCancel(ctx)
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		_ = d.Corrections(sending) // it ends only by ctx
	}()
	err := d.Of.Run(ctx)
	stop()
	<-sent
	a.Logf("%s", describeCluster(d.Of))
	if errors.Is(err, cluster.ErrVersion) {
		err = fmt.Errorf("%w; --replace applies the settings of this manager to the cluster; its crawlers then end and must be started again", err)
	}
	return err
}

// clusterConf returns the settings of the cluster, and the model files that its crawlers need, by
// their SHA-256.
func clusterConf(a *app.App, f controlFlags) (conf cluster.Conf, seeds []crawler.Candidate, published map[string]string, err error) {
	t, err := engine.OpenTopic(a, f.topic, judges.Own)
	if err != nil {
		return conf, nil, nil, err
	}
	if engine.IsLargeWeb(f.sim) && a.Origins["host-delay"] == "default" {
		a.Config.HostDelay, a.Config.DelayFactor = 0, 0
	}
	set, err := judges.Open(a, judges.Own)
	if err != nil {
		return conf, nil, nil, err
	}
	settings := member.SettingsOf(a.Config)
	published = set.Files()
	settings.Models = slices.Sorted(maps.Keys(published))
	settings.MinAccuracy, settings.MaxDepth = f.accuracy, f.maxDepth
	if member.IsFile(f.topic) {
		settings.TopicModel, published[t.Hash] = t.Hash, f.topic
	} else {
		settings.Topic = f.topic
	}
	conf = cluster.Conf{
		Partitions: f.partitions, Lease: time.Duration(f.lease), Settle: time.Duration(f.settle), Budget: f.budget, Once: f.once,
	}
	if conf.Options, conf.Version, err = settings.Encode(); err != nil {
		return conf, nil, nil, err
	}
	urls, err := begin.ReadSeeds(a, f.seeds, f.seedURLs)
	if err != nil {
		return conf, nil, nil, err
	}
	if len(urls) == 0 && f.sim != "" {
		if urls, err = engine.SimSeeds(f.sim); err != nil {
			return conf, nil, nil, err
		}
	}
	for _, raw := range urls {
		url, err := webgraph.Canonical(raw)
		if err != nil {
			a.Logf("seed %q is not an http or https URL: left out", raw)
			continue
		}
		seeds = append(seeds, crawler.Candidate{URL: url, Score: crawler.MaxScore, How: crawler.Seed})
	}
	return conf, seeds, published, nil
}

// startNode starts a node of NATS.
func startNode(a *app.App) (*jetstream.Server, error) {
	c := a.Config
	for _, addr := range []string{c.NatsListen, c.NatsCluster} {
		mutual := c.NatsCert != "" && c.NatsCA != ""
		host, _, err := net.SplitHostPort(addr)
		local := err == nil && app.IsLoopback(host)
		if addr != "" && !c.NatsOpen && !mutual && c.NatsConfig == "" && !local {
			return nil, fmt.Errorf("%w: %s can be reached from other machines, which could then control the cluster: set --nats-cert and --nats-ca to admit only holders of a certificate, or --nats-config with users, or --nats-open if the network is safe", app.ErrRefused, addr)
		}
	}
	var access *jetstream.NodeAccess
	if c.NatsConfig == "" && !c.NatsOpen {
		var err error
		if access, err = member.NodeAccess(a); err != nil {
			return nil, err
		}
	}
	node, err := jetstream.StartServer(jetstream.ServerOptions{
		Name: member.Name(c), Listen: c.NatsListen, Cluster: c.NatsCluster, Routes: app.SplitList(c.NatsRoutes), Dir: filepath.Join(c.Data, "nats"),
		TLS: member.TLSSettings(c), Access: access, Config: c.NatsConfig, Log: a.Logger(),
	})
	if err != nil {
		return nil, err
	}
	if a.Origins["nats"] == "default" {
		a.Config.Nats = node.URL()
	}
	return node, nil
}

// withClusterFlags adds the flags that all cluster queries share.
func withClusterFlags(cmd *cobra.Command) *cobra.Command {
	groupFlags(cmd, []flagGroup{{"Where the cluster is", member.FlagNames}})
	return cmd
}

// queryCluster connects to a cluster in a role and runs a query.
func queryCluster(ctx context.Context, a *app.App, role jetstream.Role, question func(context.Context, cluster.Bus) error) error {
	ctx, cancel := context.WithTimeout(ctx, serve.AskTime)
	defer cancel()
	bus, err := member.ConnectToBus(ctx, a, role)
	if err != nil {
		return err
	}
	err = question(ctx, bus)
	if errors.Is(err, cluster.ErrNoCluster) {
		return fmt.Errorf("%w: `eventseer control` starts one; --bucket %s names the cluster", err, a.Config.Bucket)
	}
	return err
}

func newControlStatusCommand(a *app.App) *cobra.Command {
	return withClusterFlags(&cobra.Command{
		Use: "status", Short: "Show crawlers, partitions and pending work", Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return queryCluster(cmd.Context(), a, jetstream.RoleReader, func(ctx context.Context, bus cluster.Bus) error {
				s, err := cluster.ReadStatus(ctx, bus)
				if err != nil {
					return err
				}
				return a.WithOutput(func(w io.Writer) error {
					if a.Config.Format == "json" || a.Config.Format == "jsonl" {
						return json.NewEncoder(w).Encode(s)
					}
					return writeCluster(w, s)
				})
			})
		},
	})
}

// writeCluster shows a cluster to people.
func writeCluster(w io.Writer, s cluster.Status) error {
	fmt.Fprintf(w, "%s\n\n", clusterLine(s))
	t := app.NewTabWriter(w)
	fmt.Fprintln(t, "CRAWLER\tSTATE\tSILENT\tPARTITIONS\tPAGES\tCALLS\tWAITING\tOUTBOX\tSENT\tTAKEN\tLAST TROUBLE")
	for _, c := range s.Workers {
		fmt.Fprintf(t, "%s\t%s\t%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%s\n", c.Name, c.State, c.Silent.Round(time.Second), len(c.Parts),
			c.Counts.Pages, c.Counts.Targets, c.Counts.Waiting, c.Counts.Outbox, c.Counts.LinksSent, c.Counts.LinksTaken, text.OneLine(c.Error, 80))
	}
	return t.Flush()
}

// clusterLine returns the state of a cluster in a sentence or two.
func clusterLine(s cluster.Status) string {
	line := fmt.Sprintf("manager %s leads (term %d); order to crawlers: %s", s.Leader, s.Term, cmp.Or(s.Do, "none yet"))
	if s.Reason != "" {
		line += " (" + s.Reason + ")"
	}
	return line + fmt.Sprintf(". %d partitions: %d owned, %d of them to move, %d without an owner; %d moves, %d lost by this leader. %d messages of links wait.",
		s.Parts.All, s.Parts.Owned, s.Parts.Moving, s.Parts.Orphans, s.Moves, s.Lost, s.Backlog.Waiting)
}

// describeCluster returns a summary of the cluster at the end of a manager.
func describeCluster(m *manager.Manager) string {
	s := m.Status()
	if s.Leader == "" {
		return "the manager ends; no manager has led yet"
	}
	return fmt.Sprintf("%s In total %s, %s.", clusterLine(s), text.Count(s.Sum.Pages, "page", "pages"), text.Count(s.Sum.Targets, "call", "calls"))
}

func newOrderCommand(a *app.App, o serve.Order) *cobra.Command {
	var reason string
	cmd := withClusterFlags(&cobra.Command{
		Use: o.Do, Short: o.Short, Args: usageArgs(cobra.NoArgs),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return queryCluster(cmd.Context(), a, jetstream.RoleManager, func(ctx context.Context, bus cluster.Bus) error {
				if _, err := cluster.ReadStatus(ctx, bus); err != nil {
					return err
				}
				return cluster.GiveOrder(ctx, bus, cluster.Order{Do: o.Do, Reason: reason, By: member.Name(a.Config), At: a.Now().UTC()})
			})
		},
	})
	cmd.Flags().StringVar(&reason, "reason", "", "reason, shown in the status")
	return cmd
}

func newControlDrainCommand(a *app.App) *cobra.Command {
	var undo bool
	cmd := withClusterFlags(&cobra.Command{
		Use: "drain NAME", Short: "Make a crawler hand over its partitions and end", Args: usageArgs(cobra.ExactArgs(1)),
		Example: "  eventseer control drain w3\n  eventseer control drain w3 --undo",
		RunE: func(cmd *cobra.Command, names []string) error {
			return queryCluster(cmd.Context(), a, jetstream.RoleManager, func(ctx context.Context, bus cluster.Bus) error {
				if _, err := cluster.ReadStatus(ctx, bus); err != nil {
					return err
				}
				err := cluster.DrainWorker(ctx, bus, names[0], cluster.Drain{By: member.Name(a.Config), At: a.Now().UTC()}, undo)
				if errors.Is(err, cluster.ErrNoWorker) {
					return fmt.Errorf("%w%s", err, knownWorkers(ctx, bus))
				}
				return err
			})
		},
	})
	cmd.Flags().BoolVar(&undo, "undo", false, "let the crawler take part again")
	return cmd
}

// knownWorkers returns a clause that lists the known crawlers.
func knownWorkers(ctx context.Context, bus cluster.Bus) string {
	s, err := cluster.ReadStatus(ctx, bus)
	if err != nil || len(s.Workers) == 0 {
		return ""
	}
	var names []string
	for _, w := range s.Workers {
		names = append(names, w.Name)
	}
	slices.Sort(names)
	return "; there are " + strings.Join(names, ", ")
}

func newControlPageCommand(a *app.App) *cobra.Command {
	return withClusterFlags(&cobra.Command{
		Use: "page URL", Short: "Write the stored copy of a page, headers and body", Args: usageArgs(cobra.ExactArgs(1)),
		Example: "  eventseer control page https://conf.example/cfp -o page.http",
		RunE: func(cmd *cobra.Command, urls []string) error {
			return queryCluster(cmd.Context(), a, jetstream.RoleReader, func(ctx context.Context, bus cluster.Bus) error {
				return a.WithOutput(func(w io.Writer) error { return cluster.FetchRecordedPage(ctx, bus, urls[0], w) })
			})
		},
	})
}
