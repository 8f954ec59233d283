package backlink

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/eventseer/eventseer/webgraph"
)

// MarginaliaOptions are the settings of a Marginalia.
type MarginaliaOptions struct {
	ClientOptions
	// API is the URL of the search. Empty means the public service.
	API string
	// Key is the API key. Empty means "public", which is shared and often busy.
	Key string
}

// A Marginalia finds the pages of the small web that link to a host, by the operator links: of
// marginalia-search.com. The service only supports hosts: rows have no target page, so their target
// is the root of the host.
type Marginalia struct{ *client }

var _ Provider = (*Marginalia)(nil)

const (
	marginaliaAPI = "https://api2.marginalia-search.com/search"
	marginaliaKey = "public"
	// marginaliaLimit is the maximum number of rows of one call.
	marginaliaLimit = 100
	// marginaliaPerDomain is the number of results requested per domain.
	marginaliaPerDomain = 5
)

// NewMarginalia returns the provider. The error names the invalid option.
func NewMarginalia(o MarginaliaOptions) (*Marginalia, error) {
	c, err := newClient("marginalia", cmp.Or(o.API, marginaliaAPI), cmp.Or(o.Key, marginaliaKey), []Scope{Host}, o.ClientOptions)
	if err != nil {
		return nil, err
	}
	return &Marginalia{c}, nil
}

// Backlinks answers a query; see Provider.
func (m *Marginalia) Backlinks(ctx context.Context, q Query) (Answer, error) {
	k, err := m.newCollector(q)
	if err != nil {
		return Answer{}, err
	}
	// The page size stays that of the first query.
	at := pageCursor{page: 1, size: min(k.q.Limit, marginaliaLimit)}
	if err := at.parse(k.q.Cursor); err != nil || at.size > marginaliaLimit {
		return Answer{}, m.providerError(Nonsense, "not queried: the cursor is not one of this provider")
	}
	var found jsonRows[searchRow]
	k.answer.Calls = 1
	err = m.getJSON(ctx, url.Values{
		"query": {"links:" + string(webgraph.HostOf(k.q.Target))}, "count": {strconv.Itoa(at.size)}, "page": {strconv.Itoa(at.page)},
		"dc": {strconv.Itoa(marginaliaPerDomain)},
	}, http.Header{"Api-Key": {m.key}}, resultsDecoder(&found))
	if err != nil {
		return k.answer, err
	}
	k.answer.Dropped = found.dropped
	for _, r := range found.kept {
		k.add(Backlink{Source: r.URL, Target: k.q.representativeURL(), Title: r.Title})
	}
	if len(found.kept)+found.dropped >= at.size && at.page < maxPage {
		k.setCursor(pageCursor{page: at.page + 1, size: at.size}.String())
	}
	return k.answer, nil
}

// A searchRow is a result of a search.
type searchRow struct {
	URL     string `json:"url"`
	Title   string `json:"title"`
	Snippet string `json:"content"`
}

// resultsDecoder returns the decoder of a response whose member results are rows.
func resultsDecoder(found *jsonRows[searchRow]) func(*json.Decoder) error {
	return func(d *json.Decoder) error {
		named := false
		err := decodeObject(d, map[string]func(*json.Decoder) error{"results": func(d *json.Decoder) error {
			named = true
			return found.read(d)
		}})
		if err == nil && !named {
			return fmt.Errorf("it has no results")
		}
		return err
	}
}

// maxPage is the last page requested from a service with numbered pages.
const maxPage = 1000

// A pageCursor is a cursor of a service with numbered pages.
type pageCursor struct {
	page int // from 1 to maxPage
	size int // rows per page; for SearX the number of rows returned before
}

// String returns the cursor as text.
func (p pageCursor) String() string { return fmt.Sprintf("%d/%d", p.page, p.size) }

// parse sets the cursor from a text; an empty one changes nothing.
func (p *pageCursor) parse(s string) error {
	if s == "" {
		return nil
	}
	var read pageCursor
	if _, err := fmt.Sscanf(s, "%d/%d", &read.page, &read.size); err != nil {
		return err
	}
	if read.page < 1 || read.page > maxPage || read.size < 0 || read.String() != s {
		return fmt.Errorf("%q is no page", s)
	}
	*p = read
	return nil
}
