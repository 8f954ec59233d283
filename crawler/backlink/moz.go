package backlink

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"
)

// MozOptions are the settings of a Moz.
type MozOptions struct {
	ClientOptions
	// API is the URL of the service. Empty means the public one.
	API string
	// Token is the API token, and must be set.
	Token string
}

// A Moz queries the link index of Moz, by the method data.site.link.list of its JSON-RPC API
// (moz.com/api/docs). Every row costs one of the account's quota.
//
// The service omits schemes. Sources are assumed to be https, as most of the web is. The visit that
// verifies a link finds out; if https fails, http should be tried.
type Moz struct{ *client }

var _ Provider = (*Moz)(nil)

const (
	mozAPI = "https://api.moz.com/jsonrpc"
	// mozLimit is the maximum number of rows of one call.
	mozLimit = 50
	// mozID is the id of every request; the service requires at least 24 characters. HTTP pairs
	// requests and responses.
	mozID = "eventseer-backlinks-request"
)

// mozScopes are the service's names of scopes.
var mozScopes = map[Scope]string{Page: "url", Directory: "subfolder", Host: "subdomain", Domain: "domain"}

// NewMoz returns the provider. The error names the invalid option.
func NewMoz(o MozOptions) (*Moz, error) {
	if o.Token == "" {
		return nil, errors.New("moz: the token is missing; set it as the key of the provider")
	}
	c, err := newClient("moz", cmp.Or(o.API, mozAPI), o.Token, everyScope, o.ClientOptions)
	if err != nil {
		return nil, err
	}
	return &Moz{c}, nil
}

// Backlinks answers a query; see Provider. The cost is in rows of the quota.
func (m *Moz) Backlinks(ctx context.Context, q Query) (Answer, error) {
	k, err := m.newCollector(q)
	if err != nil {
		return Answer{}, err
	}
	var answer mozAnswer
	k.answer.Calls = 1
	if err := m.callMethod(ctx, "data.site.link.list", linkParameters(k.q), answer.readLinks); err != nil {
		return k.answer, err
	}
	k.answer.Cost = float64(len(answer.rows.kept) + answer.rows.dropped)
	k.answer.Dropped = answer.rows.dropped
	for _, r := range answer.rows.kept {
		k.add(r.toBacklink(k.q.Target))
	}
	if len(answer.rows.kept) > 0 {
		k.setCursor(answer.token)
	}
	return k.answer, nil
}

// linkParameters returns the parameters of a call for existing links from other sites.
func linkParameters(q Query) any {
	type object = map[string]any
	var token any
	if q.Cursor != "" {
		token = q.Cursor
	}
	site := q.representativeURL()
	if q.Scope != Page {
		site = schemelessKey(site)
	}
	return object{
		"site_query": object{"query": site, "scope": mozScopes[q.Scope]},
		"options":    object{"scope": "page", "sort": "source_page_authority", "filters": []string{"external", "not_deleted"}},
		"offset":     object{"token": token, "limit": min(q.Limit, mozLimit)},
	}
}

// callMethod makes a call of JSON-RPC 2.0 and calls result to decode the member result. An unknown site
// gives an answer without rows.
func (m *Moz) callMethod(ctx context.Context, method string, data any, result func(*json.Decoder) error) error {
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": mozID, "method": method, "params": map[string]any{"data": data}})
	if err != nil {
		return m.providerError(Nonsense, "the query cannot be encoded as a request")
	}
	header := http.Header{"X-Moz-Token": {m.key}, "Content-Type": {"application/json"}}
	err = m.sendRequest(ctx, http.MethodPost, m.api.String(), body, header, mozReader(m.client, result))
	if errors.Is(err, errUnknownSite) {
		return nil
	}
	return err
}

// A mozAnswer is the result of a call.
type mozAnswer struct {
	rows  jsonRows[mozRow]
	token string
}

// A mozRow is a link that Moz knows.
type mozRow struct {
	Source    mozPage `json:"source_site_metrics"`
	Target    mozPage `json:"target_site_metrics"`
	Anchor    string  `json:"anchor_text"`
	NoFollow  bool    `json:"nofollow"`
	FirstSeen string  `json:"date_first_seen"`
	LastSeen  string  `json:"date_last_seen"`
}

type mozPage struct {
	Page  string `json:"page"` // without a scheme
	Title string `json:"title"`
}

// toBacklink returns the row as a link, with its target in the scheme of the queried page.
func (r mozRow) toBacklink(about string) Backlink {
	seen, err := time.Parse(time.DateOnly, r.LastSeen)
	if err != nil {
		seen, _ = time.Parse(time.DateOnly, r.FirstSeen)
	}
	return Backlink{
		Source: withScheme("https", r.Source.Page), Target: withScheme(schemeOf(about), r.Target.Page),
		Anchor: r.Anchor, Title: r.Source.Title, NoFollow: r.NoFollow, Seen: seen,
	}
}

// withScheme returns the URL of a page that Moz names without a scheme.
func withScheme(scheme, page string) string {
	if page == "" || strings.Contains(page, "://") {
		return page
	}
	return scheme + "://" + page
}

func (a *mozAnswer) readLinks(d *json.Decoder) error {
	return decodeObject(d, map[string]func(*json.Decoder) error{
		"links": a.rows.read,
		"offset": func(d *json.Decoder) error {
			var offset struct{ Token *string }
			err := d.Decode(&offset)
			if offset.Token != nil {
				a.token = *offset.Token
			}
			return err
		},
	})
}

// errUnknownSite means that the service has no data on a site, reported as an error of status 404.
var errUnknownSite = errors.New("it has no data on this site")

// mozReader returns the decoder of a response whose result is decoded by result. An error of the
// service is a *ProviderError.
func mozReader(c *client, result func(*json.Decoder) error) func(*json.Decoder) error {
	return func(d *json.Decoder) error {
		var failed struct {
			Code, Status int
			Message      string
			Data         json.RawMessage
		}
		named := false
		err := decodeObject(d, map[string]func(*json.Decoder) error{
			"error": decodeInto(&failed),
			"result": func(d *json.Decoder) error {
				named = true
				return result(d)
			},
		})
		switch {
		case err != nil:
			return err
		case failed.Code != 0 || failed.Status != 0 || failed.Message != "":
			return mozError(c, failed.Code, failed.Status, failed.Message, string(failed.Data))
		case !named:
			return errors.New("it has no result")
		}
		return nil
	}
}

// mozTooMany is the code of account and limit errors. Unknown sites have it too, with a status.
const mozTooMany = -32655

// mozError converts an error of JSON-RPC: by its text, then by its status, which is that of HTTP, then by
// its code.
func mozError(c *client, code, status int, message, data string) error {
	trouble := Nonsense
	switch {
	case isAboutQuota(message + data):
		trouble = QuotaSpent
	case status == http.StatusNotFound:
		return c.providerError(Nonsense, "%w", errUnknownSite)
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		trouble = KeyRefused
	case status == http.StatusTooManyRequests:
		trouble = Busy
	case code == mozTooMany && status == 0:
		trouble = QuotaSpent
	}
	return c.providerError(trouble, "%s reports error %d: %s", c.api.Host, code, c.quoteResponse([]byte(message)))
}
