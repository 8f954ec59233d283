package clip

import (
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
)

// A page is the state of cutting clips from a page.
type page struct {
	*Extractor
	tree   *tagtree.Tree
	blocks []tagtree.Block
	areas  *tagtree.Analysis
	match  *matcher
	hits   int // number of occurrences examined
	clips  []Clip
	seen   map[string]bool  // summaries of the clips so far
	follow map[int][]string // terms by link
	styles []string         // style of each block, computed when first needed
	weight map[string]int   // bytes of text by style
}

const (
	maxRun     = 256 << 10 // bytes read of a text that has no blocks
	minPassage = 25        // minimum length of a passage, in bytes
	minProse   = 5         // minimum number of words outside links in a sentence that is more than a link
)

// findKeywords calls f with the occurrences of keywords in an area.
func (p *page) findKeywords(area int, f func(keywordHit)) {
	forEachTextRun(p.blocks, p.areas.Areas[area].Blocks, func(from, to int) {
		if p.hits >= maxHits {
			return
		}
		p.match.findTerms(p.textOfBlocks(from, to), p.blocks[from].Start, func(h keywordHit) {
			if p.hits++; p.hits <= maxHits {
				f(h)
			}
		})
	})
}

// textOfBlocks returns the text of some blocks, at most maxRun bytes.
func (p *page) textOfBlocks(from, to int) string {
	return text.CutBytes(p.tree.Text()[p.blocks[from].Start:endOf(p.blocks[to-1])], maxRun)
}

func endOf(b tagtree.Block) int { return b.Start + len(b.Text) }

// cutClips cuts the clips of an informational area.
func (p *page) cutClips(area int) {
	var hits, nots []keywordHit
	p.findKeywords(area, func(h keywordHit) {
		if h.not {
			nots = append(nots, h)
		} else {
			hits = append(hits, h)
		}
	})
	if len(hits) == 0 {
		return
	}
	around := make([]int, len(hits))
	for i, h := range hits {
		around[i] = p.blockAt(h.start)
	}
	s := p.splitIntoSentences(area, around)
	hits = p.usefulHits(hits, s)
	told := make(map[*keyword]*keywordState)
	for i := 0; i < len(hits) && len(p.clips) < p.o.MaxClips; {
		at := s.sentenceAt(hits[i].start, hits[i].end)
		w := s.passageAround(at)
		same, end := i, i
		for ; end < len(hits) && hits[end].end <= s.byteRange(w).End; end++ {
			if hits[end].end <= s.spans[at].End {
				same = end + 1
			}
		}
		news := p.keywordsOfClip(hits[i:same], at, w, p.excludedLists(nots, s.byteRange(w)), told)
		p.makeClip(area, s, w, slices.DeleteFunc(slices.Clone(hits[i:end]), func(h keywordHit) bool { return !news[h.keyword] }))
		i = same
	}
}

// usefulHits returns the hits within a sentence that are useful. It leaves out hits in the text of a
// link that merely leads to an article, which is followed, and in a heading whose section also
// holds the keyword.
func (p *page) usefulHits(hits []keywordHit, s sentenceList) (kept []keywordHit) {
	below := make(map[*keyword]bool) // keywords between here and the next heading
	section, last, prose := -1, -1, 0
	for _, h := range slices.Backward(hits) {
		at := s.sentenceAt(h.start, h.end)
		if at < 0 {
			continue
		}
		if at != last {
			last, prose = at, p.proseWords(s.spans[at])
		}
		if link := p.linkAt(h.start, h.end); link >= 0 && prose < minProse {
			p.followLink(link, h.term)
			continue
		}
		if s.sections[at] != section {
			section = s.sections[at]
			clear(below)
		}
		if s.headings[at] && below[h.keyword] {
			continue
		}
		below[h.keyword] = true
		kept = append(kept, h)
	}
	slices.Reverse(kept)
	return kept
}

