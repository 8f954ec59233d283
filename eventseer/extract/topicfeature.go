package extract

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer/block"
	"github.com/eventseer/eventseer/features/tagtree"
)

// passOutputs is the number of outputs of each pass of the model of topics. They are the log odds that a
// block contains topics, and that its parts are topics if it does; see readingOf. The first pass reads a
// block and its surroundings. The second also reads the first pass's output for the neighbours.
const passOutputs = 2

// Limits on what is read of a block for topics.
const (
	topicWords     = 24 // words of a block
	topicHeadWords = 8  // words of a heading
	topicGramBytes = 32
	topicLeadBytes = 160
	leastTopicRole = 0.03 // minimum probability of the role topics for a candidate
	fewBlocks      = 40   // on pages with at most this many blocks, roles are too uncertain and all blocks are candidates
)

// A topicPage is the data for the features of topics.
type topicPage struct {
	p      *page
	cands  []int // indexes of blocks that may contain topics
	run    []int // by candidate: index in runs of its run
	runs   []topicRun
	at     []int   // by block: index of its candidate, -1 for none
	opener []int   // by block: index of the block before its run, -1 for none
	above  []int   // by block: index of the heading above it, -1 for none
	since  []uint8 // by block: number of headings since the last one that names topics, see topicNames; noNamed for none
	look   []uint32
	family []int // by candidate: first candidate of the similar blocks in its section
	shapes []topicShape
	texts  []string        // by block: its text; for an item in plain text with the lines that continue it
	terms  []classify.Term // reused memory
	sum    *readingSums
}

// A topicRun are the consecutive similar blocks [from, to).
type topicRun struct {
	from, to int
	roles    block.Scores // mean scores of its blocks
	mean     topicShape   // sums over its candidates
	full     int          // number of blocks that are nearly as long as the longest
}

// A topicShape describes the form of a block's text by counts of words and characters.
type topicShape struct {
	words, commas, semicolons, marks, colon, digits, capital, lower, stop, linked, dates, sentence int
	wraps                                                                                          int // 1 if it continues the previous line
}

func newTopicPage(p *page) *topicPage {
	n := len(p.blocks)
	tp := &topicPage{p: p, at: make([]int, n), opener: make([]int, n), above: make([]int, n), since: make([]uint8, n), look: make([]uint32, n)}
	tp.texts = make([]string, n)
	item := -1 // last item of plain text, which the next lines may continue; -1 for none
	for i := range p.blocks {
		b := &p.blocks[i]
		tp.look[i], tp.texts[i] = topicStyle(b), b.Text
		switch {
		case b.Kind == tagtree.Line && bulletKind(b.Text) > 0:
			item = i
		case item >= 0 && b.Kind == tagtree.Line && continuesLine(p.blocks[i-1].Text, b.Text) && len(tp.texts[item]) < maxTopicBytes:
			tp.texts[item] += " " + b.Text
			tp.texts[i] = ""
			tp.look[i] = tp.look[item]
		default:
			item = -1
		}
	}
	for from := 0; from < n; {
		to := from + 1
		for lead := tp.introducesNext(from); to < n && tp.look[to] == tp.look[from]; to++ {
			if lead || tp.introducesNext(to) {
				break
			}
		}
		r := topicRun{from: from, to: to}
		for i := from; i < to; i++ {
			tp.opener[i] = from - 1
			for k, x := range p.roles[i] {
				r.roles[k] += x / float32(to-from)
			}
		}
		tp.runs = append(tp.runs, r)
		from = to
	}
	tp.readHeadings()
	families := map[[2]int]int{}
	for k := range tp.runs {
		r := &tp.runs[k]
		near := tp.mayContainTopics(r)
		for i := r.from; i < r.to; i++ {
			tp.at[i] = -1
			if !near && !hasListSemicolons(p.blocks[i].Text) || tp.texts[i] == "" {
				continue
			}
			tp.at[i] = len(tp.cands)
			key := [2]int{int(tp.look[i]), tp.sectionOf(i)}
			if _, ok := families[key]; !ok {
				families[key] = len(tp.cands)
			}
			tp.family = append(tp.family, families[key])
			tp.cands = append(tp.cands, i)
			tp.run = append(tp.run, k)
			s := tp.shapeOfBlock(i)
			tp.shapes = append(tp.shapes, s)
			r.mean.add(s)
		}
		r.full = tp.countLongBlocks(r)
	}
	return tp
}

