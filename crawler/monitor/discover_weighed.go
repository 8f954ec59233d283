package monitor

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/features/tagtree/template"
	"github.com/eventseer/eventseer/webgraph"
)

// Weighed combines the prediction for a link with the results of similar links. The probability
// from its Chance and its words counts as much as prior followed links; each followed link of the
// source counts by its similarity to the new one, in URL and position in the tree. Unlike Semantic
// it learns from links that gave nothing, and from lists whose links each lead to another site. A
// link survives if the combined probability is high enough.
type Weighed struct {
	// Chance is the prediction for links without history. Nil means that all are as probable as the
	// followed ones.
	Chance Chance
	// Least is the minimum probability. Zero means leastChance.
	Least float64
}

var _ Discoverer = Weighed{}

// Name implements Discoverer.
func (Weighed) Name() string { return "weighed" }

// What evidence counts.
const (
	prior = 2.0 // weight of a link's own prediction, in followed links
	// Similarity of links by their URLs: one pattern, both to other sites, both to this one,
	// neither.
	samePattern, bothAway, bothHere, neither = 1.0, 0.5, 0.2, 0.1
)

// A followedResult is a link of a source that was followed, with its result.
type followedResult struct {
	pattern, path, shape string
	away                 bool // on another host than the source
	gave                 bool
}

// Discover implements Discoverer.
func (d Weighed) Discover(old, new *tagtree.Tree, known Known) []SelectedLink {
	if len(known.Gave) == 0 {
		return selectAllNew(old, new)
	}
	var chances []float64
	if d.Chance != nil {
		chances = d.Chance(new)
	}
	paths := pathsOf(old, new)
	host := webgraph.HostOf(known.Source)
	look := func(url, path string, gave bool) followedResult {
		return followedResult{template.URLPattern(url), path, shapeOf(path), webgraph.HostOf(url) != host, gave}
	}
	var links []followedResult
	for _, url := range known.Gave {
		links = append(links, look(url, paths[url], true))
	}
	for _, url := range known.Vain {
		links = append(links, look(url, paths[url], false))
	}
	base := (float64(len(known.Gave)) + 0.5) / (float64(len(known.Gave)+len(known.Vain)) + 1)
	shift := logOddsShift(new, chances, known)
	least := cmp.Or(d.Least, leastChance)
	var all []SelectedLink
	for _, i := range newLinks(old, new) {
		l := new.Links()[i]
		own := base
		if chances != nil {
			own = shiftLogOdds(chances[i], shift)
		}
		up, word := wordLift(known.Words, l)
		own = own * up / (own*up + 1 - own)
		gave, alike := similarEvidence(look(l.Target, l.Path, false), links)
		if p := (prior*own + gave) / (prior + alike); p >= least {
			why := fmt.Sprintf("new on the page; its own probability is %.2f", own)
			if word != "" {
				why += fmt.Sprintf(" (%q)", word)
			}
			if alike >= 0.5 {
				why += fmt.Sprintf(", and of similar links, %s, %.1f of %.1f gave records", template.URLPattern(l.Target), gave, alike)
			}
			all = append(all, SelectedLink{l, p, why})
		}
	}
	return bestFirst(all)
}

// similarEvidence returns the number of followed links similar to a link, weighted, and how many of those
// had records.
func similarEvidence(l followedResult, links []followedResult) (gave, alike float64) {
	for _, f := range links {
		w := linkSimilarity(l, f)
		alike += w
		if f.gave {
			gave += w
		}
	}
	return gave, alike
}

func linkSimilarity(a, b followedResult) float64 {
	url := neither
	switch {
	case a.pattern == b.pattern:
		url = samePattern
	case a.away && b.away:
		url = bothAway
	case !a.away && !b.away:
		url = bothHere
	}
	return url * treeNearness(a, b)
}

// treeNearness returns how near the places of two links are in the tree, from 0 to 1. It is the square
// of a share: for paths of one shape, such as the items of a list, the share of equal steps; for
// others half the share of steps in common from the body down.
func treeNearness(a, b followedResult) float64 {
	if b.path == "" {
		return 0.25 // it stood there once
	}
	from, to := strings.Split(a.path, "/"), strings.Split(b.path, "/")
	longest := max(len(from), len(to)) - pageDepth
	if longest <= 0 {
		return 1
	}
	same := 0
	for i := pageDepth; i < min(len(from), len(to)); i++ {
		if from[i] == to[i] {
			same++
		} else if a.shape != b.shape {
			break
		}
	}
	near := float64(same) / float64(longest)
	if a.shape != b.shape {
		near /= 2
	}
	return near * near
}

// shapeOf returns a tag path without the places among siblings.
func shapeOf(path string) string {
	shape, in := make([]byte, 0, len(path)), false
	for i := range len(path) {
		switch c := path[i]; {
		case c == '[':
			in = true
		case c == ']':
			in = false
		case !in:
			shape = append(shape, c)
		}
	}
	return string(shape)
}

// logOddsShift returns the shift of the log-odds of a page's links, given the links that were followed. On a
// list of calls nearly all lead to records, on others nearly none. It is the mode of their posterior with a
// normal prior around 0.
func logOddsShift(t *tagtree.Tree, chances []float64, known Known) float64 {
	if chances == nil {
		return 0
	}
	gave := map[string]bool{}
	for _, url := range known.Vain {
		gave[url] = false
	}
	for _, url := range known.Gave {
		gave[url] = true
	}
	type outcome struct {
		chance float64
		gave   bool
	}
	var seen []outcome
	for i, l := range t.Links() {
		if g, ok := gave[l.Target]; ok {
			seen = append(seen, outcome{chances[i], g})
			delete(gave, l.Target)
		}
	}
	low, high := bisectRange(-maxShift, maxShift, 30, func(shift float64) bool {
		slope := -shift / (shiftSpread * shiftSpread)
		for _, o := range seen {
			slope -= shiftLogOdds(o.chance, shift)
			if o.gave {
				slope++
			}
		}
		return slope > 0
	})
	return (low + high) / 2
}

// Limits of the shift: shiftSpread is its usual size.
const maxShift, shiftSpread = 8.0, 2.0

// shiftLogOdds returns a chance with its log-odds shifted.
func shiftLogOdds(p, shift float64) float64 {
	p = min(max(p, 1e-4), 1-1e-4)
	odds := p / (1 - p) * math.Exp(shift)
	return odds / (1 + odds)
}
