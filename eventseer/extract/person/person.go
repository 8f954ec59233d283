// Package person finds the names of people in the blocks of a page, and decides which of them have a role
// in the event. A learned model (see Model) judges the form of a name and the text around it. It also reads
// lists of common given names and surnames, but finds names that are not in them.
package person

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer/block"
)

// A Person is a name found on a page.
type Person struct {
	Block    int
	From, To int     // bytes [From, To) of the block's text
	Name     string  // as printed, with the given name first
	Right    float64 // probability that the person has a role in the event; at least leastRead
}

// A Model predicts for each possible name of a page whether it is a person with a role in the event. It has
// two passes. The first reads the name and its block. The second also reads the first's results for the
// names around it (stacked sequential learning, Cohen and Carvalho 2005, section 3). It is read-only and
// safe for concurrent use.
type Model struct {
	// The first output is the log-odds of the first pass, the second output those of the second.
	*classify.LogLinear
}

const passes = 2

// JoinPasses builds a model from its two passes. Each of them has two outputs: no name, a name.
func JoinPasses(m classify.Meta, first, second *classify.LogLinear) (*Model, error) {
	bias, weights := make([]float64, passes), map[uint32][]float64{}
	for at, pass := range []*classify.LogLinear{first, second} {
		if pass.Outputs() != 2 {
			return nil, fmt.Errorf("join the passes of a model of people: a pass has %d outputs, want 2", pass.Outputs())
		}
		bias[at] = float64(pass.Bias()[1]) - float64(pass.Bias()[0])
		for _, id := range pass.IDs() {
			if weights[id] == nil {
				weights[id] = make([]float64, passes)
			}
			outputs, ws := pass.Weights(id)
			for k, w := range ws {
				weights[id][at] += float64(w) * float64(2*int(outputs[k])-1)
			}
		}
	}
	l, err := classify.NewLogLinear(m, bias, weights)
	return &Model{l}, err
}

// ReadModel reads a model file. Its errors are those of classify.ReadModel. A file with a wrong number of
// outputs is classify.ErrIncompatible.
func ReadModel(r io.Reader) (*Model, error) {
	l, err := classify.ReadLogLinear(r)
	if err != nil {
		return nil, err
	}
	if l.Outputs() != passes {
		return nil, fmt.Errorf("read model: %w: %d outputs, a model of people has %d: train it again", classify.ErrIncompatible, l.Outputs(), passes)
	}
	return &Model{l}, nil
}

func sigmoid(x float64) float64 { return 1 / (1 + math.Exp(-x)) }

// People returns the people of a page in document order. A name is returned if its probability is at least
// least, or if its label, its form or its list supports it. Of overlapping names it returns the more
// probable one.
func (m *Model) People(p *Page, least float64) []Person {
	first, second, letters := make([][]float64, len(p.blocks)), make([][]float64, len(p.blocks)), make([][]float64, len(p.blocks))
	var terms []classify.Term
	var shared, sums, own [passes]float64
	for i := range p.blocks {
		if len(p.spans[i]) == 0 {
			continue
		}
		terms = p.appendBlock(terms[:0], i)
		m.Scores(terms, shared[:])
		for k := range p.spans[i] {
			sp := &p.spans[i][k]
			clear(own[:])
			m.Add(p.appendLetters(terms[:0], i, sp), own[:])
			sums = shared
			m.Add(p.appendForm(terms[:0], i, sp), sums[:])
			first[i], second[i], letters[i] = append(first[i], sums[0]+own[0]), append(second[i], sums[1]+own[1]), append(letters[i], own[1])
		}
	}
	c := p.Context(first)
	maybe := make([][]int, len(p.blocks))
	var out []Person
	for i := range p.blocks {
		if len(p.spans[i]) == 0 {
			continue
		}
		clear(sums[:])
		m.Add(c.appendBlock(terms[:0], i), sums[:])
		inBlock := sums[1]
		for k := range p.spans[i] {
			clear(sums[:])
			m.Add(c.appendSpan(terms[:0], i, k), sums[:])
			second[i][k] += sums[1] + inBlock
		}
		p.splitAtEdges(i, second[i])
		p.excludeInsideReversedNames(i, second[i])
		maybe[i] = chooseNames(p.spans[i], second[i], maybeName)
	}
	lists := p.statisticsOf(maybe, second, letters)
	for i := range p.blocks {
		for _, k := range maybe[i] {
			sp := &p.spans[i][k]
			right := sigmoid(second[i][k])
			if !lists.isAccepted(p, i, sp, right, letters[i][k], least) {
				continue
			}
			out = append(out, Person{Block: i, From: sp.from, To: sp.to, Name: singleSpaced(sp.printedName(p.blocks[i].Text, p.read[i])), Right: max(right, leastRead)})
		}
	}
	return out
}

