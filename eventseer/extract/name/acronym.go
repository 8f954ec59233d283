package name

import (
	"math"
	"math/bits"
	"slices"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer/block"
)

const (
	maxAcronym   = 24  // bytes of an acronym
	maxAcronyms  = 120 // candidates per page
	maxContexts  = 6   // occurrences whose neighbouring words are read
	maxSpelt     = 14  // chunks before an acronym in brackets that are compared with it
	maxHeads     = 61  // texts per page that an acronym is compared with
	minInAddress = 3   // minimum letters of an acronym that is searched in the page's address
)

// An acronym is a candidate for the event's acronym.
type acronym struct {
	text              string // as first printed, without the year
	low               string // its letters and digits in lower case
	counts            [sources]int
	withYear          int
	joinedToYear      int // occurrences of withYear without a space before the year: ICX27
	inBrackets        int // occurrences alone in brackets
	spelt             int // occurrences before or after words that it abbreviates, one of the two in brackets
	asWholeText       int // texts that consist of it, with or without the year
	atStart           int // texts that begin with it
	asTitlePart       int // parts of texts between separators that consist of it, with or without the year
	afterAtSign       int
	inCapitals        int // occurrences in texts in capitals
	forms             chunkForm
	sourceText        int // index of the text that text is taken from
	from, to          int // bytes of that text
	earliest          int // position of the first visible text with it; math.MaxInt for none
	contexts          []uint32
	nameRole          float32      // highest probability that a block with it has the role block.Name
	hostRole          float32      // the same for the role block.Host
	expandedInTitles  int          // headings and title elements with words that it abbreviates; at most 3 are counted
	inOwnAddress      bool         // the page's own address has it as a part
	asAddressPart     addressPlace // where the page has addresses with it as a part
	insideAddressPart addressPlace // where the page has addresses with a part that begins or ends with it
}

var (
	tplCount     = newTemplate("acronym count")
	tplTotal     = newTemplate("acronym total")
	tplBool      = newTemplate("acronym holds")
	tplNumber    = newTemplate("acronym number")
	tplGram      = newTemplate("acronym gram")
	tplWhole     = newTemplate("acronym whole")
	tplPrev      = newTemplate("acronym before")
	tplNext      = newTemplate("acronym behind")
	tplRole      = newTemplate("acronym role")
	tplForm      = newTemplate("acronym form")
	tplNone      = newTemplate("acronym none")
	tplOrder     = newTemplate("acronym order")
	tplCross     = newTemplate("acronym cross")
	tplTitle     = newTemplate("acronym title")
	tplInAddress = newTemplate("acronym in addresses")
)

// acronymCandidates returns the candidates of a document, in the order printed.
func (d *document) acronymCandidates() []*acronym {
	g := &acronymGatherer{document: d, index: map[string]int{}}
	for i := range d.texts {
		g.readText(i)
	}
	printed := d.readAddresses()
	for _, a := range g.list {
		a.inOwnAddress = slices.Contains(d.parts, a.low)
		a.asAddressPart, a.insideAddressPart = partsWith(printed, a.low)
		short := newInitialism(a.text)
		for i := range d.texts[:min(maxHeads, len(d.texts))] {
			t := &d.texts[i]
			if a.expandedInTitles >= 3 {
				break
			}
			titled := t.source == heading || t.source == element || t.source == metadata || t.source == line && t.order < 12
			if titled && len(t.chunks) > 2 && len(t.s) < 300 && short.isAbbreviationOf(t.s, t.chunks) {
				a.expandedInTitles++
			}
		}
	}
	return g.list
}

type acronymGatherer struct {
	*document
	list  []*acronym
	index map[string]int
}

