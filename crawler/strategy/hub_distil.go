package strategy

import (
	"cmp"
	"math"
	"slices"

	"eventseer/crawler/strategy/internal/part"
)

// iterations of the distiller; after ten the order of the best hubs stands.
const iterations = 10

// distil ranks the areas of pages as hubs, best first, by Kleinberg's iteration
// with Chakrabarti's weights (1999, section 2.3): the vote of a hub for a page
// counts by the worth of the hub's page, that of a page for a hub by its own
// relevance. A page not yet crawled has the mean relevance of those that were. An
// area of which nothing was found that is relevant is no hub.
//
// What it returns depends on the pages and their order alone. Time and memory
// are linear in the number of links.
func distil(pages []part.Dated[*hubPage]) []hubArea {
	g := newHubGraph(pages)
	hubs, authorities := make([]float64, len(g.areas)), make([]float64, len(g.relevance))
	for i := range hubs {
		hubs[i] = 1
	}
	for range iterations {
		clear(authorities)
		for i, links := range g.links {
			for _, to := range links {
				authorities[to] += g.worth[i] * hubs[i]
			}
		}
		clear(hubs)
		for i, links := range g.links {
			for _, to := range links {
				hubs[i] += g.relevance[to] * authorities[to]
			}
		}
		normalize(hubs)
	}
	var ranked []int
	for i, h := range hubs {
		if h > 0 && g.proven[i] {
			ranked = append(ranked, i)
		}
	}
	slices.SortStableFunc(ranked, func(i, j int) int { return cmp.Compare(hubs[j], hubs[i]) })
	areas := make([]hubArea, len(ranked))
	for i, n := range ranked {
		areas[i] = g.areas[n]
	}
	return areas
}

// normalize makes the length of x 1, if it has one.
func normalize(x []float64) {
	sum := 0.0
	for _, f := range x {
		sum += f * f
	}
	if sum == 0 {
		return
	}
	length := math.Sqrt(sum)
	for i := range x {
		x[i] /= length
	}
}

// A hubGraph is who links to whom: from areas to pages.
type hubGraph struct {
	areas     []hubArea
	worth     []float64 // of each area's page
	links     [][]int   // of each area: indexes of pages
	proven    []bool    // of each area: one of its links is known to be relevant
	relevance []float64 // of each page
}

// relevant is the relevance from which a page proves a hub.
const relevant = 0.5

func newHubGraph(pages []part.Dated[*hubPage]) *hubGraph {
	g := &hubGraph{}
	ids, mean := make(map[string]int, len(pages)), 0.0
	for _, p := range pages {
		ids[p.Name] = len(ids)
		g.relevance = append(g.relevance, p.Value.Relevance)
		mean += p.Value.Relevance / float64(len(pages))
	}
	for _, p := range pages {
		for i, targets := range p.Value.Areas {
			links, proven := make([]int, len(targets)), false
			for j, url := range targets {
				id, known := ids[url]
				if !known {
					id = len(ids)
					ids[url] = id
					g.relevance = append(g.relevance, mean)
				}
				links[j] = id
				proven = proven || id < len(pages) && g.relevance[id] >= relevant
			}
			g.areas = append(g.areas, hubArea{p.Name, i})
			g.worth = append(g.worth, p.Value.Worth)
			g.links = append(g.links, links)
			g.proven = append(g.proven, proven)
		}
	}
	return g
}
