package backlink

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// MediaWikiOptions are the settings of a MediaWiki.
type MediaWikiOptions struct {
	ClientOptions
	// Name is the provider's name, such as "wikipedia" if there are several. Empty means
	// "mediawiki".
	Name string
	// API is the URL of the wiki's api.php.
	API string
	// Namespaces are the namespaces of the wanted pages, such as 0, the articles. Nil means all.
	Namespaces []int
}

// A MediaWiki finds the pages of a wiki that link to a URL, by the module exturlusage of its API
// (mediawiki.org/wiki/API:Exturlusage). It needs no key and supports all scopes; rows have a title
// and no anchor. The first query also reads the wiki's site information, which costs one more call.
type MediaWiki struct {
	*client
	namespaces string

	mu   sync.Mutex // guards site, and lets one goroutine request it
	site *wikiSite
}

var _ Provider = (*MediaWiki)(nil)

const (
	// wikiLimit is the maximum number of rows of one call for users that are not bots.
	wikiLimit = 500
	// wikiLag is the maximum replication lag in seconds before the wiki rejects requests
	// (mediawiki.org/wiki/Manual:Maxlag_parameter).
	wikiLag = 5
	// wikiBothMinor is the first version 1.x known to search both schemes if none is given; older
	// ones searched http only.
	wikiBothMinor = 43
	// maxContinue is the maximum number of parameters of a cursor.
	maxContinue = 8
)

// NewMediaWiki returns the provider of one wiki. The error names the invalid option.
func NewMediaWiki(o MediaWikiOptions) (*MediaWiki, error) {
	c, err := newClient(cmp.Or(o.Name, "mediawiki"), o.API, "", everyScope, o.ClientOptions)
	if err != nil {
		return nil, err
	}
	var spaces []string
	for _, n := range o.Namespaces {
		spaces = append(spaces, strconv.Itoa(n))
	}
	return &MediaWiki{client: c, namespaces: strings.Join(spaces, "|")}, nil
}

// Backlinks answers a query; see Provider. A wiki in miser mode returns fewer rows than requested, even
// none, although there are more.
func (m *MediaWiki) Backlinks(ctx context.Context, q Query) (Answer, error) {
	k, err := m.newCollector(q)
	if err != nil {
		return Answer{}, err
	}
	site, calls, err := m.siteinfo(ctx)
	k.answer.Calls = calls
	if err != nil {
		return k.answer, err
	}
	cursor, err := url.ParseQuery(k.q.Cursor)
	if err != nil || len(cursor) > maxContinue {
		return k.answer, m.providerError(Nonsense, "not queried: the cursor is not one of this provider")
	}
	if k.q.Cursor == "" && !site.searchesBothSchemes() {
		cursor.Set("euprotocol", "https")
	}
	var answer wikiAnswer
	k.answer.Calls++
	if err := m.getJSON(ctx, m.parameters(k.q, cursor), nil, answer.responseDecoder(m.client)); err != nil {
		return k.answer, err
	}
	k.answer.Dropped = answer.rows.dropped
	for _, r := range answer.rows.kept {
		k.add(Backlink{Source: site.pageURL(r.Title), Target: withDefaultScheme(r.URL), Title: r.Title})
	}
	k.setCursor(nextCursor(cursor, answer.more))
	return k.answer, nil
}

// parameters returns the parameters of a call. The pattern is the beginning of a URL without its
// scheme; an asterisk is allowed only before a host, and matches it and its subdomains.
func (m *MediaWiki) parameters(q Query, cursor url.Values) url.Values {
	pattern := schemelessKey(q.representativeURL())
	if q.Scope == Domain {
		pattern = "*." + strings.TrimSuffix(pattern, "/")
	}
	v := url.Values{
		"action": {"query"}, "list": {"exturlusage"}, "format": {"json"}, "formatversion": {"2"},
		"maxlag":  {strconv.Itoa(wikiLag)},
		"euquery": {pattern}, "euprop": {"ids|title|url"}, "eulimit": {strconv.Itoa(min(q.Limit, wikiLimit))},
		"continue": {""},
	}
	if m.namespaces != "" {
		v.Set("eunamespace", m.namespaces)
	}
	for _, name := range []string{"continue", "eucontinue", "euoffset", "euprotocol"} {
		if cursor.Has(name) {
			v.Set(name, cursor.Get(name))
		}
	}
	return v
}

// nextCursor returns the cursor of the next rows. On an old wiki http is searched after https.
func nextCursor(asked url.Values, more map[string]string) string {
	scheme := asked.Get("euprotocol")
	if len(more) == 0 && scheme != "https" {
		return ""
	}
	next := url.Values{}
	for name, value := range more {
		next.Set(name, value)
	}
	switch {
	case len(more) == 0:
		next.Set("euprotocol", "http")
	case scheme != "":
		next.Set("euprotocol", scheme)
	}
	return next.Encode()
}

