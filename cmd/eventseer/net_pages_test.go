package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/golden"
)

// A netReader asks a service for pages, as a browser at http://localhost/.
type netReader struct {
	t    *testing.T
	url  string
	dir  string
	user string // signed in by a proxy; empty without a user
	// operator makes a request for a page of the operator's one of his; nil leaves it.
	operator func(*http.Request)
	done     int
	http     *http.Client
}

// netBurst is how many requests come from one address: less than the service's limit,
// which never refills by a clock that stands still.
const netBurst = 50

// get requests a page and returns its status, content type and normalised content.
func (r *netReader) get(path string) (status, body string) {
	r.t.Helper()
	if r.done%netBurst == 0 {
		from := &net.TCPAddr{IP: net.IPv4(127, 0, 0, byte(2+r.done/netBurst))}
		r.http = &http.Client{
			Transport:     &http.Transport{DialContext: (&net.Dialer{LocalAddr: from}).DialContext, DisableCompression: true},
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
		r.t.Cleanup(r.http.CloseIdleConnections)
	}
	r.done++
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodGet, r.url+path, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Host = "localhost"
	if r.operator != nil {
		r.operator(req)
	}
	if r.user != "" {
		req.Header.Set("X-Remote-User", r.user)
	}
	resp, err := r.http.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	content, err := io.ReadAll(resp.Body)
	if closeErr := resp.Body.Close(); err != nil || closeErr != nil {
		r.t.Fatal(err, closeErr)
	}
	status = fmt.Sprintf("%d %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	if to := resp.Header.Get("Location"); to != "" {
		status += " to " + to
	}
	return status, netText(r.dir, string(content))
}

var (
	netEvent = regexp.MustCompile(`href="(/e/[a-z0-9-]+)"`)
	netPanel = regexp.MustCompile(`href="(/admin/[a-z]+)"`)
	netAsset = regexp.MustCompile(`(?:href|src)="(/static/[^"]+)"`)
)

// links are the distinct addresses in a page that match a pattern, in order.
func netLinks(pattern *regexp.Regexp, page string) (links []string) {
	for _, m := range pattern.FindAllStringSubmatch(page, -1) {
		if !slices.Contains(links, m[1]) {
			links = append(links, m[1])
		}
	}
	return links
}

// netPages records the pages, the API, the feeds and the operator's pages of a service.
func netPages(t *testing.T, dir, data string) {
	s := startService(t, data, "--parts", "web", "--label-input", dir+"/web.warc.gz", "--labels", dir+"/labels.tsv", "--contact", "ops@seer.example")
	r := &netReader{t: t, url: s.url, dir: dir, operator: s.asOperator}
	_, found := r.get("/search?q=conference&all=1")
	events := netLinks(netEvent, found)
	if len(events) < 3 {
		t.Fatalf("the search finds %q\n%s", events, s.talk)
	}
	_, admin := r.get("/admin")
	panels := netLinks(netPanel, admin)
	if len(panels) < 8 {
		t.Errorf("the operator has %q", panels)
	}
	_, home := r.get("/")

	e := events[0]
	id := strings.TrimPrefix(e, "/e/")
	full := map[string]string{ // recorded as they are
		"/": "home.html", "/search?q=conference&all=1": "list.html", e: "event.html", e + "/history": "history.html", "/api/v1/events/" + id + ".json": "event.json",
		"/search.ics?q=conference&all=1": "list.ics", "/search.atom?q=conference&all=1": "list.atom", "/calendar": "calendar.html", "/timeline": "timeline.html",
		"/about": "about.html", "/api/v1/status.json": "status.json", "/nowhere": "nowhere.html", "/admin": "admin.html",
	}
	paths := []string{
		"/", "/search", "/search?q=conference&all=1", "/search?q=web+country:norway&all=1", "/search?q=nothingatall", "/search?q=%22", "/search?q=nosuchfield:x",
		"/search?all=1&page=2", "/search?q=conference&sort=deadline", "/new", "/changes", "/closing", "/calendar", "/calendar?q=web", "/calendar/add", "/calendar/add?q=web",
		"/timeline", "/timeline?q=web", "/map", "/map?q=web", "/data", "/api", "/about", "/bot", "/privacy", "/zone", "/nowhere", "/slice", "/next.txt",
		"/search.ics?q=conference&all=1", "/search.atom?q=conference&all=1", "/search.rss?q=conference&all=1", "/search.json?q=conference&all=1", "/search.csv?q=conference&all=1", "/search.txt?q=conference&all=1",
		"/search.ttl?all=1", "/search.jsonld?all=1", "/search.ics?what=all&alarm=7d", "/search.ics?alarm=soon", "/closing.json", "/closing.ics", "/closing.atom",
		"/new.atom", "/new.rss", "/new.json", "/new.ics", "/changes.atom", "/changes.json", "/changes.rss",
		"/api/v1/events.json", "/api/v1/events.json?all=1", "/api/v1/events.json?q=conference&all=1", "/api/v1/events.json?q=%22", "/api/v1/events/" + id + ".json", "/api/v1/events/nothing.json",
		"/api/v1/events/" + id + "/diff", "/api/v1/series/nothing.json", "/api/v1/changes.json", "/api/v1/changes.json?since=1", "/api/v1/suggest.json?q=we", "/api/v1/status.json",
		"/api/v1/openapi.json", "/api/v1/models.json", "/api/v1/nothing",
		"/sitemap.xml", "/sitemap/1.xml", "/opensearch.xml", "/robots.txt", "/readyz", "/healthz",
		"/submit", "/removal", "/label", "/label?page=nothing", "/wrappers", "/wrappers/nothing", "/admin", "/admin/nothing", "/e/nothing", "/s/nothing", "/e/nothing/history",
	}
	paths = append(paths, panels...)
	paths = append(paths, netLinks(netAsset, home)...)
	for i, e := range events {
		paths = append(paths, e)
		if i < 3 {
			for _, ending := range []string{"/history", "/report", "/appeal", "/star", ".json", ".ics", ".atom", ".rss", ".csv", ".txt", ".ttl", ".jsonld", ".jsonfeed"} {
				paths = append(paths, e+ending)
			}
		}
	}
	golden.Check(t, "net/pages.txt", []byte(r.list(paths, full)))
	if code := s.stop(); code != 0 {
		t.Errorf("serve exits with %d\n%s", code, s.talk)
	}
}

// netReaderPages records the pages of a reader whom a proxy has signed in, and those without
// access.
func netReaderPages(t *testing.T, dir, data string) {
	s := startService(t, data, "--parts", "web", "--contact", "ops@seer.example", "--user-header", "X-Remote-User", "--user-proxies", "127.0.0.0/8", "--people")
	r := &netReader{t: t, url: s.url, dir: dir, user: "ada"}
	full := map[string]string{"/subscribe?q=web": "subscribe.html", "/account": "account.html", "/clips": "clips.html"}
	paths := []string{
		"/", "/search?q=conference&all=1", "/subscribe", "/subscribe?q=web", "/subscribe?q=%22", "/signin", "/signin/gone", "/sent", "/clips", "/clips/none",
		"/account", "/account/forget", "/account/export", "/d/gone", "/v/gone", "/unsubscribe/gone", "/feed/gone.atom", "/submit", "/removal", "/admin", "/about",
		"/e/ccga-2027", "/e/ccga-2027/star", "/e/ccga-2027/report",
	}
	golden.Check(t, "net/reader_pages.txt", []byte(r.list(paths, full)))
	if code := s.stop(); code != 0 {
		t.Errorf("serve exits with %d\n%s", code, s.talk)
	}
}

// list requests pages and lists them with size, checksum, status and content type. Some of them are recorded
// in full, each under its own name.
func (r *netReader) list(paths []string, full map[string]string) string {
	r.t.Helper()
	var list strings.Builder
	for _, path := range paths {
		status, body := r.get(path)
		fmt.Fprintf(&list, "%s  %s  %s\n", netDigest([]byte(body)), path, status)
		if name, ok := full[path]; ok {
			golden.Check(r.t, "net/pages/"+name, []byte(netHead(body)))
		}
	}
	return list.String()
}
