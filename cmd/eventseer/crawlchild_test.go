package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/fetch"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/crawler/replay"
	"github.com/eventseer/eventseer/crawler/rundir"
	"github.com/eventseer/eventseer/crawler/strategy"
	"github.com/eventseer/eventseer/crawler/webtest"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/warc"
)

// A childCrawl is a crawl of a webtest.World in a separate process, so that it can be killed and its memory
// measured. It is like a live crawl except for the targets of its connections.
type childCrawl struct {
	Dir           string
	Plain, Secure string // where the servers listen
	Sites         int
	Peaceful      bool // the world has no trouble
	Seeds         []string
	Budget        float64
	Workers       int
	HostDelay     time.Duration
	Timeout       time.Duration
	PerDomain     int
	Record        string // WARC file; "" for none
}

// A childReport is the report of the child at its end.
type childReport struct {
	Stats   crawler.Stats
	Reason  crawler.Reason
	Dialled int
	Private []string // addresses dialled that are not public
	RSS     int64    // maximum in bytes, 0 if the system does not report it
	Took    time.Duration
}

// childName is the command under which TestMain runs childMain.
const childName = "crawlchild"

// start starts the child.
func (c childCrawl) start(t *testing.T) *exec.Cmd {
	t.Helper()
	spec, err := json.Marshal(c)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(selfAs(t, childName), string(spec))
	cmd.Stderr = os.Stderr
	return cmd
}

// newWorld makes the world that is crawled.
func (c childCrawl) newWorld() *webtest.World {
	if c.Peaceful {
		return webtest.NewPeacefulWorld(c.Sites)
	}
	return webtest.NewWorld(c.Sites)
}

// serve starts the world's servers, and names them and the seeds in c.
func (c *childCrawl) serve(t *testing.T) (*webtest.World, *webtest.Web) {
	t.Helper()
	world := c.newWorld()
	web := world.Serve(t)
	c.Seeds = world.Seeds()
	c.Plain, c.Secure = web.Listeners()
	return world, web
}

// run runs the child to its end.
func (c childCrawl) run(t *testing.T) childReport {
	t.Helper()
	start, cmd := time.Now(), c.start(t)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("crawl: %v", err)
	}
	var r childReport
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatalf("crawl says %q: %v", out, err)
	}
	r.Took = time.Since(start)
	return r
}

// childMain is the child.
func childMain() {
	var c childCrawl
	err := json.Unmarshal([]byte(os.Args[1]), &c)
	if err == nil {
		var r childReport
		if r, err = c.crawl(context.Background()); err == nil {
			r.RSS = mostMemory()
			err = json.NewEncoder(os.Stdout).Encode(r)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "crawlchild:", err)
		os.Exit(1)
	}
}

// mostMemory is the maximum memory of this process, in bytes, on Linux. The value that wait4 gives its parent
// is at least the memory of the parent at the start of the process.
func mostMemory() int64 {
	status, _ := os.ReadFile("/proc/self/status")
	var kB int64
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			_, _ = fmt.Sscan(text, &kB)
		}
	}
	return kB << 10
}

// noJudge judges no page.
type noJudge struct{}

func (noJudge) JudgePage(*tagtree.Tree) classify.Judgement { return classify.Judgement{} }

func (c childCrawl) crawl(ctx context.Context) (r childReport, err error) {
	var closers []func() error
	defer func() {
		for i := len(closers) - 1; i >= 0; i-- {
			err = errors.Join(err, closers[i]())
		}
	}()
	web := &childNet{childCrawl: c, world: c.newWorld()}
	o := crawler.Options{Budget: c.Budget, Workers: c.Workers, MaxTime: 10 * time.Minute}
	var wrap func(http.RoundTripper) http.RoundTripper
	if c.Record != "" {
		w, err := warc.Create(c.Record, warc.WriterOptions{})
		if err != nil {
			return r, err
		}
		closers = append(closers, w.Close)
		wrap = func(next http.RoundTripper) http.RoundTripper { return replay.NewRecorder(next, w) }
	}
	if o.Fetcher, err = fetch.New(fetch.Options{
		Contact: "test@eventseer.example", Wrap: wrap, Timeout: c.Timeout, Resolve: web.resolve, Dial: web.dial,
		DialTimeout: c.Timeout, TLSTimeout: c.Timeout, HeaderTimeout: c.Timeout,
	}); err != nil {
		return r, err
	}
	f, err := frontier.Open(filepath.Join(c.Dir, app.FrontierFile), frontier.Options{
		HostDelay: c.HostDelay, Backoff: 100 * time.Millisecond, Workers: c.Workers, PerDomain: c.PerDomain,
	})
	if err != nil {
		return r, err
	}
	closers = append(closers, f.Close)
	links, err := backlink.OpenLinkDB(filepath.Join(c.Dir, app.LinksFile), backlink.Options{})
	if err != nil {
		return r, err
	}
	closers = append(closers, links.Close)
	committed, _, err := crawler.CommittedEnds(ctx, f, "")
	if err != nil {
		return r, err
	}
	record, _, err := rundir.Resume(filepath.Join(c.Dir, "run"), committed, rundir.Options{})
	if err != nil {
		return r, err
	}
	closers = append(closers, record.Close)
	if o.Strategy, err = strategy.New("breadth-first", strategy.Parts{Judge: noJudge{}}); err != nil {
		return r, err
	}
	o.Frontier, o.Links, o.Observer = f, links, record
	cr, err := crawler.New(o)
	if err != nil {
		return r, err
	}
	if _, err := cr.PushSeeds(ctx, c.Seeds); err != nil {
		return r, err
	}
	r.Stats, err = cr.Run(ctx)
	r.Reason, r.Dialled, r.Private = r.Stats.Reason, web.dialled, web.private
	return r, err
}

// A childNet directs every connection to the test's own servers, and records addresses that should not have
// been requested.
type childNet struct {
	childCrawl
	world *webtest.World

	mu      sync.Mutex // guards below
	dialled int
	private []string
}

func (n *childNet) resolve(_ context.Context, host string) ([]netip.Addr, error) {
	return n.world.Addrs(host)
}

func (n *childNet) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	to, err := netip.ParseAddrPort(addr)
	n.mu.Lock()
	n.dialled++
	if err != nil || !to.Addr().Is4() || to.Addr().As4()[0] != 9 {
		n.private = append(n.private, addr) // all public addresses of a World begin with 9
	}
	n.mu.Unlock()
	switch {
	case to.Addr() == webtest.DeadAddr:
		return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
	case to.Port() == 443:
		addr = n.Secure
	default:
		addr = n.Plain
	}
	return (&net.Dialer{}).DialContext(ctx, network, addr)
}