// readHeadings sets the heading above each block and the distance to the last one that names topics.
func (tp *topicPage) readHeadings() {
	last, since, level := -1, uint8(noNamed), 0
	for k := range tp.runs {
		for i := tp.runs[k].from; i < tp.runs[k].to; i++ {
			b := &tp.p.blocks[i]
			tp.above[i], tp.since[i] = last, since
			opens := tp.opensSection(i, tp.runs[k].to-tp.runs[k].from)
			if opens {
				last = i
			}
			switch {
			case (opens || strings.HasSuffix(b.Text, ":") || strings.HasSuffix(b.Text, "：")) && topicNames.MatchString(lastSentence(b.Text)):
				since = 0
				if b.Kind == tagtree.Heading {
					level = b.Level
				}
			case since == noNamed || !opens:
			case b.Level > 0 && b.Level < level:
				since = noNamed
			case b.Kind == tagtree.Heading || b.Kind == tagtree.Term:
				since = min(since+1, noNamed)
			}
		}
	}
}

// countLongBlocks returns the number of blocks of a run that are nearly as long as the longest. In wrapped
// text most lines are.
func (tp *topicPage) countLongBlocks(r *topicRun) (n int) {
	longest := 0
	for _, s := range tp.texts[r.from:r.to] {
		longest = max(longest, len(s))
	}
	for _, s := range tp.texts[r.from:r.to] {
		if 4*len(s) >= 3*longest {
			n++
		}
	}
	return n
}

// noNamed is the maximum of since. It means that no heading nearby names topics.
const noNamed = 8

// mayContainTopics reports whether the blocks of a run may contain topics. On a page with few blocks any
// run may. On other pages it must be below a heading that names topics, or one of its blocks, or the block
// before, must have the role topics with leastTopicRole.
func (tp *topicPage) mayContainTopics(r *topicRun) bool {
	best := tp.since[r.from] <= 1 || len(tp.p.blocks) <= fewBlocks
	for i := max(r.from-1, 0); i < r.to && !best; i++ {
		best = tp.p.roles[i][block.Topics] >= leastTopicRole
	}
	return best
}

// hasListSemicolons reports whether a text has enough semicolons for a list.
func hasListSemicolons(s string) bool {
	s = cutToBytes(s, 4*maxTopicBytes)
	return strings.Count(s, ";") >= leastParts || strings.Count(s, "；") >= leastParts
}

// introducesNext reports whether block i introduces the following blocks although it is similar to them. It
// is a line or paragraph that ends in a colon, is in capitals, or opens a section and names topics.
func (tp *topicPage) introducesNext(i int) bool {
	b := &tp.p.blocks[i]
	if b.Kind != tagtree.Line && b.Kind != tagtree.Paragraph || b.Text == "" {
		return false
	}
	if strings.HasSuffix(b.Text, ":") || strings.HasSuffix(b.Text, "：") {
		return true
	}
	if !block.OpensSection(b) {
		return false
	}
	return strings.ToUpper(b.Text) == b.Text && strings.ToLower(b.Text) != b.Text || topicNames.MatchString(b.Text)
}

// opensSection reports whether block i, in a run of n blocks, may open a section. A line that is not marked
// up as a heading may do so only in a run of at most two.
func (tp *topicPage) opensSection(i, n int) bool {
	b := &tp.p.blocks[i]
	isLine := b.Kind == tagtree.Paragraph || b.Kind == tagtree.Line
	return !(isLine && n > 2) && block.OpensSection(b)
}

