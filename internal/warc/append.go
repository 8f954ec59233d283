package warc

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// A Place is where a record stands, for ReadAt.
type Place struct {
	// File is the base name of the file, in the folder of the Writer's path.
	File   string
	Offset int64 // of its member, in bytes
}

// Append is Write, and returns where each of the records stands.
func (w *Writer) Append(recs ...*Record) ([]Place, error) {
	for _, rec := range recs {
		if err := check(rec); err != nil {
			return nil, err
		}
	}
	z := w.zipper()
	defer w.zips.Put(z)
	starts, err := z.zip(recs)
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return nil, w.err
	}
	if w.count > 0 && w.end > w.begin && w.end+int64(z.out.Len()) > w.options.MaxSize {
		if err := w.next(); err != nil {
			w.err = fmt.Errorf("WARC cannot be written on: %w", err)
			return nil, w.err
		}
	}
	places := make([]Place, len(recs))
	for i, start := range starts {
		places[i] = Place{filepath.Base(w.file.Name()), w.end + start}
	}
	if err := w.write(z.out.Bytes()); err != nil {
		return nil, err
	}
	for _, rec := range recs {
		w.seen.add(rec)
	}
	return places, nil
}

// Sync writes the file through to the disk: what was written before survives a
// failure of power. After an error nothing can be written any more.
func (w *Writer) Sync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err != nil {
		return w.err
	}
	if err := w.file.Sync(); err != nil {
		w.err = fmt.Errorf("WARC cannot be written on: %w", err)
	}
	return w.err
}

// ReadAt reads the record whose member begins at an offset of a file.
func ReadAt(path string, offset int64) (*Record, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if offset < 0 || offset >= info.Size() {
		return nil, fmt.Errorf("%s: %w: no record at byte %d of %d", path, ErrNotFound, offset, info.Size())
	}
	return NewReader(f, info.Size(), path).readAt(Position{Offset: offset})
}

// NewConversion returns a record of what another was made into (WARC 1.1 §6.8).
func NewConversion(of *Record, at time.Time, contentType string, block []byte) *Record {
	rec := newRecord("conversion", of.TargetURI(), at, contentType, block)
	rec.Header = append(rec.Header, Field{"WARC-Refers-To", of.Header.Get("WARC-Record-ID")})
	return rec
}
