package tagtree

import (
	"hash/maphash"
	"math"
	"strings"
	"sync"

	"eventseer/webgraph"
)

// Limits on what a Site remembers; pages and texts beyond them are not counted.
const (
	maxSitePages    = 5_000
	maxFingerprints = 50_000
)

// What stands on at least minRepeats pages of a site and on more than half of
// them is repeated by the site rather than said by the page: two pages may well
// tell the same, and what a part of the site repeats may be that part's matter.
const minRepeats = 3

// priorPages is how many pages of a site the averages of our corpora count for;
// averages less than minGap apart, a factor of two, tell nothing.
const (
	priorPages = 10
	minGap     = 1
)

// A Site learns from the pages of one site what repeats on them, and how much
// text its hub and its informational pages have (papers 000/001, section 4.1).
// What is one site is for the caller to say. The pages' order does not matter
// until a limit is reached: 5,000 pages, 50,000 different texts. It is safe for
// concurrent use.
type Site struct {
	seed maphash.Seed

	mu        sync.RWMutex // guards below
	seen      map[uint64]bool
	pages     int
	repeats   map[uint64]int32 // how many pages hold a block
	hub, info sum
}

// NewSite returns a site that knows no page.
func NewSite() *Site {
	return &Site{seed: maphash.MakeSeed(), seen: make(map[uint64]bool), repeats: make(map[uint64]int32)}
}

// Pages returns how many pages the site has learned from.
func (s *Site) Pages() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.pages
}

// Add learns from a page. An address or a text that came before is not counted
// again.
func (s *Site) Add(t *Tree) {
	prints := s.fingerprints(t)
	address := maphash.String(s.seed, "url "+canonicalOr(t.Page.URL))
	text := maphash.String(s.seed, "text "+t.text)
	a := t.Analysis()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seen[address] || s.seen[text] || s.pages == maxSitePages {
		return
	}
	s.seen[address], s.seen[text] = true, true
	s.pages++
	counted := make(map[uint64]bool, len(prints))
	for _, f := range prints {
		n, known := s.repeats[f]
		if !counted[f] && (known || len(s.repeats) < maxFingerprints) {
			s.repeats[f] = n + 1
		}
		counted[f] = true
	}
	switch a.Kind {
	case HubPage:
		s.hub.add(sizeOf(a.main()))
	case InfoPage:
		s.info.add(sizeOf(a.main()))
	}
}

// AnalysisAt is Analysis with what is known of the page's site, to which the
// page itself may have been added or not: menus that most of its pages repeat are
// navigation, and the page's kind is told by the site's averages. A menu is what
// links other pages of the host. Repeated text stays what it is, for on the pages
// of a conference that is its name, place and deadlines; so do headings, links to
// a start page, links that hold a digit or stand in the page's title, and all of
// a page that says little but what others say.
func (t *Tree) AnalysisAt(s *Site) *Analysis { return t.analyze(s) }

// mark makes navigation of the menus that the site repeats.
func (s *Site) mark(t *Tree, kinds []AreaKind) {
	repeated := s.repeated(t)
	if isCopy(t.blocks, repeated) {
		return
	}
	menu := t.menus()
	for i := range kinds {
		if repeated[i] && menu[i] {
			kinds[i] = Navigation
		}
	}
}

// menus tells for each block whether it may be an item of a menu.
func (t *Tree) menus() []bool {
	menu, other := make([]bool, len(t.blocks)), make([]bool, len(t.blocks))
	host := webgraph.HostOf(t.Page.URL)
	for i, l := range t.links {
		spot, inner := t.spots[i], webgraph.HostOf(l.Target) == host && !t.leadsHome(l.Target)
		for b := int(spot.block); b < len(menu) && t.blocks[b].Start < int(spot.end); b++ {
			menu[b], other[b] = menu[b] || inner, other[b] || !inner
		}
	}
	for i, b := range t.blocks {
		menu[i] = menu[i] && !other[i] && 2*b.Linked > len(b.Text) && b.Kind != Heading &&
			!strings.ContainsAny(b.Text, "0123456789") && !strings.Contains(t.title, b.Text)
	}
	return menu
}

// leadsHome reports whether an address is that of a start page above this page:
// its link shows the site's name.
func (t *Tree) leadsHome(target string) bool {
	slash := strings.LastIndexByte(target, '/') + 1
	return strings.HasPrefix(t.Page.URL, target[:slash]) && isStart(target[slash:])
}

// isStart reports whether a file is what a server shows of a folder.
func isStart(file string) bool {
	name, _, _ := strings.Cut(file, ".")
	return name == "" || name == "index" || name == "default" || name == "home"
}

// repeated tells for each block whether the site repeats it.
func (s *Site) repeated(t *Tree) []bool {
	prints := s.fingerprints(t)
	repeated := make([]bool, len(prints))
	s.mu.RLock()
	defer s.mu.RUnlock()
	for i, f := range prints {
		n := int(s.repeats[f])
		repeated[i] = n >= minRepeats && 2*n > s.pages
	}
	return repeated
}

// isCopy reports whether most text that is no link is repeated: then other pages
// of the site are versions of this one, and what they share is what it is about.
func isCopy(blocks []Block, repeated []bool) bool {
	clean, shared := 0, 0
	for i, b := range blocks {
		clean += len(b.Text) - b.Linked
		if repeated[i] {
			shared += len(b.Text) - b.Linked
		}
	}
	return 2*shared > clean
}

// fingerprints returns a number for each block, the same for the same text at
// the same path, whatever the places among siblings.
func (s *Site) fingerprints(t *Tree) []uint64 {
	prints := make([]uint64, len(t.blocks))
	var h maphash.Hash
	h.SetSeed(s.seed)
	for i, b := range t.blocks {
		h.Reset()
		from := 0
		for j := range len(b.Path) {
			switch b.Path[j] {
			case '[':
				h.WriteString(b.Path[from:j])
			case ']':
				from = j + 1
			}
		}
		h.WriteString(b.Path[min(from, len(b.Path)):])
		h.WriteByte(' ')
		h.WriteString(b.Text)
		prints[i] = h.Sum64()
	}
	return prints
}

// averages returns the site's, mixed with those of our corpora; what its hub and
// its informational pages hardly differ in is not taken from it.
func (s *Site) averages() averages {
	s.mu.RLock()
	defer s.mu.RUnlock()
	a := averages{hub: s.hub.mean(mainAverages.hub), info: s.info.mean(mainAverages.info)}
	if a.info.text-a.hub.text < minGap {
		a.hub.text, a.info.text = mainAverages.hub.text, mainAverages.info.text
	}
	if a.info.ratio-a.hub.ratio < minGap {
		a.hub.ratio, a.info.ratio = mainAverages.hub.ratio, mainAverages.info.ratio
	}
	return a
}

// A sum adds up sizes, in integers: their order makes no difference.
type sum struct{ n, text, ratio int64 }

// sumUnit is one in a sum.
const sumUnit = 1 << 20

func (s *sum) add(v size) {
	s.n++
	s.text += int64(math.Round(v.text * sumUnit))
	s.ratio += int64(math.Round(v.ratio * sumUnit))
}

// mean returns the mean size; prior counts as priorPages pages.
func (s sum) mean(prior size) size {
	n := float64(s.n + priorPages)
	return size{
		text:  (float64(s.text)/sumUnit + float64(priorPages*prior.text)) / n,
		ratio: (float64(s.ratio)/sumUnit + float64(priorPages*prior.ratio)) / n,
	}
}
