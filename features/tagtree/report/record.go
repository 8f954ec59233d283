package report

import (
	"fmt"
	"strconv"
	"strings"

	"eventseer/features/tagtree"
	"eventseer/internal/text"
)

// A Page is one line of `analyze --format jsonl`.
type Page struct {
	URL      string `json:"url"`
	Title    string `json:"title"`
	Text     string `json:"text"`
	PageKind string `json:"page_kind"`
	Values
	Areas  []Area   `json:"areas"`
	Clips  []Clip   `json:"clips"`
	Follow []Follow `json:"follow,omitempty"`
	Error  string   `json:"error,omitempty"`
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

// An Area is an area of a page.
type Area struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
	Values
	Text  string `json:"text"`
	Links []Link `json:"links"`
}

// A Link is a link of a page.
type Link struct {
	URL    string `json:"url"`
	Anchor string `json:"anchor"`
}

// A Clip is a keyword of a clip.
type Clip struct {
	Keyword string `json:"keyword"`
	Title   string `json:"title"`
	Summary string `json:"summary"`
	Path    string `json:"path"`
}

// A Follow is a link that probably leads to what keywords ask for.
type Follow struct {
	Link
	Teaser   string   `json:"teaser"`
	Keywords []string `json:"keywords"`
}

func newValues(v tagtree.Values) Values {
	return Values{v.IV, v.HV, v.NumLinks, v.LinkText, v.CleanText, v.LTR(), v.LAR()}
}

// NewPage returns what an analysis says of a page, without clips.
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

// count returns how many areas are of a kind.
func (r Page) count(kind tagtree.AreaKind) int {
	n := 0
	for _, a := range r.Areas {
		if a.Kind == kind.String() {
			n++
		}
	}
	return n
}

// Columns are the columns of CSV, of a page a row.
var Columns = []string{
	"url", "title", "page_kind", "informational", "hub", "navigation", "text_bytes", "clips",
	"iv", "hv", "num_links", "link_text", "clean_text", "ltr", "lar", "error",
}

// Head is the first line of a table of pages.
const Head = "kind\tinformational\thub\tnavigation\ttext\tclips\tIV\tHV\tLTR\tpage"

// Row is the record as a line of CSV: counts in place of areas and clips.
func (r Page) Row() []string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	return []string{
		r.URL, r.Title, r.PageKind, strconv.Itoa(r.count(tagtree.Info)), strconv.Itoa(r.count(tagtree.Hub)),
		strconv.Itoa(r.count(tagtree.Navigation)), strconv.Itoa(len(r.Text)), strconv.Itoa(len(r.Clips)),
		number(r.IV), number(r.HV), strconv.Itoa(r.NumLinks), strconv.Itoa(r.LinkText), strconv.Itoa(r.CleanText),
		number(r.LTR), number(r.LAR), r.Error,
	}
}

// Line is a line of a table of pages, tabs between its columns; see Head.
func (r Page) Line() string {
	if r.Error != "" {
		return fmt.Sprintf("error\t-\t-\t-\t-\t-\t-\t-\t-\t%s: %s", text.Printable(r.URL), text.Printable(strings.TrimPrefix(r.Error, r.URL+": ")))
	}
	return fmt.Sprintf("%s\t%d\t%d\t%d\t%d\t%d\t%.4g\t%.0f\t%.2f\t%s",
		r.PageKind, r.count(tagtree.Info), r.count(tagtree.Hub), r.count(tagtree.Navigation),
		len(r.Text), len(r.Clips), r.IV, r.HV, r.LTR, text.Printable(r.URL))
}
