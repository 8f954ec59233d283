// Package backlinks has the rows of the command backlinks and checks them by fetching their sources.
package backlinks

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"
)

// A Row is one line of `backlinks`.
type Row struct {
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

// RowsOf returns a row for each link in the replies.
func RowsOf(c *backlink.Chain, replies []backlink.Reply, target string) ([]*Row, error) {
	var rows []*Row
	for _, r := range replies {
		seen, err := c.Verifications(r.Links, target)
		if err != nil {
			return nil, err
		}
		for i, l := range r.Links {
			row := &Row{
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
func (r *Row) recordVerification(v backlink.Verification, why string) {
	r.Verified, r.Reason = string(v), why
	if v == backlink.Unverified {
		r.Verified = unknownLink
	}
}

// Table is the output of backlinks, one link per row.
var Table = app.Table[*Row]{
	Head: "VERIFIED\tPROVIDER\tSCOPE\tCOST\tSOURCE\tANCHOR",
	Line: func(r *Row) string {
		return fmt.Sprintf("%s\t%s\t%s\t%.3g\t%s\t%s", r.Verified, text.Printable(r.Provider), r.Scope, r.Cost, text.Printable(r.Source), text.OneLine(r.Anchor, 60))
	},
	Columns: []string{"source", "target", "anchor", "title", "provider", "scope", "verified", "reason", "nofollow", "mention", "seen", "cost"},
	Record: func(r *Row) []string {
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

// MaxFetchers is the largest number of sources fetched at the same time.
const MaxFetchers = 8

// A Verifier looks at the sources of backlinks.
type Verifier struct {
	App     *app.App
	Fetcher crawler.Fetcher
	Chain   *backlink.Chain
	Links   *backlink.LinkDB // nil if nothing is stored
	Target  string
}

// Verify fetches the unverified sources of the rows, with the given number of workers, and stores
// the results in the rows.
func (v Verifier) Verify(ctx context.Context, rows []*Row, workers int) error {
	var group sync.WaitGroup
	errs := make([]error, workers)
	open := make(chan *Row)
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
func (v Verifier) verifyRow(ctx context.Context, r *Row) error {
	page, err := v.fetch(ctx, r.Source)
	if ctx.Err() != nil {
		return nil // Verify says so
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
		if v.Links != nil {
			if err := v.Links.Add(ctx, links); err != nil {
				return err
			}
		}
	}
	seen, err := v.Chain.Verify(r.link, v.Target, links, gone)
	r.recordVerification(seen, why)
	return err
}

// fetch fetches a source. Some providers omit the scheme: if https fails, http is tried.
func (v Verifier) fetch(ctx context.Context, source string) (*webgraph.Page, error) {
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

func (v Verifier) fetchPage(ctx context.Context, url string) (*webgraph.Page, error) {
	blocks, err := v.App.Blocklist()
	if err != nil {
		return nil, err
	}
	if why := blocks.BlockedReason(url); why != "" {
		return nil, errors.New(why)
	}
	return v.Fetcher.Fetch(ctx, crawler.Request{URL: url})
}
