// Package dump exports a store for other programs: exports, and dated dumps of all calls with their
// checksums. Files appear only when they are complete.
package dump

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/exchange"
	"github.com/eventseer/eventseer/internal/atomicfile"
	"github.com/eventseer/eventseer/internal/lines"
)

// SumsFile is the name of the file with the checksums of all dumps in a folder.
const SumsFile = "SHA256SUMS"

// fileName matches the files of a dump; only such files are ever removed.
var fileName = regexp.MustCompile(`^events-(\d{4}-\d\d-\d\d)\.(jsonl|csv)\.gz$`)

// Write writes the dumps of a day into a folder, which is created if missing, and removes those
// older than the newest keep days. Records that cannot be read are left out and counted.
func Write(ctx context.Context, st eventseer.Store, now time.Time, dir string, keep int) (Result, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return Result{}, fmt.Errorf("dumps: %w", err)
	}
	d := writer{st: st, now: now}
	for _, f := range []struct {
		ending string
		write  func(context.Context, io.Writer) error
	}{{"jsonl", d.writeLines}, {"csv", d.writeTable}} {
		name := fmt.Sprintf("events-%s.%s.gz", d.now.Format(time.DateOnly), f.ending)
		if err := writeFile(filepath.Join(dir, name), func(w io.Writer) error { return f.write(ctx, w) }); err != nil {
			return Result{}, fmt.Errorf("dump %s: %w", name, err)
		}
	}
	kept, err := removeOld(dir, keep)
	if err != nil {
		return Result{}, fmt.Errorf("dumps: %w", err)
	}
	if err := writeSums(dir, kept); err != nil {
		return Result{}, fmt.Errorf("dumps: %w", err)
	}
	d.Files = len(kept)
	return d.Result, nil
}

// A Result is the result of a dump.
type Result struct {
	N     int   // calls
	Bad   int   // calls that could not be read
	First error // of the bad
	Files int   // in the folder
}

// A writer reads the store once for each file.
type writer struct {
	st  eventseer.Store
	now time.Time
	Result
}

// callsWithoutPeople yields the calls without people until ctx ends, and counts them.
func (d *writer) callsWithoutPeople(ctx context.Context) iter.Seq[eventseer.Entry] {
	return func(yield func(eventseer.Entry) bool) {
		d.N, d.Bad = 0, 0
		for e, err := range d.st.Events(ctx) {
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				if d.Bad++; d.First == nil {
					d.First = err
				}
				continue
			}
			if d.N++; !yield(eventseer.Entry{Event: exchange.WithoutPeople(e)}) {
				return
			}
		}
	}
}

func (d *writer) writeLines(ctx context.Context, w io.Writer) error {
	for call := range d.callsWithoutPeople(ctx) {
		if err := lines.WriteJSON(w, call.Event); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (d *writer) writeTable(ctx context.Context, w io.Writer) error {
	return cmp.Or(exchange.Write(w, "csv", eventseer.Publication{Now: d.now}, nil, d.callsWithoutPeople(ctx)), ctx.Err())
}

// writeFile writes a compressed file under a temporary name and then renames it.
func writeFile(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".dump-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, f.Close(), os.Remove(f.Name()))
		}
	}()
	b := bufio.NewWriter(f)
	z := gzip.NewWriter(b) // its header has no name and time, so equal records give equal bytes
	if err := errors.Join(write(z), z.Close(), b.Flush(), f.Chmod(0o644), f.Sync()); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), path)
}

// removeOld removes all files except those of the newest days and returns the remaining names.
func removeOld(dir string, keep int) (kept []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var days []string
	for _, e := range entries {
		m := fileName.FindStringSubmatch(e.Name())
		if m == nil || !e.Type().IsRegular() {
			continue
		}
		kept = append(kept, e.Name())
		if !slices.Contains(days, m[1]) {
			days = append(days, m[1])
		}
	}
	slices.Sort(days)
	old := days[:max(0, len(days)-keep)]
	var errs []error
	kept = slices.DeleteFunc(kept, func(name string) bool {
		if !slices.Contains(old, fileName.FindStringSubmatch(name)[1]) {
			return false
		}
		if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
		return true
	})
	return kept, errors.Join(errs...)
}

// writeSums writes the checksums as sha256sum does.
func writeSums(dir string, names []string) error {
	var b strings.Builder
	slices.Sort(names)
	for _, name := range names {
		sum, err := checksumOf(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, name)
	}
	return atomicfile.Write(filepath.Join(dir, SumsFile), func(w io.Writer) error {
		_, err := io.WriteString(w, b.String())
		return err
	})
}

func checksumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
}
