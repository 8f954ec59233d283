package features

import (
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
)

// A scope is a part of the page in which cues are counted separately. A menu with a link to the
// call is not a call, and the title usually describes the page.
type scope uint8

const (
	inContent  scope = iota // outside menus
	inHeadings              // h1 to h6
	inTitle                 // the title and the first headings
	inLead                  // the first words of the content
	inMenu                  // blocks that are mostly links, and navigation
	inURL                   // the page's own address
	numScopes
)

var scopeNames = [numScopes]string{"content", "headings", "title", "lead", "menu", "url"}

// Sizes of the scopes.
const (
	leadWords     = 100
	titleHeadings = 3
)

// shareName is the suffix of the feature for a cue's fraction of all words of the content. There is
// another feature for its count.
const shareName = "share"

// structureNames are the dense features in vector order. They are those of the page, its links and
// its mail, then the cues by scope. Counts n enter as log(1+n) over the log of a number that few
// pages exceed, so all lie in [0, 1] or little above.
var structureNames = nameStructure()

func nameStructure() []string {
	names := slices.Concat(pageNames[:], shapeNames[:], linkNames[:], markupNames, mailNames[:])
	for _, s := range append(scopeNames[:], shareName) {
		for _, c := range cues {
			names = append(names, s+"_"+c.name)
		}
	}
	return names
}

var pageNames = [...]string{
	"words", "menu_words", "menu_share", "blocks", "block_words", "items", "cells", "tables", "headings", "lines", "paragraphs",
	"long_blocks", "long_share", "stop_word_share", "foreign_share",
	"dates", "due_dates", "due_blocks", "date_block_share", "due_block_share", "first_due", "first_call",
	"years", "year_mentions", "main_year_share", "repeated_blocks", "repeated_share", "mail_addresses", "link_text_share",
}

// pageCounts collects the counts for the dense features.
type pageCounts struct {
	dates                               dateCounts
	shape                               shapeCounts
	mail                                mailCounts
	cues                                cueCounter
	found                               [numScopes][len(cues)]int32
	words, menuWords, stopWords         int
	blocks, menuBlocks, items, cells    int
	tables, headings, lines, paragraphs int
	longBlocks, longBytes, bytes        int
	linkBytes                           int // length in bytes of the text of links
	foreign                             int // letters beyond ASCII
	addresses                           int
	dateBlocks, dueBlocks               int
	firstDue, firstCall                 int             // word numbers in the content, from 1; 0: not found
	alike                               map[string]*int // number of blocks by pattern of their path
	pattern                             []byte          // buffer
	lastPath                            string          // of the last block that was counted
	alikeLast                           *int            // number of blocks with its pattern
}

// addWord counts one word of the current block.
func (c *pageCounts) addWord(w *word) {
	c.words++
	if w.term == "" {
		c.stopWords++
	}
}

// longBlock is the length in bytes from which a block is running text.
const longBlock = 200

// addBlock counts a block of visible text whose words have been counted since wordsBefore. If menu is set,
// the block belongs to a menu.
func (c *pageCounts) addBlock(b tagtree.Block, wordsBefore int, menu bool) {
	c.mail.addBlock(b)
	c.addKind(b)
	c.blocks++
	c.bytes += len(b.Text)
	c.linkBytes += b.Linked
	c.addresses += strings.Count(b.Text, "@")
	if !text.IsASCII(b.Text) {
		for i := range len(b.Text) {
			if b.Text[i] >= 0xC0 { // the first byte of a rune beyond ASCII
				c.foreign++
			}
		}
	}
	dates, due := c.dates.endBlock()
	if dates {
		c.dateBlocks++
	}
	if due {
		c.dueBlocks++
	}
	switch content := c.words - c.menuWords; {
	case menu:
		c.menuBlocks++
		c.menuWords += c.words - wordsBefore
		c.addCues(inMenu)
	default:
		c.shape.addBlock(b.Text)
		if len(b.Text) > longBlock {
			c.longBlocks++
			c.longBytes += len(b.Text)
		}
		if due && c.firstDue == 0 {
			c.firstDue = content
		}
		if c.firstCall == 0 && slices.Contains(c.cues.found, callCue) {
			c.firstCall = content
		}
		c.addContent(b, content-(c.words-wordsBefore))
	}
	c.cues.found = c.cues.found[:0] // phrases may continue in the next block
}

