package strategy

import "eventseer/crawler/strategy/internal/part"

// A truthGraph is the part of a web from which targets can be reached.
type truthGraph struct {
	urls    []string
	ids     map[string]int32
	sources [][]int32 // of each page: the pages that link to it
	targets []int32
}

// newTruthGraph goes back from the targets until no page is new.
func newTruthGraph(t part.Truth) *truthGraph {
	g := &truthGraph{ids: map[string]int32{}}
	for _, url := range t.Targets() {
		g.targets = append(g.targets, g.id(url))
	}
	for page := 0; page < len(g.urls); page++ {
		var sources []int32
		for _, url := range t.Sources(g.urls[page]) {
			sources = append(sources, g.id(url))
		}
		g.sources = append(g.sources, sources)
	}
	return g
}

// id returns the number of a page, a new one if it has none.
func (g *truthGraph) id(url string) int32 {
	id, ok := g.ids[url]
	if !ok {
		id = int32(len(g.urls))
		g.ids[url] = id
		g.urls = append(g.urls, url)
	}
	return id
}

// distances returns the number of links from each page to the nearest of targets,
// -1 if none can be reached, by one breadth-first search back from all of them.
func (g *truthGraph) distances(targets map[int32]bool) []int32 {
	distance := make([]int32, len(g.urls))
	for i := range distance {
		distance[i] = -1
	}
	var queue []int32
	for _, t := range g.targets {
		if targets[t] {
			distance[t] = 0
			queue = append(queue, t)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, source := range g.sources[queue[0]] {
			if distance[source] < 0 {
				distance[source] = distance[queue[0]] + 1
				queue = append(queue, source)
			}
		}
	}
	return distance
}
