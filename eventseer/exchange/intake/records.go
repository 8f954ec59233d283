package intake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/eventseer/eventseer/eventseer/exchange"
	"github.com/eventseer/eventseer/eventseer/store"
	"github.com/eventseer/eventseer/internal/lines"
)

// NewRecords returns an import into a store; stdin is read for the path "-".
func NewRecords(st *store.Store, stdin io.Reader, log func(format string, args ...any)) *Records {
	return &Records{stdin: stdin, log: log, st: st}
}

// Records puts records into a store.
type Records struct {
	stdin io.Reader
	log   func(format string, args ...any)
	st    *store.Store

	N, Left, Bad int
	First        error
	// Read wraps the reader of a file, for progress; nil does not.
	Read func(io.Reader) io.Reader
}

// maxTold bounds the bad lines that are reported individually.
const maxTold = 20

// fieldLines is how many lines of a file are searched for renamed fields; a list with renamed
// fields has them in every line.
const fieldLines = 100

func (in *Records) logInvalid(err error) {
	if in.Bad++; in.Bad <= maxTold {
		in.log("%v", err)
	}
	if in.First == nil {
		in.First = err
	}
}

// ReadFile reads the records of a file.
func (in *Records) ReadFile(ctx context.Context, path string) error {
	r := in.stdin
	if path != "-" {
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		if r = f; in.Read != nil {
			r = in.Read(f)
		}
	}
	r, err := exchange.Gunzipped(r)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	told := map[string]bool{}
	for text := lines.NewReader(r, exchange.MaxRecord); ; {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, err := text.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, lines.ErrLong):
			in.logInvalid(fmt.Errorf("%s: line %d: %w", path, text.N, err))
			continue
		case err != nil:
			return fmt.Errorf("%s: line %d: %w", path, text.N, err)
		}
		if text.N <= fieldLines {
			for _, err := range exchange.RenamedFields(line) {
				if !told[err.Error()] {
					told[err.Error()] = true
					in.logInvalid(fmt.Errorf("%s: line %d: %w", path, text.N, err))
				}
			}
		}
		e, ok, err := exchange.ReadRecord(line)
		switch {
		case err != nil:
			in.logInvalid(fmt.Errorf("%s: line %d: %w", path, text.N, err))
		case ok:
			if _, err := in.st.Put(ctx, e, nil); err != nil {
				return err
			}
			in.N++
		default:
			in.Left++
		}
	}
}
