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

// A recording is the place where the responses of a crawl are recorded. The zero value records
// none.
type recording struct {
	files  []string      // files written, for run.json
	wrap   transportWrap // nil without a recording
	failed func() error  // reason why it cannot continue; nil without a recording
}

// newRecording returns a recorder of all responses for --record.
func newRecording(a *app.App, flag string) (r recording, err error) {
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
	if torn := w.CutOffBytes(); torn > 0 {
		a.Logf("%s: removed %d bytes of an incomplete last record", flag, torn)
	}
	wrap := func(next http.RoundTripper) http.RoundTripper { return replay.NewRecorder(next, w) }
	return recording{[]string{path}, wrap, w.Err}, nil
}

// ObservePages implements crawler.Observer: a failed recording, as on a full disk, ends the crawl
// before it commits pages that were not recorded.
func (r recording) ObservePages([]crawler.StepRecord) error {
	if r.failed == nil {
		return nil
	}
	if err := r.failed(); err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	return nil
}

// RecordingPath returns the absolute path of --record. It is one file if the name ends in .gz or
// .warc or exists, otherwise the prefix of the names of many; in a folder they are called web.
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

// RecordedFiles returns the files for names, in order: each a file, or a value of --record.
func RecordedFiles(names []string) ([]string, error) {
	var files []string
	for _, name := range names {
		series, err := warc.SeriesFiles(name)
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

// maxProblems is the number of problems of one recording that are listed.
const maxProblems = 100

// CheckRecordings reads every recording of the runs in a data directory, and returns the number of
// problems.
func CheckRecordings(a *app.App, dir string) (broken int, err error) {
	files, err := recordingsOf(dir)
	if err != nil {
		return 0, err
	}
	if len(files) == 0 {
		a.Logf("no recordings checked: no run in %s names one, and runs that --run put elsewhere are not known here", filepath.Join(dir, "runs"))
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

// recordingsOf returns the files to which the runs of a data directory were recorded, each once.
// The runs are those of its folder runs, and the run whose state it is.
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
			series, err := warc.SeriesFiles(path)
			if err != nil {
				return nil, err
			}
			if len(series) == 0 {
				return nil, fmt.Errorf("%s names the recording %s, which does not exist", run, path)
			}
			files = append(files, series...)
		}
	}
	slices.Sort(files)
	return slices.Compact(files), nil
}

// verifyRecording counts the records of a WARC file and lists those that cannot be read or do not
// match their digests.
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
