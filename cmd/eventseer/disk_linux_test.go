package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/nightly"

	"golang.org/x/sys/unix"
)

// runLimited runs a command in a separate process, after a line of shell that sets its limits. It returns the
// exit code, or -1 if a signal ended the process, and its output.
func runLimited(t *testing.T, limit string, line ...string) (code int, said string) {
	t.Helper()
	program := selfAs(t, "eventseer")
	cmd := exec.CommandContext(t.Context(), "sh", append([]string{"-c", limit + `; exec "$0" "$@"`, program}, line...)...)
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// databasesOf returns the bytes of the databases of a directory.
func databasesOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.db"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v, %v", dir, files, err)
	}
	all := map[string][]byte{}
	for _, file := range files {
		if all[file], err = os.ReadFile(file); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// mountSmall mounts a small file system in memory. It skips the test if it may not mount.
func mountSmall(t *testing.T, size string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("no file system can be mounted: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// Without space on the disk a service or a crawl does not start. The error names the file and what to do, and the
// databases are clean and used afterwards.
func TestFullDiskAtStart(t *testing.T) {
	t.Parallel()
	crawl := []string{"crawl", "--sim", "seed=1", "--budget", "3", "--quiet"}
	serve := []string{"serve", "--parts", "web,crawl,monitor", "--contact", "ops@eventseer.example", "--listen", "127.0.0.1:0", "--quiet"}
	for name, line := range map[string][]string{"serve": serve, "crawl": crawl} {
		dir := t.TempDir()
		code, said := runLimited(t, "ulimit -f 0", append(line, "--data", dir)...)
		if code != exitFailed || !strings.Contains(said, dir) || !strings.Contains(said, "ulimit -f") {
			t.Errorf("%s where no byte can be written: exit %d\n%s", name, code, said)
		}
		output(t, 0, append(crawl, "--data", dir)...) // with space it begins
		output(t, 0, "check", "--data", dir)
	}
	t.Run("ENOSPC", func(t *testing.T) {
		disk := mountSmall(t, "8m")
		dir := filepath.Join(disk, "data")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		put(t, dir, fairCall("2027-02-15", opening))
		before := databasesOf(t, dir)
		filler := filepath.Join(disk, "filler")
		if err := os.WriteFile(filler, bytes.Repeat([]byte("x"), 16<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Fatalf("the disk is not full: %v", err)
		}
		code, said := runLimited(t, "true", append(serve, "--data", dir)...)
		if code != exitFailed || !strings.Contains(said, "no space left on device") || !strings.Contains(said, "free disk space") {
			t.Errorf("serve on a full disk: exit %d\n%s", code, said)
		}
		for file, want := range before {
			if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s changed: %d bytes, %v", file, len(got), err)
			}
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		output(t, 0, "check", "--data", dir)
	})
}

// On a read-only disk, commands that write fail at their start with a message. Reading works.
func TestReadOnlyDiskAtStart(t *testing.T) {
	t.Parallel()
	disk := mountSmall(t, "100m")
	dir := filepath.Join(disk, "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, dir, fairCall("2027-02-15", opening))
	output(t, 0, "find", "gardens", "--all", "--data", dir) // makes the index
	if err := unix.Mount("", disk, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skipf("the disk cannot be mounted read-only: %v", err)
	}
	for _, line := range [][]string{
		{"serve", "--parts", "web", "--listen", "127.0.0.1:0"},
		{"crawl", "--sim", "seed=1", "--budget", "3"},
		{"monitor", "add", "https://conf.example/"},
	} {
		if code, said := runLimited(t, "true", append(line, "--data", dir)...); code != exitFailed || !strings.Contains(said, "read-only") {
			t.Errorf("%s: exit %d\n%s", line[0], code, said)
		}
	}
	output(t, 0, "find", "gardens", "--all", "--data", dir)
	output(t, 0, "check", "--data", dir)
}

// If the disk of a data directory is missing, no new directory is created in its place. If the disk
// disappears during a service, the service continues and stored data is kept.
func TestVanishingDisk(t *testing.T) {
	t.Parallel()
	parent := t.TempDir()
	dir, away := filepath.Join(parent, "data"), filepath.Join(parent, "away")
	if err := os.Mkdir(away, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, away, fairCall("2027-02-15", opening))
	if err := os.Symlink(away, dir); err != nil {
		t.Fatal(err)
	}
	unplugged := filepath.Join(parent, "unplugged")
	unplug := func(from, to string) {
		t.Helper()
		if err := os.Rename(from, to); err != nil {
			t.Fatal(err)
		}
	}
	unplug(away, unplugged)
	for _, line := range [][]string{{"serve", "--parts", "web", "--listen", "127.0.0.1:0"}, {"find", "gardens"}, {"check"}, {"compact"}} {
		code, _, said := runCaptured(t, append(line, "--data", dir)...)
		if code != exitNoData || !strings.Contains(said, dir) {
			t.Errorf("%s without the disk: exit %d\n%s", line[0], code, said)
		}
	}
	if _, err := os.Stat(away); err == nil {
		t.Error("something was made in place of the disk")
	}
	unplug(unplugged, away)
	s := startService(t, dir, "--parts", "web")
	unplug(away, unplugged)
	if body := s.get("/search?q=gardens&all=1"); !strings.Contains(body, "ardens") {
		t.Errorf("the service that lost its disk answers\n%.500s", body)
	}
	unplug(unplugged, away)
	if code := s.stop(); code != 0 {
		t.Errorf("serve: exit %d\n%s", code, s.talk)
	}
	output(t, 0, "check", "--data", dir)
}

// With a limited address space a command reports it at the start instead of crashing later, and the store is
// clean.
func TestAddressSpaceLimit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, fairCall("2027-02-15", opening))
	before := databasesOf(t, dir)
	for kilobytes, want := range map[int]string{
		1_500_000: `address space|out of memory|annot allocate memory|pthread_create failed`, // Go itself may find too little to begin with
		3_000_000: `address space of this process is limited to 3\.1 GB .*ulimit -v.*remove the limit`,
	} {
		code, said := runLimited(t, fmt.Sprintf("ulimit -v %d", kilobytes), "serve", "--data", dir, "--parts", "web", "--listen", "127.0.0.1:0")
		if code == 0 || !regexp.MustCompile(want).MatchString(said) {
			t.Errorf("%d kB: exit %d\n%.500s", kilobytes, code, said)
		}
		if kilobytes == 3_000_000 && code != exitRefused {
			t.Errorf("exit %d, want %d", code, exitRefused)
		}
	}
	for file, want := range before {
		if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s changed: %v", file, err)
		}
	}
	output(t, 0, "check", "--data", dir)
}

// An older program does not change files of a newer one, whatever command it runs. While one runs, the other
// reports that the directory is in use.
func TestTwoVersionsOfTheProgram(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put(t, dir, fairCall("2027-02-15", opening))
	path := filepath.Join(dir, app.StoreFile)
	newer := raiseVersion(t, path)
	if code, _, said := runCaptured(t, "find", "gardens", "--data", dir); code != exitLocked || !strings.Contains(said, "another") {
		t.Errorf("while the newer program runs: exit %d\n%s", code, said)
	}
	if err := newer.Close(); err != nil {
		t.Fatal(err)
	}
	before := databasesOf(t, dir)
	for _, line := range [][]string{ // compact copies any version
		{"serve", "--parts", "web", "--listen", "127.0.0.1:0"}, {"find", "gardens"}, {"show", "gardens-2027"}, {"migrate"},
		{"export", "--format", "jsonl"}, {"monitor", "--contact", "ops@eventseer.example"}, {"crawl", "--contact", "ops@eventseer.example", "https://conf.example/"},
	} {
		if code, _, said := runCaptured(t, append(line, "--data", dir)...); code != exitIncompatible || !strings.Contains(said, "use a newer eventseer") {
			t.Errorf("%s: exit %d\n%s", line[0], code, said)
		}
	}
	if after := databasesOf(t, dir); !bytes.Equal(after[path], before[path]) {
		t.Error("the older program changed the newer one's store")
	}
}

// raiseVersion opens a store as a program does that has one migration more.
func raiseVersion(t *testing.T, path string) *bolt.DB {
	t.Helper()
	migrations := make([]func(*bolt.Tx) error, store.Schema()+1)
	for i := range migrations {
		migrations[i] = func(*bolt.Tx) error { return nil }
	}
	db, err := bolt.Open(path, bolt.Options{Kind: "store", Migrations: migrations})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// A manager ends within 30 seconds of the order to finish, or, with its search engine, of a signal. So
// does its crawler; without its bus too, which is a long proof.
func TestManagerEndsInTime(t *testing.T) {
	t.Parallel()
	const most = 30 * time.Second
	program, dir := selfAs(t, "eventseer"), t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	start := func(said *talkLog, line ...string) *exec.Cmd {
		cmd := exec.Command(program, line...)
		cmd.Env = append(os.Environ(), "HOME="+dir)
		cmd.Stdout, cmd.Stderr = said, said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill() }) // has ended
		return cmd
	}
	ends := func(cmd *exec.Cmd, what string, said *talkLog) {
		t.Helper()
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		began := time.Now()
		select {
		case <-ended:
			t.Logf("%s ends after %v", what, time.Since(began).Round(100*time.Millisecond))
		case <-time.After(most):
			_ = cmd.Process.Signal(syscall.SIGQUIT)
			<-ended
			t.Errorf("%s does not end within %v\n%.6000s", what, most, said)
		}
	}
	for _, by := range []string{"finish", "signal"} {
		said, crawler := newTalkLog(), newTalkLog()
		line := []string{"control", "--data", in(by), "--name", "m1", "--nats-listen", "127.0.0.1:0", "--sim", clusterWeb}
		if by == "signal" { // after an order its search engine would stay
			line = append(line, "--listen", "127.0.0.1:0")
		} else {
			line = append(line, "--once") // without it an order ends crawlers only
		}
		m := start(&said, line...)
		nats := "nats://" + addressIn(t, &said, "nats://")
		creds := func(name string) string { return filepath.Join(in(by), "bus", name+".creds") }
		w := start(&crawler, "worker", "--data", in(by+"-w1"), "--name", "w1", "--nats", nats, "--nats-creds", creds("crawler"), "--sim", clusterWeb+",at=127.0.0.1:1")
		crawler.waitFor(t.Context(), t, "crawler w1 has joined the cluster")
		if by == "finish" {
			runToEnd(t, 0, "control", "finish", "--nats", nats, "--nats-creds", creds("manager"))
		} else if err := m.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		ends(m, "the manager, told by "+by+",", &said)
		if by == "signal" { // its bus is gone now
			sign := syscall.SIGKILL
			if nightly.Enabled() {
				sign = syscall.SIGTERM
			}
			if err := w.Process.Signal(sign); err != nil {
				t.Fatal(err)
			}
		}
		ends(w, "the crawler, after "+by+",", &crawler)
		for _, data := range []string{in(by), in(by + "-w1")} {
			output(t, 0, "check", "--data", data)
		}
	}
}

// Files that a crawl and a service create in a new data directory are readable by their owner only. The
// folders admit no other user, and databases and the token have restricted modes too.
func TestModesOfFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	output(t, 0, "crawl", "--sim", "seed=1", "--budget", "5", "--quiet", "--data", dir)
	s := startService(t, dir, "--parts", "web")
	s.stop()
	databases := 0
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		private := path == dir || filepath.Ext(path) == ".db" || d.Name() == app.TokenFile || filepath.Base(filepath.Dir(path)) == "runs"
		if err == nil && private && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %04o", path, info.Mode().Perm())
		}
		if filepath.Ext(path) == ".db" {
			databases++
		}
		return err
	})
	if err != nil || databases < 3 {
		t.Errorf("%d databases, %v", databases, err)
	}
}
