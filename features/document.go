package features

import (
	"slices"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/features/tagtree"
)

// The blocks of a document that a Vectorizer may read. Each has its own terms
// in a vocabulary: "title:call" is not "body:call".
const (
	Body      = "body"      // the visible text
	Title     = "title"     // the page's title
	Headings  = "headings"  // the text of h1 to h6
	URL       = "url"       // host labels and path segments
	Menu      = "menu"      // the text of menus: of blocks that are mostly links, and of navigation
	Chars     = "chars"     // runs of three to five characters within the stems of the body
	Anchors   = "anchors"   // the texts of links on other pages to this one
	Structure = "structure" // dense features of the page, see structureNames
	Link      = "link"      // dense features of a link, see linkFeatureNames
	Context   = "context"   // dense features from model predictions for a page and its links, see Reach
)

// blockNames are the names of blocks in the order of their numbers in vocabularies and files.
var blockNames = [...]string{Body, Title, Headings, URL, Menu, Chars, Anchors, Structure, Link, Context}

// BlockNames returns the names of the blocks of pages, in vocabulary order.
func BlockNames() []string { return slices.Clone(blockNames[:textBlocks+1]) }

const (
	bodyBlock = iota
	titleBlock
	headingsBlock
	urlBlock
	menuBlock
	charsBlock // computed from the body when needed
	anchorsBlock
	textBlocks // number of text blocks; the dense blocks follow
)

// Indexes into denseBlocks.
const (
	structureBlock = iota
	linkBlock
	contextBlock
)

// A denseBlock is a block of features that every document has.
type denseBlock struct {
	names    []string
	features string // name of its features in messages
}

var denseBlocks = [...]denseBlock{
	structureBlock: {structureNames, "structure features"},
	linkBlock:      {linkFeatureNames, "link features"},
	contextBlock:   {contextNames, "features of the context"},
}

// maxTokens bounds the tokens of one block of a document.
const maxTokens = 200_000

// A Document is the input of a Vectorizer for a page or a link, usable by several of them. It has
// the terms in order, by block, and the dense features. It is read-only and safe for concurrent
// use.
type Document struct {
	language language
	terms    []string
	hashes   []uint32            // of terms, see hashTerm
	sequence [textBlocks][]int32 // indices into terms; -1 separates runs of text
	bags     [textBlocks][]count // what sequence holds
	// dense are the non-zero features of denseBlocks. Link features are only set in a link's
	// document, context features only by WithReach.
	dense [len(denseBlocks)]Vector
}

// Read returns the document of a page. The argument anchors holds the texts of known links to it.
func Read(t *tagtree.Tree, anchors ...string) *Document {
	r := newReader(languageOf(t.Text(), t.Lang()))
	r.addTitle(t.Title())
	analysis := t.Analysis()
	for i, b := range t.Blocks() {
		from := len(r.sequence[bodyBlock])
		menu := isMenu(b, analysis.Areas[analysis.AreaOfBlock(i)].Kind)
		r.readBlock(b, menu)
		words := r.sequence[bodyBlock][from:]
		if b.Kind == tagtree.Heading {
			r.sequence[headingsBlock] = append(r.sequence[headingsBlock], words...)
		}
		if menu {
			r.sequence[menuBlock] = append(r.sequence[menuBlock], words...)
		}
	}
	r.addURL(t.Page.URL)
	r.addAnchors(anchors)
	return r.finishDocument(t)
}

// ReadText returns the document of a plain text, read line by line.
func ReadText(s string) *Document {
	r := newReader(languageOf(s, ""))
	for line := range strings.SplitSeq(s, "\n") {
		r.readBlock(tagtree.Block{Kind: tagtree.Line, Text: strings.TrimSpace(line)}, false)
	}
	return r.finishDocument(nil)
}

// A reader makes documents, one after the other.
type reader struct {
	language  language
	tokenizer tokenizer
	index     termIndex
	sequence  [textBlocks][]int32 // as in a Document
	places    []int32             // of each term in bag, all zero
	bag       []count
	values    []float64 // of dense features
	page      pageCounts
	path      string // of the last block
}

// termsOfPage is the number of distinct terms of a usual page.
const termsOfPage = 256

// readers are used again, because to grow their buffers takes longer than to copy what a document needs.
var readers = sync.Pool{New: func() any { return &reader{index: newTermIndex(termsOfPage)} }}