func (g *acronymGatherer) readText(i int) {
	t := &g.texts[i]
	for k := range t.chunks {
		c := &t.chunks[k]
		if !c.hasForm(capital|innerCapital) && !g.inAddress(t, c) || c.hasForm(year) || c.inDate || c.to-c.from > 2*maxAcronym {
			continue
		}
		yearNext := k+1 < len(t.chunks) && t.chunks[k+1].hasForm(year) && t.chunks[k+1].gap == space
		quoted := k+1 < len(t.chunks) && t.chunks[k+1].gap == space && t.chunks[k+1].letters == 2 && t.chunks[k+1].hasForm(digits) && strings.ContainsAny(t.s[c.to:t.chunks[k+1].from], "'’‘")
		raw := t.s[c.from:c.to]
		bare := trimYear(raw)
		glued := len(bare) < len(raw)
		if len(bare) > maxAcronym || len(bare) < 2 {
			continue
		}
		shaped := c.hasForm(allCapitals|innerCapital) || c.hasForm(digits) && c.letters > 2 && !isDigits(lettersAndDigits(bare))
		if !shaped && !yearNext && !quoted && !glued && !g.isPart(t, k) && !g.inAddress(t, c) {
			continue
		}
		g.countOccurrence(i, k, k, bare, yearNext || quoted || glued, glued)
		if k > 0 && c.gap == space && (yearNext || quoted || glued || g.isPartPair(t, k)) && t.chunks[k-1].hasForm(capital) && !t.chunks[k-1].inDate && !t.mostlyCapitals {
			pair := t.s[t.chunks[k-1].from:c.from] + bare
			if len(pair) <= maxAcronym && strings.Contains(g.site, lettersAndDigits(pair)) {
				g.countOccurrence(i, k-1, k, pair, yearNext || quoted || glued, glued)
			}
		}
	}
}

// inAddress reports whether the chunk is one of the parts of the page's address.
func (g *acronymGatherer) inAddress(t *text, c *chunk) bool {
	if c.letters < minInAddress || c.letters > maxAcronym || t.source == menu {
		return false
	}
	s := t.s[c.from:c.to]
	for _, p := range g.parts {
		if len(p) == len(s) && strings.EqualFold(p, s) {
			return true
		}
	}
	return false
}

// isPart reports whether chunk k, with or without a year after it, is a complete part of a title between
// separators.
func (g *acronymGatherer) isPart(t *text, k int) bool {
	if t.source != element && t.source != heading && t.source != metadata {
		return false
	}
	begins := k == 0 || t.chunks[k].gap >= opening
	end := k + 1
	if end < len(t.chunks) && t.chunks[end].hasForm(year) {
		end++
	}
	return begins && (end == len(t.chunks) || t.chunks[end].gap >= closing)
}

func (g *acronymGatherer) isPartPair(t *text, k int) bool {
	if t.source != element && t.source != heading && t.source != metadata {
		return false
	}
	return (k == 1 || t.chunks[k-1].gap >= opening) && (k+1 == len(t.chunks) || t.chunks[k+1].gap >= closing)
}

