package simweb

import (
	"math/bits"
	"strconv"

	"eventseer/webgraph"
)

const (
	maxDegree  = 48  // of the random links of a page
	degreeTail = 1.2 // P(k random links or more) ~ k^-degreeTail
	maxCalls   = 60  // calls that a page speaks of
)

// An edge is a link to a page, or to none where to is negative.
type edge struct{ to int }

// gone is the edge to a page that is no more, lost that to a host that is none.
const (
	gone = -1
	lost = -2
)

// edges appends where the links of p lead, each page once and never p.
func (w *Large) edges(p largePlace, out []edge) []edge {
	first := len(out)
	add := func(n int) {
		if n == p.n {
			return
		}
		for _, e := range out[first:] {
			if e.to == n {
				return
			}
		}
		out = append(out, edge{n})
	}
	h, t := p.host, &w.topics[p.host.topic]
	if p.i > 0 {
		add(h.start)
		add(h.start + (p.i-1)/h.branch)
	}
	for c := p.i*h.branch + 1; c <= (p.i+1)*h.branch && c < h.size; c++ {
		add(h.start + c)
	}
	w.treeEdges(p, add)
	for j := range w.callsOn(p) {
		called := w.host(t.host + t.toCalls[j].target(p.n-t.page))
		add(called.start + called.call())
	}
	for k := range w.degree(p.n) {
		switch scatterOf(k) {
		case globalLink:
			add(w.global[k].target(p.n))
		case homeLink:
			add(int(w.starts[t.host+t.toHomes[k].target(p.n-t.page)]))
		default:
			add(t.page + t.toPages[k].target(p.n-t.page))
		}
	}
	switch b := keyed(w.seed, 30, uint64(p.n)) % 50; b {
	case 0:
		add(gone)
	case 1:
		add(lost)
	}
	return out
}

// topicFan is how many topics a topic of the tree has below it.
const topicFan = 3

// treeEdges adds the links between hosts that make every one reachable: the front
// page links the host above, one of the first pages each host below.
func (w *Large) treeEdges(p largePlace, add func(int)) {
	h, t := p.host, &w.topics[p.host.topic]
	home := func(topic, rank int) int {
		return int(w.starts[w.topics[topic].host+w.topics[topic].ranks.forward(rank)])
	}
	if p.i == 0 && h.rank > 0 {
		add(home(h.topic, (h.rank-1)/hostFan))
	}
	for slot := range hostFan {
		if below := h.rank*hostFan + 1 + slot; below < t.hosts && p.i == slot%min(h.size, 3) {
			add(home(h.topic, below))
		}
	}
	if p.i > 0 || h.rank > 0 {
		return
	}
	if h.topic > 0 {
		add(home((h.topic-1)/topicFan, 0))
	}
	for below := h.topic*topicFan + 1; below <= (h.topic+1)*topicFan && below < len(w.topics); below++ {
		add(home(below, 0))
	}
}

// degree is how many random links page n has: at least one.
func (w *Large) degree(n int) int {
	u := keyed(w.seed, 31, uint64(n)) >> 32
	k := 1
	for k < maxDegree && u < w.degrees[k] {
		k++
	}
	return k
}

type linkClass int

const (
	topicLink linkClass = iota
	homeLink
	globalLink
)

// scatterOf says what the random link k of a page leads to.
func scatterOf(k int) linkClass {
	switch k % 8 {
	case 1, 5:
		return homeLink
	case 3, 6:
		return globalLink
	}
	return topicLink
}

// callsOn is how many calls of its topic p speaks of.
func (w *Large) callsOn(p largePlace) int {
	b := keyed(w.seed, 32, uint64(p.n))
	switch {
	case p.host.kind == offHost:
		return 0
	case p.kind == CFPList:
		return min(8<<bits.TrailingZeros64(b|8), maxCalls) // 8, 16, 32 or 60
	case p.kind == InstitutionTopic:
		return 1 + int(b%6)
	case p.kind == Homepage:
		return int(b % 2)
	case p.kind == Conference && p.i == 0:
		return int(b % 3)
	}
	return 0
}

// href returns the URL that p writes for a page: one link in 48 leads through a
// redirect of the target's host, one through one of p's own.
func (w *Large) href(p largePlace, to int) string {
	switch to {
	case gone:
		return "http://" + w.name(p.host.n) + gonePath + strconv.Itoa(p.i)
	case lost:
		return "http://lost-" + strconv.Itoa(p.n) + ".invalid/"
	}
	target := w.place(to)
	switch keyed(w.seed, 33, uint64(p.n), uint64(to)) % 48 {
	case 0:
		return "http://" + w.name(target.host.n) + oldPath + strconv.Itoa(target.i)
	case 1:
		if target.host.n != p.host.n {
			return "http://" + w.name(p.host.n) + outPath + strconv.Itoa(to)
		}
	}
	return w.url(target)
}

