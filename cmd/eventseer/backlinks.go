package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/backlinks"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/spf13/cobra"
)

// backlinksFlags are the flags of `backlinks`.
type backlinksFlags struct {
	providers []string
	scope     string
	limit     int
	file      string
	verify    bool
	replay    []string
}

// Bounds on --limit.
const (
	defaultBacklinks = 100
	maxBacklinks     = 10_000
)

func newBacklinksCommand(a *app.App) *cobra.Command {
	f := backlinksFlags{limit: defaultBacklinks}
	cmd := &cobra.Command{
		Use: "backlinks URL", Short: "List the pages that link to a page", Args: usageArgs(cobra.ExactArgs(1)), Annotations: formatAnnotations("table", "jsonl", "csv"),
		Example: `  eventseer backlinks https://conf.example/2027/cfp
  eventseer backlinks https://conf.example/ --scope host --provider wikipedia --format jsonl
  eventseer backlinks https://conf.example/ --backlinks links.tsv.gz --verify --replay web.warc.gz
  eventseer backlinks index CC-MAIN-*.wat.gz -o crawl.edges`,
		Long: `List the pages that link to a page, from our own crawls and the providers of the
configuration (backlinks.providers, see doc/operating.md; without it English Wikipedia
and Marginalia, once a contact is set). Each provider is queried in
the narrowest scope it supports (prefix is the page's directory) and then in wider ones
until there is an answer, or in the scope of --scope alone. An answer that cost calls is
cached for --backlink-ttl.

VERIFIED shows whether our own fetch of the source saw the link: yes, no, or
unknown. --verify fetches the unknown sources, within robots.txt and host-delay;
sources that cannot be fetched are unreachable.

Exit code 3: a provider failed, others answered.`,
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.providers, "provider", nil, "providers to query, by name; own is the local link database (default all)")
	flags.StringVar(&f.scope, "scope", "", "page, prefix, host or domain (default each provider's narrowest with an answer)")
	flags.IntVar(&f.limit, "limit", f.limit, "maximum number of links from each provider, at most 10000")
	flags.StringVar(&f.file, "backlinks", "", "links file to query too: LINKS.tsv.gz[:coverage=0.5,stale=0.2]")
	flags.BoolVar(&f.verify, "verify", false, "fetch the sources and check whether they link to the page")
	flags.StringSliceVar(&f.replay, "replay", nil, "WARC files that --verify reads instead of the live web; no service is queried")
	app.AddConfigFlags(cmd, "backlink-ttl", "host-delay", "max-crawl-delay", "robots", "blocklist", "allow-private", "workers")
	cmd.AddCommand(newBacklinksIndexCommand(a))
	cmd.RunE = func(cmd *cobra.Command, given []string) error { return runBacklinks(cmd.Context(), a, given[0], f) }
	return cmd
}

// runBacklinks prints the pages that link to a page.
func runBacklinks(ctx context.Context, a *app.App, address string, f backlinksFlags) error {
	q, err := f.queryFor(address)
	if err != nil {
		return err
	}
	fetcher, err := sourceFetcher(a, f)
	if err != nil {
		return err
	}
	links, chain, err := openProviders(a, f)
	if err != nil {
		return err
	}
	replies := chain.QueryAll(ctx, q)
	if err := ctx.Err(); err != nil {
		return err
	}
	rows, err := backlinks.RowsOf(chain, replies, q.Target)
	if err != nil {
		return err
	}
	if f.verify {
		v := backlinks.Verifier{App: a, Fetcher: fetcher, Chain: chain, Links: links, Target: q.Target}
		workers := min(a.Config.Workers, backlinks.MaxFetchers)
		if len(f.replay) > 0 {
			workers = 1
		}
		if err := v.Verify(ctx, rows, workers); err != nil {
			return err
		}
	}
	if err := backlinks.Table.Print(a, rows); err != nil {
		return err
	}
	reportProviderErrors(a, replies, rows)
	return providersError(replies)
}

// queryFor returns the query given by the flags.
func (f backlinksFlags) queryFor(address string) (backlink.BroadcastQuery, error) {
	q := backlink.BroadcastQuery{Limit: f.limit, Providers: f.providers}
	if f.limit < 1 || f.limit > maxBacklinks {
		return q, app.Usagef("--limit %d is not from 1 to %d", f.limit, maxBacklinks)
	}
	if len(f.replay) > 0 && !f.verify {
		return q, app.Usagef("--replay needs --verify: the sources are read from it")
	}
	if f.scope != "" {
		i := slices.Index(backlink.ScopeNames[:], f.scope)
		if i < 0 {
			return q, app.Usagef("--scope %q is not one of %s", f.scope, strings.Join(backlink.ScopeNames[:], ", "))
		}
		q.Scopes = []backlink.Scope{backlink.Scope(i)}
	}
	var err error
	if q.Target, err = webgraph.Canonical(address); err != nil {
		return q, app.MarkUsage(err)
	}
	return q, nil
}

