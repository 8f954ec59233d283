// Package rundir writes the folder of a crawl:
//
//	run.json      version, options, seed, hashes, totals, reason of the end
//	pages.jsonl   one line per page and one per request for backlinks, in order
//	curve.csv     fetched,found,events,hosts after every page of budget
//	links.csv.gz  source,target,anchor,nofollow of every link on every page
//	events.jsonl  the events found
//
// A batch of pages is written to the files before the frontier commits it. So the files of a killed crawl
// have all committed pages and at most one more batch. Resume cuts that batch off, and the files of a resumed
// crawl are equal to those of an uninterrupted one.
package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/webgraph"
)

// Files of a run folder.
const (
	RunFile    = "run.json"
	PagesFile  = "pages.jsonl"
	CurveFile  = "curve.csv"
	LinksFile  = "links.csv.gz"
	EventsFile = "events.jsonl"
)

// ErrExists is returned by Create if the folder already has a run.
var ErrExists = errors.New("the folder contains a run already")

// Options are the options of a Dir.
type Options struct {
	// Events returns the number of events known, for the curve. If it is nil, the clips of all pages are
	// counted.
	Events func() int
}

// A Dir is the folder of a running crawl. It implements crawler.Observer. Its methods must not be called
// concurrently.
type Dir struct {
	path string
	o    Options

	pages, curve *os.File
	links        *linkWriter
	totals
}

// totals are the counts in the curve.
type totals struct {
	n, fetched, found, clips int

	hosts map[webgraph.Host]bool
}

var _ crawler.Observer = (*Dir)(nil)

// Create creates the folder of a new run. It returns ErrExists if the folder has a run.
func Create(path string, o Options) (*Dir, error) {
	if _, err := os.Stat(filepath.Join(path, PagesFile)); !errors.Is(err, fs.ErrNotExist) {
		if err == nil {
			err = fmt.Errorf("%w; continue it with --resume, or name another folder", ErrExists)
		}
		return nil, fmt.Errorf("run %s: %w", path, err)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("run: %w", err)
	}
	return openDir(path, o, totals{hosts: map[webgraph.Host]bool{}})
}

// openDir opens the files for appending, and writes the headers of empty ones.
func openDir(path string, o Options, t totals) (*Dir, error) {
	d := &Dir{path: path, o: o, totals: t}
	if err := d.openFiles(); err != nil {
		return nil, errors.Join(fmt.Errorf("run %s: %w", path, err), d.closeFiles())
	}
	return d, nil
}

// openFiles opens the files. After an error some of them may be open.
func (d *Dir) openFiles() (err error) {
	if d.pages, err = appendTo(filepath.Join(d.path, PagesFile)); err != nil {
		return err
	}
	if d.curve, err = appendTo(filepath.Join(d.path, CurveFile)); err != nil {
		return err
	}
	info, err := d.curve.Stat()
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		if _, err := d.curve.WriteString("fetched,found,events,hosts\n"); err != nil {
			return err
		}
	}
	d.links, err = openLinks(filepath.Join(d.path, LinksFile), d.n)
	return err
}

func appendTo(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

// ObservePages writes a batch of pages, with one write per file.
func (d *Dir) ObservePages(batch []crawler.StepRecord) error {
	var pages, curve bytes.Buffer
	for _, t := range batch {
		if err := writePage(&pages, t); err != nil {
			return fmt.Errorf("run %s: page %d: %w", d.path, t.N, err)
		}
		d.n = t.N
		d.clips += len(t.Arrival.Outcome.Clips)
		if t.Arrival.CostsBudget() {
			d.countPage(t.Arrival.URL(), t.Verdict.Target)
			curve.WriteString(d.curveRow())
		}
	}
	if _, err := d.pages.Write(pages.Bytes()); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	if err := d.links.addLinks(batch); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	if _, err := d.curve.Write(curve.Bytes()); err != nil {
		return fmt.Errorf("run: %w", err)
	}
	return nil
}

// countPage counts one page of budget.
func (t *totals) countPage(url string, target bool) {
	t.fetched++
	if target {
		t.found++
	}
	t.hosts[webgraph.HostOf(url)] = true
}

func (d *Dir) curveRow() string {
	events := d.clips
	if d.o.Events != nil {
		events = d.o.Events()
	}
	return fmt.Sprintf("%d,%d,%d,%d\n", d.fetched, d.found, events, len(d.hosts))
}

// Close closes the files and compresses links.csv.gz: all pages except the last batch become one gzip member.
// The run can still be resumed, even if the last batch was not committed.
func (d *Dir) Close() error {
	err := d.closeFiles()
	if err == nil {
		err = d.links.joinMembers(filepath.Join(d.path, LinksFile))
	}
	if err != nil {
		return fmt.Errorf("run %s: %w", d.path, err)
	}
	return nil
}

func (d *Dir) closeFiles() error {
	var errs []error
	for _, f := range []*os.File{d.pages, d.curve} {
		if f != nil {
			errs = append(errs, f.Close())
		}
	}
	if d.links != nil {
		errs = append(errs, d.links.f.Close())
	}
	return errors.Join(errs...)
}

// NewestRun returns the folder of the newest run in a data directory, or "". Runs are named by time. Folders
// whose names end in one of the suffixes in not are skipped.
func NewestRun(data string, not ...string) string {
	files, _ := filepath.Glob(filepath.Join(data, "runs", "*", RunFile)) // the pattern is valid, so no error
	slices.Sort(files)
	for _, file := range slices.Backward(files) {
		run := filepath.Dir(file)
		if !slices.ContainsFunc(not, func(suffix string) bool { return strings.HasSuffix(run, suffix) }) {
			return run
		}
	}
	return ""
}
