package name

import (
	"slices"
	"strings"
)

const (
	maxCandidates = 300 // candidates per page
	maxGuesses    = 16  // further candidates from rules
	maxProse      = 120 // candidates from running text only
	maxTop        = 60  // visible blocks from the start whose lines are split; headings are split everywhere
	maxFoot       = 8   // visible blocks at the end that are split too
	maxStarts     = 8   // candidates' starts per text
	maxEnds       = 7   // candidates' ends per start
	maxName       = 30  // chunks of a name
	maxLink       = 5   // letters of a small word inside a name
	maxLinks      = 3   // consecutive small words inside a name
	maxRuns       = 8   // runs of capitalised words per text
	maxNameBytes  = 250
)

// A candidate is a text that may be the name of the event.
type candidate struct {
	words              []uint32      // hashes of its chunks
	mask               uint64        // one bit per hash, for a quick comparison
	s                  string        // the text as printed; set by newPageView
	spells             bool          // the acronym abbreviates it; set by newPageView
	relations          hostRelations // its relation to the hosts; set by newPageView
	text               int           // index of the text it is taken from, a visible one if possible
	from, to           int           // chunks [from, to) of that text
	begin              int           // bytes [begin, end) of that text
	end                int
	counts             [sources]int
	spelt              int // occurrences next to an acronym of it, one of the two in brackets
	asWholeText        int // texts that consist of it
	asTitlePart        int // texts in which it is a complete part between separators
	atEnd              int // texts that end with it
	atStart            int // texts that begin with it
	joined             bool
	isBeforeKey        bool  // an occurrence is directly before the page's most probable acronym in brackets
	isOneWordInAddress bool  // the page's address contains it written as one word
	titleBits          uint8 // bits for occurrences in the title element: at its start, at its end, after a separator, before one, any
}

type gatherer struct {
	*document
	list  []*candidate
	index map[uint64]int
	prose int
	key   string // the most probable acronym, "" for none
}

// nameCandidates returns the texts of the page that may be the name of the event. key is its most probable
// acronym, or "".
func (d *document) nameCandidates(key string) []*candidate {
	g := &gatherer{document: d, index: map[uint64]int{}, key: key}
	d.joinLines()
	for i := range d.texts { // titles and headings come first because the number of candidates is limited
		if t := &d.texts[i]; t.source == element || t.source == metadata || t.source == heading {
			g.addNamesIn(i, maxStarts)
		}
	}
	for i := range d.texts {
		if len(g.list) < maxCandidates/2 {
			g.addKey(i)
		}
		switch t := &d.texts[i]; t.source {
		case line, item, cell, picture:
			if t.source == picture || t.order < maxTop || t.order >= d.shown-maxFoot || g.hasKey(t) {
				g.addNamesIn(i, maxStarts/2)
			}
		}
	}
	for i := range d.texts {
		t := &d.texts[i]
		if t.source == menu {
			if len(t.chunks) <= maxName && t.block < maxTop {
				g.addOccurrence(i, 0, len(t.chunks))
			}
			continue
		}
		g.addKey(i)
		if len(g.list) < maxCandidates && t.block >= 0 && (t.order < maxTop || g.hasKey(t) || t.order >= d.shown-maxFoot) {
			g.addRunsIn(i)
		}
	}
	d.guesses = nil
	if d.Guess != nil {
		d.guesses = d.Guess(key)
	}
	g.addGuesses()
	return g.list
}

// addGuesses adds the names suggested by rules that are not candidates yet.
func (g *gatherer) addGuesses() {
	for _, guess := range g.guesses {
		t := text{s: guess.Text, block: guess.Block, last: guess.Last, source: element}
		if t.block >= 0 {
			if t.source = sourceOf(&g.Blocks[t.block]); g.textOf(t.block) != nil {
				t.order = g.textOf(t.block).order
			}
		}
		g.document.addText(t)
		i := len(g.texts) - 1
		cs := g.texts[i].chunks
		id := hashOfChunks(cs)
		if _, ok := g.index[id]; ok || g.addOccurrence(i, 0, len(cs)) == nil {
			g.texts = g.texts[:i]
		}
	}
}

func hashOfChunks(cs []chunk) uint64 {
	id := uint64(14695981039346656037)
	for _, c := range cs {
		id = (id ^ uint64(c.hash)) * 1099511628211
	}
	return id
}

// addKey adds the acronym in text i as a candidate, with and without the year. It is used if a page prints
// no longer name.
func (g *gatherer) addKey(i int) {
	t := &g.texts[i]
	if t.last > t.block || !g.hasKey(t) {
		return
	}
	for k, c := range t.chunks {
		if c.hasForm(capital|innerCapital) && trimYear(t.s[c.from:c.to]) == g.key {
			g.addOccurrence(i, k, k+1)
			if k+1 < len(t.chunks) && t.chunks[k+1].hasForm(year) && t.chunks[k+1].gap == space {
				g.addOccurrence(i, k, k+2)
			}
			return
		}
	}
}