// A keywordState is the state of one keyword in an area.
type keywordState struct {
	clips int
	until int // index of the sentence up to which the last clip extends
}

// keywordsOfClip returns the keywords among a sentence's hits that make a clip. They are not excluded, not in
// the previous clip, and not yet in the maximum number of clips.
func (p *page) keywordsOfClip(hits []keywordHit, at int, w tagtree.Range, excluded map[int]bool, told map[*keyword]*keywordState) map[*keyword]bool {
	news := make(map[*keyword]bool)
	for _, h := range hits {
		t := told[h.keyword]
		switch {
		case excluded[h.list] || news[h.keyword]:
			continue
		case t == nil:
			t = &keywordState{}
			told[h.keyword] = t
		case t.until > at || t.clips >= p.o.PerArea:
			continue
		}
		t.clips++
		t.until = w.End
		news[h.keyword] = true
	}
	return news
}

// excludedLists returns the lists that a word in a passage excludes it from.
func (p *page) excludedLists(nots []keywordHit, passage tagtree.Span) map[int]bool {
	lists := make(map[int]bool)
	for _, n := range nots[sort.Search(len(nots), func(i int) bool { return nots[i].start >= passage.Start }):] {
		if n.start >= passage.End {
			break
		}
		lists[n.list] = true
	}
	return lists
}

// makeClip makes a clip of the sentences w, if they are long enough and new.
func (p *page) makeClip(area int, s sentenceList, w tagtree.Range, hits []keywordHit) {
	if len(hits) == 0 || !slices.Contains(s.headings[w.Start:w.End], false) {
		return // a heading alone is not a passage
	}
	first := hits[0]
	summary := p.summarize(s, w, tagtree.Span{Start: first.start, End: first.end})
	if len(summary) < minPassage || p.seen[summary] {
		return
	}
	p.seen[summary] = true
	block := p.blockAt(first.start)
	title, at := p.titleFor(block, area, s)
	span := s.byteRange(w)
	c := Clip{Title: title, Summary: summary, Path: p.blocks[block].Path, Start: span.Start, End: span.End}
	for _, h := range hits {
		c.Keywords = append(c.Keywords, Match{List: p.o.Lists[h.list].Name, Term: h.term, Start: h.start, End: h.end})
	}
	p.clips = append(p.clips, c)
	terms := c.DistinctMatches()
	p.followWithin(span, terms)
	if at >= 0 && p.isTeaser(at, block) {
		p.followWithin(tagtree.Span{Start: p.blocks[at].Start, End: endOf(p.blocks[at])}, terms)
	}
}

// blockAt returns the block that holds a byte of the text, or -1.
func (p *page) blockAt(offset int) int {
	i := sort.Search(len(p.blocks), func(i int) bool { return p.blocks[i].Start > offset }) - 1
	if i < 0 || offset < 0 || offset >= endOf(p.blocks[i]) {
		return -1
	}
	return i
}

// summarize joins sentences into a line of at most MaxSummary runes. It starts with the one that
// holds the keyword, then adds those after and before it as long as they fit.
func (p *page) summarize(s sentenceList, w tagtree.Range, key tagtree.Span) string {
	at := s.sentenceAt(key.Start, key.End)
	core := p.tree.Text()[s.spans[at].Start:s.spans[at].End]
	core = excerptAround(core, key.Start-s.spans[at].Start, p.o.MaxSummary)
	for i := at + 1; i < w.End; i++ {
		joined := joinSentences(core, p.sentenceText(s, i))
		if utf8.RuneCountInString(joined) > p.o.MaxSummary {
			break
		}
		core = joined
	}
	for i := at - 1; i >= w.Start; i-- {
		joined := joinSentences(p.sentenceText(s, i), core)
		if utf8.RuneCountInString(joined) > p.o.MaxSummary {
			break
		}
		core = joined
	}
	return core
}