// sectionOf returns the index of the heading one or more levels above block i, or -1.
func (tp *topicPage) sectionOf(i int) int {
	h := tp.above[i]
	if h >= 0 && tp.p.blocks[i].Kind != tagtree.Heading {
		i, h = h, tp.above[h]
	}
	for steps := 0; h >= 0 && steps < 64; steps++ {
		if l := tp.p.blocks[h].Level; l > 0 && (tp.p.blocks[i].Level == 0 || l < tp.p.blocks[i].Level) {
			return h
		}
		h = tp.above[h]
	}
	return -1
}

// topicStyle returns a number that is equal for similar blocks. They have the same tag path without
// positions, kind, level and kind of bullet.
func topicStyle(b *tagtree.Block) uint32 {
	h := (tagtree.PathHash(b.Path) ^ topicKind(b)) * 16777619
	return (h ^ bulletKind(b.Text)) * 16777619
}

// bulletKind returns 0 for a text without a bullet or number, 1 for a number, and the character of any
// other bullet.
func bulletKind(s string) uint32 {
	loc := bullet.FindStringIndex(cutToBytes(s, 8))
	if loc == nil {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, " ("))
	if r < utf8.RuneSelf && (r >= '0' && r <= '9' || unicode.IsLetter(r)) {
		return 1
	}
	return uint32(r)
}

func (tp *topicPage) shapeOfBlock(i int) topicShape {
	b := &tp.p.blocks[i]
	var s topicShape
	in := false
	text := cutToBytes(tp.texts[i], 4*maxTopicBytes)
	for k, r := range text {
		letter := unicode.IsLetter(r)
		if letter && !in {
			s.words++
			if unicode.IsUpper(r) {
				s.capital++
			} else {
				s.lower++
			}
		}
		in = letter
		switch {
		case r == ',' || r == '、' || r == '，':
			s.commas++
		case r == ';' || r == '；':
			s.semicolons++
		case r == '•' || r == '·' || r == '|':
			s.marks++
		case r == ':' && s.colon == 0:
			s.colon = 1 + bits.Len(uint(k))
		case r >= '0' && r <= '9':
			s.digits++
		case r == '.' && strings.HasPrefix(text[k+1:], " "):
			s.sentence++
		}
	}
	if end, _ := utf8.DecodeLastRuneInString(text); end == '.' || end == '?' {
		s.stop = 1
	}
	if 2*b.Linked > len(b.Text) {
		s.linked = 1
	}
	s.dates = min(len(tp.p.datesIn(i)), 3)
	if tp.continuesPreviousLine(i) {
		s.wraps = 1
	}
	return s
}

// continuesPreviousLine reports whether block i is a line of text that continues the previous line.
func (tp *topicPage) continuesPreviousLine(i int) bool {
	if i <= 0 || i >= len(tp.look) || tp.look[i] != tp.look[i-1] || bulletKind(tp.p.blocks[i].Text) != 0 {
		return false
	}
	end, _ := utf8.DecodeLastRuneInString(tp.p.blocks[i-1].Text)
	return unicode.IsLower(firstRune(tp.p.blocks[i].Text)) && (unicode.IsLetter(end) || end == ',')
}

func (s *topicShape) add(t topicShape) {
	s.words += t.words
	s.commas += t.commas
	s.semicolons += t.semicolons
	s.marks += t.marks
	s.colon += min(t.colon, 1)
	s.digits += min(t.digits, 1)
	s.capital += t.capital
	s.lower += t.lower
	s.stop += t.stop
	s.linked += t.linked
	s.dates += min(t.dates, 1)
	s.sentence += t.sentence
	s.wraps += t.wraps
}

// The templates of features. Their numbers are hashed into the IDs in the model file, so new ones must be
// added at the end.
const (
	uRole = iota + 1
	uRoleBin
	uKind
	uMenu
	uRun
	uRunPlace
	uWords
	uCommas
	uSemicolons
	uMarks
	uColon
	uDigits
	uCapital
	uEnds
	uLinked
	uDates
	uSentence
	uRunWords
	uRunCommas
	uRunShare
	uWord
	uFirst
	uPair
	uGram
	uLast
	uLeadWord
	uLeadEnd
	uLeadPair
	uHeadWord
	uUpperWord
	uPath
	uNextKind
	uParts
	uReading
	uReadingBin
	uBullet
	uFamily
	uPage
	uLeadKind
	uRank
	uCommaRun
	uNamed
	uOwnLead
	uOwnFirst
	uSince
	uWraps
)

