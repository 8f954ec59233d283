package main

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/eventseer/publish"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/internal/eventstest"
)

var (
	measureDir     = flag.String("measure", "", "measure serve on this data directory of synthetic events, made where it is missing")
	measureEvents  = flag.Int("measure-events", 100_000, "events of a data directory that -measure makes")
	measureLists   = flag.Int("measure-lists", 10_000, "readers with a list of five terms in it")
	measureOnly    = flag.String("measure-only", "", "measure this part alone: pages, kinds, home or queries")
	measureProfile = flag.String("measure-profile", "", "file for the profile of different searches")
	measureFor     = flag.Duration("measure-for", 10*time.Second, "how long each run of wrk lasts")
)

// measureSeed is that of all synthetic events and lists of a measured directory.
const measureSeed = 7

// TestMeasureServe serves a data directory of synthetic events and lists by a process of its own,
// and prints its speed, size and load:
//
//	go test ./cmd/eventseer -run TestMeasureServe -v -timeout 1h -measure /dev/shm/measure
//
// It needs wrk. Filling the directory, once, takes minutes. What is said of the machine's
// speed holds beside the bare handler of the same run alone.
func TestMeasureServe(t *testing.T) {
	if *measureDir == "" {
		t.Skip("-measure names no data directory")
	}
	fillMeasured(t, *measureDir)
	program := filepath.Join(t.TempDir(), "eventseer")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := startMeasured(t, program, *measureDir) // makes the index if it is missing
	p.stop()
	p = startMeasured(t, program, *measureDir)
	defer p.stop()
	p.sayMemory("opened")
	t.Logf("on disk: store %d MB, index %d MB, publish.db %d MB", megabytes(t, *measureDir, app.StoreFile), megabytes(t, *measureDir, app.IndexDir), megabytes(t, *measureDir, app.PublishFile))
	l := newLoad(t, p.url)
	for _, part := range []struct {
		name string
		run  func()
	}{{"pages", l.firstPages}, {"kinds", l.kinds}, {"home", l.home}, {"queries", l.queries}, {"idle", p.idle}} {
		if *measureOnly == "" || *measureOnly == part.name {
			part.run()
			p.sayMemory("after " + part.name)
		}
	}
}

// fillMeasured puts the events, series, readers and lists of a measured directory that
// it does not have.
func fillMeasured(t *testing.T, dir string) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.MkdirAll(dir, 0o755))
	st, err := store.Open(filepath.Join(dir, app.StoreFile), store.Options{})
	must(err)
	defer func() { must(st.Close()) }()
	start := time.Now()
	if last, err := st.Recent(t.Context(), 0, 1); err != nil || len(last) == 0 {
		must(err)
		for _, e := range eventstest.Events(measureSeed, *measureEvents, time.Now()) {
			clips := eventstest.Clips(e)
			e.ID = ""
			_, err := st.Put(t.Context(), e, clips)
			must(err)
		}
		must(st.PutAllSeries(t.Context(), eventstest.Series(measureSeed)))
		t.Logf("%d events put in %.0f s", *measureEvents, time.Since(start).Seconds())
	}
	readers, err := publish.Open(t.Context(), publish.Options{Path: filepath.Join(dir, app.PublishFile), Store: st})
	must(err)
	defer func() { must(readers.Close()) }()
	users, err := readers.Users(t.Context())
	must(err)
	if len(users) > 0 {
		return
	}
	start = time.Now()
	for i, l := range eventstest.Lists(measureSeed, *measureLists) {
		account, err := readers.MakeUser(t.Context(), fmt.Sprintf("reader%d@readers.example", i))
		must(err)
		l.ID, l.Account = "", account.ID
		_, err = readers.SaveList(t.Context(), l)
		must(err)
	}
	t.Logf("%d readers with a list put in %.0f s", *measureLists, time.Since(start).Seconds())
}

// A measured is a process that serves.
type measured struct {
	t    *testing.T
	url  string
	pid  int
	stop func()
}

// startMeasured starts serve and prints the time until the home page is served.
func startMeasured(t *testing.T, program, data string) *measured {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, program, "serve", "--data", data, "--parts", "web", "--listen", "127.0.0.1:0")
	out := &talkLog{said: make(chan struct{}, 1)}
	cmd.Stdout, cmd.Stderr = out, os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	_, err := os.Stat(filepath.Join(data, app.IndexDir))
	start := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	out.waitFor(ctx, t, "http://")
	p := &measured{t: t, url: strings.TrimSuffix(strings.TrimSpace(out.String()), "/"), pid: cmd.Process.Pid}
	p.stop = func() {
		cancel()
		_ = cmd.Wait() // ended by us
	}
	listening := time.Since(start)
	took, _ := timedGet(t, p.url+"/")
	t.Logf("started in %.1f s, the home page %.1f s later (an index was there: %t)", listening.Seconds(), took.Seconds(), err == nil)
	return p
}

// sayMemory prints the memory of the process.
func (p *measured) sayMemory(when string) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		p.t.Fatal(err)
	}
	of := map[string]int{}
	for line := range strings.Lines(string(text)) {
		name, value, _ := strings.Cut(line, ":")
		kb, _ := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
		of[name] = kb / 1024
	}
	p.t.Logf("memory, %s: %d MB, of these %d MB of files; %d MB at most", when, of["VmRSS"], of["RssFile"]+of["RssShmem"], of["VmHWM"])
}

// idle prints the share of a core that the process uses without requests.
func (p *measured) idle() {
	before := p.ticks()
	time.Sleep(*measureFor)
	p.t.Logf("idle: %.2f %% of a core", float64(p.ticks()-before)/measureFor.Seconds()) // 100 ticks a second
}

// ticks is the processor time of the process so far.
func (p *measured) ticks() int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.pid))
	if err != nil {
		p.t.Fatal(err)
	}
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return user + system
}

// megabytes is the size of a file or folder of a data directory.
func megabytes(t *testing.T, data, name string) int64 {
	t.Helper()
	var bytes int64
	err := filepath.WalkDir(filepath.Join(data, name), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes >> 20
}