// splitAtEdges excludes possible names of block i that continue after the end of an element, if the part
// inside the element is probably a name. One link or span often contains the name and the next one the
// affiliation. odds is modified.
func (p *Page) splitAtEdges(i int, odds []float64) {
	spans, ws := p.spans[i], p.read[i]
	for k := range spans {
		sp := &spans[k]
		for j := k - 1; j >= 0 && spans[j].first == sp.first; j-- {
			if o := &spans[j]; o.last < sp.last && o.first < o.last && ws[o.last].ends && odds[j] > 0 && o.givenFirst == sp.givenFirst {
				odds[k] = math.Inf(-1)
			}
		}
	}
}

// excludeInsideReversedNames excludes the single words inside a possible name "Surname, Given" of block i if its log-odds
// exceed likelyTurned. odds is modified.
func (p *Page) excludeInsideReversedNames(i int, odds []float64) {
	spans := p.spans[i]
	for k := range spans {
		if sp := &spans[k]; sp.givenFirst > 0 && odds[k] > likelyTurned {
			for j := max(k-maxNeighbours, 0); j < min(k+maxNeighbours, len(spans)); j++ {
				if o := &spans[j]; o.first == o.last && o.first >= sp.first && o.last <= sp.last {
					odds[j] = math.Inf(-1)
				}
			}
		}
	}
}

// Thresholds for accepting a name, depending on other evidence than its probability. They were tuned on the
// sites work and gold with models trained without their owners.
const (
	maybeName = 0.002 // minimum probability of a name that is considered
	leastRead = 0.6   // probability reported for a name that is accepted because of its label, form or list
	inList    = 0.3   // minimum probability in a list of which most entries are names
	sure      = 0.7   // probability from which no other evidence is needed

	unlikeLabelled = -2.5 // minimum log-odds of the name's own words after a label
	unlikeName     = -1.5 // the same at the start of blocks of a list below a role
	likeInProse    = -0.5 // the same in a sentence that names a role
	likeName       = 0.0  // the same if a role is named in the clause or just above
	veryLikeName   = 0.7  // the same if a role is named anywhere above

	majority       = 0.5  // minimum mean probability of the other entries of a list of names
	minority       = 0.2  // maximum mean probability of the other entries of a list without names
	likelyTurned   = -3.0 // minimum log-odds of a name with the surname first
	leastList      = 2    // minimum number of other entries of a list
	leastOpened    = 5    // minimum number of blocks of a list of which most begin with a name
	mostOpened     = 0.6  // minimum share of the other blocks of a list of names that begin with a name
	leastCommittee = 0.3  // minimum probability that a block is part of a committee
	maxApart       = 4    // maximum words of a name that is apart, see accepts
	maxParticle    = 3    // maximum runes of a word in lower case that may be part of a name, such as "van"
	nearRole       = 3    // maximum distance in blocks to the block that names a role
	speaker        = 1    // number of the role of speakers, who have no role in organising the event
)

// listStatistics are statistics of the probable names in similar blocks below one heading. Keys are the heading's
// index and the pattern of the blocks.
type listStatistics struct {
	sections map[[2]int]meanTally
	begun    map[[2]int]meanTally // per block 1 if it begins with a possible name, judged by its own words
	opened   map[[2]int]meanTally // per block 1 if it begins with a name of probability above 0.5
}

func (p *Page) statisticsOf(maybe [][]int, odds, letters [][]float64) listStatistics {
	l := listStatistics{map[[2]int]meanTally{}, map[[2]int]meanTally{}, map[[2]int]meanTally{}}
	for i := range maybe {
		if p.blocks[i].Text != "" {
			begins, opened, s := 0.0, 0.0, [2]int{p.heading[i], int(p.pattern[i])}
			if len(maybe[i]) > 0 && p.beginsBlock(i, &p.spans[i][maybe[i][0]], letters[i][maybe[i][0]]) {
				begins = 1
				if odds[i][maybe[i][0]] > 0 {
					opened = 1
				}
			}
			l.begun[s] = l.begun[s].withValue(begins)
			l.opened[s] = l.opened[s].withValue(opened)
		}
		for _, k := range maybe[i] {
			x := sigmoid(odds[i][k])
			s := [2]int{p.heading[i], int(p.pattern[i])}
			l.sections[s] = l.sections[s].withValue(x)
		}
	}
	return l
}