// callCue is the number of the cue for calls.
const callCue = 0

// addContent counts the cues of a block outside menus; wordsBefore is the number of words before it.
func (c *pageCounts) addContent(b tagtree.Block, wordsBefore int) {
	c.addCues(inContent)
	if wordsBefore < leadWords {
		c.addCues(inLead)
	}
	if b.Kind == tagtree.Heading {
		c.addCues(inHeadings)
		if c.headings <= titleHeadings {
			c.addCues(inTitle)
		}
	}
	c.countPath(b.Path)
}

// countPath counts the pattern of a path. It is often that of the block before.
func (c *pageCounts) countPath(path string) {
	if c.alikeLast == nil || !haveSamePattern(c.lastPath, path) {
		c.pattern = appendPattern(c.pattern[:0], path)
		if c.alike == nil {
			c.alike = make(map[string]*int)
		}
		c.alikeLast = c.alike[string(c.pattern)]
		if c.alikeLast == nil {
			c.alikeLast = new(int)
			c.alike[string(c.pattern)] = c.alikeLast
		}
	}
	c.lastPath = path
	*c.alikeLast++
}

// haveSamePattern reports whether two paths differ only in numbers. For paths with odd characters it may
// return false although they do.
func haveSamePattern(a, b string) bool {
	for {
		n := text.SharedPrefix(a, b)
		if n == len(a) && n == len(b) {
			return true
		}
		if strings.LastIndexByte(a[:n], '[') <= strings.LastIndexByte(a[:n], ']') {
			return false // they differ in a name
		}
		i, j := strings.IndexByte(a[n:], ']'), strings.IndexByte(b[n:], ']')
		if i < 0 || j < 0 {
			return false
		}
		a, b = a[n+i:], b[n+j:]
	}
}

// addCues adds the cues of the current run to a scope.
func (c *pageCounts) addCues(s scope) {
	for _, cue := range c.cues.found {
		c.found[s][cue]++
	}
}

// addRun counts the cues of a run of text that is not a block: a title, an address.
func (c *pageCounts) addRun(s scope) {
	c.addCues(s)
	c.cues.beginRun()
}

func (c *pageCounts) addKind(b tagtree.Block) {
	switch b.Kind {
	case tagtree.Item:
		c.items++
	case tagtree.Cell, tagtree.HeadCell:
		c.cells++
	case tagtree.Heading:
		c.headings++
	case tagtree.Line:
		c.lines++
	default:
		c.paragraphs++
	}
	c.tables = max(c.tables, b.Table)
}

// isMenu reports whether a block of an area of this kind is for navigation. Most of it is link
// text, or the area is a navigation area.
func isMenu(b tagtree.Block, area tagtree.AreaKind) bool {
	return area == tagtree.Navigation || 2*b.Linked > len(b.Text)
}

// appendPattern appends a tag path without numbers, which is common to the blocks of a list.
func appendPattern(b []byte, path string) []byte {
	n := len(b)
	b = slices.Grow(b, len(path))[:n+len(path)]
	skip := false
	for i := range len(path) {
		switch c := path[i]; {
		case c == '[':
			skip = true
		case c == ']':
			skip = false
		case !skip:
			b[n] = c
			n++
		}
	}
	return b[:n]
}

// reset prepares c for another page. It keeps the buffers.
func (c *pageCounts) reset() {
	alike, pattern, found, buf := c.alike, c.pattern[:0], c.cues.found[:0], c.shape.buf
	if len(alike) > maxKept {
		alike = nil
	}
	clear(alike)
	*c = pageCounts{alike: alike, pattern: pattern}
	c.cues.found, c.shape.buf = found, buf
}

