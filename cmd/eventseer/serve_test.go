package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/internal/browsertest"
)

// A served service runs until its stop is called, which returns its exit code.
type served struct {
	t     *testing.T
	url   string
	token string // of the operator
	talk  *talkLog
	stop  func() int
}

// startService runs serve on a data directory.
func startService(t *testing.T, data string, args ...string) *served {
	t.Helper()
	return startServiceAs(t, newTestApp(t), data, args...)
}

// startServiceAs is startService with an app that has settings and a clock of its own.
func startServiceAs(t *testing.T, a *app.App, data string, args ...string) *served {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	out := &talkLog{said: make(chan struct{}, 1)}
	s := &served{t: t, talk: &talkLog{said: make(chan struct{}, 1)}}
	a.Stdout, a.Stderr = out, s.talk
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"serve", "--data", data, "--listen", "127.0.0.1:0"}, args...), a)
		cancel()
	}()
	out.waitFor(ctx, t, "http://")
	s.url = strings.TrimSuffix(strings.TrimSpace(out.String()), "/")
	s.stop = func() int {
		cancel()
		return <-code
	}
	if s.token = string(a.Config.AdminToken); s.token == "" {
		s.token, _ = app.ReadToken(filepath.Join(data, app.TokenFile))
	}
	if s.token == "" {
		t.Fatalf("no token of the operator's pages in %s\n%s", data, s.talk)
	}
	return s
}

// asOperator makes the request for a page of the operator's one of his.
func (s *served) asOperator(r *http.Request) {
	for _, own := range []string{"/admin", "/wrappers", "/label"} {
		if r.URL.Path == own || strings.HasPrefix(r.URL.Path, own+"/") {
			r.SetBasicAuth("", s.token)
		}
	}
}

// signIn signs a browser in as the operator.
func (s *served) signIn(b *browsertest.Tab) { b.Go("/admin?token=" + s.token) }

// get returns the body of a page of the service.
func (s *served) get(path string) string {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.asOperator(r)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatalf("%v\n%s", err, s.talk)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return string(body)
}

// waitFor requests a page until it contains word.
func (s *served) waitFor(path, word string) {
	s.t.Helper()
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		body := s.get(path)
		if strings.Contains(body, word) {
			return
		}
		if time.Since(began) > 2*time.Minute {
			s.t.Fatalf("GET %s never says %q, but\n%s\n%s", path, word, body, s.talk)
		}
	}
}

// One process crawls from its seeds, serves the results, and reports its state to its operator; another one
// continues from there.
func TestServeAllInOne(t *testing.T) {
	t.Parallel()
	site := newSociety(t)
	data := t.TempDir()
	seeds := filepath.Join(data, "seeds.txt")
	write(t, seeds, site.URL+"/calls\n")
	flags := []string{"--seeds", seeds, "--contact", "ops@eventseer.example", "--allow-private", "--host-delay", "0s", "--parts", "web,crawl,monitor"}
	s := startService(t, data, flags...)
	s.waitFor("/search?q=matters&all=1", "Matters")

	if code, out, talk := runCaptured(t, "crawl", "status", "--data", data, "--format", "jsonl"); code != 0 {
		t.Errorf("status: exit %d\n%s", code, talk)
	} else {
		var status admin.CrawlStatus
		if err := json.Unmarshal([]byte(out), &status); err != nil || !status.Running || status.Links["fetched"] == 0 {
			t.Errorf("status = %s (%v)", out, err)
		}
	}
	if code, _, talk := runCaptured(t, "crawl", "why", "--data", data, site.URL+"/calls"); code != 0 {
		t.Errorf("why: exit %d\n%s", code, talk)
	}
	if code := s.stop(); code != 0 {
		t.Errorf("serve exits with %d\n%s", code, s.talk)
	}
	if code, out, talk := runCaptured(t, "check", "--data", data); code != 0 {
		t.Errorf("check: exit %d\n%s%s", code, out, talk)
	}
	write(t, seeds, site.URL+"/cfp/gamma\n")
	site.set(func() { site.dates["gamma"] = "March 19, 2027" })
	again := startService(t, data, flags...)
	again.talk.waitFor(t.Context(), t, "crawling: 1 page")
	if code := again.stop(); code != 0 {
		t.Errorf("the second exits with %d\n%s", code, again.talk)
	}
}

func TestServeParts(t *testing.T) {
	t.Parallel()
	if code, _, talk := runCaptured(t, "serve", "--data", t.TempDir(), "--parts", "web,cook"); code != exitUsage || !strings.Contains(talk, "cook") {
		t.Errorf("exit %d: %s", code, talk)
	}
	s := startService(t, seedData(t))
	if !strings.Contains(s.talk.String(), "crawl is off: no contact") {
		t.Errorf("nobody is told that nothing is crawled: %s", s.talk)
	}
	if code := s.stop(); code != 0 {
		t.Errorf("exit %d", code)
	}
}