// newReader returns a reader for a text of a language.
func newReader(l language) *reader {
	r := readers.Get().(*reader)
	r.language, r.tokenizer.language = l, l.latinLanguage()
	return r
}

// addTitle reads the page's title.
func (r *reader) addTitle(s string) {
	r.page.mail.addTitle(s)
	r.tokenizer.forEachToken(s, func(t token) {
		if t.word != nil {
			r.addWord(titleBlock, t.word)
		}
	})
	r.page.addRun(inTitle)
}

// addAnchors reads the texts of links to the page.
func (r *reader) addAnchors(texts []string) {
	for _, s := range texts {
		r.endRun(anchorsBlock)
		r.tokenizer.forEachToken(s, func(t token) {
			if t.word != nil && t.word.term != "" {
				r.addTerm(anchorsBlock, t.word.term, t.word.hash)
			}
		})
	}
}

// addWord adds a word to a block, and to the cues of the current run.
func (r *reader) addWord(block int, w *word) {
	r.page.cues.addWord(w)
	if w.term != "" {
		r.addTerm(block, w.term, w.hash)
	}
}

// readBlock adds a block of the page to the body and counts its structure. Lines of one paragraph are
// one run, because phrases continue across line ends.
func (r *reader) readBlock(b tagtree.Block, menu bool) {
	if b.Kind != tagtree.Line || b.Path != r.path {
		r.endRun(bodyBlock)
		r.page.cues.beginRun()
	}
	r.path = b.Path
	before := r.page.words
	r.tokenizer.forEachToken(b.Text, func(t token) {
		if t.word == nil {
			r.page.dates.addNumber(t)
			return
		}
		r.page.dates.addWord(t.word)
		r.page.addWord(t.word)
		r.addWord(bodyBlock, t.word)
	})
	r.page.addBlock(b, before, menu)
}

// addTerm appends a term with a hash to a block.
func (r *reader) addTerm(block int, term string, hash uint32) {
	if seq := &r.sequence[block]; len(*seq) < maxTokens {
		*seq = append(*seq, int32(r.index.add(term, hash)))
	}
}

// endRun separates two runs of text of a block.
func (r *reader) endRun(block int) {
	seq := &r.sequence[block]
	if n := len(*seq); n > 0 && n < maxTokens && (*seq)[n-1] >= 0 {
		*seq = append(*seq, -1)
	}
}

// newDocument returns a document of the terms read, and removes them from r.
func (r *reader) newDocument() *Document {
	d := &Document{language: r.language, terms: slices.Clone(r.index.terms), hashes: slices.Clone(r.index.hashes)}
	r.places = append(r.places, make([]int32, max(0, len(d.terms)-len(r.places)))...)
	all := slices.Concat(r.sequence[:]...)
	for block, sequence := range r.sequence {
		if n := len(sequence); n > 0 {
			d.sequence[block], all = all[:n:n], all[n:]
			r.bag = countTerms(r.bag[:0], sequence, r.places)
			d.bags[block] = slices.Clone(r.bag)
		}
		r.sequence[block] = keptBuffer(sequence)
	}
	if len(r.places) > maxKept {
		r.places, r.bag = nil, nil
	}
	r.index.reset()
	return d
}

// keptBuffer returns an empty buffer, which is b unless b is large.
func keptBuffer(b []int32) []int32 {
	if cap(b) > maxKept {
		return nil
	}
	return b[:0]
}

// finishDocument returns the document of the page that r has read, and releases r.
func (r *reader) finishDocument(t *tagtree.Tree) *Document {
	d := r.newDocument()
	r.values = r.page.appendFeatures(r.values[:0], t)
	d.dense[structureBlock] = nonZeroVector(r.values)
	r.release()
	return d
}

// release makes r available to others. A reader that is given up because of a panic is not released.
func (r *reader) release() {
	r.page.reset()
	r.path = ""
	readers.Put(r)
}

// Terms returns the distinct terms of a block, sorted, or nil for Structure,
// Link, Context and unknown names.
func (d *Document) Terms(block string) []string {
	b := slices.Index(blockNames[:], block)
	if b < 0 || b >= textBlocks {
		return nil
	}
	var terms []string
	d.forEachTerm(b, 1, func(key []byte, _ int) { terms = append(terms, string(key)) })
	slices.Sort(terms)
	return slices.Compact(terms)
}
