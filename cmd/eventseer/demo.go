package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/serve"
	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/exchange/show"
	"github.com/eventseer/eventseer/eventseer/publish/message"
	"github.com/eventseer/eventseer/eventseer/search"
	"github.com/eventseer/eventseer/internal/text"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"
)

// demoBudget is the number of pages that the demo may fetch from the built-in web of some 400
// pages. It is enough for a focused crawl, not for fetching everything.
const demoBudget = 300

func newDemoCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "demo", Short: "Crawl the built-in web, show the calls found, and serve them", Args: usageArgs(cobra.NoArgs),
		Long: "Crawl a small generated web over loopback HTTP with the shipped models and the code of every crawl,\n" +
			"compare the calls found with the truth, and serve the result until Ctrl-C. Needs no network. The result\n" +
			"is deleted at the end, unless --data names a folder for it.",
		Example: "  eventseer demo\n  eventseer demo --seed 3 --no-serve",
	}
	noServe := cmd.Flags().Bool("no-serve", false, "exit when the crawl is over")
	budget := cmd.Flags().Float64("budget", demoBudget, "pages to spend")
	app.AddConfigFlags(cmd, "listen", "strategy")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		return runDemo(cmd.Context(), a, *budget, !*noServe)
	}
	return cmd
}

// demoFolders returns the folders of a demo. They are in the data directory if the command line
// names one, which must not contain a crawl, otherwise in a temporary one.
func demoFolders(a *app.App) (engine.Folders, error) {
	if a.Origins["data"] == "flag" {
		dir := a.Config.Data
		if _, err := os.Stat(filepath.Join(dir, app.FrontierFile)); err == nil {
			return engine.Folders{}, app.Usagef("%s holds a crawl already; name a new folder with --data", dir)
		}
		return engine.Folders{Run: engine.UnusedRunFolder(a, ""), State: dir}, nil
	}
	dir, err := os.MkdirTemp("", "eventseer-demo-")
	if err != nil {
		return engine.Folders{}, err
	}
	a.OnClose(func() error { return os.RemoveAll(dir) })
	return engine.Folders{Run: filepath.Join(dir, "run"), State: filepath.Join(dir, "data")}, nil
}

// checkListen returns an error if the address of the web UI is in use.
func checkListen(a *app.App) error {
	l, err := net.Listen("tcp", a.Config.Listen)
	if err != nil {
		return fmt.Errorf("%w; --listen names another address, such as 127.0.0.1:0", err)
	}
	return l.Close()
}

// runDemo crawls the built-in web and serves the results.
func runDemo(ctx context.Context, a *app.App, budget float64, serve bool) error {
	if serve {
		if err := checkListen(a); err != nil {
			return err
		}
	}
	folders, err := demoFolders(a)
	if err != nil {
		return err
	}
	w, err := engine.OpenSim(a, fmt.Sprintf("seed=%d", a.Config.Seed), nil)
	if err != nil {
		return err
	}
	truth := w.Sim.Truth()
	a.Logf("The built-in web (seed %d): %d pages, %d events called for. Crawling %.0f pages of it from %d known calls, %s.",
		a.Config.Seed, len(truth.Pages), len(truth.Events), budget, len(w.Sim.Seeds()), a.Config.Strategy)
	r, err := engine.RunPlan(ctx, a, engine.NewCrawl(w, folders,
		engine.Guide{Strategy: a.Config.Strategy, MinAccuracy: engine.MinAccuracy, Truth: truthOf(ctx, w, "", nil)},
		engine.Seeding{Seeds: w.Sim.Seeds()}, engine.Bounds{Budget: budget, BacklinkCost: a.Config.BacklinkCost}, engine.PageRules{Workers: 1}))
	if err != nil {
		return err
	}
	if err := a.WithOutput(func(out io.Writer) error { return showFoundEvents(ctx, a, out, r, w) }); err != nil {
		return err
	}
	if !serve {
		return nil
	}
	index, err := engine.OpenIndex(ctx, a, r.State.Dir, r.State.Store)
	if err != nil {
		return err
	}
	return serveDemo(ctx, a, r.State, index)
}

