package main

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"eventseer/cmd/eventseer/internal/app"
	"eventseer/eventseer/clip"
	"eventseer/features/tagtree"
	"eventseer/internal/text"
)

// An analysisRecord is one line of `analyze --format jsonl`.
type analysisRecord struct {
	URL      string `json:"url"`
	Title    string `json:"title"`
	Text     string `json:"text"`
	PageKind string `json:"page_kind"`
	valuesRecord
	Areas  []areaRecord   `json:"areas"`
	Clips  []clipRecord   `json:"clips"`
	Follow []followRecord `json:"follow,omitempty"`
	Error  string         `json:"error,omitempty"`
}

// A valuesRecord is the metrics of a page or an area.
type valuesRecord struct {
	IV        float64 `json:"iv"`
	HV        float64 `json:"hv"`
	NumLinks  int     `json:"num_links"`
	LinkText  int     `json:"link_text"`
	CleanText int     `json:"clean_text"`
	LTR       float64 `json:"ltr"`
	LAR       float64 `json:"lar"`
}

type areaRecord struct {
	Path string `json:"path"`
	Kind string `json:"kind"`
	valuesRecord
	Text  string       `json:"text"`
	Links []linkRecord `json:"links"`
}

type linkRecord struct {
	URL    string `json:"url"`
	Anchor string `json:"anchor"`
}

type clipRecord struct {
	Keyword string `json:"keyword"`
	Title   string `json:"title"`
	Summary string `json:"summary"`
	Path    string `json:"path"`
}

// A followRecord is a link that probably leads to what keywords ask for.
type followRecord struct {
	linkRecord
	Teaser   string   `json:"teaser"`
	Keywords []string `json:"keywords"`
}

func newValuesRecord(v tagtree.Values) valuesRecord {
	return valuesRecord{v.IV, v.HV, v.NumLinks, v.LinkText, v.CleanText, v.LTR(), v.LAR()}
}

func newAnalysisRecord(t *tagtree.Tree, a *tagtree.Analysis) analysisRecord {
	r := analysisRecord{
		URL: t.Page.URL, Title: t.Title(), Text: a.Text(), PageKind: a.Kind.String(), valuesRecord: newValuesRecord(a.Values),
		Areas: make([]areaRecord, len(a.Areas)), Clips: []clipRecord{},
	}
	for i, area := range a.Areas {
		r.Areas[i] = areaRecord{
			Path: area.Path, Kind: area.Kind.String(), valuesRecord: newValuesRecord(area.Values), Text: area.Text, Links: []linkRecord{},
		}
	}
	for i, l := range t.Links() {
		if n := a.AreaOfLink(i); n >= 0 {
			r.Areas[n].Links = append(r.Areas[n].Links, linkRecord{l.Target, l.Anchor})
		}
	}
	return r
}

// addClips adds a line for each keyword of each clip.
func (r *analysisRecord) addClips(t *tagtree.Tree, found clip.Result) {
	for _, c := range found.Clips {
		for _, m := range c.Distinct() {
			r.Clips = append(r.Clips, clipRecord{m.Term, c.Title, c.Summary, c.Path})
		}
	}
	for _, f := range found.Follow {
		l := t.Links()[f.Link]
		r.Follow = append(r.Follow, followRecord{linkRecord{l.Target, l.Anchor}, f.Teaser, f.Terms})
	}
}

// count returns how many areas are of a kind.
func (r analysisRecord) count(kind tagtree.AreaKind) int {
	n := 0
	for _, a := range r.Areas {
		if a.Kind == kind.String() {
			n++
		}
	}
	return n
}

// analysisWriter returns what writes a record in the given format, and what
// ends the output.
func analysisWriter(w io.Writer, format string) (write func(analysisRecord) error, flush func() error) {
	switch format {
	case "jsonl":
		return func(r analysisRecord) error { return app.WriteJSONLine(w, r) }, func() error { return nil }
	case "json":
		all := []analysisRecord{}
		return func(r analysisRecord) error { all = append(all, r); return nil }, func() error { return app.WriteJSON(w, all) }
	case "csv":
		out := csv.NewWriter(w)
		header := out.Write([]string{
			"url", "title", "page_kind", "informational", "hub", "navigation", "text_bytes", "clips",
			"iv", "hv", "num_links", "link_text", "clean_text", "ltr", "lar", "error",
		})
		return func(r analysisRecord) error {
				if header != nil {
					return header
				}
				return out.Write(r.row())
			}, func() error {
				out.Flush()
				return out.Error()
			}
	}
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, "kind\tinformational\thub\tnavigation\ttext\tclips\tIV\tHV\tLTR\tpage")
	return func(r analysisRecord) error { return printAnalysis(tw, r) }, tw.Flush
}

// row is the record as a line of CSV: counts in place of areas and clips.
func (r analysisRecord) row() []string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
	return []string{
		r.URL, r.Title, r.PageKind, strconv.Itoa(r.count(tagtree.Info)), strconv.Itoa(r.count(tagtree.Hub)),
		strconv.Itoa(r.count(tagtree.Navigation)), strconv.Itoa(len(r.Text)), strconv.Itoa(len(r.Clips)),
		number(r.IV), number(r.HV), strconv.Itoa(r.NumLinks), strconv.Itoa(r.LinkText), strconv.Itoa(r.CleanText),
		number(r.LTR), number(r.LAR), r.Error,
	}
}

func printAnalysis(w io.Writer, r analysisRecord) error {
	if r.Error != "" {
		_, err := fmt.Fprintf(w, "error\t-\t-\t-\t-\t-\t-\t-\t-\t%s: %s\n", text.Printable(r.URL), text.Printable(strings.TrimPrefix(r.Error, r.URL+": ")))
		return err
	}
	_, err := fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%.4g\t%.0f\t%.2f\t%s\n",
		r.PageKind, r.count(tagtree.Info), r.count(tagtree.Hub), r.count(tagtree.Navigation),
		len(r.Text), len(r.Clips), r.IV, r.HV, r.LTR, text.Printable(r.URL))
	return err
}
