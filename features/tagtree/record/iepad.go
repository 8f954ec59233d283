package record

import (
	"cmp"
	"index/suffixarray"
	"math"
	"slices"

	"github.com/eventseer/eventseer/features/tagtree"
)

// Constants of IEPAD (Chang and Lui 2001, section 3).
const (
	iepadCount      = 3    // minimum number of occurrences of a pattern
	iepadTokens     = 4096 // maximum number of tags read of a page
	iepadLength     = 60   // maximum number of tags in a pattern
	iepadRegularity = 0.5  // maximum variation of the distances between occurrences
	iepadDensity    = 0.25 // minimum share of a pattern in the tags between its first and last occurrence
)

// FindIEPAD returns the lists of the page by repeated patterns of tags (Chang and Lui, WWW 2001). Lists are the
// regular and compact repeats in the sequence of tags. Repeats that cover most tags take precedence. It is
// the baseline that paper 000 reviews.
func FindIEPAD(t *tagtree.Tree) []Region {
	root := shownOutline(t)
	if root == nil {
		return nil
	}
	s := newTagSequence(root)
	links := newLinkReader(t.Base())
	var regions []Region
	taken := make([]bool, len(s.nodes))
	for _, p := range s.repeatedPatterns() {
		if slices.Contains(taken[p.starts[0]:p.end()], true) {
			continue
		}
		var r Region
		for i, start := range p.starts {
			end := p.end()
			if i+1 < len(p.starts) {
				end = p.starts[i+1]
			}
			nodes := s.topNodes(start, end)
			r.Records = append(r.Records, Record{Nodes: nodes, Links: links.linksIn(nodes)})
		}
		r.Path = r.Records[0].path()
		for i := p.starts[0]; i < p.end(); i++ {
			taken[i] = true
		}
		alignFields(r.Records)
		regions = append(regions, r)
	}
	return regions
}

// A tagSequence is the sequence of a page's nodes in document order. codes has a byte for the name of each
// node.
type tagSequence struct {
	nodes []*tagtree.Node
	place map[*tagtree.Node]int
	codes []byte
}

func newTagSequence(root *tagtree.Node) *tagSequence {
	s := &tagSequence{place: make(map[*tagtree.Node]int)}
	names := make(map[string]byte)
	visitSubtree(root, func(n *tagtree.Node) bool {
		if n.Hidden || n.Name == "head" || len(s.nodes) == iepadTokens {
			return false
		}
		name := n.Name
		if _, ok := names[name]; !ok {
			names[name] = byte(min(len(names), math.MaxUint8))
		}
		s.place[n] = len(s.nodes)
		s.nodes = append(s.nodes, n)
		s.codes = append(s.codes, names[name])
		return true
	})
	return s
}

// topNodes returns the nodes with an index in [from, to) whose parents are not in this range.
func (s *tagSequence) topNodes(from, to int) []*tagtree.Node {
	var tops []*tagtree.Node
	for _, n := range s.nodes[from:to] {
		if at, ok := s.place[n.Parent]; !ok || at < from {
			tops = append(tops, n)
		}
	}
	return tops
}

// A tagPattern is a repeated run of tags.
type tagPattern struct {
	length int
	starts []int // start indexes, ascending, without overlap
}

func (p tagPattern) end() int { return p.starts[len(p.starts)-1] + p.length }

// density returns the share of tags between the first and the last occurrence that are in an occurrence.
func (p tagPattern) density() float64 {
	return float64(p.length*len(p.starts)) / float64(p.end()-p.starts[0])
}

// variation returns the coefficient of variation of the distances between occurrences.
func (p tagPattern) variation() float64 {
	gaps := make([]int, 0, len(p.starts))
	for i := 1; i < len(p.starts); i++ {
		gaps = append(gaps, p.starts[i]-p.starts[i-1])
	}
	return variationCoefficient(gaps)
}

// repeatedPatterns returns the regular and compact repeats, first those that cover most of the page. It finds
// occurrences by a suffix array.
func (s *tagSequence) repeatedPatterns() []tagPattern {
	index := suffixarray.New(s.codes)
	seen := make(map[string]bool)
	var out []tagPattern
	for i := range s.codes {
		for length := 2; length <= min(iepadLength, len(s.codes)-i); length++ {
			text := s.codes[i : i+length]
			if seen[string(text)] {
				continue
			}
			seen[string(text)] = true
			all := index.Lookup(text, -1)
			if len(all) < iepadCount {
				break
			}
			p := tagPattern{length: length, starts: withoutOverlaps(all, length)}
			if len(p.starts) >= iepadCount && p.variation() < iepadRegularity && p.density() > iepadDensity {
				out = append(out, p)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b tagPattern) int {
		return cmp.Or(cmp.Compare(b.length*len(b.starts), a.length*len(a.starts)), cmp.Compare(a.length, b.length), cmp.Compare(a.starts[0], b.starts[0]))
	})
	return out
}

// withoutOverlaps sorts occurrences and removes those that overlap the previous one.
func withoutOverlaps(starts []int, length int) []int {
	slices.Sort(starts)
	out := starts[:0]
	for _, at := range starts {
		if len(out) == 0 || at >= out[len(out)-1]+length {
			out = append(out, at)
		}
	}
	return out
}