// countOccurrence records one occurrence of the acronym bare, printed by the chunks k to last of text i.
// withYear means that a year follows, glued that no space separates the two.
func (g *acronymGatherer) countOccurrence(i, k, last int, bare string, withYear, glued bool) {
	t := &g.texts[i]
	low := lettersAndDigits(bare)
	at, ok := g.index[low]
	if !ok {
		if len(g.list) >= maxAcronyms || len(low) < 2 {
			return
		}
		at = len(g.list)
		g.index[low] = at
		g.list = append(g.list, &acronym{text: bare, low: low, sourceText: i, from: t.chunks[k].from, to: t.chunks[k].from + len(bare), earliest: math.MaxInt})
	}
	a := g.list[at]
	a.counts[t.source]++
	a.forms |= t.chunks[last].form
	if t.block >= 0 {
		a.earliest = min(a.earliest, t.order)
	}
	if t.mostlyCapitals {
		a.inCapitals++
	} else if a.text != bare && g.texts[a.sourceText].mostlyCapitals || a.sourceText != i && g.texts[a.sourceText].block < 0 && t.block >= 0 {
		a.text, a.sourceText, a.from, a.to = bare, i, t.chunks[k].from, t.chunks[k].from+len(bare)
	}
	if t.block >= 0 && g.Roles != nil {
		a.nameRole = max(a.nameRole, g.Roles[t.block][block.Name])
		a.hostRole = max(a.hostRole, g.Roles[t.block][block.Host])
	}
	if withYear {
		a.withYear++
		if glued {
			a.joinedToYear++
		}
	}
	next := last + 1
	if next < len(t.chunks) && t.chunks[next].hasForm(year) && t.chunks[next].gap == space {
		next++
	}
	begins, ends := k == 0, next == len(t.chunks)
	gapBehind := hard
	if !ends {
		gapBehind = t.chunks[next].gap
	}
	switch {
	case begins && ends:
		a.asWholeText++
	case (begins || t.chunks[k].gap >= hard) && gapBehind >= hard:
		a.asTitlePart++
	}
	if begins {
		a.atStart++
	}
	if t.chunks[k].gap == atSign {
		a.afterAtSign++
	}
	if t.chunks[k].gap == opening && (gapBehind == closing || ends) {
		a.inBrackets++
		if from := max(0, k-maxSpelt); k > 1 && IsAbbreviation(bare, t.s[t.chunks[from].from:t.chunks[k-1].to]) {
			a.spelt++
		}
	} else if !ends && (gapBehind >= opening || t.chunks[next].hasForm(capital)) {
		if to := min(next+maxSpelt, len(t.chunks)-1); to > next && gapBehind >= opening && IsAbbreviation(bare, t.s[t.chunks[next].from:t.chunks[to].to]) {
			a.spelt++
		}
	}
	if len(a.contexts) < 4*maxContexts {
		prev, behind := uint32(0), uint32(0)
		if k > 0 {
			prev = t.chunks[k-1].shape + uint32(t.chunks[k].gap)
			if k > 1 {
				a.contexts = append(a.contexts, tplPrev.termID(t.chunks[k-1].shape*31+t.chunks[k-2].shape))
			}
		}
		if !ends {
			behind = t.chunks[next].shape + uint32(gapBehind)
			if next+1 < len(t.chunks) {
				a.contexts = append(a.contexts, tplNext.termID(t.chunks[next].shape*31+t.chunks[next+1].shape))
			}
		}
		a.contexts = append(a.contexts, tplPrev.termID(prev), tplNext.termID(behind))
	}
}

// bitLength returns the number of binary digits of n, at most most. It groups counts by magnitude.
func bitLength(n, most int) uint32 { return uint32(min(bits.Len(uint(max(n, 0))), most)) }

// A builder collects the terms of a candidate. With a model it computes their score instead. Terms may
// repeat.
type builder struct {
	terms  []classify.Term
	model  *classify.LogLinear
	tables *weightTables // of model; nil to look all weights up in model
	ids    []uint32      // terms of value 1 that score and units do not include yet, see scoreAndReset
	units  int64         // sum of weights of terms of value 1, in units of 1/classify.WeightUnit
	score  float64
}

func (b *builder) add(t featureTemplate, v uint32) {
	if b.model == nil {
		b.terms = append(b.terms, classify.Term{ID: t.termID(v), Value: 1})
	} else if table := b.tables.of(t); v < uint32(len(table)) {
		b.units += int64(table[v])
	} else {
		b.ids = append(b.ids, t.termID(v))
	}
}

// scoreAndReset returns the score of the terms added so far and resets the builder. The score does not depend
// on the order of the terms, since weights are integers and values are multiples of 1/16.
func (b *builder) scoreAndReset() float64 {
	score := b.score + float64(b.units+b.model.SumUnits(b.ids))/classify.WeightUnit
	b.ids, b.units, b.score = b.ids[:0], 0, 0
	return score
}

// addWeighted adds a term of another value than 1, which is a multiple of 1/16.
func (b *builder) addWeighted(t featureTemplate, v uint32, value float32) {
	if b.model == nil {
		b.terms = append(b.terms, classify.Term{ID: t.termID(v), Value: value})
	} else if table := b.tables.of(t); v < uint32(len(table)) {
		b.score += float64(value * (float32(table[v]) / classify.WeightUnit))
	} else if _, w := b.model.Weights(t.termID(v)); len(w) > 0 {
		b.score += float64(value * w[0])
	}
}

func (b *builder) addIf(t featureTemplate, id uint32, holds bool) {
	if holds {
		b.add(t, id)
	}
}

