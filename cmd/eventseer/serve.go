package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/begin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/serve"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/exchange"
	"github.com/eventseer/eventseer/eventseer/keyword"
	"github.com/eventseer/eventseer/eventseer/publish"
	"github.com/eventseer/eventseer/eventseer/publish/bounce"
	"github.com/eventseer/eventseer/eventseer/search"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/eventseer/ui"
	"github.com/eventseer/eventseer/eventseer/ui/views"

	"github.com/spf13/cobra"
)

// serveFlags are the flags of `serve`.
type serveFlags struct {
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
/admin shows the state of all parts, and what waits for the operator.

If the data directory holds a folder models with cfp.model and page-type.model,
these replace the shipped models. The folder is watched: complete and valid models
are used without a restart, others are refused with a line in the log.
/api/v1/models.json names the files in use. SIGHUP reads the blocklist again.

/admin asks for a token. It is created at the first start in the file admin-token of
the data directory, and its address is logged once.

With --label-input and --labels, /label serves the queue of eventseer label serve to the
operator, judged by the models in use.`,
		Example: `  eventseer serve                                   # crawls from DATA/seeds.txt and the setting seeds
  eventseer serve --listen :8080 --parts web,mail
  eventseer serve --parts web --label-input crawl.warc.gz --labels labels.tsv`,
		Args: usageArgs(cobra.NoArgs),
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&f.inputs, "label-input", nil, "INPUT whose pages are labelled at /label, may be repeated")
	flags.StringVar(&f.labels, "labels", "", "labels file to which they are appended")
	groupFlags(cmd, serveFlagGroups)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if (len(f.inputs) > 0) != (f.labels != "") {
			return app.Usagef("--label-input and --labels must be given together")
		}
		return runServe(cmd.Context(), a, f)
	}
	return cmd
}

// serveFlagGroups are the headings of serve --help.
var serveFlagGroups = []flagGroup{
	{"What runs", []string{"parts", "listen", "label-input", "labels", "people", "dumps", "user-header", "user-proxies"}},
	{"Crawl", []string{"seeds", "sources", "strategy", "model", "crawl-per-day", "lists", "render", "backlink-cost"}},
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
	p := serve.WithoutUnavailable(a, wanted)
	if len(p) == 0 {
		return app.Usagef("--parts %s: nothing is left to run", a.Config.Parts)
	}
	if a.Config.UserHeader != "" && a.Config.UserProxies == "" {
		a.Logf("%s", begin.NoProxies)
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
		worker, err := serve.NewTurnScheduler(ctx, a, s, p)
		if err != nil {
			return err
		}
		crawl = worker.Run
	}
	defer a.ReloadOnHangup(ctx)()
	return serve.Run(ctx, a, s, registry, p, handler, append(periodicTasks(a, s, p), crawl)...)
}

// periodicTasks returns the periodic work of a service, each until its context ends: processing returned
// mails, and writing dumps.
func periodicTasks(a *app.App, s *serve.Service, p serve.Parts) (all []func(context.Context) error) {
	if p.Has(serve.PartMail) && a.Config.BounceFolder != "" {
		all = append(all, func(ctx context.Context) error { return handleBounces(ctx, a, s.Readers) })
	}
	if a.Config.Dumps {
		all = append(all, func(ctx context.Context) error { return refreshDumps(ctx, a, s.Store) })
	}
	return all
}

// uiOptions returns the UI options common to all commands with a store and its index.
func uiOptions(a *app.App, st *store.Store, index *search.Index, table fetch.HostTable) (ui.Options, error) {
	slicer, err := newWebSlicer(a, table)
	if err != nil {
		return ui.Options{}, err
	}
	return ui.Options{
		Curated: func(ctx context.Context) ([]eventseer.Correction, error) { return serve.Corrections(ctx, st) },
		Store:   st, Index: index, Series: st, Desk: st, Recent: st, Now: a.Now, Version: app.FullVersion(), Log: a.Logger(),
		Contact: a.Config.Contact, UserAgent: engine.UserAgent(), Base: a.Config.BaseURL, People: a.Config.People,
		Pause: time.Duration(a.Config.HostDelay), MaxCrawlDelay: time.Duration(a.Config.MaxCrawlDelay), IgnoreDirectives: a.Config.Directives == "ignore",
		Slicer: slicer, SliceSynonyms: true, UserHeader: a.Config.UserHeader, UserProxies: serve.SplitSetting(a.Config.UserProxies),
		Formats: exchange.Formats(), JSONLD: exchange.JSONLD, Similar: similarQuery(st),
		Revision: func() uint64 { return serve.IndexRevision(context.Background(), st) },
	}, nil
}

// similarQuery returns the function for ui.Options.Similar.
func similarQuery(st *store.Store) func(context.Context, eventseer.EventID) (string, error) {
	x := keyword.New()
	return func(ctx context.Context, id eventseer.EventID) (string, error) {
		q, err := x.SimilarQuery(ctx, st, id)
		if errors.Is(err, keyword.ErrNone) {
			err = fmt.Errorf("%w: %w", eventseer.ErrNotFound, err)
		}
		return q, err
	}
}

// serviceHandler returns the pages of a service.
func serviceHandler(ctx context.Context, a *app.App, s *serve.Service, used serve.ModelsInUse, f serveFlags) (http.Handler, error) {
	o, err := uiOptions(a, s.Store, s.Index, s.Hosts)
	if err != nil {
		return nil, err
	}
	set, err := judges.Open(a, judges.Own)
	if err != nil {
		return nil, err
	}
	if s.Monitor != nil {
		o.Versions = &pageArchive{db: s.Monitor, x: engine.NewExtractor(a, set)}
	}
	if web, ok := o.Slicer.(webSlicer); ok {
		o.Submitter = submitter{web, pageReader{extractor: engine.NewExtractor(a, set), judge: used.Judge}, s.Store}
	}
	if o.AdminToken, s.FirstPage, err = app.OperatorToken(a, s.Dir); err != nil {
		return nil, err
	}
	o.Growing = s.Console.DescribeGrowth
	o.Crawled, o.Panels, o.Audit = s.Console.LastCrawled, append(serve.OperatorPanels(a, s, used), labPanel(a)), serve.NewAuditLog(ctx, a, s.Readers)
	if s.Mails || a.Config.UserHeader != "" {
		o.Subscriptions = serve.Subscriptions{Service: s.Readers}
	}
	if a.Config.Dumps {
		o.Dumps = filepath.Join(s.Dir, dumpsDir)
	}
	wrappers, err := newWrapperUI(a, s.Wrappers)
	if err != nil {
		return nil, err
	}
	o.Tools = map[string]http.Handler{"/wrappers": wrappers}
	if s.Cluster != nil {
		o.Tools[serve.ClusterPath] = *s.Cluster
	}
	if f.labels != "" {
		label, err := newLabelUI(ctx, a, used.Judge, labelFlags{labels: f.labels, task: classify.TaskCFP}, f.inputs, "", "")
		if err != nil {
			return nil, err
		}
		o.Tools["/label"] = label
	}
	pages, err := ui.New(o)
	if err != nil {
		return nil, err
	}
	if w, ok := pages.(views.Warmer); ok {
		s.Warm = w.Warm
	}
	mux := http.NewServeMux()
	mux.Handle("/", pages)
	mux.HandleFunc("GET /api/v1/models.json", used.ServeVersion)
	return mux, nil
}

// bouncePause is the interval for reading the folder of returned mails.
const bouncePause = 15 * time.Minute

// handleBounces stops mails to addresses whose mails were returned, until ctx ends.
func handleBounces(ctx context.Context, a *app.App, readers *publish.Service) error {
	for ctx.Err() == nil {
		own := engine.ChildApp(a)
		t := bounce.Processor{Readers: readers, Note: func(bounce.Note) error { return nil }}
		err := errors.Join(fetchBounces(ctx, own, mailFlags{}, &t), own.Close())
		switch {
		case err != nil && ctx.Err() == nil:
			a.Logger().Error("bounced mails could not be read", "folder", a.Config.BounceFolder, "err", err)
		case t.Mails > 0:
			a.Logf("%s", &t)
		}
		engine.Wait(ctx, bouncePause)
	}
	return nil
}
