package name

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer/block"
)

var (
	nCount  = newTabulated("name count", 12<<8)
	nFact   = newTabulated("name holds", 64)
	nCross  = newTabulated("name cross", 14<<8)
	nNumber = newTabulated("name number", 2400)
	nWord   = newTemplate("name word")
	nFirst  = newTemplate("name first")
	nSecond = newTemplate("name first two")
	nLast   = newTemplate("name last")
	nPair   = newTemplate("name pair")
	nEdge   = newTabulated("name edge", 7<<8)
	nStart  = newTemplate("name word start")
	nTail   = newTemplate("name word end")
	nBefore = newTemplate("name before")
	nAfter  = newTemplate("name behind")
	nHead   = newTemplate("name heading above")
	nAbove  = newTemplate("name line above")
	nBelow  = newTemplate("name line below")
	nPath   = newTemplate("name path")
	nForms  = newTabulated("name forms", 48<<8)
	nPlain  = newTabulated("name plain", 64)
	nRole   = newTabulated("name role", 3<<8)
	nSole   = newTemplate("name sole word")
	nWhole  = newTemplate("name whole")
	nIdeo   = newTemplate("name ideographs")
	nBig    = newTemplate("name big")
	nGuess  = newTabulated("name guess", 640)
	nNone   = newTemplate("name none")
)

// A pageView is the data that the features of all candidates of a page share.
type pageView struct {
	*document
	key                initialism
	parts              []initialism // parts of the page's address, except for the key
	keyHash            uint32
	keyLow             string
	keyProb            float64
	most               int     // number of occurrences of the most frequent candidate
	longSpelt          bool    // the key abbreviates a candidate of four or more words
	likeliest          float32 // highest probability of a block for the role block.Name
	longHeaded         bool    // the candidate of longSpelt is in a title or heading
	guessWords         []ruleName
	guessStep          uint32  // belief in the first guess as a step, see beliefStep; 0 for no guess
	hostHasKey         bool    // a host's name contains the key
	hasIndependentPart bool    // a candidate of more than three words names a part of an event and no host
	single             builder // reused to compute scores of words, see scoredWord
}

// A ruleName is a name suggested by rules, as hashes of its words.
type ruleName struct {
	words        []uint32
	mask         uint64 // one bit per hash, for a quick comparison
	repeatsFirst bool   // has the same words as the first guess
}

// sharedWords returns SharedWords of a candidate and a guess. The masks exclude most pairs quickly.
func (g *ruleName) sharedWords(c *candidate) float64 {
	if g.mask&c.mask == 0 {
		return 0
	}
	return SharedWords(c.words, g.words)
}

// newPageView computes the data that the features of all candidates share. It also sets s, spells and
// relations of the candidates.
func (d *document) newPageView(list []*candidate, key string, prob float64) *pageView {
	v := &pageView{document: d, key: newInitialism(key), keyLow: lettersAndDigits(key), keyProb: prob}
	for _, p := range d.parts {
		if p != v.keyLow {
			v.parts = append(v.parts, newInitialism(p))
		}
	}
	for _, g := range d.guesses {
		var w ruleName
		for _, c := range splitChunks(nil, g.Text) {
			w.words = append(w.words, c.hash)
			w.mask |= 1 << (c.hash & 63)
		}
		w.repeatsFirst = len(v.guessWords) > 0 && slices.Equal(w.words, v.guessWords[0].words)
		v.guessWords = append(v.guessWords, w)
	}
	if len(d.guesses) > 0 {
		v.guessStep = 1 + beliefStep(d.guesses[0].Belief)
	}
	for _, r := range d.Roles {
		v.likeliest = max(v.likeliest, r[block.Name])
	}
	for _, c := range list {
		v.most = max(v.most, c.countAll())
		c.s = d.printedText(c)
		c.spells = len(c.words) > 1 && v.key.isAbbreviationOf(c.s, d.chunksOf(c))
		if len(c.words) >= 4 && c.spells {
			v.longSpelt = true
			if c.counts[element]+c.counts[heading] > 0 {
				v.longHeaded = true
			}
		}
	}
	v.readHostRelations(list)
	return v
}

