package main

import (
	"context"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/webgraph"
)

// TestModelOverTheBus has crawlers in processes of their own receive the model of their manager over NATS. One is killed
// with SIGKILL and continues with the model it has. One with --model judges by its own.
func TestModelOverTheBus(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	ofManager, ofCrawler := trainReversed(t), in("own.model")
	copyModel(t, "models/cfp.model", ofCrawler)
	const small = "hosts=12,pages=150,seed=3"
	web := startProcess(t, "web", "serve", "--sim", small, "--host-delay", "20ms", "--listen", "127.0.0.1:0")
	gate := newGate(t, "http://"+addressIn(t, &web.talk, small+",at="), 8)
	sim := small + ",at=" + gate.address
	manager := startProcess(t, "control", "--data", in("m1"), "--name", "m1", "--nats-listen", "127.0.0.1:0", "--sim", small, "--model", ofManager,
		"--host-delay", "20ms", "--settle", "100ms", "--lease", "5s", "--partitions", "8", "--once")
	nats := busAt(t, manager, in("m1"))
	waitStatus(t, nats, "a leader", func(s cluster.Status) bool { return s.Do == cluster.DoCrawl })
	start := func(name string, more ...string) *exec.Cmd {
		line := slices.Concat([]string{"worker", "--data", in(name), "--name", name, "--sim", sim, "--progress", "none"}, nats(name), more)
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		t.Cleanup(cancel)
		cmd := exec.CommandContext(ctx, selfAs(t, "eventseer"), line...)
		log, err := os.OpenFile(in(name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = log.Close() })
		cmd.Stderr = log
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() })
		return cmd
	}
	for _, name := range []string{"w1", "w2"} {
		runToEnd(t, 0, "control", "issue", "crawler", name, "--data", in("m1"))
	}
	killed := start("w1")
	waitStatus(t, nats, "some pages", func(s cluster.Status) bool { return s.Sum.Pages >= 3 })
	if err := killed.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = killed.Wait() // by the signal
	crawlers := map[string]*exec.Cmd{"w1": start("w1"), "w2": start("w2", "--model", ofCrawler)}
	waitJoined(t, in("w1.log"), 2)
	waitJoined(t, in("w2.log"), 1)
	gate.open() // from now on the crawl may end, and its manager with it
	for name, cmd := range crawlers {
		if err := cmd.Wait(); err != nil {
			log, _ := os.ReadFile(in(name + ".log"))
			t.Fatalf("%s: %v\n%s", name, err, log)
		}
	}
	manager.ends(t, 0)
	content, err := os.ReadFile(ofManager)
	if err != nil {
		t.Fatal(err)
	}
	hash := strings.TrimPrefix(string(webgraph.DigestOf(content)), "sha256:")
	for name, managers := range map[string]bool{"w1": true, "w2": false} {
		runs, err := filepath.Glob(filepath.Join(in(name), "runs", "*"))
		if err != nil || len(runs) == 0 {
			t.Fatalf("%s has no runs: %v", name, err)
		}
		for _, run := range runs {
			record, err := engine.ReadRun(run)
			if err != nil {
				t.Fatal(err)
			}
			if has := slices.Contains(slices.Collect(maps.Values(record.ModelHashes)), hash); has != managers || !strings.HasPrefix(record.Models, "shipped with ") {
				t.Errorf("%s judged by %s; the manager's model among %v: %v, want %v", run, record.Models, record.ModelHashes, has, managers)
			}
		}
	}
	if log, err := os.ReadFile(in("w2.log")); err != nil || !strings.Contains(string(log), "this crawler judges by its own models: "+ofCrawler) {
		t.Errorf("w2 does not say that it has its own model: %v\n%s", err, log)
	}
}

// waitJoined waits until the log of a crawler says n times that it has joined a cluster.
func waitJoined(t *testing.T, log string, n int) {
	t.Helper()
	var content []byte
	for begun := time.Now(); time.Since(begun) < patience; time.Sleep(50 * time.Millisecond) {
		if content, _ = os.ReadFile(log); strings.Count(string(content), "has joined the cluster") >= n {
			return
		}
	}
	t.Fatalf("never joined %d times:\n%s", n, content)
}

// A gate is a web server in front of another one. It passes on the first pages; further ones wait until it is open. So a crawl does
// not end before a test has killed a crawler, however slow the test is.
type gate struct {
	address string
	open    func()
}

func newGate(t *testing.T, target string, pages int64) *gate {
	t.Helper()
	var passed atomic.Int64
	isOpen := make(chan struct{})
	proxy := passOn(t, target)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/robots.txt" && passed.Add(1) > pages {
			select {
			case <-isOpen:
			case <-r.Context().Done():
				return
			}
		}
		proxy.ServeHTTP(w, r)
	}))
	g := &gate{server.Listener.Addr().String(), sync.OnceFunc(func() { close(isOpen) })}
	t.Cleanup(func() {
		g.open()
		server.Close()
	})
	return g
}

// copyModel copies a model file of this repository.
func copyModel(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("../..", from))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, content, 0o600); err != nil {
		t.Fatal(err)
	}
}
