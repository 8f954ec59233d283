package simweb

import (
	"context"
	"iter"
	"math/bits"
	"slices"
	"strconv"

	"github.com/eventseer/eventseer/webgraph"
)

const (
	maxDegree  = 48  // of the random links of a page
	degreeTail = 1.0 // P(k random links or more) ~ k^-degreeTail
	maxCalls   = 240 // calls that a page speaks of
)

// A link leads to a page's number, to gone, a page that is no more, or to lost, a host
// that is none.
const (
	gone = -1
	lost = -2
)

// edges appends where the links of p lead, each page once and never p.
func (w *Large) edges(p largePlace, out []int) []int {
	first := len(out)
	add := func(n int) {
		if n == p.n || slices.Contains(out[first:], n) {
			return
		}
		if at := n - p.host.start; n >= 0 && (at < 0 || at >= p.host.size) && w.hidden(w.hostOf(n)) {
			return
		}
		out = append(out, n)
	}
	h, t := p.host, &w.topics[p.host.topic]
	if p.i > 0 {
		add(h.start)
		add(h.start + (p.i-1)/h.branch)
	}
	for n, end := h.children(p.i); n < end; n++ {
		add(n)
	}
	for _, i := range h.menu() {
		add(h.start + i)
	}
	if p.kind == CFP {
		for i := range h.calls() {
			add(h.start + i)
		}
	}
	for k := range ownLinked {
		if i := (p.i/ownEvery+k)*ownEvery + ownFirst; h.kind == listHost && !h.past && i < h.size {
			add(h.start + i)
		}
	}
	w.treeEdges(p, add)
	for j := range w.callsOn(p) {
		called := w.mentionedHost(p, j)
		add(called.start + called.mentioned(j))
	}
	for k := range w.degree(p.n) {
		switch scatterOf(k) {
		case globalLink:
			add(int(w.starts[w.global[k].target(p.n)]))
		case homeLink:
			add(int(w.starts[t.host+t.toHomes[k].target(p.n-t.page)]))
		default:
			add(w.linkable(t.page + t.toPages[k].target(p.n-t.page)))
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

// children returns the first page below page i in the tree of the host's pages, and
// the page behind the last.
func (h largeHost) children(i int) (from, to int) {
	return h.start + i*h.branch + 1, h.start + min((i+1)*h.branch+1, h.size)
}

const (
	menuPages = 7 // pages of a conference, its first call among them, that all its pages link to
	menuCalls = 3 // calls that they link to
)

// calls yields the calls of a conference, by number within the host. They link to each other.
func (h largeHost) calls() iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := 1; h.kind == conferenceHost && !h.past && i < h.size && yield(i); i += callEvery {
		}
	}
}

// menu returns the pages that all pages of a conference link to, by number within the host.
func (h largeHost) menu() []int {
	if h.kind != conferenceHost {
		return nil
	}
	var out []int
	for i := 1; i < h.size && i <= menuPages; i++ {
		out = append(out, i)
	}
	for i := 1 + callEvery; !h.past && i < h.size && i <= 1+(menuCalls-1)*callEvery; i += callEvery {
		out = append(out, i)
	}
	return out
}

// nearMentions is how many of the events that a page mentions are of its topic. Longer lists mention
// those of all hosts.
const nearMentions = 24

// mentionedHost is the host whose event is mention j of p.
func (w *Large) mentionedHost(p largePlace, j int) largeHost {
	t, h := &w.topics[p.host.topic], 0
	if j < nearMentions {
		h = t.host + t.toCalls[j].target(p.n-t.page)
	} else {
		h = w.fieldHost(w.events[j].target(p.n))
	}
	if ofConference(j) {
		h = w.eventHost(h)
	}
	return w.host(h)
}

// ofConference says that mention j leads to a conference. One in four leads to any host, such as that of organizers.
func ofConference(j int) bool { return j%4 > 0 }

// fieldHost maps the numbers of hosts onto those of hosts on a field of research.
func (w *Large) fieldHost(x int) int {
	t := &w.topics[w.fields[x%len(w.fields)]]
	return t.host + x/len(w.fields)%t.hosts
}

// fieldSources yields the numbers that fieldHost maps onto host h, none if h is off-topic.
func (w *Large) fieldSources(h int) iter.Seq[int] {
	return func(yield func(int) bool) {
		topic := w.topicOfHost(h)
		t := &w.topics[topic]
		f, ok := slices.BinarySearch(w.fields, topic)
		for x := (h-t.host)*len(w.fields) + f; ok && x < w.o.Hosts; x += t.hosts * len(w.fields) {
			if !yield(x) {
				return
			}
		}
	}
}

// maxToEvent bounds how far eventHost looks.
const maxToEvent = 64

// eventHost returns the first conference from host h on, in its topic and in a circle. It returns h if none of the
// next maxToEvent hosts is one.
func (w *Large) eventHost(h int) int {
	topic := w.topicOfHost(h)
	t := &w.topics[topic]
	for i := range min(t.hosts, maxToEvent) {
		at := t.host + (h-t.host+i)%t.hosts
		if w.kindOf(at, topic, w.sizeOf(at)) == conferenceHost {
			return at
		}
	}
	return h
}

// mentionSources yields the hosts that mention j maps onto host h: h itself, or those that eventHost does.
func (w *Large) mentionSources(h, j int) iter.Seq[int] {
	return func(yield func(int) bool) {
		if !ofConference(j) {
			yield(h)
			return
		}
		t := &w.topics[w.topicOfHost(h)]
		for i := range min(t.hosts, maxToEvent) {
			from := t.host + (h-t.host-i+t.hosts)%t.hosts
			if w.eventHost(from) != h {
				return
			}
			if !yield(from) {
				return
			}
		}
	}
}

func (w *Large) sizeOf(h int) int { return int(w.starts[h+1] - w.starts[h]) }

// mentioned is the page that mention j of the host's event leads to. One in mentionsOfHome+1 leads to
// the call, the others to the front page.
func (h largeHost) mentioned(j int) int {
	if j%(mentionsOfHome+1) == mentionsOfHome/2 {
		return h.call()
	}
	return 0
}

const mentionsOfHome = 31

// topicFan is how many topics a topic of the tree has below it.
const topicFan = 3

// treeEdges adds the links between hosts that make every host reachable. The front page links the
// host above, one of the first pages each host below.
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
	case 1:
		return homeLink
	case 3, 5, 6:
		return globalLink
	}
	return topicLink
}

