package edgeindex

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/eventseer/eventseer/crawler/backlink/sortedlinks"
)

const (
	edgeFanIn   = 32        // runs merged at once
	edgeRunRead = 256 << 10 // bytes of each read at once
	ctxPause    = 1 << 12   // records between two checks of the context
)

// An edgeSorter sorts more records than memory holds, records with equal keys in the order they
// were added. It fills a chunk while the chunk before it is sorted and written to a temporary file,
// a run. As soon as there are edgeFanIn runs of a level they are merged into one of the next, so
// the number of open files is bounded whatever the number of records, and each record is written a
// few times at most.
type edgeSorter struct {
	path    string // prefix of the paths of temporary files
	limit   int    // bytes of a chunk
	chunk   edgeChunk
	spare   edgeChunk // a chunk whose memory is reused
	runs    [][]*os.File
	spilled chan error // of the chunk being written; nil if there is none
}

// An edgeChunk holds records in memory.
type edgeChunk struct {
	data    []byte
	records []edgeRecord
}

// An edgeRecord is the position of a record in its chunk: key, then value.
type edgeRecord struct {
	at         uint32
	key, value uint16
}

// recordSize is the overhead of a record besides its bytes.
const recordSize = 8

// newEdgeSorter returns a sorter with two chunks that use half of memory; the other half is for
// garbage.
func newEdgeSorter(path string, memory int) *edgeSorter {
	return &edgeSorter{path: path, limit: min(memory/4, 1<<31)}
}

func (c *edgeChunk) size() int { return len(c.data) + recordSize*len(c.records) }

func (c *edgeChunk) keyOf(r edgeRecord) []byte { return c.data[r.at : r.at+uint32(r.key)] }

// sort sorts the records by key, stably.
func (c *edgeChunk) sort() {
	slices.SortFunc(c.records, func(a, b edgeRecord) int {
		return cmp.Or(bytes.Compare(c.keyOf(a), c.keyOf(b)), cmp.Compare(a.at, b.at))
	})
}

// add adds a record. Key and value must be shorter than 64 KB.
func (s *edgeSorter) add(ctx context.Context, key, value []byte) error {
	c := &s.chunk
	if len(c.records) > 0 && c.size()+recordSize+len(key)+len(value) > s.limit {
		if err := s.beginWriting(ctx); err != nil {
			return err
		}
	}
	if len(c.data) > s.limit/16 && cap(c.data) < s.limit {
		c.data = slices.Grow(c.data, s.limit-len(c.data)) // all at once instead of by doubling
	}
	c.records = append(c.records, edgeRecord{uint32(len(c.data)), uint16(len(key)), uint16(len(value))})
	c.data = append(append(c.data, key...), value...)
	return nil
}

// beginWriting begins to write the chunk, after the previous one is written.
func (s *edgeSorter) beginWriting(ctx context.Context) error {
	if err := s.waitForWrite(); err != nil {
		return err
	}
	full := s.chunk
	s.chunk, s.spare = edgeChunk{s.spare.data[:0], s.spare.records[:0]}, full
	done := make(chan error, 1)
	s.spilled = done
	go func() {
		full.sort()
		done <- s.addRun(ctx, 0, func(yield func(key, value []byte) error) error {
			for _, r := range full.records {
				at := r.at + uint32(r.key)
				if err := yield(full.keyOf(r), full.data[at:at+uint32(r.value)]); err != nil {
					return err
				}
			}
			return nil
		})
	}()
	return nil
}

// waitForWrite returns when no chunk is being written.
func (s *edgeSorter) waitForWrite() error {
	if s.spilled == nil {
		return nil
	}
	err := <-s.spilled
	s.spilled = nil
	return err
}

