package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler/frontier"
)

// A talkLog collects the output of goroutines of a process, and reports when it contains a word.
type talkLog struct {
	mu   sync.Mutex // guards text
	text bytes.Buffer
	said chan struct{} // holds a token after every line
}

func newTalkLog() talkLog { return talkLog{said: make(chan struct{}, 1)} }

func (l *talkLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case l.said <- struct{}{}:
	default:
	}
	return l.text.Write(p)
}

func (l *talkLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// waitFor returns when the process has printed word.
func (l *talkLog) waitFor(ctx context.Context, t *testing.T, word string) {
	t.Helper()
	for !strings.Contains(l.String(), word) {
		select {
		case <-l.said:
		case <-ctx.Done():
			t.Fatalf("it never says %q, but\n%s", word, l)
		}
	}
}

// TestRunningCrawl queries the status of a crawl that waits for a page, makes it reload its blocklist, and
// stops it.
func TestRunningCrawl(t *testing.T) {
	asked, answer := make(chan struct{}, 1), make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			http.NotFound(w, r)
		case "/slow":
			asked <- struct{}{}
			<-answer
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, `<html><body><p>A page</p><a href="/slow">next</a></body></html>`)
		}
	}))
	defer site.Close()
	data := t.TempDir()
	list := filepath.Join(t.TempDir(), "block.txt")
	write(t, list, "quiet.example\n")

	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	a, talk := newTestApp(t), &talkLog{said: make(chan struct{}, 1)}
	a.Stderr = talk
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"crawl", "--data", data, "--allow-private", "--contact", "me@site.example", "--host-delay", "0s",
			"--workers", "1", "--blocklist", list, site.URL}, a)
	}()
	select {
	case <-asked:
	case code := <-ended:
		t.Fatalf("the crawl ended with %d\n%s", code, talk)
	}

	wantRunning(t, data, site.URL)
	write(t, list, "quiet.example\n.silent.example\n")
	if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	talk.waitFor(ctx, t, "reloaded the blocklist (2 rules)")
	if _, stdout, _ := runCaptured(t, "crawl", "why", "--data", data, "http://www.silent.example/"); !strings.Contains(stdout, "blocklist: .silent.example") {
		t.Errorf("after SIGHUP a crawl says of a URL blocked since\n%s", stdout)
	}

	interrupt()
	close(answer)
	if code := <-ended; code != exitInterrupted {
		t.Errorf("the crawl ended with %d, want %d\n%s", code, exitInterrupted, talk)
	}
	if _, err := os.Stat(filepath.Join(data, app.AdminSocket)); err == nil {
		t.Error("the socket outlives the crawl")
	}
	if code, stdout, _ := runCaptured(t, "crawl", "status", "--data", data, "--format", "jsonl"); code != 0 || !strings.Contains(stdout, `"running":false`) {
		t.Errorf("status after the crawl: exit %d\n%s", code, stdout)
	}
}

