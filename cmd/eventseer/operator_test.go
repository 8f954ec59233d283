package main

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/snapshot"
	"github.com/eventseer/eventseer/internal/freeport"
)

// silentProxy passes requests on as haproxy does by default: from this machine, over HTTP/1.1, with
// the visitor's Host, and without a header of its own.
func silentProxy(t *testing.T, target string) string {
	t.Helper()
	proxy := httptest.NewServer(passOn(t, target))
	t.Cleanup(proxy.Close)
	return proxy.URL
}

// passOn passes requests on with the visitor's Host.
func passOn(t *testing.T, target string) http.Handler {
	t.Helper()
	to, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	return &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(to)
		r.Out.Host = r.In.Host
	}}
}

// No visitor behind a proxy on this machine is the operator, whatever Host they send. The token is
// reported once, and opens the operator's pages through the proxy as well.
func TestOperatorBehindAProxy(t *testing.T) {
	t.Parallel()
	data := t.TempDir()
	put(t, data, fairCall("2027-02-15", opening))
	s := startService(t, data, "--parts", "web")
	front := silentProxy(t, s.url)
	status := func(path, host string, change func(*http.Request)) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, front+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = host
		if change != nil {
			change(r)
		}
		resp, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		body, _ := io.ReadAll(resp.Body)
		if strings.Contains(string(body), `href="/admin/hosts"`) && resp.StatusCode != 200 {
			t.Errorf("GET %s as %s shows the menu of the operator", path, host)
		}
		return resp.StatusCode
	}
	if got := status("/", "localhost", nil); got != 200 {
		t.Fatalf("GET / through the proxy = %d", got)
	}
	for _, host := range []string{"localhost", "localhost:8080", "127.0.0.1", "[::1]", "seer.example"} {
		for _, path := range []string{"/admin", "/admin/hosts", "/admin/readers", "/wrappers", "/admin?token=", "/admin?token=guess"} {
			if got := status(path, host, nil); got != 401 && got != 429 { // 429 after several guesses
				t.Errorf("GET %s, Host: %s, through the proxy = %d, want 401", path, host, got)
			}
		}
	}
	if got := status("/admin/hosts", "localhost", s.asOperator); got != 429 && got != 200 {
		t.Errorf("with the token = %d", got)
	}
	info, err := os.Stat(filepath.Join(data, app.TokenFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the token's file: %v, %v", info, err)
	}
	if n := strings.Count(s.talk.String(), s.token); n != 1 || !strings.Contains(s.talk.String(), s.url+"/admin?token="+s.token) {
		t.Errorf("the token is told %d times\n%s", n, s.talk)
	}
	s.stop()

	again := startService(t, data, "--parts", "web")
	if again.token != s.token || strings.Contains(again.talk.String(), s.token) {
		t.Errorf("the second start tells %q\n%s", again.token, again.talk)
	}
	if !strings.Contains(again.get("/admin"), "/admin/hosts") {
		t.Error("the token opens nothing")
	}
	again.stop()

	if err := os.Chmod(filepath.Join(data, app.TokenFile), 0o644); err != nil {
		t.Fatal(err)
	}
	code, _, stderr := runCaptured(t, "serve", "--data", data, "--parts", "web", "--listen", "127.0.0.1:0")
	if code == 0 || !strings.Contains(stderr, "mode 0644") || !strings.Contains(stderr, "remove it") {
		t.Errorf("a token that all may read: exit %d\n%s", code, stderr)
	}
	if code, stdout, _ := runCaptured(t, "doctor", "--data", data); code != 4 || !regexp.MustCompile(`bad\s+admin\s.*mode 0644`).MatchString(stdout) {
		t.Errorf("doctor of it: exit %d\n%s", code, stdout)
	}
}

// A token file with invalid contents is refused with advice, and not overwritten.
func TestTokenFile(t *testing.T) {
	t.Parallel()
	if snapshot.IsBackupName(app.TokenFile) {
		t.Error("backups have the token")
	}
	for name, make := range map[string]func(path string) error{
		"too short": func(path string) error { return os.WriteFile(path, []byte("sesame\n"), 0o600) },
		"empty":     func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"too long":  func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("x", 5000)), 0o600) },
		"a folder":  func(path string) error { return os.Mkdir(path, 0o700) },
		"a link":    func(path string) error { return os.Symlink("/etc/hostname", path) },
		"group":     func(path string) error { return os.WriteFile(path, []byte(strings.Repeat("x", 30)), 0o640) },
	} {
		dir := t.TempDir()
		if err := make(filepath.Join(dir, app.TokenFile)); err != nil {
			t.Fatal(err)
		}
		if token, page, err := app.OperatorToken(newTestApp(t), dir); err == nil || token != "" && page != "" || !strings.Contains(err.Error(), "remove it") {
			t.Errorf("%s: %q, %q, %v", name, token, page, err)
		}
	}
}

// The address of --admin shows the state of a process and does nothing else, because every user of this
// machine can reach it. Only the socket runs commands and makes backups.
func TestAdminAddressOnlyShows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ran := 0
	act := http.HandlerFunc(func(http.ResponseWriter, *http.Request) { ran++ })
	a := newTestApp(t)
	a.Config.Admin = freeport.Addr(t, "127.0.0.1")
	stop, err := admin.ServeAdmin(t.Context(), a, dir, admin.AdminSite{
		Metrics: admin.NewRegistry(), Healthy: func() error { return nil }, Backup: act, Command: act,
		Status: func(context.Context, int) (any, error) { return "fine", nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	for path, want := range map[string]int{"/status": 200, "/metrics": 200, "/backup": 404, admin.CommandsPath: 404} {
		method := http.MethodGet
		if path == admin.CommandsPath {
			method = http.MethodPost
		}
		r, err := http.NewRequestWithContext(t.Context(), method, "http://"+a.Config.Admin+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != want || ran > 0 {
			t.Errorf("%s %s = %d, want %d; %d ran", method, path, resp.StatusCode, want, ran)
		}
	}
	if err := admin.AskAdmin(t.Context(), dir, "/backup", nil); err != nil || ran != 1 {
		t.Errorf("the socket: %v, %d ran", err, ran)
	}
}
