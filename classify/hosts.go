package classify

import (
	"cmp"
	"container/list"
	"encoding/binary"
	"fmt"
	"math"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/eventseer/eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// Bounds and weights of a HostContext. The weights were chosen by cross-fitted scores of labelled pages,
// see doc/decisions/035.
const (
	// maxPlaces is the largest number of hosts and folders of a HostContext, placeSample the largest
	// number of pages stored for each. Together they take at most about 32 MB.
	maxPlaces   = 1 << 14
	placeSample = 64
	// priorShare is the weight of the prior when it is mixed into a place's posterior. Even if all known pages
	// of a place are of one kind, it may have pages of other kinds.
	priorShare = 0.3
	// uninformativePages is the number of uninformative pages that are averaged with the pages of a place.
	uninformativePages = 3.0
	// probUnit is the fixed-point unit of posteriors. Sums of integers are the same in every order.
	probUnit = 1 << 15
)

// siteKindOf returns the kind of site on which pages of a type are found. Calls, lists of calls and
// conference pages are all found on sites of events; the site does not distinguish them from each other.
func siteKindOf(pageType string) string {
	if pageType == "cfp" || pageType == "cfp_list" {
		return "conference"
	}
	return pageType
}

// A CallContext adjusts the probability that a page is a call by the other pages of its host. The log
// odds are Bias, plus Own times the log odds of the page by itself, plus Best times those of the
// likeliest other page, which count as leastBest or more. Usually only one page of a site is the call, so
// Best is below 0.
type CallContext struct {
	Bias float64 `json:"bias"`
	Own  float64 `json:"own"`
	Best float64 `json:"best"`
}

// leastBest is the lower limit on the log odds of the likeliest other page: below it the page is surely
// no call.
const leastBest = -4

// Probability returns the probability that a page is a call given the other pages of its place. The argument
// own is the probability of the page by itself, best the highest probability among the other pages.
func (w CallContext) Probability(own, best float64) float64 {
	return 1 / (1 + math.Exp(-(w.Bias + float64(w.Own*logOdds(own)) + float64(w.Best*max(leastBest, logOdds(best))))))
}

// A HostContext adjusts the page type of a page by the judgements of the other pages of its host and
// folder, which it stores. Its results do not depend on the order in which pages were added as long as
// there are at most maxPlaces hosts and folders. Beyond that number, the places to which no page was
// added for longest are dropped. It is safe for concurrent use. Make one with NewHostContext.
type HostContext struct {
	classes []string
	kind    []int        // of each class
	prior   []float64    // probability of each kind over all training pages; they sum to 1
	calls   *CallContext // nil: the probability that a page is a call is not adjusted
	least   float64      // threshold on the probability from which a page is a call

	mu     sync.Mutex // guards below
	places map[uint64]*list.Element
	recent *list.List // of *place, latest first
	clock  uint64     // incremented whenever a page is added to a place
}

// A place is a host or a top-level folder of a host.
type place struct {
	key   uint64
	used  uint64      // value of the clock when a page was last added
	pages []placePage // the placeSample pages with the smallest hashes, ascending, so that the sample does not depend on the order of adding
}

// A PlaceState is the encoded state of one host or folder of a HostContext, for Restore. It has at most
// 1.5 kB.
type PlaceState struct {
	Key   uint64
	State []byte // nil if the place was dropped
}

type placePage struct {
	hash  uint64   // of the URL
	kinds []uint16 // posterior of each kind in units of 1/probUnit
	call  float64  // probability that the page is a call; not stored in a PlaceState
}

// NewHostContext returns a HostContext without pages. Its classes and their frequencies are those of
// pageType, the Meta of a model with task page-type.
func NewHostContext(pageType Meta) *HostContext {
	c := &HostContext{classes: pageType.Classes, places: map[uint64]*list.Element{}, recent: list.New()}
	names := map[string]int{}
	total := float64(len(pageType.Classes))
	for _, n := range pageType.Counts {
		total += float64(n)
	}
	for k, class := range pageType.Classes {
		name := siteKindOf(class)
		at, ok := names[name]
		if !ok {
			at = len(c.prior)
			names[name] = at
			c.prior = append(c.prior, 0)
		}
		c.kind = append(c.kind, at)
		c.prior[at] += (1 + float64(pageType.Counts[k])) / total
	}
	return c
}

// NewCallContext returns a HostContext that also adjusts whether pages are calls, by the threshold of j's
// model. All pages must be added before the first is judged. The states of its places must not be
// restored.
func NewCallContext(j *Judge, calls CallContext) *HostContext {
	c := NewHostContext(j.pageType.Meta)
	c.calls, c.least = &calls, j.cfp.Threshold
	return c
}

// placeKeys returns the keys of a page's host and of the first folder of its path. It returns nil if
// pageURL has no host. The folder distinguishes sites that share a host, such as `people/` and `~name/`.
func placeKeys(pageURL string) []uint64 {
	u, err := url.Parse(pageURL)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	host := strings.TrimPrefix(webgraph.HostKey(pageURL), "www.")
	keys := []uint64{xxh3.HashString(host)}
	if folder, _, below := strings.Cut(strings.TrimPrefix(u.Path, "/"), "/"); below {
		keys = append(keys, xxh3.HashString(host+"/"+folder))
	}
	return keys
}

// Add stores the judgement of the page at pageURL that was made without its host, replacing an earlier
// one of that page. It returns the states of the places that changed.
func (c *HostContext) Add(pageURL string, alone Judgement) []PlaceState {
	keys := placeKeys(pageURL)
	if len(keys) == 0 || len(alone.PageTypeScores) == 0 {
		return nil
	}
	sums := make([]float64, len(c.prior))
	for k, class := range c.classes {
		sums[c.kind[k]] += alone.PageTypeScores[class]
	}
	page := placePage{hash: xxh3.HashString(pageURL), kinds: make([]uint16, len(sums))}
	if !math.IsNaN(alone.CFPScore) {
		page.call = alone.CFPScore
	}
	for k, p := range sums {
		if !math.IsNaN(p) {
			page.kinds[k] = uint16(max(0, min(p, 1))*probUnit + 0.5)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var changed []PlaceState
	for _, key := range keys {
		p := c.placeOf(key)
		c.clock++
		p.used = c.clock
		p.add(page)
		changed = append(changed, PlaceState{key, p.encode(len(c.prior))})
	}
	for len(c.places) > maxPlaces {
		forgotten := c.recent.Remove(c.recent.Back()).(*place).key
		delete(c.places, forgotten)
		changed = append(changed, PlaceState{Key: forgotten})
	}
	return changed
}

// Restore replaces all places of c by states, the last ones that an earlier HostContext returned, in any
// order. The restored context judges as the earlier one would. States with another number of kinds are
// left out. If a state is damaged, Restore returns an error that says which, and c is unchanged.
func (c *HostContext) Restore(states []PlaceState) error {
	var places []*place
	for _, s := range states {
		p, err := decodePlace(s, len(c.prior))
		if err != nil {
			return err
		}
		if p != nil {
			places = append(places, p)
		}
	}
	slices.SortFunc(places, func(a, b *place) int { return cmp.Or(cmp.Compare(b.used, a.used), cmp.Compare(a.key, b.key)) })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.places, c.recent, c.clock = map[uint64]*list.Element{}, list.New(), 0
	for _, p := range places[:min(len(places), maxPlaces)] {
		if c.places[p.key] == nil {
			c.places[p.key] = c.recent.PushBack(p)
		}
		c.clock = max(c.clock, p.used)
	}
	return nil
}

// placeHead is the length of the head of a PlaceState, in bytes. A state holds the number of kinds (1
// byte) and the clock of the last use (8 bytes), then for each page its hash (8 bytes) and its posteriors
// (2 bytes each), all little-endian.
const placeHead = 1 + 8

func (p *place) encode(kinds int) []byte {
	b := make([]byte, 0, placeHead+len(p.pages)*(8+2*kinds))
	b = append(b, byte(kinds))
	b = binary.LittleEndian.AppendUint64(b, p.used)
	for _, page := range p.pages {
		b = binary.LittleEndian.AppendUint64(b, page.hash)
		for _, k := range page.kinds {
			b = binary.LittleEndian.AppendUint16(b, k)
		}
	}
	return b
}

// decodePlace returns the place encoded in s. It returns nil if s has another number of kinds, and an
// error if s is damaged.
func decodePlace(s PlaceState, kinds int) (*place, error) {
	b, size := s.State, 8+2*kinds
	broken := func(what string) error {
		return fmt.Errorf("stored pages of place %x of the host context: %s", s.Key, what)
	}
	if len(b) < placeHead {
		return nil, broken("cut short")
	}
	if int(b[0]) != kinds {
		return nil, nil
	}
	p := &place{key: s.Key, used: binary.LittleEndian.Uint64(b[1:])}
	if b = b[placeHead:]; len(b)%size != 0 || len(b)/size > placeSample {
		return nil, broken(fmt.Sprintf("%d bytes are not the size of 0 to %d pages", len(b), placeSample))
	}
	for ; len(b) > 0; b = b[size:] {
		page := placePage{hash: binary.LittleEndian.Uint64(b), kinds: make([]uint16, kinds)}
		for k := range page.kinds {
			page.kinds[k] = binary.LittleEndian.Uint16(b[8+2*k:])
		}
		if n := len(p.pages); n > 0 && p.pages[n-1].hash >= page.hash {
			return nil, broken("its pages are out of order")
		}
		p.pages = append(p.pages, page)
	}
	return p, nil
}

// placeOf returns the place of a key and makes a new one if the key is unknown. c.mu must be held.
func (c *HostContext) placeOf(key uint64) *place {
	if e, ok := c.places[key]; ok {
		c.recent.MoveToFront(e)
		return e.Value.(*place)
	}
	p := &place{key: key}
	c.places[key] = c.recent.PushFront(p)
	return p
}

func (p *place) add(page placePage) {
	at, known := slices.BinarySearchFunc(p.pages, page.hash, func(a placePage, hash uint64) int { return cmp.Compare(a.hash, hash) })
	switch {
	case known:
		p.pages[at] = page
	case at == placeSample:
	default:
		if len(p.pages) == placeSample {
			p.pages = p.pages[:placeSample-1]
		}
		p.pages = slices.Insert(p.pages, at, page)
	}
}

// Judge returns the judgement of the page at pageURL in the context of its host. The argument alone is
// the judgement made without the host. A page type becomes likelier the more often the other pages of the
// host, and of the page's folder, are of its kind, compared with pages in general. The ratio between
// types of the same kind does not change.
//
// Whether the page is a call changes only in a context of NewCallContext. There it depends on the
// likeliest call among the other pages of the folder, or of the host if the folder has none. If the host
// has no other page, Judge returns alone. Otherwise the result shares no map with alone.
func (c *HostContext) Judge(pageURL string, alone Judgement) Judgement {
	weights, best, ok := c.kindWeights(pageURL)
	if !ok || len(alone.PageTypeScores) == 0 {
		return alone
	}
	said, sum := alone, 0.0
	said.InContext = true
	said.PageTypeScores = make(map[string]float64, len(c.classes))
	for k, class := range c.classes {
		p := alone.PageTypeScores[class] * weights[c.kind[k]]
		said.PageTypeScores[class] = p
		sum += p
	}
	if !(sum > 0) || math.IsInf(sum, 1) {
		return alone
	}
	said.PageType = c.classes[0]
	for _, class := range c.classes {
		said.PageTypeScores[class] /= sum
		if said.PageTypeScores[class] > said.PageTypeScores[said.PageType] {
			said.PageType = class
		}
	}
	if c.calls != nil {
		said.CFPScore = c.calls.Probability(alone.CFPScore, best)
		said.IsCFP = said.CFPScore >= c.least
	}
	return said
}

// PossibleTypes returns the types that Judge can return for a page, whatever pages are added later, in the
// order of classes. The argument alone is the judgement made without the host.
func (c *HostContext) PossibleTypes(alone Judgement) (types []string) {
	best := 0.0 // lower bound on the score of the likeliest type on any host
	for _, class := range c.classes {
		best = max(best, alone.PageTypeScores[class]*priorShare)
	}
	for k, class := range c.classes {
		if class == alone.PageType || alone.PageTypeScores[class]*((1-priorShare)/c.prior[c.kind[k]]+priorShare) >= best {
			types = append(types, class)
		}
	}
	return types
}

// kindWeights returns for each kind how much more frequent it is on the host and in the folder of a page than
// in general. Each ratio is at least priorShare. The value best is the highest probability that one of the
// other pages is a call, in the folder if it has other pages. If no other page of the host is known, ok
// is false.
func (c *HostContext) kindWeights(pageURL string) (weights []float64, best float64, ok bool) {
	weights = make([]float64, len(c.prior))
	for k := range weights {
		weights[k] = 1
	}
	own := xxh3.HashString(pageURL)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range placeKeys(pageURL) { // the host first: the estimate of the folder starts from that of the host
		e, known := c.places[key]
		if !known {
			continue
		}
		n, call, sums := 0.0, 0.0, make([]uint64, len(c.prior))
		for _, page := range e.Value.(*place).pages {
			if page.hash == own {
				continue
			}
			n++
			call = max(call, page.call)
			for k, p := range page.kinds {
				sums[k] += uint64(p)
			}
		}
		if n > 0 {
			ok, best = true, call
		}
		for k := range weights {
			likelier := (1-priorShare)*float64(sums[k])/probUnit/c.prior[k] + priorShare*n
			weights[k] = (likelier + uninformativePages*weights[k]) / (n + uninformativePages)
		}
	}
	return weights, best, ok
}
