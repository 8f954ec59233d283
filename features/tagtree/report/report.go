// Package report writes what an analysis found on pages: records with areas or lists, and an HTML page that
// shows the areas outlined.
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

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
)

//go:embed report.html
var source string

// Limits on a report.
const (
	maxReportPages = 200
	maxReportLinks = 200    // links of one area
	maxReportText  = 60_000 // bytes of the main text of one page
)

// A Report is the HTML page that --report writes: pages with their areas drawn.
type Report struct {
	Analyzer string
	Pages    []reportedPage
	Left     int // number of pages not shown
}

type reportedPage struct {
	ID         string
	Record     Page
	Areas      []reportedArea
	Boxes      []*box
	LeftBlocks int
	Lines      []string // lines of the main text
	LeftText   int      // bytes of the main text not shown
	Clips      []reportedClip
}

// A reportedClip is a clip and all keywords that it has.
type reportedClip struct {
	Clip
	Keywords []string
}

// A reportedArea is an area with its number on the page.
type reportedArea struct {
	ID     string
	Number int
	Area
	LeftLinks int
}

// Add adds a page. Beyond the maximum number of pages it only counts it.
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

// AddError adds a page that could not be read. record.Error has the reason.
func (r *Report) AddError(record Page) {
	if len(r.Pages) >= maxReportPages {
		r.Left++
		return
	}
	r.Pages = append(r.Pages, reportedPage{ID: fmt.Sprintf("p%d", len(r.Pages)+1), Record: record})
}

// WriteFile writes r to a file as one self-contained HTML page. It has no scripts and makes no requests, and
// text of the pages is escaped.
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

// pageName returns the title of a page, or its address if it has no title.
func pageName(r Page) string {
	if r.Title != "" {
		return text.Printable(r.Title)
	}
	return text.Printable(r.URL)
}

// webHref returns s if it is an http or https URL, otherwise "".
func webHref(s string) string {
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return s
}

// valueText formats an informational or hub value: as an integer below a million, otherwise as a power of
// ten.
func valueText(v float64) string {
	if v >= 1e6 {
		return strconv.FormatFloat(v, 'e', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

// ratioText formats a ratio with two or three digits.
func ratioText(v float64) string {
	switch {
	case v >= 100 || v == 0:
		return valueText(v)
	case v >= 1:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'g', 2, 64)
}

// A Page is one line of `analyze --format jsonl`: the analysis of a page.
type Page struct {
	URL      string `json:"url"`
	Title    string `json:"title"`
	Text     string `json:"text"`
	PageKind string `json:"page_kind"`
	Values
	Areas  []Area         `json:"areas"`
	Clips  []Clip         `json:"clips"`
	Follow []FollowedLink `json:"follow,omitempty"`
	Error  string         `json:"error,omitempty"`
}

// Values are the metrics of a page or an area.
type Values struct {
	IV        float64 `json:"iv"`
	HV        float64 `json:"hv"`
	NumLinks  int     `json:"num_links"`
	LinkText  int     `json:"link_text"`
	CleanText int     `json:"clean_text"`
	LTR       float64 `json:"ltr"`
	LAR       float64 `json:"lar"`
}

type Area struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
	Values
	Text  string `json:"text"`
	Links []Link `json:"links"`
}

type Link struct {
	URL    string `json:"url"`
	Anchor string `json:"anchor"`
}

// A Clip is a clip of the page under one of its keywords.
type Clip struct {
	Keyword string `json:"keyword"`
	Title   string `json:"title"`
	Summary string `json:"summary"`
	Path    string `json:"path"`
}

// A FollowedLink is a link that probably leads to a page about the keywords.
type FollowedLink struct {
	Link
	Teaser   string   `json:"teaser"`
	Keywords []string `json:"keywords"`
}

func newValues(v tagtree.Values) Values {
	return Values{v.IV, v.HV, v.NumLinks, v.LinkText, v.CleanText, v.LinkTextRatio(), v.LinkAverageRatio()}
}

// NewPage returns the analysis of a page as a record, without clips.
func NewPage(t *tagtree.Tree, a *tagtree.Analysis) Page {
	r := Page{
		URL: t.Page.URL, Title: t.Title(), Text: a.Text(), PageKind: a.Kind.String(), Values: newValues(a.Values),
		Areas: make([]Area, len(a.Areas)), Clips: []Clip{},
	}
	for i, area := range a.Areas {
		r.Areas[i] = Area{
			Path: area.Path, Kind: area.Kind.String(), Values: newValues(area.Values), Text: area.Text, Links: []Link{},
		}
	}
	for i, l := range t.Links() {
		if n := a.AreaOfLink(i); n >= 0 {
			r.Areas[n].Links = append(r.Areas[n].Links, Link{l.Target, l.Anchor})
		}
	}
	return r
}

// countAreas returns the number of areas of a kind.
func (r Page) countAreas(kind tagtree.AreaKind) int {
	n := 0
	for _, a := range r.Areas {
		if a.Kind == kind.String() {
			n++
		}
	}
	return n
}

// Columns are the columns of CSV. Each page is a row.
var Columns = []string{
	"url", "title", "page_kind", "informational", "hub", "navigation", "text_bytes", "clips",
	"iv", "hv", "num_links", "link_text", "clean_text", "ltr", "lar", "error",
}

// Head is the header of a table of pages. Columns are separated by tabs.
const Head = "kind\tinformational\thub\tnavigation\ttext\tclips\tIV\tHV\tLTR\tpage"

// CSVRow returns the record as a row of CSV, with numbers of areas and clips.
func (r Page) CSVRow() []string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	return []string{
		r.URL, r.Title, r.PageKind, strconv.Itoa(r.countAreas(tagtree.Info)), strconv.Itoa(r.countAreas(tagtree.Hub)),
		strconv.Itoa(r.countAreas(tagtree.Navigation)), strconv.Itoa(len(r.Text)), strconv.Itoa(len(r.Clips)),
		number(r.IV), number(r.HV), strconv.Itoa(r.NumLinks), strconv.Itoa(r.LinkText), strconv.Itoa(r.CleanText),
		number(r.LTR), number(r.LAR), r.Error,
	}
}

// TableLine returns the record as a row of the table under Head.
func (r Page) TableLine() string {
	if r.Error != "" {
		return fmt.Sprintf("error\t-\t-\t-\t-\t-\t-\t-\t-\t%s: %s", text.Printable(r.URL), text.Printable(strings.TrimPrefix(r.Error, r.URL+": ")))
	}
	return fmt.Sprintf("%s\t%d\t%d\t%d\t%d\t%d\t%.4g\t%.0f\t%.2f\t%s",
		r.PageKind, r.countAreas(tagtree.Info), r.countAreas(tagtree.Hub), r.countAreas(tagtree.Navigation),
		len(r.Text), len(r.Clips), r.IV, r.HV, r.LTR, text.Printable(r.URL))
}
