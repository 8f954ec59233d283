package chaos_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/internal/nightly"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// TestChaos crawls the generated web with a cluster while its processes are killed.
// All that can be reached is fetched, nearly nothing twice, and no host is asked
// too soon.
func TestChaos(t *testing.T) {
	if *chaosSpec == "" {
		nightly.SkipUnlessNightly(t)
	}
	crawlInChaos(t, *chaosSpec)
}

// TestKilledCrawler is the least of it: one of two crawlers is killed once.
func TestKilledCrawler(t *testing.T) {
	t.Parallel()
	crawlInChaos(t, "pages=150,hosts=30,nodes=1,workers=2,kills=1,every=1ms,partitions=4")
}

func crawlInChaos(t *testing.T, spec string) {
	c, err := parseChaos(spec)
	if err != nil {
		t.Fatal(err)
	}
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), c.Most)
	defer cancel()
	program(t)
	start := time.Now()
	fleet := c.start(ctx, t)
	fleet.waitFor(ctx, "the crawl has begun", func() bool {
		r, err := c.readReport()
		return err == nil && r.Fetched > c.Pages/100
	})
	t.Logf("began after %v", time.Since(start).Round(time.Millisecond))
	c.trouble(ctx, t, fleet)
	last := c.untilOver(ctx, fleet)
	took := time.Since(start)
	for _, m := range fleet.workers {
		m.stop()
	}
	for _, m := range fleet.nodes {
		m.stop()
	}
	fleet.web.stop()
	fetched := c.judge(t, fleet, took)
	c.costs(t, fleet, last, fetched)
}

// untilOver waits until all crawlers have ended and returns the last state of the cluster.
func (c chaos) untilOver(ctx context.Context, fleet *fleet) (last cluster.Status) {
	asked := time.Now()
	fleet.waitFor(ctx, "all crawlers have ended", func() bool {
		if time.Since(asked) > 5*time.Second {
			if s, err := c.status(fleet); err == nil {
				last = s
			}
			asked = time.Now()
		}
		return c.over(fleet)
	})
	return last
}

// costs reports the cost of a page. The counters of crawlers restart when they are killed, their time does
// not.
func (c chaos) costs(t *testing.T, fleet *fleet, s cluster.Status, fetched int) {
	cpu := func(members ...*member) (sum time.Duration) {
		for _, m := range members {
			sum += m.cpu
		}
		return sum / time.Duration(max(1, fetched))
	}
	crawlers, nodes := cpu(fleet.workers...), cpu(fleet.nodes...)
	a := float64(max(1, s.Sum.Pages))
	t.Logf("CPU a page: crawlers %v, nodes %v (%.0f %%), the web %v. Crawlers sent %.3f and took %.3f messages a page, %.0f and %.0f bytes; %.2f links a page went to another",
		crawlers, nodes, 100*float64(nodes)/float64(crawlers+nodes), cpu(fleet.web), float64(s.Sum.Traffic.Sent)/a, float64(s.Sum.Traffic.Received)/a,
		float64(s.Sum.Traffic.SentBytes)/a, float64(s.Sum.Traffic.ReceivedBytes)/a, float64(s.Sum.LinksSent)/a)
}

// inHand is the maximum number of pages that a crawler is fetching when it is killed.
const inHand = 8

// judge compares the observations of the web with the files of the processes.
func (c chaos) judge(t *testing.T, fleet *fleet, took time.Duration) (fetched int) {
	r, err := c.readReport()
	if err != nil {
		t.Fatal(err)
	}
	starts := 0
	for _, m := range append(append([]*member{}, fleet.workers...), fleet.nodes...) {
		starts += m.starts - 1
	}
	t.Logf("%d pages in %v, %d restarts; of %d that can be reached %d are missing, of them %d targets; %d fetched again (%.3f %%), %d more by a redirect; %d violations",
		r.Fetched, took.Round(time.Millisecond), starts, r.Reachable, r.Missing, r.TargetsMissing, r.Duplicates,
		100*float64(r.Duplicates)/float64(max(1, r.Fetched)), r.Followed, r.Violations)
	if r.Missing > 0 || r.TargetsMissing > 0 {
		t.Errorf("missing: %v", r.MissingSome)
	}
	if most := max(r.Fetched/200, c.killed*inHand); r.Duplicates > most {
		t.Errorf("%d of %d pages were fetched again, at most %d may be", r.Duplicates, r.Fetched, most)
	}
	if r.Violations > 0 {
		t.Errorf("violations: %+v", r.Examples)
	}
	for _, m := range append(append([]*member{}, fleet.workers...), fleet.nodes...) {
		if out, err := exec.Command(fleet.program, "check", "--data", fleet.data(m.name)).CombinedOutput(); err != nil {
			t.Errorf("check of %s: %v\n%s", m.name, err, out)
		}
	}
	return r.Fetched
}

// streamLeader returns the node that leads the stream of links, nil if it is unknown.
func (c chaos) streamLeader(ctx context.Context, fleet *fleet) *member {
	nc, err := nats.Connect(c.clients(fleet), nats.Timeout(time.Second))
	if err != nil {
		return nil
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	s, err := js.Stream(ctx, "eventseer-links")
	if err != nil || s.CachedInfo().Cluster == nil {
		return nil
	}
	return fleet.node(s.CachedInfo().Cluster.Leader)
}

// manager returns the process of the manager that leads, nil if it is unknown.
func (c chaos) manager(fleet *fleet) *member {
	s, err := c.status(fleet)
	if err != nil {
		return nil
	}
	return fleet.node(s.Leader)
}

// status queries the cluster with a separate process, as a person would.
func (c chaos) status(fleet *fleet) (s cluster.Status, err error) {
	out, err := fleet.net.command(fleet.nodes[0].host, fleet.program, "control", "status", "--format", "json",
		"--nats", c.clients(fleet)).Output()
	if err != nil {
		return s, err
	}
	return s, json.Unmarshal(out, &s)
}

func (c chaos) clients(fleet *fleet) string {
	var urls []string
	for _, n := range fleet.nodes {
		for i, arg := range n.args {
			if arg == "--nats-listen" {
				urls = append(urls, "nats://"+n.args[i+1])
			}
		}
	}
	return strings.Join(urls, ",")
}

// TestCrew keeps the harness from rotting: a member that is killed comes
// again, one that ends in order does not.
func TestCrew(t *testing.T) {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip(err)
	}
	t.Parallel()
	fleet := newFleet(t, sleep, t.TempDir(), loopback{})
	m := fleet.add("sleeper", 0, "1")
	fleet.workers = append(fleet.workers, m)
	m.run()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	running := func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		return m.cmd != nil && m.cmd.Process != nil
	}
	fleet.waitFor(ctx, "it runs", running)
	m.signal(syscall.SIGKILL)
	fleet.waitFor(ctx, "it has ended", m.ended)
	if m.starts != 2 || m.err != nil {
		t.Errorf("started %d times, ended with %v", m.starts, m.err)
	}
}
