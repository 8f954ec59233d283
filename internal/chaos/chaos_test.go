package chaos_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eventseer/eventseer/datasets/simweb"
	"github.com/eventseer/eventseer/internal/freeport"
)

var chaosSpec = flag.String("chaos", "", "crawl with a cluster in processes of its own while they are killed, such as pages=200000,hosts=4000,nodes=3,workers=6,kills=20,delay=20ms,lease=30s,netns=1,dir=/tmp/chaos")

// A chaos is a crawl of the generated web by a fleet whose processes are killed.
type chaos struct {
	Pages, Hosts   int
	Nodes, Workers int
	Kills          int // in all, of crawlers and nodes in turn
	Partitions     int
	Seed           uint64
	Delay, Lease   time.Duration
	Strategy       string
	Netns          bool
	Dir            string
	Every          time.Duration // between kills; 0: spread over a minute
	Most           time.Duration // that it may take
	killed         int           // crawlers
}

func parseChaos(spec string) (chaos, error) {
	c := chaos{
		Pages: 800, Hosts: 80, Nodes: 3, Workers: 2, Kills: 3, Partitions: 16, Seed: 7, Delay: 5 * time.Millisecond,
		Lease: 30 * time.Second, Strategy: "breadth-first", Every: 2 * time.Second, Most: 10 * time.Minute,
	}
	numbers := map[string]*int{"pages": &c.Pages, "hosts": &c.Hosts, "nodes": &c.Nodes, "workers": &c.Workers, "kills": &c.Kills, "partitions": &c.Partitions}
	times := map[string]*time.Duration{"delay": &c.Delay, "lease": &c.Lease, "every": &c.Every, "most": &c.Most}
	for part := range strings.SplitSeq(spec, ",") {
		key, value, _ := strings.Cut(part, "=")
		var err error
		switch {
		case part == "":
		case numbers[key] != nil:
			*numbers[key], err = strconv.Atoi(value)
		case times[key] != nil:
			*times[key], err = time.ParseDuration(value)
		case key == "seed":
			c.Seed, err = strconv.ParseUint(value, 10, 64)
		case key == "strategy":
			c.Strategy = value
		case key == "dir":
			c.Dir = value
		case key == "netns":
			c.Netns = value == "1"
		default:
			err = fmt.Errorf("unknown key %q", key)
		}
		if err != nil {
			return c, fmt.Errorf("-chaos %s: %w", part, err)
		}
	}
	return c, nil
}

// sim is the web that is crawled.
func (c chaos) sim() string {
	return fmt.Sprintf("hosts=%d,pages=%d,seed=%d", c.Hosts, c.Pages, c.Seed)
}

// start starts the web, the nodes and the crawlers.
func (c chaos) start(ctx context.Context, t *testing.T) *fleet {
	t.Helper()
	fleet := newFleet(t, program(t), c.Dir, netOf(t, c.Netns, c.Nodes+c.Workers))
	web := freeport.Addr(t, fleet.net.ip(-1))
	fleet.web = fleet.add("web", -1, "web", "serve", "--sim", c.sim(), "--listen", web, "--host-delay", c.Delay.String(),
		"--report", c.report(), "--fetched", filepath.Join(c.Dir, "fetched.gz"))
	fleet.web.run()
	fleet.waitFor(ctx, "the web listens", func() bool { return listens(web) })
	clients, routes := make([]string, c.Nodes), make([]string, c.Nodes)
	for i := range c.Nodes {
		clients[i], routes[i] = c.port(t, fleet, i, 4222), c.port(t, fleet, i, 6222)
	}
	for i := range c.Nodes {
		name := fmt.Sprintf("m%d", i+1)
		args := []string{"control", "--data", fleet.data(name), "--name", name, "--nats-listen", clients[i], "--nats-open"}
		if c.Nodes > 1 {
			args = append(args, "--nats-cluster", routes[i], "--nats-routes", strings.Join(routes, ","))
		}
		fleet.nodes = append(fleet.nodes, fleet.add(name, i, append(args,
			"--partitions", strconv.Itoa(c.Partitions), "--lease", c.Lease.String(), "--settle", "2s", "--once",
			"--strategy", c.Strategy, "--host-delay", c.Delay.String(), "--sim", c.sim())...))
		fleet.nodes[i].run()
	}
	for i := range c.Workers {
		name := fmt.Sprintf("w%d", i+1)
		fleet.workers = append(fleet.workers, fleet.add(name, c.Nodes+i, "worker", "--data", fleet.data(name), "--name", name,
			"--nats", "nats://"+strings.Join(clients, ",nats://"), "--sim", c.sim()+",at="+web))
		fleet.workers[i].run()
	}
	return fleet
}

