package name

import (
	"slices"
	"strings"
)

const (
	maxCandidates = 300 // of a page
	maxGuesses    = 16  // added by rules
	maxProse      = 120 // of them from running text alone
	maxTop        = 60  // blocks outside menus whose lines are cut; headings everywhere
	maxFoot       = 8   // the last blocks too
	maxStarts     = 8   // of one text
	maxEnds       = 7   // of one start
	maxName       = 30  // chunks of a name
	maxLink       = 5   // letters of a small word inside a name
	maxLinks      = 3   // of them in a row
	maxRuns       = 8   // in one text
	maxNameBytes  = 250
)

// A candidate is a text that may be what the event is called.
type candidate struct {
	words    []uint32 // hashes of its chunks
	mask     uint64   // a bit for each of them
	s        string   // as printed, see view
	spells   bool     // the acronym believed in, see view
	stands   stand    // how it stands to the hosts, see view
	text     int      // the text that it is first cut from, one that is shown if any
	from, to int      // chunks, the latter past the last
	begin    int      // bytes
	end      int
	counts   [sources]int
	spelt    int // before its acronym in brackets, or after it
	whole    int // texts that are nothing else
	parts    int // texts of which it is all between marks
	ends     int // texts that end with it
	begins   int // texts that begin with it
	joined   bool
	sited    bool  // the address writes it as one word
	titled   uint8 // in the title element: bits for all of it, its begin, its end, a part between marks
}

type gatherer struct {
	*document
	list   []*candidate
	index  map[uint64]int
	prose  int
	key    string      // the acronym believed in, "" for none
	free   []candidate // see newCandidate
	hashes []uint32
}

// candidates gathers what may be the name of the event; key is its acronym as far
// as known.
func (d *document) candidates(key string) []*candidate {
	g := &gatherer{document: d, index: map[uint64]int{}, key: key}
	d.joinLines()
	for i := range d.texts { // titles and headings before all others
		if t := &d.texts[i]; t.source == element || t.source == metadata || t.source == heading {
			g.cut(i, maxStarts)
		}
	}
	for i := range d.texts {
		if len(g.list) < maxCandidates/2 {
			g.addKey(i)
		}
		switch t := &d.texts[i]; t.source {
		case line, item, cell, picture:
			if t.source == picture || t.order < maxTop || t.order >= d.shown-maxFoot || g.hasKey(t) {
				g.cut(i, maxStarts/2)
			}
		}
	}
	for i := range d.texts {
		t := &d.texts[i]
		if t.source == menu {
			if len(t.chunks) <= maxName && t.block < maxTop {
				g.add(i, 0, len(t.chunks))
			}
			continue
		}
		g.addKey(i)
		if len(g.list) < maxCandidates && t.block >= 0 && (t.order < maxTop || g.hasKey(t) || t.order >= d.shown-maxFoot) {
			g.runs(i)
		}
	}
	d.guesses = nil
	if d.Guess != nil {
		d.guesses = d.Guess(key)
	}
	g.addGuesses()
	return g.list
}