func topicTerm(template, value uint32) classify.Term {
	return classify.NumberedTerm(template, value, 1)
}

// The places around a block whose roles and readings are features.
const (
	hereRun = iota + 16
	hereOpener
	hereHead
	hereUpper
	hereFamily
	herePage
)

// appendTerms appends the features of candidate k for the first pass, without those of its run. Features of
// its form come first, up to the returned index, followed by those of its roles and words.
func (tp *topicPage) appendTerms(ts []classify.Term, k int) ([]classify.Term, int) {
	p, i := tp.p, tp.cands[k]
	b, r, s := &p.blocks[i], &tp.runs[tp.run[k]], &tp.shapes[k]
	n := uint32(bits.Len(uint(r.to - r.from)))
	own := binOfShare(float64(p.roles[i][block.Topics]))
	all := binOfShare(float64(r.roles[block.Topics]))
	kind := topicKind(b)
	separators := max(s.commas, s.semicolons, s.marks)
	ts = append(ts,
		topicTerm(uKind, kind), topicTerm(uRun, n),
		topicTerm(uRunPlace, uint32(min(i-r.from, 2)*3+min(r.to-1-i, 2))),
		topicTerm(uCommaRun, uint32(min(separators, 15))<<8|n), topicTerm(uCommaRun, 1<<16|kind<<8|uint32(bits.Len(uint(separators)))),
	)
	ts = tp.appendShape(ts, s)
	wraps := uint32(s.wraps)
	if i+1 < r.to && tp.continuesPreviousLine(i+1) {
		wraps |= 2
	}
	ts = append(ts, topicTerm(uWraps, wraps))
	// The position of the block relative to the blocks around it
	if i+1 < len(p.blocks) {
		next := &p.blocks[i+1]
		ts = append(ts, topicTerm(uNextKind, topicKind(next)<<8|depthRelation(b, next)))
		if s.colon > 0 && strings.HasSuffix(b.Text, ":") {
			ts = append(ts, topicTerm(uNextKind, 1<<24|depthRelation(b, next)))
		}
	}
	if i > 0 {
		ts = append(ts, topicTerm(uNextKind, 1<<25|topicKind(&p.blocks[i-1])<<8|depthRelation(b, &p.blocks[i-1])))
	}
	look := len(ts)
	ts = append(ts, topicTerm(uKind, kind<<8|own<<4|all|1<<24), topicTerm(uRoleBin, own))
	if p.menu[i] {
		ts = append(ts, topicTerm(uMenu, 0))
	}
	ts = tp.appendRoles(ts, 0, p.roles[i])
	for _, d := range [...]int{-2, -1, 1, 2} {
		if q := i + d; q >= 0 && q < len(p.blocks) {
			ts = tp.appendRoles(ts, uint32(8+d), p.roles[q])
		}
	}
	text, first, pair := tp.texts[i], uint32(uFirst), uint32(uPair)
	if separators >= leastParts-1 { // the text before a list in the block itself differs from the text that introduces blocks below
		lead, rest, ok := strings.Cut(text, ": ")
		if !ok || len(lead) > topicLeadBytes {
			lead, rest = "", text
		}
		if topicNames.MatchString(cutToBytes(text, topicLeadBytes)) {
			ts = append(ts, topicTerm(uNamed, uint32(min(separators, 8))))
		}
		ts = appendHashed(ts, uOwnLead, lead, topicWords, 0, 0)
		text, first, pair = rest, uOwnFirst, 0
	}
	ts = appendHashed(ts, uWord, text, topicWords, first, pair)
	ts = appendHashed(ts, uLast, lastBytes(tp.texts[i], 24), 4, 0, 0)
	return appendTopicGrams(ts, cutToBytes(text, topicGramBytes)), look
}

