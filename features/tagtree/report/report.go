// Package report says what an analysis found on pages: as records with their areas or
// lists, and as one HTML page that shows the areas outlined.
package report

import (
	"bytes"
	_ "embed" // the template
	"fmt"
	"html/template"
	"net/url"
	"os"
	"strconv"
	"strings"

	"eventseer/features/tagtree"
	"eventseer/internal/text"
)

//go:embed report.html
var source string

// Bounds on a report.
const (
	maxReportPages = 200
	maxReportLinks = 200    // of one area
	maxReportText  = 60_000 // bytes of one page's main text
)

// A Report is what --report writes: pages with their areas drawn.
type Report struct {
	Analyzer string
	Pages    []reportedPage
	Left     int // pages that are not shown
}

// A reportedPage is one page of a report.
type reportedPage struct {
	ID         string
	Record     Page
	Areas      []reportedArea
	Boxes      []*box
	LeftBlocks int
	Lines      []string // the main text
	LeftText   int      // bytes of it that are not shown
	Clips      []reportedClip
}

// A reportedClip is a clip with all its keywords.
type reportedClip struct {
	Clip
	Keywords []string
}

// An reportedArea is an area as the report names it.
type reportedArea struct {
	ID     string
	Number int
	Area
	LeftLinks int
}

// Add adds a page, unless there are as many as are shown.
func (r *Report) Add(t *tagtree.Tree, a *tagtree.Analysis, record Page) {
	if len(r.Pages) >= maxReportPages {
		r.Left++
		return
	}
	p := reportedPage{ID: fmt.Sprintf("p%d", len(r.Pages)+1), Record: record}
	for i, area := range record.Areas {
		v := reportedArea{ID: fmt.Sprintf("%sa%d", p.ID, i+1), Number: i + 1, Area: area}
		if n := len(v.Links) - maxReportLinks; n > 0 {
			v.Links, v.LeftLinks = v.Links[:maxReportLinks], n
		}
		p.Areas = append(p.Areas, v)
	}
	p.Boxes, p.LeftBlocks = drawPage(t, a, p.Areas)
	content := record.Text
	if len(content) > maxReportText {
		content = strings.ToValidUTF8(content[:maxReportText], "")
		if end := strings.LastIndexByte(content, '\n'); end >= 0 {
			content = content[:end+1]
		}
		p.LeftText = len(record.Text) - len(content)
	}
	for _, c := range record.Clips {
		if n := len(p.Clips); n == 0 || p.Clips[n-1].Summary != c.Summary || p.Clips[n-1].Path != c.Path {
			p.Clips = append(p.Clips, reportedClip{Clip: c})
		}
		last := &p.Clips[len(p.Clips)-1]
		last.Keywords = append(last.Keywords, c.Keyword)
	}
	for line := range strings.Lines(content) {
		p.Lines = append(p.Lines, text.Printable(strings.TrimSuffix(line, "\n")))
	}
	r.Pages = append(r.Pages, p)
}

// AddError adds a page that could not be read.
func (r *Report) AddError(record Page) {
	if len(r.Pages) >= maxReportPages {
		r.Left++
		return
	}
	r.Pages = append(r.Pages, reportedPage{ID: fmt.Sprintf("p%d", len(r.Pages)+1), Record: record})
}

// WriteFile writes r as one self-contained page: no script, no request to
// anywhere, nothing from outside unescaped.
func WriteFile(path string, r *Report) error {
	t, err := template.New("report").Funcs(template.FuncMap{
		"value": valueText, "ratio": ratioText, "href": webHref, "name": pageName, "list": func(all []string) string { return strings.Join(all, ", ") },
	}).Parse(source)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, r); err != nil {
		return fmt.Errorf("report %s: %w", path, err)
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// pageName is what a page is called: its title, else its address.
func pageName(r Page) string {
	if r.Title != "" {
		return text.Printable(r.Title)
	}
	return text.Printable(r.URL)
}

// webHref returns a URL that may be a link, or "": only the web is linked.
func webHref(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return s
}

// valueText writes an informational or hub value short: in full below a
// million, else as a power of ten.
func valueText(v float64) string {
	if v >= 1e6 {
		return strconv.FormatFloat(v, 'e', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// ratioText writes a ratio by two or three digits.
func ratioText(v float64) string {
	switch {
	case v >= 100 || v == 0:
		return valueText(v)
	case v >= 1:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}
