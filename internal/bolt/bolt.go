// Package bolt opens bbolt files the way EventSeer uses them: with a lock timeout, a schema version,
// numbered migrations and checksums.
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

// Errors of Open, to be tested with errors.Is.
var (
	ErrLocked       = errors.New("locked by another process")
	ErrIncompatible = errors.New("incompatible schema")
	ErrMissing      = errors.New("no such database")
)

// Options control how a file is opened.
type Options struct {
	// Kind names the contents of the file, such as "frontier" or "store". A file of another kind is
	// refused.
	Kind string
	// Migrations update the file's schema, one transaction each, and all in one for a new file. New ones are only appended: the schema
	// version is the number of migrations done.
	Migrations []func(*Tx) error
	// Keep is the number of copies from before migrations that are kept beside the file, the newest ones.
	// Before an existing file is migrated it is copied to its name with ".vN.backup" appended, where N is
	// its version. Zero means no copies.
	Keep int
	// Log receives messages about copies and migrations. Nil means none.
	Log *slog.Logger
	// MustExist makes Open return ErrMissing instead of creating a file.
	MustExist bool
	// ReadOnly opens without write access. The file must exist and have the current version.
	ReadOnly bool
	// Timeout is how long to wait for another process's lock. Zero means 2 s.
	Timeout time.Duration
	// OpenFile replaces os.OpenFile; fault-injecting tests set it.
	OpenFile func(string, int, os.FileMode) (*os.File, error)
}

// initialMmapSize is the minimum size of the memory map. Remapping a growing file would wait for readers.
const initialMmapSize = 64 << 20

// fileMode lets only the owner access files. Existing files with more permissions get it when they are
// opened for writing.
const fileMode = 0o600

// maxOpenProblems is the largest number of problems in an error of Open.
const maxOpenProblems = 3

var (
	metaBucket = []byte("meta")
	kindKey    = []byte("kind")
	versionKey = []byte("version")
)

// Open opens the file at path and creates it if it does not exist, accessible only to its owner. It also
// creates the folder, accessible only to its owner and group. The pages of the file are checked before it
// is mapped, and damage is returned as an ErrDamaged. Opening read-only needs no write permission for the
// file and its folder.
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
	err = checkNotReplaced(path, file)
	if err == nil && !o.ReadOnly {
		err = file.Chmod(fileMode)
	}
	if err == nil {
		err = migrate(db, o)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("open %s: %w", path, err), db.Close())
	}
	return db, nil
}

// openChecked opens a database whose pages are checked before bbolt maps them, under bbolt's lock.
// Otherwise bbolt would panic on a damaged file. It uses only those fields of o that concern opening the
// file.
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
			_ = file.Close() // bbolt closes it, unless it panicked
		}
	}()
	defer db.DamageHandler()(&err)
	db.DB, err = bbolt.Open(path, fileMode, how)
	switch {
	case errors.Is(err, berrors.ErrTimeout):
		err = ErrLocked
	case err != nil && isFormat(err):
		err = fmt.Errorf("%w: %w; %s", ErrDamaged, err, nextStep)
	}
	return db, file, err
}

// lockAndCheck locks a file and checks its pages. An empty file has none.
func lockAndCheck(f *os.File, exclusive bool, timeout time.Duration, log *slog.Logger) error {
	if err := lockFile(f, exclusive, timeout); err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("it is not a regular file but %s", info.Mode())
	}
	_, warnings, problems := checkFile(f, info.Size(), false)
	if len(problems) > 0 {
		return fmt.Errorf("%w; %s", errors.Join(problems[:min(len(problems), maxOpenProblems)]...), nextStep)
	}
	for _, w := range warnings {
		log.Warn("the database is opened by its other meta page", "file", f.Name(), "err", w)
	}
	return nil
}

// checkNotReplaced returns an error if Compact replaced the file while this process waited for its lock.
func checkNotReplaced(path string, file *os.File) error {
	now, err := os.Stat(path)
	if err != nil {
		return err
	}
	opened, err := file.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(now, opened) {
		return fmt.Errorf("%w: another process has replaced the file; try again", ErrLocked)
	}
	return nil
}

