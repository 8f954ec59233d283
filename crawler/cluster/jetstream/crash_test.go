package jetstream

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/cluster"
	"github.com/eventseer/eventseer/internal/freeport"
	"github.com/eventseer/eventseer/internal/nightly"

	"go.uber.org/goleak"
)

const childDir, childAddr = "EVENTSEER_NODE_DIR", "EVENTSEER_NODE_ADDR"

// TestMain also runs a node to be killed, if the environment requests it.
func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if _, err := StartServer(ServerOptions{Name: "n1", Listen: os.Getenv(childAddr), Dir: dir}); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("ready")
		select {}
	}
	flag.Parse()
	if flag.Lookup("test.parallel").Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		// These tests wait for nodes and disks, and compute little.
		_ = flag.Set("test.parallel", "8")
	}
	goleak.VerifyTestMain(tests{m})
}

// tests end the shared node before goroutines that are left are looked for.
type tests struct{ *testing.M }

func (m tests) Run() int {
	defer func() { stopShared() }()
	return m.M.Run()
}

// child starts a node in another process.
func child(t *testing.T, dir, addr string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childDir+"="+dir, childAddr+"="+addr)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Fatalf("%q, %v", line, err)
	}
	return cmd
}

// kill -9 of a node, again and again, loses nothing that was acknowledged, of any kind.
func TestKilled(t *testing.T) {
	t.Parallel()
	dir, addr := t.TempDir(), freeport.Addr(t, "127.0.0.1")
	cmd := child(t, dir, addr)
	a := end(t, Options{URLs: []string{"nats://" + addr}, MaxBytes: 64 << 20}, acked(time.Second))
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	rounds := 2
	if nightly.Enabled() {
		rounds = 8
	}

	var mu sync.Mutex
	taken, rev := map[string]bool{}, uint64(0)
	for round := range rounds {
		var wg sync.WaitGroup
		some := make(chan struct{}, 1000)
		down, stop := context.WithCancel(ctx)
		for k := range 8 {
			wg.Go(func() {
				for i := 0; down.Err() == nil; i++ {
					id := fmt.Sprintf("%d.%d.%d", round, k, i)
					if a.Publish(down, k, id, []byte(id)) == nil {
						mu.Lock()
						taken[id] = true
						mu.Unlock()
						select {
						case some <- struct{}{}:
						default:
						}
					}
				}
			})
		}
		for range 100 {
			<-some
		}
		var err error
		if rev, err = a.Set(ctx, "x", []byte(fmt.Sprint(round)), rev); err != nil {
			t.Fatal(err)
		}
		cmd.Process.Kill()
		cmd.Wait()
		stop()
		wg.Wait()
		cmd = child(t, dir, addr)
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	if e, err := a.Get(ctx, "x"); err != nil || string(e.Value) != fmt.Sprint(rounds-1) || e.Revision != rev {
		t.Errorf("%+v, %v", e, err)
	}
	var all []cluster.Consumer
	for k := range 8 {
		c, err := a.Consume(ctx, k)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	for { // entries without a notification are there too
		left, err := a.Backlog(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if left.Waiting == 0 {
			break
		}
		for _, c := range all {
			ms, err := c.Next(ctx, 100, 50*time.Millisecond)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range ms {
				delete(taken, string(m.Data))
				if err := m.Ack(); err != nil {
					t.Error(err)
				}
			}
		}
	}
	if len(taken) > 0 {
		t.Errorf("%d acknowledged messages are lost, such as %v", len(taken), taken)
	}
}
