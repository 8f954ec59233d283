package main

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
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/eventseer"
	"eventseer/eventseer/exchange"

	"github.com/spf13/cobra"
)

const (
	dumpsDir  = "dumps" // in the data directory
	keepDumps = 14      // days
	sumsFile  = "SHA256SUMS"
)

// dumpName is the name of a file of a dump; only such files are ever removed.
var dumpName = regexp.MustCompile(`^events-(\d{4}-\d\d-\d\d)\.(jsonl|csv)\.gz$`)

func newExportDumpCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "dump", Short: "Write dated dumps of all calls with their checksums, and remove old ones", Args: args(cobra.NoArgs),
		Example: "  eventseer export dump                  # to dumps in the data directory, which serve offers at /data\n  eventseer export dump -o /srv/dumps --keep 30",
		Long: `Write events-DAY.jsonl.gz and events-DAY.csv.gz of all calls, without the names
of people, and ` + sumsFile + ` of all dumps there. A dump of the same day is
replaced. A reader never sees half a file.`,
	}
	keep := cmd.Flags().Int("keep", keepDumps, "days whose dumps are kept, at least 1")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if *keep < 1 {
			return app.Usagef("--keep %d is less than 1", *keep)
		}
		st, err := engine.OpenStore(a)
		if err != nil {
			return err
		}
		dir := a.Config.Output
		if dir == "-" {
			dir = filepath.Join(a.Config.Data, dumpsDir)
		}
		return writeDumpsKeeping(cmd.Context(), a, st, dir, *keep)
	}
	return cmd
}

// writeDumps writes the dumps of today into a folder, which is made if need be, and
// removes those older than the newest 14 days. Records that cannot be read are left
// out; the error, an errPartly, says so when all is written.
func writeDumps(ctx context.Context, a *app.App, st eventseer.Store, dir string) error {
	return writeDumpsKeeping(ctx, a, st, dir, keepDumps)
}

func writeDumpsKeeping(ctx context.Context, a *app.App, st eventseer.Store, dir string, keep int) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("dumps: %w", err)
	}
	d := dump{st: st, now: a.Now().UTC()}
	for _, f := range []struct {
		ending string
		write  func(context.Context, io.Writer) error
	}{{"jsonl", d.lines}, {"csv", d.table}} {
		name := fmt.Sprintf("events-%s.%s.gz", d.now.Format(time.DateOnly), f.ending)
		if err := writeDump(filepath.Join(dir, name), func(w io.Writer) error { return f.write(ctx, w) }); err != nil {
			return fmt.Errorf("dump %s: %w", name, err)
		}
	}
	kept, err := removeOldDumps(dir, keep)
	if err != nil {
		return fmt.Errorf("dumps: %w", err)
	}
	if err := writeSums(dir, kept); err != nil {
		return fmt.Errorf("dumps: %w", err)
	}
	a.Logf("%d calls dumped to %s, %d files kept", d.n, dir, len(kept))
	if d.bad > 0 {
		return fmt.Errorf("%w: %d calls cannot be read, first: %w", app.ErrPartly, d.bad, d.first)
	}
	return nil
}

// A dump reads the store once for each file.
type dump struct {
	st     eventseer.Store
	now    time.Time
	n, bad int
	first  error
}

func (d *dump) each(ctx context.Context, yield func(eventseer.Event) error) error {
	d.n, d.bad = 0, 0
	for e, err := range d.st.Events(ctx) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			if d.bad++; d.first == nil {
				d.first = err
			}
			continue
		}
		d.n++
		if err := yield(exchange.Public(e)); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (d *dump) lines(ctx context.Context, w io.Writer) error {
	return d.each(ctx, func(e eventseer.Event) error { return app.WriteJSONLine(w, e) })
}

func (d *dump) table(ctx context.Context, w io.Writer) error {
	var stopped error
	err := exchange.Write(w, "csv", eventseer.Publication{Now: d.now}, nil, func(yield func(eventseer.Entry) bool) {
		stopped = d.each(ctx, func(e eventseer.Event) error {
			if !yield(eventseer.Entry{Event: e}) {
				return errors.New("the writer wants no more")
			}
			return nil
		})
	})
	return cmp.Or(err, stopped)
}

// writeDump writes a compressed file and only then gives it its name.
func writeDump(path string, write func(io.Writer) error) (err error) {
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
	z := gzip.NewWriter(b) // its header names neither file nor time: same records, same bytes
	if err := errors.Join(write(z), z.Close(), b.Flush(), f.Chmod(0o644), f.Sync()); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), path)
}

// removeOldDumps keeps the files of the newest days and returns their names.
func removeOldDumps(dir string, keep int) (kept []string, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var days []string
	for _, e := range entries {
		m := dumpName.FindStringSubmatch(e.Name())
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
		if !slices.Contains(old, dumpName.FindStringSubmatch(name)[1]) {
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
		sum, err := sumOf(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum, name)
	}
	temp := filepath.Join(dir, "."+sumsFile)
	if err := os.WriteFile(temp, []byte(b.String()), 0o644); err != nil {
		return err
	}
	return os.Rename(temp, filepath.Join(dir, sumsFile))
}

func sumOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	_, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), errors.Join(err, f.Close())
}
