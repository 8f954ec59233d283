package tagtree

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxRefresh is the maximum length of a meta element's content that is parsed for a refresh, in
// bytes.
const maxRefresh = 4096

// maxScript is the maximum length of a script of a click that is searched for an address, in bytes.
const maxScript = 1024

// A foundLink is a link that the walker found. Its address is not resolved yet.
type foundLink struct {
	node             *html.Node
	href             string
	path             span // range of the tag path in walker.paths
	start, end       int  // byte range of the link's text in the page's text
	firstRun, endRun int  // first and last run of text that the link touches
	element, doc     int32
}

// A linkPosition is the position of a link.
type linkPosition struct {
	element    int32 // element of the link, in plain text its paragraph
	block      int32 // block that contains the link or else the next one; the number of blocks at the end
	start, end int32 // byte range of the link's text in the page's text, empty for a picture
}

// openLink records n as a link if it is one. n must be on top of the stack.
func (w *walker) openLink(n *html.Node) {
	var href string
	switch n.DataAtom {
	case atom.A, atom.Area:
		href = strings.TrimSpace(htmltree.Attr(n, "href"))
	case atom.Frame, atom.Iframe:
		href = strings.TrimSpace(htmltree.Attr(n, "src"))
	case atom.Meta:
		href = refreshOf(n)
	}
	if href == "" || href[0] == '#' || strings.HasPrefix(href, "javascript:") {
		href = scriptTarget(href, htmltree.Attr(n, "onclick"))
	}
	if href == "" || href[0] == '#' || len(w.refs) >= maxLinks {
		return
	}
	w.topFrame().ref = len(w.refs)
	w.refs = append(w.refs, foundLink{
		node: n, href: href, path: w.pathOf(len(w.frames) - 1), start: len(w.out), firstRun: w.run, element: w.topFrame().element, doc: w.topFrame().doc,
	})
}

// refreshContent matches the content of a refresh, a delay followed by a URL, as browsers read it ("shared
// declarative refresh steps", HTML §4.2.5.3).
var refreshContent = regexp.MustCompile(`(?is)^\s*[0-9.]+[\s;,]+(?:url\s*=)?\s*(?:'([^']*)|"([^"]*)|(.*))`)

// refreshOf returns the target of a refresh in a meta element, or "" if n is not a refresh. On some pages
// this is the only link.
func refreshOf(n *html.Node) string {
	content := htmltree.Attr(n, "content")
	if !strings.EqualFold(strings.TrimSpace(htmltree.Attr(n, "http-equiv")), "refresh") || len(content) > maxRefresh {
		return ""
	}
	m := refreshContent.FindStringSubmatch(content)
	if m == nil {
		return ""
	}
	return strings.TrimSpace(m[1] + m[2] + m[3])
}

// scriptLocation matches a statement that opens a page whose address is written out: "location.href='a.html'",
// "window.open('a.html')".
var scriptLocation = regexp.MustCompile(`(?:\blocation(?:\.href)?\s*=|\blocation\.(?:assign|replace)\(|\bwindow\.open\()\s*(?:'([^'\s]+)'|"([^"\s]+)")\s*([+;,)}]|$)`)

// scriptTarget returns the address that a click opens by a script, either in href or in onclick. It returns "" if there
// is none, or if the script computes it. A script that opens no page is not a link. Some pages have no other links to
// the pages of their site.
func scriptTarget(href, onclick string) string {
	for _, script := range [...]string{href, onclick} {
		if !strings.Contains(script, "location") && !strings.Contains(script, "window.open") || len(script) > maxScript {
			continue
		}
		if m := scriptLocation.FindStringSubmatch(script); m != nil && m[3] != "+" {
			return m[1] + m[2]
		}
	}
	return ""
}

func (w *walker) closeLink(i int) {
	r := &w.refs[i]
	r.end, r.endRun = len(w.out), w.run
	if r.start < r.end && w.out[r.start] <= ' ' {
		r.start++ // skip the white space before the link
	}
}

// cutAnchor returns the anchor of a link with the given text. Mail addresses and telephone numbers are
// removed, because anchors stay stored with a crawl's links for years.
func cutAnchor(written string) string { return text.CutRunes(text.Redact(written), webgraph.MaxAnchor) }

