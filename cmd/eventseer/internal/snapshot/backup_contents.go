package snapshot

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/monitor"
)

// The contents of a backup. The search index is not included, because it is rebuilt from the store,
// nor is the folder of runs and recordings, which may be much larger than the rest.
var (
	backedDatabases = []string{app.FrontierFile, app.LinksFile, monitor.File, app.PublishFile, app.StoreFile}
	backedFiles     = []string{app.LinksFile + backlink.JournalSuffix, app.MarksFile, app.SeedsFile}
	backedFolders   = []string{monitor.VersionsDir, "wrappers", app.ModelsDir}
)

// Limits of a backup.
const (
	maxBackedFiles = 200_000
	maxBackedDepth = 4   // of a file's name, in parts
	maxBackedName  = 300 // bytes
)

// IsBackupName reports whether a backup may hold a file of that name. It must be relative, clean, and
// one of the files, or in one of the folders, of a data directory.
func IsBackupName(name string) bool {
	if len(name) > maxBackedName || name != path.Clean(name) || !filepath.IsLocal(name) || strings.ContainsAny(name, "\\:\x00\r\n") {
		return false
	}
	first, _, below := strings.Cut(name, "/")
	if !below {
		return slices.Contains(backedDatabases, name) || slices.Contains(backedFiles, name)
	}
	return slices.Contains(backedFolders, first) && strings.Count(name, "/") < maxBackedDepth
}

// A backedFile is a file other than the databases.
type backedFile struct {
	name string // relative, with slashes
	size int64
}

// filesBesideDatabases lists the files of a data directory that are included in a backup besides the
// databases, in order of name. leftOut are the skipped entries of the directory.
func filesBesideDatabases(dir string) (files []backedFile, leftOut []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		name := e.Name()
		switch {
		case name == historyFile || slices.Contains(backedDatabases, name) || !e.Type().IsRegular() && !e.IsDir():
		case e.IsDir() && slices.Contains(backedFolders, name):
			below, err := filesInFolder(dir, name)
			if err != nil {
				return nil, nil, err
			}
			files = append(files, below...)
		case e.Type().IsRegular() && slices.Contains(backedFiles, name):
			info, err := e.Info()
			if err != nil {
				return nil, nil, err
			}
			files = append(files, backedFile{name, info.Size()})
		default:
			leftOut = append(leftOut, name)
		}
	}
	return files, leftOut, nil
}

// filesInFolder lists the regular files of a folder. Files being written have temporary names and are
// hidden or gone.
func filesInFolder(dir, folder string) (files []backedFile, err error) {
	err = filepath.WalkDir(filepath.Join(dir, folder), func(at string, e fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, at)
		name := filepath.ToSlash(rel)
		if err != nil || !e.Type().IsRegular() || strings.HasPrefix(e.Name(), ".") || !IsBackupName(name) {
			return err
		}
		info, err := e.Info()
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err == nil {
			files = append(files, backedFile{name, info.Size()})
		}
		return err
	})
	return files, err
}
