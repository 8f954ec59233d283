// Package block finds the role of each block of a page. Roles are the name of the event, its dates,
// its topics, its committee, navigation and so on. Roles are predicted by a learned model (see
// Model) without lists of words.
package block

import (
	"fmt"
	"io"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/features/tagtree"
)

// A Role is the role of a block.
type Role uint8

// The roles. A heading has the role of the section it opens.
const (
	Other        Role = iota // none of the other roles: sponsors, general contact, photographs
	Name                     // a title, banner or separate line with the event's name
	Host                     // the same for another event: the hosting one, earlier editions
	About                    // prose about the event: aims, welcome, overview
	Dates                    // deadlines and days of the event, with their labels
	Topics                   // what contributions may be about
	Instructions             // form and kinds of contributions, how to submit, review, publication
	Committee                // people with a role in the organisation
	Speakers                 // invited speakers, their biographies and talks
	Programme                // sessions, accepted papers, workshops and tutorials offered
	Fees                     // registration, fees, grants, visas
	Venue                    // place, travel, hotels
	News                     // news items
	Navigation               // menus, breadcrumbs, buttons
	Footer                   // copyright, last update, social media
	NumRoles
)

var roleNames = [NumRoles]string{
	"other", "name", "host", "about", "dates", "topics", "instructions", "committee",
	"speakers", "programme", "fees", "venue", "news", "navigation", "footer",
}

func (r Role) String() string {
	if r >= NumRoles {
		return fmt.Sprintf("role %d", uint8(r))
	}
	return roleNames[r]
}

// ParseRole returns the role with the given name, or an error if there is none.
func ParseRole(name string) (Role, error) {
	for r, s := range roleNames {
		if s == name {
			return Role(r), nil
		}
	}
	return 0, fmt.Errorf("unknown block role %q", name)
}

// RoleNames returns the names of all roles, in the order of their numbers.
func RoleNames() []string { return append([]string(nil), roleNames[:]...) }

// Scores are the probabilities of the roles of one block. They sum to 1.
type Scores [NumRoles]float32

// Best returns the role with the highest probability; if several are equal, the first of them.
func (s Scores) Best() Role {
	best := Role(0)
	for r := range s {
		if s[r] > s[best] {
			best = Role(r)
		}
	}
	return best
}

// A Model gives each block of a page the probabilities of its roles, in two passes. The first reads
// the block, its mark-up and the adjacent blocks. The second also reads the first's results for its
// neighbours, its heading and similar blocks (stacked sequential learning, Cohen and Carvalho 2005,
// section 3). It is read-only and safe for concurrent use.
type Model struct {
	// The first NumRoles outputs are the first pass, the others the second, so that the features of
	// a block are read only once.
	*classify.LogLinear
}

// passes is the number of outputs of a Model's weights.
const passes = 2 * int(NumRoles)

// JoinPasses builds a model from its two passes, each with one output per role.
func JoinPasses(m classify.Meta, first, second *classify.LogLinear) (*Model, error) {
	bias, weights := make([]float64, passes), map[uint32][]float64{}
	for at, pass := range []*classify.LogLinear{first, second} {
		if pass.Outputs() != int(NumRoles) {
			return nil, fmt.Errorf("join the passes of a model of block roles: a pass has %d outputs, must have %d", pass.Outputs(), NumRoles)
		}
		at *= int(NumRoles)
		for r, b := range pass.Bias() {
			bias[at+r] = float64(b)
		}
		for _, id := range pass.IDs() {
			if weights[id] == nil {
				weights[id] = make([]float64, passes)
			}
			outputs, ws := pass.Weights(id)
			for k, w := range ws {
				weights[id][at+int(outputs[k])] = float64(w)
			}
		}
	}
	l, err := classify.NewLogLinear(m, bias, weights)
	return &Model{l}, err
}

// ReadModel reads a model file. Its errors are those of classify.ReadModel.
func ReadModel(r io.Reader) (*Model, error) {
	l, err := classify.ReadLogLinear(r)
	if err != nil {
		return nil, err
	}
	return NewModel(l)
}

// NewModel returns a model with weights built by Join. It returns an error that wraps
// classify.ErrIncompatible if their number of outputs is wrong.
func NewModel(l *classify.LogLinear) (*Model, error) {
	if l.Outputs() != passes {
		return nil, fmt.Errorf("read model: %w: it has %d outputs, a model of block roles has %d: train it again", classify.ErrIncompatible, l.Outputs(), passes)
	}
	return &Model{l}, nil
}

// Roles returns the probabilities of the roles of blocks. The blocks are those of t in document
// order, all or the first of them, with texts as read by the caller; in plain text several lines
// may be one block. The time is linear in the text; at most the first maxWords words of a block are
// read.
func (m *Model) Roles(t *tagtree.Tree, blocks []tagtree.Block) []Scores {
	return m.PageRoles(newPage(t, blocks))
}

