package backlink

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/eventseer/eventseer/internal/coding"
	"github.com/eventseer/eventseer/internal/text"
	"github.com/eventseer/eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// Limits on a links file.
const (
	maxLine  = 64 << 10  // bytes of a line
	maxLinks = 100 << 20 // lines
)

// An EdgeList provides backlinks from a file of links, like a service that has crawled that web. It is
// read-only and safe for concurrent use.
//
// The file has tab-separated columns named in its first line: source, target, and optionally anchor and
// nofollow. Links within a site are left out.
type EdgeList struct {
	// Skipped is the number of invalid lines.
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

// NewEdgeList returns an EdgeList of links with the settings of s, without its Path.
func NewEdgeList(links iter.Seq[webgraph.Link], s Spec) *EdgeList {
	b := newBuilder(s)
	for l := range links {
		b.add(l)
	}
	return b.buildList()
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
		if r, err = coding.Gunzip(f); err != nil {
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
	return b.buildList(), nil
}

// Columns are the indexes of the columns, -1 if missing.
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
	urls    map[string]uint32 // index of each canonical URL, and of other spellings of it
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
	source, ok1 := b.internURL(l.Source)
	target, ok2 := b.internURL(l.Target)
	if !ok1 || !ok2 {
		b.list.Skipped++
		return
	}
	if b.sites[source] == b.sites[target] || !b.isKnownLink(source, target) {
		return
	}
	b.edges = append(b.edges, rawEdge{target, edge{source, b.internAnchor(l.Anchor), l.NoFollow}})
}

// Link returns the link in the fields of one line.
func (c Columns) Link(fields []string) webgraph.Link {
	nofollow := fieldAt(fields, c.Nofollow)
	return webgraph.Link{
		Source: fieldAt(fields, c.Source), Target: fieldAt(fields, c.Target), Anchor: fieldAt(fields, c.Anchor),
		NoFollow: nofollow != "" && nofollow != "0" && nofollow != "false",
	}
}

func fieldAt(fields []string, i int) string {
	if i < 0 || i >= len(fields) {
		return ""
	}
	return fields[i]
}

// internURL interns a URL in canonical form.
func (b *builder) internURL(raw string) (uint32, bool) {
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

func (b *builder) internAnchor(written string) uint32 {
	text := text.Redact(written)
	if len(written) > webgraph.MaxAnchor { // a text that is short enough in bytes is short enough in runes
		text = ClipText(written)
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

// isKnownLink reports whether the service has found this link.
func (b *builder) isKnownLink(source, target uint32) bool {
	return unitHash("coverage", b.list.urls[source], b.list.urls[target]) < b.list.spec.Coverage
}

// unitHash maps a link to a number in [0,1), the same in every run.
func unitHash(what, source, target string) float64 {
	return float64(linkHash(what, source, target)>>11) / (1 << 53)
}

func linkHash(what, source, target string) uint64 {
	return xxh3.HashString(what + "\x00" + source + "\x00" + target)
}

// buildList sorts the edges by target.
func (b *builder) buildList() *EdgeList {
	l := b.list
	slices.SortStableFunc(b.edges, func(x, y rawEdge) int {
		if x.target == y.target {
			return 0
		}
		return cmp.Or(cmp.Compare(schemelessKey(l.urls[x.target]), schemelessKey(l.urls[y.target])), cmp.Compare(l.urls[x.target], l.urls[y.target]))
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
		if h := hostKey(schemelessKey(l.urls[t.url])); h != last {
			last = h
			l.hosts[b.sites[t.url]] = append(l.hosts[b.sites[t.url]], h)
		}
	}
	return l
}

// Len returns the number of links between sites in the list.
func (l *EdgeList) Len() int { return len(l.edges) }

// maxWindow is the number of links of a file that are ranked at once.
const maxWindow = 1 << 18

var _ Provider = (*EdgeList)(nil)

// Name implements Provider.
func (l *EdgeList) Name() string { return "links-file" }

// Version identifies the file and its simulated errors: cached answers are valid only for these.
func (l *EdgeList) Version() string {
	return fmt.Sprintf("%s:coverage=%g,stale=%g,links=%d", l.spec.Path, l.spec.Coverage, l.spec.Stale, len(l.edges))
}

// Scopes implements Provider. It returns all scopes.
func (l *EdgeList) Scopes() []Scope { return everyScope }

// Backlinks implements Provider. Each answer counts as a call, as from a service, unless the Spec is
// Free.
func (l *EdgeList) Backlinks(ctx context.Context, q Query) (Answer, error) {
	c, ok := ParseCursor(q.Cursor)
	start, err := strconv.Atoi(cmp.Or(c.Start, "0"))
	if !ok || err != nil || start < 0 {
		return Answer{}, &ProviderError{Provider: l.Name(), Trouble: Nonsense, Err: ErrCursor}
	}
	links, more := l.linkWindow(q, start)
	next := ""
	if more {
		next = strconv.Itoa(start + maxWindow)
	}
	a := pageOf(firstLinkPerSource(links), c, q.Limit, next)
	for i := range a.Links {
		a.Links[i] = l.simulateStaleness(a.Links[i])
	}
	a.Links = mergeBySource(nil, a.Links, q.Limit)
	if !l.spec.Free {
		a.Calls = 1
	}
	if err := ctx.Err(); err != nil {
		return Answer{Calls: a.Calls}, &ProviderError{Provider: l.Name(), Trouble: Unreachable, Err: err}
	}
	return a, nil
}

// linkWindow returns the links of a scope after the first skip, at most maxWindow of
// them, and whether there are more.
func (l *EdgeList) linkWindow(q Query, skip int) (links []Backlink, more bool) {
	for _, prefix := range l.keyPrefixes(q) {
		first, _ := slices.BinarySearchFunc(l.targets, prefix, func(t target, s string) int { return cmp.Compare(schemelessKey(l.urls[t.url]), s) })
		for i := first; i < len(l.targets); i++ {
			k := schemelessKey(l.urls[l.targets[i].url])
			if !strings.HasPrefix(k, prefix) || q.Scope == Page && k != prefix {
				break
			}
			for _, e := range l.linksTo(i) {
				switch {
				case skip > 0:
					skip--
				case len(links) == maxWindow:
					return links, true
				default:
					links = append(links, l.toBacklink(i, e, q.Scope))
				}
			}
		}
	}
	return links, false
}

// keyPrefixes returns the prefixes of the keys of a scope.
func (l *EdgeList) keyPrefixes(q Query) []string {
	about := q.Scope.DescribeSubject(q.Target)
	if q.Scope == Domain {
		return l.hosts[about]
	}
	return []string{about}
}

// linksTo returns the edges to the i-th target.
func (l *EdgeList) linksTo(i int) []edge {
	end := len(l.edges)
	if i+1 < len(l.targets) {
		end = int(l.targets[i+1].first)
	}
	return l.edges[l.targets[i].first:end]
}

func (l *EdgeList) toBacklink(i int, e edge, s Scope) Backlink {
	return Backlink{
		Source: l.urls[e.source], Target: l.urls[l.targets[i].url], Anchor: l.anchors[e.anchor], NoFollow: e.nofollow,
		Provider: l.Name(), Scope: s,
	}
}

// simulateStaleness simulates the share of stale answers in the spec. Half of them name a missing page, half one
// that does not link to the target.
func (l *EdgeList) simulateStaleness(link Backlink) Backlink {
	if unitHash("stale", link.Source, link.Target) >= l.spec.Stale {
		return link
	}
	h := linkHash("how", link.Source, link.Target)
	if other := l.urls[h/2%uint64(len(l.urls))]; h%2 == 0 && !webgraph.SameSite(webgraph.HostOf(other), webgraph.HostOf(link.Target)) {
		link.Source = other
		return link
	}
	base, _, _ := strings.Cut(link.Source, "?")
	link.Source = fmt.Sprintf("%sgone-%08x.html", base[:strings.LastIndexByte(base, '/')+1], uint32(h))
	return link
}

// A Spec names a links file and how incomplete and outdated its answers are.
type Spec struct {
	Path string
	// Coverage is the share of links the service knows, 0 to 1.
	Coverage float64
	// Stale is the share of outdated answers, 0 to 1: their source is missing or does not link to
	// the page.
	Stale float64
	// Free means that answers cost no calls, as for a local file.
	Free bool
}

// ParseSpec parses LINKS.tsv.gz[:coverage=0.5,stale=0.2]. The defaults are coverage 1 and stale 0.
func ParseSpec(text string) (Spec, error) {
	s := Spec{Path: text, Coverage: 1}
	at := strings.LastIndexByte(text, ':')
	if at < 0 || !strings.Contains(text[at:], "=") {
		return s, s.check(text)
	}
	s.Path = text[:at]
	for _, setting := range strings.Split(text[at+1:], ",") {
		name, value, _ := strings.Cut(setting, "=")
		share, err := strconv.ParseFloat(value, 64)
		if err != nil || !(share >= 0 && share <= 1) {
			return s, fmt.Errorf("links %q: %s needs a share between 0 and 1, not %q", text, name, value)
		}
		switch name {
		case "coverage":
			s.Coverage = share
		case "stale":
			s.Stale = share
		default:
			return s, fmt.Errorf("links %q: unknown setting %q; coverage and stale are known", text, name)
		}
	}
	return s, s.check(text)
}

func (s Spec) check(text string) error {
	if s.Path == "" {
		return fmt.Errorf("links %q: the file is missing; write LINKS.tsv.gz[:coverage=0.5,stale=0.2]", text)
	}
	return nil
}