// beliefStep returns a belief as one of five steps, 0 to 4.
func beliefStep(belief float64) uint32 {
	switch {
	case belief >= 0.9:
		return 4
	case belief >= 0.7:
		return 3
	case belief >= 0.5:
		return 2
	case belief >= 0.3:
		return 1
	}
	return 0
}

// addGuessFeatures adds features that compare a candidate with the names suggested by rules.
func (v *pageView) addGuessFeatures(b *builder, c *candidate) {
	if len(v.guessWords) == 0 {
		return
	}
	best := &v.guessWords[0]
	share := best.sharedWords(c)
	near := uint32(10 * share)
	b.add(nGuess, near)
	b.add(nGuess, 100+v.guessStep<<4+near)
	switch inside, around := isPartOf(c.words, best.words), isPartOf(best.words, c.words); {
	case inside && around:
		b.add(nGuess, 300)
		b.add(nGuess, 310+v.guessStep)
	case inside:
		b.add(nGuess, 301)
		b.add(nGuess, 320+v.guessStep)
	case around:
		b.add(nGuess, 302)
		b.add(nGuess, 330+v.guessStep)
	}
	same, exact := 0.0, 0.0
	for i := range v.guessWords {
		g := &v.guessWords[i]
		if g.repeatsFirst || g.mask&c.mask == 0 {
			continue
		}
		if g.sharedWords(c) >= sameName {
			same += v.document.guesses[i].Belief
		}
		if slices.Equal(g.words, c.words) {
			exact += v.document.guesses[i].Belief
		}
	}
	b.add(nGuess, 400+uint32(10*same))
	b.add(nGuess, 500+uint32(10*exact))
	b.addWeighted(nGuess, 600, float32(math.Round(16*same)/16))
	b.addWeighted(nGuess, 601, float32(math.Round(16*exact)/16))
}

// isPartOf reports whether a is a contiguous part of b.
func isPartOf(a, b []uint32) bool {
	for i := 0; i+len(a) <= len(b); i++ {
		if slices.Equal(a, b[i:i+len(a)]) {
			return true
		}
	}
	return false
}

// addNoneFeatures adds the features of the decision that the page names no event.
func (v *pageView) addNoneFeatures(b *builder, list []*candidate) {
	b.add(nNone, 0)
	b.add(nNone, 10+uint32(10*v.likeliest))
	b.add(nNone, 30+uint32(10*v.keyProb)*boolInt(v.keyLow != ""))
	b.add(nNone, 50+v.guessStep)
	b.add(nNone, 60+bitLength(len(list), 9))
	b.add(nNone, 80+bitLength(v.most, 4))
	b.addIf(nNone, 90, v.plain)
	b.addIf(nNone, 91, v.longSpelt)
	b.addIf(nNone, 92, v.longHeaded)
	b.addIf(nNone, 93, len(v.hosts) > 0)
}

// nameTerms returns the features of each candidate, followed by those of the decision that the page names
// no event. prob is the probability of the acronym key.
func (d *document) nameTerms(list []*candidate, key string, prob float64) [][]classify.Term {
	v := d.newPageView(list, key, prob)
	out := make([][]classify.Term, len(list))
	for i, c := range list {
		b := builder{terms: make([]classify.Term, 0, 160)}
		v.addFeatures(&b, c)
		out[i] = b.terms
	}
	var b builder
	v.addNoneFeatures(&b, list)
	return append(out, b.terms)
}

// nameScores returns the score by r.Names of each entry that nameTerms describes. prob is the probability of
// the acronym key.
func (d *document) nameScores(r *Reader, list []*candidate, key string, prob float64) []float64 {
	v := d.newPageView(list, key, prob)
	out := make([]float64, len(list)+1)
	b := builder{model: r.Names, tables: r.tables}
	for i, c := range list {
		v.addFeatures(&b, c)
		out[i] = b.scoreAndReset()
	}
	v.addNoneFeatures(&b, list)
	out[len(list)] = b.scoreAndReset()
	return out
}

// chunksOf returns the chunks of a candidate in the text it is taken from.
func (d *document) chunksOf(c *candidate) []chunk {
	cs := d.texts[c.text].chunks
	return cs[c.from:min(c.to, len(cs))]
}

