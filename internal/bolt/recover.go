package bolt

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"go.etcd.io/bbolt"
)

// RecoverOptions describe the expected file and where its damaged form is kept.
type RecoverOptions struct {
	Kind    string // contents of the file; see Options
	Version int    // schema version that this program writes
	Keep    string // new name of the damaged file; no file may have it
	// Buckets are the buckets of a file with that version. The new file gets all of them.
	Buckets []string
}

// A Recovery is the result of Recover.
type Recovery struct {
	// Earlier is set if the root page of the newest state cannot be read or is an old copy. The recovered
	// state is then from before the last transactions.
	Earlier bool
	// Astray is set if a page with references to other pages is damaged. It may have referred to pages of
	// an earlier state, whose values also match their checksums and sums.
	Astray  bool
	Buckets []RecoveredBucket // in order of names
}

// A RecoveredBucket describes what was recovered of one bucket.
type RecoveredBucket struct {
	Name  string
	Found int // number of values recovered, all of which match their checksums
	Lost  int // number of values missing, compared with the number recorded in the file
	// LostKeys are keys that were read, but whose values do not match their checksums: at most
	// maxProblems. The keys of other lost values are unknown.
	LostKeys [][]byte
	// Unproven says why the bucket's values may not be those written last: its sum is lost, or does not
	// match although no value is missing. It is "" if they are proven to be.
	Unproven string
}

// CountLost returns the number of values that are known to be lost, and whether it is proven that there are no
// more.
func (r Recovery) CountLost() (n int, proven bool) {
	proven = !r.Earlier && !r.Astray
	for _, b := range r.Buckets {
		n += b.Lost
		proven = proven && b.Unproven == ""
	}
	return n, proven
}

// RecoverFile replaces a damaged file by a new one with all values that match their checksums. The damaged
// file is kept as o.Keep.
//
// Values are searched below the root. For buckets with missing values they are also searched on pages to
// which no page refers, and used only if they complete the bucket to its recorded sum. Recover returns
// ErrLocked if a process has the file open, and ErrDamaged if the file has no checksums or no value can
// be recovered; then it changes nothing.
func RecoverFile(path string, o RecoverOptions) (r Recovery, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return r, fmt.Errorf("recover %s: %w", path, ErrMissing)
	}
	if err != nil {
		return r, fmt.Errorf("recover: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := lockFile(file, true, time.Second); err != nil {
		return r, fmt.Errorf("recover %s: %w; stop the other eventseer first", path, err)
	}
	if err := checkNotReplaced(path, file); err != nil {
		return r, fmt.Errorf("recover %s: %w", path, err)
	}
	made := path + ".recover"
	if err := removeIfThere(made); err != nil { // left by a recovery that was killed; the lock excludes another running one
		return r, fmt.Errorf("recover: %w", err)
	}
	if r, err = recoverInto(made, file, o); err == nil {
		err = os.Link(path, o.Keep) // unlike a rename, a link replaces no existing file
	}
	if err != nil {
		return r, errors.Join(fmt.Errorf("recover %s: %w", path, err), removeIfThere(made))
	}
	return r, errors.Join(os.Rename(made, path), SyncDir(filepath.Dir(path)))
}

// recoverInto writes everything that can be recovered from a file to a new one at made.
func recoverInto(made string, file *os.File, o RecoverOptions) (r Recovery, err error) {
	info, err := file.Stat()
	if err != nil {
		return r, err
	}
	state, err := findState(file, info.Size())
	if err != nil {
		return r, err
	}
	db, err := bbolt.Open(made, fileMode, &bbolt.Options{NoSync: true, NoFreelistSync: true, FreelistType: bbolt.FreelistMapType, InitialMmapSize: initialMmapSize})
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	w := &recoveryWriter{db: db, found: map[string]bucketSum{}}
	s := newSalvage(file, state)
	s.value = w.writeValue
	s.readBuckets(state.root)
	if w.err == nil {
		w.writeOrphans(s)
	}
	if err := errors.Join(w.err, w.commitValues()); err != nil {
		return r, err
	}
	r, err = w.writeSums(s, o)
	r.Earlier, r.Astray = state.earlier || outdatedSums(s.sequences[sumsBucket], state.transaction) != "", s.astray
	return r, errors.Join(err, db.Sync())
}

