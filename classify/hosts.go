package classify

import (
	"cmp"
	"container/list"
	"net/url"
	"slices"
	"strings"
	"sync"

	"eventseer/webgraph"

	"github.com/zeebo/xxh3"
)

// Bounds and weights of a HostContext. The weights were chosen on cross-fitted scores of labelled
// pages, see doc/decisions/035.
const (
	// maxPlaces bounds the hosts and folders of a HostContext, placeSample the pages known of each:
	// about 32 MB at most.
	maxPlaces   = 1 << 14
	placeSample = 64
	// doubt is the share of a page's posterior that the prior replaces: no page of a place says
	// that it surely holds no page of a kind.
	doubt = 0.3
	// ownPages is how many pages that know nothing the pages of a place are averaged with.
	ownPages = 3.0
	// probUnit is the unit in which posteriors are summed: whole numbers add up to the same in
	// every order.
	probUnit = 1 << 15
)

// kindOf is the kind of site that pages of a type stand on: calls, lists of calls and pages of
// conferences stand on sites of events, and only the page itself says which of them it is.
func kindOf(pageType string) string {
	if pageType == "cfp" || pageType == "cfp_list" {
		return "conference"
	}
	return pageType
}

// A HostContext remembers what a judge said of pages, and judges the type of a page anew by that of
// the other pages of its host and folder. What it says does not depend on the order in which
// pages were added while there are no more than maxPlaces hosts and folders; beyond, those not
// used for longest are forgotten. It is safe for concurrent use. Make one with NewHostContext.
type HostContext struct {
	classes []string
	kind    []int     // of each class
	prior   []float64 // of each kind, their sum is 1

	mu     sync.Mutex // guards below
	places map[uint64]*list.Element
	recent *list.List // of *place, latest first
}

// A place is a host or a folder of one.
type place struct {
	key   uint64
	pages []placePage // those of least hash, a sample that no order changes, ascending
}

type placePage struct {
	hash  uint64   // of the URL
	kinds []uint16 // posterior of each kind in units of 1/probUnit
}

// NewHostContext returns a HostContext without pages. The classes and their share are those of a model
// of task page-type.
func NewHostContext(pageType *Model) *HostContext {
	c := &HostContext{classes: pageType.Classes, places: map[uint64]*list.Element{}, recent: list.New()}
	names := map[string]int{}
	total := float64(len(pageType.Classes))
	for _, n := range pageType.Counts {
		total += float64(n)
	}
	for k, class := range pageType.Classes {
		name := kindOf(class)
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

// placesOf returns the host of a page and its first folder there, as hashes; none of what is no
// URL of a host. The folder is that of `people/` and of `~name/` too: hosts that many sites share
// are told apart by it.
func placesOf(pageURL string) []uint64 {
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

// Add remembers what a judge that knew nothing of the host said of the page at pageURL, in place
// of what it said of that page before.
func (c *HostContext) Add(pageURL string, alone Judgement) {
	keys := placesOf(pageURL)
	if len(keys) == 0 || len(alone.PageTypeScores) == 0 {
		return
	}
	sums := make([]float64, len(c.prior))
	for k, class := range c.classes {
		sums[c.kind[k]] += alone.PageTypeScores[class]
	}
	page := placePage{xxh3.HashString(pageURL), make([]uint16, len(sums))}
	for k, p := range sums {
		page.kinds[k] = uint16(max(0, min(p, 1))*probUnit + 0.5)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range keys {
		c.place(key).add(page)
	}
	for len(c.places) > maxPlaces {
		delete(c.places, c.recent.Remove(c.recent.Back()).(*place).key)
	}
}

// place returns the place of a key, a new one if it is not known. It is called with mu held.
func (c *HostContext) place(key uint64) *place {
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

// Judge returns what is to be thought of the page at pageURL, of which a judge that knew nothing
// of the host said alone: a type of page is the likelier the more often the other pages of the
// host, and of its folder there, are of its kind compared with pages in general. Whether it is a
// call stays, and so does how the types of one kind compare. Of a page whose host has no other
// page alone is returned. The result shares no map with alone unless it is alone.
func (c *HostContext) Judge(pageURL string, alone Judgement) Judgement {
	weights, ok := c.weigh(pageURL)
	if !ok || len(alone.PageTypeScores) == 0 {
		return alone
	}
	said, sum := alone, 0.0
	said.PageTypeScores = make(map[string]float64, len(c.classes))
	for k, class := range c.classes {
		p := alone.PageTypeScores[class] * weights[c.kind[k]]
		said.PageTypeScores[class] = p
		sum += p
	}
	if !(sum > 0) {
		return alone
	}
	said.PageType = c.classes[0]
	for _, class := range c.classes {
		said.PageTypeScores[class] /= sum
		if said.PageTypeScores[class] > said.PageTypeScores[said.PageType] {
			said.PageType = class
		}
	}
	return said
}

// weigh returns how much likelier each kind is on the host and in the folder of a page than in
// general, at least doubt; ok is false if no other page is known there.
func (c *HostContext) weigh(pageURL string) (weights []float64, ok bool) {
	weights = make([]float64, len(c.prior))
	for k := range weights {
		weights[k] = 1
	}
	own := xxh3.HashString(pageURL)
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range placesOf(pageURL) { // the host, then the folder, which leans on it
		e, known := c.places[key]
		if !known {
			continue
		}
		n, sums := 0.0, make([]uint64, len(c.prior))
		for _, page := range e.Value.(*place).pages {
			if page.hash == own {
				continue
			}
			n++
			for k, p := range page.kinds {
				sums[k] += uint64(p)
			}
		}
		ok = ok || n > 0
		for k := range weights {
			likelier := (1-doubt)*float64(sums[k])/probUnit/c.prior[k] + doubt*n
			weights[k] = (likelier + ownPages*weights[k]) / (n + ownPages)
		}
	}
	return weights, ok
}
