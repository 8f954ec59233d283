package record

import (
	"math"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
)

// A grouping collects evidence on lists nested in records, to decide which of the two are the page's records.
// Outer records such as months and sessions only group the inner ones.
type grouping struct {
	outer, items   int // number of outer records, and of the inner records in them
	outerWithInner int // number of outer records with inner ones
	text           int // runes of all outer records
	all, inner     unitCounts
	linkedOuter    int // outer records with a link outside of inner ones
	linkedItems    int
	counts         []int          // number of inner records in each outer record that has any
	firsts         map[string]int // number of outer records by the first text of their inner records
	texts          []string       // first text of each inner record
	known          int            // inner records in containers that are similar to others on the page
	alike          int            // inner records similar to their neighbours
	filled         bool           // true if outer records contain nothing but inner ones
	knownOuter     bool           // true if the outer records are in a container that is similar to others
}

// addRecords records an outer record and the inner ones in it.
func (g *grouping) addRecords(outer unitCounts, inner []unitCounts, firsts []string) {
	g.outer++
	g.text += outer.text
	if len(inner) > 0 {
		g.all.add(outer)
	}
	if g.firsts == nil {
		g.firsts = make(map[string]int)
	}
	here := make(map[string]bool)
	for _, s := range firsts {
		if !here[s] {
			here[s] = true
			g.firsts[s]++
		}
	}
	g.texts = append(g.texts, firsts...)
	links := 0
	for _, f := range inner {
		g.inner.add(f)
		g.linkedItems += boolToInt(f.links > 0)
		links += f.links
	}
	if len(inner) > 0 {
		g.linkedOuter += boolToInt(outer.links > links)
		g.outerWithInner++
		g.items += len(inner)
		g.counts = append(g.counts, len(inner))
	}
}

// gridAlike is the minimum similarity of the cells of a grid. The cells of a data table are less similar.
const gridAlike = 0.8

// maxGrouped is the maximum number of inner records that are examined.
const maxGrouped = 2_000

// groupPoints is the minimum score at which the inner records are the page's records.
const groupPoints = 2

// onlyGroups reports whether the outer records only group the inner ones. It adds up points for and against.
func (g *grouping) onlyGroups() bool {
	known := 2*g.known >= g.items
	switch {
	case 2*g.items < 3*g.outerWithInner && !known, 2*g.inner.text < g.all.text, g.isRare(), g.hasLabels():
		return false
	}
	points := g.linkPoints() + g.sizePoints()
	switch v := variationCoefficient(g.counts); {
	case v > 0.2:
		points++
	case v < 0.1 && g.outerWithInner > 1:
		points--
	}
	if known && !g.knownOuter {
		points += 2
	}
	return points >= groupPoints
}

// heldText is a minimum share of the page's text. If outer records with inner ones have this share, they are
// the content even if they are few, like the only row with text in a layout table.
const heldText = 0.8

// isRare reports whether inner records are in few outer records, which have little of the text.
func (g *grouping) isRare() bool {
	return 2*g.outerWithInner < g.outer && float64(g.all.text) < heldText*float64(g.text)
}

// linkPoints returns points by where the links are, because the page's records usually have links.
func (g *grouping) linkPoints() int {
	n := float64(g.items)
	linked, own := float64(g.linkedItems)/n, float64(g.linkedOuter)/float64(g.outerWithInner)
	switch {
	case linked >= 0.5 && own < 0.5 && (g.inner.leaves >= 2*g.items || g.inner.text >= 25*g.items):
		return 2
	case linked >= 0.5 && own < 0.5:
		return 1
	case own > 0.5 && linked < 0.5:
		return -2
	}
	return 0
}

// sizePoints returns points by the amounts of text inside and outside the inner records.
func (g *grouping) sizePoints() int {
	n, o := float64(g.items), float64(g.outerWithInner)
	leaves, text := float64(g.inner.leaves)/n, float64(g.inner.text)/n
	rest := float64(g.all.text-g.inner.text) / o
	points := 0
	switch {
	case leaves >= 2:
		points++
	case leaves < 1.3:
		points--
	}
	switch {
	case text >= 30 && (leaves >= 1.3 || text <= longLine):
		points++
	case text < 12 && float64(g.linkedItems) < 0.8*n:
		points--
	}
	switch {
	case rest == 0 && leaves >= 2 && g.alike == g.items: // a grid
		points += 2
	case rest <= 40, 10*rest <= float64(g.all.text)/o:
		points++
	case rest > 1.5*text && n < 4*o:
		points--
	}
	if n >= 5*o && leaves >= 1.5 || n >= 3*o && o <= 3 && leaves > 1.5 {
		points++
	}
	return points
}

// hasLabels reports whether the inner records are fields with labels. They are if most of them, or several in
// each outer record, begin with a text that is also in other outer records. Times and dates are not labels.
func (g *grouping) hasLabels() bool {
	repeated, labels := 0, 0
	for _, s := range g.texts {
		if g.firsts[s]*2 >= g.outerWithInner && g.firsts[s] > 1 && !strings.ContainsAny(s, "0123456789") {
			repeated++
			labels += boolToInt(strings.HasSuffix(s, ":"))
		}
	}
	return 2*repeated > len(g.texts) || labels >= 2*g.outerWithInner
}

// variationCoefficient returns the coefficient of variation of counts: standard deviation divided by mean.
func variationCoefficient(counts []int) float64 {
	if len(counts) == 0 {
		return 0
	}
	var sum, squares float64
	for _, c := range counts {
		sum += float64(c)
		squares += float64(c * c)
	}
	mean := sum / float64(len(counts))
	return math.Sqrt(max(squares/float64(len(counts))-mean*mean, 0)) / mean
}

// maxLabel is the number of runes that are compared of an inner record's first text.
const maxLabel = 40

// firstText returns the first visible text in nodes, in lower case, cut to maxLabel runes.
func firstText(nodes []*tagtree.Node) string {
	var first string
	for _, n := range nodes {
		visitSubtree(n, func(n *tagtree.Node) bool {
			if first == "" && n.Name == "" && !n.Hidden {
				first = strings.ToLower(text.CutRunes(strings.TrimSpace(n.Text), maxLabel))
			}
			return first == ""
		})
	}
	return first
}

// groupingEvidence compares the records of a reading with the smaller records of another reading inside them.
func (c *sequence) groupingEvidence(groups, items listReading) *grouping {
	ends := make([]int, len(c.units))
	for rec := range items.records() {
		ends[rec.Start] = rec.End
	}
	g := &grouping{filled: true}
	for rec := range groups.records() {
		var inner []unitCounts
		var firsts []string
		for i := rec.Start; i < rec.End; i++ {
			end := ends[i]
			if end == 0 || end > rec.End {
				g.filled = false
				continue
			}
			inner = append(inner, factsIn(c.units[i:end]))
			firsts = append(firsts, firstText(c.units[i].nodes))
			i = end - 1
		}
		g.addRecords(c.factsOfRange(rec), inner, firsts)
	}
	return g
}
