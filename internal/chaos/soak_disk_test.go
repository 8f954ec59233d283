//go:build linux

package chaos_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// A soakDisk holds the data of the service, and can be full.
type soakDisk struct {
	dir     string
	mounted bool
}

// newSoakDisk mounts a small file system in memory. Where that takes rights that the test lacks, the
// folder is an ordinary one, and fill limits the size of files of the process instead.
func newSoakDisk(t *testing.T, dir string, megabytes int) soakDisk {
	t.Helper()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	err := unix.Mount("tmpfs", dir, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, fmt.Sprintf("size=%dm,mode=700", megabytes))
	if err != nil {
		t.Logf("no file system of its own (%v): instead of full disks, writes fail for the size of files", err)
		return soakDisk{dir: dir}
	}
	t.Cleanup(func() {
		if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
			t.Errorf("unmount %s: %v", dir, err)
		}
	})
	return soakDisk{dir, true}
}

// fill makes every write of the member's process that needs space fail, until free.
func (d soakDisk) fill(m *member) error {
	if !d.mounted {
		return limitFiles(m, 0)
	}
	file, err := os.OpenFile(d.filler(), os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	block := make([]byte, 1<<20)
	for len(block) > 0 && err == nil {
		if _, err = file.Write(block); errors.Is(err, syscall.ENOSPC) {
			block, err = block[:len(block)/2], nil
		}
	}
	return errors.Join(err, file.Close())
}

// free ends fill.
func (d soakDisk) free(m *member) error {
	if !d.mounted {
		return limitFiles(m, unix.RLIM_INFINITY)
	}
	return os.Remove(d.filler())
}

func (d soakDisk) filler() string { return filepath.Join(d.dir, "filler") }

// limitFiles limits the size of files that a process writes, in bytes. A process that has ended needs no limit.
func limitFiles(m *member, bytes uint64) error {
	pid := m.pid()
	if pid == 0 {
		return nil
	}
	err := unix.Prlimit(pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: bytes, Max: unix.RLIM_INFINITY}, nil)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	return err
}