// PageRoles is Roles for a page prepared by NewPage.
func (m *Model) PageRoles(p *Page) []Scores {
	blocks := p.blocks
	scores, second := make([]Scores, len(blocks)), make([][NumRoles]float64, len(blocks))
	m.forEachOwnScores(p, func(i int, both []float64) {
		scores[i] = Probabilities(both[:NumRoles])
		copy(second[i][:], both[NumRoles:])
	})
	c := p.Context(scores)
	out := make([]Scores, len(blocks))
	var terms []classify.Term
	var both [passes]float64
	for i := range blocks {
		clear(both[:])
		terms = c.AppendTerms(terms[:0], i)
		m.Add(terms, both[:])
		for r := range second[i] {
			second[i][r] += both[int(NumRoles)+r]
		}
		out[i] = Probabilities(second[i][:])
	}
	return out
}

// unitScores are scores in units of 1/classify.WeightUnit, one per output.
type unitScores = [passes]int32

// forEachOwnScores calls f with each block and the scores of the terms that AppendTerms gives for it, one score per
// output. The scores are valid until f returns. All these terms have the value 1, so the sums are exact in
// any order.
func (m *Model) forEachOwnScores(p *Page, f func(i int, scores []float64)) {
	var terms []classify.Term
	var common, own unitScores
	for k, b := range m.Bias() {
		common[k] = int32(b * classify.WeightUnit)
	}
	m.AddUnits(p.common, common[:])
	s := cachedSums{m: m, p: p, head: map[int]*unitScores{}, upper: map[int]*unitScores{}, around: map[int32]*unitScores{}}
	var both [passes]float64
	for i := range p.blocks {
		own = common
		terms = s.appendElement(p.appendUnsharedTerms(terms[:0], i), i)
		m.AddUnits(terms, own[:])
		s.addShared(i, &own)
		for k := range both {
			both[k] = float64(own[k]) / classify.WeightUnit
		}
		f(i, both[:])
	}
}

// cachedSums caches the contributions to scores that many blocks of a page have in common.
type cachedSums struct {
	m           *Model
	p           *Page
	head, upper map[int]*unitScores // index of a block → scores of its words as heading, and as the heading above the heading
	around      map[int32]*unitScores
	terms       []classify.Term
}

// addShared adds the scores of the features that block i shares with other blocks. They are the words of
// the headings above it and the elements around its own element.
func (s *cachedSums) addShared(i int, to *unitScores) {
	add := func(from *unitScores) {
		for k, x := range from {
			to[k] += x
		}
	}
	if h := s.p.heading[i]; h >= 0 {
		add(cachedSum(s, s.head, h, func(ts []classify.Term) []classify.Term {
			return appendFirstWords(ts, tHeadingWord, s.p.blocks[h].Text, headWords)
		}))
		if up := s.p.heading[h]; up >= 0 {
			add(cachedSum(s, s.upper, up, func(ts []classify.Term) []classify.Term {
				return appendFirstWords(ts, tUpperWord, s.p.blocks[up].Text, upperWords)
			}))
		}
	}
	if s.p.elements == nil {
		return
	}
	at := s.p.t.BlockElement(i)
	if at < 0 || !hasFeatures(&s.p.elements[at]) {
		return
	}
	if around := s.p.elements[at].Parent; around >= 0 {
		add(cachedSum(s, s.around, around, func(ts []classify.Term) []classify.Term {
			forEachAround(s.p.elements, around, maxAncestors-1, func(e *tagtree.Element, _ int) {
				ts = appendClasses(append(ts, unitTerm(tTag, hashString(e.Node.Data))), e)
			})
			return ts
		}))
	}
}

// appendElement appends the terms of the element of block i itself.
func (s *cachedSums) appendElement(ts []classify.Term, i int) []classify.Term {
	if s.p.elements == nil {
		return ts
	}
	tail := uint32(2166136261)
	forEachAround(s.p.elements, s.p.t.BlockElement(i), tailTags, func(e *tagtree.Element, depth int) {
		tag := hashString(e.Node.Data)
		if depth == 0 {
			ts = appendClasses(append(ts, unitTerm(tTag, tag)), e)
		}
		tail = tail*31 ^ tag
		ts = append(ts, unitTerm(tTagTail, tail))
	})
	return ts
}

// cachedSum returns the scores of the terms of a key. They are computed at the first call and cached in known.
func cachedSum[K comparable](s *cachedSums, known map[K]*unitScores, key K, terms func([]classify.Term) []classify.Term) *unitScores {
	sum := known[key]
	if sum == nil {
		sum = new(unitScores)
		s.terms = terms(s.terms[:0])
		s.m.AddUnits(s.terms, sum[:])
		known[key] = sum
	}
	return sum
}

// Probabilities returns the softmax of scores, which are one per role. It modifies scores.
func Probabilities(scores []float64) Scores {
	classify.Softmax(scores)
	var s Scores
	for r, p := range scores {
		s[r] = float32(p)
	}
	return s
}
