package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/replay"
	"github.com/eventseer/eventseer/crawler/rundir"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/internal/warc"
)

type transportWrap = func(http.RoundTripper) http.RoundTripper

// A recording is where the answers of a crawl are kept. The zero value keeps none.
type recording struct {
	files  []string      // what was written to, for run.json
	wrap   transportWrap // nil without a recording
	failed func() error  // why it cannot go on; nil without a recording
}

// recorder returns what records every answer where --record says.
func recorder(a *app.App, flag string) (r recording, err error) {
	if flag == "" {
		return r, nil
	}
	path, one, err := RecordingPath(flag)
	if err != nil {
		return r, err
	}
	o := warc.WriterOptions{Software: UserAgent(), UserAgent: UserAgent(), Operator: a.Config.Contact, Robots: "RFC 9309, " + a.Config.Robots, Now: a.Now}
	if o.Operator != "" {
		o.UserAgent += " (+" + o.Operator + ")"
	}
	if !one {
		o.MaxSize = int64(a.Config.RecordSize)
	}
	w, err := warc.Create(path, o)
	if err != nil {
		return r, err
	}
	a.OnClose(w.Close)
	if torn := w.Torn(); torn > 0 {
		a.Logf("%s: %d bytes of a torn last record cut off", flag, torn)
	}
	wrap := func(next http.RoundTripper) http.RoundTripper { return replay.NewRecorder(next, w) }
	return recording{[]string{path}, wrap, w.Err}, nil
}

// ObservePages implements crawler.Observer: a recording that failed, as on a full
// disk, ends the crawl before it commits pages that came to nothing by that.
func (r recording) ObservePages([]crawler.Told) error {
	if r.failed == nil {
		return nil
	}
	if err := r.failed(); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return nil
}

// RecordingPath returns the absolute path of what --record names. It is one file if the name ends
// in .gz or .warc or there is such a file, else the beginning of the names of many; in a folder
// they are called web.
func RecordingPath(flag string) (path string, one bool, err error) {
	if path, err = filepath.Abs(flag); err != nil {
		return "", false, err
	}
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir(), strings.HasSuffix(flag, "/"):
		return filepath.Join(path, "web"), false, nil
	case err == nil, strings.HasSuffix(path, ".gz"), strings.HasSuffix(path, ".warc"):
		return path, true, nil
	}
	return path, false, nil
}

// RecordedFiles returns the files that names stand for, in order: each a file, or
// what --record was given.
func RecordedFiles(names []string) ([]string, error) {
	var files []string
	for _, name := range names {
		series, err := warc.Series(name)
		if err == nil && len(series) == 0 {
			_, err = os.Stat(name)
		}
		if err != nil {
			return nil, err
		}
		files = append(files, series...)
	}
	return files, nil
}

// maxProblems is how many problems of one recording are named.
const maxProblems = 100

// CheckRecordings reads every recording that the runs of a data directory name,
// and returns how many problems it found.
func CheckRecordings(a *app.App, dir string) (broken int, err error) {
	files, err := recordingsOf(dir)
	if err != nil {
		return 0, err
	}
	if len(files) == 0 {
		a.Logf("no recordings read: no run in %s names one, and those of runs that --run put elsewhere are not known here", filepath.Join(dir, "runs"))
	}
	for _, file := range files {
		records, problems, err := verifyRecording(file)
		if err != nil {
			return broken, err
		}
		broken += len(problems)
		if len(problems) == 0 {
			fmt.Fprintf(a.Stdout, "%s: %d records, clean\n", file, records)
		}
		for _, p := range problems[:min(len(problems), maxProblems)] {
			fmt.Fprintf(a.Stdout, "%s\n", text.Printable(p.Error()))
		}
		if more := len(problems) - maxProblems; more > 0 {
			fmt.Fprintf(a.Stdout, "%s: %d more problems\n", file, more)
		}
	}
	return broken, nil
}

// recordingsOf returns the files that the runs of a data directory were recorded to, each once. The
// runs are those of its folder runs, and the run whose state it is.
func recordingsOf(dir string) ([]string, error) {
	runs, err := filepath.Glob(filepath.Join(dir, "runs", "*", rundir.RunFile))
	if err != nil {
		return nil, err
	}
	var files []string
	for _, run := range append(runs, filepath.Join(filepath.Dir(filepath.Clean(dir)), rundir.RunFile)) {
		r, err := ReadRun(filepath.Dir(run))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for _, path := range r.Record {
			series, err := warc.Series(path)
			if err != nil {
				return nil, err
			}
			if len(series) == 0 {
				return nil, fmt.Errorf("%s names the recording %s, which is not there", run, path)
			}
			files = append(files, series...)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// verifyRecording counts the records of a WARC file and names those that cannot
// be read or do not fit their digests.
func verifyRecording(file string) (records int, problems []error, err error) {
	r, err := warc.Open(file)
	if err != nil {
		return 0, nil, err
	}
	for r.Scan() {
		rec, err := r.Record()
		if err != nil {
			problems = append(problems, err)
			continue
		}
		records++
		if err := rec.Verify(); err != nil {
			problems = append(problems, fmt.Errorf("%s: record at %v: %w", file, rec.Position, err))
		}
	}
	return records, problems, errors.Join(r.Err(), r.Close())
}
