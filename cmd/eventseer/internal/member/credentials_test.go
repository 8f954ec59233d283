package member

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
)

// Keys are for their owner alone, and files that others can read are not used.
func TestKeysArePrivate(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no modes of POSIX")
	}
	a := &app.App{Stdout: io.Discard, Stderr: io.Discard, Now: time.Now}
	a.Config.Data, a.Config.Bucket = t.TempDir(), "eventseer"
	if err := InitBus(a); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(a.Config.Data, BusDir)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 5 {
		t.Fatalf("%d files, %v", len(entries), err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", e.Name(), info.Mode(), err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if err := os.Chmod(filepath.Join(dir, nodeFile), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := NodeAccess(a); !errors.Is(err, app.ErrRefused) {
		t.Errorf("keys that others can read: %v", err)
	}
}
