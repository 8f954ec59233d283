package active

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/internal/bolt"
)

// Columns are the columns of a new labels file.
var Columns = []string{"url", "page_type", "is_cfp", "subtype", "group", "lang", "discipline", "how", "source"}

// maxLabelLine bounds a line of a labels file, in bytes.
const maxLabelLine = 64 << 10

// A File is a labels file to which lines are appended. Another program may
// append to it at the same time; it is not safe for concurrent use.
type File struct {
	f       *os.File
	columns []string
}

// A Labelled says what a labels file holds: its columns and the pages it names.
type Labelled struct {
	columns []string
	URLs    map[string]bool
	end     int64    // of the last whole line, in bytes
	rest    []string // the fields after that
}

// ReadFile reads the labels file at path; an absent or empty one names no
// page.
func ReadFile(path string) (Labelled, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Labelled{}, nil
	}
	if err != nil {
		return Labelled{}, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	l, err := scanLabelled(f)
	if err != nil {
		return Labelled{}, fmt.Errorf("%s:%w", path, err)
	}
	return l, nil
}

func scanLabelled(r io.Reader) (Labelled, error) {
	l := Labelled{URLs: map[string]bool{}}
	lines := bufio.NewReaderSize(r, maxLabelLine)
	for n := 1; ; n++ {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return l, fmt.Errorf("%d: the line is longer than %d bytes", n, maxLabelLine)
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return l, fmt.Errorf("%d: %w", n, err)
		}
		fields := strings.Split(strings.TrimRight(string(line), "\r\n"), "\t")
		if len(line) > 0 && len(fields) == len(l.columns) {
			l.URLs[fields[slices.Index(l.columns, "url")]] = true
		}
		if err != nil { // the end
			if len(line) > 0 {
				l.rest = fields
			}
			return l, nil
		}
		if n == 1 {
			if l.columns, err = labelHeader(fields); err != nil {
				return l, err
			}
		}
		l.end += int64(len(line))
	}
}

func labelHeader(fields []string) ([]string, error) {
	fields[0] = strings.TrimPrefix(fields[0], "\ufeff")
	for _, need := range Columns[:3] {
		if !slices.Contains(fields, need) {
			return nil, fmt.Errorf("1: the header names no column %q, it must name url, page_type and is_cfp, tab-separated", need)
		}
	}
	return fields, nil
}

// OpenFile opens a labels file to append to, and makes it if need be. What
// a killed program left of a line at its end is cut off; a whole line that just
// lacks its end is kept.
func OpenFile(path string) (*File, map[string]bool, error) {
	had, err := ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, nil, err
	}
	l := &File{f: f, columns: had.columns}
	if err := l.repairEnd(had); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return l, had.URLs, nil
}

// repairEnd brings the end of the file to the end of a line, and gives a new file
// its header.
func (l *File) repairEnd(had Labelled) error {
	switch {
	case len(had.columns) == 0 && had.rest != nil:
		return fmt.Errorf("%s is no labels file: its first line has no end", l.f.Name())
	case len(had.columns) == 0:
		l.columns = Columns
		if err := l.write(strings.Join(Columns, "\t") + "\n"); err != nil {
			return err
		}
		return bolt.SyncDir(filepath.Dir(l.f.Name()))
	case had.rest == nil:
		return nil
	case len(had.rest) == len(had.columns):
		return l.write("\n")
	}
	if err := l.f.Truncate(had.end); err != nil {
		return err
	}
	return l.f.Sync()
}

// write writes and waits until the bytes are on disk. What was written of a
// line that did not fit is taken back.
func (l *File) write(line string) error {
	before, err := l.size()
	if err != nil {
		return err
	}
	if _, err := l.f.WriteString(line); err != nil {
		return errors.Join(err, l.f.Truncate(before))
	}
	return l.f.Sync()
}

func (l *File) size() (int64, error) {
	info, err := l.f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// add appends a label, given by column, and returns its line. When it returns
// the line is on disk.
func (l *File) add(label map[string]string) (line string, err error) {
	fields := make([]string, len(l.columns))
	for i, column := range l.columns {
		if fields[i] = label[column]; !IsField(fields[i]) {
			return "", fmt.Errorf("%s: %s %q does not fit a tab-separated line", l.f.Name(), column, fields[i])
		}
	}
	line = strings.Join(fields, "\t") + "\n"
	if len(line) > maxLabelLine {
		return "", fmt.Errorf("%s: the label of %s is longer than %d bytes", l.f.Name(), label["url"], maxLabelLine)
	}
	return line, l.write(line)
}

// IsField reports whether s can be in a labels file.
func IsField(s string) bool { return utf8.ValidString(s) && !strings.ContainsAny(s, "\t\r\n") }

// remove takes the last line back, which must be the one that add returned.
func (l *File) remove(line string) error {
	size, err := l.size()
	if err != nil {
		return err
	}
	from := size - int64(len(line))
	last := make([]byte, len(line))
	if from < 0 {
		return l.changed()
	}
	if _, err := l.f.ReadAt(last, from); err != nil {
		return err
	}
	if !bytes.Equal(last, []byte(line)) {
		return l.changed()
	}
	if err := l.f.Truncate(from); err != nil {
		return err
	}
	return l.f.Sync()
}

func (l *File) changed() error {
	return fmt.Errorf("%s was changed by another program: take the label back there", l.f.Name())
}

// Close closes the file.
func (l *File) Close() error { return l.f.Close() }
