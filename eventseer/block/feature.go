package block

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
)

// Limits on the text read of a block.
const (
	maxWords     = 40 // words of the text
	maxOpening   = 8  // words at the beginning that are also read with their positions and as pairs
	maxGramText  = 48 // bytes of the text read as character n-grams
	gram         = 4  // characters per n-gram
	maxAncestors = 8  // enclosing elements whose names and classes are read
	maxClassText = 80 // bytes of an attribute
	maxURLWords  = 12
	headWords    = 8  // words of the heading above a block
	upperWords   = 6  // words of the heading above that heading
	tailTags     = 3  // nested elements whose names are combined into one feature
	maxHeading   = 70 // bytes of a line that may be a heading without being marked up as one
)

// A Page holds the data from which the features of its blocks are computed. It is read-only after
// NewPage.
type Page struct {
	t       *tagtree.Tree
	blocks  []tagtree.Block
	heading []int // index of the heading above each block, -1 for none
	pattern []uint32
	first   map[uint32]int // pattern → first block
	count   map[uint32]int // pattern → number of blocks
	run     []int          // consecutive blocks with the same pattern, up to this one
	runLeft []int          // consecutive blocks with the same pattern, after this one
	common  []classify.Term
	title   map[uint32]bool // words of the title element
	areas   []tagtree.AreaKind
	marks   [][]classify.Term // terms of the element around each block; nil for plain text
	// elements are the elements of the page, nil for plain text.
	elements []tagtree.Element
}

// NewPage prepares a page; blocks are as in Model.Roles.
func NewPage(t *tagtree.Tree, blocks []tagtree.Block) *Page {
	p := newPage(t, blocks)
	p.readMarks()
	return p
}

// newPage is NewPage without the features of elements, which Model.PageRoles adds block by block.
func newPage(t *tagtree.Tree, blocks []tagtree.Block) *Page {
	p := &Page{t: t, blocks: blocks, first: map[uint32]int{}, count: map[uint32]int{}, title: map[uint32]bool{}}
	p.readHeadings()
	p.readPatterns()
	p.readAreas()
	url := ""
	if t.Page != nil {
		url = t.Page.URL
	}
	n := 0
	forEachWord(afterHost(url), func(_, _ int, w uint32) bool {
		p.common = append(p.common, unitTerm(tURL, w))
		n++
		return n < maxURLWords
	})
	n = 0
	forEachWord(t.Title(), func(_, _ int, w uint32) bool {
		p.title[w] = true
		p.common = append(p.common, unitTerm(tTitle, w))
		n++
		return n < maxURLWords
	})
	p.common = append(p.common, unitTerm(tPageSize, uint32(bits.Len(uint(len(blocks))))))
	if len(blocks) > 0 && strings.HasPrefix(blocks[0].Path, "text/") {
		p.common = append(p.common, unitTerm(tPlain, 0))
	}
	return p
}

// afterHost returns the path and query of an address.
func afterHost(url string) string {
	if _, rest, ok := strings.Cut(url, "://"); ok {
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			return rest[i:]
		}
		return ""
	}
	return url
}

// The templates of features. Their numbers are hashed into the IDs in model files, so new ones must be
// added at the end.
const (
	tURL = iota + 1
	tTitle
	tPageSize
	tPlain
	tKind
	tTag
	tTagTail
	tClass
	tArea
	tFromTop
	tFromEnd
	tPart
	tRun
	tRunPlace
	tPatternCount
	tLength
	tWords
	tBegin
	tEnd
	tLinked
	tShape
	tCapitals
	tScript
	tDigits
	tMarks
	tWord
	tPair
	tGram
	tOpening
	tHeadingWord
	tHeadingAbove
	tUpperWord
	tPrevious
	tNext
	tInTitle
	tRow
	tRole
	tRoleAt
	tColumnHead
)

func unitTerm(template, value uint32) classify.Term { return classify.NumberedTerm(template, value, 1) }

