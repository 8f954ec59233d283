package crawler

import "math"

// A Distance is how far a node is from the start of a search (paper 003, definition 6). If there
// are several paths, the smallest numbers count.
type Distance struct {
	// Tree is d_T: the number of edges in the page's tree from the node to the nearest node that
	// the query matches.
	Tree int
	// Pages is d_P: the number of links from the first page to the node's page, 0 on the first.
	Pages int
	// Domains is d_D: the number of boundaries between registered domains on the way to the node's
	// page, 0 within the domain of the first page.
	Domains int
}

// The constants of the paper. Links of a nearer domain come before all of a farther one, and within
// a domain links of a nearer page first.
const (
	PageWeight   = 1_000     // K_P
	DomainWeight = 1_000_000 // K_D
)

// OntologicalDistance returns the ontological distance D = d_T + kp·d_P + kd·d_D.
func (d Distance) OntologicalDistance(kp, kd int) int64 {
	return int64(d.Tree) + int64(kp)*int64(d.Pages) + int64(kd)*int64(d.Domains)
}

// Relevance returns 1/D for an ontological distance, +Inf if D is 0.
func Relevance(distance int64) float64 {
	if distance <= 0 {
		return math.Inf(1)
	}
	return 1 / float64(distance)
}