// isAccepted reports whether a possible name of block i is accepted. right is its probability and letters are
// the log-odds of its own words. A probability of least is enough if a role or a committee is named. A
// lower one is enough if its label, its own words or its list support it. A name is apart if only
// punctuation or the ends of an element are around it.
func (l listStatistics) isAccepted(p *Page, i int, sp *nameSpan, right, letters, least float64) bool {
	before, after := p.marksAroundName(i, sp)
	first, last := &p.read[i][sp.first], &p.read[i][sp.last]
	isApart := (before > space || first.begins && sp.from == first.from) && (after > space || last.ends && sp.to == last.to) && sp.last-sp.first < maxApart
	var own, label uint8
	if c := p.clauseOf(i, sp); c < len(p.clauses[i]) {
		own, label = p.clauses[i][c].own, p.clauses[i][c].label
	}
	if letters < veryLikeName && p.namesInstitution(i, sp) {
		return false
	}
	inProse := own > speaker && (isApart || p.isInProse(i, sp)) && sp.first < sp.last
	isLabelled := label != 0 && label != unknownRole
	eventRole, near := uint8(0), false
	if d := p.roleBlock[i]; d >= 0 {
		eventRole, near = p.blocks[d].EventRole, i-d <= nearRole
	}
	if label == speaker && own <= speaker {
		return false // a label such as "Keynote speakers: A and B"
	}
	if inProse && letters >= likeInProse {
		return true
	}
	if isApart {
		switch {
		case isLabelled && label != speaker && before != opened && (sp.first < sp.last || first.shape >= han) && (letters >= unlikeLabelled || before == colon):
			return true
		case label == unknownRole && before != opened && eventRole > speaker && letters >= likeName: // a label such as "Publicity: A, B" below organisers
			return true
		case letters >= likeName && (isLabelled || own > speaker || near && eventRole > speaker):
			return true
		case letters >= veryLikeName && eventRole > speaker:
			return true
		}
	}
	if b := l.begun[[2]int{p.heading[i], int(p.pattern[i])}]; b.n >= 2 && b.sum >= 0.7*float64(b.n) && eventRole > speaker && p.beginsBlock(i, sp, letters) {
		return true
	}
	if o := l.opened[[2]int{p.heading[i], int(p.pattern[i])}]; p.beginsBlock(i, sp, letters) && (eventRole > speaker || p.blocks[i].Scores[block.Committee] >= leastCommittee) {
		own := 0.0
		if right > 0.5 {
			own = 1
		}
		if others, ok := o.meanWithout(own); ok && o.n >= leastOpened && others >= mostOpened {
			return true
		}
	}
	list := l.sections[[2]int{p.heading[i], int(p.pattern[i])}]
	others, isListed := list.meanWithout(right)
	isListed = isListed && list.n > leastList
	switch {
	case right >= sure:
		return true
	case isListed && others < minority:
		return false
	case right >= least:
		return isLabelled || own != 0 || p.roleBlock[i] >= 0 || p.blocks[i].Scores[block.Committee] >= leastCommittee
	}
	return isListed && others >= majority && isApart && right >= inList
}

// namesInstitution reports whether a possible name of block i contains a word of institutions' names. A
// single word is never one.
func (p *Page) namesInstitution(i int, sp *nameSpan) bool {
	if p.Institution == nil || sp.first == sp.last {
		return false
	}
	for k := sp.first; k <= sp.last; k++ {
		if p.Institution(p.read[i][k].folded) {
			return true
		}
	}
	return false
}

// beginsBlock reports whether block i begins with possible name sp, of two words or more or of an East Asian
// script. letters are the log-odds of its own words.
func (p *Page) beginsBlock(i int, sp *nameSpan, letters float64) bool {
	first, last := &p.read[i][sp.first], &p.read[i][sp.last]
	before, after := p.marksAroundName(i, sp)
	if next := sp.last + 1; after == space && next < len(p.read[i]) && p.Institution != nil && p.Institution(p.read[i][next].folded) {
		after = comma
	}
	return (before == edge || sp.first == 0) && sp.from == first.from && (after > space || last.ends) && (sp.first < sp.last || first.shape >= han) && sp.last-sp.first < maxApart && letters >= unlikeName
}

