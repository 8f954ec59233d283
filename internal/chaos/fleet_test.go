package chaos_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// A fleet is a cluster in separate processes, supervised as by systemd. A process that ends with an error, or
// is killed, is started again. The web that it crawls is a process too, which measures the requests.
type fleet struct {
	t       *testing.T
	program string
	dir     string
	net     fleetNet
	web     *member
	nodes   []*member
	workers []*member
}

// A member is one process of a fleet.
type member struct {
	name string
	host int // its place in the net, from 0
	args []string
	env  []string // settings besides those of the test
	log  string

	of   *fleet
	done chan struct{} // closed when it has ended in order

	mu     sync.Mutex // guards below
	cmd    *exec.Cmd
	starts int
	cpu    time.Duration // of all its processes that have ended
	let    bool          // it is not started again
	err    error
}

const (
	restartPause = time.Second
	mostRestarts = 1000
)

func newFleet(t *testing.T, program, dir string, n fleetNet) *fleet {
	c := &fleet{t: t, program: program, dir: dir, net: n}
	t.Cleanup(c.end)
	return c
}

// add names a process without starting it.
func (c *fleet) add(name string, host int, args ...string) *member {
	return &member{name: name, host: host, args: args, log: filepath.Join(c.dir, name+".log"), of: c, done: make(chan struct{})}
}

// data is the data directory of a process.
func (c *fleet) data(name string) string { return filepath.Join(c.dir, name) }

// node is the node of that name, nil if there is none.
func (c *fleet) node(name string) *member {
	for _, n := range c.nodes {
		if n.name == name {
			return n
		}
	}
	return nil
}

// run starts a process and keeps it running until it ends in order.
func (m *member) run() {
	go func() {
		defer close(m.done)
		for range mostRestarts {
			err := m.once()
			m.mu.Lock()
			m.err = err
			let := m.let
			m.mu.Unlock()
			if err == nil || let {
				return
			}
			time.Sleep(restartPause)
		}
	}()
}

// once runs the process to its end.
func (m *member) once() error {
	log, err := os.OpenFile(m.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := m.of.net.command(m.host, m.of.program, m.args...)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.Env = append(append(os.Environ(), "HOME="+m.of.dir, "GOMAXPROCS=2"), m.env...)
	m.mu.Lock()
	if m.let {
		m.mu.Unlock()
		return nil
	}
	fmt.Fprintf(log, "--- start %d at %s\n", m.starts, time.Now().UTC().Format(time.RFC3339))
	err = cmd.Start()
	m.cmd = cmd
	m.starts++
	m.mu.Unlock()
	if err != nil {
		return err
	}
	err = cmd.Wait()
	if p := cmd.ProcessState; p != nil {
		m.mu.Lock()
		m.cpu += p.UserTime() + p.SystemTime()
		m.mu.Unlock()
	}
	return err
}

// signal sends a signal to the process, if it runs.
func (m *member) signal(s syscall.Signal) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cmd != nil && m.cmd.Process != nil {
		_ = m.cmd.Process.Signal(s) // it may have ended
	}
}

// pid is the process's number, 0 if it was never started.
func (m *member) pid() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cmd == nil || m.cmd.Process == nil {
		return 0
	}
	return m.cmd.Process.Pid
}

// count is the number of times the process was started.
func (m *member) count() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.starts
}

// stop lets the process end normally, and by force after a time.
func (m *member) stop() {
	m.mu.Lock()
	m.let = true
	started := m.starts > 0
	m.mu.Unlock()
	if !started {
		return
	}
	m.signal(syscall.SIGCONT)
	m.signal(syscall.SIGTERM)
	select {
	case <-m.done:
	case <-time.After(30 * time.Second):
		m.signal(syscall.SIGKILL)
		<-m.done
	}
}

// ended reports whether the process has ended in order.
func (m *member) ended() bool {
	select {
	case <-m.done:
		return true
	default:
		return false
	}
}

// end stops all, crawlers first, and shows the ends of the logs of a failed test.
func (c *fleet) end() {
	all := append(append([]*member{}, c.workers...), c.nodes...)
	if c.web != nil {
		all = append(all, c.web)
	}
	var wg sync.WaitGroup
	for _, m := range all {
		wg.Go(m.stop)
	}
	wg.Wait()
	if c.t.Failed() {
		for _, m := range all {
			c.t.Logf("%s (started %d times):\n%s", m.name, m.starts, tail(m.log, 25))
		}
	}
	c.net.close()
}

// tail returns the last lines of a log, without those of waiting for the bus.
func tail(path string, lines int) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	all := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	all = slices.DeleteFunc(all, func(line string) bool {
		return strings.Contains(line, "no connection to the bus yet; trying again")
	})
	return strings.Join(all[max(0, len(all)-lines):], "\n")
}

// waitFor waits until ok holds.
func (c *fleet) waitFor(ctx context.Context, what string, ok func() bool) {
	c.t.Helper()
	for !ok() {
		select {
		case <-ctx.Done():
			c.t.Fatalf("waited in vain until %s", what)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// listens reports whether a server listens at an address.
func listens(addr string) bool {
	conn, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

// A fleetNet is where the processes of a fleet find each other.
type fleetNet interface {
	ip(host int) string
	command(host int, program string, args ...string) *exec.Cmd
	// cut disconnects a host from the others except the web, slow limits its rate; nil repairs both. They
	// return errors.ErrUnsupported if the net cannot.
	cut(host int, on bool) error
	slow(host int, on bool) error
	close()
}

// A loopback is all on one address.
type loopback struct{}

func (loopback) ip(int) string { return "127.0.0.1" }

func (loopback) command(_ int, program string, args ...string) *exec.Cmd {
	return exec.Command(program, args...)
}

func (loopback) cut(int, bool) error  { return errors.ErrUnsupported }
func (loopback) slow(int, bool) error { return errors.ErrUnsupported }
func (loopback) close()               {}