func (p *page) sentenceText(s sentenceList, i int) string {
	return foldSpaces(p.tree.Text()[s.spans[i].Start:s.spans[i].End])
}

// joinSentences concatenates two sentences, with a dot between them if the first has no end of its own: list
// items, cells, headings.
func joinSentences(a, b string) string {
	last, _ := utf8.DecodeLastRuneInString(a)
	switch {
	case a == "":
		return b
	case b == "":
		return a
	case strings.ContainsRune(".!?:;,。！？؟۔।”\")", last):
		return a + " " + b
	}
	return a + " · " + b
}

const (
	maxTitleWords = 10  // words of a title found by its markup (paper 000, section 4.1)
	maxTitle      = 200 // runes of any title
	nearHeading   = 200 // maximum number of blocks under a heading
	teaserBlocks  = 3   // blocks between a teaser and the link above it
	nearStyle     = 10  // blocks between a passage and a title known by its style
	rareStyle     = 5   // a style is rare on at most one fifth of the page's text
)

// titleFor returns a title for a block. It is the nearest heading before, else a short block near by
// in a rare style, else the first sentence of the area. Of a longer heading the first words are
// used. It also returns the block of the title, or -1.
func (p *page) titleFor(block, area int, s sentenceList) (string, int) {
	for i := block; i >= max(0, block-nearHeading); i-- {
		switch {
		case p.blocks[i].Kind != tagtree.Heading || p.isNavigation(i) && !p.isTeaser(i, block):
		case p.tree.Root() == nil: // the line "Subject: …" of a mail is the title
			return firstWords(withoutDecoration(p.tree.Title())), i
		default:
			return firstWords(withoutDecoration(p.blocks[i].Text)), i
		}
	}
	first := max(p.areas.Areas[area].Blocks.Start-1, block-nearStyle, 0)
	for i := block; i >= first; i-- {
		if p.isTitle(i, block) {
			return shortenToRunes(withoutDecoration(p.blocks[i].Text), maxTitle), i
		}
	}
	return shortenToRunes(withoutDecoration(p.sentenceText(s, 0)), maxTitle), -1
}

func (p *page) isNavigation(block int) bool {
	return p.areas.Areas[p.areas.AreaOfBlock(block)].Kind == tagtree.Navigation
}

// isTeaser reports whether a heading is a link whose teaser is the text just below it.
func (p *page) isTeaser(heading, block int) bool {
	b := p.blocks[heading]
	return block-heading <= teaserBlocks && 2*b.Linked > len(b.Text)
}

// withoutDecoration returns a title without the asterisks and lines around it in plain text.
func withoutDecoration(s string) string {
	if !hasWords(s) {
		return s
	}
	return strings.TrimRight(strings.TrimLeft(s, "*=_~#-|+•>»? "), "*=_~-| ")
}

func firstWords(s string) string {
	fields := strings.Fields(s)
	if len(fields) > maxTitleWords {
		s = strings.Join(fields[:maxTitleWords], " ") + "…"
	}
	return shortenToRunes(s, maxTitle)
}

// isTitle reports whether block i is a title of block of. It must be short and in a style that is
// marked, rare, and different from that of block of.
func (p *page) isTitle(i, of int) bool {
	b := p.blocks[i]
	if n := countWords(b.Text); n == 0 || n > maxTitleWords || b.Kind == tagtree.Line || p.isNavigation(i) {
		return false
	}
	p.readStyles()
	style := p.styles[i]
	return strings.ContainsAny(style, ".[ ") && p.weight[style]*rareStyle <= len(p.tree.Text()) && (i == of || style != p.styles[of])
}

// readStyles finds the style of each block, and how much text has each.
func (p *page) readStyles() {
	if p.weight != nil {
		return
	}
	p.weight = make(map[string]int)
	p.styles = make([]string, len(p.blocks))
	for i, b := range p.blocks {
		p.styles[i] = p.tree.Style(i)
		p.weight[p.styles[i]] += len(b.Text)
	}
}
