package backlink

import (
	"bufio"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"

	"eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// Limits on a links file.
const (
	maxLine  = 64 << 10  // bytes of a line
	maxLinks = 100 << 20 // lines
)

// An EdgeList answers from a file of links, as a service would that has
// crawled that web. It is read-only and safe for concurrent use.
//
// The file has tab-separated columns named in its first line: source, target,
// and maybe anchor and nofollow. Links within a site are left out.
type EdgeList struct {
	// Skipped is how many lines were broken or held no URLs of the web.
	Skipped int

	spec    Spec
	urls    []string // interned; sources are indexes into it
	anchors []string
	targets []target // in order of key
	edges   []edge   // in order of target
	// hosts are the host keys of the targets of each registered domain, in order.
	hosts map[string][]string
}

type target struct {
	url   uint32
	first uint32 // of its edges
}

type edge struct {
	source, anchor uint32
	nofollow       bool
}

// NewEdgeList answers from links as s says; its Path does not matter.
func NewEdgeList(links iter.Seq[webgraph.Link], s Spec) *EdgeList {
	b := newBuilder(s)
	for l := range links {
		b.add(l)
	}
	return b.finish()
}

// OpenEdgeList reads the file of s, gzip-compressed if its name ends in .gz.
func OpenEdgeList(s Spec) (*EdgeList, error) {
	f, err := os.Open(s.Path)
	if err != nil {
		return nil, fmt.Errorf("links: %w", err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(s.Path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			return nil, fmt.Errorf("links %s: %w", s.Path, err)
		}
	}
	l, err := readEdgeList(r, s)
	if err != nil {
		return nil, fmt.Errorf("links %s: %w", s.Path, err)
	}
	return l, nil
}

func readEdgeList(r io.Reader, s Spec) (*EdgeList, error) {
	b := newBuilder(s)
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, maxLine), maxLine)
	if !lines.Scan() {
		return nil, cmp.Or(lines.Err(), errors.New("the file is empty"))
	}
	columns, err := ColumnsOf(lines.Text())
	if err != nil {
		return nil, err
	}
	n := 1
	for lines.Scan() {
		if n++; n > maxLinks {
			return nil, fmt.Errorf("more than %d lines", maxLinks)
		}
		b.add(columns.Link(strings.Split(lines.Text(), "\t")))
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n+1, err)
	}
	return b.finish(), nil
}

// Columns are the places of the columns, -1 where there is none.
type Columns struct{ Source, Target, Anchor, Nofollow int }

// ColumnsOf reads the first line of a list, whose columns are separated by tabs.
func ColumnsOf(header string) (Columns, error) {
	names := strings.Split(header, "\t")
	c := Columns{slices.Index(names, "source"), slices.Index(names, "target"), slices.Index(names, "anchor"), slices.Index(names, "nofollow")}
	if c.Source < 0 || c.Target < 0 {
		return c, fmt.Errorf("the first line must name the columns source and target, it is %.100q", header)
	}
	return c, nil
}

// A builder interns the strings of a links file.
type builder struct {
	list    *EdgeList
	urls    map[string]uint32 // canonical URL, or a spelling of it
	sites   []string          // registered domain by URL
	anchors map[string]uint32
	edges   []rawEdge
}

type rawEdge struct {
	target uint32
	edge
}

func newBuilder(s Spec) *builder {
	return &builder{list: &EdgeList{spec: s}, urls: map[string]uint32{}, anchors: map[string]uint32{}}
}

func (b *builder) add(l webgraph.Link) {
	source, ok1 := b.url(l.Source)
	target, ok2 := b.url(l.Target)
	if !ok1 || !ok2 {
		b.list.Skipped++
		return
	}
	if b.sites[source] == b.sites[target] || !b.known(source, target) {
		return
	}
	b.edges = append(b.edges, rawEdge{target, edge{source, b.anchor(l.Anchor), l.NoFollow}})
}

// Link makes a link of the fields of one line.
func (c Columns) Link(fields []string) webgraph.Link {
	nofollow := field(fields, c.Nofollow)
	return webgraph.Link{
		Source: field(fields, c.Source), Target: field(fields, c.Target), Anchor: field(fields, c.Anchor),
		NoFollow: nofollow != "" && nofollow != "0" && nofollow != "false",
	}
}

func field(fields []string, i int) string {
	if i < 0 || i >= len(fields) {
		return ""
	}
	return fields[i]
}

// url interns a URL in canonical form.
func (b *builder) url(raw string) (uint32, bool) {
	if id, ok := b.urls[raw]; ok {
		return id, true
	}
	url, err := webgraph.Canonical(raw)
	if err != nil {
		return 0, false
	}
	id, ok := b.urls[url]
	if !ok {
		id = uint32(len(b.list.urls))
		url = strings.Clone(url) // not the whole line
		b.urls[url] = id
		b.list.urls = append(b.list.urls, url)
		b.sites = append(b.sites, webgraph.RegisteredDomain(webgraph.HostOf(url)))
	}
	if raw != url {
		b.urls[strings.Clone(raw)] = id
	}
	return id, true
}

func (b *builder) anchor(text string) uint32 {
	if len(text) > webgraph.MaxAnchor { // else it is short enough in runes too
		text = ClipText(text)
	}
	id, ok := b.anchors[text]
	if !ok {
		id = uint32(len(b.list.anchors))
		text = strings.Clone(text)
		b.anchors[text] = id
		b.list.anchors = append(b.list.anchors, text)
	}
	return id
}

// known reports whether the service has found this link.
func (b *builder) known(source, target uint32) bool {
	return share("coverage", b.list.urls[source], b.list.urls[target]) < b.list.spec.Coverage
}

// share maps a link to a number in [0,1), the same in every run.
func share(what, source, target string) float64 {
	return float64(hash(what, source, target)>>11) / (1 << 53)
}

func hash(what, source, target string) uint64 {
	return xxh3.HashString(what + "\x00" + source + "\x00" + target)
}

// finish sorts the edges by target.
func (b *builder) finish() *EdgeList {
	l := b.list
	slices.SortStableFunc(b.edges, func(x, y rawEdge) int {
		if x.target == y.target {
			return 0
		}
		return cmp.Or(cmp.Compare(key(l.urls[x.target]), key(l.urls[y.target])), cmp.Compare(l.urls[x.target], l.urls[y.target]))
	})
	l.edges = make([]edge, 0, len(b.edges))
	for i, e := range b.edges {
		if i == 0 || e.target != b.edges[i-1].target {
			l.targets = append(l.targets, target{e.target, uint32(i)})
		}
		l.edges = append(l.edges, e.edge)
	}
	l.hosts = map[string][]string{}
	last := ""
	for _, t := range l.targets {
		if h := hostKey(key(l.urls[t.url])); h != last {
			last = h
			l.hosts[b.sites[t.url]] = append(l.hosts[b.sites[t.url]], h)
		}
	}
	return l
}

// Len returns how many links between sites the list holds.
func (l *EdgeList) Len() int { return len(l.edges) }
