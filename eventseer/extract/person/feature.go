package person

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer/block"
	"github.com/eventseer/eventseer/features/tagtree"
)

// A Block is a block of a page with the data for reading people from it.
type Block struct {
	tagtree.Block
	Text      string  // without e-mail and web addresses; "" for a block in which no people are searched
	Edges     []int32 // bytes of Text at which elements inside it begin or end, ascending
	Scores    block.Scores
	EventRole uint8 // role in the event that the block itself names, as numbered by the caller: 0 for none, 1 for speakers
}

// A Page is a page with its possible names and the data for their features. It is read-only after NewPage.
type Page struct {
	// Institution reports whether a word, folded by Fold, is part of institutions' names. nil means that no
	// word is.
	Institution func(word string) bool

	blocks    []Block
	heading   []int // by block: index of the heading above it, -1 for none
	upper     []int // by block: index of the higher-level heading above that heading, -1 for none
	roleBlock []int // by block: index of the block above it in the section that names a role, -1 for none
	pattern   []uint32
	read      [][]word
	spans     [][]nameSpan
	clauses   [][]clause
	small     map[string]bool // words that the page prints in lower case, folded
}

// Limits on what features are read from.
const (
	maxText      = 600_000 // bytes per page that are searched for names
	maxSmall     = 50_000  // different words in lower case per page
	roleReach    = 40      // number of blocks below its own for which a role holds, unless a list continues
	maxRowBlocks = 3       // maximum blocks per row of a list
)

// IsRepetition reports whether block i has the same tag path as one of the last blocks before it. This is the
// case for cells of a table and lines of a list.
func IsRepetition(blocks []Block, i int) bool {
	h := tagtree.PathHash(blocks[i].Path)
	for k := max(i-maxRowBlocks, 0); k < i; k++ {
		if tagtree.PathHash(blocks[k].Path) == h {
			return true
		}
	}
	return false
}

// NewPage finds the possible names of a page. roleOf returns the role in the event that a text names, as
// numbered by the caller, 0 for none.
func NewPage(blocks []Block, roleOf func(string) uint8) *Page {
	n := len(blocks)
	p := &Page{
		blocks: blocks, heading: make([]int, n), upper: make([]int, n), roleBlock: make([]int, n), pattern: make([]uint32, n),
		read: make([][]word, n), spans: make([][]nameSpan, n), clauses: make([][]clause, n), small: map[string]bool{},
	}
	p.readSections()
	left := maxText
	var words []word
	for i := range blocks {
		b := &blocks[i]
		p.pattern[i] = patternOf(b)
		if b.Text == "" || left < len(b.Text) {
			continue
		}
		left -= len(b.Text)
		words = splitWords(words, b.Text, b.Edges)
		p.read[i] = slices.Clone(words)
		for k := range p.read[i] {
			if w := &p.read[i][k]; w.shape == lower && w.runes >= 4 && len(p.small) < maxSmall {
				p.small[w.folded] = true
			}
		}
		if p.spans[i] = nameSpans(b.Text, p.read[i]); len(p.spans[i]) > 0 {
			p.clauses[i] = splitClauses(b.Text, roleOf)
		}
	}
	return p
}

// readSections sets the headings above each block, and the block that names the role of the blocks below
// it.
func (p *Page) readSections() {
	var open [7]int // by level: index of the last heading plus 1, 0 for none
	last, roleBlock := -1, -1
	for i := range p.blocks {
		b := &p.blocks[i]
		p.heading[i], p.upper[i], p.roleBlock[i] = last, -1, roleBlock
		if last >= 0 {
			for l := p.blocks[last].Level - 1; l > 0; l-- {
				if open[l] > 0 {
					p.upper[i] = open[l] - 1
					break
				}
			}
		}
		if roleBlock >= 0 && i-roleBlock > roleReach && p.heading[i] != roleBlock && !(p.roleBlock[i-1] == roleBlock && IsRepetition(p.blocks, i)) {
			p.roleBlock[i] = -1
		}
		if b.Kind == tagtree.Heading {
			level := min(max(b.Level, 1), 6)
			open[level] = i + 1
			clear(open[level+1:])
			if roleBlock >= 0 && p.blocks[roleBlock].Kind == tagtree.Heading && level <= p.blocks[roleBlock].Level {
				roleBlock = -1
			}
			last = i
		}
		if b.EventRole > 0 && len(b.Block.Text) <= maxRoleHeading {
			roleBlock = i
		}
	}
}