// port is a port of a host: a fixed one if the host has its own address.
func (c chaos) port(t *testing.T, fleet *fleet, host, fixed int) string {
	if c.Netns {
		return fmt.Sprintf("%s:%d", fleet.net.ip(host), fixed)
	}
	return freeport.Addr(t, fleet.net.ip(host))
}

func (c chaos) report() string { return filepath.Join(c.Dir, "report.json") }

// trouble kills, stops, cuts and slows processes at random moments until the planned number is reached, or
// the crawl is over.
func (c *chaos) trouble(ctx context.Context, t *testing.T, fleet *fleet) {
	random := rand.New(rand.NewPCG(c.Seed, 1))
	for n := range c.Kills {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Duration(float64(c.Every) * (0.5 + random.Float64()))):
		}
		if c.over(fleet) {
			t.Logf("the crawl was over before trouble %d", n+1)
			return
		}
		c.harm(ctx, t, fleet, random, n)
	}
}

// harm does one thing to one process.
func (c *chaos) harm(ctx context.Context, t *testing.T, fleet *fleet, random *rand.Rand, n int) {
	worker, node := fleet.workers[random.IntN(len(fleet.workers))], fleet.nodes[random.IntN(len(fleet.nodes))]
	pause := min(c.Lease/3, 5*time.Second)
	switch n % 5 {
	case 0, 2:
		t.Logf("kill -9 %s", worker.name)
		c.killed++
		worker.signal(syscall.SIGKILL)
	case 1:
		if leader := c.streamLeader(ctx, fleet); leader != nil {
			node = leader
		}
		t.Logf("kill -9 %s, which leads the stream of links", node.name)
		node.signal(syscall.SIGKILL)
	case 3:
		if leader := c.manager(fleet); leader != nil {
			node = leader
		}
		t.Logf("kill -9 %s, the manager that leads", node.name)
		node.signal(syscall.SIGKILL)
	case 4:
		c.part(ctx, t, fleet, worker, node, pause)
	}
}

// part parts a node from the rest for a while, or stops a crawler where the net
// cannot be cut, and slows another.
func (c chaos) part(ctx context.Context, t *testing.T, fleet *fleet, worker, node *member, pause time.Duration) {
	if err := fleet.net.cut(node.host, true); err != nil {
		t.Logf("stop %s for %v", worker.name, pause)
		worker.signal(syscall.SIGSTOP)
		rest(ctx, pause)
		worker.signal(syscall.SIGCONT)
		return
	}
	t.Logf("cut %s and slow %s for %v", node.name, worker.name, pause)
	err := fleet.net.slow(worker.host, true)
	rest(ctx, pause)
	if err := fleet.net.cut(node.host, false); err != nil {
		t.Error(err)
	}
	if err == nil {
		err = fleet.net.slow(worker.host, false)
	}
	if err != nil {
		t.Log(err)
	}
}

// over reports whether all crawlers have ended.
func (c chaos) over(fleet *fleet) bool {
	for _, w := range fleet.workers {
		if !w.ended() {
			return false
		}
	}
	return true
}

// readReport reads the measurements of the web.
func (c chaos) readReport() (r simweb.MeterReport, err error) {
	data, err := os.ReadFile(c.report())
	if err == nil {
		err = json.Unmarshal(data, &r)
	}
	return r, err
}