// openProviders opens the chain of all backlink providers, and the local link database, nil if there is
// none and nothing need be stored.
func openProviders(a *app.App, f backlinksFlags) (*backlink.LinkDB, *backlink.Chain, error) {
	o := backlink.ChainOptions{TTL: time.Duration(a.Config.BacklinkTTL), Now: a.Now}
	configured, _ := a.Config.BacklinkProviders()
	if len(f.replay) > 0 {
		configured = nil
	}
	known := []string{backlink.Own}
	if f.file != "" {
		edges, err := engine.LinksFileSource(a, f.file, true)
		if err != nil {
			return nil, nil, err
		}
		known = append(known, edges.Name())
		o.Sources = append(o.Sources, edges)
	}
	var asked app.ProviderList
	for _, p := range configured {
		known = append(known, p.Label())
		if f.providers == nil || slices.Contains(f.providers, p.Label()) {
			asked = append(asked, p)
		}
	}
	for _, name := range f.providers {
		if !slices.Contains(known, name) {
			return nil, nil, app.Usagef("--provider %q is not one of %s", name, strings.Join(known, ", "))
		}
	}
	sources, err := engine.OpenProviders(a, asked)
	if err != nil {
		return nil, nil, err
	}
	o.Sources = append(o.Sources, sources...)
	if _, err := os.Stat(a.Config.Data); err == nil || len(asked) > 0 {
		if o.Links, err = backlink.OpenLinkDB(filepath.Join(a.Config.Data, app.LinksFile), backlink.Options{}); err != nil {
			return nil, nil, err
		}
		a.OnClose(o.Links.Close)
	}
	chain, err := backlink.NewChain(o)
	return o.Links, chain, err
}

// reportProviderErrors reports the errors of providers, and the total cost.
func reportProviderErrors(a *app.App, replies []backlink.Reply, rows []*backlinks.Row) {
	calls, cost, kept, dropped := 0, 0.0, 0, 0
	for _, r := range replies {
		calls, cost, kept, dropped = calls+r.Calls, cost+r.Cost, kept+r.Kept, dropped+r.Dropped
		switch {
		case r.Err != nil:
			a.Logf("%v", r.Err)
		case r.Next != "":
			a.Logf("%s has more links; --limit shows more", r.Provider)
		}
	}
	a.Logf("%s from %s: %s, cost %g, %s from the cache, %s left out as invalid or repeated", text.Count(len(rows), "link", "links"), text.Count(len(replies), "provider", "providers"),
		text.Count(calls, "call", "calls"), cost, text.Count(kept, "answer", "answers"), text.Count(dropped, "row", "rows"))
	if list, why := a.Config.BacklinkProviders(); len(list) == 0 && (len(replies) == 0 || len(replies) == 1 && replies[0].Provider == backlink.Own) {
		a.Logf("%s", why)
	}
}

// providersError returns the command's error: partly done if some providers responded.
func providersError(replies []backlink.Reply) error {
	var failed []error
	for _, r := range replies {
		if r.Err != nil {
			failed = append(failed, r.Err)
		}
	}
	switch {
	case len(failed) == 0:
		return nil
	case len(failed) < len(replies):
		return fmt.Errorf("%w: %d of %d providers failed", app.ErrPartly, len(failed), len(replies))
	case errors.Is(failed[0], backlink.ErrScope):
		return app.MarkUsage(failed[0])
	}
	return fmt.Errorf("no provider answered: %w", failed[0])
}

// sourceFetcher returns the fetcher for the sources with --verify: the live web, with host delays,
// or the WARC files of --replay. It is nil without --verify.
func sourceFetcher(a *app.App, f backlinksFlags) (crawler.Fetcher, error) {
	switch {
	case !f.verify:
		return nil, nil
	case len(f.replay) > 0:
		w, err := engine.OpenReplay(a, f.replay, nil)
		if err != nil {
			return nil, err
		}
		return w.Base, nil
	}
	live, err := engine.LiveFetcher(a, nil)
	if err != nil {
		return nil, err
	}
	return engine.NewPaced(a, live, time.Duration(a.Config.HostDelay)), nil
}