// acronymTerms returns the features of each candidate, followed by those of the decision that the event has
// no acronym. title is the name of the event, or "" if it is not known yet.
func (d *document) acronymTerms(list []*acronym, title string) [][]classify.Term {
	out := make([][]classify.Term, 0, len(list)+1)
	most, mostYear := 0, 0
	best := 0
	for _, a := range list {
		most, mostYear = max(most, a.countAll()), max(mostYear, a.withYear)
	}
	view := d.newTitleView(title)
	b := builder{terms: d.memory.terms[:0]} // the terms of all candidates, those of the i-th from from[i] on
	from := make([]int, 0, len(list)+1)
	for _, a := range list {
		from = append(from, len(b.terms))
		d.addAcronymFeatures(&b, a, most, mostYear, list)
		if title != "" {
			d.addTitleFeatures(&b, a, view, a.countAll() == most)
		}
		if a.withYear > 0 || a.spelt > 0 {
			best++
		}
	}
	from = append(from, len(b.terms))
	b.add(tplNone, 0)
	b.add(tplNone, 100+bitLength(mostYear, 4))
	b.add(tplNone, 200+bitLength(most, 6))
	b.add(tplNone, 300+bitLength(best, 4))
	b.addIf(tplNone, 400, d.plain)
	b.addIf(tplNone, 401, len(d.hosts) > 0)
	if title != "" {
		printed, spelt, ofMost := false, false, 0
		low := view.low
		for _, a := range list {
			if a.countAll() == most {
				ofMost |= 1 | oneIfTrue(strings.Contains(low, a.low))<<1 | oneIfTrue(IsAbbreviation(a.text, title))<<2
			}
			printed = printed || (a.withYear > 0 || a.spelt > 0) && strings.Contains(low, a.low)
			spelt = spelt || IsAbbreviation(a.text, title)
		}
		b.add(tplNone, 700+uint32(ofMost)<<2|uint32(oneIfTrue(printed))|uint32(oneIfTrue(spelt))<<1)
		b.add(tplNone, 500+uint32(oneIfTrue(printed))+2*uint32(oneIfTrue(spelt)))
		short := false
		cs := view.chunks
		for _, c := range cs {
			short = short || c.hasForm(allCapitals|innerCapital) && !c.hasForm(year)
		}
		b.add(tplNone, 600+uint32(min(len(cs), 8))<<1+uint32(oneIfTrue(short)))
		if hosted := view.hosted; hosted != 0 {
			b.add(tplNone, 800+hosted<<2|uint32(oneIfTrue(printed))|uint32(oneIfTrue(spelt))<<1)
		}
	}
	d.memory.terms = b.terms
	for i, start := range from {
		end := len(b.terms)
		if i+1 < len(from) {
			end = from[i+1]
		}
		out = append(out, b.terms[start:end:end])
	}
	return out
}

func (a *acronym) countAll() int {
	n := 0
	for s, c := range a.counts {
		if source(s) != menu {
			n += c
		}
	}
	return n
}