func (c *candidate) countAll() int {
	n := 0
	for s, k := range c.counts {
		if source(s) != menu {
			n += k
		}
	}
	return n
}

func (v *pageView) addFeatures(b *builder, c *candidate) {
	t := &v.texts[c.text]
	s := c.s
	cs := v.chunksOf(c)
	n := len(cs)
	words := v.chunkData(t)[c.from : c.from+n]

	// Features of where the candidate is printed.
	for src, k := range c.counts {
		if k > 0 {
			b.add(nCount, uint32(src)<<8|bitLength(k, 3))
			b.add(nCount, uint32(src)<<8|0xff)
		}
	}
	total := c.countAll()
	b.add(nNumber, bitLength(total, 4))
	b.add(nNumber, 100+uint32(10*total/max(v.most, 1)))
	b.add(nNumber, 200+bitLength(c.asWholeText, 3))
	b.add(nNumber, 300+bitLength(c.asTitlePart, 2))
	b.add(nNumber, 400+bitLength(c.spelt, 2))
	size := uint32(min(n, 20))
	b.add(nNumber, 500+size)
	if c.titleBits != 0 {
		b.add(nNumber, 1700+uint32(c.titleBits))
		b.add(nNumber, 1800+uint32(c.titleBits)<<3|min(size, 7))
	}
	if t.block >= 0 {
		b.add(nNumber, 2100+bitLength(t.block, 8))
	}
	b.add(nNumber, 600+bitLength(len(s), 8))
	order := uint32(20)
	if t.block >= 0 {
		order = bitLength(t.order, 8)
	}
	b.add(nNumber, 700+order)
	if t.source == heading {
		b.add(nNumber, 800+uint32(t.level))
		b.add(nNumber, 820+uint32(t.level)<<4|min(order, 8))
	}
	b.add(nNumber, 1000+uint32(c.from+1)*boolInt(c.from < 8))
	rest := len(t.chunks) - c.to
	b.add(nNumber, 1100+uint32(min(max(rest, 0), 9)))

	// Features of how it is written.
	caps, smalls, yearsIn, datedIn, digitsIn, coinedIn, shouts, ideos, commas, breaks := 0, 0, 0, 0, 0, 0, 0, 0, 0, 0
	inElement, inSite, long := 0, 0, 0
	rare := math.MaxInt
	for k, w := range cs {
		if w.hasForm(capital) {
			caps++
		} else if w.hasForm(lower) && w.letters > 3 {
			smalls++
		}
		yearsIn += oneIfTrue(w.hasForm(year))
		datedIn += oneIfTrue(w.inDate)
		digitsIn += oneIfTrue(w.hasForm(digits) && !w.hasForm(year))
		coinedIn += oneIfTrue(w.hasForm(innerCapital) && !w.hasForm(allCapitals))
		shouts += oneIfTrue(w.hasForm(allCapitals))
		ideos += oneIfTrue(w.hasForm(ideo))
		if k > 0 {
			commas += oneIfTrue(w.gap == comma)
			breaks += oneIfTrue(w.gap >= sentence)
		}
		if w.isTelling() {
			long++
			inElement += oneIfTrue(words[k].inTitle)
			inSite += oneIfTrue(words[k].inSite)
			if !w.hasForm(year) {
				rare = min(rare, words[k].seen)
			}
		}
	}
	if rare == math.MaxInt {
		rare = 0
	}
	b.add(nNumber, 1200+uint32(4*caps/n))
	b.add(nNumber, 1300+uint32(8*smalls/n))
	b.add(nNumber, 1400+uint32(min(yearsIn, 2)))
	b.add(nNumber, 1410+uint32(min(datedIn, 3)))
	b.add(nNumber, 1420+uint32(min(digitsIn, 3)))
	b.add(nNumber, 1430+uint32(min(coinedIn, 3)))
	b.add(nNumber, 1440+uint32(min(shouts, 3)))
	b.add(nNumber, 1450+uint32(min(ideos, 3)))
	b.add(nNumber, 1460+uint32(min(commas, 4)))
	b.add(nNumber, 1470+uint32(min(breaks, 3)))
	b.add(nNumber, 1500+uint32(5*inElement/max(long, 1)))
	b.add(nNumber, 1510+uint32(5*inSite/max(long, 1)))
	b.add(nNumber, 1520+bitLength(rare, 5))

	end := n
	for end > 1 && cs[end-1].from >= c.begin+len(s) { // the printed name ends before an open bracket
		end--
	}
	low := t.low[words[0].from:words[end-1].to]
	hasKey := v.keyLow != "" && len(v.keyLow) > 1 && v.containsAcronym(t.low, words, low)
	spellsKey := c.spells
	content := n - yearsIn
	short := hasKey && content <= 2
	partSpelt := false
	for _, p := range v.parts {
		partSpelt = partSpelt || n > 2 && p.isAbbreviationOf(s, cs)
	}
	marks := marksIn(s)
	first, _ := utf8.DecodeRuneInString(s)
	last, _ := utf8.DecodeLastRuneInString(s)
	nextGap, before := hard, hard
	if rest > 0 {
		nextGap = t.chunks[c.to].gap
	}
	if c.from > 0 {
		before = cs[0].gap
	}
	shown := t.block >= 0
	link := cs[n-1].hasForm(lower) && cs[n-1].letters <= maxLink
	facts := []bool{
		c.counts[element] > 0, c.counts[heading] > 0, c.counts[line] > 0, c.counts[item]+c.counts[cell] > 0,
		hasKey, spellsKey, short, content >= 4, yearsIn > 0, c.spelt > 0, inElement == long && long > 0, inSite > 0, c.asWholeText > 0, total > 1,
		// These facts are not combined in pairs:
		c.counts[metadata] > 0, c.counts[menu] > 0, c.joined, c.isOneWordInAddress, partSpelt, t.mostlyCapitals, unicode.IsLower(first), link,
		cs[0].hasForm(year), cs[n-1].hasForm(year), marks&openMark != 0, last == ')', marks&atMark != 0, marks&colonMark != 0, marks&dashMark != 0,
		hasKey && cs[0].hash == v.keyHash, low == v.keyLow, v.keyLow == "", v.keyLow != "" && !hasKey && !spellsKey, c.atStart > 0, c.atEnd > 0,
		total == v.most, rare <= 1, c.counts[prose] == total, shown && c.counts[element] > 0, before >= hard && nextGap >= hard, unicode.IsDigit(first), marks&signMark != 0,
		short && v.longSpelt, short && v.longHeaded, !spellsKey && v.longSpelt && !short, content >= 4 && spellsKey && hasKey,
		rest > 0 && t.chunks[c.to].inDate, nextGap == opening, nextGap == comma,
	}
	for i, f := range facts {
		b.addIf(nFact, uint32(i), f)
		if f {
			b.add(nForms, uint32(i)<<8|min(size, 6))
		}
		b.addIf(nPlain, uint32(i), f && v.plain)
	}
	const crossed = 14
	for i := range crossed {
		if facts[i] {
			for k := i + 1; k < crossed; k++ {
				b.addIf(nCross, uint32(i)<<8|uint32(k), facts[k])
			}
			b.add(nCross, 1<<16|uint32(i)<<8|min(order, 9))
		}
	}
	if v.keyLow != "" {
		b.add(nNumber, 1600+uint32(10*v.keyProb)+16*uint32(oneIfTrue(hasKey))+32*uint32(oneIfTrue(spellsKey))+64*uint32(oneIfTrue(short)))
	}
	b.add(nEdge, uint32(before)<<8|uint32(nextGap))

	v.addGuessFeatures(b, c)
	v.addHostFeatures(b, c, size)
	v.addWordFeatures(b, t, cs, c)
	v.addNeighbourFeatures(b, t, c)
}

