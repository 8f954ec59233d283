//go:build unix

package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A user without the right to write in a data directory reads it: nothing in it changes.
func TestReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	dir, bin := backupData(t), t.TempDir()
	output(t, 0, "find", "web", "--data", dir) // makes the index
	program := filepath.Join(bin, "eventseer")
	if err := os.Link(os.Args[0], program); err != nil {
		t.Skipf("the test binary cannot be linked: %v", err)
	}
	reader := &syscall.SysProcAttr{}
	const nobody = 65534
	home := t.TempDir()
	if os.Geteuid() == 0 { // root may write everywhere
		reader.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		for at := bin; len(at) > len(os.TempDir()); at = filepath.Dir(at) {
			if err := os.Chmod(at, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.Chown(home, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	chmod := func(folders, files os.FileMode) {
		t.Helper()
		err := filepath.WalkDir(dir, func(at string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			mode := files
			if e.IsDir() {
				mode = folders
			}
			if reader.Credential != nil {
				err = os.Chown(at, nobody, nobody)
			}
			return errors.Join(err, os.Chmod(at, mode))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for at := filepath.Dir(dir); len(at) > len(os.TempDir()); at = filepath.Dir(at) {
		if err := os.Chmod(at, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	chmod(0o500, 0o400)
	t.Cleanup(func() { chmod(0o700, 0o600) })
	for want, line := range map[string][]string{
		"Conference on Web Crawling": {"find", "--all", "crawling"},
		"Oslo":                       {"show", "late-2027"},
		`"acronym":"SOON"`:           {"export", "--format", "jsonl"},
		"store.db: clean":            {"check"},
	} {
		cmd := exec.CommandContext(t.Context(), program, append(line, "--data", dir)...)
		cmd.Env = append(os.Environ(), "HOME="+home, "TMPDIR="+home)
		cmd.SysProcAttr = reader
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%v: %v\n%s", line, err, out)
		}
	}
	if left, err := os.ReadDir(home); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