func (g *gatherer) hasKey(t *text) bool { return g.key != "" && strings.Contains(t.s, g.key) }

// joinLines adds texts of consecutive lines, which may be one name broken over several lines. They are
// computed once per document.
func (d *document) joinLines() {
	n := len(d.texts)
	if d.joined == nil {
		d.joinConsecutiveLines()
		d.joined = slices.Clone(d.texts[n:])
		return
	}
	d.texts = append(d.texts, d.joined...)
}

func (d *document) joinConsecutiveLines() {
	d.joined = []text{}
	for i, n := 0, len(d.texts); i < n; i++ {
		t := d.texts[i]
		if t.block < 0 || t.source == prose || t.source == menu || t.order >= maxTop || len(t.s) > maxNameBytes {
			continue
		}
		s, end, chunks := t.s, t.block, t.chunks
		for k := i + 1; k < n && k < i+maxJoined; k++ {
			next := d.texts[k]
			if next.source != t.source && !(t.source == heading && next.source == line) || next.source == menu || next.block != end+1 || len(s)+len(next.s) > maxNameBytes {
				break
			}
			if len(next.chunks) > 0 && next.chunks[0].inDate {
				break
			}
			s, end = s+" "+next.s, next.block
			chunks = d.joinChunks(s, chunks, next.chunks, len(s)-len(next.s))
			d.texts = append(d.texts, text{s: s, source: t.source, level: t.level, block: t.block, last: end, order: t.order, chunks: chunks, mostlyCapitals: mostlyCapitals(chunks)})
		}
	}
}

// joinChunks returns the chunks of s, which consists of two lines with a space between them. before are the
// chunks of the first line. behind are those of the second line, which begins at byte at.
func (d *document) joinChunks(s string, before, behind []chunk, at int) []chunk {
	out := d.memory.chunks.allocate(len(before) + len(behind))
	copy(out, before)
	copy(out[len(before):], behind)
	for i := range behind {
		c := &out[len(before)+i]
		c.from, c.to = c.from+at, c.to+at
	}
	if len(behind) > 0 {
		out[len(before)].gap = separatorBefore(s, out, len(before))
	}
	return out
}

// addNamesIn adds the candidates between any start and end in text i. starts is the maximum number of starts.
func (g *gatherer) addNamesIn(i, starts int) {
	t := &g.texts[i]
	cs := t.chunks
	if len(cs) == 0 || len(cs) > 2*maxLine && t.source != element {
		return
	}
	limit := starts
	for from := 0; from < len(cs) && limit > 0; from++ {
		if !g.mayStartName(t, from) {
			continue
		}
		limit--
		ends := maxEnds
		for to := from + 1; to <= min(len(cs), from+maxName) && ends > 0; to++ {
			if !g.mayEndName(t, from, to) {
				continue
			}
			ends--
			g.addOccurrence(i, from, to)
		}
		if to := len(cs); to <= from+maxName {
			g.addOccurrence(i, from, to)
		}
	}
}

// mayStartName reports whether a name may begin with chunk k.
func (g *gatherer) mayStartName(t *text, k int) bool {
	if k == 0 {
		return true
	}
	c, before := t.chunks[k], t.chunks[k-1]
	switch {
	case c.gap >= closing:
		return true
	case c.inDate:
		return false
	case before.hasForm(year) || before.inDate:
		return true
	case c.hasForm(digits) && c.hasForm(capital) && !c.hasForm(year) && c.letters <= 5:
		return true // an ordinal number
	}
	return c.hasForm(capital) && before.hasForm(lower) && !t.mostlyCapitals
}

// mayEndName reports whether a name that begins with chunk from may end before chunk to.
func (g *gatherer) mayEndName(t *text, from, to int) bool {
	cs := t.chunks
	if to == len(cs) {
		return true
	}
	last, next := cs[to-1], cs[to]
	if last.inDate && !last.hasForm(year) {
		return false
	}
	switch {
	case next.gap >= comma:
		return true
	case next.inDate || next.hasForm(year) || last.hasForm(year):
		return true
	}
	return last.hasForm(capital|innerCapital) && next.hasForm(lower) && g.endsNameAt(cs, to)
}

// endsNameAt reports whether the small words from chunk k on end a name. They do if they are more or longer
// than the small words inside names.
func (g *gatherer) endsNameAt(cs []chunk, k int) bool {
	for n := 0; k < len(cs); n, k = n+1, k+1 {
		c := cs[k]
		if !c.hasForm(lower) {
			return false
		}
		if n >= maxLinks || c.letters > maxLink || n > 0 && c.gap >= comma {
			return true
		}
	}
	return true
}

