package tagtree

import (
	"strings"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits on the frames of one page. A frame beyond a limit stays a link.
const (
	maxFrames     = 20      // documents requested or given by srcdoc
	maxFrameDepth = 3       // frames within frames
	maxFrameBytes = 4 << 20 // bytes of all documents of frames together
	maxFrameNodes = 200_000 // nodes of those documents after which no further one is read
)

// A FrameFunc returns the document of a frame with an http or https address, or nil if it is
// unavailable or not wanted. It is called during parsing, from the same goroutine, in document
// order, at most 20 times per page; it is called again for each frame with the same address.
type FrameFunc func(url string) *webgraph.Page

// ParseWithFrames is Parse with the content of frames as part of the page. The document of a frame
// or iframe becomes the element's only content, so that paths read html/body/iframe/html/body/p,
// and the element is no longer a link. Addresses in it are relative to its own, or for srcdoc to
// the page's. A frame that frame returns nil for, that is not text, leads back to a document around
// it, or lies beyond the limits (20 frames, 3 levels, 4 MB) stays the link it is in Parse. Frames
// that a reader would not see are not requested: those in hidden elements or noscript, or of at
// most one pixel. Title and language are those of the page. If frame is nil, only srcdoc is read.
func ParseWithFrames(p *webgraph.Page, frame FrameFunc) (*Tree, error) {
	if frame == nil {
		frame = func(string) *webgraph.Page { return nil }
	}
	return parseWith(p, frame)
}

// A document is the page or the document in one of its frames.
type document struct {
	url, base string
	based     bool       // base is set by an element
	frame     *html.Node // that shows it, nil for the page
	around    int32      // the document with the frame of this one, -1 for the page
	depth     int
}

// newDocument returns the document of a page within another.
func newDocument(url string, around int32, depth int) document {
	return document{url: canonicalOr(url), base: url, around: around, depth: depth}
}

// canonicalOr returns the canonical form of url, or url if it has none.
func canonicalOr(url string) string {
	if c, err := webgraph.Canonical(url); err == nil {
		return c
	}
	return url
}

// setBase sets the base from the href of a base element; only the first one is used.
func (d *document) setBase(href string) {
	if d.based || href == "" {
		return
	}
	d.based = true
	if base, err := webgraph.NewResolver(d.base).Resolve(href); err == nil {
		d.base = base
	}
}

// setAddress sets the address stated by a page that was read from a file; only the first one is
// used.
func (d *document) setAddress(href string) {
	if isAddress(d.url) || href == "" {
		return
	}
	if url, err := webgraph.Canonical(href); err == nil {
		d.url = url
		if !d.based {
			d.base = url
		}
	}
}

// openFrame replaces the content of a frame by its document and reports whether there is one.
func (w *walker) openFrame(f *frame) bool {
	n := f.node
	if w.fetch == nil || n.DataAtom != atom.Iframe && n.DataAtom != atom.Frame || f.hidden || isTiny(n) {
		return false
	}
	if w.docs[f.doc].depth == maxFrameDepth || w.asked == maxFrames {
		return false
	}
	s, doc, ok := w.readFrame(n, f.doc)
	if !ok || len(s) > maxFrameBytes-w.frameBytes || w.frameNodes > maxFrameNodes {
		return false
	}
	w.frameBytes += len(s)
	root := htmltree.Parse(s)
	for c := root; c != nil; c = htmltree.After(c, root) {
		w.frameNodes++
	}
	adopt(n, root)
	doc.frame = n
	w.docs = append(w.docs, doc)
	f.doc = int32(len(w.docs) - 1)
	f.kind, f.level, f.pre, f.struck = Paragraph, 0, false, false
	return true
}

// readFrame returns the markup of the document that a frame in another shows.
func (w *walker) readFrame(n *html.Node, in int32) (s string, doc document, ok bool) {
	around := w.docs[in]
	if source := htmltree.Attr(n, "srcdoc"); source != "" && n.DataAtom == atom.Iframe {
		w.asked++
		return source, document{url: around.url, base: around.base, around: in, depth: around.depth + 1}, true
	}
	src, err := webgraph.NewResolver(around.base).Resolve(htmltree.Attr(n, "src"))
	if err != nil || w.isOpen(src, in) {
		return "", doc, false
	}
	w.asked++
	p := w.fetch(src)
	if p == nil {
		return "", doc, false
	}
	doc = newDocument(p.URL, in, around.depth+1)
	s, plain, err := htmltree.Content(p)
	if err != nil || w.isOpen(doc.url, in) {
		return "", doc, false
	}
	if plain {
		s = "<pre>" + html.EscapeString(strings.ToValidUTF8(s, "\ufffd")) + "</pre>"
	}
	return s, doc, true
}

// isOpen reports whether url is that of the i-th document or of one around it.
func (w *walker) isOpen(url string, i int32) bool {
	for ; i >= 0; i = w.docs[i].around {
		if w.docs[i].url == url {
			return true
		}
	}
	return false
}

// isTiny reports whether a frame is too small to show anything, like those for counting visitors.
func isTiny(n *html.Node) bool {
	for _, key := range []string{"width", "height"} {
		switch htmltree.Attr(n, key) {
		case "0", "1", "0px", "1px":
			return true
		}
	}
	return false
}

// adopt makes the children of root, without its document type, the only
// children of n.
func adopt(n, root *html.Node) {
	for n.FirstChild != nil {
		n.RemoveChild(n.FirstChild)
	}
	for c := root.FirstChild; c != nil; c = root.FirstChild {
		root.RemoveChild(c)
		if c.Type != html.DoctypeNode {
			n.AppendChild(c)
		}
	}
}