func (d *document) addAcronymFeatures(b *builder, a *acronym, most, mostYear int, list []*acronym) {
	total := a.countAll()
	for s, n := range a.counts {
		if n > 0 {
			b.add(tplCount, uint32(s)<<8|bitLength(n, 4))
			b.add(tplCount, uint32(s)<<8|0xff)
		}
	}
	b.add(tplTotal, bitLength(total, 6))
	b.add(tplNumber, 0)
	b.add(tplNumber, 100+bitLength(a.withYear, 4))
	b.add(tplNumber, 200+bitLength(a.inBrackets, 3))
	b.add(tplNumber, 300+bitLength(a.spelt, 3))
	b.add(tplNumber, 400+bitLength(a.asWholeText, 3))
	b.add(tplNumber, 500+bitLength(a.atStart, 4))
	b.add(tplNumber, 600+bitLength(a.asTitlePart, 2))
	b.add(tplNumber, 700+bitLength(a.afterAtSign, 3))
	b.add(tplNumber, 800+bitLength(a.expandedInTitles, 2))
	b.add(tplNumber, 900+bitLength(a.joinedToYear, 3))
	b.add(tplNumber, 1000+uint32(min(len(a.low), 12)))
	b.add(tplNumber, 1100+bitLength(a.inCapitals, 3))
	b.add(tplNumber, 1200+uint32(10*total/max(most, 1)))
	b.add(tplNumber, 1300+uint32(10*a.withYear/max(mostYear, 1)))
	b.add(tplOrder, bitLength(min(a.earliest, 4000), 8))
	inSite := len(a.low) >= minInAddress && strings.Contains(d.site, a.low)
	shown := a.counts[element] > 0
	headed := a.counts[heading] > 0
	compound, inside := false, false
	for _, o := range list {
		if o == a || o.countAll() < 2 {
			continue
		}
		inside = inside || len(o.low) > len(a.low) && len(a.low) >= 3 && strings.Contains(o.low, a.low)
		compound = compound || len(o.low) < len(a.low) && len(o.low) >= 3 && strings.Contains(a.low, o.low)
	}
	facts := []bool{
		a.inOwnAddress, inSite, shown, headed, compound, inside, a.spelt > 0, a.expandedInTitles > 0, a.withYear > 0, a.countAll() == a.inCapitals,
		total == most, a.withYear == mostYear && mostYear > 0, strings.ContainsAny(a.text, " "), strings.ContainsAny(a.text, "-/&+."),
		a.forms&allCapitals != 0, a.forms&innerCapital != 0, a.forms&lower != 0, strings.ContainsFunc(a.text, unicode.IsDigit), d.plain,
		!shown && !headed && a.withYear == 0 && a.spelt == 0,
	}
	for i, f := range facts {
		b.addIf(tplBool, uint32(i), f)
	}
	for i := range 12 {
		for k := i + 1; k < 12; k++ {
			b.addIf(tplCross, uint32(i)<<8|uint32(k), facts[i] && facts[k])
		}
	}
	b.addWeighted(tplRole, 0, roundToSixteenth(a.nameRole))
	b.addWeighted(tplRole, 1, roundToSixteenth(a.hostRole))
	b.addIf(tplRole, 2, a.nameRole > 0.5 && a.hostRole < 0.2)
	b.addIf(tplRole, 3, a.nameRole < 0.1)
	d.addAddressFeatures(b, a, most, list)
	d.addHostedFeatures(b, a)
	b.add(tplForm, shapeOf(a.text))
	b.add(tplWhole, hashOf(a.low))
	padded := []rune("^" + a.low + "$")
	for i := 0; i+3 <= len(padded); i++ {
		b.add(tplGram, hashOf(string(padded[i:i+3])))
	}
	for _, id := range a.contexts {
		b.terms = append(b.terms, classify.Term{ID: id, Value: 1})
	}
}

// addAddressFeatures adds features from the addresses printed or linked on the page. most is the total of the
// most frequent candidate.
func (d *document) addAddressFeatures(b *builder, a *acronym, most int, list []*acronym) {
	bears := a.asAddressPart | a.insideAddressPart
	b.add(tplInAddress, uint32(a.asAddressPart)<<2|uint32(a.insideAddressPart))
	b.addIf(tplInAddress, 100+uint32(a.asAddressPart), d.plain)
	if bears != 0 {
		b.add(tplInAddress, 200+uint32(oneIfTrue(a.withYear > 0))<<2|uint32(oneIfTrue(a.spelt > 0))<<1|uint32(oneIfTrue(a.countAll() == most)))
		b.add(tplInAddress, 220+uint32(min(len(a.low), 8)))
		return
	}
	for _, o := range list {
		if o.asAddressPart != 0 && (o.withYear > 0 || o.spelt > 0) {
			b.add(tplInAddress, 300)
			return
		}
	}
}

// A titleView is the data of the event's name that the features of all acronyms share.
type titleView struct {
	title, low string
	chunks     []chunk
	lows       []string // by chunk: its letters and digits without a year
	hosted     uint32   // see hostedTitle
}

func (d *document) newTitleView(title string) *titleView {
	v := &titleView{title: title, low: lettersAndDigits(title), chunks: splitChunks(nil, cutToBytes(title, maxNameBytes))}
	if title != "" {
		v.hosted = d.hostedTitle(title)
	}
	for _, c := range v.chunks {
		v.lows = append(v.lows, lettersAndDigits(trimYear(title[c.from:c.to])))
	}
	return v
}

