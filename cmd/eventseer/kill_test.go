package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/eventseer/eventseer/crawler/rundir"
	"github.com/eventseer/eventseer/internal/nightly"
	"github.com/eventseer/eventseer/internal/warc"

	"github.com/google/go-cmp/cmp"
)

// kills returns how often each test kills a process. The number is small in the suite, because each database
// has separate tests that interrupt its writes at any point.
func kills() int {
	switch {
	case *full:
		return 50
	case nightly.Enabled():
		return 10
	}
	return 2
}

// TestKill kills a recording crawl at random moments and resumes it each time. In the end it has
// written the same bytes as an uninterrupted one, and its WARC can be read at all times.
func TestKill(t *testing.T) {
	t.Parallel()
	program := selfAs(t, "eventseer")
	crawl := func(dir string) *exec.Cmd {
		args := []string{"crawl", "--sim", "seed=3", "--budget", strconv.Itoa(max(100, 20*kills())), "--quiet",
			"--run", filepath.Join(dir, "run"), "--record", filepath.Join(dir, "web.warc.gz")}
		if _, err := os.Stat(filepath.Join(dir, "run")); err == nil {
			args = append(args, "--resume")
		}
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
		return cmd
	}
	whole, killed := t.TempDir(), t.TempDir()
	if out, err := crawl(whole).CombinedOutput(); err != nil {
		t.Fatalf("uninterrupted crawl: %v\n%s", err, out)
	}
	finish := func() {
		if out, err := crawl(killed).CombinedOutput(); err != nil {
			t.Fatalf("resumed crawl: %v\n%s", err, out)
		}
		sameRun(t, whole, killed)
	}
	written := func() int { return sizeOf(filepath.Join(killed, "run", rundir.PagesFile)) }
	k := killer{steps: sizeOf(filepath.Join(whole, "run", rundir.PagesFile))}
	for k.kills < kills() {
		if !k.kill(t, crawl(killed), killed, written) {
			finish() // it was through before the kill: another one
			killed = t.TempDir()
		}
	}
	finish()
	k.report(t, killed)
}

// sameRun demands that a crawl that was killed has written the same bytes as one
// that was not, and that its data is clean.
func sameRun(t *testing.T, whole, killed string) {
	t.Helper()
	for _, file := range []string{rundir.PagesFile, rundir.CurveFile, rundir.EventsFile} {
		want, err1 := os.ReadFile(filepath.Join(whole, "run", file))
		got, err2 := os.ReadFile(filepath.Join(killed, "run", file))
		if err1 != nil || err2 != nil || !bytes.Equal(want, got) {
			t.Errorf("%s: killed and resumed it has %d bytes, uninterrupted %d (%v, %v)", file, len(got), len(want), err2, err1)
		}
	}
	if code, stdout, _ := runCaptured(t, "check", "--data", filepath.Join(killed, "run", "state")); code != 0 {
		t.Errorf("check: exit %d\n%s", code, stdout)
	}
}

// TestKillLive does the same to a crawl as the live web has it: many workers, a
// host delay, everything written through to the disk. It ends with the same set
// of pages, and the servers saw no request too soon.
func TestKillLive(t *testing.T) {
	t.Parallel()
	const delay = 20 * time.Millisecond
	c := childCrawl{Sites: 2, Peaceful: true, Workers: 16, HostDelay: delay, Timeout: patience}
	if *full || nightly.Enabled() {
		c.Sites = 5
	}
	world, web := c.serve(t)
	in := func(dir string) childCrawl {
		c := c
		c.Dir, c.Record = dir, filepath.Join(dir, "web.warc.gz")
		return c
	}
	whole, killed := in(t.TempDir()), in(t.TempDir())
	want := whole.run(t)
	before := len(web.Log())
	k := killer{steps: before}
	for range kills() {
		k.kill(t, killed.start(t), killed.Dir, func() int { return len(web.Log()) - before })
	}
	got := killed.run(t)
	k.report(t, killed.Dir)
	t.Logf("%d pages of %d; %d requests, uninterrupted %d", got.Stats.Pages, want.Stats.Pages, len(web.Log())-before, before)
	if diff := cmp.Diff(pagesOf(t, whole.Dir), pagesOf(t, killed.Dir)); diff != "" {
		t.Errorf("killed and resumed it has other pages (-uninterrupted +killed):\n%s", diff)
	}
	recorded := k.recorded(t, killed.Dir)
	for _, url := range pagesOf(t, killed.Dir) {
		if !recorded[url] {
			t.Errorf("%s was crawled and is not in the WARC", url)
		}
	}
	log := web.Log()[before:]
	checkRobots(t, world, log)
	checkDelays(t, log, delay, world.Pause)
	checkState(t, killed.Dir, log)
}

