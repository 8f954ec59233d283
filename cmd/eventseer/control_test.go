package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/datasets/simweb"
)

// A process is a command that runs beside the test.
type process struct {
	name      string
	out, talk talkLog
	stop      context.CancelFunc
	code      chan int
}

// startProcess runs a command by the real clock until the test ends.
func startProcess(t *testing.T, line ...string) *process {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	p := &process{name: line[0], out: newTalkLog(), talk: newTalkLog(), stop: stop, code: make(chan int, 1)}
	a := newTestApp(t)
	a.Stdout, a.Stderr, a.Now = &p.out, &p.talk, time.Now
	go func() { p.code <- run(ctx, line, a) }()
	t.Cleanup(func() {
		stop()
		p.end(t)
	})
	return p
}

// end waits for the end of a process and returns its exit code. One that does not end
// shows where it stands.
func (p *process) end(t *testing.T) int {
	t.Helper()
	select {
	case code := <-p.code:
		p.code <- code
		return code
	case <-time.After(patience):
		var stacks strings.Builder
		_ = pprof.Lookup("goroutine").WriteTo(&stacks, 2)
		t.Fatalf("%s does not end\n%s\n%s", p.name, &p.talk, &stacks)
		return 0
	}
}

// patience bounds what a test waits for.
const patience = 3 * time.Minute

// says waits for a word.
func (p *process) says(t *testing.T, word string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	p.talk.waitFor(ctx, t, word)
}

// ends waits for the end of a process.
func (p *process) ends(t *testing.T, want int) {
	t.Helper()
	if code := p.end(t); code != want {
		t.Errorf("%s exits with %d, want %d\n%s", p.name, code, want, &p.talk)
	}
}

// addressIn waits until a process says a word, and returns the HOST:PORT behind it.
func addressIn(t *testing.T, said *talkLog, word string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	said.waitFor(ctx, t, word)
	m := regexp.MustCompile(regexp.QuoteMeta(word) + `(127\.0\.0\.1:[0-9]+)`).FindStringSubmatch(said.String())
	if m == nil {
		t.Fatalf("no address behind %q\n%s", word, said)
	}
	return m[1]
}

// asked runs a command to its end and returns what it says.
func asked(t *testing.T, want int, line ...string) (out, talk string) {
	t.Helper()
	p := startProcess(t, line...)
	p.ends(t, want)
	return p.out.String(), p.talk.String()
}

const clusterWeb = "hosts=20,pages=300,seed=7"

// A cluster of one manager and two crawlers obeys its orders, and crawls all there is.
func TestCluster(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	web := startProcess(t, "web", "serve", "--sim", clusterWeb, "--host-delay", "5ms", "--listen", "127.0.0.1:0")
	sim := clusterWeb + ",at=" + addressIn(t, &web.talk, clusterWeb+",at=")
	manager := startProcess(t, "control", "--data", in("m1"), "--name", "m1", "--nats-listen", "127.0.0.1:0", "--sim", clusterWeb,
		"--host-delay", "5ms", "--settle", "100ms", "--lease", "15s", "--partitions", "64", "--once")
	nats := "nats://" + addressIn(t, &manager.talk, "nats://")
	control := func(want int, line ...string) (out, talk string) {
		return asked(t, want, append(append([]string{"control"}, line...), "--nats", nats)...)
	}
	waitStatus(t, nats, "a leader", func(s cluster.Status) bool { return s.Do == cluster.DoCrawl })
	control(0, "monitor", "--reason", "a look first")

	o, _, err := engine.LargeSpec(clusterWeb)
	if err != nil {
		t.Fatal(err)
	}
	large, err := simweb.NewLarge(o)
	if err != nil {
		t.Fatal(err)
	}
	watched := large.Seeds()[0]
	asked(t, 0, "monitor", "add", "--data", in("w1"), watched)
	worker := func(name string) *process {
		return startProcess(t, "worker", "--data", in(name), "--name", name, "--nats", nats, "--sim", sim, "--progress", "none")
	}
	w1 := worker("w1")
	w1.says(t, "1 source is due")
	waitStatus(t, nats, "the visit", func(s cluster.Status) bool { return s.Sum.Pages == 1 })
	if _, talk := control(exitFailed, "drain", "w9"); !strings.Contains(talk, "there are w1") {
		t.Errorf("drain of nobody: %s", talk)
	}
	if out, _ := control(0, "status"); !strings.Contains(out, "order: monitor (a look first)") {
		t.Errorf("status:\n%s", out)
	}
	control(0, "stop")
	second := startProcess(t, "control", "--data", in("m2"), "--name", "m2", "--nats", nats, "--listen", "127.0.0.1:0", "--sim", clusterWeb,
		"--host-delay", "5ms", "--settle", "100ms", "--lease", "15s", "--partitions", "64", "--once")
	w2 := worker("w2")
	waitStatus(t, nats, "two crawlers that rest", func(s cluster.Status) bool {
		return len(s.Workers) == 2 && s.Parts.Moving == 0 && len(s.Workers[0].Parts) == 32 && len(s.Workers[1].Parts) == 32
	})
	ofManager, ofWorker := operatorAnswer(t, in("m1"), "/metrics"), operatorAnswer(t, in("w1"), "/metrics")
	lintMetrics(t, ofManager, "cluster.md", "operating.md")
	lintMetrics(t, ofWorker, "cluster.md", "operating.md")
	text := ofManager + ofWorker
	for _, line := range []string{
		`eventseer_cluster_partitions{state="owned"} 64`, `eventseer_cluster_leads 1`, `eventseer_cluster_node_whole 1`, `eventseer_cluster_crawlers{state="working"} 2`,
		`eventseer_cluster_crawler_partitions{crawler="w1"} 32`, `eventseer_worker_partitions 32`, `eventseer_worker_fenced 0`,
		`eventseer_worker_moves_total{way="handed over"} 32`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("the metrics lack %s\n%s", line, text)
		}
	}
	// Pages are asked for while the crawlers rest: with --once they leave, and take
	// their pages along, as soon as all is crawled.
	if out, _ := control(0, "page", watched); !strings.Contains(out, "HTTP/1.1 200") || !strings.Contains(out, "<html") {
		t.Errorf("the copy of %s: %.200q", watched, out)
	}
	control(exitFailed, "page", "https://nobody.example/")
	control(0, "crawl")
	waitStatus(t, nats, "some pages", func(s cluster.Status) bool { return s.Sum.Pages > 10 })
	for _, p := range []*process{manager, w1, w2} {
		p.ends(t, 0)
	}
	for _, name := range []string{"m1", "w1", "w2"} {
		asked(t, 0, "check", "--data", in(name))
	}
	found, _ := asked(t, 0, "find", "--data", in("m1"), "--format", "jsonl")
	second.stop()
	second.ends(t, 0)
	if other, _ := asked(t, 0, "find", "--data", in("m2"), "--format", "jsonl"); strings.Count(found, "\n") < 5 || other != found {
		t.Errorf("one manager has %d events, the other\n%s", strings.Count(found, "\n"), other)
	}
	web.stop()
	web.ends(t, 0)
	var report simweb.MeterReport
	if err := json.Unmarshal([]byte(web.out.String()), &report); err != nil {
		t.Fatal(err)
	}
	if report.Reachable == 0 || report.Missing > 0 || report.Violations > 0 {
		t.Errorf("measured at the web: %s", &web.out)
	}
}

