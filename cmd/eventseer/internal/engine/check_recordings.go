package engine

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler/rundir"
	"eventseer/internal/text"
	"eventseer/internal/warc"
)

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

// recordingsOf returns the files that the runs of a data directory were recorded
// to, each once: those of its folder runs, and the run whose state it is.
func recordingsOf(dir string) ([]string, error) {
	runs, err := filepath.Glob(filepath.Join(dir, "runs", "*", rundir.RunFile))
	if err != nil {
		return nil, err
	}
	var files []string
	for _, run := range append(runs, filepath.Join(filepath.Dir(filepath.Clean(dir)), rundir.RunFile)) {
		text, err := os.ReadFile(run)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		var r RunRecord
		if err := json.Unmarshal(text, &r); err != nil {
			return nil, fmt.Errorf("%s: %w", run, err)
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