// isInProse reports whether words in lower case or punctuation are on both sides of a possible name of
// block i.
func (p *Page) isInProse(i int, sp *nameSpan) bool {
	ws := p.read[i]
	before, after := p.marksAroundName(i, sp)
	prose := func(k, next int) bool { // a short word between capitals, such as "van", may be part of the name
		return k >= 0 && k < len(ws) && ws[k].shape == lower && (ws[k].runes > maxParticle || next < 0 || next >= len(ws) || ws[next].shape == lower)
	}
	return (before > space || before == space && prose(sp.first-1, sp.first-2)) && (after > space || after == space && prose(sp.last+1, sp.last+2)) && sp.last-sp.first < maxApart
}

// chooseNames returns the indexes of spans that are names with a probability of at least least, in the order of
// the text. Of overlapping ones the most probable is chosen. scores are log-odds.
func chooseNames(spans []nameSpan, scores []float64, least float64) []int {
	var order []int
	bound := math.Log(least / (1 - least))
	for k, s := range scores {
		if s >= bound {
			order = append(order, k)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var chosen []int
	for _, k := range order {
		at, _ := slices.BinarySearchFunc(chosen, spans[k].from, func(c, from int) int { return cmp.Compare(spans[c].from, from) })
		if at > 0 && spans[chosen[at-1]].to > spans[k].from || at < len(chosen) && spans[chosen[at]].from < spans[k].to {
			continue
		}
		chosen = slices.Insert(chosen, at, k)
	}
	return chosen
}

// A Context is the additional input of the second pass: the results of the first pass for the page.
type Context struct {
	p           *Page
	odds        [][]float64
	chosen      [][]int
	best        []float64 // by block: highest probability of a name
	mean        []float64 // by block: mean probability of the chosen names, weighted by their share of the text
	pattern     map[uint32]meanTally
	section     map[int]meanTally
	byRoleBlock map[int]meanTally
	forms       map[uint32]int // by pattern of the block and form of the name: number of chosen names
	all         map[uint32]int // by pattern of the block: number of chosen names
}

type meanTally struct {
	n   int
	sum float64
}

// Context returns the context computed from the log-odds of the first pass for the possible names of each
// block.
func (p *Page) Context(odds [][]float64) *Context {
	n := len(p.blocks)
	c := &Context{p: p, odds: odds, chosen: make([][]int, n), best: make([]float64, n), mean: make([]float64, n), pattern: map[uint32]meanTally{}, section: map[int]meanTally{}, byRoleBlock: map[int]meanTally{}, forms: map[uint32]int{}, all: map[uint32]int{}}
	for i := range p.blocks {
		if p.blocks[i].Text == "" {
			continue
		}
		if len(odds[i]) > 0 {
			c.best[i] = sigmoid(slices.Max(odds[i]))
			c.chosen[i] = chooseNames(p.spans[i], odds[i], 0.3)
			for _, k := range c.chosen[i] {
				c.forms[c.peerForm(i, k)]++
				c.all[p.pattern[i]]++
			}
		}
		c.pattern[p.pattern[i]] = c.pattern[p.pattern[i]].withValue(c.best[i])
		c.section[p.heading[i]] = c.section[p.heading[i]].withValue(c.best[i])
		if d := p.roleBlock[i]; d >= 0 {
			c.byRoleBlock[d] = c.byRoleBlock[d].withValue(c.best[i])
		}
	}
	return c
}

// peerForm returns a number that is equal for names with the same punctuation around them in similar
// blocks.
func (c *Context) peerForm(i, k int) uint32 {
	sp := &c.p.spans[i][k]
	before, after := c.p.marksAroundName(i, sp)
	return unitTerm(c.p.pattern[i], uint32(before)<<16|uint32(after)<<8|uint32(min(sp.givenFirst, 1))<<1|uint32(min(sp.first, 1))).ID
}

func (t meanTally) withValue(x float64) meanTally { return meanTally{t.n + 1, t.sum + x} }

// meanWithout returns the mean of the values other than x, and whether there are any. x must be one of the
// values.
func (t meanTally) meanWithout(x float64) (float64, bool) {
	if t.n < 2 {
		return 0, false
	}
	return (t.sum - x) / float64(t.n-1), true
}

func appendGradedTerm(ts []classify.Term, template, place uint32, x float64) []classify.Term {
	return append(ts, classify.NumberedTerm(template, place<<8, float32(x)), unitTerm(template, place<<8|1|uint32(x*4)<<1))
}

// appendBlock appends the features of block i that only the second pass reads.
func (c *Context) appendBlock(ts []classify.Term, i int) []classify.Term {
	p := c.p
	if x, ok := c.pattern[p.pattern[i]].meanWithout(c.best[i]); ok {
		ts = appendGradedTerm(ts, tPeers, 0, x)
	}
	if x, ok := c.section[p.heading[i]].meanWithout(c.best[i]); ok {
		ts = appendGradedTerm(ts, tSection, 0, x)
	}
	if d := p.roleBlock[i]; d >= 0 {
		if x, ok := c.byRoleBlock[d].meanWithout(c.best[i]); ok {
			ts = appendGradedTerm(ts, tSection, 1, x)
		}
	}
	for _, d := range [...]int{-4, -3, -2, -1, 1, 2, 3, 4} {
		if k := i + d; k >= 0 && k < len(p.blocks) && p.blocks[k].Text != "" {
			ts = append(ts, classify.NumberedTerm(tNear, uint32(8+d), float32(c.best[k])))
		}
	}
	return ts
}

// appendSpan appends the features of possible name k of block i that only the second pass reads.
func (c *Context) appendSpan(ts []classify.Term, i, k int) []classify.Term {
	x := c.odds[i][k]
	ts = append(ts, classify.NumberedTerm(tSelf, 0, float32(max(-8, min(8, x)))/4))
	before, after := c.p.marksAroundName(i, &c.p.spans[i][k])
	clause := c.p.clauseOf(i, &c.p.spans[i][k])
	n, sum, is := 0, 0.0, false
	inClause, sumClause := 0, 0.0
	for _, j := range c.neighbours(i, k) {
		if j == k {
			is = true
			continue
		}
		y := sigmoid(c.odds[i][j])
		n++
		sum += y
		if c.p.clauseOf(i, &c.p.spans[i][j]) == clause {
			inClause++
			sumClause += y
		}
	}
	if inClause > 0 {
		ts = appendGradedTerm(ts, tInClause, 0, sumClause/float64(inClause))
		ts = append(ts, unitTerm(tInClause, 1<<20|uint32(before)<<8|uint32(after)), unitTerm(tInClause, 1<<21|uint32(min(inClause, 4))))
	}
	same, all := c.forms[c.peerForm(i, k)], c.all[c.p.pattern[i]]
	if is {
		ts = append(ts, unitTerm(tBest, 0))
		same--
		all--
	}
	if all > 0 {
		ts = appendGradedTerm(ts, tPeerForm, min(uint32(all)/3, 3), float64(same)/float64(all))
		if x, ok := c.pattern[c.p.pattern[i]].meanWithout(c.best[i]); ok {
			ts = appendGradedTerm(ts, tSameForm, 0, x*float64(same)/float64(all))
		}
	}
	if n > 0 {
		ts = appendGradedTerm(ts, tInBlock, 0, sum/float64(n))
		ts = append(ts, unitTerm(tInBlock, 1<<16|uint32(min(n, 6))))
	}
	return ts
}

// Names returns the possible names of block i.
func (p *Page) Names(i int) []string {
	var names []string
	for k := range p.spans[i] {
		names = append(names, singleSpaced(p.spans[i][k].printedName(p.blocks[i].Text, p.read[i])))
	}
	return names
}

// maxNeighbours is the number of names before and after a name whose results are read.
const maxNeighbours = 10

// neighbours returns the indexes of the chosen names of block i around possible name k, which may be one of
// them.
func (c *Context) neighbours(i, k int) []int {
	chosen := c.chosen[i]
	at, _ := slices.BinarySearchFunc(chosen, c.p.spans[i][k].from, func(j, from int) int { return cmp.Compare(c.p.spans[i][j].from, from) })
	return chosen[max(0, at-maxNeighbours):min(len(chosen), at+maxNeighbours+1)]
}

// AppendTerms appends the features of possible name k of block i that both passes read.
func (p *Page) AppendTerms(ts []classify.Term, i, k int) []classify.Term {
	sp := &p.spans[i][k]
	return p.appendLetters(p.appendForm(p.appendBlock(ts, i), i, sp), i, sp)
}

// AppendTerms appends the features of possible name k of block i that only the second pass
// reads.
func (c *Context) AppendTerms(ts []classify.Term, i, k int) []classify.Term {
	return c.appendSpan(c.appendBlock(ts, i), i, k)
}

// IsOutsideCommittee reports whether block i is probably part of the programme, the speakers or the news. These are
// more probable together than a committee, and no role is named in the block or above it.
func (p *Page) IsOutsideCommittee(i int) bool {
	s := &p.blocks[i].Scores
	return p.roleBlock[i] < 0 && p.blocks[i].EventRole == 0 && s[block.Programme]+s[block.Speakers]+s[block.News] > s[block.Committee]
}