// The kinds of marks in a name, as bits.
const (
	openMark = 1 << iota
	atMark
	colonMark
	dashMark
	signMark
)

// marksIn returns the bits of the kinds of marks in s.
func marksIn(s string) int {
	marks := 0
	for _, r := range s {
		switch r {
		case '(', '（':
			marks |= openMark
		case '@':
			marks |= atMark
		case ':':
			marks |= colonMark
		case '–', '—', '-':
			marks |= dashMark
		case '©', '$', '%':
			marks |= signMark
		}
	}
	return marks
}

// containsAcronym reports whether a candidate contains the acronym as a word, with or without the year. An acronym
// of more than three letters may also be part of a word.
func (v *pageView) containsAcronym(text string, words []word, low string) bool {
	if !strings.Contains(low, v.keyLow) {
		return false
	}
	if len(v.keyLow) > 3 {
		return true
	}
	for _, w := range words {
		if l := text[w.from:w.to]; strings.HasPrefix(l, v.keyLow) && (len(l) == len(v.keyLow) || isDigit(l[len(v.keyLow)])) {
			return true
		}
	}
	return false
}

// scoredWord returns word k of a text with its scores by m, computed at the first call. Their sums are
// exact, since weights are integers and values are 1.
func (v *pageView) scoredWord(m *classify.LogLinear, t *text, k int) *word {
	w := &v.chunkData(t)[k]
	if !w.scored {
		b := &v.single
		b.model = m
		addChunkFeatures(b, t, &t.chunks[k])
		if w.scored, w.own = true, b.scoreAndReset(); k > 0 {
			b.add(nPair, t.chunks[k].shape*31+t.chunks[k-1].shape)
			w.pair = b.scoreAndReset()
		}
	}
	return w
}

