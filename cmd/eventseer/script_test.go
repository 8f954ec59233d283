package main

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain lets the scripts run this very binary as eventseer.
func TestMain(m *testing.M) {
	testscript.Main(waiting{m}, map[string]func(){"eventseer": scriptMain, childName: childMain, programName: main})
}

// programName is the command under which TestMain runs the program as it is, by the real clock.
const programName = "eventseer-itself"

// waiting runs tests that wait for other processes most of their time. On two cores more than two
// run at once, unless -parallel says how many.
type waiting struct{ *testing.M }

func (m waiting) Run() int {
	flag.Parse()
	if n := flag.Lookup("test.parallel"); n.Value.String() == n.DefValue {
		if err := n.Value.Set(strconv.Itoa(2 * runtime.GOMAXPROCS(0))); err != nil {
			panic(err)
		}
	}
	return m.M.Run()
}

// scriptMain is the program on one fixed day. The dates of the built-in web, and so the order in
// which it is crawled, depend on the current day.
func scriptMain() {
	begun, day := time.Now(), time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	runAndExit(func() time.Time { return day.Add(time.Since(begun)) })
}

// TestScripts runs the commands end to end as their users do.
func TestScripts(t *testing.T) {
	t.Parallel()
	deadline, _ := t.Deadline()
	testscript.RunT(scriptT{t}, testscript.Params{
		Deadline: deadline,
		Dir:      "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("XDG_DATA_HOME", env.WorkDir+"/data")
			env.Setenv("XDG_CONFIG_HOME", env.WorkDir+"/config")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits},
	})
}

// exits runs a command and demands its exit code: exits 13 eventseer crawl ….
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND …")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	var exit *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// TestInterrupted runs a crawl whose context has ended: it saves, exits with
// 130, and can be resumed.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	crawl := []string{"crawl", "--sim", "seed=1", "--budget", "20", "--run", dir + "/run", "--quiet", "http://nowhere.example/"}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if code := run(ctx, crawl, newTestApp(t)); code != exitInterrupted {
		t.Errorf("interrupted crawl exits with %d, want %d", code, exitInterrupted)
	}
	if code := run(context.Background(), append(crawl, "--resume"), newTestApp(t)); code != exitPartly {
		t.Errorf("resumed crawl, whose seed is not there, exits with %d, want %d", code, exitPartly)
	}
}

// testNow is the time of apps of tests.
func testNow() time.Time { return time.Date(2027, 1, 11, 12, 0, 0, 0, time.UTC) }

func newTestApp(t *testing.T) *app.App {
	t.Helper()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = null.Close() })
	home := t.TempDir()
	return &app.App{
		Stdin: null, Stdout: null, Stderr: null, Now: testNow,
		Getenv: func(name string) string {
			if name == "HOME" {
				return home
			}
			return ""
		},
	}
}
