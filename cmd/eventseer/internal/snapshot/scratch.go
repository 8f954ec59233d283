package snapshot

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
)

// Unfinished files and folders have temporary names and a lock. After a process is killed the name
// remains without the lock: the next operation at the same place removes it.
const (
	verifyPrefix  = "eventseer-verify-"
	migratePrefix = "eventseer-migrate-"
	repairPrefix  = "eventseer-repair-"
	backupPrefix  = ".eventseer-backup-"
)

// RemoveLeftovers removes unfinished files of killed backups, restores and checks of dir. It searches
// the system's temporary folder, and where backups were made and restored.
func RemoveLeftovers(a *app.App, dir string) {
	for _, prefix := range []string{verifyPrefix, migratePrefix, repairPrefix} {
		removeLeftovers(a, os.TempDir(), prefix)
	}
	dir = filepath.Clean(dir)
	removeLeftovers(a, filepath.Dir(dir), restorePrefix(dir))
	paths, err := recordedBackups(dir)
	if err != nil {
		a.Logger().Warn("the history of backups cannot be read", "err", err)
	}
	folders := map[string]bool{}
	for _, path := range paths[:min(len(paths), triedBackups)] {
		folders[filepath.Dir(path)] = true
	}
	for _, folder := range slices.Sorted(maps.Keys(folders)) {
		removeLeftovers(a, folder, backupPrefix)
	}
}

// restorePrefix begins the names of folders that become dir.
func restorePrefix(dir string) string { return "." + filepath.Base(dir) + ".restore-" }

// scratchFolder creates a temporary folder in parent, "" for that of the system. It first removes
// those of killed processes. release removes it, unless it was renamed.
func scratchFolder(a *app.App, parent, prefix string) (dir string, release func() error, err error) {
	if parent == "" {
		parent = os.TempDir()
	}
	removeLeftovers(a, parent, prefix)
	if dir, err = os.MkdirTemp(parent, prefix); err != nil {
		return "", nil, err
	}
	lock, err := os.Open(dir)
	if err == nil {
		_, err = lockScratch(lock)
	}
	if err != nil {
		return "", nil, errors.Join(err, os.RemoveAll(dir))
	}
	return dir, func() error { return errors.Join(os.RemoveAll(dir), lock.Close()) }, nil
}

// removeLeftovers removes unfinished files and folders of killed processes of this user from parent.
// Locked ones stay, and errors are ignored.
func removeLeftovers(a *app.App, parent, prefix string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return // the next operation reports it
	}
	for _, e := range entries {
		number, ours := strings.CutPrefix(e.Name(), prefix)
		if !ours || number == "" || strings.Trim(number, "0123456789") != "" || !e.Type().IsRegular() && !e.IsDir() {
			continue
		}
		path := filepath.Join(parent, e.Name())
		if removed, err := removeUnlocked(path); err != nil {
			a.Logger().Warn("the remains of a killed process cannot be removed", "path", path, "err", err)
		} else if removed {
			a.Logf("removed %s, which a killed process left", path)
		}
	}
}

// removeUnlocked removes a file or folder of this user that is not locked.
func removeUnlocked(path string) (removed bool, err error) {
	info, err := os.Lstat(path)
	if err != nil || !isOwnOldFile(info) {
		return false, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	opened, err := f.Stat()
	if err != nil || !os.SameFile(info, opened) {
		return false, err
	}
	if locked, err := lockScratch(f); err != nil || !locked {
		return false, err
	}
	return true, os.RemoveAll(path)
}