// topicNames matches words for topics in many languages. Headings and introductions contain one of few such
// words, so a list of them works for languages with few training pages.
var topicNames = compilePattern(`(?i)\b(topics?|themes?|subjects?|areas|tracks|scope|t[oó]picos|temas|temáticas|[áa]reas|themen\w*|thèmes|thématiques|axes|ejes|eixos|temi|tematyka|tematika|témata|onderwerpen|konular|emner|keywords|schlagwort\w*|schlagwörter|mots[- ]clés|palabras clave|palavras-chave|parole chiave|anahtar kelimeler)\b|[áä]reas|ämnen|темы|тематик|主题|主題|議題|议题|征文|范围|範圍|领域|領域|徵稿|テーマ|トピック|주제|分野|关键词|關鍵字|キーワード`)

// appendRunTerms appends the features that all blocks of a run share. As in appendTerms, features of its
// form come first, up to the returned index, followed by those of roles and words.
func (tp *topicPage) appendRunTerms(ts []classify.Term, run int) ([]classify.Term, int) {
	p, r := tp.p, &tp.runs[run]
	n := r.to - r.from
	all := binOfShare(float64(r.roles[block.Topics]))
	b, m := &p.blocks[r.from], &r.mean
	for q, v := range [...]int{m.colon, m.digits, m.stop, m.linked, m.dates, m.sentence, m.commas, m.semicolons, m.wraps, r.full} {
		ts = append(ts, topicTerm(uRunShare, uint32(q)<<8|uint32(min(4*v/n, 8))))
	}
	ts = append(ts,
		topicTerm(uRunWords, uint32(bits.Len(uint(2*m.words/n)))), topicTerm(uRunCommas, uint32(4*m.capital/max(m.words, 1))),
		topicTerm(uBullet, bulletKind(b.Text)))
	o, h := r.from-1, tp.above[r.from]
	if o >= 0 {
		end, _ := utf8.DecodeLastRuneInString(p.blocks[o].Text)
		ts = append(ts, topicTerm(uLeadEnd, introductionEnd(end)), topicTerm(uLeadKind, topicKind(&p.blocks[o])<<8|depthRelation(b, &p.blocks[o])))
	}
	look := len(ts)
	ts = append(ts, topicTerm(uRoleBin, 16+all), topicTerm(uRun, uint32(bits.Len(uint(n)))<<4|all|1<<16))
	ts = tp.appendRoles(ts, hereRun, r.roles)
	if o >= 0 {
		lead := lastSentence(p.blocks[o].Text)
		ts = tp.appendRoles(ts, hereOpener, p.roles[o])
		ts = appendHashed(ts, uLeadWord, lead, 20, 0, uLeadPair)
		ts = appendNamed(ts, hereOpener, lead)
	}
	since := uint32(tp.since[r.from])
	ts = append(ts, topicTerm(uSince, since), topicTerm(uSince, since<<8|uint32(min(bits.Len(uint(n)), 4))<<4|uint32(b.Kind)|1<<16))
	if h >= 0 {
		ts = tp.appendRoles(ts, hereHead, p.roles[h])
		ts = appendHashed(ts, uHeadWord, p.blocks[h].Text, topicHeadWords, 0, 0)
		ts = appendNamed(ts, hereHead, p.blocks[h].Text)
		if u := tp.sectionOf(r.from); u >= 0 && u != h {
			ts = tp.appendRoles(ts, hereUpper, p.roles[u])
			ts = appendHashed(ts, uUpperWord, p.blocks[u].Text, topicHeadWords, 0, 0)
			ts = appendNamed(ts, hereUpper, p.blocks[u].Text)
		}
	}
	return ts, look
}

// appendNamed appends a feature if a heading or an introduction at the given place names topics.
func appendNamed(ts []classify.Term, place uint32, s string) []classify.Term {
	if topicNames.MatchString(lastBytes(s, topicLeadBytes)) {
		ts = append(ts, topicTerm(uNamed, place))
	}
	return ts
}

