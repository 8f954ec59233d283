package replay

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/eventseer/eventseer/internal/golden"
	"github.com/eventseer/eventseer/internal/warc"
	"github.com/eventseer/eventseer/webgraph"
)

var testTime = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func now() time.Time { return testTime }

// writeWeb writes a WARC, and hosts.json next to it unless hosts is empty.
func writeWeb(t testing.TB, hosts string, recs ...*warc.Record) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "web.warc.gz")
	w, err := warc.Create(path, warc.WriterOptions{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	for _, rec := range recs {
		if err := w.Write(rec); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if hosts != "" {
		if err := os.WriteFile(filepath.Join(dir, "hosts.json"), []byte(hosts), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return path
}

func open(t testing.TB, paths ...string) *Web {
	t.Helper()
	w, err := Open(paths, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func page(uri, body string) *warc.Record {
	return warc.NewResponse(uri, testTime, []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"+body))
}

// get requests a URL without following redirects.
func get(t testing.TB, rt http.RoundTripper, url string) (status int, body string, err error) {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := rt.RoundTrip(req)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return res.StatusCode, string(data), err
}

const someRules = `{
 "default": {"known_host_missing_url": {"status": 404}, "unknown_host": "dns_error"},
 "rules": [
  {"host": "soft.example", "type": "soft404", "status": 200, "match": ".*", "template": "<a href=/p{{RANDOM:1-9999}}>x</a> {{RANDOM:5-5}}"},
  {"host": "cal.example", "type": "calendar", "status": 200, "match": "/m\\.php\\?y=(\\d+)&m=(\\d+)",
   "template": "{{M}} {{Y}} < {{PREV_M}} {{PREV_Y}} > {{NEXT_M}} {{NEXT_Y}} year {{Y+1}} {{Y-1}}"},
  {"host": "shop.example", "type": "session", "status": 200, "match": "(.*[?&]sid=)[0-9a-f]{8}", "serve_as": "same path with sid=44694b16"}
 ], "farms": ["farm.example"], "robots_disallow": {"a.example": ["/x"]}}`

func TestRules(t *testing.T) {
	w := open(t, writeWeb(t, someRules,
		page("http://soft.example/p1", "recorded"),
		page("http://cal.example/", "calendar"),
		page("http://shop.example/item?id=1&sid=44694b16", "item 1"),
		warc.NewResponse("http://a.example/old", testTime, []byte("HTTP/1.1 301 Moved\r\nLocation: /new\r\n\r\n")),
	))
	tests := []struct {
		url    string
		status int
		body   string
	}{
		{"http://a.example/old", 301, ""},
		{"http://a.example/none", 404, "not found\n"},
		{"http://a.example/robots.txt", 404, "not found\n"},
		{"http://soft.example/p1", 200, "recorded"},
		{"http://cal.example/m.php?y=2026&m=1", 200, "1 2026 < 12 2025 > 2 2026 year 2027 2025"},
		{"http://cal.example/m.php?y=2026&m=12", 200, "12 2026 < 11 2026 > 1 2027 year 2027 2025"},
		{"http://cal.example/m.php?y=2026&m=13", 404, "not found\n"},
		{"http://cal.example/m.php?y=99999999999999999999&m=1", 404, "not found\n"},
		{"http://cal.example/m.php?y=2026&m=1&x=2", 404, "not found\n"},
		{"http://shop.example/item?id=1&sid=44694b16", 200, "item 1"},
		{"http://shop.example/item?id=1&sid=00000000", 200, "item 1"},
		{"http://shop.example/item?id=1&sid=0a0b0c0d", 200, "item 1"},
		{"http://shop.example/item?id=1", 200, "item 1"},
		{"http://shop.example/item?id=2&sid=00000000", 404, "not found\n"},
	}
	for _, tt := range tests {
		status, body, err := get(t, w, tt.url)
		if err != nil || status != tt.status || body != tt.body {
			t.Errorf("%s: got %d %q, %v, want %d %q", tt.url, status, body, err, tt.status, tt.body)
		}
		if got, want := w.IsOutside(tt.url), tt.body == "not found\n"; got != want {
			t.Errorf("Outside(%s) = %v, want %v", tt.url, got, want)
		}
	}
}

func TestSoft404IsTheSameEachTime(t *testing.T) {
	w := open(t, writeWeb(t, someRules, page("http://soft.example/p1", "recorded")))
	_, first, err := get(t, w, "http://soft.example/a")
	if err != nil {
		t.Fatal(err)
	}
	var n int
	if _, err := fmt.Sscanf(first, "<a href=/p%d>x</a> 5", &n); err != nil || n < 1 || n > 9999 {
		t.Errorf("page is %q", first)
	}
	if _, again, _ := get(t, w, "http://soft.example/a"); again != first {
		t.Errorf("asked again: %q, before %q", again, first)
	}
	if _, other, _ := get(t, w, "http://soft.example/b"); other == first {
		t.Error("another address has the same links")
	}
}

func TestMisses(t *testing.T) {
	rec := page("http://a.example/", "x")
	with, without := open(t, writeWeb(t, someRules, rec)), open(t, writeWeb(t, "", rec))
	var miss *MissError
	var dns *net.DNSError

	_, _, err := get(t, with, "http://unknown.example/x")
	if !errors.As(err, &miss) || !errors.As(err, &dns) || !dns.IsNotFound || dns.Name != "unknown.example" {
		t.Errorf("unknown host with hosts.json: %v", err)
	}
	for _, url := range []string{"http://unknown.example/x", "http://a.example/none"} {
		_, _, err = get(t, without, url)
		if !errors.As(err, &miss) || miss.URL != url || errors.As(err, &dns) || !errors.Is(err, warc.ErrNotFound) {
			t.Errorf("%s without hosts.json: %v", url, err)
		}
	}
}

// TestNoRobots requests a robots.txt that was not recorded. Without hosts.json, hosts with records
// allow everything, which is reported once.
func TestNoRobots(t *testing.T) {
	path := writeWeb(t, "", page("http://a.example/", "x"), page("http://b.example/", "x"), page("http://c.example/robots.txt", "User-agent: *"))
	var told []webgraph.Host
	w, err := Open([]string{path}, Options{NoRobots: func(h webgraph.Host) { told = append(told, h) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	for url, want := range map[string]int{"http://c.example/robots.txt": 200, "http://a.example/robots.txt": 404} {
		if status, _, err := get(t, w, url); status != want || err != nil {
			t.Errorf("%s: %d, %v; want %d", url, status, err, want)
		}
	}
	if status, _, err := get(t, w, "http://b.example/robots.txt"); status != 404 || err != nil {
		t.Errorf("the second host: %d, %v", status, err)
	}
	if len(told) != 1 || told[0] != "a.example" {
		t.Errorf("told of %v, want a.example alone", told)
	}
	for _, url := range []string{"http://unknown.example/robots.txt", "http://a.example/x/robots.txt"} {
		if _, _, err := get(t, w, url); !errors.Is(err, warc.ErrNotFound) {
			t.Errorf("%s: %v, want a miss", url, err)
		}
	}
}

func TestBadRules(t *testing.T) {
	rule := func(s string) string { return `{"rules": [{"host": "a.example", ` + s + `}]}` }
	tests := []struct{ name, hosts, want string }{
		{"no JSON", "{", "hosts.json: unexpected end"},
		{"type", rule(`"type": "mirror", "match": ".*"`), `rule 1 (a.example): type "mirror" is unknown; the types are soft404, calendar, session`},
		{"no host", `{"rules": [{"type": "soft404"}]}`, "host is missing"},
		{"status", rule(`"type": "soft404", "status": 99`), "status 99"},
		{"pattern", rule(`"type": "soft404", "match": "("`), "match:"},
		{"placeholder", rule(`"type": "soft404", "match": ".*", "template": "{{NAME}}"`), "{{NAME}}"},
		{"year of no calendar", rule(`"type": "soft404", "match": ".*", "template": "{{Y}}"`), "{{Y}}"},
		{"range", rule(`"type": "soft404", "match": ".*", "template": "{{RANDOM:9-1}}"`), "empty range"},
		{"no month", rule(`"type": "calendar", "match": "(.*)"`), "needs two groups"},
		{"serve as", rule(`"type": "session", "match": "(.*)", "serve_as": "the first"`), "serve_as"},
		{"no group", rule(`"type": "session", "match": ".*", "serve_as": "same path with sid=1"`), "needs a group"},
		{"default status", `{"default": {"known_host_missing_url": {"status": 7}}}`, "7 is not an HTTP status"},
		{"default host", `{"default": {"unknown_host": "timeout"}}`, "unknown_host"},
		{"large", strings.Repeat(" ", maxHosts+1), "larger than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := writeWeb(t, tt.hosts, page("http://a.example/", "x"))
			_, err := Open([]string{path}, Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "hosts.json") {
				t.Errorf("got %v, want hosts.json and %q", err, tt.want)
			}
		})
	}
	path := writeWeb(t, "", page("http://a.example/", "x"))
	for name, open := range map[string]func() (*Web, error){
		"no paths":      func() (*Web, error) { return Open(nil, Options{}) },
		"missing WARC":  func() (*Web, error) { return Open([]string{path, path + ".none"}, Options{}) },
		"missing rules": func() (*Web, error) { return Open([]string{path}, Options{Hosts: path + ".json"}) },
	} {
		if _, err := open(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestLookup(t *testing.T) {
	first := writeWeb(t, "", page("http://A.example/%7ejo/", "jo"), page("http://a.example/x", "old"))
	second := writeWeb(t, "", page("http://a.example/x", "new"), page("http://b.example/", "b"))
	w := open(t, first, second)
	for url, want := range map[string]string{
		"http://a.example/~jo/":         "jo",
		"http://a.example/%7Ejo/":       "jo",
		"http://a.example/x":            "new",
		"http://a.example/x#fragment":   "new",
		"http://a.example/x?utm_id=1":   "new",
		"http://b.example":              "b",
		"http://b.example:80/?fbclid=1": "b",
	} {
		if _, got, err := get(t, w, url); err != nil || got != want {
			t.Errorf("%s: got %q, %v, want %q", url, got, err, want)
		}
	}
	if diff := cmp.Diff([]webgraph.Host{"a.example", "b.example"}, hostsOf(w)); diff != "" {
		t.Error(diff)
	}
	if d := w.Digest(); len(d) != len("sha256:")+64 || d == open(t, second, first).Digest() {
		t.Errorf("digest %q", d)
	}
}

func TestRoundTripKeepsItsContract(t *testing.T) {
	w := open(t, writeWeb(t, "", page("http://a.example/", "x"), warc.NewResource("http://a.example/r", testTime, "text/plain", []byte("r"))))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, "http://a.example/", nil)
	if _, err := w.RoundTrip(req); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	req, _ = http.NewRequest(http.MethodPost, "http://a.example/", strings.NewReader("x"))
	if _, err := w.RoundTrip(req); err == nil {
		t.Error("POST was answered")
	}
	req, _ = http.NewRequest(http.MethodHead, "http://a.example/", nil)
	res, err := w.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	if body, _ := io.ReadAll(res.Body); len(body) != 0 || res.ContentLength != 1 || res.Request != req {
		t.Errorf("HEAD: %q of length %d", body, res.ContentLength)
	}
	if got := AnsweredAt(res); !got.Equal(testTime) {
		t.Errorf("AnsweredAt = %v", got)
	}
	if got := AnsweredAt(&http.Response{}); !got.IsZero() {
		t.Errorf("AnsweredAt a live answer = %v", got)
	}
	if status, body, err := get(t, w, "http://a.example/r"); status != 200 || body != "r" || err != nil {
		t.Errorf("resource: %d %q, %v", status, body, err)
	}
}

func zip(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, s)
	w.Close()
	return b.String()
}

// TestBrokenAnswers replays errors of servers: an error while reading the body, never at once, and the bytes
// before it.
func TestBrokenAnswers(t *testing.T) {
	block := func(s string) *warc.Record { return warc.NewResponse("http://a.example/", testTime, []byte(s)) }
	cut := page("http://a.example/", "half")
	cut.Header.Set("WARC-Truncated", "disconnect")
	tests := []struct {
		name string
		rec  *warc.Record
		body string
		err  error
	}{
		{"chunks", block("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\nxx\r\n"), "half", io.ErrUnexpectedEOF},
		{"length", block("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf"), "half", io.ErrUnexpectedEOF},
		{"archive says so", cut, "half", io.ErrUnexpectedEOF},
		{"gzip", block("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + zip("half")[:20]), "", io.ErrUnexpectedEOF},
		{"no gzip", block("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nplain"), "plain", nil},
		{"whole", block("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n" + zip("whole")), "whole", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, body, err := get(t, open(t, writeWeb(t, "", tt.rec)), "http://a.example/")
			if status != 200 || !errors.Is(err, tt.err) || tt.err == nil && err != nil || !strings.HasPrefix(body, tt.body) {
				t.Errorf("got %d %q, %v, want %q, %v", status, body, err, tt.body, tt.err)
			}
		})
	}
	w := open(t, writeWeb(t, "", block("no answer")))
	if _, _, err := get(t, w, "http://a.example/"); !errors.Is(err, warc.ErrNoPage) {
		t.Errorf("a record that is no answer: %v", err)
	}
}

// TestTruncatedMember replays the rest of a WARC of which one member is cut.
func TestTruncatedMember(t *testing.T) {
	path := writeWeb(t, "", page("http://a.example/1", "one"), page("http://a.example/2", strings.Repeat("two ", 99)), page("http://a.example/3", "three"))
	r, err := warc.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var last int64
	for r.Scan() {
		rec, err := r.Record()
		if err != nil {
			t.Fatal(err)
		}
		last = rec.Position.Offset
	}
	r.Close()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, slices.Delete(data, int(last)-30, int(last)), 0o644); err != nil {
		t.Fatal(err)
	}
	w := open(t, path)
	for url, want := range map[string]string{"http://a.example/1": "one", "http://a.example/3": "three"} {
		if status, body, err := get(t, w, url); status != 200 || body != want || err != nil {
			t.Errorf("%s: %d %q, %v", url, status, body, err)
		}
	}
	var miss *MissError
	if _, _, err := get(t, w, "http://a.example/2"); !errors.As(err, &miss) {
		t.Errorf("the page that is cut: %v", err)
	}
	if bad := w.Bad(); len(bad) != 1 || !errors.Is(bad[0], warc.ErrRotten) || bad[0].File != path {
		t.Errorf("bad records %v, want the one that is cut", bad)
	}
}

// siteHandler is a little site with what differs on the wire.
func siteHandler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/{$}", func(w http.ResponseWriter, r *http.Request) {
		io.WriteString(w, "<a href=/chunked>x</a>")
	})
	mux.HandleFunc("/chunked", func(w http.ResponseWriter, r *http.Request) {
		for range 3 {
			io.WriteString(w, strings.Repeat("chunk ", 1000))
			w.(http.Flusher).Flush()
		}
	})
	mux.HandleFunc("/gzip", func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, zip("zipped"))
		}
	})
	mux.HandleFunc("/old", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/", http.StatusFound)
	})
	mux.HandleFunc("/short", func(w http.ResponseWriter, r *http.Request) {
		conn, buf, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		io.WriteString(buf, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nonly this")
		buf.Flush()
	})
	mux.HandleFunc("/gone", func(w http.ResponseWriter, r *http.Request) { http.Error(w, "gone", http.StatusGone) })
	mux.HandleFunc("/long", func(w http.ResponseWriter, r *http.Request) { w.Write(make([]byte, 5000)) })
	return mux
}

// seen is what a client can see of an answer.
type seen struct {
	Status       int
	Header       http.Header
	Body         string
	Err          string
	Uncompressed bool
}

func see(t *testing.T, rt http.RoundTripper, url, acceptEncoding string) seen {
	t.Helper()
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if acceptEncoding != "" {
		req.Header.Set("Accept-Encoding", acceptEncoding)
	}
	res, err := rt.RoundTrip(req)
	if err != nil {
		t.Fatalf("%s: %v", url, err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	s := seen{res.StatusCode, res.Header, fmt.Sprintln(len(body), webgraph.DigestOf(body)), "", res.Uncompressed}
	if err != nil {
		s.Err = err.Error()
	}
	s.Header.Del(memento)
	return s
}

// TestRecordedIsReplayed compares an answer direct, while recorded, and replayed.
func TestRecordedIsReplayed(t *testing.T) {
	server := httptest.NewServer(siteHandler())
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	for _, encoding := range []string{"", "gzip"} {
		path := filepath.Join(t.TempDir(), "x.warc.gz")
		out, err := warc.Create(path, warc.WriterOptions{Now: now})
		if err != nil {
			t.Fatal(err)
		}
		recorder := NewRecorder(transport, out)
		urls := []string{"/", "/chunked", "/gzip", "/old", "/short", "/gone", "/none"}
		direct := map[string]seen{}
		for _, u := range urls {
			d, r := see(t, transport, server.URL+u, encoding), see(t, recorder, server.URL+u, encoding)
			d.Header.Del("Date")
			r.Header.Del("Date")
			if diff := cmp.Diff(d, r); diff != "" {
				t.Errorf("%s while recorded: %s", u, diff)
			}
			direct[u] = d
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		web := open(t, path)
		for _, u := range urls {
			got, want := see(t, web, server.URL+u, encoding), direct[u]
			got.Header.Del("Date")
			got.Uncompressed = want.Uncompressed // a record contains what the transport delivered
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s replayed: %s", u, diff)
			}
		}
	}
}

// TestRawIsReplayed compares the answers of a server with the replay of the very
// bytes it sent.
func TestRawIsReplayed(t *testing.T) {
	server := httptest.NewServer(siteHandler())
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	urls := []string{"/", "/chunked", "/gzip", "/old", "/short", "/gone", "/none"}
	var recs []*warc.Record
	for _, u := range urls {
		recs = append(recs, warc.NewResponse(server.URL+u, testTime, wire(t, server.Listener.Addr().String(), u)))
	}
	web := open(t, writeWeb(t, "", recs...))
	for _, u := range urls {
		want, got := see(t, transport, server.URL+u, ""), see(t, web, server.URL+u, "")
		for _, s := range []seen{want, got} {
			s.Header.Del("Date")
			s.Header.Del("Connection")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", u, diff)
		}
	}
}

// wire returns the bytes of one answer.
func wire(t *testing.T, addr, path string) []byte {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept-Encoding: gzip\r\nConnection: close\r\n\r\n", path, addr)
	data, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRecorderBounds(t *testing.T) {
	server := httptest.NewServer(siteHandler())
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	out, err := warc.Create(path, warc.WriterOptions{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	recorder := &recorder{next: transport, w: out, limit: 4000}
	recorded := see(t, recorder, server.URL+"/long", "")
	if !strings.HasPrefix(recorded.Body, "4000 ") || recorded.Err == "" {
		t.Errorf("long body: %.20s, error %q", recorded.Body, recorded.Err)
	}
	req, _ := http.NewRequest(http.MethodHead, server.URL+"/", nil)
	res, err := recorder.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	out.Close()
	web := open(t, path)
	if n := len(hostsOf(web)); n != 1 {
		t.Errorf("%d hosts", n)
	}
	if diff := cmp.Diff(recorded, see(t, web, server.URL+"/long", "")); diff != "" {
		t.Error(diff)
	}
	if _, _, err := get(t, web, server.URL+"/"); !errors.Is(err, warc.ErrNotFound) {
		t.Errorf("HEAD was recorded: %v", err)
	}
	if _, _, err := get(t, recorder, server.URL+"/"); err == nil {
		t.Error("an answer that was not written was handed on")
	}
}

func TestConcurrentUse(t *testing.T) {
	server := httptest.NewServer(siteHandler())
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	path := filepath.Join(t.TempDir(), "x.warc.gz")
	out, err := warc.Create(path, warc.WriterOptions{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	recorder := NewRecorder(transport, out)
	each := func(rt http.RoundTripper) {
		var wg sync.WaitGroup
		for i := range 8 {
			wg.Go(func() {
				for j := range 5 {
					if status, _, err := get(t, rt, fmt.Sprintf("%s/?n=%d", server.URL, 5*i+j)); status != 200 || err != nil {
						t.Errorf("%d, %v", status, err)
					}
				}
			})
		}
		wg.Wait()
	}
	each(recorder)
	out.Close()
	each(open(t, path))
}

// TestFrozenWeb replays a sample of the shared frozen web.
func TestFrozenWeb(t *testing.T) {
	if raceDetector {
		t.Skip("indexing 29,000 records takes 30 s with the race detector; TestConcurrentUse is for it")
	}
	dir := golden.SharedPath(t, "corpora/web")
	w := open(t, filepath.Join(dir, "web.warc.gz"))
	if len(w.Bad()) > 0 || !strings.HasPrefix(w.Digest(), "sha256:1758955a0df499fb") {
		t.Errorf("bad records %v, digest %s", w.Bad(), w.Digest())
	}
	f, err := os.Open(filepath.Join(dir, "nodes.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Scan() // names of the columns
	n, asked, respelt := 0, 0, 0
	for lines.Scan() {
		fields := strings.Split(lines.Text(), "\t")
		url := fields[0]
		canonical, err := webgraph.Canonical(url)
		if err != nil {
			t.Errorf("%s: %v", url, err)
		}
		if n++; n%144 != 0 && canonical == url {
			continue
		}
		if canonical != url {
			respelt++
		}
		asked++
		for _, u := range []string{url, canonical} {
			status, _, err := get(t, w, u)
			if err != nil || strconv.Itoa(status) != fields[1] {
				t.Errorf("%s: got %d, %v, want %s", u, status, err, fields[1])
			}
		}
	}
	t.Logf("asked for %d of %d URLs, %d of them not canonical", asked, n, respelt)
	for url, want := range map[string]int{
		"http://www.always-ok-hosting.com/no/such/page":              200,
		"http://calendar.townhall-oakridge.org/month.php?y=2300&m=4": 200,
		"http://shop.sessionmart.biz/item.php?id=1&sid=12345678":     200,
		"http://best-links-2.info/robots.txt":                        503,
		"http://loop.example-redirects.net/a":                        302,
		"http://juliacon.org/no/such/page":                           404,
	} {
		if status, _, err := get(t, w, url); status != want || err != nil {
			t.Errorf("%s: got %d, %v, want %d", url, status, err, want)
		}
	}
	var dns *net.DNSError
	if _, _, err := get(t, w, "http://no-such-host.example/"); !errors.As(err, &dns) {
		t.Errorf("unknown host: %v", err)
	}
}

// hostsOf returns the hosts of a web that have a record, sorted.
func hostsOf(w *Web) []webgraph.Host {
	var hosts []webgraph.Host
	for _, x := range w.files {
		hosts = append(hosts, x.Hosts()...)
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}