// addGuesses adds what the rules believe in and no text was cut to.
func (g *gatherer) addGuesses() {
	for _, guess := range g.guesses {
		t := text{s: guess.Text, block: guess.Block, last: guess.Last, source: element}
		if t.block >= 0 {
			if t.source = sourceOf(&g.Blocks[t.block]); g.textOf(t.block) != nil {
				t.order = g.textOf(t.block).order
			}
		}
		g.document.add(t)
		i := len(g.texts) - 1
		cs := g.texts[i].chunks
		id := hashOfChunks(cs)
		if _, ok := g.index[id]; ok || g.add(i, 0, len(cs)) == nil {
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

// addKey adds the acronym itself, alone and with the year, wherever it is printed in one
// chunk, as a name of last resort.
func (g *gatherer) addKey(i int) {
	t := &g.texts[i]
	if t.last > t.block || !g.hasKey(t) {
		return
	}
	for k, c := range t.chunks {
		if c.is(capital|coined) && trimYear(t.s[c.from:c.to]) == g.key {
			g.add(i, k, k+1)
			if k+1 < len(t.chunks) && t.chunks[k+1].is(year) && t.chunks[k+1].gap == space {
				g.add(i, k, k+2)
			}
			return
		}
	}
}

func (g *gatherer) hasKey(t *text) bool { return g.key != "" && strings.Contains(t.s, g.key) }

// joinLines adds texts of lines that may be one name broken over them; they are made once.
func (d *document) joinLines() {
	n := len(d.texts)
	if d.joined == nil {
		d.makeJoined()
		d.joined = slices.Clone(d.texts[n:])
		return
	}
	d.texts = append(d.texts, d.joined...)
}

func (d *document) makeJoined() {
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
			if len(next.chunks) > 0 && next.chunks[0].dated {
				break
			}
			s, end = s+" "+next.s, next.block
			chunks = joinChunks(s, chunks, next.chunks, len(s)-len(next.s))
			d.texts = append(d.texts, text{s: s, source: t.source, level: t.level, block: t.block, last: end, order: t.order, chunks: chunks, shouted: shouted(chunks)})
		}
	}
}

// joinChunks returns the chunks of s if a space joins two lines. They are those before byte at-1
// and those of the line that begins at byte at.
func joinChunks(s string, before, behind []chunk, at int) []chunk {
	out := slices.Concat(before, behind)
	for i := range behind {
		c := &out[len(before)+i]
		c.from, c.to = c.from+at, c.to+at
	}
	if len(behind) > 0 {
		out[len(before)].gap = gapBefore(s, out, len(before))
	}
	return out
}

// cut adds what a text may hold between two of its borders.
func (g *gatherer) cut(i, starts int) {
	t := &g.texts[i]
	cs := t.chunks
	if len(cs) == 0 || len(cs) > 2*maxLine && t.source != element {
		return
	}
	limit := starts
	for from := 0; from < len(cs) && limit > 0; from++ {
		if !g.starts(t, from) {
			continue
		}
		limit--
		ends := maxEnds
		for to := from + 1; to <= min(len(cs), from+maxName) && ends > 0; to++ {
			if !g.ends(t, from, to) {
				continue
			}
			ends--
			g.add(i, from, to)
		}
		if to := len(cs); to <= from+maxName {
			g.add(i, from, to)
		}
	}
}

// starts reports whether a name may begin with chunk k.
func (g *gatherer) starts(t *text, k int) bool {
	if k == 0 {
		return true
	}
	c, before := t.chunks[k], t.chunks[k-1]
	switch {
	case c.gap >= closing:
		return true
	case c.dated:
		return false
	case before.is(year) || before.dated:
		return true
	case c.is(digits) && c.is(capital) && !c.is(year) && c.letters <= 5:
		return true // an ordinal
	}
	return c.is(capital) && before.is(lower) && !t.shouted
}

// ends reports whether a name from chunk from may end before chunk to.
func (g *gatherer) ends(t *text, from, to int) bool {
	cs := t.chunks
	if to == len(cs) {
		return true
	}
	last, next := cs[to-1], cs[to]
	if last.dated && !last.is(year) {
		return false
	}
	switch {
	case next.gap >= comma:
		return true
	case next.dated || next.is(year) || last.is(year):
		return true
	}
	return last.is(capital|coined) && next.is(lower) && g.leaves(cs, to)
}

// leaves reports whether the small words from chunk k on lead out of a name: more of
// them, or longer ones, than stand within names.
func (g *gatherer) leaves(cs []chunk, k int) bool {
	for n := 0; k < len(cs); n, k = n+1, k+1 {
		c := cs[k]
		if !c.is(lower) {
			return false
		}
		if n >= maxLinks || c.letters > maxLink || n > 0 && c.gap >= comma {
			return true
		}
	}
	return true
}

// runs adds the runs of capitalised words in a running text, and what an acronym in
// brackets or an address spells.
func (g *gatherer) runs(i int) {
	t := &g.texts[i]
	if t.shouted || t.last > t.block {
		return
	}
	cs, runs := t.chunks, 0
	for from := 0; from < len(cs) && runs < maxRuns; from++ {
		if !cs[from].is(capital|coined) || cs[from].dated || from > 0 && cs[from].gap < closing && cs[from-1].is(capital|coined) {
			continue
		}
		to := from + 1
		for to < len(cs) && to-from < maxName && cs[to].gap < atSign && (cs[to].is(capital|coined) || !g.leaves(cs, to)) {
			to++
		}
		g.sited(i, from, to)
		if to-from < 2 && !cs[from].is(coined) && !g.hasAddress(t, from) {
			continue
		}
		runs++
		g.addRun(i, from, to)
	}
}

// addRun adds a run and the ends and beginnings inside it.
func (g *gatherer) addRun(i, from, to int) {
	cs := g.texts[i].chunks
	starts := 4
	for a := from; a < to && starts > 0; a++ {
		if a > from && !g.starts(&g.texts[i], a) || cs[a].is(lower) {
			continue
		}
		starts--
		ends := 5
		for b := a + 1; b <= to && ends > 0; b++ {
			if b == to || cs[b].gap >= comma || cs[b-1].is(year) || cs[b].is(year) {
				ends--
				g.add(i, a, b)
			}
		}
	}
}

// hasAddress reports whether the address holds chunk k.
func (g *gatherer) hasAddress(t *text, k int) bool {
	return t.chunks[k].letters >= 4 && g.lower(t)[k].inSite
}

// sited adds words that the address writes as one: "Dam Days" at damdays.example.
func (g *gatherer) sited(i, from, to int) {
	t := &g.texts[i]
	if len(g.parts) == 0 || t.last > t.block {
		return
	}
	words := g.lower(t)
	for a := from; a < to; a++ {
		for b := a; b < min(to, a+5); b++ {
			joined := t.low[words[a].from:words[b].to]
			begins := false
			for _, p := range g.parts {
				begins = begins || strings.HasPrefix(p, joined)
				if p == joined && len(joined) >= 6 {
					if c := g.add(i, a, b+1); c != nil {
						c.sited = true
					}
				}
			}
			if !begins {
				break
			}
		}
	}
}

// add counts the chunks from from to to of text i as a candidate; nil if there is no
// room or they cannot be one.
func (g *gatherer) add(i, from, to int) *candidate {
	t := &g.texts[i]
	cs := t.chunks[from:min(to, len(t.chunks))]
	if len(cs) == 0 || len(cs) > maxName {
		return nil
	}
	begin, end := cs[0].from, cs[len(cs)-1].to
	running := t.source != element && t.source != heading && t.source != metadata
	for k, c := range cs {
		if c.dated || running && k > 0 && c.gap == sentence {
			return nil // a name holds no full date and no two sentences
		}
	}
	if end-begin > maxNameBytes || len(cs) == 1 && (cs[0].is(year) || cs[0].dated || cs[0].letters < 2) {
		return nil
	}
	if notName(t.s[begin:end]) {
		return nil
	}
	end = balanced(t.s, begin, end)
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
	if was := &g.texts[c.text]; was.block < 0 && t.block >= 0 || was.shouted && !t.shouted && t.block >= 0 {
		c.text, c.from, c.to, c.begin, c.end = i, from, to, begin, end
	}
	c.counts[t.source]++
	c.joined = c.joined || t.last > t.block
	starts := from == 0 || t.chunks[from].gap >= opening
	ends := to >= len(t.chunks) || t.chunks[to].gap >= opening
	switch {
	case from == 0 && to >= len(t.chunks):
		c.whole++
	case starts && ends:
		c.parts++
	}
	if t.source == element {
		c.titled |= 1<<4 | uint8(is(from == 0)) | uint8(is(to >= len(t.chunks)))<<1 | uint8(is(starts))<<2 | uint8(is(ends))<<3
	}
	if from == 0 {
		c.begins++
	}
	if to >= len(t.chunks) {
		c.ends++
	}
	if to < len(t.chunks) && t.chunks[to].gap == opening {
		if a := g.bracketed(t, to); a != "" && Spells(a, t.s[begin:cs[len(cs)-1].to]) {
			c.spelt++
		}
	}
	if from > 0 && t.chunks[from].gap >= opening {
		k := from - 1
		if t.chunks[k].is(year) && k > 0 {
			k--
		}
		if b := t.chunks[k]; b.is(shout|coined) && Spells(trimYear(t.s[b.from:b.to]), t.s[begin:end]) {
			c.spelt++
		}
	}
	return c
}

// newCandidate returns a candidate of some chunks; many share an allocation.
func (g *gatherer) newCandidate(cs []chunk) *candidate {
	if len(g.free) == 0 {
		g.free = make([]candidate, candidateBatch)
	}
	if len(g.hashes) < len(cs) {
		g.hashes = make([]uint32, candidateBatch*8+len(cs))
	}
	c := &g.free[0]
	c.words = g.hashes[:len(cs):len(cs)]
	g.free, g.hashes = g.free[1:], g.hashes[len(cs):]
	for k := range cs {
		c.words[k] = cs[k].hash
		c.mask |= 1 << (cs[k].hash & 63)
	}
	return c
}

const candidateBatch = 32

// bracketed returns the acronym that begins with chunk k in brackets, without year.
func (g *gatherer) bracketed(t *text, k int) string {
	c := t.chunks[k]
	if !c.is(shout|coined|digits) || c.to-c.from > maxAcronym {
		return ""
	}
	return trimYear(t.s[c.from:c.to])
}

// notName reports whether the marks of a text exclude a name. It holds an address, a copyright
// notice or a drawn line, or closes a bracket that opens before it.
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

// endsMark reports whether s ends in a mark of an address, a copyright notice or a drawn line.
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

// balanced returns the end of s[begin:end] with the brackets and the quotation mark that close
// after it.
func balanced(s string, begin, end int) int {
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

// printed returns the text of a candidate.
func (d *document) printed(c *candidate) string {
	s := d.texts[c.text].s[c.begin:c.end]
	if strings.Count(s, "(") > strings.Count(s, ")") {
		if at := strings.LastIndexByte(s, '('); at > 0 {
			s = strings.TrimRight(s[:at], " ")
		}
	}
	return s
}
