package tagtree

import (
	"hash/maphash"
	"math"
	"strings"
	"sync"
)

// Limits on what a Site remembers; pages and texts beyond them are not counted.
const (
	maxSitePages    = 5_000
	maxFingerprints = 50_000
)

// minRepeats is the least number of pages on which a text repeated by a site stands. It also is on
// more than half of them, because two pages may well share a text, and what a part of the site
// repeats may be that part's topic.
const minRepeats = 3

// priorPages is how many pages of a site the averages of our corpora count for. Averages less than
// minGap apart, a factor of two, prove nothing.
const (
	priorPages = 10
	minGap     = 1
)

// A Site learns from the pages of one site what repeats on them. It also learns how much text its
// hub and its informational pages have (papers 000/001, section 4.1). What is one site is for the
// caller to say. The pages' order does not matter until a limit is reached: 5,000 pages, 50,000
// different texts. It is safe for concurrent use.
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

// isStart reports whether a file is the default page of a folder.
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

// isCopy reports whether most text outside links is repeated on other pages. Then those pages are
// versions of this one, and what they share is the topic.
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

// A size is the measure by which a page's kind is recognised (papers 000/001, section 4.1). It has
// the absolute amount of its text and the ratio of text to links, as binary logarithms of one more,
// because pages differ by factors.
type size struct {
	text  float64 // of clean text, in bytes
	ratio float64 // of clean text to link text
}

// averages are the mean sizes of hub and of informational pages.
type averages struct{ hub, info size }

// The averages of our corpora are means over page types of the means over pages. Hub pages are
// cfp_list, informational ones cfp, conference, mail_announcement and the 54 articles;
// institution_topic is left out, since half of it are WebKB's project descriptions. mainAverages
// are of areas outside navigation, rawAverages of whole pages. TestKindsOfCorpora measures them.
var (
	mainAverages = averages{hub: size{9.2, 1.6}, info: size{11.4, 6.5}}
	rawAverages  = averages{hub: size{9.3, 1.3}, info: size{11.6, 4.5}}
)

// Bounds on where a page lies between the averages, 0 being the hubs' and 1 the informational
// ones'. Up to hubBelow it is a hub, from infoFrom on, nearer to the latter, informational. The
// ratio counts for ratioWeight of that place: it tells a list of calls from a conference's page in
// 89 of 100 pairs, the amount of text in 64.
const (
	hubBelow    = 0.2
	infoFrom    = 0.5
	ratioWeight = 2.0 / 3
)

// pageKind returns the kind of a page with these values. Without links it can be no hub.
func pageKind(v Values, of averages) PageKind {
	if v.NumLinks == 0 {
		return InfoPage
	}
	s := sizeOf(v)
	at := float64(ratioWeight*between(s.ratio, of.hub.ratio, of.info.ratio)) +
		float64((1-ratioWeight)*between(s.text, of.hub.text, of.info.text))
	switch {
	case at <= hubBelow:
		return HubPage
	case at < infoFrom:
		return MixedPage
	}
	return InfoPage
}

// main returns the values of the areas outside navigation.
func (a *Analysis) main() Values {
	var v Values
	for _, area := range a.Areas {
		if area.Kind != Navigation {
			v.addChild(area.Values)
		}
	}
	return v
}

func sizeOf(v Values) size {
	return size{text: math.Log2(1 + float64(v.CleanText)), ratio: math.Log2(1 + v.LTR())}
}

// between returns where x lies on the way from a (0) to b (1).
func between(x, a, b float64) float64 { return (x - a) / (b - a) }
