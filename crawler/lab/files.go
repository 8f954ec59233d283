package lab

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/internal/atomicfile"
	"github.com/eventseer/eventseer/internal/bolt"
)

// The files of an experiment in its folder.
const (
	RunsDir       = "runs"
	RecordFile    = "lab.json"
	TargetsFile   = "targets.json"
	SummaryFile   = "summary.json"
	CurvesFile    = "curves.csv"
	RunsFile      = "runs.csv"
	EffortFile    = "effort.csv"
	VisitsFile    = "visits.csv.gz"
	ReportFile    = "report.html"
	ReproduceFile = "reproduce.sh"
	PictureSVG    = "curves.svg"
	PicturePNG    = "curves.png"
	trecDir       = "trec"
	lockFile      = ".lock"
)

// LockFolder prevents another experiment in a folder until the lock is closed or the process ends.
func LockFolder(dir string) (io.Closer, error) {
	lock, err := bolt.Open(filepath.Join(dir, lockFile), bolt.Options{Kind: "lab", Timeout: time.Second})
	if errors.Is(err, bolt.ErrLocked) {
		return nil, fmt.Errorf("%s: %w: another `eventseer lab run` uses this folder", dir, bolt.ErrLocked)
	}
	if err != nil {
		return nil, err
	}
	return lock, nil
}

// SeedFiles returns the file at path, or if it is a folder all .txt files in it in order of name, except
// hidden ones.
func SeedFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("seeds: %w", err)
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, fmt.Errorf("seeds: %w", err)
	}
	var files []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".txt") && !strings.HasPrefix(e.Name(), ".") {
			files = append(files, filepath.Join(path, e.Name()))
		}
	}
	if len(files) > MaxCells {
		return nil, fmt.Errorf("seeds: %s holds %d .txt files, more than the %d crawls an experiment may have", path, len(files), MaxCells)
	}
	return files, nil
}

// CompleteCells yields the records of the complete cells of an experiment in the folder dir, of any
// budget.
func CompleteCells(dir string, cells []Cell) iter.Seq[Record] {
	return func(yield func(Record) bool) {
		for _, c := range cells {
			if record, err := ReadCell(filepath.Join(dir, RunsDir, c.Name()), 0); err == nil && !yield(record) {
				return
			}
		}
	}
}

// ReadComplete reads the complete cells of an experiment in the folder dir. Strategies with missing
// cells are left out and reported.
func ReadComplete(e Experiment, dir string, logf func(format string, args ...any)) (Experiment, []Run, error) {
	complete := func(strategy string) bool {
		for _, c := range e.Cells() {
			if c.Strategy != strategy {
				continue
			}
			if _, err := ReadCell(filepath.Join(dir, RunsDir, c.Name()), e.Budget); errors.Is(err, fs.ErrNotExist) {
				logf("%s is left out because its crawl %s is not complete", strategy, c.Name())
				return false
			}
		}
		return true
	}
	e.Strategies = slices.DeleteFunc(slices.Clone(e.Strategies), func(s string) bool { return !complete(s) })
	if len(e.Strategies) == 0 {
		return e, nil, fmt.Errorf("%s: no strategy has completed all its crawls; `eventseer lab run` continues them", dir)
	}
	var runs []Run
	for _, c := range e.Cells() {
		record, err := ReadCell(filepath.Join(dir, RunsDir, c.Name()), e.Budget)
		if err != nil {
			return e, nil, err
		}
		run, err := e.ScoreCell(c, record)
		if err != nil {
			return e, nil, err
		}
		runs = append(runs, run)
	}
	return e, runs, nil
}

// Report is the content of an experiment's report files.
type Report struct {
	Summary   *Summary
	Runs      []Run
	Seed      uint64 // seed of the bootstrap of curves
	Settings  []Setting
	Command   string                // that repeats the experiment
	Reproduce func(io.Writer) error // writes the script that repeats the experiment
}

