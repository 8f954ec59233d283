package features

import (
	"slices"
	"strings"

	"eventseer/features/tagtree"
)

// The blocks of a document that a Vectorizer may read. Each has its own terms
// in a vocabulary: "title:call" is not "body:call".
const (
	Body      = "body"      // the visible text
	Title     = "title"     // the page's title
	Headings  = "headings"  // the text of h1 to h6
	URL       = "url"       // host labels and path segments
	Anchors   = "anchors"   // the visible text of links
	Structure = "structure" // dense features of the page, see StructureNames
)

// blockNames gives each block its number in vocabularies and files.
var blockNames = [...]string{Body, Title, Headings, URL, Anchors, Structure}

const (
	bodyBlock = iota
	titleBlock
	headingsBlock
	urlBlock
	anchorsBlock
	structureBlock
	textBlocks = structureBlock
)

// maxTokens bounds the tokens kept of one block of a document.
const maxTokens = 200_000

// A Document is what a Vectorizer reads of a page, made once for all of them:
// its terms in order, by block, and its structure. It is read-only and safe
// for concurrent use.
type Document struct {
	terms     []string
	sequence  [textBlocks][]int32 // indices into terms; -1 parts runs of text
	structure [len(structureNames)]float64
}

// Read makes the document of a page.
func Read(t *tagtree.Tree) *Document {
	r := newReader()
	r.text(titleBlock, t.Title())
	for _, b := range t.Blocks() {
		from := len(r.doc.sequence[bodyBlock])
		r.block(b)
		if b.Kind == tagtree.Heading {
			r.doc.sequence[headingsBlock] = append(r.doc.sequence[headingsBlock], r.doc.sequence[bodyBlock][from:]...)
		}
	}
	for _, l := range t.Links() {
		r.text(anchorsBlock, l.Anchor)
	}
	r.url(t.Page.URL)
	r.finish(t)
	return r.doc
}

// ReadText makes the document of a plain text, line by line.
func ReadText(s string) *Document {
	r := newReader()
	for line := range strings.SplitSeq(s, "\n") {
		r.block(tagtree.Block{Kind: tagtree.Line, Text: strings.TrimSpace(line)})
	}
	r.finish(nil)
	return r.doc
}

// A reader makes one document.
type reader struct {
	doc       *Document
	tokenizer tokenizer
	index     map[string]int32 // term → index into doc.terms
	page      pageCounts
	path      string // of the last block
}

func newReader() *reader {
	return &reader{doc: new(Document), index: make(map[string]int32, 256)}
}

// text adds a run of text to a block.
func (r *reader) text(block int, s string) {
	r.tokenizer.each(s, func(t token) {
		if t.word != nil && t.word.term != "" {
			r.add(block, t.word.term)
		}
	})
	r.add(block, "")
}

// block adds a block of the page to the body and counts its structure. Lines
// of one paragraph are one run, for phrases run on over line ends.
func (r *reader) block(b tagtree.Block) {
	if b.Kind != tagtree.Line || b.Path != r.path {
		r.add(bodyBlock, "")
	}
	r.path = b.Path
	r.tokenizer.each(b.Text, func(t token) {
		r.page.token(t)
		if t.word != nil && t.word.term != "" {
			r.add(bodyBlock, t.word.term)
		}
	})
	r.page.block(b)
}

// add appends a term to a block; the empty term parts two runs of text.
func (r *reader) add(block int, term string) {
	seq := &r.doc.sequence[block]
	if len(*seq) >= maxTokens {
		return
	}
	if term == "" {
		if n := len(*seq); n > 0 && (*seq)[n-1] >= 0 {
			*seq = append(*seq, -1)
		}
		return
	}
	ix, ok := r.index[term]
	if !ok {
		ix = int32(len(r.doc.terms))
		r.index[term] = ix
		r.doc.terms = append(r.doc.terms, term)
	}
	*seq = append(*seq, ix)
}

func (r *reader) finish(t *tagtree.Tree) { r.doc.structure = r.page.features(t) }

// Terms returns the distinct terms of a block, sorted, or nil for Structure
// and unknown names.
func (d *Document) Terms(block string) []string {
	b := slices.Index(blockNames[:], block)
	if b < 0 || b >= textBlocks {
		return nil
	}
	var terms []string
	for ix, n := range d.counts(b) {
		if n > 0 {
			terms = append(terms, d.terms[ix])
		}
	}
	slices.Sort(terms)
	return terms
}

// counts returns how often each of d.terms stands in a block.
func (d *Document) counts(block int) []int32 {
	counts := make([]int32, len(d.terms))
	for _, ix := range d.sequence[block] {
		if ix >= 0 {
			counts[ix]++
		}
	}
	return counts
}
