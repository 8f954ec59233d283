// Package person finds the names of people in the blocks of a page and tells which are
// of people with a role in the event. What it says is learned (see Model) from the
// form of a name and from what stands around it: it rests on no list of names.
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
	From, To int     // bytes of the block's text
	Name     string  // as printed, the given name in front
	Right    float64 // probability that the person has a role in the event, at least leastRead
}

// A Model gives each possible name of a page the probability that it names a person with a role in
// the event, in two passes. The first reads the name and its block, the second also the first's
// results for the names around (stacked sequential learning, Cohen and Carvalho 2005, section 3).
// It is read-only and safe for concurrent use.
type Model struct {
	// The first output is the log-odds of the first pass, the second that of the second.
	*classify.LogLinear
}

const passes = 2

// Join makes a model of its two passes, each of two classes: no name, a name.
func Join(m classify.Meta, first, second *classify.LogLinear) (*Model, error) {
	bias, weights := make([]float64, passes), map[uint32][]float64{}
	for at, pass := range []*classify.LogLinear{first, second} {
		if pass.Outputs() != 2 {
			return nil, fmt.Errorf("a pass of %d outputs, want 2", pass.Outputs())
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

// ReadModel reads a model file. Its errors are those of classify.ReadModel.
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

// People returns the people of a page whose probability is at least least, in the order
// of the page; of names that overlap the likelier.
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
		p.joinTurned(i, second[i])
		maybe[i] = choose(p.spans[i], second[i], maybeName)
	}
	lists := p.lists(maybe, second, letters)
	for i := range p.blocks {
		for _, k := range maybe[i] {
			sp := &p.spans[i][k]
			right := sigmoid(second[i][k])
			if !lists.reads(p, i, sp, right, letters[i][k], least) {
				continue
			}
			out = append(out, Person{Block: i, From: sp.from, To: sp.to, Name: clean(sp.name(p.blocks[i].Text, p.read[i])), Right: max(right, leastRead)})
		}
	}
	return out
}

// splitAtEdges rules out possible names of block i that continue after the end of an element, if
// the part within it is likely a name. A link or span holds a name, the next one an affiliation.
func (p *Page) splitAtEdges(i int, odds []float64) {
	spans, ws := p.spans[i], p.read[i]
	for k := range spans {
		sp := &spans[k]
		for j := k - 1; j >= 0 && spans[j].first == sp.first; j-- {
			if o := &spans[j]; o.last < sp.last && o.first < o.last && ws[o.last].ends && odds[j] > 0 && o.comma == sp.comma {
				odds[k] = math.Inf(-1)
			}
		}
	}
}

// joinTurned rules out the single words within a "Surname, Given" of block i that may well be a name.
func (p *Page) joinTurned(i int, odds []float64) {
	spans := p.spans[i]
	for k := range spans {
		if sp := &spans[k]; sp.comma > 0 && odds[k] > likelyTurned {
			for j := max(k-maxNear, 0); j < min(k+maxNear, len(spans)); j++ {
				if o := &spans[j]; o.first == o.last && o.first >= sp.first && o.last <= sp.last {
					odds[j] = math.Inf(-1)
				}
			}
		}
	}
}

// Thresholds from which a name is read, if other evidence than its probability is for or against
// it. They were chosen on work sites and gold, whose owners the models were trained without.
const (
	maybeName = 0.002 // probability of any name
	leastRead = 0.6   // how often one is right that its label, letters or list speak for
	inList    = 0.3   // in a list that is mostly right
	sure      = 0.7   // even where nothing else speaks of people

	unlikeLabelled = -2.5 // log-odds of its letters, after a label
	unlikeName     = -1.5 // the same, at the beginning of blocks of a list under a role
	likeInProse    = -0.5 // the same, in a sentence that names a role
	likeName       = 0.0  // where a role is named in its clause or just above
	veryLikeName   = 0.7  // or anywhere above

	majority       = 0.5  // mean probability of the others of a list that is mostly right
	minority       = 0.2  // of one that is mostly wrong
	likelyTurned   = -3.0 // log-odds of a name whose surname is in front
	leastList      = 2    // others in the list
	leastOpened    = 5    // blocks of a list whose other blocks begin with names
	mostOpened     = 0.6  // of these blocks
	leastCommittee = 0.3  // probability that a block is of a committee
	maxApart       = 4    // words of a name that is apart
	maxParticle    = 3    // characters of a word that may be of a name in lower case, as "van"
	nearDuty       = 3    // blocks from the one that names a role
	speaker        = 1    // the role that is none in the event, by the caller's count
)

// lists are the likely names of blocks that look alike under one heading.
type lists struct {
	sections map[[2]int]tally
	begun    map[[2]int]tally // of blocks: 1 for one that begins with what may be a name by its letters
	opened   map[[2]int]tally // of blocks: 1 for one that begins with a name likelier than not
}

func (p *Page) lists(maybe [][]int, odds, letters [][]float64) lists {
	l := lists{map[[2]int]tally{}, map[[2]int]tally{}, map[[2]int]tally{}}
	for i := range maybe {
		if p.blocks[i].Text != "" {
			begins, opened, s := 0.0, 0.0, [2]int{p.heading[i], int(p.pattern[i])}
			if len(maybe[i]) > 0 && p.begins(i, &p.spans[i][maybe[i][0]], letters[i][maybe[i][0]]) {
				begins = 1
				if odds[i][maybe[i][0]] > 0 {
					opened = 1
				}
			}
			l.begun[s] = l.begun[s].add(begins)
			l.opened[s] = l.opened[s].add(opened)
		}
		for _, k := range maybe[i] {
			x := sigmoid(odds[i][k])
			s := [2]int{p.heading[i], int(p.pattern[i])}
			l.sections[s] = l.sections[s].add(x)
		}
	}
	return l
}

// reads reports whether a possible name of block i is read. It is if it is likelier than not, and
// from a lower probability if its label, its letters or its list support it. letters are the
// log-odds that its own words add. A name is apart if nothing but marks, or the ends of an element,
// are around it.
func (l lists) reads(p *Page, i int, sp *span, right, letters, least float64) bool {
	before, after := p.around(i, sp)
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
	isLabelled := label != 0 && label != noDuty
	duty, near := uint8(0), false
	if d := p.duty[i]; d >= 0 {
		duty, near = p.blocks[d].Duty, i-d <= nearDuty
	}
	if label == speaker && own <= speaker {
		return false // "Keynote speakers: A and B"
	}
	if inProse && letters >= likeInProse {
		return true
	}
	if isApart {
		switch {
		case isLabelled && label != speaker && before != opened && (sp.first < sp.last || first.shape >= han) && (letters >= unlikeLabelled || before == colon):
			return true
		case label == noDuty && before != opened && duty > speaker && letters >= likeName: // "Publicity: A, B" among organisers
			return true
		case letters >= likeName && (isLabelled || own > speaker || near && duty > speaker):
			return true
		case letters >= veryLikeName && duty > speaker:
			return true
		}
	}
	if b := l.begun[[2]int{p.heading[i], int(p.pattern[i])}]; b.n >= 2 && b.sum >= 0.7*float64(b.n) && duty > speaker && p.begins(i, sp, letters) {
		return true
	}
	if o := l.opened[[2]int{p.heading[i], int(p.pattern[i])}]; p.begins(i, sp, letters) && (duty > speaker || p.blocks[i].Scores[block.Committee] >= leastCommittee) {
		own := 0.0
		if right > 0.5 {
			own = 1
		}
		if others, ok := o.without(own); ok && o.n >= leastOpened && others >= mostOpened {
			return true
		}
	}
	list := l.sections[[2]int{p.heading[i], int(p.pattern[i])}]
	others, isListed := list.without(right)
	isListed = isListed && list.n > leastList
	switch {
	case right >= sure:
		return true
	case isListed && others < minority:
		return false
	case right >= least:
		return isLabelled || own != 0 || p.duty[i] >= 0 || p.blocks[i].Scores[block.Committee] >= leastCommittee
	}
	return isListed && others >= majority && isApart && right >= inList
}

// namesInstitution reports whether a possible name of block i holds a word of institutions' names.
func (p *Page) namesInstitution(i int, sp *span) bool {
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

// begins reports whether a block begins with what may be a name of two words or more.
func (p *Page) begins(i int, sp *span, letters float64) bool {
	first, last := &p.read[i][sp.first], &p.read[i][sp.last]
	before, after := p.around(i, sp)
	if next := sp.last + 1; after == space && next < len(p.read[i]) && p.Institution != nil && p.Institution(p.read[i][next].folded) {
		after = comma
	}
	return (before == edge || sp.first == 0) && sp.from == first.from && (after > space || last.ends) && (sp.first < sp.last || first.shape >= han) && sp.last-sp.first < maxApart && letters >= unlikeName
}

// isInProse reports whether words of prose, or marks, are on both sides of a possible name
// of block i.
func (p *Page) isInProse(i int, sp *span) bool {
	ws := p.read[i]
	before, after := p.around(i, sp)
	prose := func(k, next int) bool { // a short word between capitals may be of the name, as "van"
		return k >= 0 && k < len(ws) && ws[k].shape == lower && (ws[k].runes > maxParticle || next < 0 || next >= len(ws) || ws[next].shape == lower)
	}
	return (before > space || before == space && prose(sp.first-1, sp.first-2)) && (after > space || after == space && prose(sp.last+1, sp.last+2)) && sp.last-sp.first < maxApart
}

// choose returns the spans that are names, in the order of the text: the likeliest first,
// then those that do not overlap it.
func choose(spans []span, scores []float64, least float64) []int {
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

// A Context is what the first pass said of a page.
type Context struct {
	p       *Page
	odds    [][]float64
	chosen  [][]int
	best    []float64 // by block: the highest probability
	mean    []float64 // by block: the mean of those chosen, weighed by how much of the text they fill
	pattern map[uint32]tally
	section map[int]tally
	duty    map[int]tally
	forms   map[uint32]int // by pattern and form: names chosen
	all     map[uint32]int // by pattern: names chosen
}

type tally struct {
	n   int
	sum float64
}

// Context reads what the first pass says of the possible names of each block: their log-odds.
func (p *Page) Context(odds [][]float64) *Context {
	n := len(p.blocks)
	c := &Context{p: p, odds: odds, chosen: make([][]int, n), best: make([]float64, n), mean: make([]float64, n), pattern: map[uint32]tally{}, section: map[int]tally{}, duty: map[int]tally{}, forms: map[uint32]int{}, all: map[uint32]int{}}
	for i := range p.blocks {
		if p.blocks[i].Text == "" {
			continue
		}
		if len(odds[i]) > 0 {
			c.best[i] = sigmoid(slices.Max(odds[i]))
			c.chosen[i] = choose(p.spans[i], odds[i], 0.3)
			for _, k := range c.chosen[i] {
				c.forms[c.peerForm(i, k)]++
				c.all[p.pattern[i]]++
			}
		}
		c.pattern[p.pattern[i]] = c.pattern[p.pattern[i]].add(c.best[i])
		c.section[p.heading[i]] = c.section[p.heading[i]].add(c.best[i])
		if d := p.duty[i]; d >= 0 {
			c.duty[d] = c.duty[d].add(c.best[i])
		}
	}
	return c
}

// peerForm is equal for names with the same marks around in blocks that look alike.
func (c *Context) peerForm(i, k int) uint32 {
	sp := &c.p.spans[i][k]
	before, after := c.p.around(i, sp)
	return one(c.p.pattern[i], uint32(before)<<16|uint32(after)<<8|uint32(min(sp.comma, 1))<<1|uint32(min(sp.first, 1))).ID
}

func (t tally) add(x float64) tally { return tally{t.n + 1, t.sum + x} }

// without returns the mean without one of the values, and whether there are others.
func (t tally) without(x float64) (float64, bool) {
	if t.n < 2 {
		return 0, false
	}
	return (t.sum - x) / float64(t.n-1), true
}

func graded(ts []classify.Term, template, place uint32, x float64) []classify.Term {
	return append(ts, classify.NumberedTerm(template, place<<8, float32(x)), one(template, place<<8|1|uint32(x*4)<<1))
}

// appendBlock appends the features of block i that only the second pass reads.
func (c *Context) appendBlock(ts []classify.Term, i int) []classify.Term {
	p := c.p
	if x, ok := c.pattern[p.pattern[i]].without(c.best[i]); ok {
		ts = graded(ts, tPeers, 0, x)
	}
	if x, ok := c.section[p.heading[i]].without(c.best[i]); ok {
		ts = graded(ts, tSection, 0, x)
	}
	if d := p.duty[i]; d >= 0 {
		if x, ok := c.duty[d].without(c.best[i]); ok {
			ts = graded(ts, tSection, 1, x)
		}
	}
	for _, d := range [...]int{-4, -3, -2, -1, 1, 2, 3, 4} {
		if k := i + d; k >= 0 && k < len(p.blocks) && p.blocks[k].Text != "" {
			ts = append(ts, classify.NumberedTerm(tNear, uint32(8+d), float32(c.best[k])))
		}
	}
	return ts
}

// appendSpan appends the features of a possible name that only the second pass reads.
func (c *Context) appendSpan(ts []classify.Term, i, k int) []classify.Term {
	x := c.odds[i][k]
	ts = append(ts, classify.NumberedTerm(tSelf, 0, float32(max(-8, min(8, x)))/4))
	before, after := c.p.around(i, &c.p.spans[i][k])
	clause := c.p.clauseOf(i, &c.p.spans[i][k])
	n, sum, is := 0, 0.0, false
	inClause, sumClause := 0, 0.0
	for _, j := range c.near(i, k) {
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
		ts = graded(ts, tInClause, 0, sumClause/float64(inClause))
		ts = append(ts, one(tInClause, 1<<20|uint32(before)<<8|uint32(after)), one(tInClause, 1<<21|uint32(min(inClause, 4))))
	}
	same, all := c.forms[c.peerForm(i, k)], c.all[c.p.pattern[i]]
	if is {
		ts = append(ts, one(tBest, 0))
		same--
		all--
	}
	if all > 0 {
		ts = graded(ts, tPeerForm, min(uint32(all)/3, 3), float64(same)/float64(all))
		if x, ok := c.pattern[c.p.pattern[i]].without(c.best[i]); ok {
			ts = graded(ts, tSameForm, 0, x*float64(same)/float64(all))
		}
	}
	if n > 0 {
		ts = graded(ts, tInBlock, 0, sum/float64(n))
		ts = append(ts, one(tInBlock, 1<<16|uint32(min(n, 6))))
	}
	return ts
}

// Names returns the possible names of block i.
func (p *Page) Names(i int) []string {
	var names []string
	for k := range p.spans[i] {
		names = append(names, clean(p.spans[i][k].name(p.blocks[i].Text, p.read[i])))
	}
	return names
}

// maxNear is how many names before and after are asked.
const maxNear = 10

// near returns the chosen names of block i that are next to possible name k, itself included.
func (c *Context) near(i, k int) []int {
	chosen := c.chosen[i]
	at, _ := slices.BinarySearchFunc(chosen, c.p.spans[i][k].from, func(j, from int) int { return cmp.Compare(c.p.spans[i][j].from, from) })
	return chosen[max(0, at-maxNear):min(len(chosen), at+maxNear+1)]
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

// Elsewhere reports whether block i is rather of the programme, the speakers or news than of a
// committee, and no role is named above it.
func (p *Page) Elsewhere(i int) bool {
	s := &p.blocks[i].Scores
	return p.duty[i] < 0 && p.blocks[i].Duty == 0 && s[block.Programme]+s[block.Speakers]+s[block.News] > s[block.Committee]
}