// WriteFiles writes the results of the crawls in the folder dir into a folder. It may be the same
// folder and is created if it is missing.
func WriteFiles(e Experiment, dir, into string, r Report) error {
	if err := os.MkdirAll(into, 0o755); err != nil {
		return err
	}
	curves := e.Curves(r.Runs, r.Seed)
	for name, write := range map[string]func(io.Writer) error{
		SummaryFile: func(w io.Writer) error { return atomicfile.EncodeJSON(w, r.Summary) },
		CurvesFile:  func(w io.Writer) error { return e.WriteCurves(w, curves) },
		EffortFile:  func(w io.Writer) error { return writeEffort(w, &e, r.Runs, r.Seed) },
		PictureSVG:  func(w io.Writer) error { return e.Plot(w, curves, "svg") },
		PicturePNG:  func(w io.Writer) error { return e.Plot(w, curves, "png") },
		ReportFile: func(w io.Writer) error {
			return e.WriteReport(w, r.Summary, r.Runs, curves, r.Settings, r.Command)
		},
		ReproduceFile: r.Reproduce,
		RunsFile:      func(w io.Writer) error { return e.WriteRuns(w, r.Runs) },
		VisitsFile:    func(w io.Writer) error { return e.WriteVisits(w, dir) },
	} {
		if err := atomicfile.Write(filepath.Join(into, name), write); err != nil {
			return err
		}
	}
	if err := os.Chmod(filepath.Join(into, ReproduceFile), 0o755); err != nil {
		return err
	}
	return writeTRECFiles(dir, into, e)
}

// writeTRECFiles writes one run file per strategy and the qrels.
func writeTRECFiles(dir, into string, e Experiment) error {
	if err := os.MkdirAll(filepath.Join(into, trecDir), 0o755); err != nil {
		return err
	}
	if err := atomicfile.Write(filepath.Join(into, trecDir, "qrels"), e.WriteQrels); err != nil {
		return err
	}
	for _, name := range e.Strategies {
		err := atomicfile.Write(filepath.Join(into, trecDir, name+".run"), func(w io.Writer) error {
			for _, c := range e.Cells() {
				if c.Strategy != name {
					continue
				}
				if err := WriteTREC(w, c, readVisits(filepath.Join(dir, RunsDir, c.Name()))); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// WriteQrels writes the targets as relevance judgements for trec_eval. A topic is one draw of seeds
// and one repeat; all topics have the same targets.
func (e *Experiment) WriteQrels(w io.Writer) error {
	urls := make([]string, len(e.Targets))
	for i, t := range e.Targets {
		urls[i] = documentNumber(t.URL)
	}
	slices.Sort(urls)
	out := bufio.NewWriter(w)
	for _, draw := range e.Seeds {
		for r := range e.Repeats {
			for _, url := range urls {
				fmt.Fprintf(out, "%s 0 %s 1\n", topicName(draw, r), url)
			}
		}
	}
	return out.Flush()
}

// WriteTREC writes the pages fetched by one cell as a ranking in order of fetching. The score falls
// by 1 per rank, because trec_eval sorts by scores in single precision; all up to MaxBudget differ.
func WriteTREC(w io.Writer, c Cell, visits iter.Seq2[Visit, error]) error {
	out := bufio.NewWriter(w)
	seen := map[string]bool{}
	for v, err := range visits {
		if err != nil {
			return err
		}
		if v.Call || v.Cost == 0 || v.Status != http.StatusOK || seen[v.URL] {
			continue
		}
		seen[v.URL] = true
		rank := len(seen)
		fmt.Fprintf(out, "%s Q0 %s %d %d %s\n", topicName(c.Seeds, c.Repeat), documentNumber(v.URL), rank, MaxBudget-rank, c.Strategy)
	}
	return out.Flush()
}

// topicName returns the name of the topic for a draw and a repeat, which is like their folder. trec_eval
// allows one ranking per topic.
func topicName(draw string, repeat int) string {
	return documentNumber(draw) + "-" + strconv.Itoa(repeat)
}

// documentNumber encodes a text as one field without spaces.
func documentNumber(s string) string { return strings.Join(strings.Fields(s), "%20") }
