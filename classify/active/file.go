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

// Columns are the columns of a labels file that OpenFile creates.
var Columns = []string{"url", "page_type", "is_cfp", "subtype", "group", "lang", "discipline", "how", "source"}

// maxLabelLine is the largest length of a line of a labels file, in bytes.
const maxLabelLine = 64 << 10

// A File is a labels file to which lines are appended. Another program may
// append to it at the same time; it is not safe for concurrent use.
type File struct {
	f       *os.File
	columns []string
}

// A Labelled is the contents of a labels file: its columns and the URLs of the pages it labels.
type Labelled struct {
	columns []string
	URLs    map[string]bool
	end     int64    // offset after the last complete line, in bytes
	rest    []string // the fields after that
}

// ReadFile reads the labels file at path. A missing or empty file gives a Labelled without URLs.
func ReadFile(path string) (Labelled, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Labelled{}, nil
	}
	if err != nil {
		return Labelled{}, err
	}
	defer func() { _ = f.Close() }() // opened for reading: an error on closing loses nothing
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

// OpenFile opens a labels file for appending and creates it if it does not exist. An incomplete line at
// its end, which a killed program left, is cut off. A complete line that only lacks its newline is kept.
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

// repairEnd makes the file end with a complete line and its newline, and writes the header of a new file.
func (l *File) repairEnd(had Labelled) error {
	switch {
	case len(had.columns) == 0 && had.rest != nil:
		return fmt.Errorf("%s is not a labels file: its first line has no line end", l.f.Name())
	case len(had.columns) == 0:
		l.columns = Columns
		if err := l.appendLine(strings.Join(Columns, "\t") + "\n"); err != nil {
			return err
		}
		return bolt.SyncDir(filepath.Dir(l.f.Name()))
	case had.rest == nil:
		return nil
	case len(had.rest) == len(had.columns):
		return l.appendLine("\n")
	}
	if err := l.f.Truncate(had.end); err != nil {
		return err
	}
	return l.f.Sync()
}

// appendLine appends line and returns once the bytes are on disk. If it fails, it removes what it wrote of the
// line.
func (l *File) appendLine(line string) error {
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

// appendLabel appends a label, given as values by column, and returns its line. The line is on disk when
// appendLabel returns.
func (l *File) appendLabel(label map[string]string) (line string, err error) {
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
	return line, l.appendLine(line)
}

// IsField reports whether s can be a value in a labels file: valid UTF-8 without tab and line break.
func IsField(s string) bool { return utf8.ValidString(s) && !strings.ContainsAny(s, "\t\r\n") }

// removeLastLine deletes the last line of the file, which must be the one that appendLabel returned last.
func (l *File) removeLastLine(line string) error {
	size, err := l.size()
	if err != nil {
		return err
	}
	from := size - int64(len(line))
	last := make([]byte, len(line))
	if from < 0 {
		return l.changedError()
	}
	if _, err := l.f.ReadAt(last, from); err != nil {
		return err
	}
	if !bytes.Equal(last, []byte(line)) {
		return l.changedError()
	}
	if err := l.f.Truncate(from); err != nil {
		return err
	}
	return l.f.Sync()
}

func (l *File) changedError() error {
	return fmt.Errorf("%s was changed by another program: remove the label in that file", l.f.Name())
}

// Close closes the file.
func (l *File) Close() error { return l.f.Close() }
