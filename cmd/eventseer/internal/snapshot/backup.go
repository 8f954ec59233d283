// Package snapshot writes, verifies and restores backups of a data directory, checks
// its databases, and migrates them.
package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/admin"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/text"
)

// DefaultMaxSize is the default limit on the unpacked size of a backup.
const DefaultMaxSize = "100GB"

// ParseSize reads a number of bytes, such as 100GB.
func ParseSize(text string) (int64, error) {
	var s app.Size
	if err := s.UnmarshalText([]byte(text)); err != nil || s <= 0 {
		return 0, app.Usagef("--max-size %q is not a size such as 10GB", text)
	}
	return int64(s), nil
}

// BackupCreate writes a backup under a temporary name, verifies it, and renames it to path.
func BackupCreate(ctx context.Context, a *app.App, path string) (err error) {
	dir, err := app.DataDir(a)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s exists already; remove it or give another name", path)
	}
	removeLeftovers(a, filepath.Dir(path), backupPrefix)
	f, err := os.CreateTemp(filepath.Dir(path), backupPrefix+"*")
	if err != nil {
		return fmt.Errorf("backup: %w", err)
	}
	made := f.Name()
	defer func() {
		if err != nil {
			_ = os.Remove(made)
		}
	}()
	if _, err := lockScratch(f); err != nil {
		return errors.Join(fmt.Errorf("backup: %w", err), f.Close())
	}
	if err = errors.Join(backupTo(ctx, a, f, path, dir), f.Sync(), f.Close()); err != nil {
		return err
	}
	m, err := readBackupFile(made, &BackupReader{Ctx: ctx, MaxSize: 1<<63 - 1, meter: app.MeterFiles(a, "verifying the backup", []string{made})})
	if err != nil {
		return fmt.Errorf("the backup just written: %w", err)
	}
	if err = os.Link(made, path); err != nil { // unlike a rename it replaces nothing
		return fmt.Errorf("backup: %w", err)
	}
	if err = errors.Join(os.Remove(made), bolt.SyncDir(filepath.Dir(path)), recordBackup(a, dir, path)); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Stdout, "%s: %d files, %d bytes, %d packed\n", path, len(m.Files), m.totalBytes(), info.Size())
	for _, name := range m.LeftOut {
		a.Logf("left out: %s", name)
	}
	return nil
}

// backedPaths returns the files of a data directory that are included in a backup.
func backedPaths(dir string) (paths []string) {
	for _, name := range backedDatabases {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			paths = append(paths, filepath.Join(dir, name))
		}
	}
	beside, _, _ := filesBesideDatabases(dir) // an unreadable file is reported when it is written
	for _, f := range beside {
		paths = append(paths, filepath.Join(dir, filepath.FromSlash(f.name)))
	}
	return paths
}

// backupTo writes a backup, compressed by the extension of name: from the files, or from the
// process that has them open.
func backupTo(ctx context.Context, a *app.App, w io.Writer, name, dir string) error {
	packed, err := compressor(name, w)
	if err != nil {
		return err
	}
	meter := app.MeterFiles(a, "backing up", backedPaths(dir))
	defer meter.RemoveBar()
	metered := meter.Writer(packed)
	_, err = WriteBackup(ctx, a, metered, dir, nil)
	if !errors.Is(err, bolt.ErrLocked) {
		return errors.Join(err, packed.Close())
	}
	// Nothing was written: all databases are opened before the first is copied.
	if asked := requestBackup(ctx, metered, dir); asked != nil {
		err = errors.Join(asked, err)
	} else {
		err = nil
	}
	return errors.Join(err, packed.Close())
}

// BackupVerify reads a backup, unpacks it and checks it.
func BackupVerify(ctx context.Context, a *app.App, path string, maxSize int64) error {
	return verifyBackup(ctx, a, a.Stdout, path, maxSize)
}

func verifyBackup(ctx context.Context, a *app.App, out io.Writer, path string, maxSize int64) (err error) {
	dir, release, err := scratchFolder(a, "", verifyPrefix)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	m, err := unpackWithProgress(ctx, a, path, dir, maxSize)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: made %s by eventseer %s, %d files, %d bytes, as its manifest says\n",
		path, m.Made.Format("2006-01-02 15:04:05 MST"), text.Printable(m.Version), len(m.Files), m.totalBytes())
	if err := m.compareContents(dir); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	broken, err := checkDir(ctx, a, out, dir)
	if err == nil && broken > 0 {
		err = fmt.Errorf("%w: %d problems in %s", ErrBadBackup, broken, path)
	}
	return err
}

// BackupPath is the path of backups at the admin socket of a running process.
const BackupPath = "/backup"

// BackupHandler responds with a backup of the data directory as a tar file. open returns the open
// databases of this process by name, and a function called after the backup, until which it does not open
// or close databases. Only requests at the Unix socket are accepted, because a backup contains the
// addresses of readers.
func BackupHandler(a *app.App, open func() (sources map[string]bolt.Source, release func())) http.Handler {
	busy := make(chan struct{}, 1)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, socket := r.Context().Value(http.LocalAddrContextKey).(*net.UnixAddr); !socket {
			http.Error(w, "backups are sent at the admin socket of the data directory only", http.StatusForbidden)
			return
		}
		select {
		case busy <- struct{}{}:
			defer func() { <-busy }()
		default:
			http.Error(w, "another backup is being made", http.StatusConflict)
			return
		}
		sources, release := open()
		defer release()
		w.Header().Set("Content-Type", "application/x-tar")
		answer := &trackingWriter{ResponseWriter: w}
		m, err := WriteBackup(r.Context(), a, answer, a.Config.Data, sources)
		switch {
		case err == nil:
			a.Logger().Info("backup", "files", len(m.Files), "bytes", m.totalBytes())
		case answer.begun:
			a.Logger().Warn("backup", "err", err)
			panic(http.ErrAbortHandler) // the client must not read it as complete
		default:
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
}

// A trackingWriter is a ResponseWriter that records whether anything was written.
type trackingWriter struct {
	http.ResponseWriter
	begun bool
}

func (b *trackingWriter) Write(p []byte) (int, error) {
	b.begun = true
	return b.ResponseWriter.Write(p)
}

// requestBackup makes the process that has dir open write a backup to w. A process of a version without
// backups, or without an admin socket, returns none.
func requestBackup(ctx context.Context, w io.Writer, dir string) error {
	resp, err := admin.AskSocket(ctx, dir, http.MethodGet, BackupPath, nil)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("the process that has %s open sends no backup: %s", dir, admin.FirstLineOf(resp.Body))
	}
	// A later error, or the end of the process, truncates the response.
	if _, err := io.Copy(w, resp.Body); err != nil {
		return fmt.Errorf("backup from the process that has %s open: %w", dir, err)
	}
	return nil
}