// A recoveryWriter writes recovered values, several per transaction.
type recoveryWriter struct {
	db      *bbolt.DB
	tx      *bbolt.Tx
	pending int                  // bytes of the transaction
	found   map[string]bucketSum // sums of the written values, by bucket
	err     error                // the first of writing
}

// writeValue writes a stored value unless its key was already written: the first one found is used.
func (w *recoveryWriter) writeValue(bucket string, key, stored []byte) {
	if w.err != nil || bucket == sumsBucket {
		return
	}
	b, err := w.openBucket(bucket)
	if err == nil && b.Get(key) == nil {
		s := w.found[bucket]
		s.count++
		s.digest += trailerOf(stored)
		w.found[bucket] = s
		w.pending += len(key) + len(stored)
		err = b.Put(bytes.Clone(key), bytes.Clone(stored))
	}
	if err == nil && w.pending > compactTx {
		err = w.commitValues()
	}
	w.err = err
}

// isWritten reports whether a key was written.
func (w *recoveryWriter) isWritten(bucket string, key []byte) bool {
	b, err := w.openBucket(bucket)
	w.err = errors.Join(w.err, err)
	return err == nil && b.Get(key) != nil
}

func (w *recoveryWriter) openBucket(name string) (*bbolt.Bucket, error) {
	if w.tx == nil {
		tx, err := w.db.Begin(true)
		if err != nil {
			return nil, err
		}
		w.tx = tx
	}
	return w.tx.CreateBucketIfNotExists([]byte(name))
}

func (w *recoveryWriter) commitValues() error {
	tx := w.tx
	if w.tx, w.pending = nil, 0; tx == nil {
		return nil
	}
	return tx.Commit()
}

// writeOrphans completes buckets from pages to which no page refers.
func (w *recoveryWriter) writeOrphans(s *salvageReader) {
	missing := map[string]bucketSum{}
	for name, want := range s.sums {
		has := w.found[name]
		if has.count < want.count {
			missing[name] = bucketSum{count: want.count - has.count, digest: want.digest - has.digest}
		}
	}
	if len(missing) == 0 {
		return
	}
	names := slices.Sorted(maps.Keys(missing))
	found := s.findOrphans(names, w.isWritten)
	for _, name := range names {
		for _, id := range orphansCompleting(found[name], missing[name]) {
			s.readAgain(id, name)
		}
	}
}

