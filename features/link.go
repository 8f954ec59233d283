package features

import (
	"iter"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/slice"
	"github.com/eventseer/eventseer/webgraph"
)

// ReadLinks makes a document of each of t.Links(), in order, for link scoring. Its blocks are those
// of pages: Anchors is the text of the link, Body the text on either side of it, Headings the
// heading above, URL the address it leads to, and Link the dense features of its position. Links
// near a key node of topic (paper 003) have a higher nearness; topic may be nil.
func ReadLinks(t *tagtree.Tree, topic *slice.Query) iter.Seq2[int, *Document] {
	return func(yield func(int, *Document) bool) {
		r := newLinkReader(t)
		r.nearness = keyNodeNearness(t, topic)
		for i := range t.Links() {
			if !yield(i, r.readLink(i)) {
				break
			}
		}
		r.release()
	}
}

// A linkReader makes the documents of the links of one page.
type linkReader struct {
	*reader
	tree               *tagtree.Tree
	host, folder, site string    // of the page
	nearness           []float64 // nearness of each link to the topic
}

// farFromTopic is the tree distance from which a link is not near the topic at all.
const farFromTopic = 15

// keyNodeNearness returns for each link how near it is to a key node of q. It is 1 for the node itself,
// decreases with the logarithm of the distance, and is 0 from farFromTopic on.
func keyNodeNearness(t *tagtree.Tree, q *slice.Query) []float64 {
	near := make([]float64, len(t.Links()))
	if q == nil || len(near) == 0 {
		return near
	}
	for _, l := range slice.NewSlice(t, q, slice.Options{Precision: farFromTopic}).Links() {
		near[l.Link] = max(0, 1-scaledCount(l.Distance, farFromTopic))
	}
	return near
}

func newLinkReader(t *tagtree.Tree) *linkReader {
	host, path := splitAddress(t.Page.URL)
	path, _, _ = strings.Cut(path, "?")
	return &linkReader{
		reader: newReader(languageOf(t.Text(), t.Lang())), tree: t,
		host: host, folder: path[:strings.LastIndexByte(path, '/')+1], site: siteOf(host),
	}
}

func siteOf(host string) string { return webgraph.RegisteredDomain(webgraph.Host(host)) }

// readLink makes the document of link i.
func (r *linkReader) readLink(i int) *Document {
	p := r.tree.LinkPlace(i)
	r.page.dates = dateCounts{}
	words := linkWords{before: r.addPassage(bodyBlock, p.Before)}
	found := [numLinkScopes]uint64{nearLink: r.takeCues()}
	words.anchor = r.addPassage(anchorsBlock, p.Anchor)
	found[inAnchor] = r.takeCues()
	words.after = r.addPassage(bodyBlock, p.After)
	found[nearLink] |= r.takeCues()
	words.dated, words.due = r.page.dates.endBlock()
	words.years = r.page.dates.years
	r.addPassage(headingsBlock, p.Heading)
	found[aboveLink] = r.takeCues()
	r.addURL(p.Target)
	found[inTarget] = r.takeURLCues()
	d := r.newDocument()
	r.setFeatures(p, words, found, r.nearness[i])
	d.dense[linkBlock] = nonZeroVector(r.values)
	return d
}

// linkWords are the words of a link and of the text beside it.
type linkWords struct {
	before, anchor, after int // words and numbers
	dated, due            bool
	years                 uint64 // firstYear as bit 0
}

// addPassage adds a text to a block and returns its number of words.
func (r *linkReader) addPassage(block int, s string) int {
	n := 0
	r.endRun(block)
	r.tokenizer.forEachToken(s, func(t token) {
		n++
		if t.word == nil {
			r.page.dates.addNumber(t)
			return
		}
		r.page.dates.addWord(t.word)
		r.addWord(block, t.word)
	})
	return n
}

// takeCues returns the cues of the passage just read, one bit each, and begins another.
func (r *linkReader) takeCues() (mask uint64) {
	for _, c := range r.page.cues.found {
		mask |= 1 << c
	}
	r.page.cues.beginRun()
	return mask
}

// takeURLCues returns the cues of the address just read.
func (r *linkReader) takeURLCues() (mask uint64) {
	counts := &r.page.found[inURL]
	for c, n := range counts {
		if n > 0 {
			mask |= 1 << c
		}
	}
	*counts = [len(cues)]int32{}
	return mask
}

// nonZeroVector returns the non-zero values, rounded to single precision, because logarithms differ in the
// last bit between machines.
func nonZeroVector(values []float64) Vector {
	n := 0
	for i, x := range values {
		if values[i] = float64(float32(x)); values[i] != 0 {
			n++
		}
	}
	v := Vector{Index: make([]uint32, 0, n), Value: make([]float64, 0, n)}
	for i, x := range values {
		if x != 0 {
			v.Index = append(v.Index, uint32(i))
			v.Value = append(v.Value, x)
		}
	}
	return v
}
