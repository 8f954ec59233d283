package tagtree

import (
	"hash/maphash"
	"math"
	"strings"
	"sync"
)

// Limits on what a Site stores. Pages and texts beyond them are not counted.
const (
	maxSitePages    = 5_000
	maxFingerprints = 50_000
)

// minRepeats is the minimum number of pages that contain a repeated text. It must also be on more than half
// of the site's pages. Two pages may share a text by chance, and a text of one part of the site may be that
// part's topic.
const minRepeats = 3

// priorPages is the weight of the averages of our corpora, in pages of the site. minGap is the smallest
// difference between the averages of hubs and informational pages that is used, a factor of two.
const (
	priorPages = 10
	minGap     = 1
)

// A Site collects statistics of the pages of one site. It counts which blocks repeat and how much text its
// hub and informational pages have (papers 000/001, section 4.1). The caller decides which pages form a site.
// Their order does not matter up to the limits of 5,000 pages and 50,000 different texts. A Site is safe for
// concurrent use. for
// concurrent use.
type Site struct {
	seed maphash.Seed

	mu        sync.RWMutex // guards the fields below
	seen      map[uint64]bool
	pages     int
	repeats   map[uint64]int32 // number of pages by the fingerprint of a block
	hub, info sizeSum
}

// NewSite returns a site without pages.
func NewSite() *Site {
	return &Site{seed: maphash.MakeSeed(), seen: make(map[uint64]bool), repeats: make(map[uint64]int32)}
}

// Pages returns the number of pages counted.
func (s *Site) Pages() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.pages
}

// Add counts a page. It ignores a page whose address or text was counted before.
func (s *Site) Add(t *Tree) {
	prints := s.blockFingerprints(t)
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
		s.hub.addSize(sizeOf(a.mainValues()))
	case InfoPage:
		s.info.addSize(sizeOf(a.mainValues()))
	}
}

// markRepeatedMenus makes repeated menus of t navigation. kinds are the kinds of t's blocks.
func (s *Site) markRepeatedMenus(t *Tree, kinds []AreaKind) {
	repeated := s.repeatedBlocks(t)
	if isCopy(t.blocks, repeated) {
		return
	}
	menu := t.menuEntries()
	for i := range kinds {
		if repeated[i] && menu[i] {
			kinds[i] = Navigation
		}
	}
}

// isStart reports whether file is the default document of a folder, such as index.html.
func isStart(file string) bool {
	name, _, _ := strings.Cut(file, ".")
	return name == "" || name == "index" || name == "default" || name == "home"
}

// repeatedBlocks reports for each block whether the site repeats it.
func (s *Site) repeatedBlocks(t *Tree) []bool {
	prints := s.blockFingerprints(t)
	repeated := make([]bool, len(prints))
	s.mu.RLock()
	defer s.mu.RUnlock()
	for i, f := range prints {
		n := int(s.repeats[f])
		repeated[i] = n >= minRepeats && 2*n > s.pages
	}
	return repeated
}

// isCopy reports whether most of the text outside links is repeated on other pages. Then those pages are
// versions of this one, and the text that they share is its topic.
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

// blockFingerprints returns a hash for each block. Blocks with the same text and the same path have the same hash;
// positions among siblings are ignored.
func (s *Site) blockFingerprints(t *Tree) []uint64 {
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

// mixedAverages returns the site's averages, mixed with those of our corpora. A measure that hardly differs
// between the site's hub and informational pages is taken from our corpora alone.
func (s *Site) mixedAverages() meanSizes {
	s.mu.RLock()
	defer s.mu.RUnlock()
	a := meanSizes{hub: s.hub.meanSize(mainAverages.hub), info: s.info.meanSize(mainAverages.info)}
	if a.info.text-a.hub.text < minGap {
		a.hub.text, a.info.text = mainAverages.hub.text, mainAverages.info.text
	}
	if a.info.ratio-a.hub.ratio < minGap {
		a.hub.ratio, a.info.ratio = mainAverages.hub.ratio, mainAverages.info.ratio
	}
	return a
}

// A sizeSum adds up sizes as integers, so that the result does not depend on their order.
type sizeSum struct{ n, text, ratio int64 }

// sumUnit is the integer that stands for 1 in a sum.
const sumUnit = 1 << 20

func (s *sizeSum) addSize(v textSize) {
	s.n++
	s.text += int64(math.Round(v.text * sumUnit))
	s.ratio += int64(math.Round(v.ratio * sumUnit))
}

// meanSize returns the mean size. prior has the weight of priorPages pages.
func (s sizeSum) meanSize(prior textSize) textSize {
	n := float64(s.n + priorPages)
	return textSize{
		text:  (float64(s.text)/sumUnit + float64(priorPages*prior.text)) / n,
		ratio: (float64(s.ratio)/sumUnit + float64(priorPages*prior.ratio)) / n,
	}
}

// A textSize measures the text of a page to decide its kind (papers 000/001, section 4.1). Its values are binary
// logarithms of one more than each amount, because pages differ by factors.
type textSize struct {
	text  float64 // log2 of the bytes of text outside links, plus 1
	ratio float64 // log2 of the ratio of text outside links to link text, plus 1
}

// meanSizes are the mean sizes of hub pages and of informational pages.
type meanSizes struct{ hub, info textSize }

// The averages of our corpora are means over page types of the means over pages. Hub pages are those of type
// cfp_list. Informational pages are those of types cfp, conference and mail_announcement and the 54 articles.
// Type institution_topic is not used, because half of its pages are WebKB's project descriptions.
// mainAverages are of areas outside navigation, rawAverages of whole pages. TestKindsOfCorpora measures them.
var (
	mainAverages = meanSizes{hub: textSize{9.2, 1.6}, info: textSize{11.4, 6.5}}
	rawAverages  = meanSizes{hub: textSize{9.3, 1.3}, info: textSize{11.6, 4.5}}
)

// Thresholds on a page's position between the averages, where 0 is the mean hub and 1 the mean informational
// page. A page is a hub up to hubBelow and informational from infoFrom on. The ratio has the weight
// ratioWeight in the position: it ranks a list of calls before a conference's page in 89 of 100 pairs, the
// amount of text in 64.
const (
	hubBelow    = 0.2
	infoFrom    = 0.5
	ratioWeight = 2.0 / 3
)

// pageKind returns the kind of a page with these values. A page without links is never a hub.
func pageKind(v Values, of meanSizes) PageKind {
	if v.NumLinks == 0 {
		return InfoPage
	}
	s := sizeOf(v)
	at := float64(ratioWeight*relativePosition(s.ratio, of.hub.ratio, of.info.ratio)) +
		float64((1-ratioWeight)*relativePosition(s.text, of.hub.text, of.info.text))
	switch {
	case at <= hubBelow:
		return HubPage
	case at < infoFrom:
		return MixedPage
	}
	return InfoPage
}

// mainValues returns the sum of the values of the areas outside navigation.
func (a *Analysis) mainValues() Values {
	var v Values
	for _, area := range a.Areas {
		if area.Kind != Navigation {
			v.addChild(area.Values)
		}
	}
	return v
}

func sizeOf(v Values) textSize {
	return textSize{text: math.Log2(1 + float64(v.CleanText)), ratio: math.Log2(1 + v.LinkTextRatio())}
}

// relativePosition returns the position of x on a scale where a is 0 and b is 1.
func relativePosition(x, a, b float64) float64 { return (x - a) / (b - a) }
