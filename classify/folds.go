package classify

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// A folds file, all numbers little-endian:
//
//	8 bytes   magic "ESfolds\n"
//	uint32    format version
//	uint32    number of folds
//	uint32    number of keys, then per key: its uint64 xxh3, its uint8 fold;
//	          hashes strictly increase
//	32 bytes  SHA-256 of everything before
const (
	foldsMagic    = "ESfolds\n"
	foldsVersion  = 1
	maxFoldsBytes = 64 << 20
	maxFolds      = 255
)

// A Folds maps pages and hosts to the fold of a cross-validation in which they were held out. It stores
// hashes, not names. It is read-only and safe for concurrent use.
type Folds struct {
	n      int
	hashes []uint64 // strictly increasing
	folds  []uint8  // one a hash
}

// NewFolds returns a table of n folds with the fold, 0 to n-1, of each key. A key is the URL of a page,
// or a webgraph.HostKey for a host whose pages share a fold.
func NewFolds(n int, foldOf map[string]int) (*Folds, error) {
	if n < 2 || n > maxFolds {
		return nil, fmt.Errorf("folds: %d folds, must be 2 to %d", n, maxFolds)
	}
	type entry struct {
		hash uint64
		fold int
	}
	entries := make([]entry, 0, len(foldOf))
	for key, fold := range foldOf {
		if fold < 0 || fold >= n {
			return nil, fmt.Errorf("folds: the fold of %q is %d, but there are %d folds", key, fold, n)
		}
		entries = append(entries, entry{xxh3.HashString(key), fold})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.hash, b.hash) })
	f := &Folds{n: n}
	for i, e := range entries {
		if i > 0 && entries[i-1].hash == e.hash {
			return nil, fmt.Errorf("folds: two keys have the same hash %x", e.hash)
		}
		f.hashes = append(f.hashes, e.hash)
		f.folds = append(f.folds, uint8(e.fold))
	}
	return f, nil
}

// Len returns the number of folds.
func (f *Folds) Len() int { return f.n }

// FoldOf returns the fold of a page, or else of its host; ok is false if neither is
// in the table.
func (f *Folds) FoldOf(pageURL string) (fold int, ok bool) {
	for _, key := range []string{pageURL, webgraph.HostKey(pageURL)} {
		if i, ok := slices.BinarySearch(f.hashes, xxh3.HashString(key)); ok {
			return int(f.folds[i]), true
		}
	}
	return 0, false
}

// WriteFolds writes f to w. The same table gives the same bytes.
func WriteFolds(w io.Writer, f *Folds) error {
	b := []byte(foldsMagic)
	b = binary.LittleEndian.AppendUint32(b, foldsVersion)
	b = binary.LittleEndian.AppendUint32(b, uint32(f.n))
	b = binary.LittleEndian.AppendUint32(b, uint32(len(f.hashes)))
	for i, h := range f.hashes {
		b = append(binary.LittleEndian.AppendUint64(b, h), f.folds[i])
	}
	_, err := w.Write(appendSum(b))
	return err
}

// ReadFolds reads a folds file to its end. Its errors are those of ReadModel.
func ReadFolds(r io.Reader) (*Folds, error) {
	f, err := readFolds(r)
	if err != nil {
		return nil, fmt.Errorf("read folds: %w", err)
	}
	return f, nil
}

func readFolds(r io.Reader) (*Folds, error) {
	b, _, err := readChecked(r, foldsMagic, foldsVersion, maxFoldsBytes)
	if err != nil {
		return nil, err
	}
	if len(b) < 8 {
		return nil, errTruncated
	}
	n, count := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	b = b[8:]
	if n < 2 || n > maxFolds || uint64(len(b)) != uint64(count)*9 {
		return nil, fmt.Errorf("a table of %d folds and %d keys does not fit %d bytes", n, count, len(b))
	}
	f := &Folds{n: int(n)}
	for ; len(b) > 0; b = b[9:] {
		hash, fold := binary.LittleEndian.Uint64(b), b[8]
		if last := len(f.hashes) - 1; last >= 0 && f.hashes[last] >= hash || uint32(fold) >= n {
			return nil, fmt.Errorf("key %d is out of order, or its fold does not exist", len(f.hashes))
		}
		f.hashes = append(f.hashes, hash)
		f.folds = append(f.folds, fold)
	}
	return f, nil
}

// A Folded is a cross-fitted *Model or *Judge. Pages of the training data, and pages of their hosts, are
// judged by the model that was trained without their group, other pages by the model trained on
// everything. Use it where the pages to be judged may be training pages. It is read-only and safe for
// concurrent use.
type Folded[T any] struct {
	full  T
	folds []T
	table *Folds // nil: the full model judges all pages
}

// NewFolded returns a Folded that uses full for all pages.
func NewFolded[T any](full T) *Folded[T] { return &Folded[T]{full: full} }

// FullModel returns the model or judge that was trained on all pages.
func (f *Folded[T]) FullModel() T { return f.full }

// For returns the model or judge to use for the page at pageURL.
func (f *Folded[T]) For(pageURL string) T {
	if f.table == nil {
		return f.full
	}
	if fold, ok := f.table.FoldOf(pageURL); ok {
		return f.folds[fold]
	}
	return f.full
}

// ReadCrossFitted reads the models that `train --cross-fit` wrote to dir. These are the table of folds,
// and the models of fold i in the folder i. The judge full is used for pages that are not in the table.
func ReadCrossFitted(fsys fs.FS, dir string, full *Judge) (*Folded[*Judge], error) {
	return readFolded(fsys, dir, full, func(dir string) (*Judge, error) { return ReadJudge(fsys, dir) })
}

// ReadFolded is like ReadCrossFitted for a single model, the one with the task of full.
func ReadFolded(fsys fs.FS, dir string, full *Model) (*Folded[*Model], error) {
	return readFolded(fsys, dir, full, func(dir string) (*Model, error) {
		m, err := readModelFile(fsys, path.Join(dir, full.Task+".model"))
		if err == nil && (m.Task != full.Task || len(m.Classes) != len(full.Classes)) {
			err = fmt.Errorf("%s: the model has task %q and %d classes, but the model of all pages has task %q and %d classes", dir, m.Task, len(m.Classes), full.Task, len(full.Classes))
		}
		return m, err
	})
}

func readFolded[T any](fsys fs.FS, dir string, full T, read func(dir string) (T, error)) (*Folded[T], error) {
	file, err := fsys.Open(path.Join(dir, foldsFile))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // opened for reading: an error on closing loses nothing
	f := &Folded[T]{full: full}
	if f.table, err = ReadFolds(file); err != nil {
		return nil, err
	}
	for i := range f.table.Len() {
		fold, err := read(path.Join(dir, strconv.Itoa(i)))
		if err != nil {
			return nil, err
		}
		f.folds = append(f.folds, fold)
	}
	return f, nil
}
