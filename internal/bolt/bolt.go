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
	Migrations []func(*Tx) error
	// Keep is how many copies of the file from before migrations are kept beside it, of
	// the newest versions. Before a file that is not new is brought up to date it is
	// copied to its name with ".vN.backup" behind, N being its version. Zero makes none.
	Keep int
	// Log records copies and migrations. Nil logs nothing.
	Log *slog.Logger
	// MustExist makes Open return ErrMissing instead of making a new file.
	MustExist bool
	// ReadOnly opens without write access; the file must exist and be current.
	ReadOnly bool
	// Timeout is how long to wait for another process's lock. Zero means 2s.
	Timeout time.Duration
	// OpenFile replaces os.OpenFile; fault-injecting tests set it.
	OpenFile func(string, int, os.FileMode) (*os.File, error)
}

// initialMmapSize avoids remaps, which wait for readers.
const initialMmapSize = 64 << 20

// fileMode keeps files from all but their owner; those made with wider rights get it when
// they are opened to write.
const fileMode = 0o600

// maxOpenProblems is how many problems the error of Open names.
const maxOpenProblems = 3

var (
	metaBucket = []byte("meta")
	kindKey    = []byte("kind")
	versionKey = []byte("version")
)

// Open opens or makes the file at path, for its owner alone. Its folder is made too, closed
// to others than its owner and group. Before the file is mapped its pages are checked, so
// that damage gives an ErrDamaged. Opened read-only, it and its folder need no right to write.
func Open(path string, o Options) (*DB, error) {
	info, err := os.Stat(path)
	empty := errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0
	if empty && (o.MustExist || o.ReadOnly) {
		return nil, fmt.Errorf("open %s: %w", path, ErrMissing)
	}
	if !o.ReadOnly {
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			return nil, fmt.Errorf("open %s: %w", path, err)
		}
	}
	o.Timeout = cmp.Or(o.Timeout, 2*time.Second)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	db, file, err := openChecked(path, o, &bbolt.Options{
		Timeout: o.Timeout, ReadOnly: o.ReadOnly, InitialMmapSize: initialMmapSize,
		FreelistType: bbolt.FreelistMapType, NoFreelistSync: !o.ReadOnly,
	})
	if errors.Is(err, ErrLocked) {
		return nil, fmt.Errorf("open %s: %w; stop the other eventseer or give another --data", path, err)
	}
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	err = stillThere(path, file)
	if err == nil && !o.ReadOnly {
		err = file.Chmod(fileMode)
	}
	if err == nil {
		err = prepare(db, o)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	return db, nil
}

// openChecked opens a database whose pages are checked before bbolt maps them, under bbolt's lock.
// bbolt cannot recover from damage in a file. Of the options those that say how the file itself is
// opened count.
func openChecked(path string, o Options, how *bbolt.Options) (db *DB, file *os.File, err error) {
	if o.OpenFile == nil {
		o.OpenFile = os.OpenFile
	}
	how.OpenFile = func(name string, flag int, mode os.FileMode) (*os.File, error) {
		f, err := o.OpenFile(name, flag, mode)
		if err != nil {
			return nil, err
		}
		if err := lockAndCheck(f, !how.ReadOnly, how.Timeout, o.Log); err != nil {
			return nil, errors.Join(err, f.Close())
		}
		file = f
		return f, nil
	}
	db = &DB{}
	defer func() {
		if err != nil && db.DB == nil && file != nil {
			_ = file.Close() // bbolt does, unless it panicked
		}
	}()
	defer db.Guard()(&err)
	db.DB, err = bbolt.Open(path, fileMode, how)
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		err = ErrLocked
	case err != nil && isFormat(err):
		err = fmt.Errorf("%w: %w; %s", ErrDamaged, err, nextStep)
	}
	return db, file, err
}

