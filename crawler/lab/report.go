package lab

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strconv"
)

//go:embed report.html
var reportText string

var reportTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"figure": func(f Figure) string { return fmt.Sprintf("%.4g", f.Mean) },
	"interval": func(f Figure) string {
		return fmt.Sprintf("%.4g to %.4g", f.CI95[0], f.CI95[1])
	},
	"number": func(x float64) string { return fmt.Sprintf("%.4g", x) },
	"p": func(x float64) string {
		if x < 0.0001 {
			return "< .0001"
		}
		return fmt.Sprintf("%.4f", x)
	},
}).Parse(reportText))

// A Setting is one line of the description of an experiment.
type Setting struct{ Name, Value string }

// A reportPage is the content of the report.
type reportPage struct {
	*Summary
	Settings []Setting
	Names    []string
	Early    int      // see EarlyBudget
	Columns  []string // budgets
	Rows     []reportRow
	Found    []drawRow
	Picture  template.HTML
	Command  string
}

type reportRow struct {
	Name string
	*StrategySummary
	Found, Events []Figure // by column
}

// A drawRow is the result of each strategy from one draw at the full budget.
type drawRow struct {
	Draw  string
	Found []float64
}

// WriteReport writes one self-contained HTML page: figures, curves, tests, and the results of each
// draw. settings describe the experiment; command repeats it.
func (e *Experiment) WriteReport(w io.Writer, s *Summary, runs []Run, curves []Curve, settings []Setting, command string) error {
	var svg bytes.Buffer
	if err := e.Plot(&svg, curves, "svg"); err != nil {
		return err
	}
	picture := svg.Bytes()
	if i := bytes.Index(picture, []byte("<svg")); i > 0 {
		picture = picture[i:] // HTML must not contain an XML declaration
	}
	m := e.newMeasurer(runs, 0)
	page := reportPage{Summary: s, Settings: settings, Names: e.Strategies, Early: e.EarlyBudget(), Picture: template.HTML(picture), Command: command} // the picture comes from this program
	for _, b := range e.ReportedBudgets() {
		page.Columns = append(page.Columns, strconv.Itoa(b))
	}
	for _, name := range e.Strategies {
		row := reportRow{Name: name, StrategySummary: s.Strategies[name]}
		for _, at := range page.Columns {
			row.Found, row.Events = append(row.Found, row.FoundAt[at]), append(row.Events, row.EventsAt[at])
		}
		page.Rows = append(page.Rows, row)
	}
	for _, draw := range e.Seeds {
		row := drawRow{Draw: draw}
		for _, name := range e.Strategies {
			row.Found = append(row.Found, m.meanFound(name, draw))
		}
		page.Found = append(page.Found, row)
	}
	var b bytes.Buffer
	if err := reportTemplate.Execute(&b, page); err != nil {
		return err
	}
	_, err := b.WriteTo(w)
	return err
}

// meanFound returns the mean number of targets that the runs of a strategy found from one draw.
func (m *measurer) meanFound(strategy, draw string) float64 {
	var found []float64
	for _, r := range m.runs[strategyDraw{strategy, draw}] {
		found = append(found, float64(r.Found()))
	}
	return mean(found)
}