// temporaryFile creates a file without a name, so that a killed build leaves nothing.
func (s *edgeSorter) temporaryFile() (*os.File, error) {
	f, err := os.CreateTemp(filepath.Dir(s.path), "."+filepath.Base(s.path)+".sort-*")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(f.Name()); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// addRun writes a run of a level and merges the level if it is full.
func (s *edgeSorter) addRun(ctx context.Context, level int, records func(yield func(key, value []byte) error) error) error {
	f, err := s.temporaryFile()
	if err != nil {
		return err
	}
	if level == len(s.runs) {
		s.runs = append(s.runs, nil)
	}
	s.runs[level] = append(s.runs[level], f)
	out := bufio.NewWriterSize(f, edgeRunRead)
	var head []byte
	err = records(func(key, value []byte) error {
		head = binary.AppendUvarint(binary.AppendUvarint(head[:0], uint64(len(key))), uint64(len(value)))
		_, err1 := out.Write(head)
		_, err2 := out.Write(key)
		_, err3 := out.Write(value)
		return cmp.Or(err1, err2, err3)
	})
	if err = cmp.Or(err, out.Flush()); err != nil {
		return fmt.Errorf("sort in %s: %w", filepath.Dir(f.Name()), err)
	}
	if len(s.runs[level]) < edgeFanIn {
		return nil
	}
	full := s.runs[level]
	s.runs[level] = nil
	err = s.addRun(ctx, level+1, func(yield func(key, value []byte) error) error { return mergeRuns(ctx, full, nil, yield) })
	return errors.Join(err, closeAll(full))
}

// mergeAll calls f for all records in order. No record may be added after it.
func (s *edgeSorter) mergeAll(ctx context.Context, f func(key, value []byte) error) error {
	if err := s.waitForWrite(); err != nil {
		return err
	}
	s.spare = edgeChunk{}
	s.chunk.sort()
	var runs []*os.File
	for _, level := range slices.Backward(s.runs) { // the highest came first
		runs = append(runs, level...)
	}
	return mergeRuns(ctx, runs, &s.chunk, f)
}

// close waits for writing to end and removes the runs.
func (s *edgeSorter) close() error {
	_ = s.waitForWrite() // the caller already has the error
	return closeAll(slices.Concat(s.runs...))
}

func closeAll(files []*os.File) error {
	var errs []error
	for _, f := range files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// A runReader reads one sorted run: a file, or else a chunk.
type runReader struct {
	in    *bufio.Reader
	chunk *edgeChunk
	next  int // record of the chunk
	order int // order of runs: for equal keys the first run comes first

	record     []byte
	key, value []byte
}

// advance reads the next record; io.EOF is the end.
func (r *runReader) advance() error {
	if r.chunk != nil {
		if r.next == len(r.chunk.records) {
			return io.EOF
		}
		rec := r.chunk.records[r.next]
		at := rec.at + uint32(rec.key)
		r.key, r.value = r.chunk.keyOf(rec), r.chunk.data[at:at+uint32(rec.value)]
		r.next++
		return nil
	}
	n, err := binary.ReadUvarint(r.in)
	if err != nil {
		return err
	}
	m, err := binary.ReadUvarint(r.in)
	if err != nil {
		return io.ErrUnexpectedEOF
	}
	r.record = slices.Grow(r.record[:0], int(n+m))[:n+m]
	if _, err := io.ReadFull(r.in, r.record); err != nil {
		return io.ErrUnexpectedEOF
	}
	r.key, r.value = r.record[:n], r.record[n:]
	return nil
}

// ComesBefore orders readers by their next records, and equal ones by their runs.
func (r *runReader) ComesBefore(other *runReader) bool {
	c := bytes.Compare(r.key, other.key)
	return c < 0 || c == 0 && r.order < other.order
}

// mergeRuns calls f for the records of sorted files and of a chunk, which may be
// nil and comes last. Key and value are valid during the call.
func mergeRuns(ctx context.Context, files []*os.File, chunk *edgeChunk, f func(key, value []byte) error) error {
	var heap []*runReader
	add := func(r *runReader) error {
		r.order = len(heap)
		err := r.advance()
		if err == nil {
			heap = append(heap, r)
		}
		return ignoreEOF(err)
	}
	for _, file := range files {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return err
		}
		if err := add(&runReader{in: bufio.NewReaderSize(file, edgeRunRead)}); err != nil {
			return err
		}
	}
	if chunk != nil {
		if err := add(&runReader{chunk: chunk}); err != nil {
			return err
		}
	}
	for i := len(heap)/2 - 1; i >= 0; i-- {
		sortedlinks.SiftDown(heap, i)
	}
	for n := 0; len(heap) > 0; n++ {
		if n%ctxPause == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if err := f(heap[0].key, heap[0].value); err != nil {
			return err
		}
		err := heap[0].advance()
		if ignoreEOF(err) != nil {
			return err
		}
		if err != nil {
			heap[0] = heap[len(heap)-1]
			heap = heap[:len(heap)-1]
		}
		sortedlinks.SiftDown(heap, 0)
	}
	return nil
}

func ignoreEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