// linkable returns the page that a random link to page n leads to. It is the front page of the host if n is a call,
// else n.
func (w *Large) linkable(n int) int {
	if p := w.placeOfPage(n); p.kind == CFP {
		return p.host.start
	}
	return n
}

// callsOn is how many calls of its topic p speaks of.
func (w *Large) callsOn(p largePlace) int {
	b := keyed(w.seed, 32, uint64(p.n))
	switch {
	case p.host.kind == offHost:
		return 0
	case p.kind == CFPList:
		return min(8<<bits.TrailingZeros64(b|32), maxCalls) // 8, 16, 32, 64, 128 or 240
	case p.kind == InstitutionTopic:
		return int(b % 4)
	case p.kind == Homepage:
		return int(b % 8 / 7)
	case p.kind == Conference && p.i == 0:
		return int(b % 3)
	}
	return 0
}

// href returns the URL that p writes for a page. One link in 48 leads through a redirect of the
// target's host, one through one of p's own.
func (w *Large) href(p largePlace, to int) string {
	switch to {
	case gone:
		return "http://" + w.name(p.host.n) + gonePath + strconv.Itoa(p.i)
	case lost:
		return "http://lost-" + strconv.Itoa(p.n) + ".invalid/"
	}
	target := w.placeOfPage(to)
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

// Links returns the links of the page at url, in the order of the page. Target is as written there,
// so it may be a redirect or lead nowhere. It is nil where there is no page; Context and Path stay
// empty.
func (w *Large) Links(url string) []webgraph.Link {
	p, ok := w.placeOf(url)
	if !ok {
		return nil
	}
	return w.links(p)
}

func (w *Large) links(p largePlace) []webgraph.Link {
	url := w.url(p)
	var buf [80]int
	edges := w.edges(p, buf[:0])
	out := make([]webgraph.Link, len(edges))
	for i, to := range edges {
		out[i] = webgraph.Link{Source: url, Target: w.href(p, to), Anchor: w.anchor(p, to)}
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
	return w.placeOfPage(n), true
}

// Backlinks returns up to limit links of other pages that lead to the page at url, directly or by a
// redirect. Target is as it is written. The time it takes grows with the popularity of the page, 48
// ways of linking each.
func (w *Large) Backlinks(url string, limit int) []webgraph.Link {
	p, ok := w.placeOf(url)
	if !ok || limit <= 0 {
		return nil
	}
	var out []webgraph.Link
	seen := map[int]bool{}
	var buf [80]int
	for n := range w.sources(p) {
		source := w.placeOfPage(n)
		if seen[n] || w.dead(source.host) || !slices.Contains(w.edges(source, buf[:0]), p.n) {
			continue
		}
		seen[n] = true
		out = append(out, webgraph.Link{Source: w.url(source), Target: w.href(source, p.n), Anchor: w.anchor(source, p.n)})
		if len(out) == limit {
			break
		}
	}
	return out
}

// sources yields the pages that may link p, some twice: edges read backwards.
func (w *Large) sources(p largePlace) iter.Seq[int] {
	return func(yield func(int) bool) {
		for _, r := range w.treeSources(p) {
			for n := r[0]; n < r[1]; n++ {
				if !yield(n) {
					return
				}
			}
		}
		h, t := p.host, &w.topics[p.host.topic]
		if p.i == 0 || p.i == h.call() {
			for j := range t.toCalls {
				if p.i != h.mentioned(j) {
					continue
				}
				for event := range w.mentionSources(h.n, j) {
					for x := range t.toCalls[j].sources(event - t.host) {
						if !yield(t.page + x) {
							return
						}
					}
				}
			}
			for j := nearMentions; j < maxCalls; j++ {
				if p.i != h.mentioned(j) {
					continue
				}
				for event := range w.mentionSources(h.n, j) {
					for from := range w.fieldSources(event) {
						for x := range w.events[j].sources(from) {
							if w.host(w.hostOf(x)).kind == listHost && !yield(x) {
								return
							}
						}
					}
				}
			}
		}
		for k := range maxDegree {
			from, first := w.deepSources(p, k), t.page
			switch scatterOf(k) {
			case globalLink:
				if p.i > 0 {
					continue
				}
				from, first = w.global[k].sources(h.n), 0
			case homeLink:
				if p.i > 0 {
					continue
				}
				from = t.toHomes[k].sources(h.n - t.host)
			}
			for x := range from {
				if w.degree(first+x) > k && !yield(first+x) {
					return
				}
			}
		}
	}
}

// deepSources yields the pages of p's topic, counted from its first one, whose random link k may lead to p.
func (w *Large) deepSources(p largePlace, k int) iter.Seq[int] {
	t := &w.topics[p.host.topic]
	return func(yield func(int) bool) {
		for i := p.i; i < p.host.size; i++ {
			if i > p.i && p.host.pageKind(i) != CFP {
				continue
			}
			for x := range t.toPages[k].sources(p.host.start + i - t.page) {
				if !yield(x) {
					return
				}
			}
			if p.i > 0 {
				return
			}
		}
	}
}

// treeSources returns the pages that link p in one of the trees, as ranges of a first
// page and one behind the last.
func (w *Large) treeSources(p largePlace) [][2]int {
	h := p.host
	if slices.Contains(h.menu(), p.i) {
		return [][2]int{{h.start, h.start + h.size}}
	}
	if p.i > 0 {
		above := h.start + (p.i-1)/h.branch
		from, to := h.children(p.i)
		near := [][2]int{{above, above + 1}, {from, to}}
		if p.kind == CFP {
			for i := range h.calls() {
				near = append(near, [2]int{h.start + i, h.start + i + 1})
			}
			if h.kind == listHost {
				near = append(near, [2]int{h.start + max(0, p.i/ownEvery-ownLinked+1)*ownEvery, h.start + min(h.size, (p.i/ownEvery+1)*ownEvery)})
			}
		}
		return near
	}
	var near [][2]int
	around := func(topic, rank int) { // the first pages of a host of the tree
		if topic < len(w.topics) && rank < w.topics[topic].hosts {
			at := w.topics[topic].host + w.topics[topic].ranks.forward(rank)
			first := int(w.starts[at])
			near = append(near, [2]int{first, min(first+3, int(w.starts[at+1]))})
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
	for slot := range hostFan {
		around(h.topic, h.rank*hostFan+1+slot)
	}
	return append(near, [2]int{h.start + 1, h.start + h.size})
}

// Reachable calls each with every page that a polite crawl from the URLs of from finds, nearest
// first and each once, until each returns false. These are all pages that answer 200, redirects
// followed, on hosts that resolve and where robots.txt allows it. It keeps a bit a page and a queue
// of 4 bytes for each page seen and not yet followed. It returns ctx's error when that ends.
func (w *Large) Reachable(ctx context.Context, from []string, each func(url string) bool) error {
	seen := newBitset(w.o.Pages)
	var queue, next []uint32
	push := func(n int) {
		if !seen.has(n) {
			seen.add(n)
			if p := w.placeOfPage(n); !w.dead(p.host) && !p.host.disallowed(p.i) {
				next = append(next, uint32(n))
			}
		}
	}
	for _, url := range from {
		page, _ := w.Page(url)
		if page.Location != "" && page.Status != 0 {
			url = page.Location
		}
		if p, ok := w.placeOf(url); ok {
			push(p.n)
		}
	}
	var buf []int
	for len(next) > 0 {
		queue, next = next, queue[:0]
		for _, n := range queue {
			if err := ctx.Err(); err != nil {
				return err
			}
			p := w.placeOfPage(int(n))
			if !each(w.url(p)) {
				return nil
			}
			buf = w.edges(p, buf[:0])
			for _, to := range buf {
				if to >= 0 {
					push(to)
				}
			}
		}
	}
	return nil
}
