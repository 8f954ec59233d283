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

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/crawler/backlink"
	"eventseer/internal/text"
	"eventseer/webgraph"

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
		Use: "backlinks URL", Short: "Say who links to a page", Args: args(cobra.ExactArgs(1)), Annotations: formats("table", "jsonl", "csv"),
		Example: `  eventseer backlinks https://conf.example/2027/cfp
  eventseer backlinks https://conf.example/ --scope host --provider wikipedia --format jsonl
  eventseer backlinks https://conf.example/ --backlinks links.tsv.gz --verify --replay web.warc.gz
  eventseer backlinks index CC-MAIN-*.wat.gz -o crawl.edges`,
		Long: `Say who links to a page: our own crawls, and the providers of the configuration
(backlinks.providers, see doc/operating.md). Each is asked in the narrowest scope
it knows (prefix is the page's directory) and in wider ones until there is an
answer, or in that of --scope alone. An answer that took calls is kept for
--backlink-ttl and not paid for again.

VERIFIED says whether our own fetch of the source saw the link: yes, no, or
unknown. --verify fetches the sources that are unknown, within robots.txt and
host-delay; those it cannot have are unreachable.

Exit code 3: a provider failed, others answered.`,
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&f.providers, "provider", nil, "providers asked, by name; own is our own links (default all)")
	flags.StringVar(&f.scope, "scope", "", "page, prefix, host or domain (default each provider's narrowest with an answer)")
	flags.IntVar(&f.limit, "limit", f.limit, "most links of each provider, at most 10000")
	flags.StringVar(&f.file, "backlinks", "", "links file that is asked too: LINKS.tsv.gz[:coverage=0.5,stale=0.2]")
	flags.BoolVar(&f.verify, "verify", false, "fetch the sources and see whether they link to the page")
	flags.StringSliceVar(&f.replay, "replay", nil, "WARC files that --verify reads instead of the live web; no service is asked")
	app.AddConfigFlags(cmd, "backlink-ttl", "host-delay", "max-crawl-delay", "robots", "blocklist", "allow-private", "workers")
	cmd.AddCommand(newBacklinksIndexCommand(a))
	cmd.RunE = func(cmd *cobra.Command, given []string) error { return backlinks(cmd.Context(), a, given[0], f) }
	return cmd
}

// backlinks answers who links to a page.
func backlinks(ctx context.Context, a *app.App, address string, f backlinksFlags) error {
	q, err := f.question(address)
	if err != nil {
		return err
	}
	fetcher, err := sourceFetcher(a, f)
	if err != nil {
		return err
	}
	links, chain, err := openAsked(a, f)
	if err != nil {
		return err
	}
	replies := chain.Ask(ctx, q)
	if err := ctx.Err(); err != nil {
		return err
	}
	rows, err := rowsOf(chain, replies, q.Target)
	if err != nil {
		return err
	}
	if f.verify {
		v := verifier{app: a, fetcher: fetcher, chain: chain, links: links, target: q.Target}
		workers := min(a.Config.Workers, maxFetchers)
		if len(f.replay) > 0 {
			workers = 1
		}
		if err := v.verify(ctx, rows, workers); err != nil {
			return err
		}
	}
	if err := backlinkTable.Print(a, rows); err != nil {
		return err
	}
	sayAsked(a, replies, rows)
	return failedOf(replies)
}

// question makes the question of the flags.
func (f backlinksFlags) question(address string) (backlink.Question, error) {
	q := backlink.Question{Limit: f.limit, Providers: f.providers}
	if f.limit < 1 || f.limit > maxBacklinks {
		return q, app.Usagef("--limit %d is not from 1 to %d", f.limit, maxBacklinks)
	}
	if len(f.replay) > 0 && !f.verify {
		return q, app.Usagef("--replay goes with --verify: it is where the sources are read")
	}
	if f.scope != "" {
		i := slices.Index(backlink.ScopeNames[:], f.scope)
		if i < 0 {
			return q, app.Usagef("--scope %q is none of %s", f.scope, strings.Join(backlink.ScopeNames[:], ", "))
		}
		q.Scopes = []backlink.Scope{backlink.Scope(i)}
	}
	var err error
	if q.Target, err = webgraph.Canonical(address); err != nil {
		return q, app.Usage(err)
	}
	return q, nil
}

// openAsked opens the chain of everybody who is asked, and our own links, nil
// where there are none and nothing need be kept.
func openAsked(a *app.App, f backlinksFlags) (*backlink.LinkDB, *backlink.Chain, error) {
	o := backlink.ChainOptions{TTL: time.Duration(a.Config.BacklinkTTL), Now: a.Now}
	configured := a.Config.Providers
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
			return nil, nil, app.Usagef("--provider %q is none of %s", name, strings.Join(known, ", "))
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

// sayAsked says what each provider said that failed, and what it all cost.
func sayAsked(a *app.App, replies []backlink.Reply, rows []*backlinkRow) {
	calls, cost, kept, dropped := 0, 0.0, 0, 0
	for _, r := range replies {
		calls, cost, kept, dropped = calls+r.Calls, cost+r.Cost, kept+r.Kept, dropped+r.Dropped
		switch {
		case r.Err != nil:
			a.Logf("%v", r.Err)
		case r.Next != "":
			a.Logf("%s knows more; --limit shows more", r.Provider)
		}
	}
	a.Logf("%s from %s: %s, cost %g, %s kept from before, %s left out", text.Count(len(rows), "link", "links"), text.Count(len(replies), "provider", "providers"),
		text.Count(calls, "call", "calls"), cost, text.Count(kept, "answer", "answers"), text.Count(dropped, "row", "rows"))
	if len(replies) == 0 || len(replies) == 1 && replies[0].Provider == backlink.Own {
		a.Logf("nobody but our own links was asked; backlinks.providers in the configuration names others")
	}
}

// failedOf is the command's error: partly done if some providers answered.
func failedOf(replies []backlink.Reply) error {
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
		return app.Usage(failed[0])
	}
	return fmt.Errorf("no provider answered: %w", failed[0])
}
