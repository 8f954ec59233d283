package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"eventseer/classify/eval"
	"eventseer/cmd/eventseer/internal/app"

	"github.com/spf13/cobra"
)

// fileErrors is how many errors a report in a file lists unless --errors says.
const fileErrors = 100

// reportFlags are the flags the eval verbs share.
type reportFlags struct {
	reports []string
	dir     string
	errors  int
	gates   []string
}

func (f *reportFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringSliceVar(&f.reports, "report", nil, "also write reports: a list of text, json and html, each a file report.txt, report.json or report.html, or FORMAT=FILE")
	flags.StringVar(&f.dir, "report-dir", "", "folder of the reports without a FILE, made if it is not there (default that of -o, else the current one)")
	flags.IntVar(&f.errors, "errors", -1, fmt.Sprintf("list so many errors, the most confident first, at most %d (default 0 on the terminal and in text, %d in json and html)", eval.MaxErrors, fileErrors))
	flags.Lookup("errors").DefValue = "0" // not shown: the usage says it
}

func (f *reportFlags) addGates(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.gates, "min", nil, "fail with exit 4 unless a figure reaches a value, such as f1=0.9; may be repeated")
}

// A reportPlan is what becomes of a measurement, checked before the long run.
type reportPlan struct {
	format  string
	files   []reportFile
	inText  int // errors listed in text
	inFiles int // errors listed in json and html
	gates   []eval.Gate
}

// errors is how many errors are listed anywhere.
func (p reportPlan) errors() int { return max(p.inText, p.inFiles) }

type reportFile struct{ format, path string }

// planReport reads the flags for a report over classes.
func planReport(a *app.App, f reportFlags, classes []string) (reportPlan, error) {
	p := reportPlan{inText: max(0, f.errors), inFiles: f.errors}
	if f.errors < 0 {
		p.inFiles = fileErrors
	}
	if f.errors < -1 || f.errors > eval.MaxErrors {
		return p, app.Usagef("--errors %d: 0 to %d can be listed", f.errors, eval.MaxErrors)
	}
	var err error
	if p.format, err = a.Format("table", "json"); err != nil {
		return p, err
	}
	for _, text := range f.gates {
		g, err := eval.ParseGate(text, classes)
		if err != nil {
			return p, err
		}
		p.gates = append(p.gates, g)
	}
	dir := f.dir
	if dir == "" && a.Config.Output != "-" {
		dir = filepath.Dir(a.Config.Output)
	}
	for _, text := range f.reports {
		file, err := parseReport(text, dir)
		if err != nil {
			return p, err
		}
		p.files = append(p.files, file)
	}
	if f.dir != "" {
		return p, os.MkdirAll(f.dir, 0o755)
	}
	return p, nil
}

// parseReport reads FORMAT or FORMAT=FILE.
func parseReport(text, dir string) (reportFile, error) {
	endings := map[string]string{"text": "txt", "json": "json", "html": "html"}
	format, path, named := strings.Cut(text, "=")
	ending, ok := endings[format]
	switch {
	case !ok:
		return reportFile{}, app.Usagef("--report %s: the formats are text, json and html", text)
	case named && (path == "" || path == "-"):
		return reportFile{}, app.Usagef("--report %s: name a file after the =; what goes to stdout is --format's", text)
	case !named:
		path = filepath.Join(dir, "report."+ending)
	}
	if info, err := os.Stat(filepath.Dir(path)); named && (err != nil || !info.IsDir()) {
		return reportFile{}, app.Usagef("--report %s: there is no folder %s", text, filepath.Dir(path))
	}
	return reportFile{format, path}, nil
}

// A measurement is what the eval verbs make: an eval.Report or an
// eval.Comparison.
type measurement interface {
	WriteText(io.Writer) error
	WriteErrors(w io.Writer, n int) error
	WriteJSON(io.Writer) error
	WriteHTML(io.Writer) error
}

// publish writes m on stdout, or where -o says, and into the report files.
func runPublish(a *app.App, m measurement, p reportPlan) error {
	text := func(w io.Writer) error {
		if err := m.WriteText(w); err != nil || p.inText == 0 {
			return err
		}
		return m.WriteErrors(w, p.inText)
	}
	write := map[string]func(io.Writer) error{"table": text, "text": text, "json": m.WriteJSON, "html": m.WriteHTML}
	if err := a.WithOutput(write[p.format]); err != nil {
		return err
	}
	for _, file := range p.files {
		var b bytes.Buffer
		if err := write[file.format](&b); err != nil {
			return err
		}
		if err := os.WriteFile(file.path, b.Bytes(), 0o644); err != nil {
			return err
		}
		a.Logf("wrote %s", file.path)
	}
	return nil
}

// checkGates returns errGate unless r reaches every gate.
func checkGates(r *eval.Report, gates []eval.Gate) error {
	missed, err := r.Missed(gates)
	if err != nil {
		return err
	}
	if len(missed) > 0 {
		return fmt.Errorf("%w: %s", app.ErrGate, strings.Join(missed, ", "))
	}
	return nil
}
