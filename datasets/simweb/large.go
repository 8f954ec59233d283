package simweb

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// defaultNow is the day of webs whose options name none.
var defaultNow = time.Date(2027, time.January, 11, 0, 0, 0, 0, time.UTC)

// The bounds of LargeOptions.
const (
	MaxLargeHosts = 10_000_000
	MaxLargePages = 100_000_000
	MaxDraws      = 100
)

// LargeOptions say which large web to make.
type LargeOptions struct {
	// Seed chooses the web. All seeds give webs of the same make.
	Seed uint64
	// Hosts is how many hosts there are, 1 to MaxLargeHosts.
	Hosts int
	// Pages is how many pages they hold together, Hosts to MaxLargePages.
	Pages int
	// Targets is the share of the pages that are calls, about, 1e-6 to 0.01. Zero means 0.009. It cannot be
	// reached with fewer than some thousand hosts.
	Targets float64
	// Draws is how many sets of seeds Draws returns, up to MaxDraws. Zero means one.
	Draws int
	// Now is the day around which the deadlines lie. Zero means 2027-01-11.
	Now time.Time
	// Latency is what ServeHTTP multiplies the latencies of hosts by, 0 to 100.
	// Zero answers at once.
	Latency float64
	// Clock is the clock by which ServeHTTP decides whether a host is down. Nil means time.Now.
	Clock func() time.Time
}

// check names the bound that o breaks.
func (o LargeOptions) check() error {
	switch {
	case o.Hosts < 1 || o.Hosts > MaxLargeHosts:
		return fmt.Errorf("large web: hosts=%d, want 1 to %d", o.Hosts, MaxLargeHosts)
	case o.Pages < o.Hosts || o.Pages > MaxLargePages:
		return fmt.Errorf("large web: pages=%d, want %d (one a host) to %d", o.Pages, o.Hosts, MaxLargePages)
	case o.Targets != 0 && !(o.Targets >= 1e-6 && o.Targets <= 0.01):
		return fmt.Errorf("large web: targets=%g, want 0.000001 to 0.01", o.Targets)
	case o.Draws < 0 || o.Draws > MaxDraws:
		return fmt.Errorf("large web: draws=%d, want at most %d", o.Draws, MaxDraws)
	case !(o.Latency >= 0 && o.Latency <= 100):
		return fmt.Errorf("large web: latency=%g, want 0 to 100", o.Latency)
	}
	return nil
}

// maxSpec is the longest text that ParseLarge reads.
const maxSpec = 200

// ParseLarge reads options such as "hosts=10000,pages=1e6,seed=7". Hosts and
// pages must be there; targets=1e-4 makes calls rare, draws=12 asks for as many sets of seeds, latency=1 turns the latencies on. Every name may come
// once. The options it returns are those that NewLarge takes.
func ParseLarge(spec string) (LargeOptions, error) {
	var o LargeOptions
	fail := func(format string, args ...any) (LargeOptions, error) {
		return LargeOptions{}, fmt.Errorf("large web: "+format+"; write hosts=10000,pages=1e6,seed=7", args...)
	}
	if len(spec) > maxSpec {
		return fail("%d bytes, at most %d are read", len(spec), maxSpec)
	}
	seen := map[string]bool{}
	for part := range strings.SplitSeq(spec, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), "=")
		if !ok || seen[name] {
			return fail("%q is no name=value, or is there twice", part)
		}
		seen[name] = true
		var err error
		switch name {
		case "hosts":
			o.Hosts, err = parseCount(value)
		case "pages":
			o.Pages, err = parseCount(value)
		case "seed":
			o.Seed, err = strconv.ParseUint(value, 10, 64)
		case "targets":
			o.Targets, err = strconv.ParseFloat(value, 64)
		case "draws":
			o.Draws, err = parseCount(value)
		case "latency":
			o.Latency, err = strconv.ParseFloat(value, 64)
		default:
			return fail("unknown name %q: there are hosts, pages, seed, targets, draws and latency", name)
		}
		if err != nil {
			return fail("%s=%q: %v", name, value, err)
		}
	}
	return o, o.check()
}

// parseCount reads a whole number, also one written as 1e6.
func parseCount(text string) (int, error) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > MaxLargePages {
		return 0, fmt.Errorf("want a whole number up to %d", MaxLargePages)
	}
	return int(f), nil
}

// A Large is a generated web of any size. Every page, link and failure is a function of seed and
// URL, and only where the pages of a host begin is stored (4 bytes a host). It is read-only and
// safe for concurrent use.
//
// Hosts lie side by side by topic, a host's pages side by side by number. A page
// links pages of its own host (a tree), of the hosts above and below in a tree of
// hosts, and others by scatters, each of which can be read backwards.
//
// Links lead to calls as in the frozen web (decision 073). Measured with 1,000 hosts, 20,000 pages and seed 7
// (TestLargeIsMadeLikeAWeb): exponents of the in-degrees 1.9 and of the out-degrees 2.8 from 10 links up. 66 % of
// the links between hosts stay in the topic (chance 2 %), 0.9 % of the pages are targets, and 95 % of the live
// pages are reached from the seeds, half of them in 6 steps.
type Large struct {
	o       LargeOptions
	seed    uint64
	now     time.Time
	words   *largeWords
	starts  []uint32 // of host h, and at the end Pages
	topics  []largeTopic
	fields  []int                 // the topics that are fields of research, in their order
	degrees [maxDegree + 1]uint64 // see degree
	global  [maxDegree]scatter
	events  [maxCalls]scatter // from pages to hosts whose events they mention, from mention nearMentions on
}