// lockAndCheck locks a file and checks its pages. An empty one has none.
func lockAndCheck(f *os.File, exclusive bool, timeout time.Duration, log *slog.Logger) error {
	if err := lockFile(f, exclusive, timeout); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("it is no file but %s", info.Mode())
	}
	_, warnings, problems := checkFile(f, info.Size(), false)
	if len(problems) > 0 {
		return fmt.Errorf("%w; %s", errors.Join(problems[:min(len(problems), maxOpenProblems)]...), nextStep)
	}
	for _, w := range warnings {
		log.Warn("the database is opened as of its other meta page", "file", f.Name(), "err", w)
	}
	return nil
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
func prepare(db *DB, o Options) error {
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
		err := db.Update(func(tx *Tx) error {
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
			return meta.Put(versionKey, versionValue(n+1))
		})
		if err != nil {
			return fmt.Errorf("migration %d: %w", n+1, err)
		}
		if err := db.findSeal(); err != nil {
			return err
		}
		if version > 0 {
			o.Log.Info("the database was brought to its next version", "file", db.Path(), "version", n+1)
		}
	}
	return nil
}

// versionValue returns a schema version as it is stored.
func versionValue(n int) []byte {
	return binary.BigEndian.AppendUint32(nil, uint32(n)) // #nosec G115 -- a number of migrations
}

// findSeal finds whether the file's values carry checksums.
func (db *DB) findSeal() (err error) {
	defer db.Guard()(&err)
	return db.DB.View(func(tx *bbolt.Tx) error {
		sealed := tx.Bucket([]byte(sumsBucket)) != nil
		if meta := tx.Bucket(metaBucket); meta != nil {
			sealed = sealed || len(meta.Get(versionKey)) == 4+trailerLen
		}
		db.sealed.Store(sealed)
		return nil
	})
}

func readMeta(db *DB) (kind string, version int, err error) {
	if err := db.findSeal(); err != nil {
		return "", 0, err
	}
	err = db.View(func(tx *Tx) error {
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

// CheckFile reports the damage in the file at path, without mapping or changing it. It checks its
// meta pages, the pages of all buckets and their order, and of a sealed file every value and
// missing keys. Its error is one of reading it: ErrMissing of a missing or empty file, ErrLocked of
// one that a process has open to write.
func CheckFile(path string) (problems []error, err error) {
	_, problems, err = ReadContents(path)
	return problems, err
}

// Contents describes a bucket: how many values, the sum of their digests modulo 2⁶⁴ in hexadecimal, and
// the bucket's counter. Each digest is over the bucket's name, key and value.
type Contents struct {
	Bucket  string `json:"bucket"`
	Values  uint64 `json:"values"`
	Digest  string `json:"digest"`
	Counter uint64 `json:"counter,omitempty"`
}

// ReadContents is CheckFile that also returns what it read of each bucket.
func ReadContents(path string) (contents []Contents, problems []error, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("check %s: %w", path, ErrMissing)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("check: %w", err)
	}
	defer func() { _ = file.Close() }() // only read
	if err := lockFile(file, false, time.Second); err != nil {
		return nil, nil, fmt.Errorf("check %s: %w", path, err)
	}
	info, err := file.Stat()
	if err != nil {
		return nil, nil, fmt.Errorf("check: %w", err)
	}
	if info.Size() == 0 {
		return nil, nil, fmt.Errorf("check %s: %w", path, ErrMissing)
	}
	contents, warnings, problems := checkFile(file, info.Size(), true)
	return contents, append(warnings, problems...), nil
}

// Check reports what is broken in the open file as of now; see CheckFile. It reads the file
// itself, not what is mapped of it.
func Check(db *DB) []error {
	var problems []error
	err := db.View(func(tx *Tx) error {
		_, problems = tx.readContents()
		return nil
	})
	if err != nil {
		problems = append(problems, err)
	}
	return problems
}

// metaTries is how often meta pages are read that do not fit: transactions may end between the reads.
const metaTries = 5

// readContents checks the state of a transaction, and returns what it read of each bucket.
func (tx *Tx) readContents() (contents []Contents, problems []error) {
	file, err := os.Open(tx.db.Path())
	if err != nil {
		return nil, []error{err}
	}
	defer func() { _ = file.Close() }() // only read
	info, err := file.Stat()
	if err != nil {
		return nil, []error{err}
	}
	var fatal error
	for range metaTries {
		if _, problems, fatal = readMetas(file, info.Size()); fatal == nil && len(problems) == 0 {
			break
		}
	}
	if fatal != nil {
		return nil, []error{fatal}
	}
	size := tx.db.Info().PageSize
	w := newWalker(file, size, uint64(tx.raw.Size())/uint64(size)) // #nosec G115 -- sizes are positive
	contents = w.check(uint64(tx.raw.Cursor().Bucket().Root()), true)
	return contents, append(problems, w.problems()...)
}
