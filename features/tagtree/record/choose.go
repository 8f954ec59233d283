package record

import (
	"math"
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"
)

// A grouping collects evidence on lists within records. It decides whether the outer records only
// group the inner ones, like months and sessions.
type grouping struct {
	outer, items int // number of records, and of inner records in them
	held         int // outer records that contain inner ones
	text         int // runes of all outer records
	all, inner   facts
	linkedOuter  int // outer records with a link outside of inner ones
	linkedItems  int
	counts       []int          // number of inner records of each outer one that has some
	firsts       map[string]int // first words of inner records → number of outer ones
	texts        []string       // of each inner record
	known        int            // inner records in containers similar to others of the page
	alike        int            // inner records similar to their neighbours
	filled       bool           // there is nothing besides the inner records
	knownOuter   bool           // the outer ones too are in a container similar to others
}

// add records an outer record and the inner ones in it.
func (g *grouping) add(outer facts, inner []facts, firsts []string) {
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
		g.linkedItems += b2i(f.links > 0)
		links += f.links
	}
	if len(inner) > 0 {
		g.linkedOuter += b2i(outer.links > links)
		g.held++
		g.items += len(inner)
		g.counts = append(g.counts, len(inner))
	}
}

// gridAlike is the minimum similarity of the cells of a grid; those of a table differ.
const gridAlike = 0.8

// maxGrouped bounds the inner records that are examined.
const maxGrouped = 2_000

// groupPoints is the number of signs, minus contrary ones, by which inner records are the data.
const groupPoints = 2

// isGroup weighs the signs that the inner records are the data.
func (g *grouping) isGroup() bool {
	known := 2*g.known >= g.items
	switch {
	case 2*g.items < 3*g.held && !known, 2*g.inner.text < g.all.text, g.isRare(), g.labelled():
		return false
	}
	points := g.linkPoints() + g.sizePoints()
	switch v := variation(g.counts); {
	case v > 0.2:
		points++
	case v < 0.1 && g.held > 1:
		points--
	}
	if known && !g.knownOuter {
		points += 2
	}
	return points >= groupPoints
}

// heldText is the share of the page's text from which few outer records are its content, although
// they contain inner ones. An example is the only row of a layout with all of the text.
const heldText = 0.8

// isRare reports whether inner records are in few outer ones and contain little text.
func (g *grouping) isRare() bool {
	return 2*g.held < g.outer && float64(g.all.text) < heldText*float64(g.text)
}

// linkPoints compares which records have the links, because the data has them.
func (g *grouping) linkPoints() int {
	n := float64(g.items)
	linked, own := float64(g.linkedItems)/n, float64(g.linkedOuter)/float64(g.held)
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

// sizePoints compares the text in inner records with that outside.
func (g *grouping) sizePoints() int {
	n, o := float64(g.items), float64(g.held)
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

// labelled reports whether the inner records are fields with labels. They are if most of them, or
// several in each outer record, begin with words that occur in other outer records too. Times and
// dates are not labels.
func (g *grouping) labelled() bool {
	repeated, labels := 0, 0
	for _, s := range g.texts {
		if g.firsts[s]*2 >= g.held && g.firsts[s] > 1 && !strings.ContainsAny(s, "0123456789") {
			repeated++
			labels += b2i(strings.HasSuffix(s, ":"))
		}
	}
	return 2*repeated > len(g.texts) || labels >= 2*g.held
}

// variation returns the coefficient of variation.
func variation(counts []int) float64 {
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

// maxLabel is the number of runes of an inner record that are compared.
const maxLabel = 40

// firstWords returns the first text among nodes.
func firstText(nodes []*tagtree.Node) string {
	var first string
	for _, n := range nodes {
		visit(n, func(n *tagtree.Node) bool {
			if first == "" && n.Name == "" && !n.Hidden {
				first = strings.ToLower(text.CutRunes(strings.TrimSpace(n.Text), maxLabel))
			}
			return first == ""
		})
	}
	return first
}

// grouping compares the records of a finer reading with those of a coarser one that contain them.
func (c *sequence) grouping(groups, items reading) *grouping {
	ends := make([]int, len(c.units))
	for rec := range items.records() {
		ends[rec.Start] = rec.End
	}
	g := &grouping{filled: true}
	for rec := range groups.records() {
		var inner []facts
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
		g.add(c.facts(rec), inner, firsts)
	}
	return g
}
