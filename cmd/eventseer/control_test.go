package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/engine"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/member"
	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/crawler/cluster/jetstream"
	"github.com/eventseer/eventseer/datasets/simweb"

	"github.com/google/go-cmp/cmp"
)

// A process is a command that runs while the test continues.
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
		defer func() {
			if said := p.talk.String(); t.Failed() && said != "" {
				t.Logf("%q printed\n%s", line, said)
			}
		}()
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
		t.Fatalf("%s does not end\n%s", p.name, goroutines())
		return 0
	}
}

// goroutines returns the stacks of all goroutines: what the processes of a test wait for.
func goroutines() string {
	var stacks strings.Builder
	_ = pprof.Lookup("goroutine").WriteTo(&stacks, 2)
	return stacks.String()
}

// patience bounds what a test waits for.
const patience = 3 * time.Minute

// says waits until the output contains a word.
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

// addressIn waits until a process prints a word, and returns the HOST:PORT after it.
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

// runToEnd runs a command to its end and returns its output.
func runToEnd(t *testing.T, want int, line ...string) (out, talk string) {
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
		"--host-delay", "5ms", "--settle", "100ms", "--lease", "15s", "--partitions", "16", "--once")
	nats := busAt(t, manager, in("m1"))
	control := func(want int, line ...string) (out, talk string) {
		return runToEnd(t, want, slices.Concat([]string{"control"}, line, nats("manager"))...)
	}
	waitStatus(t, nats, "a leader", func(s cluster.Status) bool { return s.Do == cluster.DoCrawl })
	control(0, "monitor", "--reason", "a look first")

	o, _, err := engine.ParseLargeWeb(clusterWeb)
	if err != nil {
		t.Fatal(err)
	}
	large, err := simweb.NewLarge(o)
	if err != nil {
		t.Fatal(err)
	}
	watched := large.Seeds()[0]
	runToEnd(t, 0, "monitor", "add", "--data", in("w1"), watched)
	worker := func(name string) *process {
		runToEnd(t, 0, "control", "issue", "crawler", name, "--data", in("m1"))
		return startProcess(t, slices.Concat([]string{"worker", "--data", in(name), "--name", name, "--sim", sim, "--progress", "none"}, nats(name))...)
	}
	w1 := worker("w1")
	w1.says(t, "1 source is due")
	waitStatus(t, nats, "the visit", func(s cluster.Status) bool { return s.Sum.Pages >= 1 })
	if _, talk := control(exitFailed, "drain", "w9"); !strings.Contains(talk, "there are w1") {
		t.Errorf("drain of nobody: %s", talk)
	}
	if out, _ := control(0, "status"); !strings.Contains(out, "order to crawlers: monitor (a look first)") {
		t.Errorf("status:\n%s", out)
	}
	control(0, "stop")
	second := startProcess(t, slices.Concat([]string{"control", "--data", in("m2"), "--name", "m2", "--listen", "127.0.0.1:0", "--sim", clusterWeb,
		"--host-delay", "5ms", "--settle", "100ms", "--lease", "15s", "--partitions", "16", "--once"}, nats("manager"))...)
	w2 := worker("w2")
	waitStatus(t, nats, "two crawlers that rest", func(s cluster.Status) bool {
		return len(s.Workers) == 2 && s.Parts.Moving == 0 && len(s.Workers[0].Parts) == 8 && len(s.Workers[1].Parts) == 8
	})
	ofManager, ofWorker := operatorAnswer(t, in("m1"), "/metrics"), operatorAnswer(t, in("w1"), "/metrics")
	lintMetrics(t, ofManager, "cluster.md", "operating.md")
	lintMetrics(t, ofWorker, "cluster.md", "operating.md")
	text := ofManager + ofWorker
	for _, line := range []string{
		`eventseer_cluster_partitions{state="owned"} 16`, `eventseer_cluster_leads 1`, `eventseer_cluster_node_whole 1`, `eventseer_cluster_crawlers{state="working"} 2`,
		`eventseer_cluster_crawler_partitions{crawler="w1"} 8`, `eventseer_worker_partitions 8`, `eventseer_worker_fenced 0`,
		`eventseer_worker_moves_total{way="handed over"} 8`,
	} {
		if !strings.Contains(text, line+"\n") {
			t.Errorf("the metrics lack %s\n%s", line, text)
		}
	}
	// Pages are requested while the crawlers are idle: with --once they end, with their pages, as soon as
	// everything is crawled.
	if out, _ := control(0, "page", watched); !strings.Contains(out, "HTTP/1.1 200") || !strings.Contains(out, "<html") {
		t.Errorf("the copy of %s: %.200q", watched, out)
	}
	control(exitFailed, "page", "https://nobody.example/")
	control(0, "crawl")
	for _, p := range []*process{manager, w1, w2} {
		p.ends(t, 0)
	}
	for _, name := range []string{"m1", "w1", "w2"} {
		runToEnd(t, 0, "check", "--data", in(name))
	}
	found, _ := runToEnd(t, 0, "find", "--data", in("m1"), "--format", "jsonl")
	second.says(t, "In total ") // its manager ends too; its search engine continues
	second.stop()
	second.ends(t, 0)
	if other, _ := runToEnd(t, 0, "find", "--data", in("m2"), "--format", "jsonl"); strings.Count(found, "\n") < 5 || other != found {
		t.Errorf("one manager has %d events, the other differs (-one +other):\n%s", strings.Count(found, "\n"), cmp.Diff(found, other))
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

// busFlags are the flags of a process that speaks to a cluster with credentials of a name.
type busFlags func(name string) []string

// busAt waits until a manager whose data is in a directory has a node, and returns the flags
// for it.
func busAt(t *testing.T, manager *process, dir string) busFlags {
	t.Helper()
	nats := "nats://" + addressIn(t, &manager.talk, "nats://")
	return func(name string) []string {
		return []string{"--nats", nats, "--nats-creds", filepath.Join(dir, member.BusDir, name+".creds")}
	}
}

// waitStatus requests the status until it is as wanted.
func waitStatus(t *testing.T, nats busFlags, what string, ok func(cluster.Status) bool) {
	t.Helper()
	var s cluster.Status
	for begun := time.Now(); time.Since(begun) < patience; {
		p := startProcess(t, slices.Concat([]string{"control", "status", "--format", "json"}, nats("reader"))...)
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
	t.Fatalf("never %s: %+v\n%s", what, s, goroutines())
}

// Impossible requests are refused, with a message that says what to do.
func TestClusterRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	manager := startProcess(t, "control", "--data", filepath.Join(dir, "m1"), "--name", "m1", "--nats-listen", "127.0.0.1:0", "--once", "https://conf.example/")
	nats := busAt(t, manager, filepath.Join(dir, "m1"))
	open, err := jetstream.StartServer(jetstream.ServerOptions{Name: "open", Listen: "127.0.0.1:0", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(open.Close)
	runToEnd(t, 0, "control", "issue", "crawler", "w7", "--data", filepath.Join(dir, "m1"))
	as := func(name string, line ...string) []string { return slices.Concat(line, nats(name)) }
	// The first manager decides what is crawled, and the node belongs to it.
	waitStatus(t, nats, "a leader", func(s cluster.Status) bool { return s.Do == cluster.DoCrawl })
	for name, c := range map[string]struct {
		code int
		say  string
		line []string
	}{
		"an open listener":           {exitRefused, "--nats-cert", []string{"control", "--data", filepath.Join(dir, "m2"), "--nats-listen", "0.0.0.0:0"}},
		"no such cluster":            {exitNoData, "eventseer control` starts one", []string{"control", "status", "--nats", open.URL(), "--bucket", "other"}},
		"another cluster's":          {exitRefused, "are credentials for cluster eventseer, not other", as("reader", "control", "status", "--bucket", "other")},
		"no credentials":             {exitRefused, "--nats-creds", []string{"control", "status", "--nats", nats("")[1], "--data", dir}},
		"those of a reader":          {exitRefused, "those of a manager are needed", as("reader", "control", "stop")},
		"those of a crawler":         {exitRefused, "those of a reader are needed", as("crawler", "control", "status")},
		"those of another crawler":   {exitRefused, "are credentials of crawler w7, not w8", as("w7", "worker", "--data", filepath.Join(dir, "w8"), "--name", "w8")},
		"no such role":               {exitUsage, "no role", []string{"control", "issue", "king", "k", "--data", filepath.Join(dir, "m1")}},
		"a name with dots":           {exitUsage, "letters, digits", []string{"control", "issue", "crawler", "w.>", "--data", filepath.Join(dir, "m1")}},
		"keys that are there":        {exitRefused, "already", []string{"control", "init", "--data", filepath.Join(dir, "m1")}},
		"no keys":                    {exitRefused, "control init", []string{"control", "issue", "crawler", "w1", "--data", dir}},
		"nobody to revoke":           {exitFailed, "no credentials were issued", []string{"control", "revoke", "w99", "--data", filepath.Join(dir, "m1"), "--nats", nats("")[1]}},
		"neither name nor file":      {exitUsage, "name a member, or a certificate", []string{"control", "revoke", "--data", filepath.Join(dir, "m1")}},
		"no such certificate":        {exitFailed, "none.pem", []string{"control", "revoke", "--certificate", filepath.Join(dir, "none.pem"), "--data", filepath.Join(dir, "m1")}},
		"a node without keys":        {exitRefused, "control init", []string{"control", "--data", filepath.Join(dir, "m6"), "--nats-listen", "127.0.0.1:0", "--nats-cluster", "127.0.0.1:0"}},
		"the manager's to say":       {exitUsage, "is set by the manager", as("crawler", "worker", "--data", filepath.Join(dir, "w1"), "--name", "w1", "--seed", "5")},
		"neither on nor off":         {exitUsage, "neither on nor off", []string{"worker", "--record", "maybe"}},
		"too many partitions":        {exitUsage, "partitions", as("manager", "control", "--data", filepath.Join(dir, "m3"), "--partitions", "4096")},
		"a name that no subject has": {exitUsage, "letters, digits", as("manager", "control", "--data", filepath.Join(dir, "m4"), "--name", "a.b")},
		"what is crawled already":    {exitIncompatible, "--replace", as("manager", "control", "--data", filepath.Join(dir, "m5"), "--name", "m5", "--max-depth", "3")},
	} {
		t.Run(name, func(t *testing.T) {
			if _, talk := runToEnd(t, c.code, c.line...); !strings.Contains(talk, c.say) {
				t.Errorf("no %q in\n%s", c.say, talk)
			}
		})
	}
}

// The manager with a search engine learns that another manager owns the cluster now; its web pages still show
// what the crawlers found.
func TestSearchEngineOutlivesItsManager(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := startProcess(t, "control", "--data", filepath.Join(dir, "m1"), "--name", "m1", "--nats-listen", "127.0.0.1:0", "--listen", "127.0.0.1:0", "https://conf.example/")
	nats := busAt(t, first, filepath.Join(dir, "m1"))
	waitStatus(t, nats, "a leader", func(s cluster.Status) bool { return s.Leader == "m1" })
	site := "http://" + addressIn(t, &first.out, "http://")
	flags := nats("manager")
	bus, err := jetstream.Connect(t.Context(), jetstream.Options{URLs: flags[1:2], Creds: flags[3]})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = bus.Close() }()
	e, err := bus.Get(t.Context(), cluster.ConfKey)
	var conf cluster.Conf
	if err != nil || cluster.Decode(e, &conf) != nil {
		t.Fatal(err)
	}
	conf.Version = "another program's"
	data, err := json.Marshal(conf)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := bus.Set(t.Context(), cluster.ConfKey, data, e.Revision); err != nil {
		t.Fatal(err)
	}
	first.says(t, "The search engine continues")
	resp, err := http.Get(site)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("the site answers %s", resp.Status)
	}
	first.stop()
	first.ends(t, 0)
}