// migrate checks kind and version and runs the migrations that are missing.
func migrate(db *DB, o Options) error {
	kind, version, err := readMeta(db)
	if err != nil {
		return err
	}
	if kind != "" && kind != o.Kind {
		return fmt.Errorf("%w: it is a database of kind %s, not %s", ErrIncompatible, kind, o.Kind)
	}
	if version > len(o.Migrations) {
		return fmt.Errorf("%w: version %d is newer than this program's %d; use a newer eventseer", ErrIncompatible, version, len(o.Migrations))
	}
	if o.ReadOnly {
		if version < len(o.Migrations) {
			return fmt.Errorf("%w: it has version %d, this program reads %d; open it once for writing to migrate it", ErrIncompatible, version, len(o.Migrations))
		}
		return nil
	}
	if 0 < version && version < len(o.Migrations) && o.Keep > 0 {
		if err := backUpBeforeMigration(db, version, o.Keep, o.Log); err != nil {
			return err
		}
	}
	for version < len(o.Migrations) {
		next := version + 1
		if version == 0 {
			next = len(o.Migrations) // so that no state of a new file lacks what later versions have
		}
		if err := db.Update(func(tx *Tx) error { return runMigrations(tx, o, version, next) }); err != nil {
			return err
		}
		if err := db.detectChecksums(); err != nil {
			return err
		}
		if version > 0 {
			o.Log.Info("the database was migrated to its next version", "file", db.Path(), "version", next)
		}
		version = next
	}
	return nil
}

// runMigrations updates a file from a version to another one.
func runMigrations(tx *Tx, o Options, version, next int) error {
	for n := version; n < next; n++ {
		if err := o.Migrations[n](tx); err != nil {
			return fmt.Errorf("migration %d: %w", n+1, err)
		}
	}
	meta, err := tx.CreateBucketIfNotExists(metaBucket)
	if err == nil {
		err = meta.Put(kindKey, []byte(o.Kind))
	}
	if err == nil {
		err = meta.Put(versionKey, versionValue(next))
	}
	if err != nil {
		return fmt.Errorf("migration %d: %w", next, err)
	}
	return nil
}

// versionValue returns the stored form of a schema version.
func versionValue(n int) []byte {
	return binary.BigEndian.AppendUint32(nil, uint32(n)) // #nosec G115 -- a number of migrations
}

// detectChecksums determines whether the values of the file have checksums.
func (db *DB) detectChecksums() (err error) {
	defer db.DamageHandler()(&err)
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
	if err := db.detectChecksums(); err != nil {
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

// CheckFile returns the damage in the file at path, without mapping or changing the file. It checks the
// meta pages, the pages of all buckets and the order of keys. In a sealed file it also checks every value
// and whether keys are missing. The error is about reading the file: ErrMissing if it is missing or
// empty, ErrLocked if a process has it open for writing.
func CheckFile(path string) (problems []error, err error) {
	_, problems, err = ReadContents(path)
	return problems, err
}

// Contents summarizes a bucket: the number of values, the sum of their digests modulo 2⁶⁴ in hexadecimal,
// and the bucket's counter. Each digest covers the bucket's name, the key and the value.
type Contents struct {
	Bucket  string `json:"bucket"`
	Values  uint64 `json:"values"`
	Digest  string `json:"digest"`
	Counter uint64 `json:"counter,omitempty"`
}

// ReadContents is like CheckFile, and also returns the contents of each bucket.
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

// Check returns the damage in the current state of the open file; see CheckFile. It reads the file
// itself, not the memory map.
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

// metaTries is how often inconsistent meta pages are read again: a transaction may have ended between the
// reads.
const metaTries = 5

// readContents checks the state of a transaction, and returns the contents of each bucket and the
// problems.
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
	w := newWalker(file, size, uint64(tx.raw.Size())/uint64(size))                                // #nosec G115 -- sizes are positive
	contents = w.checkBuckets(uint64(tx.raw.Cursor().Bucket().Root()), uint64(tx.raw.ID()), true) // #nosec G115 -- positive
	return contents, append(problems, w.foundProblems()...)
}
