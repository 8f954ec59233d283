package backlinktest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/webgraph"
)

// NewMoz starts a service with the JSON-RPC API of Moz, at /jsonrpc.
func NewMoz(t testing.TB, o Options) *Server {
	return newServer(t, o, "/jsonrpc", (*Server).moz)
}

// A mozCall is the decoded part of a request.
type mozCall struct {
	ID, Method string
	Params     struct {
		Data struct {
			SiteQuery struct{ Query, Scope string } `json:"site_query"`
			Options   struct{ Filters []string }
			Offset    struct {
				Token *string
				Limit int
			}
		}
	}
}

func (s *Server) moz(w http.ResponseWriter, r *http.Request) {
	var call mozCall
	switch err := json.NewDecoder(r.Body).Decode(&call); {
	case r.Header.Get("X-Moz-Token") == "" || s.o.Key != "" && r.Header.Get("X-Moz-Token") != s.o.Key:
		mozError(w, call.ID, http.StatusUnauthorized, -32600, "The token is not valid.")
	case err != nil || len(call.ID) < 24:
		mozError(w, call.ID, http.StatusBadRequest, -32600, "This is no request.")
	case call.Method != "data.site.link.list":
		mozError(w, call.ID, http.StatusNotFound, -32601, "There is no such method.")
	default:
		s.mozLinks(w, call)
	}
}

func mozError(w http.ResponseWriter, id string, status, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%q,"error":{"code":%d,"status":%d,"message":%q,"data":{}}}`, id, code, status, message)
}

// NotFound answers as the service does of a site it has nothing on.
func NotFound() Fault {
	return func(w http.ResponseWriter, _ *http.Request) {
		mozError(w, "0123456789abcdef01234567", http.StatusNotFound, -32655, "Site not found.")
	}
}

// spend takes rows from the quota and reports whether there were as many.
func (s *Server) spend(rows int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.o.Quota > 0 && s.spent+rows > s.o.Quota {
		return false
	}
	s.spent += rows
	return true
}

func (s *Server) mozLinks(w http.ResponseWriter, call mozCall) {
	ask := call.Params.Data
	var found []webgraph.Link
	for _, l := range s.o.Links {
		if mozMatch(l.Target, ask.SiteQuery.Query, ask.SiteQuery.Scope) {
			found = append(found, l)
		}
	}
	from := 0
	if ask.Offset.Token != nil {
		n, err := strconv.Atoi(strings.TrimPrefix(*ask.Offset.Token, "token-"))
		if err != nil {
			mozError(w, call.ID, http.StatusBadRequest, -32602, "The token is none.")
			return
		}
		from = min(n, len(found))
	}
	to := min(len(found), from+s.size(ask.Offset.Limit, 50))
	if !s.spend(to - from) {
		mozError(w, call.ID, http.StatusTooManyRequests, -32655, "The quota of api.limits.data.rows is used up.")
		return
	}
	token := "null"
	if s.o.Endless {
		token, to = fmt.Sprintf(`"token-%d"`, -s.Calls()), len(found)
	} else if to < len(found) {
		token = fmt.Sprintf(`"token-%d"`, to)
	}
	before := fmt.Sprintf(`{"jsonrpc":"2.0","id":%q,"result":{"offset":{"token":%s,"limit":%d},"links":[`, call.ID, token, ask.Offset.Limit)
	s.send(w, before, found[max(0, from):to], mozRow, `]}}`)
}

// mozMatch reports whether a link belongs to a site: pages have no scheme.
func mozMatch(target, query, scope string) bool {
	_, target, _ = strings.Cut(target, "://")
	if _, rest, ok := strings.Cut(query, "://"); ok {
		query = rest
	}
	host, _, _ := strings.Cut(target, "/")
	switch scope {
	case "url":
		return target == query
	case "subfolder":
		return strings.HasPrefix(target, query)
	case "subdomain":
		return host == strings.TrimSuffix(query, "/")
	case "domain":
		domain := strings.TrimSuffix(query, "/")
		return host == domain || strings.HasSuffix(host, "."+domain)
	}
	return false
}

func mozRow(l webgraph.Link) any {
	_, source, _ := strings.Cut(l.Source, "://")
	_, target, _ := strings.Cut(l.Target, "://")
	type object = map[string]any
	return object{
		"source_site_metrics": object{"page": source, "title": l.Context, "http_code": 200, "page_authority": 31},
		"target_site_metrics": object{"page": target}, "anchor_text": l.Anchor,
		"date_first_seen": "2026-08-01", "date_last_seen": "2026-10-02", "date_disappeared": nil,
		"nofollow": l.NoFollow, "redirect": false, "rel_canonical": false, "via_redirect": false, "via_rel_canonical": false,
	}
}