// resolveLinks resolves the refs against the base URLs of their documents and sets t.spots and the ranges of links
// of t's elements. paths must contain w.paths.
func (w *walker) resolveLinks(t *Tree, paths string) []webgraph.Link {
	blocks := t.blocks
	resolvers := make([]webgraph.Resolver, len(w.docs))
	for i, d := range w.docs {
		resolvers[i] = webgraph.NewResolver(d.base)
	}
	links := make([]webgraph.Link, 0, len(w.refs))
	t.spots = make([]linkPosition, 0, len(w.refs))
	kept := make([]int32, len(w.refs)+1) // number of links made from the refs before each index
	next := 0                            // the first block that may contain the next link
	for i, r := range w.refs {
		kept[i+1] = int32(len(links))
		for next < len(blocks) && w.runs[next] < r.firstRun {
			next++
		}
		target, err := resolvers[r.doc].Resolve(r.href)
		if err != nil || webgraph.IsMailAddress(target) || target == w.docs[0].url || target == w.docs[r.doc].url {
			continue
		}
		if strings.HasPrefix(r.href, target) {
			target = strings.Clone(target) // a copy, because target would keep the page's source in memory
		}
		l := webgraph.Link{Source: t.Page.URL, Target: target, Path: r.path.textOf(paths), NoFollow: webgraph.IsNoFollow(htmltree.Attr(r.node, "rel"))}
		shown := strings.TrimSpace(text.CutBytes(t.text[r.start:r.end], 8*webgraph.MaxAnchor))
		l.Anchor = cutAnchor(strings.ReplaceAll(shown, "\n", " "))
		if l.Anchor == "" {
			l.Anchor = cutAnchor(linkLabel(r.node))
		}
		if next < len(blocks) && w.runs[next] <= r.endRun {
			b := blocks[next]
			from := min(max(r.start-b.Start, 0), len(b.Text))
			to := min(max(r.end-b.Start, from), len(b.Text))
			l.Context = textAround(b.Text, from, to, webgraph.MaxContext)
		}
		links = append(links, l)
		t.spots = append(t.spots, linkPosition{element: r.element, block: int32(next), start: int32(r.start), end: int32(r.end)})
		kept[i+1] = int32(len(links))
	}
	for i := range t.elements {
		l := &t.elements[i].Links
		l.Start, l.End = int(kept[l.Start]), int(kept[l.End])
	}
	return links
}

// markLinked sets Linked, the bytes of link text, for each block.
func (w *walker) markLinked() {
	next := 0 // the first block that may contain the next link
	for _, r := range w.refs {
		for next < len(w.blocks) && w.runs[next] < r.firstRun {
			next++
		}
		for i := next; i < len(w.blocks) && w.runs[i] <= r.endRun; i++ {
			b := &w.blocks[i]
			shared := min(r.end, b.Start+len(b.Text)) - max(r.start, b.Start)
			b.Linked = min(len(b.Text), b.Linked+max(shared, 0))
		}
	}
}

// labelNodes is the maximum number of nodes searched for a link's label.
const labelNodes = 200

// linkLabel returns a name for a link without visible text, or "". It is the alt text of an image in the link,
// otherwise the link's own alt, title or aria-label, otherwise text hidden by style.
func linkLabel(n *html.Node) string {
	var hidden string
	c, left := n.FirstChild, labelNodes
	for c != nil && left > 0 {
		left--
		if c.DataAtom == atom.Img {
			if alt := FoldSpace(text.CutBytes(htmltree.Attr(c, "alt"), 8*webgraph.MaxAnchor)); alt != "" {
				return alt
			}
		}
		if c.Type == html.TextNode && hidden == "" && !htmltree.IsUnread(c.Parent) {
			hidden = FoldSpace(text.CutBytes(c.Data, 8*webgraph.MaxAnchor))
		}
		c = htmltree.NodeAfter(c, n)
	}
	for _, key := range []string{"alt", "title", "aria-label"} {
		if s := FoldSpace(text.CutBytes(htmltree.Attr(n, key), 8*webgraph.MaxAnchor)); s != "" {
			return s
		}
	}
	return hidden
}

// textAround returns at most n runes of s that include s[from:to]. The rest is shared evenly between both sides
// if both are long enough.
func textAround(s string, from, to, n int) string {
	n -= utf8.RuneCountInString(s[from:to])
	if n <= 0 {
		return text.CutRunes(s[from:to], n+utf8.RuneCountInString(s[from:to]))
	}
	before := countBack(s[:from], n)
	ahead := len(text.CutRunes(s[to:], n))
	half := n / 2
	nBefore, nAhead := utf8.RuneCountInString(s[from-before:from]), utf8.RuneCountInString(s[to:to+ahead])
	switch {
	case nBefore+nAhead <= n:
	case nBefore < half:
		ahead = len(text.CutRunes(s[to:], n-nBefore))
	case nAhead < half:
		before = countBack(s[:from], n-nAhead)
	default:
		before, ahead = countBack(s[:from], half), len(text.CutRunes(s[to:], n-half))
	}
	return strings.TrimSpace(s[from-before : to+ahead])
}

// countBack returns the length in bytes of the last n runes of s.
func countBack(s string, n int) int {
	if last := s[max(0, len(s)-max(0, n)):]; text.IsASCII(last) {
		return len(last)
	}
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return len(s) - i
}
