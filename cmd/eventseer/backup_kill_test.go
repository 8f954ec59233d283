package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestKillBackup kills backup create and backup restore at moments all over their work. The target
// is then either missing or complete.
func TestKillBackup(t *testing.T) {
	t.Parallel()
	program, dir, out := selfAs(t, "eventseer"), backupData(t), t.TempDir()
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command(program, args...)
		cmd.Env = append(os.Environ(), "HOME="+out)
		return cmd
	}
	good := filepath.Join(out, "good.tar.zst")
	start := time.Now()
	if text, err := command("backup", "create", good, "--data", dir).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	took := time.Since(start)
	killed, ended := 0, 0
	for n := range kills() + 1 { // the first at once, the last when it should be done
		after := took * time.Duration(n) / time.Duration(kills())
		file, data := filepath.Join(out, fmt.Sprintf("%d.tar.zst", n)), filepath.Join(out, fmt.Sprintf("%d", n), "data")
		if killAfter(t, command("backup", "create", file, "--data", dir), after) {
			killed++
		}
		if there(t, file) {
			ended++
			output(t, 0, "backup", "verify", file)
		}
		if killAfter(t, command("backup", "restore", good, "--data", data), after) {
			killed++
		}
		if there(t, data) {
			ended++
			output(t, 0, "check", "--data", data)
		} else {
			output(t, 0, "backup", "restore", good, "--data", data)
		}
	}
	t.Logf("%d of %d were killed, %d were done", killed, 2*(kills()+1), ended)
	if killed == 0 {
		t.Error("nothing was killed")
	}
	output(t, 0, "check", "--data", dir)
}

// killAfter starts a command and kills it, unless it ends before.
func killAfter(t *testing.T, cmd *exec.Cmd, after time.Duration) (killed bool) {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	timer := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	return cmd.Wait() != nil
}

func there(t *testing.T, path string) bool {
	t.Helper()
	_, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return err == nil
}
