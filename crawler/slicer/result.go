package slicer

import (
	"time"

	"eventseer/crawler"
	"eventseer/features/tagtree"
	"eventseer/features/tagtree/slice"
	"eventseer/webgraph"
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
	URL  string        // that answered, else the one asked for
	Tree *tagtree.Tree // nil with Err
	// Slice is what the page says about the query; nil with Err.
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