// A largeTopic is a range of hosts and, with it, of pages.
type largeTopic struct {
	host, hosts int
	page, pages int
	ranks       permutation // of its hosts, rank in the tree → host
	toPages     [maxDegree]scatter
	toHomes     [maxDegree]scatter
	toCalls     [nearMentions]scatter
}

// NewLarge makes the web of o: the same options give the same bytes. The error
// names the bound that o breaks. It takes a microsecond a host at most.
func NewLarge(o LargeOptions) (*Large, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Now.IsZero() {
		o.Now = defaultNow
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	w := &Large{o: o, seed: keyed(o.Seed, 1), now: o.Now.UTC().Truncate(24 * time.Hour), words: loadLargeWords()}
	w.layOut()
	for k := range w.degrees {
		w.degrees[k] = uint64(math.Pow(float64(k+1), -degreeTail) * (1 << 32))
	}
	for k := range w.global {
		w.global[k] = newScatter(o.Pages, o.Hosts, keyed(w.seed, 2, uint64(k)))
	}
	for j := range w.events {
		w.events[j] = newScatter(o.Pages, o.Hosts, keyed(w.seed, 11, uint64(j)))
	}
	for t, hosts := range w.topicHosts() {
		w.topics = append(w.topics, w.newTopic(t, hosts[0], hosts[1]))
		if !w.words.topics[t].off {
			w.fields = append(w.fields, t)
		}
	}
	return w, nil
}

// topicHosts returns the range of hosts of each topic. Every topic has one host at least. Of the others,
// offShare in offShare+1 are off-topic.
func (w *Large) topicHosts() [][2]int {
	topics := w.words.topics[:min(len(w.words.topics), w.o.Hosts)]
	var off int
	for _, t := range topics {
		if t.off {
			off++
		}
	}
	weight := func(t largeTopicWords) int {
		if t.off {
			return offShare * (len(topics) - off)
		}
		return max(1, off)
	}
	total := 0
	for _, t := range topics {
		total += weight(t)
	}
	out, sum := make([][2]int, len(topics)), 0
	for i, t := range topics {
		lo := i + sum*(w.o.Hosts-len(topics))/total
		sum += weight(t)
		out[i] = [2]int{lo, i + 1 + sum*(w.o.Hosts-len(topics))/total}
	}
	return out
}

// offShare is how many hosts are off-topic for each that is on a field of research.
const offShare = 2

func (w *Large) newTopic(t, lo, hi int) largeTopic {
	tp := largeTopic{host: lo, hosts: hi - lo, page: int(w.starts[lo]), pages: int(w.starts[hi] - w.starts[lo])}
	tp.ranks = newPermutation(tp.hosts, keyed(w.seed, 3, uint64(t)))
	for k := range maxDegree {
		tp.toPages[k] = newScatter(tp.pages, tp.pages, keyed(w.seed, 4, uint64(t), uint64(k)))
		tp.toHomes[k] = newScatter(tp.pages, tp.hosts, keyed(w.seed, 5, uint64(t)))
		tp.toHomes[k].from = newPermutation(tp.pages, keyed(w.seed, 6, uint64(t), uint64(k)))
		tp.toPages[k].to = newPermutation(tp.pages, keyed(w.seed, 7, uint64(t)))
	}
	for k := range nearMentions {
		tp.toCalls[k] = newScatter(tp.pages, tp.hosts, keyed(w.seed, 8, uint64(t)))
		tp.toCalls[k].from = newPermutation(tp.pages, keyed(w.seed, 9, uint64(t), uint64(k)))
	}
	return tp
}

const (
	sizeTail  = 1.1  // P(host has n pages or more) ~ n^-sizeTail
	sizeRanks = 4096 // how finely the sizes of hosts are drawn
)

// layOut assigns the number of pages of each host by a power law. A host has at least one page and
// at most a hundredth of all or three times the mean.
func (w *Large) layOut() {
	mean := float64(w.o.Pages) / float64(w.o.Hosts)
	most := max(float64(w.o.Pages)/100, 3*mean)
	ranks := min(sizeRanks, w.o.Hosts)
	sizes := make([]float64, ranks)
	lo, hi := 0.0, 1.1*most
	for range 60 {
		scale, sum := (lo+hi)/2, 0.0
		for i := range sizes {
			sizes[i] = min(most, max(1, scale*math.Pow((float64(i)+.5)/float64(ranks), -1/sizeTail)))
			sum += sizes[i]
		}
		if sum > mean*float64(ranks) {
			hi = scale
		} else {
			lo = scale
		}
	}
	// Fixed point from here on: the last bits of math.Pow are not the same on all machines.
	fixed := make([]uint64, ranks)
	for i, size := range sizes {
		fixed[i] = uint64(math.Round(size * 1024))
	}
	order := newPermutation(w.o.Hosts, keyed(w.seed, 10))
	size := func(h int) uint64 { return fixed[order.forward(h)*ranks/w.o.Hosts] }
	var total, at uint64
	for h := range w.o.Hosts {
		total += size(h)
	}
	w.starts = make([]uint32, w.o.Hosts+1)
	for h := range w.o.Hosts {
		at += size(h)
		left := w.o.Hosts - h - 1 // hosts that still want a page
		high, low := bits.Mul64(at, uint64(w.o.Pages))
		end, _ := bits.Div64(high, low, total)
		w.starts[h+1] = uint32(min(max(int(end), int(w.starts[h])+1), w.o.Pages-left))
	}
	w.starts[w.o.Hosts] = uint32(w.o.Pages)
}
