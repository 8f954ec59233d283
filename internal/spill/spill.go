// Package spill stores values for a second pass, most of them in a temporary file.
package spill

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// inMemory is the number of values in memory before the others go to a file.
const inMemory = 256

// Values stores values for a second pass. The first inMemory are in memory and the others as JSON in a
// temporary file, which has no name if the system allows it. Encoding a value as JSON must lose nothing.
// The zero value is empty. It is not safe for concurrent use. Call Close after use.
type Values[T any] struct {
	first []T
	file  *os.File
	w     *bufio.Writer
	n     int
}

// Len returns the number of values.
func (s *Values[T]) Len() int { return s.n }

// Add adds a value at the end.
func (s *Values[T]) Add(v T) error {
	if s.n++; len(s.first) < inMemory {
		s.first = append(s.first, v)
		return nil
	}
	if s.file == nil {
		f, err := os.CreateTemp("", "eventseer-waiting-")
		if err != nil {
			return s.withAdvice(err)
		}
		s.file, s.w = f, bufio.NewWriterSize(f, 1<<16)
		_ = os.Remove(f.Name()) // if an open file cannot be removed, Close removes it
	}
	line, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode a value for the temporary file: %w", err)
	}
	_, err = s.w.Write(append(line, '\n'))
	return s.withAdvice(err)
}

// withAdvice returns an error that says what to do about err.
func (s *Values[T]) withAdvice(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("create the temporary file for waiting pages in %s (TMPDIR names another folder): %w", os.TempDir(), err)
}

// RemoveAll returns the values in the order they were added and removes them; an error is the last element.
func (s *Values[T]) RemoveAll() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		for _, v := range s.first {
			if !yield(v, nil) {
				return
			}
		}
		s.first, s.n = s.first[:0], 0
		if s.file == nil {
			return
		}
		if err := s.rewind(s.w.Flush()); err != nil {
			yield(none, err)
			return
		}
		d := json.NewDecoder(bufio.NewReaderSize(s.file, 1<<16))
		for {
			var v T
			err := d.Decode(&v)
			if err == io.EOF {
				break
			}
			if err != nil {
				yield(none, s.withAdvice(err))
				return
			}
			if !yield(v, nil) {
				return
			}
		}
		if err := s.rewind(s.file.Truncate(0)); err != nil {
			yield(none, err)
		}
	}
}

// rewind returns to the beginning of the file, unless before is an error.
func (s *Values[T]) rewind(before error) error {
	if before != nil {
		return s.withAdvice(before)
	}
	_, err := s.file.Seek(0, io.SeekStart)
	return s.withAdvice(err)
}

// Close discards the values and removes the file.
func (s *Values[T]) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if gone := os.Remove(s.file.Name()); !errors.Is(gone, os.ErrNotExist) {
		err = cmp.Or(err, gone)
	}
	s.file = nil
	return err
}
