package backlink

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
)

// SearXOptions are the settings of a SearX.
type SearXOptions struct {
	ClientOptions
	// API is the URL of the instance, which must allow JSON output.
	API string
}

// A SearX queries a SearXNG instance, which queries other search engines. As a Provider it finds
// pages that contain a URL as text; whether they link to it is unknown, so every row is a mention.
// Search runs any other query.
type SearX struct{ *client }

var _ Provider = (*SearX)(nil)

// NewSearX returns the client of an instance. The error names the invalid option.
func NewSearX(o SearXOptions) (*SearX, error) {
	c, err := newClient("searx", o.API, "", []Scope{Page, Directory, Host}, o.ClientOptions)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(c.api.Path, "/search") {
		c.api = c.api.JoinPath("search")
	}
	return &SearX{c}, nil
}

// Backlinks runs a query; see Provider. The instance determines the page size: a page with more
// rows than requested is requested again.
func (s *SearX) Backlinks(ctx context.Context, q Query) (Answer, error) {
	k, err := s.newCollector(q)
	if err != nil {
		return Answer{}, err
	}
	at := pageCursor{page: 1} // size is the number of rows of the page returned before
	if err := at.parse(k.q.Cursor); err != nil {
		return Answer{}, s.providerError(Nonsense, "not queried: the cursor is not one of this provider")
	}
	k.answer.Calls = 1
	found, err := s.requestResults(ctx, mentionQuery(k.q), at.page)
	if err != nil {
		return k.answer, err
	}
	k.answer.Dropped = found.dropped
	for i, r := range found.kept {
		if i < at.size {
			continue
		}
		if len(k.answer.Links) == k.q.Limit {
			k.setCursor(pageCursor{page: at.page, size: i}.String())
			return k.answer, nil
		}
		k.add(Backlink{Source: r.URL, Target: k.q.representativeURL(), Title: r.Title, Mention: true})
	}
	if len(found.kept) > 0 && at.page < maxPage {
		k.setCursor(pageCursor{page: at.page + 1}.String())
	}
	return k.answer, nil
}

// mentionQuery returns the search for pages of other sites that print a URL.
func mentionQuery(q Query) string {
	return `"` + strings.TrimSuffix(schemelessKey(q.representativeURL()), "/") + `" -site:` + domainOf(q.Target)
}

// A Result is a search result.
type Result struct {
	URL     string // as the instance wrote it
	Title   string
	Snippet string
}

// Search returns the results of one page of a query, and the number of the next page, 0 if there is
// none. Pages count from 1. The error is a *ProviderError.
func (s *SearX) Search(ctx context.Context, query string, page int) (results []Result, next int, err error) {
	page = max(1, page)
	found, err := s.requestResults(ctx, query, page)
	if err != nil {
		return nil, 0, err
	}
	for _, r := range found.kept {
		results = append(results, Result{r.URL, ClipText(r.Title), ClipText(r.Snippet)})
	}
	if len(results) > 0 && page < maxPage {
		next = page + 1
	}
	return results, next, nil
}

// requestResults sends a search request.
func (s *SearX) requestResults(ctx context.Context, query string, page int) (found jsonRows[searchRow], err error) {
	err = s.getJSON(ctx, url.Values{"q": {query}, "format": {"json"}, "pageno": {strconv.Itoa(page)}}, nil, func(d *json.Decoder) error {
		found = jsonRows[searchRow]{}
		return resultsDecoder(&found)(d)
	})
	return found, s.explainError(err)
}

// explainError adds advice to the error of an instance without JSON output: it responds with 403, or a
// page.
func (s *SearX) explainError(err error) error {
	var known *ProviderError
	if errors.As(err, &known) && (known.Trouble == KeyRefused || errors.Is(known.Err, errPage)) {
		known.Err = fmt.Errorf("%w; its settings.yml must list json under search: formats:, and its limiter must allow our requests", known.Err)
	}
	return err
}
