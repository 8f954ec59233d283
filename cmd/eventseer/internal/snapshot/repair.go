package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/text"
)

// RepairDatabases replaces each damaged database of a directory by its recovered values. It reports losses,
// and if there are any, the newest good backup. Intact databases are unchanged, and so are damaged
// ones without recoverable values, which the error names.
func RepairDatabases(ctx context.Context, a *app.App, dir string) error {
	if a.Session != nil {
		return fmt.Errorf("%w: check --repair needs exclusive access to the directory; stop the other eventseer first", bolt.ErrLocked)
	}
	complete := true
	var failed []error
	for _, c := range Checked {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := filepath.Join(dir, c.File)
		problems, err := bolt.CheckFile(path)
		if errors.Is(err, bolt.ErrMissing) || err == nil && len(problems) == 0 {
			continue
		}
		if err != nil {
			return err
		}
		buckets, err := bucketsOf(a, c.File, c.open)
		if err != nil {
			return err
		}
		kept := fmt.Sprintf("%s.damaged-%s", path, a.Now().UTC().Format("20060102T150405Z"))
		r, err := bolt.RecoverFile(path, bolt.RecoverOptions{Kind: c.kind, Version: c.schema, Keep: kept, Buckets: buckets})
		switch {
		case errors.Is(err, bolt.ErrDamaged):
			failed, complete = append(failed, err), false
			fmt.Fprintf(a.Stdout, "%s: nothing can be recovered, and the file is left unchanged\n", c.File)
		case err != nil:
			return err
		default:
			lost, proven := r.CountLost()
			complete = complete && lost == 0 && proven
			reportRecovery(a.Stdout, c.File, filepath.Base(kept), r)
		}
	}
	if !complete {
		suggestBackup(ctx, a, dir)
	}
	return errors.Join(failed...)
}

// bucketsOf returns the buckets of a new database.
func bucketsOf(a *app.App, file string, open opener) (names []string, err error) {
	dir, release, err := scratchFolder(a, "", repairPrefix)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	path := filepath.Join(dir, file)
	db, err := open(a, path, false)
	if err == nil {
		err = db.Close()
	}
	if err != nil {
		return nil, err
	}
	s, err := bolt.OpenForCopying(path)
	if err != nil {
		return nil, err
	}
	names, err = s.Buckets()
	return names, errors.Join(err, s.Close())
}

// reportRecovery prints what was recovered of a database and what is lost.
func reportRecovery(out io.Writer, file, kept string, r bolt.Recovery) {
	found := 0
	for _, b := range r.Buckets {
		found += b.Found
	}
	lost, _ := r.CountLost()
	fmt.Fprintf(out, "%s: repaired: %d values recovered, %d lost; the damaged file is kept as %s\n", file, found, lost, kept)
	if r.Earlier {
		fmt.Fprintf(out, "%s: the newest state cannot be read; an earlier state, without the latest changes, is recovered\n", file)
	}
	if r.Astray {
		fmt.Fprintf(out, "%s: a page that leads to others is damaged, so a part of the recovered values may be of an earlier state\n", file)
	}
	for _, b := range r.Buckets {
		if b.Lost > 0 {
			fmt.Fprintf(out, "%s: bucket %s: %d of %d values are lost; the keys of %d are known\n", file, text.Printable(b.Name), b.Lost, b.Lost+b.Found, len(b.LostKeys))
		}
		for _, key := range b.LostKeys {
			fmt.Fprintf(out, "%s: bucket %s: lost: %q\n", file, text.Printable(b.Name), key)
		}
		if b.Unproven != "" {
			fmt.Fprintf(out, "%s: bucket %s: %s\n", file, text.Printable(b.Name), b.Unproven)
		}
	}
}

// historyFile lists the backups of a data directory: a line with a time and the quoted path of
// each.
const historyFile = "backups.tsv"

// Limits of the history.
const (
	maxHistory     = 1 << 20 // largest number of bytes that are read of the list of backups
	triedBackups   = 10      // the newest are tried
	historyColumns = 2
)

// recordBackup adds a backup to the history of its directory. A read-only directory has none.
func recordBackup(a *app.App, dir, path string) error {
	at, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(filepath.Join(dir, historyFile), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if app.IsReadOnly(err) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the backup is made, but not recorded: %w", err)
	}
	_, err = fmt.Fprintf(f, "%s\t%q\n", a.Now().UTC().Format(time.RFC3339), at)
	return errors.Join(err, f.Close())
}

// recordedBackups returns the paths of a directory's backups, the newest first.
func recordedBackups(dir string) (paths []string, err error) {
	f, err := os.Open(filepath.Join(dir, historyFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if _, err := f.Seek(max(0, info.Size()-maxHistory), io.SeekStart); err != nil { // an incomplete first line names no file
		return nil, err
	}
	lines, err := io.ReadAll(io.LimitReader(f, maxHistory))
	for line := range strings.Lines(string(lines)) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != historyColumns {
			continue
		}
		if path, err := strconv.Unquote(fields[1]); err == nil {
			paths = append(paths, path)
		}
	}
	slices.Reverse(paths)
	return paths, err
}

// suggestBackup verifies the newest backups until one is good, and names it.
func suggestBackup(ctx context.Context, a *app.App, dir string) {
	paths, err := recordedBackups(dir)
	if err != nil {
		a.Logger().Warn("the history of backups cannot be read", "err", err)
	}
	for _, path := range paths[:min(len(paths), triedBackups)] {
		maxSize, err := ParseSize(DefaultMaxSize)
		if err == nil {
			err = verifyBackup(ctx, a, io.Discard, path, maxSize)
		}
		if err == nil {
			fmt.Fprintf(a.Stdout, "the newest good backup: %s; `eventseer backup restore %s --replace` restores it\n", text.Printable(path), text.Printable(path))
			return
		}
		a.Logf("the backup %s is damaged: %v", text.Printable(path), err)
	}
	fmt.Fprintf(a.Stdout, "no good backup of %s is known; `eventseer backup verify` checks one stored elsewhere\n", dir)
}
