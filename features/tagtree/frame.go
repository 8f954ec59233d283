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
	maxFrames     = 20      // frames whose document is requested or given by srcdoc
	maxFrameDepth = 3       // levels of frames within frames
	maxFrameBytes = 4 << 20 // bytes of all frame documents together
	maxFrameNodes = 200_000 // nodes of all frame documents together, after which no further frame is read
)

// A FrameFunc returns the document of a frame with an http or https address, or nil if it is
// unavailable or not wanted. It is called during parsing, from the same goroutine, in document
// order, at most 20 times per page; it is called again for each frame with the same address.
type FrameFunc func(url string) *webgraph.Page

// ParseWithFrames is like Parse but makes the content of frames part of the page. The document of a frame or
// iframe becomes the element's only content, so that paths read html/body/iframe/html/body/p, and the element
// is no longer a link. Addresses in the document are relative to the document's own URL, or to the page's for
// srcdoc.
//
// A frame remains a link, as with Parse, if frame returns nil for it, if its document is not text or is
// already open around it, or if it is beyond a limit: 20 frames, 3 levels, 4 MB. Frames that readers do not
// see are not requested: those in hidden elements or noscript, or of at most one pixel. Title and language
// are those of the page. If frame is nil, only srcdoc is read.
func ParseWithFrames(p *webgraph.Page, frame FrameFunc) (*Tree, error) {
	if frame == nil {
		frame = func(string) *webgraph.Page { return nil }
	}
	return parseWith(p, frame)
}

// A document is the page or the document in one of its frames.
type document struct {
	url, base string
	based     bool       // true if a base element or the first stated address has set base
	frame     *html.Node // element that shows the document, nil for the page
	around    int32      // index of the document that contains this one's frame, -1 for the page
	depth     int
}

// newDocument returns a document at url. around is the index of the document that contains its frame, -1 for
// the page.
func newDocument(url string, around int32, depth int) document {
	return document{url: canonicalOr(url), base: url, around: around, depth: depth}
}

// canonicalOr returns the canonical form of url, or url itself if it is invalid.
func canonicalOr(url string) string {
	if c, err := webgraph.Canonical(url); err == nil {
		return c
	}
	return url
}

// setBase sets the base URL from the href of a base element. Only the first such element has an effect.
func (d *document) setBase(href string) {
	if d.based || href == "" {
		return
	}
	d.based = true
	if base, err := webgraph.NewResolver(d.base).Resolve(href); err == nil {
		d.base = base
	}
}

// setAddress sets the URL of a page that was read from a file to one that the page states about itself. Only
// the first stated URL is used.
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

// openFrame replaces the content of a frame element by its document. It returns false if f is not a frame or
// if its document is not read.
func (w *walker) openFrame(f *openFrame) bool {
	n := f.node
	if w.fetch == nil || n.DataAtom != atom.Iframe && n.DataAtom != atom.Frame || f.hidden || isTiny(n) {
		return false
	}
	if w.docs[f.doc].depth == maxFrameDepth || w.framesRequested == maxFrames {
		return false
	}
	s, doc, ok := w.readFrame(n, f.doc)
	if !ok || len(s) > maxFrameBytes-w.frameBytes || w.frameNodes > maxFrameNodes {
		return false
	}
	w.frameBytes += len(s)
	root := htmltree.Parse(s)
	for c := root; c != nil; c = htmltree.NodeAfter(c, root) {
		w.frameNodes++
	}
	replaceChildren(n, root)
	doc.frame = n
	w.docs = append(w.docs, doc)
	f.doc = int32(len(w.docs) - 1)
	f.kind, f.level, f.pre, f.struck = Paragraph, 0, false, false
	return true
}

// readFrame returns the markup and the address of the document that frame n shows. in is the index of the
// document that contains n. ok is false if there is no document, if it is not text, or if it is already open
// around n.
func (w *walker) readFrame(n *html.Node, in int32) (s string, doc document, ok bool) {
	around := w.docs[in]
	if source := htmltree.Attr(n, "srcdoc"); source != "" && n.DataAtom == atom.Iframe {
		w.framesRequested++
		return source, document{url: around.url, base: around.base, around: in, depth: around.depth + 1}, true
	}
	src, err := webgraph.NewResolver(around.base).Resolve(htmltree.Attr(n, "src"))
	if err != nil || w.isOpenDocument(src, in) {
		return "", doc, false
	}
	w.framesRequested++
	p := w.fetch(src)
	if p == nil {
		return "", doc, false
	}
	doc = newDocument(p.URL, in, around.depth+1)
	s, plain, err := htmltree.ContentText(p)
	if err != nil || w.isOpenDocument(doc.url, in) {
		return "", doc, false
	}
	if plain {
		s = "<pre>" + html.EscapeString(strings.ToValidUTF8(s, "\ufffd")) + "</pre>"
	}
	return s, doc, true
}

// isOpenDocument reports whether url is that of document i or of a document that contains it.
func (w *walker) isOpenDocument(url string, i int32) bool {
	for ; i >= 0; i = w.docs[i].around {
		if w.docs[i].url == url {
			return true
		}
	}
	return false
}

// isTiny reports whether a frame is too small to be seen, as the frames of visitor counters are.
func isTiny(n *html.Node) bool {
	for _, key := range []string{"width", "height"} {
		switch htmltree.Attr(n, key) {
		case "0", "1", "0px", "1px":
			return true
		}
	}
	return false
}

// replaceChildren replaces the children of n by those of root, without the document type.
func replaceChildren(n, root *html.Node) {
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