// addChunkFeatures adds a word, its beginning and its end as features. Of a word in ideographs it adds the
// characters and their pairs.
func addChunkFeatures(b *builder, t *text, w *chunk) {
	b.add(nWord, w.shape)
	s := t.s[w.from:w.to]
	switch {
	case w.hasForm(ideo):
		prev := rune(0)
		for _, r := range s {
			b.add(nIdeo, uint32(r))
			if prev != 0 {
				b.add(nIdeo, uint32(prev)<<16^uint32(r))
			}
			prev = r
		}
	case w.letters > 4 && !w.hasForm(digits):
		if len(s) == w.letters { // ASCII, or at least without marks inside
			b.add(nStart, hashOfLower(s[:4]))
			b.add(nTail, hashOfLower(s[len(s)-3:]))
			if w.letters > 6 {
				b.add(nStart, hashOfLower(s[:6]))
			}
			break
		}
		l := strings.ToLower(s)
		b.add(nStart, hashOf(cutToBytes(l, 4)))
		b.add(nTail, hashOf(l[len(cutToBytes(l, len(l)-3)):]))
		if w.letters > 6 {
			b.add(nStart, hashOf(cutToBytes(l, 6)))
		}
	}
}

// addWordFeatures adds the words of a candidate, their parts and pairs, and the words before and after it.
func (v *pageView) addWordFeatures(b *builder, t *text, cs []chunk, c *candidate) {
	n := len(cs)
	for k := range cs {
		if b.model != nil {
			w := v.scoredWord(b.model, t, c.from+k)
			if b.score += w.own; k > 0 {
				b.score += w.pair
			}
			continue
		}
		if addChunkFeatures(b, t, &cs[k]); k > 0 {
			b.add(nPair, cs[k].shape*31+cs[k-1].shape)
		}
	}
	if n <= 4 { // many sites print short texts such as "Important Dates", which are not names
		whole := uint32(fnvOffset)
		for _, w := range cs {
			whole = whole*fnvPrime ^ w.shape
		}
		b.add(nWhole, whole)
	}
	b.add(nFirst, cs[0].shape)
	b.add(nLast, cs[n-1].shape)
	if n > 1 {
		b.add(nSecond, cs[0].shape*31+cs[1].shape)
	} else {
		b.add(nSole, cs[0].shape)
	}
	if c.from > 0 {
		p := t.chunks[c.from-1]
		b.add(nBefore, p.shape)
		b.add(nBefore, p.shape+uint32(cs[0].gap)*7+1)
		if c.from > 1 {
			b.add(nBefore, p.shape*31+t.chunks[c.from-2].shape)
		}
	} else {
		b.add(nBefore, 0)
	}
	if c.to < len(t.chunks) {
		p := t.chunks[c.to]
		b.add(nAfter, p.shape)
		b.add(nAfter, p.shape+uint32(p.gap)*7+1)
		if c.to+1 < len(t.chunks) {
			b.add(nAfter, p.shape*31+t.chunks[c.to+1].shape)
		}
	} else {
		b.add(nAfter, 0)
	}
}

