package slicer

import (
	"errors"
	"math"

	"eventseer/crawler"
	"eventseer/features/tagtree/report"
)

// A Record is one line of `slice --format jsonl`: a page that says
// something about the query, or one that could not be had. Distance, d_t, d_p
// and d_d are those of the link that led to it, as in table 1 of paper 003.
type Record struct {
	URL            string        `json:"url"`
	Title          string        `json:"title,omitempty"`
	How            How           `json:"how"`
	Distance       int64         `json:"distance"`
	Relevance      *float64      `json:"relevance"` // null where it is infinite
	DT             int           `json:"d_t"`
	DP             int           `json:"d_p"`
	DD             int           `json:"d_d"`
	PageDistance   int           `json:"page_distance"` // of the page itself
	DomainDistance int           `json:"domain_distance"`
	Parent         *string       `json:"parent"`
	Anchor         string        `json:"anchor,omitempty"`
	Keys           int           `json:"keys"`
	Text           string        `json:"text"`
	Left           []report.Link `json:"left"`
	Error          string        `json:"error,omitempty"`
}

// NewRecord returns the record of a result.
func NewRecord(r *Result) Record {
	rec := Record{
		URL: r.URL, How: r.How, Distance: r.D, DT: r.Distance.Tree, DP: r.Distance.Pages, DD: r.Distance.Domains,
		PageDistance: r.Pages, DomainDistance: r.Domains, Anchor: AnchorOf(r), Left: []report.Link{},
	}
	if !math.IsInf(r.Relevance, 1) {
		rec.Relevance = &r.Relevance
	}
	if r.Parent != nil {
		rec.Parent = &r.Parent.URL
	}
	if r.Err != nil {
		rec.Error = Cause(r.Err).Error()
		return rec
	}
	rec.Title, rec.Keys, rec.Text = r.Tree.Title(), r.Slice.Keys(), r.Slice.Text()
	for _, l := range r.LeftOut() {
		rec.Left = append(rec.Left, report.Link{URL: l.Target, Anchor: l.Anchor})
	}
	return rec
}

// AnchorOf returns the text of the link that led to a page.
func AnchorOf(r *Result) string {
	if r.Link < 0 {
		return ""
	}
	return r.Parent.Tree.Links()[r.Link].Anchor
}

// Cause is an error of a fetch without the URL, which is said beside it.
func Cause(err error) error {
	var fe *crawler.FetchError
	if errors.As(err, &fe) {
		return fe.Err
	}
	return err
}
