package slicer

import (
	"math"
	"time"

	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/report"
	"github.com/eventseer/eventseer/features/tagtree/slice"
	"github.com/eventseer/eventseer/webgraph"
)

// How says in which way a page is connected with the one it was found by.
type How string

// The connections between pages.
const (
	Start     How = "start"     // the initial page
	Link      How = "link"      // a link of a slice leads to it
	Backlink  How = "backlink"  // it links to the initial page
	Container How = "container" // it shows the initial page in a frame or iframe
)

// A Result is one page, in the order of relevance.
type Result struct {
	URL  string        // that answered, else the requested one
	Tree *tagtree.Tree // nil with Err
	// Slice is the part of the page that matches the query; nil with Err.
	Slice *slice.Slice
	Err   error // why there is no page

	// Distance is that of the node that led to the page, D its ontological
	// distance and Relevance 1/D: all that the order depends on. See Waiting.
	Distance  crawler.Distance
	D         int64
	Relevance float64
	// Pages and Domains are the distances of the page itself, so those of every
	// node in it.
	Pages, Domains int

	How    How
	Parent *Result // that led to the page; nil for the first
	// Link is the link that led to it, an index into Parent.Tree.Links(), or -1
	// for the first page, backlinks and containers.
	Link int
	// TimeLeft is how much of the time limit was left when the page had come.
	TimeLeft time.Duration
}

// Shown reports whether the page says anything about the query.
func (r *Result) Shown() bool { return r.Slice != nil && !r.Slice.Empty() }

// LeftOut returns the links of the page that are not in its slice, each target
// once, in document order.
func (r *Result) LeftOut() []webgraph.Link {
	if r.Tree == nil {
		return nil
	}
	in := map[string]bool{}
	for _, l := range r.Slice.Links() {
		in[r.Tree.Links()[l.Link].Target] = true
	}
	var out []webgraph.Link
	for _, l := range r.Tree.Links() {
		if !in[l.Target] {
			in[l.Target] = true
			out = append(out, l)
		}
	}
	return out
}

// A Waiting is a link found relevant and not yet followed.
type Waiting struct {
	URL    string // canonical
	Anchor string
	// Distance is that of the link's own node: d_T to the nearest match in its
	// page, d_P and d_D of that page. A link to another domain is as near as one
	// within (paper 003, table 1). The node of a
	// backlink is in the page to come, so d_P is 1, d_D is 1 if that is of
	// another domain, and d_T, which is not known yet, 0. No link is followed to
	// a page that contains the first as a frame: its d_P is 0.
	Distance crawler.Distance
	D        int64

	how    How
	parent *Result
	link   int
	// pages and domains are the lowest known distances of the page to come.
	pages, domains int
}

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
		rec.Error = crawler.FetchCause(r.Err).Error()
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