// maxRoleHeading is the maximum length, in bytes, of a block that names a role for the blocks below it.
const maxRoleHeading = 100

func patternOf(b *Block) uint32 {
	return (tagtree.PathHash(b.Path) ^ uint32(b.Kind)<<8 ^ uint32(b.Col)) * 16777619
}

// The templates of features. Their numbers are hashed into the IDs in model files, so new ones must be
// added at the end.
const (
	tPattern = iota + 1
	tFirst
	tLast
	tFirstGram
	tLastGram
	tMiddle
	tCommon
	tBefore
	tAfter
	tAround
	tPrevious
	tPrevious2
	tNext
	tNext2
	tPlace
	tKind
	tLength
	tRole
	tHeadRole
	tUpperRole
	tHeadWord
	tUpperWord
	tLabel
	_ // no longer used
	_
	tDuty
	tOwnDuty
	tDutyFar
	_
	tTurned
	tCapitals
	tCommas
	_
	tBytes
	tPoint
	_
	tSelf
	tPeers
	tSection
	tNear
	tInBlock
	tBest
	tForm
	tPatternForm
	tSurname
	tSameForm
	tPeerForm
	tClause
	tClauseLabel
	tClauseForm
	_
	tDutyForm
	tGiven
	tInClause
	tTitled
	tEdges
	tEdgeForm
	tBeside
	tRoleLabel
	tRoleDuty
)