// forEachWord calls f with the offsets and the hash of each word of s. Words are hashed in lower case with
// each digit replaced by 0. In scripts without spaces each rune is a word. forEachWord stops when f returns
// false.
func forEachWord(s string, f func(from, to int, hash uint32) bool) {
	const offset, prime = 2166136261, 16777619
	h, from := uint32(offset), -1
	for i, r := range s {
		switch {
		case r < utf8.RuneSelf && (r >= 'a' && r <= 'z'):
			// already lower case
		case r < utf8.RuneSelf && r >= 'A' && r <= 'Z':
			r += 'a' - 'A'
		case r >= '0' && r <= '9':
			r = '0'
		case r >= utf8.RuneSelf && isIdeograph(r):
			if from >= 0 && !f(from, i, h) {
				return
			}
			h, from = offset, -1
			if !f(i, i+utf8.RuneLen(r), (offset^uint32(r))*prime) {
				return
			}
			continue
		case r >= utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsMark(r)):
			r = unicode.ToLower(r)
		default:
			if from >= 0 && !f(from, i, h) {
				return
			}
			h, from = offset, -1
			continue
		}
		if from < 0 {
			from = i
		}
		h = (h ^ uint32(r)) * prime
	}
	if from >= 0 {
		f(from, len(s), h)
	}
}

