package lines

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// read returns all lines, and the reported problems.
func read(in io.Reader) (got, bad []string, err error) {
	r := NewScanner(in, "f.txt", func(err error) { bad = append(bad, err.Error()) })
	for r.Next() {
		if s := r.TrimmedText(); s != "" {
			got = append(got, s)
		}
	}
	return got, bad, r.Err()
}

func TestScanner(t *testing.T) {
	long := strings.Repeat("x", 3*MaxLine)
	for _, c := range []struct {
		name, in  string
		want, bad []string
	}{
		{"lines", "\ufeffone\r\n two \n\nthree", []string{"one", "two", "three"}, nil},
		{"empty", "", nil, nil},
		{"not UTF-8", "a\n\xff\nb\n", []string{"a", "b"}, []string{"f.txt:2: the file is not UTF-8; convert it"}},
		{"long line", "a\n" + long + "\nb", []string{"a", "b"}, []string{fmt.Sprintf("f.txt:2: the line has more than %d bytes", MaxLine)}},
		{"long last line", "a\n" + long, []string{"a"}, []string{fmt.Sprintf("f.txt:2: the line has more than %d bytes", MaxLine)}},
	} {
		got, bad, err := read(strings.NewReader(c.in))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: lines (-want +got):\n%s", c.name, diff)
		}
		if diff := cmp.Diff(c.bad, bad); diff != "" {
			t.Errorf("%s: reports (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestScannerBounds(t *testing.T) {
	_, bad, err := read(strings.NewReader(strings.Repeat("\xff\n", MaxBad+5)))
	if err != nil || len(bad) != MaxBad+1 || bad[MaxBad] != "f.txt: 5 more bad lines" {
		t.Errorf("%d reports, error %v", len(bad), err)
	}
	endless := NewScanner(zeros{}, "zeros", nil)
	for endless.Next() {
	}
	if err := endless.Err(); err == nil || !strings.Contains(err.Error(), "more than 268435456 bytes") {
		t.Errorf("an endless file of one line: %v", err)
	}
	if _, _, err := read(iotest.ErrReader(io.ErrUnexpectedEOF)); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a file that cannot be read: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// The bound holds over a reader that has a larger buffer itself.
func TestReaderOverBuffer(t *testing.T) {
	r := NewReader(bufio.NewReaderSize(strings.NewReader(strings.Repeat("x", 99)+"\nshort"), 1<<16), 64)
	if _, err := r.Next(); !errors.Is(err, ErrLong) {
		t.Errorf("a line of 99 bytes: %v", err)
	}
	if line, err := r.Next(); string(line) != "short" || err != nil {
		t.Errorf("%q, %v", line, err)
	}
}
