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

// A ref is a link found by the walker, before its address is resolved.
type ref struct {
	node             *html.Node
	href             string
	path             span // of walker.paths
	start, end       int  // the link's own text in the page's text
	firstRun, endRun int  // the runs it touches
	element, doc     int32
}

// A spot is the position of a link.
type spot struct {
	element    int32 // element of the link itself; in plain text its paragraph
	block      int32 // block that contains it or would, or the number of blocks
	start, end int32 // its own text in the page's text; empty for a picture
}

// openLink begins the link of the element on top of the stack, if it is one.
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
	if href == "" || href[0] == '#' || len(w.refs) >= maxLinks {
		return
	}
	w.top().ref = len(w.refs)
	w.refs = append(w.refs, ref{
		node: n, href: href, path: w.path(len(w.frames) - 1), start: len(w.out), firstRun: w.run, element: w.top().element, doc: w.top().doc,
	})
}

// refreshContent is a time and where to go after it, as browsers read that ("shared
// declarative refresh steps", HTML §4.2.5.3).
var refreshContent = regexp.MustCompile(`(?is)^\s*[0-9.]+[\s;,]+(?:url\s*=)?\s*(?:'([^']*)|"([^"]*)|(.*))`)

// refreshOf returns the target of a refresh in a meta element, "" if there is none. A page with
// only a refresh has no other link.
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

func (w *walker) closeLink(i int) {
	r := &w.refs[i]
	r.end, r.endRun = len(w.out), w.run
	if r.start < r.end && w.out[r.start] <= ' ' {
		r.start++ // white space before the link, written with its first word
	}
}

// cutAnchor returns the anchor of a link from its text. Anchors are stored with the links of a
// crawl for years, so addresses and telephone numbers of people are removed.
func cutAnchor(written string) string { return text.CutRunes(text.Redact(written), webgraph.MaxAnchor) }

// links resolves the refs against their documents' bases, and fills in where
// t's links and elements lie. paths are w's.
func (w *walker) links(t *Tree, paths string) []webgraph.Link {
	blocks := t.blocks
	resolvers := make([]webgraph.Resolver, len(w.docs))
	for i, d := range w.docs {
		resolvers[i] = webgraph.NewResolver(d.base)
	}
	links := make([]webgraph.Link, 0, len(w.refs))
	t.spots = make([]spot, 0, len(w.refs))
	kept := make([]int32, len(w.refs)+1) // number of refs before each that became links
	next := 0                            // the first block that may contain the next link
	for i, r := range w.refs {
		kept[i+1] = int32(len(links))
		for next < len(blocks) && w.runs[next] < r.firstRun {
			next++
		}
		target, err := resolvers[r.doc].Resolve(r.href)
		if err != nil || webgraph.HoldsMailAddress(target) || target == w.docs[0].url || target == w.docs[r.doc].url {
			continue
		}
		if strings.HasPrefix(r.href, target) {
			target = strings.Clone(target) // otherwise it would keep the page's source in memory
		}
		l := webgraph.Link{Source: t.Page.URL, Target: target, Path: r.path.of(paths), NoFollow: webgraph.IsNoFollow(htmltree.Attr(r.node, "rel"))}
		shown := strings.TrimSpace(text.Cut(t.text[r.start:r.end], 8*webgraph.MaxAnchor))
		l.Anchor = cutAnchor(strings.ReplaceAll(shown, "\n", " "))
		if l.Anchor == "" {
			l.Anchor = cutAnchor(label(r.node))
		}
		if next < len(blocks) && w.runs[next] <= r.endRun {
			b := blocks[next]
			from := min(max(r.start-b.Start, 0), len(b.Text))
			to := min(max(r.end-b.Start, from), len(b.Text))
			l.Context = around(b.Text, from, to, webgraph.MaxContext)
		}
		links = append(links, l)
		t.spots = append(t.spots, spot{element: r.element, block: int32(next), start: int32(r.start), end: int32(r.end)})
		kept[i+1] = int32(len(links))
	}
	for i := range t.elements {
		l := &t.elements[i].Links
		l.Start, l.End = int(kept[l.Start]), int(kept[l.End])
	}
	return links
}

// markLinked counts, for each block, its bytes that are link text.
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

// labelNodes is how many nodes below a link without visible text are searched.
const labelNodes = 200

// label returns a name for a link without visible text. It is an image's alt text, otherwise its
// own alt or title, otherwise the text hidden by its style.
func label(n *html.Node) string {
	var hidden string
	c, left := n.FirstChild, labelNodes
	for c != nil && left > 0 {
		left--
		if c.DataAtom == atom.Img {
			if alt := Fold(text.Cut(htmltree.Attr(c, "alt"), 8*webgraph.MaxAnchor)); alt != "" {
				return alt
			}
		}
		if c.Type == html.TextNode && hidden == "" && !htmltree.IsUnread(c.Parent) {
			hidden = Fold(text.Cut(c.Data, 8*webgraph.MaxAnchor))
		}
		c = htmltree.After(c, n)
	}
	for _, key := range []string{"alt", "title", "aria-label"} {
		if s := Fold(text.Cut(htmltree.Attr(n, key), 8*webgraph.MaxAnchor)); s != "" {
			return s
		}
	}
	return hidden
}

// around returns at most n runes of s around s[from:to], the runes on both sides shared evenly if
// there are enough.
func around(s string, from, to, n int) string {
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

// countBack returns how many bytes the last n runes of s take.
func countBack(s string, n int) int {
	i := len(s)
	for ; n > 0 && i > 0; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
	}
	return len(s) - i
}