// cutToBytes returns at most the first n bytes of s, without splitting a rune.
func cutToBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func hash(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

func unitTerm(template, value uint32) classify.Term { return classify.NumberedTerm(template, value, 1) }

// appendBlock appends the features that all possible names of block i share.
func (p *Page) appendBlock(ts []classify.Term, i int) []classify.Term {
	b := &p.blocks[i]
	ts = append(ts, unitTerm(tKind, uint32(b.Kind)<<4|uint32(b.Level)), unitTerm(tLength, uint32(bits.Len(uint(len(b.Text))))), unitTerm(tOwnDuty, uint32(b.EventRole)))
	ts = appendScores(ts, tRole, &b.Scores)
	if h := p.heading[i]; h >= 0 {
		ts = appendScores(ts, tHeadRole, &p.blocks[h].Scores)
		ts = appendWords(ts, tHeadWord, p.blocks[h].Block.Text, 8)
	}
	if h := p.upper[i]; h >= 0 {
		ts = appendScores(ts, tUpperRole, &p.blocks[h].Scores)
		ts = appendWords(ts, tUpperWord, p.blocks[h].Block.Text, 6)
	}
	if d := p.roleBlock[i]; d >= 0 {
		ts = append(ts, unitTerm(tDuty, uint32(p.blocks[d].EventRole)), unitTerm(tDutyFar, uint32(bits.Len(uint(i-d)))))
		ts = appendWords(ts, tDuty, p.blocks[d].Block.Text, 6)
	} else {
		ts = append(ts, unitTerm(tDuty, 0))
	}
	for k, j := range [...]int{i - 1, i + 1} {
		if j < 0 || j >= len(p.blocks) {
			ts = append(ts, unitTerm(tBeside, uint32(k)))
			continue
		}
		o := &p.blocks[j]
		look := uint32(o.Kind)<<4 | uint32(min(bits.Len(uint(len(o.Block.Text))), 9))
		if p.pattern[j] == p.pattern[i] {
			look = 1 << 8
		}
		ts = append(ts, unitTerm(tBeside, look<<4|uint32(k)<<1|1), unitTerm(tBeside, 1<<16|uint32(o.Scores.Best())<<4|uint32(k)))
	}
	if d := p.roleBlock[i]; d >= 0 {
		ts = append(ts, unitTerm(tRoleDuty, uint32(b.Scores.Best())<<8|uint32(p.blocks[d].EventRole)<<4|uint32(min(bits.Len(uint(i-d)), 3))))
	}
	caps, commas := 0, 0
	for k := range p.read[i] {
		w := &p.read[i][k]
		if w.shape != lower && w.shape != digits {
			caps++
		}
		if w.after == comma {
			commas++
		}
	}
	if n := len(p.read[i]); n > 0 {
		ts = append(ts, unitTerm(tCapitals, uint32(caps*5/n)<<8|uint32(min(bits.Len(uint(n)), 6))), unitTerm(tCommas, uint32(min(bits.Len(uint(commas)), 5))))
	}
	return ts
}

// appendWords appends the first n words of a text as features. Their first stemLetters letters are features
// too, since "comité" and "committee" begin alike.
func appendWords(ts []classify.Term, template uint32, s string, n int) []classify.Term {
	const offset, prime = 2166136261, 16777619
	h, in, letters := uint32(offset), false, 0
	for _, r := range Fold(cutToBytes(s, maxHeadBytes)) {
		if n == 0 {
			return ts
		}
		if isInWord(r) {
			if east := isEastAsian(r); east && in {
				ts = append(ts, unitTerm(template, h))
				h, letters = offset, 0
				n--
			}
			h, in = (h^uint32(r))*prime, true
			if letters++; letters == stemLetters {
				ts = append(ts, unitTerm(template, h^stemmed))
			}
		} else if in {
			ts = append(ts, unitTerm(template, h))
			h, in, letters = offset, false, 0
			n--
		}
	}
	if in && n > 0 {
		ts = append(ts, unitTerm(template, h))
	}
	return ts
}

// The first stemLetters letters of a word are a feature.
const (
	stemLetters  = 5
	stemmed      = 0x9e3779b9 // combined with the hash, so that it differs from that of a whole word
	maxHeadBytes = 200        // bytes of a heading or label that are read
)

// stemHash returns the hash of the first stemLetters letters of a folded word.
func stemHash(folded string) uint32 {
	n := 0
	for i := range folded {
		if n++; n > stemLetters {
			return hash(folded[:i]) ^ stemmed
		}
	}
	return hash(folded) ^ stemmed
}

// leastShare is the probability below which a role is ignored.
const leastShare = 0.02

func appendScores(ts []classify.Term, template uint32, s *block.Scores) []classify.Term {
	for r, x := range s {
		if x >= leastShare {
			ts = append(ts, classify.NumberedTerm(template, uint32(r), x))
		}
	}
	return ts
}

// appendLetters appends the features that depend on the words of a possible name of block i.
func (p *Page) appendLetters(ts []classify.Term, i int, sp *nameSpan) []classify.Term {
	ws := p.read[i]
	first, last := &ws[sp.first], &ws[sp.last]
	if sp.first == sp.last && (sp.from > first.from || sp.to < last.to) { // part of a run of Chinese characters
		s := p.blocks[i].Text
		ts = append(ts, unitTerm(tMiddle, hash(s[first.from:sp.from]+s[sp.to:last.to])))
	}
	for k := sp.first + 1; k < sp.last; k++ {
		ts = append(ts, unitTerm(tMiddle, hash(ws[k].folded)))
	}
	head, tail := first, last
	if sp.givenFirst > 0 {
		head, tail = &ws[sp.givenFirst], &ws[sp.givenFirst-1]
	}
	ts = append(ts, unitTerm(tFirst, hash(head.folded)), unitTerm(tLast, hash(tail.folded)))
	if head.shape == han || head.shape == hangul {
		name := p.blocks[i].Text[sp.from:sp.to]
		ts = appendHanGrams(ts, name)
		return append(ts, unitTerm(tSurname, uint32(utf8.RuneCountInString(name))<<8|uint32(surnameKind(name))))
	}
	ts = append(ts, unitTerm(tGiven, givenNameKind(head)<<4|givenNameKind(tail)))
	ts = appendGrams(ts, tFirstGram, head.folded)
	return appendGrams(ts, tLastGram, tail.folded)
}

// appendForm appends the features of a possible name of block i that do not depend on its words. They are
// the shapes of the words and the text around them.
func (p *Page) appendForm(ts []classify.Term, i int, sp *nameSpan) []classify.Term {
	ws := p.read[i]
	first, last := &ws[sp.first], &ws[sp.last]
	before, after := p.marksAroundName(i, sp)
	prev, next := sp.first-1, sp.last+1
	titled := uint32(0)
	for prev >= 0 && ws[prev].title && sp.first-prev <= maxTitles {
		prev--
		titled = 1
	}
	for next < len(ws) && ws[next].title && next-sp.last <= maxTitles {
		next++
		titled |= 2
	}
	pattern, common := uint32(2166136261), 0
	for k := sp.first; k <= sp.last; k++ {
		w := &ws[k]
		x := uint32(w.shape)
		if w.shape == initial && w.runes > 2 {
			x |= 1 << 8
		}
		if w.shape == han || w.shape == hangul {
			x |= uint32(min(w.runes, 7)) << 4
		}
		pattern = (pattern ^ x) * 16777619
		if p.small[w.folded] {
			common++
		}
	}
	if sp.givenFirst > 0 {
		pattern++
		ts = append(ts, unitTerm(tTurned, uint32(sp.givenFirst-sp.first)))
	}
	head, tail := first, last
	if sp.givenFirst > 0 {
		head, tail = &ws[sp.givenFirst], &ws[sp.givenFirst-1]
	}
	ts = append(ts, unitTerm(tPattern, pattern), unitTerm(tCommon, uint32(common)<<4|uint32(sp.last-sp.first)))
	if head.shape == han || head.shape == hangul {
		name := p.blocks[i].Text[sp.from:sp.to]
		ts = append(ts, unitTerm(tPattern, uint32(utf8.RuneCountInString(name))<<8|uint32(head.shape)))
	}
	ts = append(ts, unitTerm(tBefore, uint32(before)), unitTerm(tAfter, uint32(after)), unitTerm(tAround, uint32(before)<<8|uint32(after)),
		unitTerm(tTitled, titled), unitTerm(tForm, formNumber(before, after, sp)), unitTerm(tPatternForm, pattern*31+uint32(before)<<8+uint32(after)),
		unitTerm(tBytes, uint32(min((sp.to-sp.from)/4, 15))))
	if strings.HasSuffix(p.blocks[i].Text[sp.from:sp.to], ".") {
		ts = append(ts, unitTerm(tPoint, 0))
	}
	begins, ends, inner := first.begins, last.ends, uint32(0)
	for k := sp.first; k < sp.last; k++ {
		if ws[k].ends {
			inner++
		}
	}
	edges := min(inner, 2)<<2 | bitOf(begins)<<1 | bitOf(ends)
	ts = append(ts, unitTerm(tEdges, edges), unitTerm(tEdgeForm, edges<<16|uint32(before)<<8|uint32(after)))
	if prev >= 0 {
		ts = append(ts, unitTerm(tPrevious, stemHash(ws[prev].folded)), unitTerm(tPrevious, hash(ws[prev].folded)), unitTerm(tPrevious, uint32(ws[prev].shape)<<8|uint32(before)))
		if prev > 0 {
			ts = append(ts, unitTerm(tPrevious2, hash(ws[prev-1].folded)))
		}
	}
	if next < len(ws) {
		ts = append(ts, unitTerm(tNext, stemHash(ws[next].folded)), unitTerm(tNext, hash(ws[next].folded)), unitTerm(tNext, uint32(ws[next].shape)<<8|uint32(after)))
		if next+1 < len(ws) {
			ts = append(ts, unitTerm(tNext2, hash(ws[next+1].folded)), unitTerm(tNext2, stemHash(ws[next+1].folded)))
		}
	}
	ts = append(ts, unitTerm(tPlace, uint32(min(sp.first, 3))<<4|uint32(min(len(ws)-1-sp.last, 3))))
	if c := p.clauseOf(i, sp); c < len(p.clauses[i]) {
		x := &p.clauses[i][c]
		if x.label != 0 || x.own != 0 {
			ts = append(ts, unitTerm(tRoleLabel, uint32(p.blocks[i].Scores.Best())<<8|uint32(x.label)<<4|min(uint32(x.own), 1)))
		}
		ts = append(ts, unitTerm(tClause, uint32(x.own)), unitTerm(tClauseLabel, uint32(x.label)),
			unitTerm(tClauseForm, uint32(min(x.own, 1))<<20|min(uint32(x.label), 1)<<21|uint32(before)<<8|uint32(after)))
	}
	if d := p.roleBlock[i]; d >= 0 && i-d <= 3 {
		ts = append(ts, unitTerm(tDutyForm, uint32(before)<<8|uint32(after)), unitTerm(tDutyForm, 1<<16|formNumber(before, after, sp)<<17|uint32(head.shape)<<4|uint32(tail.shape)))
	}
	// The words of the label, which ends at a colon.
	label := 0
	for k := sp.first - 1; k >= 0 && sp.first-k < maxLabel; k-- {
		if ws[k].after == colon {
			label = k + 1
		}
		if label > 0 {
			ts = append(ts, unitTerm(tLabel, hash(ws[k].folded)), unitTerm(tLabel, stemHash(ws[k].folded)))
			if label-k > 4 {
				break
			}
		}
	}
	return ts
}

// clauseOf returns the index of the clause of block i that contains a possible name.
func (p *Page) clauseOf(i int, sp *nameSpan) int {
	c, _ := slices.BinarySearchFunc(p.clauses[i], sp.from, func(c clause, at int) int { return cmp.Compare(c.to, at) })
	return c
}

// givenNameKind returns 1 for a common given name, 2 for a word with one before a hyphen, and 0 for any
// other word.
func givenNameKind(w *word) uint32 {
	if givenNames[w.folded] {
		return 1
	}
	if first, _, ok := strings.Cut(w.folded, "-"); ok && givenNames[first] {
		return 2
	}
	return 0
}

func bitOf(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// marksAroundName returns the marks before and after a possible name of block i.
func (p *Page) marksAroundName(i int, sp *nameSpan) (before, after markKind) {
	first, last := &p.read[i][sp.first], &p.read[i][sp.last]
	before, after = marksAround(p.read[i], sp.first, sp.last)
	if sp.from > first.from {
		before = none
	}
	if sp.to < last.to {
		after = none
	}
	return before, after
}

// formNumber returns a number for the combination of the marks around a name, its number of words and whether the
// surname is first.
func formNumber(before, after markKind, sp *nameSpan) uint32 {
	f := uint32(before)<<16 | uint32(after)<<8 | uint32(sp.last-sp.first)<<1
	if sp.givenFirst > 0 {
		f |= 1
	}
	return f
}

// maxLabel is the maximum number of words between a name and the label before it.
const maxLabel = 30

// appendGrams appends the n-grams of two and three characters of a word. Marks for its beginning and end
// count as characters.
func appendGrams(ts []classify.Term, template uint32, w string) []classify.Term {
	const mark = '^'
	a, b, n := rune(0), rune(mark), 0
	for _, r := range w {
		if n++; n > maxGrams {
			break
		}
		ts = append(ts, unitTerm(template, (uint32(a)*0x1003f+uint32(b))*0x1003f+uint32(r)))
		a, b = b, r
	}
	return append(ts, unitTerm(template, (uint32(a)*0x1003f+uint32(b))*0x1003f+'$'), unitTerm(template, uint32(b)*0x1003f+'$'))
}

// maxGrams is the number of characters of a word that are read as n-grams.
const maxGrams = 12

// appendHanGrams appends the characters of a name with and without their positions.
func appendHanGrams(ts []classify.Term, name string) []classify.Term {
	k := uint32(0)
	for _, r := range name {
		ts = append(ts, unitTerm(tFirstGram, uint32(r)<<3|min(k, 2)), unitTerm(tLastGram, uint32(r)))
		k++
	}
	r, _ := utf8.DecodeLastRuneInString(name)
	return append(ts, unitTerm(tLastGram, uint32(r)<<3|7))
}
