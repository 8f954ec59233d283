package main

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"eventseer/crawler/rundir"
)

// TestKill kills a crawl ten times at random moments and resumes it each time:
// in the end it has written the same bytes as one that was never interrupted.
func TestKill(t *testing.T) {
	program := selfAs(t, "eventseer")
	crawl := func(run string, resume bool) *exec.Cmd {
		args := []string{"crawl", "--sim", "seed=3", "--budget", "200", "--quiet", "--run", run}
		if resume {
			args = append(args, "--resume")
		}
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
		return cmd
	}
	whole, killed := filepath.Join(t.TempDir(), "whole"), filepath.Join(t.TempDir(), "killed")
	start := time.Now()
	if out, err := crawl(whole, false).CombinedOutput(); err != nil {
		t.Fatalf("uninterrupted crawl: %v\n%s", err, out)
	}
	took := time.Since(start)

	random := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		_, err := os.Stat(killed)
		cmd := crawl(killed, err == nil)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(random.Int64N(int64(took) / 2)))
		_ = cmd.Process.Kill() // it may have ended already
		_ = cmd.Wait()
	}
	if out, err := crawl(killed, true).CombinedOutput(); err != nil {
		t.Fatalf("resumed crawl: %v\n%s", err, out)
	}
	for _, file := range []string{rundir.PagesFile, rundir.CurveFile, rundir.EventsFile} {
		want, err1 := os.ReadFile(filepath.Join(whole, file))
		got, err2 := os.ReadFile(filepath.Join(killed, file))
		if err1 != nil || err2 != nil || !bytes.Equal(want, got) {
			t.Errorf("%s: killed and resumed it has %d bytes, uninterrupted %d (%v, %v)", file, len(got), len(want), err2, err1)
		}
	}
	if code, stdout, _ := runCaptured(t, "check", "--data", filepath.Join(killed, "state")); code != 0 {
		t.Errorf("check: exit %d\n%s", code, stdout)
	}
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
