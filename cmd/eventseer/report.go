package main

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"eventseer/classify"
	"eventseer/classify/eval"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/datasets"

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
	gates   []gate
}

// errors is how many errors are listed anywhere.
func (p reportPlan) errors() int { return max(p.inText, p.inFiles) }

type reportFile struct{ format, path string }

// A gate is a figure and the least it must be.
type gate struct {
	figure, text string
	least        float64
}

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
		g, err := parseGate(text, classes)
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

// parseGate reads NAME=VALUE and checks that reports over classes, if these are
// known, have a figure NAME.
func parseGate(text string, classes []string) (gate, error) {
	name, value, _ := strings.Cut(text, "=")
	least, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsNaN(least) {
		return gate{}, app.Usagef("--min %s is not NAME=VALUE, such as f1=0.9", text)
	}
	g := gate{name, value, least}
	if classes == nil {
		return g, nil
	}
	return g, g.check(classes)
}

// check returns an error if reports over classes have no such figure, or one of
// which less is better.
func (g gate) check(classes []string) error {
	names := slices.DeleteFunc(eval.FigureNames(classes), eval.LowerIsBetter)
	switch {
	case slices.Contains(names, g.figure):
		return nil
	case eval.LowerIsBetter(g.figure):
		return app.Usagef("--min %s=%s: of %s less is better", g.figure, g.text, g.figure)
	}
	return app.Usagef("--min %s=%s: the report has no figure %q, only %s", g.figure, g.text, g.figure, strings.Join(names, ", "))
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
func checkGates(r *eval.Report, gates []gate) error {
	var missed []string
	var classes []string
	for _, c := range r.Classes {
		classes = append(classes, c.Name)
	}
	for _, g := range gates {
		if err := g.check(classes); err != nil {
			return err
		}
		if figure, ok := r.Figure(g.figure); !ok {
			missed = append(missed, fmt.Sprintf("%s is withheld, there are too few examples", g.figure))
		} else if figure.Value < g.least {
			missed = append(missed, fmt.Sprintf("%s is %.4f, not %s", g.figure, figure.Value, g.text))
		}
	}
	if len(missed) > 0 {
		return fmt.Errorf("%w: %s", app.ErrGate, strings.Join(missed, ", "))
	}
	return nil
}

// notGiven is the slice of the pages whose label lacks what others have.
const notGiven = "not given"

// describePages gives predictions of c's examples the URLs and the slices they
// are reported by: language, page type or is_cfp, and discipline, where labels
// say them. Vectors have their row in place of a URL.
func describePages(ps []eval.Prediction, c *corpus) {
	for i := range c.rows {
		ps[i].URL = fmt.Sprintf("row %d", i+1)
	}
	for i, l := range c.labels[:min(len(ps), len(c.labels))] {
		ps[i].URL = l.URL
	}
	slice := func(name string, value func(datasets.Label) string) {
		if !slices.ContainsFunc(c.labels, func(l datasets.Label) bool { return value(l) != "" }) {
			return
		}
		for i, l := range c.labels[:min(len(ps), len(c.labels))] {
			ps[i].Tags = append(ps[i].Tags, eval.Tag{Name: name, Value: cmp.Or(value(l), notGiven)})
		}
	}
	slice("language", func(l datasets.Label) string { return l.Lang })
	if c.task == classify.TaskPageType {
		slice("is_cfp", func(l datasets.Label) string { return strconv.FormatBool(l.IsCFP) })
	} else {
		slice("page type", func(l datasets.Label) string { return l.PageType })
	}
	slice("discipline", func(l datasets.Label) string { return l.Discipline })
}

// explainErrors keeps the n most confident errors and says what decided them;
// model returns the model that judged a document, nil if it cannot say.
func explainErrors(r *eval.Report, n int, c *corpus, model func(doc int) *classify.Model) {
	r.Keep(n)
	for i := range r.Errors {
		e := &r.Errors[i]
		m := model(e.Example)
		if m == nil {
			continue
		}
		for _, reason := range m.Explain(c.docs[e.Example], slices.Index(c.classes, e.Guess), shownReasons) {
			e.Reasons = append(e.Reasons, eval.Reason{Term: reason.Term, Weight: reason.Weight})
		}
	}
}
