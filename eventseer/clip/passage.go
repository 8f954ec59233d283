package clip

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
)

// A sentenceList is the list of sentences of an area, in order.
type sentenceList struct {
	spans    []tagtree.Span
	headings []bool // true for sentences that are headings
	sections []int  // number of headings up to each sentence
	section  int
}

// besideHit is the number of blocks on either side of a keyword that are split into sentences, the
// most expensive step.
const besideHit = 3

// splitIntoSentences splits an area into sentences: its first block and the blocks around some others, which are
// in order. Blocks end sentences, except for the lines of wrapped plain text and short cells of one
// table row, which form one.
func (p *page) splitIntoSentences(area int, around []int) (s sentenceList) {
	blocks := p.areas.Areas[area].Blocks
	near := func(from, to int) bool {
		i, _ := slices.BinarySearch(around, from-besideHit)
		return from == blocks.Start || i < len(around) && around[i] < to+besideHit
	}
	for from := blocks.Start; from < blocks.End; {
		if to := p.tableRowEnd(from, blocks.End); to > from+1 {
			if near(from, to) {
				s.add(tagtree.Span{Start: p.blocks[from].Start, End: endOf(p.blocks[to-1])}, false)
			}
			from = to
			continue
		}
		forEachTextRun(p.blocks, tagtree.Range{Start: from, End: from + 1 + p.followingLines(from, blocks.End)}, func(a, b int) {
			heading := p.blocks[a].Kind == tagtree.Heading
			if heading {
				s.section++
			}
			if near(a, b) && !p.isButton(a) {
				p.addSentencesOfBlocks(&s, a, b, heading)
			}
			from = b
		})
	}
	return s
}

// addSentencesOfBlocks adds the sentences of some blocks.
func (p *page) addSentencesOfBlocks(s *sentenceList, from, to int, heading bool) {
	for _, span := range p.sentences.splitSentences(p.textOfBlocks(from, to), p.blocks[from].Start, nil) {
		if hasWords(p.tree.Text()[span.Start:span.End]) { // skip lines of asterisks and the like
			s.add(span, heading)
		}
	}
}

// isButton reports whether a block is a link without content: "read more".
func (p *page) isButton(i int) bool {
	b := p.blocks[i]
	return b.Kind != tagtree.Heading && b.Linked == len(b.Text) && countWords(b.Text) < buttonWords
}

// buttonWords is the minimum number of words of a link alone in its block to be read.
const buttonWords = 3

// followingLines returns how many lines of plain text follow the one at from.
func (p *page) followingLines(from, end int) int {
	n := 0
	for from+n+1 < end && p.blocks[from+n].Kind == tagtree.Line {
		n++
	}
	return n
}

// maxRow is the maximum size in bytes of table rows that are read as one sentence; longer ones are
// layout.
const maxRow = 200

// tableRowEnd returns the end of the cells from one on that form a short table row, or a term with its
// definition.
func (p *page) tableRowEnd(from, end int) int {
	a := p.blocks[from]
	if from > 0 && sameRow(a, p.blocks[from-1]) {
		return from + 1 // the rest of a long row
	}
	to := from + 1
	for to < end && (sameRow(a, p.blocks[to]) || p.blocks[to-1].Kind == tagtree.Term && p.blocks[to].Kind == tagtree.Definition) {
		if endOf(p.blocks[to])-a.Start > maxRow {
			return from + 1
		}
		to++
	}
	return to
}

func sameRow(a, b tagtree.Block) bool { return a.Table > 0 && a.Table == b.Table && a.Row == b.Row }

func (s *sentenceList) add(span tagtree.Span, heading bool) {
	s.spans = append(s.spans, span)
	s.headings = append(s.headings, heading)
	s.sections = append(s.sections, s.section)
}

// sentenceAt returns the sentence that contains a range of bytes, or -1.
func (s sentenceList) sentenceAt(start, end int) int {
	i := sort.Search(len(s.spans), func(i int) bool { return s.spans[i].End > start })
	if i < len(s.spans) && s.spans[i].Start <= start && end <= s.spans[i].End {
		return i
	}
	return -1
}

// byteRange returns the byte range of sentences in the text.
func (s sentenceList) byteRange(r tagtree.Range) tagtree.Span {
	return tagtree.Span{Start: s.spans[r.Start].Start, End: s.spans[r.End-1].End}
}

// passageAround returns the sentences of the passage around one: the one before, it, and the one after. A
// heading before it would repeat the title, one after it belongs to another passage; after a
// heading with a keyword come two sentences.
func (s sentenceList) passageAround(i int) tagtree.Range {
	w := tagtree.Range{Start: i, End: i + 1}
	after := 1
	if s.headings[i] {
		after = 2
	} else if i > 0 && !s.headings[i-1] {
		w.Start--
	}
	for ; after > 0 && w.End < len(s.spans) && !s.headings[w.End]; after-- {
		w.End++
	}
	return w
}

// hasWords reports whether s has more than punctuation.
func hasWords(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

func countWords(s string) int { return len(strings.Fields(s)) }

// fitsRunes reports whether s has at most n runes. It does not count the runes of a much longer text.
func fitsRunes(s string, n int) bool {
	return len(s) <= utf8.UTFMax*n && utf8.RuneCountInString(s) <= n
}

// shortenToRunes returns s, cut at a word to at most n runes with "…" at its end.
func shortenToRunes(s string, n int) string {
	if fitsRunes(s, n) {
		return s
	}
	return strings.TrimRight(cutEnd(s, n-1), " ,;:") + "…"
}

// cutEnd returns at most n runes of s, cut at a space if there is one.
func cutEnd(s string, n int) string {
	cut := text.CutRunes(s, max(0, n))
	if i := strings.LastIndexAny(cut, " \n"); len(cut) < len(s) && i > len(cut)/2 {
		return cut[:i]
	}
	return cut
}

// excerptAround returns s in one line, or if that is longer than n runes, the part around byte at.
func excerptAround(s string, at, n int) string {
	if fitsRunes(s, n) {
		return foldSpaces(s)
	}
	return cutAround(s, at, n)
}

// cutAround returns a line of at most n runes of s around byte at, a third of
// them before it.
func cutAround(s string, at, n int) string {
	from := at
	for left := n / 3; left > 0 && from > 0; left-- {
		_, size := utf8.DecodeLastRuneInString(s[:from])
		from -= size
	}
	if i := strings.IndexAny(s[from:at], " \n"); from > 0 && i >= 0 {
		from += i + 1
	}
	if from == 0 {
		return shortenToRunes(foldSpaces(cutEnd(s, 2*n)), n)
	}
	return "…" + shortenToRunes(foldSpaces(cutEnd(s[from:], 2*n)), n-1)
}