// writeSums writes the sums of the new file and returns what was recovered and lost of each bucket.
func (w *recoveryWriter) writeSums(s *salvageReader, o RecoverOptions) (r Recovery, err error) {
	if len(w.found) == 0 {
		return r, &DamageError{Reason: "no value in it matches a checksum: it is completely damaged, or has a version without checksums; restore a backup"}
	}
	version, err := w.restoreMeta(s, o)
	if err != nil {
		return r, err
	}
	names := slices.AppendSeq(slices.Collect(maps.Keys(s.sums)), maps.Keys(w.found))
	if version == o.Version { // for an older version, migrations create the missing buckets
		names = append(names, o.Buckets...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	err = w.db.Update(func(tx *bbolt.Tx) error {
		raw, err := tx.CreateBucket([]byte(sumsBucket))
		if err != nil {
			return err
		}
		for _, name := range names {
			b, err := tx.CreateBucketIfNotExists([]byte(name))
			if err != nil {
				return err
			}
			has, want, known := w.found[name], bucketSum{}, false
			if want, known = s.sums[name]; !known {
				want.sequence = s.sequences[name]
			}
			has.sequence = want.sequence
			if err := errors.Join(b.SetSequence(has.sequence), putSum(raw, name, has)); err != nil {
				return err
			}
			r.Buckets = append(r.Buckets, s.recoveredBucket(name, has, want, known, func(key []byte) bool { return b.Get(key) != nil }))
		}
		return recordTransaction(tx)
	})
	return r, err
}

// restoreMeta checks the kind and the version in the new file and returns the version. If one of them is
// lost it is restored, provided that the bucket's sum proves it: the kind is known, and the version is a
// small number.
func (w *recoveryWriter) restoreMeta(s *salvageReader, o RecoverOptions) (version int, err error) {
	name := string(metaBucket)
	want, known := s.sums[name]
	seed := seedOf(name)
	try := func(values map[string][]byte) bool {
		has := w.found[name]
		for key, value := range values {
			if !w.isWritten(name, []byte(key)) {
				has.count++
				has.digest += digestOf(seed, []byte(key), value)
			}
		}
		return known && has.count == want.count && has.digest == want.digest
	}
	for version = o.Version; version > 0 && w.err == nil; version-- {
		values := map[string][]byte{string(kindKey): []byte(o.Kind), string(versionKey): versionValue(version)}
		if !try(values) {
			continue
		}
		for _, key := range [][]byte{kindKey, versionKey} {
			value := values[string(key)]
			w.writeValue(name, key, withTrailer(value, digestOf(seed, key, value)))
		}
		break
	}
	if err := errors.Join(w.err, w.commitValues()); err != nil {
		return 0, err
	}
	var kind string
	kind, version, err = readMeta(&DB{DB: w.db})
	switch {
	case err != nil:
		return 0, err
	case kind == "" || version == 0:
		return 0, &DamageError{Bucket: name, Reason: "the kind and version of the file are lost; restore a backup"}
	case kind != o.Kind:
		return 0, fmt.Errorf("%w: it is a database of kind %s, not %s", ErrIncompatible, kind, o.Kind)
	case version > o.Version:
		return 0, fmt.Errorf("%w: version %d is newer than this program's %d; use a newer eventseer", ErrIncompatible, version, o.Version)
	}
	return version, nil
}

// recoveredBucket returns the result for a bucket: has is the sum of the recovered values, want the sum recorded
// in the file, if known.
func (s *salvageReader) recoveredBucket(name string, has, want bucketSum, known bool, recovered func(key []byte) bool) RecoveredBucket {
	b := RecoveredBucket{Name: name, Found: int(has.count)} // #nosec G115 -- keys that fit a file
	if known && has.count == want.count && has.digest == want.digest {
		return b
	}
	for _, key := range s.wrong[name] {
		if !recovered(key) && len(b.LostKeys) < maxProblems {
			b.LostKeys = append(b.LostKeys, key)
		}
	}
	switch {
	case !known:
		b.Lost, b.Unproven = len(b.LostKeys), noSums
	case has.count < want.count:
		b.Lost = int(want.count - has.count) // #nosec G115 -- keys that fit a file
	default:
		b.Unproven = "the values match their checksums, but at least one is older than the last one written"
	}
	return b
}

// A fileState is one state of a file to recover.
type fileState struct {
	pageSize int
	pages    uint64 // number of pages for which the file has space
	root     uint64
	earlier  bool // it is not the newest state

	transaction uint64 // number of the newest state
}

// maxRoots is the largest number of earlier root pages that are tried if the newest cannot be read.
const maxRoots = 32

// findState returns the newest state of a file if its root page can be read. Otherwise it returns the
// earlier state with the most values.
func findState(r io.ReaderAt, size int64) (fileState, error) {
	m, _, fatal := readMetas(r, size)
	if fatal != nil {
		m = metaPage{pageSize: uint32(os.Getpagesize())} // #nosec G115 -- a small number
	}
	newest := fileState{pageSize: int(m.pageSize), pages: uint64(size) / uint64(m.pageSize), root: m.root, transaction: m.transaction} // #nosec G115 -- positive
	probe := newSalvage(r, newest)
	if fatal == nil && probe.isRoot(m.root) {
		return newest, nil
	}
	best, most := fileState{}, 0
	for id, tried := uint64(2), 0; id < newest.pages && tried < maxRoots; id++ {
		if !probe.isRoot(id) {
			continue
		}
		tried++
		state, n := newest, 0
		state.root, state.earlier = id, true
		s := newSalvage(r, state)
		s.value = func(string, []byte, []byte) { n++ }
		if s.readBuckets(id); n > most {
			best, most = state, n
		}
	}
	if most == 0 {
		return best, &DamageError{Reason: "no remaining root page leads to a value that matches its checksum; restore a backup"}
	}
	return best, nil
}