// addNeighbourFeatures adds features of the blocks around the one that prints a candidate. Candidates of one
// text share them, so their score is computed once per text.
func (v *pageView) addNeighbourFeatures(b *builder, t *text, c *candidate) {
	if t.block < 0 {
		return
	}
	if b.model == nil {
		v.addAroundFeatures(b, t)
	} else {
		if !t.scored {
			v.single.model = b.model
			v.addAroundFeatures(&v.single, t)
			t.scored, t.around = true, v.single.scoreAndReset()
		}
		b.score += t.around
	}
	v.addRoleFeatures(b, t, len(t.s) == c.end-c.begin)
}

// addAroundFeatures adds the features of addNeighbourFeatures that do not depend on the candidate.
func (v *pageView) addAroundFeatures(b *builder, t *text) {
	b.add(nPath, pathTail(v.Blocks[t.block].Path, 1))
	b.add(nPath, pathTail(v.Blocks[t.block].Path, 2))
	if t.block > 0 {
		v.addLineFeatures(b, nAbove, t.block-1)
	}
	if t.last+1 < len(v.Blocks) {
		v.addLineFeatures(b, nBelow, t.last+1)
	}
	if h := v.Head[t.block]; h >= 0 && h != t.block-1 {
		v.addLineFeatures(b, nHead, h)
	}
	if bl := v.Blocks[t.block]; bl.Linked*2 > len(bl.Text) {
		b.add(nBig, 0)
	}
}

// addRoleFeatures adds the probabilities of the roles of the block that prints a candidate. whole means that
// the candidate is the whole block.
func (v *pageView) addRoleFeatures(b *builder, t *text, whole bool) {
	if v.Roles == nil {
		return
	}
	for r, p := range v.Roles[t.block] {
		if p := roundToSixteenth(p); p > 0 {
			b.addWeighted(nRole, uint32(r), p)
			b.addWeighted(nRole, uint32(r)|uint32(oneIfTrue(whole)+1)<<8, p)
		}
	}
	if v.Roles[t.block][block.Name] >= v.likeliest/2 {
		b.add(nRole, 1<<16)
	}
}

// roundToSixteenth returns a probability as a multiple of 1/16, so that products with weights are exact.
func roundToSixteenth(p float32) float32 { return float32(math.Round(float64(p)*16) / 16) }

// addLineFeatures adds the first and last words of a neighbouring block under template t.
func (v *pageView) addLineFeatures(b *builder, t featureTemplate, block int) {
	x := v.textOf(block)
	if x == nil || len(x.chunks) == 0 {
		return
	}
	n := len(x.chunks)
	b.add(t, x.chunks[0].shape)
	if n > 1 {
		b.add(t, x.chunks[0].shape*31+x.chunks[1].shape)
		b.add(t, x.chunks[n-1].shape*17+5)
	}
	b.add(t, 1000+bitLength(n, 6))
	dated := false
	for _, c := range x.chunks {
		dated = dated || c.inDate
	}
	b.addIf(t, 2000, dated)
	b.add(t, 3000+uint32(x.source))
}

// textOf returns the text that consists of one block, or nil if the block was not read.
func (d *document) textOf(block int) *text {
	if i := block + d.lead; i < len(d.texts) && d.texts[i].block == block && d.texts[i].last == block {
		return &d.texts[i]
	}
	return nil
}

// pathTail returns a hash of the last n steps of a tag path without their positions.
func pathTail(path string, n int) uint32 {
	end := len(path)
	at := end
	for ; n > 0 && at > 0; n-- {
		at = strings.LastIndexByte(path[:at], '/')
		if at < 0 {
			at = 0
		}
	}
	h := uint32(fnvOffset)
	skip := false
	for i := at; i < end; i++ {
		switch path[i] {
		case '[':
			skip = true
		case ']':
			skip = false
		default:
			if !skip {
				h = (h ^ uint32(path[i])) * fnvPrime
			}
		}
	}
	return h
}

func oneIfTrue(b bool) int {
	if b {
		return 1
	}
	return 0
}

func boolInt(b bool) uint32 { return uint32(oneIfTrue(b)) }