// appendFeatures appends the dense features to out; t is nil for a text without links.
func (c *pageCounts) appendFeatures(out []float64, t *tagtree.Tree) []float64 {
	out = slices.Grow(out, len(structureNames))
	out = append(out, c.pageFeatures()...)
	out = append(out, c.shape.featureValues(c.blocks)...)
	out = append(out, linkFeatures(t, c.words)...)
	out = append(out, markupFeatures(t)...)
	mail := c.mail.featureValues()
	out = append(out, mail[:]...)
	for s := range c.found {
		most := 10
		if scope(s) == inContent {
			most = 50
		}
		for _, n := range c.found[s] {
			out = append(out, scaledCount(int(n), most))
		}
	}
	content := c.words - c.menuWords
	for _, n := range c.found[inContent] {
		out = append(out, math.Min(1, 20*float64(n)/float64(content+50)))
	}
	return out
}

func (c *pageCounts) pageFeatures() []float64 {
	content, blocks := c.words-c.menuWords, c.blocks-c.menuBlocks
	repeated := 0
	for _, n := range c.alike {
		repeated = max(repeated, *n)
	}
	mentions, most := c.dates.yearMentions()
	return []float64{
		scaledCount(content, 3000), scaledCount(c.menuWords, 500), fraction(c.menuWords, c.words), scaledCount(c.blocks, 500),
		scaledCount(content/max(1, blocks), 100), scaledCount(c.items, 100), scaledCount(c.cells, 200), scaledCount(c.tables, 10),
		scaledCount(c.headings, 30), scaledCount(c.lines, 300), scaledCount(c.paragraphs, 200),
		scaledCount(c.longBlocks, 50), fraction(c.longBytes, c.bytes), fraction(c.stopWords, c.words), math.Min(1, fraction(c.foreign, c.bytes)),
		scaledCount(c.dates.dates, 50), scaledCount(c.dates.due, 20), scaledCount(c.dueBlocks, 50), fraction(c.dateBlocks, c.blocks),
		fraction(c.dueBlocks, c.blocks), fraction(c.firstDue, content), fraction(c.firstCall, content),
		scaledCount(bits.OnesCount64(c.dates.years), 15), scaledCount(mentions, 100), fraction(most, mentions),
		scaledCount(repeated, 100), fraction(repeated, c.blocks), scaledCount(c.addresses, 20),
		fraction(c.linkBytes, c.bytes), // 1/(1+LTR), the Link to Text Ratio of papers 000 and 001, section 4
	}
}

func scaledCount(n, most int) float64 {
	if n == 0 { // most features of most pages and texts
		return 0
	}
	return logOf(n) / logOf(most)
}

// logs holds log(1 + n) for small n.
var logs = func() (values [512]float64) {
	for n := range values {
		values[n] = math.Log1p(float64(n))
	}
	return values
}()

// logOf returns log(1 + n).
func logOf(n int) float64 {
	if n >= 0 && n < len(logs) { // as nearly all are
		return logs[n]
	}
	return math.Log1p(float64(n))
}

func fraction(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// markupNames are the features of how a page was made, in vector order.
var markupNames = nameMarkup()

func nameMarkup() []string {
	names := []string{"elements", "feeds", "is_article", "has_generator"}
	for _, e := range tagtree.MarkupElements() {
		names = append(names, "element_"+e)
	}
	for _, c := range tagtree.MarkupClasses() {
		names = append(names, "class_"+c)
	}
	return names
}

// markupFeatures returns the features of how a page was made. For plain text, t is nil.
func markupFeatures(t *tagtree.Tree) []float64 {
	if t == nil {
		return make([]float64, len(markupNames))
	}
	m := t.Markup()
	out := []float64{scaledCount(m.All, 2000), scaledCount(m.Feeds, 3), oneIfTrue(m.Article), oneIfTrue(m.Generator)}
	for _, n := range m.Elements {
		out = append(out, scaledCount(n, 100))
	}
	for _, n := range m.Classes {
		out = append(out, scaledCount(n, 50))
	}
	return out
}
