// Package tsv reads tab-separated tables whose first line names the columns.
package tsv

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/internal/coding"
	"github.com/eventseer/eventseer/internal/lines"
)

// A Reader reads tab-separated lines after a line with the column names. There is no quoting.
type Reader struct {
	rows   *bufio.Scanner
	Header []string // the names of the columns
	Line   int      // line number in the file, from 1
}

// NewReader returns a Reader after reading the line with the column names.
func NewReader(r io.Reader) (*Reader, error) {
	t := &Reader{rows: bufio.NewScanner(r), Line: 1}
	t.rows.Buffer(nil, lines.MaxLine)
	if !t.rows.Scan() {
		return nil, errors.Join(t.rows.Err(), errors.New("the file is empty"))
	}
	t.Header = strings.Split(strings.TrimPrefix(t.rows.Text(), "\ufeff"), "\t")
	return t, nil
}

// Columns returns the indexes of the columns in need and maybe. It returns an error if a column of need
// is missing, and the index -1 for a missing column of maybe.
func (t *Reader) Columns(need, maybe []string) ([]int, error) {
	var places []int
	for _, name := range slices.Concat(need, maybe) {
		at := slices.Index(t.Header, name)
		if at < 0 && slices.Contains(need, name) {
			return nil, fmt.Errorf("the first line must name the columns %s; it is %.100q", strings.Join(need, ", "), strings.Join(t.Header, "\t"))
		}
		places = append(places, at)
	}
	return places, nil
}

// Next returns the fields of the next line; io.EOF at the end.
func (t *Reader) Next() ([]string, error) {
	if t.Line++; !t.rows.Scan() {
		if err := t.rows.Err(); err != nil {
			return nil, fmt.Errorf("line %d: %w", t.Line, err)
		}
		return nil, io.EOF
	}
	return strings.Split(t.rows.Text(), "\t"), nil
}

// Rows calls row with the named columns of each line of a TSV file whose first line has the column names.
// Columns in need must exist; missing ones in maybe are "".
func Rows(r io.Reader, need, maybe []string, row func(fields []string) error) error {
	t, err := NewReader(r)
	if err != nil {
		return err
	}
	places, err := t.Columns(need, maybe)
	if err != nil {
		return err
	}
	fields := make([]string, len(places))
	for {
		line, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		for i, at := range places {
			if fields[i] = ""; at >= 0 && at < len(line) {
				fields[i] = line[at]
			}
		}
		if err := row(fields); err != nil {
			return fmt.Errorf("line %d: %w", t.Line, err)
		}
	}
}

// Open opens a file, and decompresses it if its name ends in .gz.
func Open(path string) (io.ReadCloser, error) {
	f, err := os.Open(path)
	if err != nil || !strings.HasSuffix(path, ".gz") {
		return f, err
	}
	z, err := coding.Gunzip(f)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w: it is not a gzip file, name it without .gz", path, err), f.Close())
	}
	return struct {
		io.Reader
		io.Closer
	}{z, f}, nil
}