// TestLockedFrontier: a process that has the frontier open without a socket is
// not waited for.
func TestLockedFrontier(t *testing.T) {
	t.Parallel() // it waits for locks
	dir := t.TempDir()
	f, err := frontier.Open(filepath.Join(dir, app.FrontierFile), frontier.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	for _, args := range [][]string{{"crawl", "status"}, {"crawl", "why", "http://a.example/"}, {"compact"}} {
		code, _, stderr := runCaptured(t, append(args, "--data", dir)...)
		if code != exitLocked || !strings.Contains(stderr, "stop the other eventseer") {
			t.Errorf("%v: exit %d, want %d and what to do\n%s", args, code, exitLocked, stderr)
		}
	}
}

// TestServeAnswersItsOperator checks that a serving process responds at the same socket, and that commands
// can read the frontier meanwhile.
func TestServeAnswersItsOperator(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "run")
	if code, _, stderr := runCaptured(t, "crawl", "--sim", "seed=2", "--budget", "5", "--run", dir, "--quiet"); code != 0 {
		t.Fatalf("crawl: exit %d\n%s", code, stderr)
	}
	state := filepath.Join(dir, "state")
	ctx, interrupt := context.WithCancel(t.Context())
	a, address := newTestApp(t), &talkLog{said: make(chan struct{}, 1)}
	a.Stdout = address
	ended := make(chan int, 1)
	go func() { ended <- run(ctx, []string{"serve", "--data", state, "--listen", "127.0.0.1:0"}, a) }()
	address.waitFor(ctx, t, "http://")
	if code, _, stderr := runCaptured(t, "healthcheck", "--data", state); code != 0 {
		t.Errorf("healthcheck: exit %d\n%s", code, stderr)
	}
	if code, stdout, stderr := runCaptured(t, "crawl", "status", "--run", dir); code != 0 || !strings.Contains(stdout, "not running") {
		t.Errorf("status: exit %d\n%s%s", code, stdout, stderr)
	}
	interrupt()
	<-ended
	if code, _, _ := runCaptured(t, "healthcheck", "--data", state); code != exitFailed {
		t.Errorf("healthcheck after the end: exit %d, want %d", code, exitFailed)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// wantRunning asks the crawl of data, which has fetched one page of site and
// waits for the second.
func wantRunning(t *testing.T, data, site string) {
	t.Helper()
	if info, err := os.Stat(filepath.Join(data, app.AdminSocket)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket: %v, %v; want mode 0600", info, err)
	}
	code, stdout, stderr := runCaptured(t, "crawl", "status", "--data", data, "--format", "jsonl")
	var s admin.CrawlStatus
	if err := json.Unmarshal([]byte(stdout), &s); err != nil || code != 0 {
		t.Fatalf("status: exit %d, %v\n%s%s", code, err, stdout, stderr)
	}
	if !s.Running || s.Links["leased"] != 1 || s.Last == nil || s.Last.URL != site+"/" {
		t.Errorf("status = %s, want a running crawl with a link leased", stdout)
	}
	code, stdout, stderr = runCaptured(t, "crawl", "why", "--data", data, "--format", "jsonl", site+"/slow")
	var told admin.Story
	if err := json.Unmarshal([]byte(stdout), &told); err != nil || code != 0 {
		t.Fatalf("why: exit %d, %v\n%s%s", code, err, stdout, stderr)
	}
	if told.State != "leased" || len(told.Way) != 2 || told.Way[1].How != "seed" || !strings.HasPrefix(told.Robots, "allowed") {
		t.Errorf("why = %s, want the way of a leased link from its seed", stdout)
	}
	if code, _, stderr := runCaptured(t, "healthcheck", "--data", data); code != 0 {
		t.Errorf("healthcheck: exit %d\n%s", code, stderr)
	}
	if code, _, stderr := runCaptured(t, "compact", "--data", data); code != exitLocked {
		t.Errorf("compact of a crawl that runs: exit %d, want %d\n%s", code, exitLocked, stderr)
	}
}

// TestAdminSocket checks that a socket of a killed process is replaced, and that a file that is not a socket
// is left unchanged. A response beyond the limit is not read.
func TestAdminSocket(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, app.AdminSocket)
	stale, err := new(net.ListenConfig).Listen(t.Context(), "unix", path)
	if err != nil {
		t.Fatal(err)
	}
	stale.(*net.UnixListener).SetUnlinkOnClose(false)
	_ = stale.Close()
	if err := admin.AskAdmin(t.Context(), dir, "/status", nil); !errors.Is(err, admin.ErrSilent) {
		t.Errorf("a stale socket answers %v", err)
	}
	l, err := admin.ListenSocket(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if !admin.IsListening(t.Context(), path) {
		t.Error("nobody answers at the socket")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".admin*")); left != nil {
		t.Errorf("left behind: %v", left)
	}
	file := filepath.Join(dir, "file")
	write(t, file, "mine")
	if _, err := admin.ListenSocket(t.Context(), file); err == nil {
		t.Error("a file is taken for a socket")
	}
}

func TestCheckAdmin(t *testing.T) {
	for address, want := range map[string]string{
		"0.0.0.0:0": "--admin-public", ":0": "--admin-public", "192.0.2.1:9": "--admin-public", "9090": "is not HOST:PORT",
		"127.0.0.1:0": "", "[::1]:0": "", "localhost:0": "", "unix:/run/x": "", "unix:": "is not HOST:PORT", "off": "", "": "",
	} {
		c := app.Config{Admin: address}
		if err := c.CheckAdmin(); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("--admin %s: %v, want %q", address, err, want)
		}
	}
	public := app.Config{Admin: ":9090", AdminPublic: true}
	if err := public.CheckAdmin(); err != nil {
		t.Error(err)
	}
}

// TestServeAdmin checks that the address of --admin responds in addition to the socket, and that a second
// process reports that the address is in use.
func TestServeAdmin(t *testing.T) {
	dir := t.TempDir()
	site := admin.AdminSite{Metrics: admin.NewRegistry(), Healthy: func() error { return nil }}
	a := newTestApp(t)
	a.Config.Admin = "unix:" + filepath.Join(dir, "more")
	stop, err := admin.ServeAdmin(t.Context(), a, dir, site)
	if err != nil {
		t.Fatal(err)
	}
	if !admin.IsListening(t.Context(), filepath.Join(dir, "more")) || !admin.IsListening(t.Context(), filepath.Join(dir, app.AdminSocket)) {
		t.Error("nobody answers at one of the sockets")
	}
	if _, err := admin.ServeAdmin(t.Context(), a, t.TempDir(), site); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("a place taken: %v", err)
	}
	stop()
	if admin.IsListening(t.Context(), filepath.Join(dir, app.AdminSocket)) {
		t.Error("the socket answers after the end")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestOnlyLocalNames: a page whose name leads to this machine reads nothing, and
// neither has a page elsewhere anything asked.
func TestOnlyLocalNames(t *testing.T) {
	nothing := func(context.Context, string) (any, error) { return "nothing", nil }
	site := admin.AdminSite{
		Metrics: admin.NewRegistry(), Healthy: func() error { return nil }, Why: nothing,
		Status: func(context.Context, int) (any, error) { return "nothing", nil },
	}
	server := httptest.NewServer(admin.OnlyLocalNames(site.Handler()))
	defer server.Close()
	for _, tt := range []struct {
		host, from, path string
		want             int
	}{
		{"", "", "/healthz", 200},
		{"localhost:1", "none", "/healthz", 200},
		{"", "same-origin", "/healthz", 200},
		{"evil.example", "", "/healthz", 403},
		{"", "cross-site", "/debug/pprof/", 403},
		{"", "same-site", "/healthz", 403},
		{"", "", "/why?url=https://conf.example/", 200},
		{"", "", "/why?url=x", 400},
		{"", "", "/why", 400},
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Host = tt.host
		if tt.from != "" {
			req.Header.Set("Sec-Fetch-Site", tt.from)
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != tt.want {
			t.Errorf("%+v: status %d", tt, resp.StatusCode)
		}
	}
}
