package eval

import (
	"bytes"
	_ "embed" // the template
	"fmt"
	"html/template"
	"io"
	"math"
	"net/url"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/classify"
)

//go:embed report.html
var pageSource string

// A reportPage is the input of the HTML template: a report, or a comparison of two.
type reportPage struct {
	Title      string
	Report     *Report
	Comparison *Comparison
}

// WriteHTML writes r as one self-contained page. It has no script, loads no other resource, and escapes
// all text from outside.
func (r *Report) WriteHTML(w io.Writer) error {
	return writePage(w, reportPage{Title: r.Title, Report: r})
}

// WriteHTML writes c as one self-contained page, see Report.WriteHTML.
func (c *Comparison) WriteHTML(w io.Writer) error {
	return writePage(w, reportPage{Title: c.A.Title + " against " + c.B.Title, Comparison: c})
}

// writePage renders the page into a buffer and then writes it, so that a failure leaves no partial page.
func writePage(w io.Writer, p reportPage) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"number": numberText, "ci": rangeText, "percent": percentText, "shown": shortText, "href": safeHref,
		"p": pValueText, "signed": signedText, "curvePlots": curvePlots,
		"calibrationPlot": calibrationPlot, "learningPlot": learningPlot, "shade": tintOf, "bar": newIntervalBar, "sliceGroups": sliceGroups,
		"best": bestF1, "parts": breakableParts, "withheld": func() string { return withheld }, "sub": func(a, b int) int { return a - b },
		"pair": figurePairs,
	}).Parse(pageSource)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, p); err != nil {
		return err
	}
	_, err = b.WriteTo(w)
	return err
}

// safeHref returns s if it is an http or https URL, which may become a link, else "".
func safeHref(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return s
}

// breakableParts splits the name of a class at the places where a narrow column may break it.
func breakableParts(name string) []string { return strings.Split(shortText(name), "_") }

func signedText(v float64) string { return fmt.Sprintf("%+.3f", v) }

// classShare returns the fraction of all examples that belong to class.
func (r *Report) classShare(class string) float64 {
	for _, c := range r.Classes {
		if c.Name == class {
			return ratio(float64(c.Examples), float64(r.Examples))
		}
	}
	return 0
}

// curvePlots returns the plots of the curves of r. Each plot also shows the curve of the same class in
// others.
func curvePlots(r *Report, others ...*Report) []*plot {
	var pr, roc []*plot
	for i, c := range r.Curves {
		curves := []Curve{c}
		for _, other := range others {
			at := slices.IndexFunc(other.Curves, func(o Curve) bool { return o.Class == c.Class })
			if at >= 0 {
				curves = append(curves, other.Curves[at])
			}
		}
		if len(curves) > len(others) {
			pr = append(pr, prPlot(fmt.Sprintf("pr%d", i), r.classShare(c.Class), curves...))
			roc = append(roc, rocPlot(fmt.Sprintf("roc%d", i), curves...))
		}
	}
	return append(pr, roc...)
}

// tintOf returns the tint of a cell of the confusion matrix, 0 to 10, by its fraction of the row.
func tintOf(n int, row []int) int {
	all := 0
	for _, v := range row {
		all += v
	}
	if n == 0 {
		return 0
	}
	return max(1, int(math.Round(10*ratio(float64(n), float64(all)))))
}

// An intervalBar shows a figure and its interval on a line from 0 to 1 that is 200 units long.
type intervalBar struct{ From, Width, At float64 }

func newIntervalBar(f classify.Figure) intervalBar {
	at := func(v float64) float64 { return math.Round(2000*clamp(v)) / 10 }
	return intervalBar{From: at(f.Low), Width: max(1, at(f.High)-at(f.Low)), At: at(f.Value)}
}

// A sliceGroup is the slices by one kind of tag.
type sliceGroup struct {
	Name   string
	Slices []Slice
}

func sliceGroups(all []Slice) []sliceGroup {
	var groups []sliceGroup
	for _, s := range all {
		if n := len(groups); n == 0 || groups[n-1].Name != s.Name {
			groups = append(groups, sliceGroup{Name: s.Name})
		}
		last := &groups[len(groups)-1]
		last.Slices = append(last.Slices, s)
	}
	return groups
}

// bestF1 returns the highest F1 of a threshold table.
func bestF1(table []Threshold) float64 {
	f1 := 0.0
	for _, t := range table {
		f1 = max(f1, t.F1)
	}
	return f1
}

// A figurePair is the same figure of both sides of a comparison.
type figurePair struct{ A, B classify.Figure }

func figurePairs(c *Comparison) []figurePair {
	var pairs []figurePair
	for _, f := range c.A.Figures {
		if g, ok := c.B.Figure(f.Name); ok {
			pairs = append(pairs, figurePair{f, g})
		}
	}
	return pairs
}