// addRunsIn adds the runs of capitalised words in running text, and words that the page's address joins.
func (g *gatherer) addRunsIn(i int) {
	t := &g.texts[i]
	if t.mostlyCapitals || t.last > t.block {
		return
	}
	cs, runs := t.chunks, 0
	for from := 0; from < len(cs) && runs < maxRuns; from++ {
		if !cs[from].hasForm(capital|innerCapital) || cs[from].inDate || from > 0 && cs[from].gap < closing && cs[from-1].hasForm(capital|innerCapital) {
			continue
		}
		to := from + 1
		for to < len(cs) && to-from < maxName && cs[to].gap < atSign && (cs[to].hasForm(capital|innerCapital) || !g.endsNameAt(cs, to)) {
			to++
		}
		g.addOneWordInAddress(i, from, to)
		if to-from < 2 && !cs[from].hasForm(innerCapital) && !g.hasAddress(t, from) {
			continue
		}
		runs++
		g.addRun(i, from, to)
	}
}

// addRun adds the run of chunks [from, to) and the names that begin or end inside it.
func (g *gatherer) addRun(i, from, to int) {
	cs := g.texts[i].chunks
	starts := 4
	for a := from; a < to && starts > 0; a++ {
		if a > from && !g.mayStartName(&g.texts[i], a) || cs[a].hasForm(lower) {
			continue
		}
		starts--
		ends := 5
		for b := a + 1; b <= to && ends > 0; b++ {
			if b == to || cs[b].gap >= comma || cs[b-1].hasForm(year) || cs[b].hasForm(year) {
				ends--
				g.addOccurrence(i, a, b)
			}
		}
	}
}

// hasAddress reports whether the page's address contains chunk k.
func (g *gatherer) hasAddress(t *text, k int) bool {
	return t.chunks[k].letters >= 4 && g.chunkData(t)[k].inSite
}

// addOneWordInAddress adds words that the page's address contains as one: "Dam Days" at damdays.example.
func (g *gatherer) addOneWordInAddress(i, from, to int) {
	t := &g.texts[i]
	if len(g.parts) == 0 || t.last > t.block {
		return
	}
	words := g.chunkData(t)
	for a := from; a < to; a++ {
		for b := a; b < min(to, a+5); b++ {
			joined := t.low[words[a].from:words[b].to]
			begins := false
			for _, p := range g.parts {
				begins = begins || strings.HasPrefix(p, joined)
				if p == joined && len(joined) >= 6 {
					if c := g.addOccurrence(i, a, b+1); c != nil {
						c.isOneWordInAddress = true
					}
				}
			}
			if !begins {
				break
			}
		}
	}
}

// addOccurrence counts the chunks [from, to) of text i as an occurrence of a candidate and returns the candidate. It
// returns nil if they cannot be a name or the page has too many candidates.
func (g *gatherer) addOccurrence(i, from, to int) *candidate {
	t := &g.texts[i]
	cs := t.chunks[from:min(to, len(t.chunks))]
	if len(cs) == 0 || len(cs) > maxName {
		return nil
	}
	begin, end := cs[0].from, cs[len(cs)-1].to
	running := t.source != element && t.source != heading && t.source != metadata
	for k, c := range cs {
		if c.inDate || running && k > 0 && c.gap == sentence {
			return nil // a name contains no full date and no end of a sentence
		}
	}
	if end-begin > maxNameBytes || len(cs) == 1 && (cs[0].hasForm(year) || cs[0].inDate || cs[0].letters < 2) {
		return nil
	}
	if t.mayHoldNoName() && notName(t.s[begin:end]) {
		return nil
	}
	end = closeBrackets(t.s, begin, end)
	id := hashOfChunks(cs)
	at, ok := g.index[id]
	if !ok {
		inProse := t.source == prose || t.source == line && len(cs) < len(t.chunks)
		if len(g.list) >= maxCandidates+maxGuesses || inProse && g.prose >= maxProse {
			return nil
		}
		if inProse {
			g.prose++
		}
		c := g.newCandidate(cs)
		c.text, c.from, c.to, c.begin, c.end = i, from, to, begin, end
		at = len(g.list)
		g.index[id] = at
		g.list = append(g.list, c)
	}
	c := g.list[at]
	if was := &g.texts[c.text]; was.block < 0 && t.block >= 0 || was.mostlyCapitals && !t.mostlyCapitals && t.block >= 0 {
		c.text, c.from, c.to, c.begin, c.end = i, from, to, begin, end
	}
	c.counts[t.source]++
	c.joined = c.joined || t.last > t.block
	starts := from == 0 || t.chunks[from].gap >= opening
	ends := to >= len(t.chunks) || t.chunks[to].gap >= opening
	switch {
	case from == 0 && to >= len(t.chunks):
		c.asWholeText++
	case starts && ends:
		c.asTitlePart++
	}
	if t.source == element {
		c.titleBits |= 1<<4 | uint8(oneIfTrue(from == 0)) | uint8(oneIfTrue(to >= len(t.chunks)))<<1 | uint8(oneIfTrue(starts))<<2 | uint8(oneIfTrue(ends))<<3
	}
	if from == 0 {
		c.atStart++
	}
	if to >= len(t.chunks) {
		c.atEnd++
	}
	if to < len(t.chunks) && t.chunks[to].gap == opening {
		if a := g.acronymInBracket(t, to); a != "" {
			c.isBeforeKey = c.isBeforeKey || a == g.key
			if IsAbbreviation(a, t.s[begin:cs[len(cs)-1].to]) {
				c.spelt++
			}
		}
	}
	if from > 0 && t.chunks[from].gap >= opening {
		k := from - 1
		if t.chunks[k].hasForm(year) && k > 0 {
			k--
		}
		if b := t.chunks[k]; b.hasForm(allCapitals|innerCapital) && IsAbbreviation(trimYear(t.s[b.from:b.to]), t.s[begin:end]) {
			c.spelt++
		}
	}
	return c
}