// withDefaultScheme adds a scheme to a URL without one.
func withDefaultScheme(url string) string {
	if strings.HasPrefix(url, "//") {
		return "https:" + url
	}
	return url
}

// A wikiSite is the site information of a wiki.
type wikiSite struct {
	Server      string `json:"server"`      // such as https://en.wikipedia.org, or without the scheme
	ArticlePath string `json:"articlepath"` // such as /wiki/$1
	Generator   string `json:"generator"`   // such as MediaWiki 1.43.0
}

// siteinfo requests the wiki's site information, once.
func (m *MediaWiki) siteinfo(ctx context.Context) (site *wikiSite, calls int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.site != nil {
		return m.site, 0, nil
	}
	var answer wikiAnswer
	err = m.getJSON(ctx, url.Values{
		"action": {"query"}, "meta": {"siteinfo"}, "siprop": {"general"}, "format": {"json"}, "formatversion": {"2"},
		"maxlag": {strconv.Itoa(wikiLag)},
	}, nil, answer.responseDecoder(m.client))
	if err != nil {
		return nil, 1, err
	}
	answer.site.Server = withDefaultScheme(answer.site.Server)
	server, err := url.Parse(answer.site.Server)
	if err != nil || server.Host == "" || !strings.Contains(answer.site.ArticlePath, "$1") {
		return nil, 1, m.providerError(Nonsense, "%s does not say at which address its articles are", m.api.Host)
	}
	m.site = &answer.site
	return m.site, 1, nil
}

// searchesBothSchemes reports whether the wiki searches http and https links if no scheme is given.
func (s wikiSite) searchesBothSchemes() bool {
	var major, minor int
	if n, _ := fmt.Sscanf(s.Generator, "MediaWiki %d.%d", &major, &minor); n != 2 {
		return false
	}
	return major > 1 || minor >= wikiBothMinor
}

// pageURL returns the URL of a page of the wiki. Spaces become underscores, and characters not allowed
// in a path are escaped (mediawiki.org/wiki/Manual:Page_title).
func (s wikiSite) pageURL(title string) string {
	escape := url.PathEscape
	if before, _, _ := strings.Cut(s.ArticlePath, "$1"); strings.Contains(before, "?") {
		escape = url.QueryEscape
	}
	escaped := escape(strings.ReplaceAll(title, " ", "_"))
	escaped = strings.NewReplacer("%2F", "/", "%3A", ":").Replace(escaped)
	return s.Server + strings.Replace(s.ArticlePath, "$1", escaped, 1)
}

// A wikiRow is a link of a page.
type wikiRow struct {
	Title string `json:"title"`
	URL   string `json:"url"`
}

// A wikiAnswer is a response of api.php, in either formatversion.
type wikiAnswer struct {
	rows jsonRows[wikiRow]
	more map[string]string // parameters of the next call
	site wikiSite
}

// responseDecoder returns the decoder of a response. An error of the wiki is a *ProviderError.
func (a *wikiAnswer) responseDecoder(c *client) func(*json.Decoder) error {
	return func(d *json.Decoder) error {
		var failed struct{ Code, Info string }
		err := decodeObject(d, map[string]func(*json.Decoder) error{
			"error":    decodeInto(&failed),
			"continue": a.readMore,
			"query": func(d *json.Decoder) error {
				return decodeObject(d, map[string]func(*json.Decoder) error{
					"exturlusage": a.rows.read,
					"general":     decodeInto(&a.site),
				})
			},
		})
		if err == nil && failed.Code != "" {
			return wikiError(c, failed.Code, failed.Info)
		}
		return err
	}
}

// readMore reads the parameters of the next call, whose values may be numbers.
func (a *wikiAnswer) readMore(d *json.Decoder) error {
	var more map[string]json.RawMessage
	if err := d.Decode(&more); err != nil {
		return err
	}
	if len(more) > maxContinue {
		return fmt.Errorf("the cursor has %d parameters, too many", len(more))
	}
	a.more = map[string]string{}
	for name, raw := range more {
		value := string(raw)
		if text := ""; json.Unmarshal(raw, &text) == nil {
			value = text
		}
		a.more[name] = value
	}
	return nil
}

// wikiError converts an error code of a wiki.
func wikiError(c *client, code, info string) error {
	trouble := Nonsense
	switch {
	case slices.Contains([]string{"maxlag", "ratelimited", "readonly"}, code):
		trouble = Busy
	case slices.Contains([]string{"readapidenied", "permissiondenied", "blocked", "autoblocked", "mwoauth-invalid-authorization"}, code):
		trouble = KeyRefused
	}
	return c.providerError(trouble, "%s says %s: %s", c.api.Host, c.quoteResponse([]byte(code)), c.quoteResponse([]byte(info)))
}