// A killer kills crawls of a known number of steps. It divides the steps into as many parts as
// there are to be kills, and kills once at a random place in each.
type killer struct {
	steps       int
	random      *rand.Rand
	kills, torn int
}

// kill starts a crawl, kills it shortly after done counts steps of its next part, and reads its recording in
// dir. It reports whether the kill came before the crawl ended by itself.
func (k *killer) kill(t *testing.T, cmd *exec.Cmd, dir string, done func() int) bool {
	t.Helper()
	if k.random == nil {
		k.random = rand.New(rand.NewPCG(1, 2))
	}
	part := k.steps / kills()
	until := k.kills*part + k.random.IntN(part)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	killed := waitUntil(ended, func() bool { return done() >= until })
	if killed {
		time.Sleep(time.Duration(k.random.Int64N(int64(10 * time.Millisecond))))
		_ = cmd.Process.Kill() // it may have ended already
		killed = <-ended != nil
	}
	if killed {
		k.kills++
	}
	k.recorded(t, dir)
	return killed
}

// waitUntil waits until ok, and reports whether that came before the end of a process.
func waitUntil(ended <-chan error, ok func() bool) bool {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-ended:
			return false
		case <-tick.C:
		}
	}
	return true
}

// sizeOf returns the size of a file, 0 if there is none.
func sizeOf(path string) int {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return int(info.Size())
}

// recorded reads the WARC in dir and returns the URLs of its responses. Only the last record may be
// incomplete.
func (k *killer) recorded(t *testing.T, dir string) map[string]bool {
	t.Helper()
	urls := map[string]bool{}
	files, err := filepath.Glob(filepath.Join(dir, "*.warc.gz"))
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		r, err := warc.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		var bad error
		for r.Scan() {
			rec, err := r.Record()
			if bad != nil {
				t.Errorf("%s goes on after %v", file, bad)
			}
			if bad = err; err == nil && (rec.Type() == "response" || rec.Type() == "revisit") {
				urls[rec.TargetURI()] = true
			}
		}
		if err := errors.Join(r.Err(), r.Close()); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		if bad != nil {
			k.torn++
			if i < len(files)-1 {
				t.Errorf("%s, which is not the last: %v", file, bad)
			}
		}
	}
	return urls
}

// report logs what was done and fails if the WARC in dir is damaged.
func (k *killer) report(t *testing.T, dir string) {
	t.Helper()
	torn := k.torn
	urls := k.recorded(t, dir)
	t.Logf("%d kills, %d torn tails; in the end %d URLs recorded", k.kills, torn, len(urls))
	if k.torn > torn || len(urls) == 0 {
		t.Errorf("the WARC ends torn or empty: %d URLs", len(urls))
	}
	if k.kills == 0 {
		t.Error("no crawl was killed")
	}
}

// pagesOf returns the URLs of the pages that a run fetched, in order.
func pagesOf(t *testing.T, dir string) []string {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, "run", rundir.PagesFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	urls := map[string]bool{}
	for lines := json.NewDecoder(f); ; {
		var p rundir.Page
		if err := lines.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if p.Cost > 0 {
			urls[p.URL] = true
		}
	}
	return slices.Sorted(maps.Keys(urls))
}

// selfAs returns a link to this test binary under which TestMain runs it as
// that command.
func selfAs(t *testing.T, name string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), name)
	if err := os.Symlink(self, link); err != nil {
		t.Fatal(err)
	}
	return link
}
