//go:build unix

package snapshot

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
)

// Only files with such a name that belong to this user, are old and not locked are removed.
func TestRemoveLeft(t *testing.T) {
	dir := t.TempDir()
	hourAgo := time.Now().Add(-time.Hour)
	put := func(name string) string {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, []byte("x"), 0o600), os.Chtimes(path, hourAgo, hourAgo)); err != nil {
			t.Fatal(err)
		}
		return path
	}
	put(backupPrefix + "1")
	folder := filepath.Join(dir, backupPrefix+"2")
	if err := errors.Join(os.MkdirAll(filepath.Join(folder, "below"), 0o700), os.Chtimes(folder, hourAgo, hourAgo)); err != nil {
		t.Fatal(err)
	}
	stay := []string{backupPrefix + "3", backupPrefix + "4", backupPrefix + "5x", backupPrefix, "b.tar.zst", backupPrefix + "6"}
	for _, name := range stay {
		put(name)
	}
	held, err := os.Open(filepath.Join(dir, backupPrefix+"3"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Close() }()
	if locked, err := lockScratch(held); err != nil || !locked {
		t.Fatal(locked, err)
	}
	now := time.Now()
	young := filepath.Join(dir, backupPrefix+"4")
	if err := os.Chtimes(young, now, now); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, backupPrefix+"6")
	if err := os.Chown(other, os.Geteuid()+1, -1); err != nil {
		if err := os.Remove(other); err != nil { // only root can give files away
			t.Fatal(err)
		}
		stay = stay[:len(stay)-1]
	}
	target := filepath.Join(t.TempDir(), "elsewhere")
	if err := errors.Join(os.WriteFile(target, nil, 0o600), os.Symlink(target, filepath.Join(dir, backupPrefix+"7"))); err != nil {
		t.Fatal(err)
	}
	stay = append(stay, backupPrefix+"7")

	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = null.Close() }()
	removeLeftovers(&app.App{Stderr: null}, dir, backupPrefix)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	slices.Sort(stay)
	if !slices.Equal(left, stay) {
		t.Errorf("left: %v, want %v", left, stay)
	}
	if _, err := os.Stat(target); err != nil {
		t.Error(err)
	}
}
