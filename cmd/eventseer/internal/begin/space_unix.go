//go:build unix

package begin

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// freeSpace returns the free space at path, or where it will be created, in bytes.
func freeSpace(path string) (uint64, error) {
	for {
		if _, err := os.Stat(path); err == nil || filepath.Dir(path) == path {
			break
		}
		path = filepath.Dir(path)
	}
	var s unix.Statfs_t
	if err := unix.Statfs(path, &s); err != nil {
		return 0, fmt.Errorf("free space at %s: %w", path, err)
	}
	return s.Bavail * uint64(s.Bsize), nil
}
