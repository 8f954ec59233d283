package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler/backlink"
	"eventseer/crawler/frontier"
	"eventseer/crawler/monitor"
	"eventseer/eventseer/publish"
	"eventseer/eventseer/store"
	"eventseer/internal/bolt"
	"eventseer/internal/text"
)

// schemas are the versions that this program writes.
var schemas = map[string]int{
	app.FrontierFile: frontier.Schema(), app.LinksFile: backlink.Schema(), monitor.File: monitor.Schema(), app.StoreFile: store.Schema(), app.PublishFile: publish.Schema(),
}

// Migrate migrates the databases of the data directory; dry only says what it would do.
func Migrate(ctx context.Context, a *app.App, dry bool) error {
	dir, err := app.DataDir(a)
	if err != nil {
		return err
	}
	broken := 0
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
		wants := schemas[c.File]
		switch {
		case has == wants:
			fmt.Fprintf(a.Stdout, "%s: version %d, as this program writes it\n", c.File, has)
		case has > wants:
			return fmt.Errorf("%s: %w: version %d is newer than this program's %d; use a newer eventseer", path, bolt.ErrIncompatible, has, wants)
		case dry:
			n, err := tryMigration(a, path, c.File, c.open)
			if err != nil {
				return err
			}
			broken += n
			fmt.Fprintf(a.Stdout, "%s: version %d can be brought to %d; nothing is changed\n", c.File, has, wants)
		default:
			if err := migrateFile(a, path, c.open); err != nil {
				return err
			}
			fmt.Fprintf(a.Stdout, "%s: brought from version %d to %d\n", c.File, has, wants)
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d problems in the migrated copies", broken)
	}
	return nil
}

func schemaOf(path string) (version int, err error) {
	s, err := bolt.Attach(path)
	if err != nil {
		return 0, err
	}
	_, version, err = s.Schema()
	return version, errors.Join(err, s.Close())
}

func migrateFile(a *app.App, path string, open func(*app.App, string) (checker, error)) error {
	db, err := open(a, path)
	if err != nil {
		return err
	}
	return db.Close()
}

// tryMigration migrates a copy of a database, and says what is broken in it.
func tryMigration(a *app.App, path, name string, open func(*app.App, string) (checker, error)) (broken int, err error) {
	dir, err := os.MkdirTemp("", "eventseer-migrate-")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	copied := filepath.Join(dir, name)
	if err := copyDatabase(path, copied); err != nil {
		return 0, err
	}
	// What the monitor's database speaks of is only read.
	versions, err := filepath.Abs(filepath.Join(filepath.Dir(path), monitor.VersionsDir))
	if err == nil {
		err = os.Symlink(versions, filepath.Join(dir, monitor.VersionsDir))
	}
	if err != nil {
		return 0, err
	}
	db, err := open(a, copied)
	if err != nil {
		return 0, fmt.Errorf("a copy of %s: %w", path, err)
	}
	problems := db.Check()
	for _, p := range problems {
		fmt.Fprintf(a.Stdout, "%s: %s\n", name, text.Printable(p.Error()))
	}
	return len(problems), db.Close()
}

// copyDatabase copies a database that nobody writes to meanwhile.
func copyDatabase(from, to string) (err error) {
	s, err := bolt.Attach(from)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	snapshots, err := bolt.Snap(nil, s)
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