func (tp *topicPage) appendRoles(ts []classify.Term, place uint32, s block.Scores) []classify.Term {
	for r, x := range s {
		if x >= 0.02 {
			ts = append(ts, classify.NumberedTerm(uRole, place<<8|uint32(r), x))
		}
	}
	return ts
}

// binOfShare returns the number of one of six intervals of a share.
func binOfShare(x float64) uint32 {
	for k, least := range [...]float64{0.05, 0.2, 0.5, 0.8, 0.95} {
		if x < least {
			return uint32(k)
		}
	}
	return 5
}

// depthRelation compares the depth of block b in the page with that of a: 1 for less deep, 2 for equal, 3 for
// deeper. 4 is added if the path of one is a prefix of the other's.
func depthRelation(a, b *tagtree.Block) uint32 {
	da, db := strings.Count(a.Path, "/"), strings.Count(b.Path, "/")
	r := uint32(2)
	if da < db {
		r = 3
	} else if da > db {
		r = 1
	}
	if strings.HasPrefix(a.Path, b.Path) || strings.HasPrefix(b.Path, a.Path) {
		r += 4
	}
	return r
}

func introductionEnd(r rune) uint32 {
	if unicode.IsLetter(r) {
		return 1
	}
	return uint32(r)
}

func (tp *topicPage) appendShape(ts []classify.Term, s *topicShape) []classify.Term {
	w := max(s.words, 1)
	return append(ts,
		topicTerm(uWords, uint32(min(s.words, 8+bits.Len(uint(s.words))))),
		topicTerm(uCommas, uint32(min(s.commas, 6))),
		topicTerm(uSemicolons, uint32(min(s.semicolons, 4))),
		topicTerm(uMarks, uint32(min(s.marks, 3))),
		topicTerm(uColon, uint32(s.colon)),
		topicTerm(uDigits, uint32(bits.Len(uint(s.digits)))),
		topicTerm(uCapital, uint32(4*s.capital/w)),
		topicTerm(uEnds, uint32(s.stop)),
		topicTerm(uLinked, uint32(s.linked)),
		topicTerm(uDates, uint32(s.dates)),
		topicTerm(uSentence, uint32(min(s.sentence, 3))),
		topicTerm(uParts, uint32(min(w/(max(s.commas, s.semicolons, s.marks)+1), 12)<<4|min(max(s.commas, s.semicolons, s.marks), 8))),
	)
}

// appendContext appends the features of candidate k that only the second pass reads. They are the results
// of the first pass for the candidate and its neighbours.
func (tp *topicPage) appendContext(ts []classify.Term, k int, first [][numReadings]float64) []classify.Term {
	ts = appendReading(ts, 0, first[k])
	i := tp.cands[k]
	for _, d := range [...]int{-3, -2, -1, 1, 2, 3} {
		q := i + d
		if q < 0 || q >= len(tp.at) || tp.at[q] < 0 {
			ts = append(ts, topicTerm(uReading, uint32(8+d)<<8|0xff))
			continue
		}
		ts = appendReading(ts, uint32(8+d), first[tp.at[q]])
	}
	s := tp.sumReadings(first)
	var run, family, page [numReadings]float64
	r := &tp.runs[tp.run[k]]
	for q := range run {
		run[q] = s.run[tp.run[k]][q] / float64(r.to-r.from)
		f := s.family[tp.family[k]]
		family[q] = f[q] / max(f[0]+f[1]+f[2], 1e-9)
		page[q] = s.page[q]
	}
	ts = appendReading(ts, hereRun, run)
	ts = appendReading(ts, hereFamily, family)
	ts = append(ts,
		topicTerm(uPage, uint32(bits.Len(uint(page[wholeTopic])))), topicTerm(uPage, 64+uint32(bits.Len(uint(page[partTopics])))),
		topicTerm(uPage, 1<<16|uint32(bits.Len(uint(page[wholeTopic])))<<4|binOfShare(run[wholeTopic])),
		topicTerm(uReadingBin, binOfShare(first[k][wholeTopic])<<8|binOfShare(run[wholeTopic])<<4|binOfShare(family[wholeTopic])))
	mass := s.run[tp.run[k]][wholeTopic] + s.run[tp.run[k]][partTopics]
	other := s.best[0]
	if mass >= other {
		other = s.best[1]
	}
	ts = append(ts, topicTerm(uRank, uint32(bits.Len(uint(2*other)))<<8|binOfShare(run[wholeTopic]+run[partTopics])), topicTerm(uRank, 1<<16|uint32(oneIfTrue(mass >= s.best[0]))<<8|binOfShare(run[wholeTopic]+run[partTopics])))
	for at, q := range [...]int{tp.opener[i], tp.above[i]} {
		if q >= 0 && tp.at[q] >= 0 {
			ts = appendReading(ts, uint32(hereOpener+at), first[tp.at[q]])
		}
	}
	return ts
}

