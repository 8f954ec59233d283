package crawler

import "math"

// A Distance says how far a node is from the start of a search (paper 003,
// definition 6). The lowest known numbers count.
type Distance struct {
	// Tree is d_T: edges of the page's tree between the node and the nearest
	// node that the query matches.
	Tree int
	// Pages is d_P: links to be followed to the node's page, 0 on the first.
	Pages int
	// Domains is d_D: borders between registered domains to be crossed on the
	// way to the node's page, 0 within the first page's.
	Domains int
}

// The constants of the paper. They make a link of a nearer domain come before
// all of a farther one, and so a link of a nearer page within a domain.
const (
	PageWeight   = 1_000     // K_P
	DomainWeight = 1_000_000 // K_D
)

// Of returns the ontological distance D = d_T + kp·d_P + kd·d_D.
func (d Distance) Of(kp, kd int) int64 {
	return int64(d.Tree) + int64(kp)*int64(d.Pages) + int64(kd)*int64(d.Domains)
}

// Relevance returns 1/D of an ontological distance, +Inf where D is 0.
func Relevance(distance int64) float64 {
	if distance <= 0 {
		return math.Inf(1)
	}
	return 1 / float64(distance)
}