func isIdeograph(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// readHeadings finds the heading above each block. It is the last block before it that OpensSection.
func (p *Page) readHeadings() {
	p.heading = make([]int, len(p.blocks))
	last := -1
	for i := range p.blocks {
		p.heading[i] = last
		if OpensSection(&p.blocks[i]) {
			last = i
		}
	}
}

// OpensSection reports whether a block may open a section. It may if it is marked up as a heading, or if it
// is a short line without digits and links that ends in a colon or begins with a capital and ends in a
// letter.
func OpensSection(b *tagtree.Block) bool {
	switch b.Kind {
	case tagtree.Heading, tagtree.Term:
		return true
	case tagtree.Paragraph, tagtree.Line:
		if len(b.Text) > maxHeading || b.Linked > 0 || strings.ContainsAny(b.Text, "0123456789@") {
			return false
		}
		end, _ := utf8.DecodeLastRuneInString(b.Text)
		return end == ':' || unicode.IsLetter(end) && !unicode.IsLower(firstRune(b.Text))
	}
	return false
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// readPatterns groups similar blocks: those with equal kind, level and tag path without positions.
func (p *Page) readPatterns() {
	p.pattern, p.run, p.runLeft = make([]uint32, len(p.blocks)), make([]int, len(p.blocks)), make([]int, len(p.blocks))
	for i := range p.blocks {
		b := &p.blocks[i]
		h := (tagtree.PathHash(b.Path) ^ uint32(b.Kind)<<3 ^ uint32(b.Level)) * 16777619
		p.pattern[i] = h
		p.count[h]++
		if p.count[h] == 1 {
			p.first[h] = i
		}
		if i > 0 && p.pattern[i-1] == h {
			p.run[i] = p.run[i-1] + 1
		}
	}
	for i := len(p.blocks) - 2; i >= 0; i-- {
		if p.pattern[i+1] == p.pattern[i] {
			p.runLeft[i] = p.runLeft[i+1] + 1
		}
	}
}

// readMarks reads the elements around each block: their names and the words of their
// classes and IDs.
func (p *Page) readMarks() {
	if p.elements == nil {
		return
	}
	known := map[int32][]classify.Term{}
	p.marks = make([][]classify.Term, len(p.blocks))
	for i := range p.blocks {
		e := p.t.BlockElement(i)
		ms, ok := known[e]
		if !ok {
			ms = elementFeatures(p.elements, e)
			known[e] = ms
		}
		p.marks[i] = ms
	}
}

// readAreas sets the elements of a page and the area of each block as found by the page analyzer.
func (p *Page) readAreas() {
	if p.t.Root() == nil || len(p.blocks) > len(p.t.Blocks()) {
		return
	}
	p.elements = p.t.Elements()
	a := p.t.Analysis()
	p.areas = make([]tagtree.AreaKind, len(p.blocks))
	for i := range p.areas {
		p.areas[i] = a.Areas[a.AreaOfBlock(i)].Kind
	}
}

// elementFeatures returns the features of an element and those around it.
func elementFeatures(elements []tagtree.Element, e int32) []classify.Term {
	var ts []classify.Term
	tail := uint32(2166136261)
	forEachAround(elements, e, maxAncestors, func(e *tagtree.Element, depth int) {
		tag := hashString(e.Node.Data)
		ts = append(ts, unitTerm(tTag, tag))
		if depth < tailTags {
			tail = tail*31 ^ tag
			ts = append(ts, unitTerm(tTagTail, tail))
		}
		ts = appendClasses(ts, e)
	})
	return ts
}

// forEachAround calls f with element e and at most n-1 elements around it, from the inside out. depth is the
// number of elements passed before. It stops at the body.
func forEachAround(elements []tagtree.Element, e int32, n int, f func(e *tagtree.Element, depth int)) {
	for depth := 0; e >= 0 && depth < n && hasFeatures(&elements[e]); depth++ {
		f(&elements[e], depth)
		e = elements[e].Parent
	}
}

// hasFeatures reports whether an element's name and attributes are features of its blocks.
func hasFeatures(e *tagtree.Element) bool {
	return e.Node != nil && e.Node.Data != "" && e.Node.Data != "body" && e.Node.Data != "html"
}

// appendClasses appends the words of the class, ID and role of an element.
func appendClasses(ts []classify.Term, e *tagtree.Element) []classify.Term {
	for _, a := range e.Node.Attr {
		if a.Key == "class" || a.Key == "id" || a.Key == "role" {
			forEachWord(text.CutBytes(a.Val, maxClassText), func(_, _ int, w uint32) bool {
				ts = append(ts, unitTerm(tClass, w))
				return true
			})
		}
	}
	return ts
}

func hashString(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * 16777619
	}
	return h
}

// AppendTerms appends the features of block i that the first pass reads.
func (p *Page) AppendTerms(ts []classify.Term, i int) []classify.Term {
	return p.appendOwnTerms(append(ts, p.common...), i)
}

// appendOwnTerms appends the features of block i that are not common to the whole page.
func (p *Page) appendOwnTerms(ts []classify.Term, i int) []classify.Term {
	ts = p.appendPlace(ts, i)
	if p.marks != nil {
		ts = append(ts, p.marks[i]...)
	}
	ts = p.appendText(ts, i)
	if h := p.heading[i]; h >= 0 {
		ts = appendFirstWords(ts, tHeadingWord, p.blocks[h].Text, headWords)
		if up := p.heading[h]; up >= 0 {
			ts = appendFirstWords(ts, tUpperWord, p.blocks[up].Text, upperWords)
		}
	}
	return p.appendNeighbours(ts, i)
}

// appendUnsharedTerms appends the features of appendOwnTerms that are computed for each block separately. The headings
// and the enclosing elements are left out, because many blocks share them.
func (p *Page) appendUnsharedTerms(ts []classify.Term, i int) []classify.Term {
	return p.appendNeighbours(p.appendText(p.appendPlace(ts, i), i), i)
}

// appendText appends the area, the shape and the words of the block, and the distance to its
// heading.
func (p *Page) appendText(ts []classify.Term, i int) []classify.Term {
	if p.elements != nil {
		ts = append(ts, unitTerm(tArea, uint32(p.areas[i])))
	}
	ts = p.appendWords(p.appendShape(ts, &p.blocks[i]), &p.blocks[i])
	if h := p.heading[i]; h >= 0 {
		ts = append(ts, unitTerm(tHeadingAbove, uint32(min(i-h, 12))))
	}
	return ts
}

// appendNeighbours appends the first words of the adjacent blocks.
func (p *Page) appendNeighbours(ts []classify.Term, i int) []classify.Term {
	if i > 0 {
		ts = appendFirstWords(ts, tPrevious, p.blocks[i-1].Text, 5)
	}
	if i+1 < len(p.blocks) {
		ts = appendFirstWords(ts, tNext, p.blocks[i+1].Text, 5)
	}
	return ts
}

// appendFirstWords appends the first n words of a text.
func appendFirstWords(ts []classify.Term, template uint32, s string, n int) []classify.Term {
	forEachWord(s, func(_, _ int, w uint32) bool {
		ts = append(ts, unitTerm(template, w))
		n--
		return n > 0
	})
	return ts
}

// appendPlace appends the position of the block on the page and among similar blocks.
func (p *Page) appendPlace(ts []classify.Term, i int) []classify.Term {
	b := &p.blocks[i]
	n := len(p.blocks)
	kind := uint32(b.Kind)<<4 | uint32(b.Level)
	inTable := uint32(0)
	if b.Table > 0 {
		inTable = 1
	}
	ts = append(ts,
		unitTerm(tKind, kind<<1|inTable),
		unitTerm(tFromTop, uint32(bits.Len(uint(i)))),
		unitTerm(tFromEnd, uint32(bits.Len(uint(n-1-i)))),
		unitTerm(tPart, uint32(10*i/n)),
		unitTerm(tRun, uint32(bits.Len(uint(p.run[i]+p.runLeft[i])))),
		unitTerm(tRunPlace, uint32(min(p.run[i], 2)*3+min(p.runLeft[i], 2))),
		unitTerm(tPatternCount, uint32(bits.Len(uint(p.count[p.pattern[i]])))),
	)
	if b.Table > 0 {
		ts = append(ts, unitTerm(tRow, uint32(min(b.Row, 3)*4+min(b.Col, 3))))
	}
	return ts
}

// appendShape appends features of the form of the text: its length, capitals, digits, scripts and
// punctuation.
func (p *Page) appendShape(ts []classify.Term, b *tagtree.Block) []classify.Term {
	s := text.CutBytes(b.Text, 400)
	var letters, upper, digits, wide, words, capitals int
	var marks [6]int
	inWord := false
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case unicode.IsLetter(r):
			letters++
			up := unicode.IsUpper(r)
			if up {
				upper++
			}
			if r > 0x24f {
				wide++
			}
			if !inWord {
				words++
				if up {
					capitals++
				}
			}
			inWord = true
			continue
		case r == ',':
			marks[0]++
		case r == '(':
			marks[1]++
		case r == '@':
			marks[2]++
		case r == ':':
			marks[3]++
		case r == '|' || r == '•' || r == '·' || r == '»':
			marks[4]++
		case r == '.':
			marks[5]++
		}
		inWord = false
	}
	first, _ := utf8.DecodeRuneInString(s)
	last, _ := utf8.DecodeLastRuneInString(b.Text)
	ts = append(ts,
		unitTerm(tLength, uint32(bits.Len(uint(len(b.Text))))),
		unitTerm(tWords, uint32(min(words, 12))),
		unitTerm(tBegin, runeClass(first)), unitTerm(tEnd, runeClass(last)),
		unitTerm(tLinked, uint32(4*min(b.Linked, len(b.Text))/len(b.Text))),
		unitTerm(tDigits, uint32(bits.Len(uint(digits)))),
		unitTerm(tCapitals, uint32(4*capitals/max(words, 1))),
	)
	if letters > 0 {
		ts = append(ts, unitTerm(tShape, uint32(3*upper/letters)), unitTerm(tScript, uint32(3*wide/letters)))
	}
	for k, n := range marks {
		ts = append(ts, unitTerm(tMarks, uint32(k)<<4|uint32(min(n, 5))))
	}
	if len(b.Struck) > 0 {
		ts = append(ts, unitTerm(tMarks, 1<<10))
	}
	return ts
}