// Links returns the links that the page at url holds, in the order of the page:
// Target as it is written there, which may be a redirect or lead nowhere. It is
// nil where there is no page; Context and Path stay empty.
func (w *Large) Links(url string) []webgraph.Link {
	p, ok := w.placeOf(url)
	if !ok {
		return nil
	}
	return w.links(p)
}

func (w *Large) links(p largePlace) []webgraph.Link {
	url := w.url(p)
	var buf [80]edge
	edges := w.edges(p, buf[:0])
	out := make([]webgraph.Link, len(edges))
	for i, e := range edges {
		out[i] = webgraph.Link{Source: url, Target: w.href(p, e.to), Anchor: w.anchor(p, e.to)}
	}
	return out
}

// placeOf returns the page at url, not a redirect, on a host that resolves.
func (w *Large) placeOf(url string) (largePlace, bool) {
	if page, ok := w.Page(url); !ok || page.Status != 200 {
		return largePlace{}, false
	}
	host, path := splitURL(url)
	_, n, _, _ := w.parse(host, path)
	return w.place(n), true
}

// Backlinks returns up to limit links of other pages that lead to the page at
// url, directly or by a redirect; Target is as it is written. The time it takes
// grows with the popularity of the page, 48 ways of linking each.
func (w *Large) Backlinks(url string, limit int) []webgraph.Link {
	p, ok := w.placeOf(url)
	if !ok || limit <= 0 {
		return nil
	}
	var out []webgraph.Link
	seen := map[int]bool{}
	w.sources(p, func(n int) bool {
		source := w.place(n)
		if seen[n] || w.dead(source.host) || !w.joins(source, p.n) {
			return true
		}
		seen[n] = true
		out = append(out, webgraph.Link{Source: w.url(source), Target: w.href(source, p.n), Anchor: w.anchor(source, p.n)})
		return len(out) < limit
	})
	return out
}

func (w *Large) joins(p largePlace, to int) bool {
	var buf [80]edge
	for _, e := range w.edges(p, buf[:0]) {
		if e.to == to {
			return true
		}
	}
	return false
}

// sources calls yield with the pages that may link p, some twice, until it
// returns false: edges read backwards.
func (w *Large) sources(p largePlace, yield func(n int) bool) {
	h, t := p.host, &w.topics[p.host.topic]
	if !w.treeSources(p, yield) {
		return
	}
	in := func(x int) bool { return yield(t.page + x) }
	if p.i == h.call() {
		for j := range t.toCalls {
			if !t.toCalls[j].sources(h.n-t.host, in) {
				return
			}
		}
	}
	for k := range maxDegree {
		more := func(n int) bool { return w.degree(n) <= k || yield(n) }
		ok := true
		switch scatterOf(k) {
		case globalLink:
			ok = w.global[k].sources(p.n, more)
		case homeLink:
			if p.i == 0 {
				ok = t.toHomes[k].sources(h.n-t.host, func(x int) bool { return more(t.page + x) })
			}
		default:
			ok = t.toPages[k].sources(p.n-t.page, func(x int) bool { return more(t.page + x) })
		}
		if !ok {
			return
		}
	}
}

// treeSources yields the pages that link p in one of the trees.
func (w *Large) treeSources(p largePlace, yield func(n int) bool) bool {
	h := p.host
	if p.i > 0 {
		if !yield(h.start + (p.i-1)/h.branch) {
			return false
		}
		for c := p.i*h.branch + 1; c <= (p.i+1)*h.branch && c < h.size; c++ {
			if !yield(h.start + c) {
				return false
			}
		}
		return true
	}
	t := &w.topics[h.topic]
	near := []int{}
	around := func(topic, rank int) { // the first pages of a host of the tree
		if topic < len(w.topics) && rank < w.topics[topic].hosts {
			at := w.topics[topic].host + w.topics[topic].ranks.forward(rank)
			for n := int(w.starts[at]); n < min(int(w.starts[at])+3, int(w.starts[at+1])); n++ {
				near = append(near, n)
			}
		}
	}
	if h.rank > 0 {
		around(h.topic, (h.rank-1)/hostFan)
	} else {
		if h.topic > 0 {
			around((h.topic-1)/topicFan, 0)
		}
		for below := h.topic*topicFan + 1; below <= (h.topic+1)*topicFan; below++ {
			around(below, 0)
		}
	}
	for slot := 0; slot < hostFan && h.rank*hostFan+1+slot < t.hosts; slot++ {
		around(h.topic, h.rank*hostFan+1+slot)
	}
	for _, n := range near {
		if !yield(n) {
			return false
		}
	}
	for c := 1; c < h.size; c++ {
		if !yield(h.start + c) {
			return false
		}
	}
	return true
}
