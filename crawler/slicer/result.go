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

// Connection is the connection of a page to the page through which it was found.
type Connection string

// Kinds of connections.
const (
	Start     Connection = "start"     // the first page
	Link      Connection = "link"      // target of a link in a slice
	Backlink  Connection = "backlink"  // page with a link to the first page
	Container Connection = "container" // page that shows the first page in a frame or iframe
)

// A Result is one page found. Results come in order of relevance.
type Result struct {
	URL  string        // final URL, or the requested one after an error
	Tree *tagtree.Tree // parsed page, nil if Err is set
	// Slice is the part of the page that is relevant to the query. It is nil if Err is set.
	Slice *slice.Slice
	Err   error // why the page could not be fetched or parsed

	// Distance is the distance of the node that led to the page, D its ontological distance, and Relevance
	// 1/D. The order of results depends only on them. See Waiting.
	Distance  crawler.Distance
	D         int64
	Relevance float64
	// Pages and Domains are the page and domain distances of the page itself and of all its nodes.
	Pages, Domains int

	How    Connection
	Parent *Result // page that led to this one; nil for the first
	// Link is the index in Parent.Tree.Links() of the link to the page. It is -1 for the first page,
	// backlinks and containers.
	Link int
	// TimeLeft is the part of the time limit left when the page was received.
	TimeLeft time.Duration
}

// Shown reports whether the page matches the query.
func (r *Result) Shown() bool { return r.Slice != nil && !r.Slice.IsEmpty() }

// LeftOut returns the links of the page that are not in its slice, each target once, in document order.
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

// A Waiting is a relevant link that was not followed yet.
type Waiting struct {
	URL    string // canonical URL of the target
	Anchor string
	// Distance is the distance of the link's own node: d_T to the nearest match in its page, d_P and d_D of
	// that page. It does not depend on whether the link leads to another domain (paper 003, table 1).
	//
	// The node of a backlink is in a page not fetched yet. Its d_P is 1, its d_D is 1 if that page is in
	// another domain, and its d_T is taken as 0. If the page contains the first page in a frame, no link is
	// followed and d_P is 0.
	Distance crawler.Distance
	D        int64

	connection Connection
	parent     *Result
	link       int
	// pages and domains are the smallest known distances of the target.
	pages, domains int
}

// A Record is one line of `slice --format jsonl`: a page that matches the query, or one that could not be
// read. Distance, d_t, d_p and d_d are those of the link that led to it, as in table 1 of paper 003.
type Record struct {
	URL            string        `json:"url"`
	Title          string        `json:"title,omitempty"`
	How            Connection    `json:"how"`
	Distance       int64         `json:"distance"`
	Relevance      *float64      `json:"relevance"` // null if infinite
	DT             int           `json:"d_t"`
	DP             int           `json:"d_p"`
	DD             int           `json:"d_d"`
	PageDistance   int           `json:"page_distance"` // distance of the page itself
	DomainDistance int           `json:"domain_distance"`
	Parent         *string       `json:"parent"`
	Anchor         string        `json:"anchor,omitempty"`
	Keys           int           `json:"keys"`
	Text           string        `json:"text"`
	Left           []report.Link `json:"left"`
	Error          string        `json:"error,omitempty"`
}

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
	rec.Title, rec.Keys, rec.Text = r.Tree.Title(), r.Slice.CountKeys(), r.Slice.Text()
	for _, l := range r.LeftOut() {
		rec.Left = append(rec.Left, report.Link{URL: l.Target, Anchor: l.Anchor})
	}
	return rec
}

// AnchorOf returns the text of the link that led to a page, "" if there is none.
func AnchorOf(r *Result) string {
	if r.Link < 0 {
		return ""
	}
	return r.Parent.Tree.Links()[r.Link].Anchor
}