// runeClass returns the class of rune r: digit, capital, other letter, or a class of its own for any other
// rune.
func runeClass(r rune) uint32 {
	switch {
	case r >= '0' && r <= '9':
		return 1
	case unicode.IsUpper(r):
		return 2
	case unicode.IsLetter(r):
		return 3
	}
	return uint32(r) + 16
}

// appendWords appends the words of the text, its first words in pairs, and the
// n-grams of its beginning.
func (p *Page) appendWords(ts []classify.Term, b *tagtree.Block) []classify.Term {
	n, inTitle, last := 0, 0, uint32(0)
	forEachWord(b.Text, func(_, _ int, w uint32) bool {
		ts = append(ts, unitTerm(tWord, w))
		if n < maxOpening {
			if p.title[w] {
				inTitle++
			}
			ts = append(ts, unitTerm(tPair, last*31^w))
			if n == 0 {
				ts = append(ts, unitTerm(tOpening, w))
			}
		}
		last = w
		n++
		return n < maxWords
	})
	ts = append(ts, unitTerm(tInTitle, uint32(4*inTitle/max(min(n, maxOpening), 1))))
	return appendGrams(ts, text.CutBytes(b.Text, maxGramText))
}

// appendGrams appends the character n-grams of s, in lower case.
func appendGrams(ts []classify.Term, s string) []classify.Term {
	var window [gram]rune
	n := 0
	for _, r := range s {
		if r >= '0' && r <= '9' {
			r = '0'
		} else if r < utf8.RuneSelf {
			if r >= 'A' && r <= 'Z' {
				r += 'a' - 'A'
			}
		} else {
			r = unicode.ToLower(r)
		}
		copy(window[:], window[1:])
		window[gram-1] = r
		if n++; n < gram {
			continue
		}
		h := uint32(2166136261)
		for _, c := range window {
			h = (h ^ uint32(c)) * 16777619
		}
		ts = append(ts, unitTerm(tGram, h))
	}
	return ts
}

