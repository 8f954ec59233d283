package rundir

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"path/filepath"
)

// WriteRun writes run.json in one piece: at the start of the run, and again at
// its end with totals and the reason.
func (d *Dir) WriteRun(v any) error {
	return replace(filepath.Join(d.path, RunFile), func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		return enc.Encode(v)
	})
}

// WriteEvents writes events.jsonl in one piece, a line an event. The first
// error of events ends it and leaves an earlier file as it was.
func (d *Dir) WriteEvents(events iter.Seq2[any, error]) error {
	return replace(filepath.Join(d.path, EventsFile), func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		for event, err := range events {
			if err != nil {
				return err
			}
			if err := enc.Encode(event); err != nil {
				return err
			}
		}
		return nil
	})
}

// replace writes a file beside path and renames it, so that path is whole at
// every moment.
func replace(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("run: %w", err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("run: %s: %w", path, errors.Join(err, f.Close(), os.Remove(f.Name())))
		}
	}()
	b := bufio.NewWriter(f)
	if err := write(b); err != nil {
		return err
	}
	if err := b.Flush(); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
