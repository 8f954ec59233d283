package classify

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"eventseer/features"
	"eventseer/features/tagtree"

	"github.com/zeebo/xxh3"
)

// A folds file, all numbers little-endian:
//
//	8 bytes   magic "ESfolds\n"
//	uint32    format version
//	uint32    number of folds
//	uint32    number of keys, then a key: its uint64 xxh3, its uint8 fold;
//	          hashes strictly increase
//	32 bytes  SHA-256 of everything before
const (
	foldsMagic    = "ESfolds\n"
	foldsVersion  = 1
	maxFoldsBytes = 64 << 20
	maxFolds      = 255
)

// Folds says for pages and hosts in which fold of a cross-fitting they were held
// out. It keeps hashes, no names. It is read-only and safe for concurrent use.
type Folds struct {
	n      int
	hashes []uint64 // strictly increasing
	folds  []uint8  // one a hash
}

// HostKey returns the key that stands for all pages of a page's host: the
// lower-case host name of its URL, or the URL itself where it names no host.
func HostKey(pageURL string) string {
	u, err := url.Parse(pageURL)
	if err != nil || u.Hostname() == "" {
		return pageURL
	}
	return strings.ToLower(u.Hostname())
}

// NewFolds makes a table of n folds from the fold, 0 to n-1, of each key. A key
// is the URL of a page, or a HostKey for a host whose pages share a fold.
func NewFolds(n int, foldOf map[string]int) (*Folds, error) {
	if n < 2 || n > maxFolds {
		return nil, fmt.Errorf("folds: %d folds, 2 to %d can be had", n, maxFolds)
	}
	type entry struct {
		hash uint64
		fold int
	}
	entries := make([]entry, 0, len(foldOf))
	for key, fold := range foldOf {
		if fold < 0 || fold >= n {
			return nil, fmt.Errorf("folds: %q is in fold %d of %d", key, fold, n)
		}
		entries = append(entries, entry{xxh3.HashString(key), fold})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.hash, b.hash) })
	f := &Folds{n: n}
	for i, e := range entries {
		if i > 0 && entries[i-1].hash == e.hash {
			return nil, fmt.Errorf("folds: two keys share the hash %x", e.hash)
		}
		f.hashes = append(f.hashes, e.hash)
		f.folds = append(f.folds, uint8(e.fold))
	}
	return f, nil
}

// Len returns the number of folds.
func (f *Folds) Len() int { return f.n }

// Of returns the fold of a page, or else of its host; ok is false if neither is
// in the table.
func (f *Folds) Of(pageURL string) (fold int, ok bool) {
	for _, key := range []string{pageURL, HostKey(pageURL)} {
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
	b, _, err := readSealed(r, foldsMagic, foldsVersion, maxFoldsBytes)
	if err != nil {
		return nil, err
	}
	if len(b) < 8 {
		return nil, errTruncated
	}
	n, count := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
	b = b[8:]
	if n < 2 || n > maxFolds || uint64(len(b)) != uint64(count)*9 {
		return nil, fmt.Errorf("%d folds and %d keys in %d bytes", n, count, len(b))
	}
	f := &Folds{n: int(n)}
	for ; len(b) > 0; b = b[9:] {
		hash, fold := binary.LittleEndian.Uint64(b), b[8]
		if last := len(f.hashes) - 1; last >= 0 && f.hashes[last] >= hash || uint32(fold) >= n {
			return nil, fmt.Errorf("key %d is out of order or in no fold", len(f.hashes))
		}
		f.hashes = append(f.hashes, hash)
		f.folds = append(f.folds, fold)
	}
	return f, nil
}

// CrossFitted judges each training page, and each page of a training host, by
// models that were trained without its group, other pages by the full models. Use it where
// the pages to be judged may be training pages. It is safe for concurrent use.
type CrossFitted struct {
	full  *Judge
	folds []*Judge
	table *Folds
}

// NewCrossFitted returns a judge that applies folds[i] to the pages the table
// puts into fold i, and full to all others.
func NewCrossFitted(full *Judge, folds []*Judge, table *Folds) (*CrossFitted, error) {
	if len(folds) != table.Len() {
		return nil, fmt.Errorf("cross-fitted judge: %d judges for %d folds", len(folds), table.Len())
	}
	return &CrossFitted{full: full, folds: folds, table: table}, nil
}

// Page judges one page like Judge.Page.
func (c *CrossFitted) Page(t *tagtree.Tree) Judgement {
	return c.For(t.Page.URL).Document(features.Read(t))
}

// For returns the judge of the page at pageURL.
func (c *CrossFitted) For(pageURL string) *Judge {
	if fold, ok := c.table.Of(pageURL); ok {
		return c.folds[fold]
	}
	return c.full
}

// ReadCrossFitted reads the models that `train --cross-fit` wrote to dir: the
// table folds, and the models of fold i in the folder i. full judges the pages
// of unknown hosts.
func ReadCrossFitted(fsys fs.FS, dir string, full *Judge) (*CrossFitted, error) {
	table, err := readFoldsFile(fsys, dir)
	if err != nil {
		return nil, err
	}
	var judges []*Judge
	for i := range table.Len() {
		judge, err := ReadJudge(fsys, path.Join(dir, strconv.Itoa(i)))
		if err != nil {
			return nil, err
		}
		judges = append(judges, judge)
	}
	return NewCrossFitted(full, judges, table)
}

func readFoldsFile(fsys fs.FS, dir string) (*Folds, error) {
	f, err := fsys.Open(path.Join(dir, foldsFile))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	return ReadFolds(f)
}