// A Context is the additional input of the second pass: the results of the first pass for the page.
type Context struct {
	p       *Page
	scores  []Scores
	sums    []Scores           // sums[i]: sum of the scores of blocks before i
	end     []int              // index after the last block of the section of each block
	pattern map[uint32]*Scores // pattern → sum of the scores of its blocks
}

// Context returns the context computed from the scores of the first pass.
func (p *Page) Context(scores []Scores) *Context {
	n := len(scores)
	c := &Context{p: p, scores: scores, sums: make([]Scores, n+1), end: make([]int, n), pattern: map[uint32]*Scores{}}
	for i, s := range scores {
		sum := c.pattern[p.pattern[i]]
		if sum == nil {
			sum = new(Scores)
			c.pattern[p.pattern[i]] = sum
		}
		for r, x := range s {
			sum[r] += x
			c.sums[i+1][r] = c.sums[i][r] + x
		}
	}
	for i := n - 1; i >= 0; i-- {
		c.end[i] = n
		if i+1 < n {
			if c.end[i] = c.end[i+1]; p.heading[i+1] != p.heading[i] {
				c.end[i] = i + 1
			}
		}
	}
	return c
}

// meanScores returns the mean scores of the blocks [from, to) except block i. ok is false if no block is left.
func (c *Context) meanScores(from, to, i int) (s Scores, ok bool) {
	from, to = max(from, 0), min(to, len(c.scores))
	n := to - from
	if i >= from && i < to {
		n--
	}
	if n <= 0 {
		return s, false
	}
	for r := range s {
		s[r] = c.sums[to][r] - c.sums[from][r]
		if i >= from && i < to {
			s[r] -= c.scores[i][r]
		}
		s[r] /= float32(n)
	}
	return s, true
}

// The ranges of blocks over which the second pass takes mean scores.
const (
	atHeading = iota + 16
	atUpperHeading
	atPattern
	atPage
	atSection
	atBefore
	atBehind
	nearby = 8 // number of blocks before or after a block
)

// AppendTerms appends the features of block i that only the second pass uses: the probabilities of
// the roles of neighbours.
func (c *Context) AppendTerms(ts []classify.Term, i int) []classify.Term {
	p := c.p
	ts = appendScores(ts, 0, &c.scores[i])
	for _, d := range [...]int{-3, -2, -1, 1, 2, 3} {
		if k := i + d; k >= 0 && k < len(c.scores) {
			ts = appendScores(ts, uint32(8+d), &c.scores[k])
		} else {
			ts = append(ts, unitTerm(tRoleAt, uint32(8+d)))
		}
	}
	start := 0
	if h := p.heading[i]; h >= 0 {
		start = h
		ts = appendScores(ts, atHeading, &c.scores[h])
		if up := p.heading[h]; up >= 0 {
			ts = appendScores(ts, atUpperHeading, &c.scores[up])
		}
	}
	if n := p.count[p.pattern[i]]; n > 1 {
		var others Scores
		for r, x := range c.pattern[p.pattern[i]] {
			others[r] = (x - c.scores[i][r]) / float32(n-1)
		}
		ts = appendScores(ts, atPattern, &others)
	}
	for _, w := range [...]struct{ place, from, to int }{
		{atPage, 0, len(c.scores)}, {atSection, start, c.end[i]}, {atBefore, i - nearby, i}, {atBehind, i + 1, i + 1 + nearby},
	} {
		if s, ok := c.meanScores(w.from, w.to, i); ok {
			ts = appendScores(ts, uint32(w.place), &s)
		}
	}
	return ts
}

// leastShare is the probability below which a role of a neighbour is ignored.
const leastShare = 0.02

func appendScores(ts []classify.Term, place uint32, s *Scores) []classify.Term {
	for r, x := range s {
		if x >= leastShare {
			ts = append(ts, classify.NumberedTerm(tRole, place<<8|uint32(r), x))
		}
	}
	return ts
}