// operatorAnswer asks the process that has a data directory open.
func operatorAnswer(t *testing.T, dir, path string) string {
	t.Helper()
	resp, err := admin.AskSocket(t.Context(), dir, http.MethodGet, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// waitStatus asks for the status until it is as wanted.
func waitStatus(t *testing.T, nats, what string, ok func(cluster.Status) bool) {
	t.Helper()
	var s cluster.Status
	for begun := time.Now(); time.Since(begun) < patience; {
		p := startProcess(t, "control", "status", "--format", "json", "--nats", nats)
		s = cluster.Status{}
		if p.end(t) == 0 {
			if err := json.Unmarshal([]byte(p.out.String()), &s); err != nil {
				t.Fatal(err)
			}
			if ok(s) {
				t.Logf("%s: %s", time.Since(begun).Round(time.Millisecond), what)
				return
			}
		}
		time.Sleep(200 * time.Millisecond)
	}
	t.Fatalf("never %s: %+v", what, s)
}

// What cannot be is refused, and says what to do.
func TestClusterRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	manager := startProcess(t, "control", "--data", filepath.Join(dir, "m1"), "--name", "m1", "--nats-listen", "127.0.0.1:0", "--once", "https://conf.example/")
	nats := "nats://" + addressIn(t, &manager.talk, "nats://")
	// Who comes first says what is crawled, and the node is of this manager.
	waitStatus(t, nats, "a leader", func(s cluster.Status) bool { return s.Do == cluster.DoCrawl })
	for name, c := range map[string]struct {
		code int
		say  string
		line []string
	}{
		"an open listener":           {exitRefused, "--nats-cert", []string{"control", "--data", filepath.Join(dir, "m2"), "--nats-listen", "0.0.0.0:0"}},
		"no such cluster":            {exitNoData, "eventseer control` starts one", []string{"control", "status", "--nats", nats, "--bucket", "other"}},
		"the manager's to say":       {exitUsage, "is the manager's to say", []string{"worker", "--data", filepath.Join(dir, "w1"), "--nats", nats, "--name", "w1", "--seed", "5"}},
		"neither on nor off":         {exitUsage, "neither on nor off", []string{"worker", "--record", "maybe"}},
		"too many partitions":        {exitUsage, "partitions", []string{"control", "--data", filepath.Join(dir, "m3"), "--nats", nats, "--partitions", "4096"}},
		"a name that no subject has": {exitUsage, "letters, digits", []string{"control", "--data", filepath.Join(dir, "m4"), "--nats", nats, "--name", "a.b"}},
		"what is crawled already":    {exitIncompatible, "--replace", []string{"control", "--data", filepath.Join(dir, "m5"), "--name", "m5", "--nats", nats, "--max-depth", "3"}},
	} {
		t.Run(name, func(t *testing.T) {
			if _, talk := asked(t, c.code, c.line...); !strings.Contains(talk, c.say) {
				t.Errorf("no %q in\n%s", c.say, talk)
			}
		})
	}
}
