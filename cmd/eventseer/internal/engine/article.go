package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/eventseer/ingest"
	"github.com/eventseer/eventseer/eventseer/publish"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/webgraph"
)

// An articleReader reads pages behind the links of lists for the clips of readers. It obeys robots.txt, the
// blocklist and the host delays of the running crawl, and requests no private addresses unless the crawl may.
type articleReader struct {
	fetcher          crawler.Fetcher
	ignoreDirectives bool
}

// NewArticleReader returns the function for publish.Options.Article, nil if no contact is set
// or there is no service.
func NewArticleReader(a *app.App, table *fetch.SharedTable) (func(context.Context, string) (string, error), error) {
	if a.Config.Contact == "" || table == nil {
		return nil, nil
	}
	live, err := LiveFetcher(a, nil)
	if err != nil {
		return nil, err
	}
	return articleReader{fetch.NewPaced(live, table), a.Config.Directives == "ignore"}.read, nil
}

// read returns the main text of a page. Its errors are for readers and do not reveal the network.
func (r articleReader) read(ctx context.Context, url string) (string, error) {
	page, err := r.fetcher.Fetch(ctx, crawler.Request{URL: url})
	var fe *crawler.FetchError
	switch {
	case errors.As(err, &fe) && fe.Fate == crawler.Refused:
		return "", publish.NoArticle("its site's robots.txt or owner forbids it, or its type is not supported")
	case errors.As(err, &fe) && fe.Fate == crawler.Gone:
		return "", publish.NoArticle("the site was not found")
	case err != nil:
		return "", errors.New("the site did not respond in time")
	case page.Status >= http.StatusInternalServerError || page.Status == http.StatusTooManyRequests:
		return "", fmt.Errorf("the site answered with status %d", page.Status)
	case page.Status != http.StatusOK:
		return "", publish.NoArticle(fmt.Sprintf("the site answered with status %d", page.Status))
	}
	tree, err := tagtree.Parse(page)
	if err != nil {
		return "", publish.NoArticle("it has no text that can be read")
	}
	if !r.ignoreDirectives && directivesOf(tree).IsUnavailable(page.FetchedAt) {
		return "", publish.NoArticle("it asks not to be shown")
	}
	return ingest.TextOf(tree), nil
}

func directivesOf(t *tagtree.Tree) webgraph.Directives {
	return webgraph.ParseDirectives(crawler.DefaultAgent, t.Page.Header.Values("X-Robots-Tag"), t.RobotsMeta(crawler.DefaultAgent))
}
