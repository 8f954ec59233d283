package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler/backlink"
	"github.com/eventseer/eventseer/crawler/frontier"
	"github.com/eventseer/eventseer/crawler/monitor"
	"github.com/eventseer/eventseer/eventseer/publish"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/internal/bolt"
	"github.com/eventseer/eventseer/internal/text"
)

// Checked lists the database files and how each is opened and checked.
var Checked = []struct {
	File   string
	kind   string // kind of the database, from the file
	schema int    // version written by this program
	open   opener
}{
	{app.FrontierFile, "frontier", frontier.Schema(), func(a *app.App, path string, mustExist bool) (checker, error) {
		return frontier.Open(path, frontier.Options{MustExist: mustExist, Now: a.Now})
	}},
	{app.LinksFile, "links", backlink.Schema(), func(_ *app.App, path string, _ bool) (checker, error) {
		return backlink.OpenLinkDB(path, backlink.Options{})
	}},
	{app.StoreFile, "store", store.Schema(), func(a *app.App, path string, mustExist bool) (checker, error) {
		return store.Open(path, store.Options{MustExist: mustExist, Now: a.Now, Log: a.Logger()})
	}},
	{monitor.File, "monitor", monitor.Schema(), func(a *app.App, path string, mustExist bool) (checker, error) {
		return monitor.Open(filepath.Dir(path), monitor.Options{MustExist: mustExist, Now: a.Now})
	}},
	{app.PublishFile, "publish", publish.Schema(), func(a *app.App, path string, mustExist bool) (checker, error) {
		return publish.Open(context.Background(), publish.Options{Path: path, MustExist: mustExist, Now: a.Now, Log: a.Logger()})
	}},
}

// An opener opens a database. It creates it if it does not exist, unless mustExist is set.
type opener func(a *app.App, path string, mustExist bool) (checker, error)

type checker interface {
	Check() []error
	Close() error
}

// CheckDir checks every database of a directory, prints the results, and returns the number of
// problems.
func CheckDir(ctx context.Context, a *app.App, dir string) (broken int, err error) {
	return checkDir(ctx, a, a.Stdout, dir)
}

func checkDir(ctx context.Context, a *app.App, out io.Writer, dir string) (broken int, err error) {
	found := false
	meter := meterDatabases(a, "checking", dir)
	defer meter.RemoveBar()
	for _, c := range Checked {
		if err := ctx.Err(); err != nil {
			return broken, err
		}
		path := filepath.Join(dir, c.File)
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			fmt.Fprintf(out, "%s: not there yet\n", c.File)
			continue
		}
		found = true
		var problems []error
		err := meter.ShowDuring(func() (err error) {
			problems, err = checkFile(a, path, c.open)
			return err
		})
		if err != nil {
			return broken, err
		}
		countDatabase(meter, path)
		broken += len(problems)
		if len(problems) == 0 {
			fmt.Fprintf(out, "%s: clean\n", c.File)
		}
		for _, p := range problems {
			fmt.Fprintf(out, "%s: %s\n", c.File, text.Printable(p.Error()))
		}
	}
	if !found {
		return 0, fmt.Errorf("%w: %s holds no database; --data must name another folder, for a replay that of its run with /state", app.ErrNoData, dir)
	}
	return broken, nil
}

// meterDatabases returns a Meter for work on the databases of a directory, one after the other.
func meterDatabases(a *app.App, label, dir string) *app.Meter {
	var paths []string
	for _, c := range Checked {
		if _, err := os.Stat(filepath.Join(dir, c.File)); err == nil {
			paths = append(paths, filepath.Join(dir, c.File))
		}
	}
	return app.MeterFiles(a, label, paths).WithNoun("databases")
}

// countDatabase counts a database as finished.
func countDatabase(meter *app.Meter, path string) {
	if info, err := os.Stat(path); err == nil {
		meter.Add(info.Size(), 1)
	}
}

