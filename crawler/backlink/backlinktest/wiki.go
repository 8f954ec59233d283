package backlinktest

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/webgraph"
)

// wikiServer is the name that the fake wiki reports.
const wikiServer = "wiki.example.net"

// WikiPage returns the URL of a page of the fake wiki.
func WikiPage(title string) string {
	return "https://" + wikiServer + "/wiki/" + strings.ReplaceAll(title, " ", "_")
}

// NewMediaWiki starts a wiki, at api.php. The sources of its links are titles.
func NewMediaWiki(t testing.TB, o Options) *Server {
	return newServer(t, o, "/w/api.php", (*Server).wiki)
}

// Lag answers as a wiki whose copies are behind, if the request says how far they
// may be.
func Lag(seconds int) Fault {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Retry-After", "5")
		w.Header().Set("MediaWiki-API-Error", "maxlag")
		if r.FormValue("maxlag") == "" {
			http.Error(w, "no maxlag was sent", http.StatusBadRequest)
			return
		}
		fmt.Fprintf(w, `{"error":{"code":"maxlag","info":"Waiting for 10.0.0.1: %d seconds lagged.","host":"10.0.0.1","lag":%d}}`, seconds, seconds)
	}
}

func (s *Server) wiki(w http.ResponseWriter, r *http.Request) {
	switch f := r.FormValue; {
	case f("action") != "query" || f("format") != "json":
		wikiError(w, "badvalue", "unrecognised value")
	case f("meta") == "siteinfo":
		s.wikiInfo(w)
	case strings.Contains(strings.TrimPrefix(f("euquery"), "*."), "*"):
		wikiError(w, "badquery", "Invalid query.")
	default:
		s.wikiLinks(w, r)
	}
}

func wikiError(w http.ResponseWriter, code, info string) {
	w.Header().Set("MediaWiki-API-Error", code)
	fmt.Fprintf(w, `{"error":{"code":%q,"info":%q,"docref":"see api.php"}}`, code, info)
}

func (s *Server) wikiInfo(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	server, generator := "//"+wikiServer, "MediaWiki 1.45.1"
	if s.o.Old {
		server, generator = "https://"+wikiServer, "MediaWiki 1.31.0"
	}
	general := map[string]string{"server": server, "articlepath": "/wiki/$1", "generator": generator, "sitename": "A wiki"}
	fmt.Fprintf(w, `{"batchcomplete":"","query":{"general":%s}}`, encode(general))
}

// wikiLinks answers exturlusage: the pattern is the beginning of a URL.
func (s *Server) wikiLinks(w http.ResponseWriter, r *http.Request) {
	var found []webgraph.Link
	for _, l := range s.o.Links {
		if wikiMatch(l.Target, r.FormValue("euquery"), r.FormValue("euprotocol"), s.o.Old) {
			found = append(found, l)
		}
	}
	from := 0
	if at := r.FormValue("eucontinue"); at != "" {
		_, number, ok := strings.Cut(at, "|")
		n, err := strconv.Atoi(number)
		if !ok || err != nil || r.FormValue("continue") != "-||" {
			wikiError(w, "badcontinue", "Invalid continue param.")
			return
		}
		from = min(n, len(found))
	}
	limit, _ := strconv.Atoi(r.FormValue("eulimit"))
	to := min(len(found), from+s.size(limit, 500))
	if s.o.Miser && s.Calls()%2 == 0 {
		to = from // the rows looked at are of other namespaces
	}
	before := `{"batchcomplete":true,`
	if s.o.Old || r.FormValue("formatversion") != "2" {
		before = `{"batchcomplete":"",`
	}
	if to < len(found) || s.o.Endless {
		next := fmt.Sprintf("https://org.conf./cfp|%d", to)
		if s.o.Endless || s.o.Miser {
			next = fmt.Sprintf("https://org.conf./cfp%d|%d", s.Calls(), to)
		}
		before = `{"continue":` + encode(map[string]string{"eucontinue": next, "continue": "-||"}) + `,`
	}
	s.send(w, before+`"query":{"exturlusage":[`, found[from:to], wikiRow, `]}}`)
}

// wikiMatch reports whether a link matches a pattern and a scheme. A pattern that is not for subdomains
// matches the beginning of a path.
func wikiMatch(url, pattern, scheme string, old bool) bool {
	is, rest, _ := strings.Cut(url, "://")
	switch {
	case scheme == "" && old && is != "http", scheme != "" && is != scheme:
		return false
	}
	host, path, _ := strings.Cut(rest, "/")
	wantHost, wantPath, _ := strings.Cut(pattern, "/")
	if domain, any := strings.CutPrefix(wantHost, "*."); any {
		return (host == domain || strings.HasSuffix(host, "."+domain)) && strings.HasPrefix(path, wantPath)
	}
	return host == wantHost && strings.HasPrefix(path, wantPath)
}

func wikiRow(l webgraph.Link) any {
	return map[string]any{"pageid": len(l.Source), "ns": 0, "title": l.Source, "url": l.Target}
}