// newCandidate returns a candidate with the hashes of some chunks.
func (g *gatherer) newCandidate(cs []chunk) *candidate {
	c := &g.memory.candidates.allocate(1)[0]
	c.words = g.memory.hashes.allocate(len(cs))
	for k := range cs {
		c.words[k] = cs[k].hash
		c.mask |= 1 << (cs[k].hash & 63)
	}
	return c
}

// acronymInBracket returns the acronym at chunk k, the first in brackets, without its year. It returns ""
// if the chunk is not an acronym.
func (g *gatherer) acronymInBracket(t *text, k int) string {
	c := t.chunks[k]
	if !c.hasForm(allCapitals|innerCapital|digits) || c.to-c.from > maxAcronym {
		return ""
	}
	return trimYear(t.s[c.from:c.to])
}

// notName reports whether the characters of a text show that it is not a name. It contains an address, a
// copyright notice or a drawn line, or a closing bracket without an opening one.
func notName(s string) bool {
	open := 0
	for i := range len(s) {
		switch s[i] {
		case '(', '[':
			open++
		case ')', ']':
			if open--; open < 0 {
				return true
			}
		case '/', '.', 0xA9, ' ', '-', '=', '*', '_', '~':
			if endsMark(s[:i+1]) {
				return true
			}
		}
	}
	return false
}

// mayHoldNoName reports whether notName may hold for a part of t. It is computed at the first call.
func (t *text) mayHoldNoName() bool {
	if t.marks == marksUnknown {
		t.marks = noMarks
		for i := range len(t.s) {
			if c := t.s[i]; c == ')' || c == ']' || endsMark(t.s[:i+1]) {
				t.marks = someMarks
				break
			}
		}
	}
	return t.marks == someMarks
}

// endsMark reports whether s ends with a mark of an address, a copyright notice or a drawn line. s must not
// be empty.
func endsMark(s string) bool {
	n := len(s)
	switch c := s[n-1]; c {
	case '/':
		return n >= 3 && s[n-3:] == "://"
	case '.':
		return n >= 4 && s[n-4:] == "www."
	case ' ':
		return n >= 4 && s[n-4:] == " -- "
	case 0xA9:
		return n >= 2 && s[n-2:] == "©"
	default:
		return n >= 3 && s[n-2] == c && s[n-3] == c
	}
}

// closeBrackets returns the end of s[begin:end] extended by the closing brackets and the quotation mark that
// follow it directly.
func closeBrackets(s string, begin, end int) int {
	if end == len(s) || s[end] != '"' && s[end] != ')' && s[end] != "”"[0] {
		return end
	}
	switch part := s[begin:end]; {
	case strings.Count(part, `"`)%2 == 1 && strings.HasPrefix(s[end:], `"`):
		end++
	case strings.Count(part, "“") > strings.Count(part, "”") && strings.HasPrefix(s[end:], "”"):
		end += len("”")
	}
	open := strings.Count(s[begin:end], "(") - strings.Count(s[begin:end], ")")
	for open > 0 && end < len(s) && s[end] == ')' {
		end++
		open--
	}
	return end
}

// printedText returns the text of a candidate, without an opening bracket that is not closed.
func (d *document) printedText(c *candidate) string {
	s := d.texts[c.text].s[c.begin:c.end]
	if at := strings.LastIndexByte(s, '('); at > 0 && strings.Count(s, "(") > strings.Count(s, ")") {
		s = strings.TrimRight(s[:at], " ")
	}
	return s
}