// showFoundEvents prints the calls found, next deadline first, and compares them with the truth.
func showFoundEvents(ctx context.Context, a *app.App, out io.Writer, r engine.CrawlResult, w *engine.Web) error {
	var events []eventseer.Event
	for e, err := range r.State.Store.Events(ctx) {
		if err != nil {
			return err
		}
		events = append(events, e)
	}
	now := a.Now()
	slices.SortStableFunc(events, func(x, y eventseer.Event) int { return show.ByDeadline(x, y, now) })
	table := app.NewTabWriter(out)
	fmt.Fprintln(table, "NEXT DEADLINE\tEVENT\tWHEN\tWHERE\tTITLE")
	for _, e := range events {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\n", show.NextDeadlineText(e, now), e.ID, show.DaysText(e), show.PlaceLine(e), text.OneLine(e.Title, 60))
	}
	if err := table.Flush(); err != nil {
		return err
	}
	found, all := w.Recall(events)
	_, err := fmt.Fprintf(out, "\n%d of %d events of the built-in web found (recall %.1f %%) in %d pages and %.0f backlink calls; harvest rate %.1f %%, true calls among the pages judged calls %.1f %%\n",
		found, all, 100*float64(found)/float64(max(all, 1)), r.Stats.Pages, r.Stats.Spent-float64(r.Stats.Pages),
		100*r.Stats.HarvestRate(), 100*w.Precision(events))
	return err
}

// serveDemo serves the calls of the demo, with accounts whose mails are printed on the terminal,
// until ctx ends.
func serveDemo(ctx context.Context, a *app.App, state engine.State, index *search.Index) error {
	a.Config.Data = state.Dir
	s := &serve.Service{Dir: state.Dir, Store: state.Store, Index: index, Monitor: state.Monitor, Execute: run, MailsTold: "none: the demo shows its mails in this terminal"}
	s.Console, s.Scrubber = &serve.Console{App: a, Of: s}, serve.NewScrubber(a, s)
	s.Console.Attach(&admin.Inspector{Data: state.Dir, Frontier: state.Frontier, Links: state.Links, Now: a.Now}, nil)
	var err error
	if s.Wrappers, err = engine.OpenWrappers(a, state); err != nil {
		return err
	}
	if err := serve.OpenPublisher(ctx, a, s, terminalMailer{a}); err != nil {
		return err
	}
	used, err := serve.ShippedModels()
	if err != nil {
		return err
	}
	handler, err := serviceHandler(ctx, a, s, used, serveFlags{})
	if err != nil {
		return err
	}
	if err := writeDumps(ctx, a, s.Store, filepath.Join(s.Dir, dumpsDir)); err != nil {
		return err
	}
	silence, err := serve.ServeOperator(ctx, a, s, admin.NewRegistry())
	if err != nil {
		return err
	}
	defer silence()
	a.Logf("other commands work at the same time: `eventseer find --data %s`, `eventseer crawl status --data %s`", s.Dir, s.Dir)
	a.Logf("mails to readers are not sent, but shown here with their links")
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return s.Readers.Run(ctx) })
	group.Go(func() error { return serve.ServeHTTPUntilDone(ctx, a, handler, a.Config.Listen, "/", s.FirstPage) })
	return group.Wait()
}

// A terminalMailer prints mails on the demo's terminal, with the first link of each.
type terminalMailer struct{ *app.App }

var _ message.Mailer = terminalMailer{}

var firstLink = regexp.MustCompile(`https?://\S+`)

// Send implements message.Mailer.
func (m terminalMailer) Send(_ context.Context, l message.Email) error {
	m.Logf("a mail to %s: %q; its first link: %s", l.To, l.Subject, firstLink.FindString(l.Text))
	return nil
}
