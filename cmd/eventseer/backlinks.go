package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/features/tagtree"
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
configuration (backlinks.providers, see doc/operating.md). Each provider is queried in
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
func reportProviderErrors(a *app.App, replies []backlink.Reply, rows []*backlinkRow) {
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
	if len(replies) == 0 || len(replies) == 1 && replies[0].Provider == backlink.Own {
		a.Logf("only the local link database was queried; configure backlinks.providers to add services")
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

// A backlinkRow is one line of `backlinks`.
type backlinkRow struct {
	Source   string     `json:"source"`
	Target   string     `json:"target"`
	Anchor   string     `json:"anchor"`
	Title    string     `json:"title"`
	Provider string     `json:"provider"`
	Scope    string     `json:"scope"`    // it was found in
	Verified string     `json:"verified"` // yes, no, unreachable or unknown
	Reason   string     `json:"reason,omitempty"`
	NoFollow bool       `json:"nofollow"`
	Mention  bool       `json:"mention"` // the source contains the URL as text, perhaps without a link
	Seen     *time.Time `json:"seen"`    // by the provider
	Cost     float64    `json:"cost"`    // its share of the query's cost, in the provider's unit

	link backlink.Backlink
}

const unknownLink = "unknown"

// rowsOf returns a row for each link in the replies.
func rowsOf(c *backlink.Chain, replies []backlink.Reply, target string) ([]*backlinkRow, error) {
	var rows []*backlinkRow
	for _, r := range replies {
		seen, err := c.Verifications(r.Links, target)
		if err != nil {
			return nil, err
		}
		for i, l := range r.Links {
			row := &backlinkRow{
				Source: l.Source, Target: l.Target, Anchor: l.Anchor, Title: l.Title, Provider: l.Provider, Scope: l.Scope.String(),
				NoFollow: l.NoFollow, Mention: l.Mention, Seen: admin.TimeOrNil(l.Seen), Cost: r.Cost / float64(len(r.Links)), link: l,
			}
			row.recordVerification(seen[i], "")
			rows = append(rows, row)
		}
	}
	return rows, nil
}

// recordVerification records the result of checking the link.
func (r *backlinkRow) recordVerification(v backlink.Verification, why string) {
	r.Verified, r.Reason = string(v), why
	if v == backlink.Unverified {
		r.Verified = unknownLink
	}
}

// backlinkTable is the output of backlinks, one link per row.
var backlinkTable = app.Table[*backlinkRow]{
	Head: "VERIFIED\tPROVIDER\tSCOPE\tCOST\tSOURCE\tANCHOR",
	Line: func(r *backlinkRow) string {
		return fmt.Sprintf("%s\t%s\t%s\t%.3g\t%s\t%s", r.Verified, text.Printable(r.Provider), r.Scope, r.Cost, text.Printable(r.Source), text.OneLine(r.Anchor, 60))
	},
	Columns: []string{"source", "target", "anchor", "title", "provider", "scope", "verified", "reason", "nofollow", "mention", "seen", "cost"},
	Record: func(r *backlinkRow) []string {
		seen := ""
		if r.Seen != nil {
			seen = r.Seen.Format(time.RFC3339)
		}
		return []string{
			r.Source, r.Target, r.Anchor, r.Title, r.Provider, r.Scope, r.Verified, r.Reason,
			strconv.FormatBool(r.NoFollow), strconv.FormatBool(r.Mention), seen, strconv.FormatFloat(r.Cost, 'g', -1, 64),
		}
	},
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

// maxFetchers is the largest number of sources fetched at the same time.
const maxFetchers = 8

// A verifier looks at the sources of backlinks.
type verifier struct {
	app     *app.App
	fetcher crawler.Fetcher
	chain   *backlink.Chain
	links   *backlink.LinkDB // nil if nothing is stored
	target  string
}

// verify fetches the unverified sources of the rows, with the given number of workers, and stores
// the results in the rows.
func (v verifier) verify(ctx context.Context, rows []*backlinkRow, workers int) error {
	var group sync.WaitGroup
	errs := make([]error, workers)
	open := make(chan *backlinkRow)
	for i := range workers {
		group.Go(func() {
			for r := range open {
				errs[i] = errors.Join(errs[i], v.verifyRow(ctx, r))
			}
		})
	}
	for _, r := range rows {
		if r.Verified == unknownLink && ctx.Err() == nil {
			open <- r
		}
	}
	close(open)
	group.Wait()
	return errors.Join(append(errs, ctx.Err())...)
}

// verifyRow fetches one source. Its links are stored like those of a crawled page.
func (v verifier) verifyRow(ctx context.Context, r *backlinkRow) error {
	page, err := v.fetch(ctx, r.Source)
	if ctx.Err() != nil {
		return nil // verify says so
	}
	var links []webgraph.Link
	gone, why := false, ""
	switch {
	case err != nil:
		why = err.Error()
	case page.Status == http.StatusNotFound || page.Status == http.StatusGone:
		gone, why = true, http.StatusText(page.Status)
	case page.Status != http.StatusOK:
		why = fmt.Sprintf("status %d", page.Status)
	default:
		tree, err := tagtree.Parse(page)
		if err != nil {
			why = err.Error()
			break
		}
		links = append([]webgraph.Link{}, tree.Links()...)
		if v.links != nil {
			if err := v.links.Add(ctx, links); err != nil {
				return err
			}
		}
	}
	seen, err := v.chain.Verify(r.link, v.target, links, gone)
	r.recordVerification(seen, why)
	return err
}

// fetch fetches a source. Some providers omit the scheme: if https fails, http is tried.
func (v verifier) fetch(ctx context.Context, source string) (*webgraph.Page, error) {
	page, err := v.fetchPage(ctx, source)
	var failed *crawler.FetchError
	rest, secure := strings.CutPrefix(source, "https://")
	if secure && errors.As(err, &failed) && failed.HostFailed && failed.Status == 0 {
		if plain, again := v.fetchPage(ctx, "http://"+rest); again == nil {
			return plain, nil
		}
	}
	return page, err
}

func (v verifier) fetchPage(ctx context.Context, url string) (*webgraph.Page, error) {
	blocks, err := v.app.Blocklist()
	if err != nil {
		return nil, err
	}
	if why := blocks.BlockedReason(url); why != "" {
		return nil, errors.New(why)
	}
	return v.fetcher.Fetch(ctx, crawler.Request{URL: url})
}
