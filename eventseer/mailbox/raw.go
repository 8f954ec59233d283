package mailbox

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
)

// Raw yields the messages of r as they are, each read up to MaxMessage bytes: those of an
// mbox, or r as the only one. name is r's in errors.
func Raw(r io.Reader, name string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		all := bufio.NewReader(r)
		start, err := all.Peek(len("From "))
		switch {
		case len(start) == 0 && !errors.Is(err, io.EOF):
			yield(nil, fmt.Errorf("%s: %w", name, err))
		case string(start) != "From ":
			raw, err := io.ReadAll(io.LimitReader(all, MaxMessage))
			if err == nil && len(bytes.TrimSpace(raw)) == 0 {
				return
			}
			yield(raw, err)
		default:
			rawBox(all, name, yield)
		}
	}
}

func rawBox(r io.Reader, name string, yield func([]byte, error) bool) {
	for m, err := range inBox(r, name) {
		var raw []byte
		if err == nil {
			raw, err = io.ReadAll(io.LimitReader(m.raw, MaxMessage))
			if err != nil {
				err = fmt.Errorf("%s: message %d: %w", name, m.n, err)
			}
		}
		if !yield(raw, err) {
			return
		}
	}
}

// RawMaildir yields the messages of a maildir as Raw does, in the order in which they
// came.
func RawMaildir(dir string) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		deliveries, err := deliveriesIn(dir)
		if err != nil && !yield(nil, err) {
			return
		}
		for _, d := range deliveries {
			raw, err := rawFile(d.path)
			if !yield(raw, err) {
				return
			}
		}
	}
}

func rawFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	return io.ReadAll(io.LimitReader(f, MaxMessage))
}