// checkFile returns the faults of a file. It checks its pages, and if these are intact, the
// records. A read-only file is copied for that, because opening completes unfinished work of the
// last process. A panic caused by data missing after a repair is reported as a fault of the file.
func checkFile(a *app.App, path string, open opener) (problems []error, err error) {
	defer func() {
		if p := recover(); p != nil {
			problems, err = append(problems, fmt.Errorf("%w: it lacks values without which it cannot be read (%v); restore a backup", bolt.ErrDamaged, p)), nil
		}
	}()
	if a.Open.Check != nil {
		if problems, open, err := a.Open.Check(filepath.Base(path)); open || err != nil {
			return problems, err
		}
	}
	problems, err = bolt.CheckFile(path)
	if err != nil || len(problems) > 0 {
		return problems, err
	}
	db, err := open(a, path, true)
	switch {
	case app.IsReadOnly(err):
		return checkCopy(a, path, filepath.Base(path), open)
	case errors.Is(err, bolt.ErrLocked), errors.Is(err, bolt.ErrIncompatible):
		return nil, err
	case err != nil:
		return []error{err}, nil
	}
	return db.Check(), db.Close()
}

// MigrateDatabases migrates the databases of the data directory; dry only reports what it would do.
func MigrateDatabases(ctx context.Context, a *app.App, dry bool) error {
	dir, err := app.DataDir(a)
	if err != nil {
		return err
	}
	broken := 0
	meter := meterDatabases(a, "migrating", dir)
	defer meter.RemoveBar()
	for _, c := range Checked {
		if err := ctx.Err(); err != nil {
			return err
		}
		path := filepath.Join(dir, c.File)
		has, err := schemaOf(path)
		if errors.Is(err, bolt.ErrMissing) {
			fmt.Fprintf(a.Stdout, "%s: not there yet\n", c.File)
			continue
		}
		if err != nil {
			return err
		}
		wants := c.schema
		switch {
		case has == wants:
			fmt.Fprintf(a.Stdout, "%s: version %d, the current one\n", c.File, has)
		case has > wants:
			return fmt.Errorf("%s: %w: version %d is newer than this program's %d; use a newer eventseer", path, bolt.ErrIncompatible, has, wants)
		case dry:
			if err := meter.ShowDuring(func() error {
				n, err := tryMigration(a, path, c.File, c.open)
				broken += n
				return err
			}); err != nil {
				return err
			}
			fmt.Fprintf(a.Stdout, "%s: version %d can be migrated to %d; nothing is changed\n", c.File, has, wants)
		default:
			if err := meter.ShowDuring(func() error {
				db, err := c.open(a, path, true)
				if err == nil {
					err = db.Close()
				}
				return err
			}); err != nil {
				return err
			}
			fmt.Fprintf(a.Stdout, "%s: migrated from version %d to %d\n", c.File, has, wants)
		}
		countDatabase(meter, path)
	}
	if broken > 0 {
		return fmt.Errorf("%d problems in the migrated copies", broken)
	}
	return nil
}

func schemaOf(path string) (version int, err error) {
	s, err := bolt.OpenForCopying(path)
	if err != nil {
		return 0, err
	}
	_, version, err = s.Schema()
	return version, errors.Join(err, s.Close())
}

// tryMigration migrates a copy of a database, and returns the faults in it.
func tryMigration(a *app.App, path, name string, open opener) (broken int, err error) {
	problems, err := checkCopy(a, path, name, open)
	for _, p := range problems {
		fmt.Fprintf(a.Stdout, "%s: %s\n", name, text.Printable(p.Error()))
	}
	return len(problems), err
}

// checkCopy opens a copy of a database, which migrates it, and returns its faults.
func checkCopy(a *app.App, path, name string, open opener) (problems []error, err error) {
	dir, release, err := scratchFolder(a, "", migratePrefix)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, release()) }()
	copied := filepath.Join(dir, name)
	if err := copyDatabase(path, copied); err != nil {
		return nil, err
	}
	// Files named by the monitor's database are only read.
	versions, err := filepath.Abs(filepath.Join(filepath.Dir(path), monitor.VersionsDir))
	if err == nil {
		err = os.Symlink(versions, filepath.Join(dir, monitor.VersionsDir))
	}
	if err != nil {
		return nil, err
	}
	db, err := open(a, copied, true)
	if err != nil {
		return nil, fmt.Errorf("a copy of %s: %w", path, err)
	}
	return db.Check(), db.Close()
}

// copyDatabase copies a database that is not written to meanwhile.
func copyDatabase(from, to string) (err error) {
	s, err := bolt.OpenForCopying(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	snapshots, err := bolt.TakeSnapshots(nil, s)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = snapshots[0].WriteTo(io.Writer(f))
		err = errors.Join(err, f.Close())
	}
	return errors.Join(err, snapshots[0].Close())
}
