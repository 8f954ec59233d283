package simweb

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/eventseer/eventseer/webgraph"
)

// A hostKind is what sort of pages a host of a large web holds.
type hostKind int

const (
	conferenceHost hostKind = iota
	institutionHost
	listHost
	journalHost
	offHost
)

// hostWords are what names of hosts begin with, by kind.
var hostWords = [...]string{"conf", "uni", "calls", "journal", "site"}

// subdomains are the hosts of one registered domain.
var subdomains = [groupSize]string{"www", "cs", "events", "people"}

const groupSize = 4

// A largeHost is what follows from a host's number.
type largeHost struct {
	n           int
	kind        hostKind
	topic, rank int
	start, size int
	branch      int  // children of a page in the tree of the host's pages
	past        bool // a host whose events have no calls, or none any more
	bits        uint64
}

func (w *Large) hostBits(h int) uint64 { return keyed(w.seed, 20, uint64(h)) }

// host returns what follows from a number below Hosts.
func (w *Large) host(h int) largeHost {
	t := w.topicOfHost(h)
	b := w.hostBits(h)
	out := largeHost{n: h, topic: t, rank: w.topics[t].ranks.inverse(h - w.topics[t].host), bits: b,
		start: int(w.starts[h]), size: int(w.starts[h+1] - w.starts[h]), branch: 2 + int(b>>40%6)}
	out.kind = w.kindOf(h, t, out.size)
	out.past = out.kind == conferenceHost && out.rank != w.topics[t].hosts/2 && b>>60%2 == 0 || w.rare(h)
	return out
}

func (w *Large) kindOf(h, topic, size int) hostKind {
	if w.words.topics[topic].off {
		return offHost
	}
	t := &w.topics[topic]
	switch b := w.hostBits(h) >> 8 % 100; {
	case (b < 16 || t.ranks.inverse(h-t.host) == t.hosts/2) && size >= 3 && size < 120:
		return conferenceHost
	case b < 72:
		return institutionHost
	case b < 85:
		return listHost
	default:
		return journalHost
	}
}

// usualTargets is the share of calls among the pages of a web whose options name none.
const usualTargets = 0.009

// rare says that the host has no calls because the options want fewer of them.
func (w *Large) rare(h int) bool {
	return w.o.Targets > 0 && float64(keyed(w.seed, 25, uint64(h))>>11)/(1<<53) > w.o.Targets/usualTargets
}

// topicOfHost returns the number of the topic that holds host h.
func (w *Large) topicOfHost(h int) int {
	return sort.Search(len(w.topics), func(t int) bool { return w.topics[t].host > h }) - 1
}

// hostOf returns the host of page n.
func (w *Large) hostOf(n int) int {
	h, found := slices.BinarySearch(w.starts, uint32(n))
	if found {
		return h
	}
	return h - 1
}

// grouped says that a host shares its registered domain with its neighbours.
func (w *Large) grouped(h int) bool { return keyed(w.seed, 21, uint64(h/groupSize))%3 == 0 }

// name returns the host's name. A number in it is what hostNumber reads.
func (w *Large) name(h int) string {
	tld := ".example"
	if w.hostBits(h/groupSize)%6 == 0 {
		tld = ".test"
	}
	if w.grouped(h) {
		return subdomains[h%groupSize] + ".campus-" + strconv.Itoa(h/groupSize) + tld
	}
	t := w.topicOfHost(h)
	kind := w.kindOf(h, t, w.sizeOf(h))
	return hostWords[kind] + "-" + strconv.Itoa(h) + tld
}

// hostNumber returns the number of a name that name gives.
func (w *Large) hostNumber(name string) (int, bool) {
	label, ok := strings.CutSuffix(name, ".example")
	if !ok {
		label, ok = strings.CutSuffix(name, ".test")
	}
	dash := strings.LastIndexByte(label, '-')
	if !ok || dash < 0 {
		return 0, false
	}
	n, err := strconv.Atoi(label[dash+1:])
	if err != nil || n < 0 || n >= w.o.Hosts {
		return 0, false
	}
	if sub, _, dotted := strings.Cut(label, "."); dotted {
		n = n*groupSize + slices.Index(subdomains[:], sub)
	}
	return n, n >= 0 && n < w.o.Hosts && w.name(n) == name
}

// Knows reports whether the host resolves: it is of this web and not dead.
func (w *Large) Knows(host webgraph.Host) bool {
	h, ok := w.hostNumber(strings.ToLower(string(host)))
	return ok && !w.dead(w.host(h))
}

// hostFan is how many hosts a host of the tree has below it.
const hostFan = 8

// hidden says that no page of another host links to the host. It is one in 16 of the hosts that no other host of
// the tree is reached by. Backlinks of what the host links to lead there.
func (w *Large) hidden(h int) bool {
	if w.hostBits(h)>>20%16 != 0 {
		return false
	}
	t := &w.topics[w.topicOfHost(h)]
	rank := t.ranks.inverse(h - t.host)
	return rank > 0 && rank*hostFan+1 >= t.hosts
}

// dead says that the host does not resolve: one in 40 of those that no other
// host of the tree is reached by.
func (w *Large) dead(h largeHost) bool {
	return h.rank*hostFan+1 >= w.topics[h.topic].hosts && h.rank > 0 && h.bits>>16%40 == 0
}

// Latency returns the delay before the host answers. It is log-normal with a median of 40 ms, ten
// times as much for one host in 100, at most 2 s. It is 0 for hosts of other webs.
func (w *Large) Latency(host webgraph.Host) time.Duration {
	h, ok := w.hostNumber(strings.ToLower(string(host)))
	if !ok {
		return 0
	}
	const unit = 1.0 / (1 << 53)
	u, v := float64(keyed(w.seed, 22, uint64(h))>>11+1)*unit, float64(keyed(w.seed, 23, uint64(h))>>11)*unit
	ms := 40 * math.Exp(.7*math.Sqrt(-2*math.Log(u))*math.Cos(2*math.Pi*v))
	if w.hostBits(h)>>24%100 == 0 {
		ms *= 10
	}
	return time.Duration(min(ms, 2000) * float64(time.Millisecond))
}

// outage is how long a host that is down stays so at a time.
const outage = 2 * time.Second

// Down reports whether the host answers 503 at that time. One host in 10 does so in one of 128
// windows of 2 s. In 20 webs of 10⁶ pages not one page then answers 503 three times in a row to a
// crawler that retries later.
func (w *Large) Down(host webgraph.Host, at time.Time) bool {
	h, ok := w.hostNumber(strings.ToLower(string(host)))
	window := uint64(at.UnixNano() / int64(outage))
	return ok && w.hostBits(h)>>32%10 == 0 && keyed(w.seed, 24, uint64(h), window)%128 == 0
}

// fenced says that robots are kept out of a part of the host.
func (h largeHost) fenced() bool { return h.bits>>48%3 == 0 }

// robots is the host's robots.txt.
func (h largeHost) robots() string {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	if h.fenced() {
		b.WriteString("Disallow: /internal/\n")
	} else {
		b.WriteString("Disallow:\n")
	}
	if delay := h.crawlDelay(); delay > 0 {
		fmt.Fprintf(&b, "Crawl-delay: %d\n", delay/time.Second)
	}
	return b.String()
}

// crawlDelay returns the Crawl-delay of the host's robots.txt, 0 for none.
func (h largeHost) crawlDelay() time.Duration {
	if delay := h.bits >> 56 % 64; delay == 1 || delay == 2 {
		return time.Duration(delay) * time.Second
	}
	return 0
}