// addTitleFeatures adds features that relate an acronym to the event's name. most means that no candidate is
// printed more often.
func (d *document) addTitleFeatures(b *builder, a *acronym, v *titleView, most bool) {
	title, low, cs := v.title, v.low, v.chunks
	at := strings.Index(title, a.text)
	facts := []bool{
		IsAbbreviation(a.text, title), at >= 0, at == 0, low == a.low, strings.HasPrefix(low, a.low), strings.Contains(low, a.low),
		strings.HasSuffix(title, "("+a.text+")"), at > 0 && strings.ContainsAny(title[:at], "@"),
		at > 0 && title[at-1] == '(', at > 0 && title[at-1] == '(' && IsAbbreviation(a.text, title[:at]),
	}
	for i, f := range facts {
		b.addIf(tplTitle, uint32(i), f)
	}
	said := 0 // bit set of the evidence for the acronym in the title and elsewhere
	if hosted := v.hosted; hosted != 0 {
		n, _ := d.hostsWith(a.low)
		b.add(tplHost, 60+hosted<<3|uint32(oneIfTrue(n > 0))<<2|uint32(oneIfTrue(facts[0]))<<1|uint32(oneIfTrue(facts[5])))
	}
	for i, f := range []bool{facts[0], facts[5], a.withYear > 0, a.counts[element]+a.counts[heading] > 0, a.inOwnAddress || a.asAddressPart != 0, a.hostRole > 0.3} {
		said |= oneIfTrue(f) << i
	}
	b.add(tplTitle, 500+uint32(said))
	b.add(tplTitle, 600+uint32(said&3)<<1|uint32(oneIfTrue(most)))
	for k, c := range cs {
		if v.lows[k] != a.low {
			continue
		}
		next := k + 1
		for next < len(cs) && cs[next].hasForm(year) {
			next++
		}
		rest := len(cs) - next
		b.add(tplTitle, 100+uint32(min(k, 6))<<4|uint32(min(rest, 6)))
		b.add(tplTitle, 300+uint32(oneIfTrue(next > k+1))<<4|uint32(min(rest, 6))<<1|uint32(oneIfTrue(facts[0])))
		if k > 0 { // "Workshop at ICX"
			b.add(tplTitle, 400+uint32(c.gap))
			b.add(tplTitle, cs[k-1].shape*2+1)
		}
		if rest > 0 { // "ICX 2027 Workshop: Rivers"
			b.add(tplTitle, 420+uint32(cs[next].gap))
			b.add(tplTitle, cs[next].shape*2)
			b.add(tplTitle, uint32(oneIfTrue(next > k+1))+cs[next].shape*2+7)
		}
		break
	}
}

func hashOf(s string) uint32 {
	h := uint32(fnvOffset)
	for i := range len(s) {
		h = (h ^ uint32(s[i])) * fnvPrime
	}
	return h
}

// hashOfLower returns hashOf a text of ASCII letters in lower case.
func hashOfLower(s string) uint32 {
	h := uint32(fnvOffset)
	for i := range len(s) {
		h = (h ^ uint32(s[i]|0x20)) * fnvPrime
	}
	return h
}

// shapeOf hashes the sequence of kinds of runes in s: capital, small letter, digit, other. Equal kinds in a
// row count once.
func shapeOf(s string) uint32 {
	var b []byte
	for _, r := range s {
		k := byte('.')
		switch {
		case unicode.IsUpper(r):
			k = 'A'
		case unicode.IsLower(r):
			k = 'a'
		case unicode.IsDigit(r):
			k = '0'
		}
		if len(b) == 0 || b[len(b)-1] != k {
			b = append(b, k)
		}
	}
	return hashOf(string(b))
}

// An initialism is an acronym prepared for comparing it with many texts.
type initialism struct {
	text       string
	first, all uint64 // bit sets of the first letter and of all letters, see bitOf
}

func newInitialism(s string) initialism {
	i := initialism{text: s}
	for _, r := range s {
		if unicode.IsLetter(r) {
			if i.all == 0 {
				i.first = bitOf(r)
			}
			i.all |= bitOf(r)
		}
	}
	return i
}

// isAbbreviationOf reports whether the acronym abbreviates words of s. cs are the chunks of s, whose bit sets
// exclude most texts quickly.
func (i initialism) isAbbreviationOf(s string, cs []chunk) bool {
	var starts, all uint64
	for k := range cs {
		starts |= cs[k].starts
		all |= cs[k].all
	}
	return i.all != 0 && starts&i.first != 0 && all&i.all == i.all && IsAbbreviation(i.text, s)
}