func appendReading(ts []classify.Term, place uint32, p [numReadings]float64) []classify.Term {
	for r, x := range p {
		t := topicTerm(uReading, place<<8|uint32(r))
		t.Value = float32(x)
		ts = append(ts, t)
	}
	return ts
}

// readingSums are sums of the probabilities of the first pass. of identifies the results that they were
// computed from.
type readingSums struct {
	of          *[numReadings]float64
	run, family map[int][numReadings]float64
	page        [numReadings]float64
	best        [2]float64 // expected number of blocks with topics in the best and the second-best run
}

func (tp *topicPage) sumReadings(first [][numReadings]float64) *readingSums {
	if tp.sum != nil && tp.sum.of == &first[0] {
		return tp.sum
	}
	s := &readingSums{of: &first[0], run: map[int][numReadings]float64{}, family: map[int][numReadings]float64{}}
	for k, p := range first {
		a, b := s.run[tp.run[k]], s.family[tp.family[k]]
		for r, x := range p {
			a[r] += x
			b[r] += x
			s.page[r] += x
		}
		s.run[tp.run[k]], s.family[tp.family[k]] = a, b
	}
	for _, r := range s.run {
		if x := r[wholeTopic] + r[partTopics]; x > s.best[0] {
			s.best = [2]float64{x, s.best[0]}
		} else if x > s.best[1] {
			s.best[1] = x
		}
	}
	tp.sum = s
	return s
}

// appendHashed appends the first n words of s in lower case under template. The first word is also appended
// under first, and pairs of words under pair, unless these are 0.
func appendHashed(ts []classify.Term, template uint32, s string, n int, first, pair uint32) []classify.Term {
	const offset, prime = 2166136261, 16777619
	h, in, last := uint32(offset), false, uint32(0)
	end := func() bool {
		ts = append(ts, topicTerm(template, h))
		if first != 0 && last == 0 {
			ts = append(ts, topicTerm(first, h))
		}
		if pair != 0 {
			ts = append(ts, topicTerm(pair, last*31^h))
		}
		last, h, in = h, offset, false
		n--
		return n > 0
	}
	for _, r := range s {
		switch {
		case isIdeograph(r):
			if in && !end() {
				return ts
			}
			if h = (offset ^ uint32(r)) * prime; !end() {
				return ts
			}
		case unicode.IsLetter(r) || unicode.IsMark(r):
			h, in = (h^uint32(unicode.ToLower(r)))*prime, true
		case r >= '0' && r <= '9':
			h, in = (h^'0')*prime, true
		case in:
			if !end() {
				return ts
			}
		}
	}
	if in {
		end()
	}
	return ts
}

// appendTopicGrams appends the sequences of four characters of s, in lower case.
func appendTopicGrams(ts []classify.Term, s string) []classify.Term {
	var window [4]rune
	n := 0
	for _, r := range s {
		copy(window[:], window[1:])
		window[3] = unicode.ToLower(r)
		if n++; n < len(window) {
			continue
		}
		h := uint32(2166136261)
		for _, c := range window {
			h = (h ^ uint32(c)) * 16777619
		}
		ts = append(ts, topicTerm(uGram, h))
	}
	return ts
}
