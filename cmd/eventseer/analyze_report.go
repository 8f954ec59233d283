package main

import (
	"bytes"
	_ "embed" // the template
	"fmt"
	"html/template"
	"net/url"
	"os"
	"strconv"
	"strings"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/features/tagtree"
	"eventseer/internal/text"
)

//go:embed analyze_report.html
var areaReportSource string

// Bounds on a report.
const (
	maxReportPages = 200
	maxReportLinks = 200    // of one area
	maxReportText  = 60_000 // bytes of one page's main text
)

// An areaReport is what --report writes: pages with their areas drawn.
type areaReport struct {
	Analyzer string
	Pages    []reportedPage
	Left     int // pages that are not shown
}

// A reportedPage is one page of a report.
type reportedPage struct {
	ID         string
	Record     analysisRecord
	Areas      []reportedArea
	Boxes      []*box
	LeftBlocks int
	Lines      []string // the main text
	LeftText   int      // bytes of it that are not shown
	Clips      []reportedClip
}

// A reportedClip is a clip with all its keywords.
type reportedClip struct {
	clipRecord
	Keywords []string
}

// An reportedArea is an area as the report names it.
type reportedArea struct {
	ID     string
	Number int
	areaRecord
	LeftLinks int
}

func (r *areaReport) add(t *tagtree.Tree, a *tagtree.Analysis, record analysisRecord) {
	if len(r.Pages) >= maxReportPages {
		r.Left++
		return
	}
	p := reportedPage{ID: fmt.Sprintf("p%d", len(r.Pages)+1), Record: record}
	for i, area := range record.Areas {
		v := reportedArea{ID: fmt.Sprintf("%sa%d", p.ID, i+1), Number: i + 1, areaRecord: area}
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
			p.Clips = append(p.Clips, reportedClip{clipRecord: c})
		}
		last := &p.Clips[len(p.Clips)-1]
		last.Keywords = append(last.Keywords, c.Keyword)
	}
	for line := range strings.Lines(content) {
		p.Lines = append(p.Lines, text.Printable(strings.TrimSuffix(line, "\n")))
	}
	r.Pages = append(r.Pages, p)
}

func (r *areaReport) addError(record analysisRecord) {
	if len(r.Pages) >= maxReportPages {
		r.Left++
		return
	}
	r.Pages = append(r.Pages, reportedPage{ID: fmt.Sprintf("p%d", len(r.Pages)+1), Record: record})
}

// writeAreaReport writes r as one self-contained page: no script, no request to
// anywhere, nothing from outside unescaped.
func writeAreaReport(a *app.App, path string, r *areaReport) error {
	t, err := template.New("report").Funcs(template.FuncMap{
		"value": valueText, "ratio": ratioText, "href": webHref, "name": pageName, "list": func(all []string) string { return strings.Join(all, ", ") },
	}).Parse(areaReportSource)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, r); err != nil {
		return fmt.Errorf("report %s: %w", path, err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		return err
	}
	a.Logf("wrote %s", path)
	return nil
}

// pageName is what a page is called: its title, else its address.
func pageName(r analysisRecord) string {
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
