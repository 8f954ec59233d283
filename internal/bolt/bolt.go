// Package bolt opens bbolt files the one way EventSeer does: with a lock
// time-out, a schema version, and numbered migrations.
package bolt

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// Errors that Open returns, to be tested with errors.Is.
var (
	ErrLocked       = errors.New("locked by another process")
	ErrIncompatible = errors.New("incompatible schema")
	ErrMissing      = errors.New("no such database")
)

// Options say how a file is opened.
type Options struct {
	// Kind names what the file holds ("frontier", "store"); a file of another
	// kind is refused.
	Kind string
	// Migrations bring the file up to date, one transaction each, append only:
	// the schema version is the number of migrations done.
	Migrations []func(*bbolt.Tx) error
	// Keep is how many copies of the file from before migrations are kept beside it, of
	// the newest versions. Before a file that is not new is brought up to date it is
	// copied to its name with ".vN.backup" behind, N being its version. Zero makes none.
	Keep int
	// Log is told of copies and migrations. Nil logs nothing.
	Log *slog.Logger
	// MustExist makes Open return ErrMissing instead of making a new file.
	MustExist bool
	// ReadOnly opens without write access; the file must exist and be current.
	ReadOnly bool
	// Private keeps the file from all but its owner, also one made with wider rights.
	Private bool
	// Timeout is how long to wait for another process's lock. Zero means 2s.
	Timeout time.Duration
	// OpenFile replaces os.OpenFile; fault-injecting tests set it.
	OpenFile func(string, int, os.FileMode) (*os.File, error)
}

// initialMmapSize avoids remaps, which wait for readers.
const initialMmapSize = 64 << 20

var (
	metaBucket = []byte("meta")
	kindKey    = []byte("kind")
	versionKey = []byte("version")
)

// Open opens or makes the file at path, whose folder is made too, closed to others than
// its owner and group: there are addresses of readers beside it.
func Open(path string, o Options) (*bbolt.DB, error) {
	info, err := os.Stat(path)
	empty := errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0
	if empty && (o.MustExist || o.ReadOnly) {
		return nil, fmt.Errorf("open %s: %w", path, ErrMissing)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	o.Timeout = cmp.Or(o.Timeout, 2*time.Second)
	if o.OpenFile == nil {
		o.OpenFile = os.OpenFile
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	mode := os.FileMode(0o644)
	if o.Private {
		mode = 0o600
	}
	var file *os.File
	db, err := bbolt.Open(path, mode, &bbolt.Options{
		Timeout: o.Timeout, ReadOnly: o.ReadOnly, InitialMmapSize: initialMmapSize,
		FreelistType: bbolt.FreelistMapType, NoFreelistSync: !o.ReadOnly,
		OpenFile: func(name string, flag int, mode os.FileMode) (f *os.File, err error) {
			file, err = o.OpenFile(name, flag, mode)
			return file, err
		},
	})
	if errors.Is(err, berrors.ErrTimeout) {
		return nil, fmt.Errorf("open %s: %w; stop the other eventseer or give another --data", path, ErrLocked)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	err = stillThere(path, file)
	if err == nil && o.Private && !o.ReadOnly {
		err = file.Chmod(mode)
	}
	if err == nil {
		err = prepare(db, o)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	return db, nil
}

// stillThere refuses a file that Compact has replaced while its lock was waited
// for.
func stillThere(path string, file *os.File) error {
	now, err := os.Stat(path)
	if err != nil {
		return err
	}
	opened, err := file.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(now, opened) {
		return fmt.Errorf("%w, which has replaced it; try again", ErrLocked)
	}
	return nil
}

// prepare checks kind and version and runs the migrations still due.
func prepare(db *bbolt.DB, o Options) error {
	kind, version, err := readMeta(db)
	if err != nil {
		return err
	}
	if kind != "" && kind != o.Kind {
		return fmt.Errorf("%w: it holds a %s, not a %s", ErrIncompatible, kind, o.Kind)
	}
	if version > len(o.Migrations) {
		return fmt.Errorf("%w: version %d is newer than this program's %d; use a newer eventseer", ErrIncompatible, version, len(o.Migrations))
	}
	if o.ReadOnly {
		if version < len(o.Migrations) {
			return fmt.Errorf("%w: version %d, this program reads %d; open it once for writing", ErrIncompatible, version, len(o.Migrations))
		}
		return nil
	}
	if 0 < version && version < len(o.Migrations) && o.Keep > 0 {
		if err := keepBefore(db, version, o.Keep, o.Log); err != nil {
			return err
		}
	}
	for n := version; n < len(o.Migrations); n++ {
		err := db.Update(func(tx *bbolt.Tx) error {
			if err := o.Migrations[n](tx); err != nil {
				return err
			}
			meta, err := tx.CreateBucketIfNotExists(metaBucket)
			if err != nil {
				return err
			}
			if err := meta.Put(kindKey, []byte(o.Kind)); err != nil {
				return err
			}
			return meta.Put(versionKey, binary.BigEndian.AppendUint32(nil, uint32(n+1)))
		})
		if err != nil {
			return fmt.Errorf("migration %d: %w", n+1, err)
		}
		if version > 0 {
			o.Log.Info("the database was brought to its next version", "file", db.Path(), "version", n+1)
		}
	}
	return nil
}

func readMeta(db *bbolt.DB) (kind string, version int, err error) {
	err = db.View(func(tx *bbolt.Tx) error {
		meta := tx.Bucket(metaBucket)
		if meta == nil {
			return nil
		}
		kind = string(meta.Get(kindKey))
		if v := meta.Get(versionKey); len(v) == 4 {
			version = int(binary.BigEndian.Uint32(v))
		}
		return nil
	})
	return kind, version, err
}

// Check reports every broken page of the file, as bbolt itself sees it.
func Check(db *bbolt.DB) []error {
	var broken []error
	err := db.View(func(tx *bbolt.Tx) error {
		for err := range tx.Check() {
			broken = append(broken, err)
		}
		return nil
	})
	if err != nil {
		broken = append(broken, err)
	}
	return broken
}
