package record

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/tagtree"
)

// A unit is a child of a container that may be a record or a part of one. It is a block element, or a line of
// text and inline elements.
type unit struct {
	nodes []*tagtree.Node
	name  string // name of the element as unitName returns it, or "line"
	class string // first word of the element's class, without digits
	// gap means that a ruler or an empty line precedes the unit.
	gap     bool
	profile pathProfile
	facts   unitCounts
}

// unitCounts are the counts by which readings are compared.
type unitCounts struct {
	leaves int  // runs of text and pictures
	text   int  // runes of text
	linked int  // runes of link text
	bold   int  // runes of bold text and headings
	links  int  // number of links
	cells  int  // td and th elements in a row
	heads  int  // number of th elements in a row
	digit  bool // true if the text has a digit
}

func (f *unitCounts) add(g unitCounts) {
	f.leaves += g.leaves
	f.text += g.text
	f.linked += g.linked
	f.bold += g.bold
	f.links += g.links
	f.cells += g.cells
	f.heads += g.heads
	f.digit = f.digit || g.digit
}

// lineUnit is the name of a unit that is a line.
const lineUnit = "line"

// Limits on units.
const (
	maxUnitDepth   = 6  // levels of a unit that its profile covers
	maxFormatDepth = 16 // nested formatting elements, which are not levels because tag paths omit them
	maxFeatures    = 96 // tag paths in a profile
)

// isInlineName reports whether an element with this name is part of a line of text.
func isInlineName(name string) bool {
	switch name {
	case "", "a", "abbr", "acronym", "area", "b", "bdi", "bdo", "big", "br", "button", "cite", "code", "data", "del", "dfn", "em",
		"font", "i", "img", "input", "ins", "kbd", "label", "map", "mark", "nobr", "picture", "q", "s", "samp", "small",
		"source", "span", "strike", "strong", "sub", "sup", "svg", "time", "tt", "u", "var", "wbr":
		return true
	}
	return false
}

// classOf returns the first word of an element's class in lower case, without digits.
func classOf(n *tagtree.Node) string {
	words := strings.Fields(n.Attr("class"))
	if len(words) == 0 {
		return ""
	}
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return r
	}, words[0]))
}

// unitName returns the name by which units are distinguished. Elements that pages use like a div, such as
// links and sections, get the name div.
func unitName(name string) string {
	switch name {
	case "a", "section", "span", "label", "button":
		return "div"
	}
	return name
}

// isPlainFormat reports whether an element only affects how text looks. Tag paths omit such elements, so that
// a record in bold is similar to its neighbours.
func isPlainFormat(name string) bool {
	switch name {
	case "b", "strong", "i", "em", "u", "font", "span", "small", "big", "tt", "nobr", "mark", "del", "ins", "s", "strike", "code", "wbr",
		"sup", "sub", "abbr", "acronym", "q", "cite", "kbd", "samp", "var", "dfn", "bdi", "bdo":
		return true
	}
	return false
}

func isHeadingName(name string) bool {
	return len(name) == 2 && name[0] == 'h' && name[1] >= '1' && name[1] <= '6'
}

// unitsOf returns the units among the children of a container. Children without content are omitted.
func (f *regionFinder) unitsOf(container *tagtree.Node) []unit {
	known, ok := f.read[container]
	if !ok {
		known = f.readUnits(container)
		f.read[container] = known
	}
	return known
}

func (f *regionFinder) readUnits(container *tagtree.Node) []unit {
	var out []unit
	var line []*tagtree.Node
	gap, breaks := false, 0
	add := func(nodes []*tagtree.Node, name string) {
		name = unitName(name)
		if len(nodes) == 0 {
			return
		}
		u := unit{nodes: nodes, name: name, class: classOf(nodes[0]), gap: gap}
		u.facts = f.factsOf(nodes)
		if u.facts.leaves == 0 || name == lineUnit && isRule(nodes) {
			gap = gap || name != "p" // an empty paragraph often results from a wrong end tag
			return
		}
		out = append(out, u)
		gap, breaks = false, 0
	}
	flush := func() {
		add(line, lineUnit)
		line = nil
	}
	split := f.hasInlineEntries(container)
	for _, c := range container.Children {
		switch {
		case c.Hidden:
		case c.Name == "br":
			if len(line) > 0 {
				line = append(line, c)
			}
			flush()
			if breaks++; breaks > 1 {
				gap = true
			}
		case c.Name == "hr":
			flush()
			gap = true
		case f.isInline(c):
			if split && c.Name != "" {
				flush()
				add([]*tagtree.Node{c}, c.Name)
			} else if !split || !isSeparator(c.Text) {
				line = append(line, c)
			}
		default:
			flush()
			add([]*tagtree.Node{c}, c.Name)
		}
	}
	flush()
	for i := range out {
		out[i].profile = profileOf(out[i].nodes)
	}
	return out
}

// isRule reports whether a line consists of signs, such as hyphens below a heading.
func isRule(line []*tagtree.Node) bool {
	return !slices.ContainsFunc(line, func(n *tagtree.Node) bool {
		return n.Name != "" && n.Name != "br" || strings.ContainsFunc(n.Text, isLetterOrDigit)
	})
}

func isLetterOrDigit(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// isInline reports whether a node is part of a line: an inline element without blocks inside, or text.
func (f *regionFinder) isInline(n *tagtree.Node) bool {
	return isInlineName(n.Name) && !f.containsBlock(n)
}

func (f *regionFinder) containsBlock(n *tagtree.Node) bool {
	if known, ok := f.blocks[n]; ok {
		return known
	}
	holds := false
	for _, c := range n.Children {
		if !isInlineName(c.Name) || f.containsBlock(c) {
			holds = true
			break
		}
	}
	f.blocks[n] = holds
	return holds
}

// hasInlineEntries reports whether the inline elements of a container are entries of a list. They must have one
// name, two texts or pictures each on average, and no text between them.
func (f *regionFinder) hasInlineEntries(container *tagtree.Node) bool {
	name, count, leaves := "", 0, 0
	for _, c := range container.Children {
		switch {
		case c.Name == "":
			if !isSeparator(c.Text) {
				return false
			}
		case c.Hidden:
		case !isInlineName(c.Name), c.Name == "br", name != "" && c.Name != name:
			return false
		default:
			name = c.Name
			count++
			leaves += f.factsOf([]*tagtree.Node{c}).leaves
		}
	}
	return count > 1 && leaves >= 2*count && name != "img"
}

// isSeparator reports whether a text only separates others: at most 6 runes without letters and digits.
func isSeparator(s string) bool {
	return !strings.ContainsFunc(s, isLetterOrDigit) && utf8.RuneCountInString(s) <= 6
}

// factsOf returns the sum of the facts of nodes. The facts of each element are cached.
func (f *regionFinder) factsOf(nodes []*tagtree.Node) unitCounts {
	var sum unitCounts
	for _, n := range nodes {
		if n.Name == "" {
			sum.add(f.countFacts(n))
			continue
		}
		if known, ok := f.facts[n]; ok {
			sum.add(known)
			continue
		}
		own := f.countFacts(n)
		f.facts[n] = own
		sum.add(own)
	}
	return sum
}

func (f *regionFinder) countFacts(n *tagtree.Node) unitCounts {
	var own unitCounts
	if n.Hidden {
		return own
	}
	if n.Name == "" {
		if text := strings.TrimSpace(n.Text); text != "" {
			own.leaves, own.text = 1, utf8.RuneCountInString(text)
			own.digit = strings.ContainsAny(text, "0123456789")
		}
		return own
	}
	own = f.factsOf(n.Children)
	switch n.Name {
	case "img", "picture", "svg":
		own.leaves++
	case "a":
		if n.Attr("href") != "" {
			own.links, own.linked = 1, own.text
		}
	case "b", "strong", "h1", "h2", "h3", "h4", "h5", "h6", "th":
		own.bold = own.text
	}
	switch n.Name {
	case "td":
		own.cells, own.heads = 1, 0
	case "th":
		own.cells, own.heads = 1, 1
	}
	return own
}

// A pathProfile describes the structure of a unit: its tag paths and the count of each, sorted by path.
type pathProfile []pathCount

type pathCount struct {
	path  uint32
	count uint16
}

// profileOf returns the profile of sibling nodes.
func profileOf(nodes []*tagtree.Node) pathProfile {
	var b profileBuilder
	for _, n := range nodes {
		b.add(n, 0, 0, 0)
	}
	b.profile.sort()
	return b.profile
}

type profileBuilder struct{ profile pathProfile }

// add adds a node to the profile. depth and formats are the numbers of levels and of formatting elements
// around it in the unit. Both are limited, which also limits how often a node is read for the elements around
// it.
func (b *profileBuilder) add(n *tagtree.Node, parent uint32, depth, formats int) {
	if n.Hidden || depth > maxUnitDepth || formats > maxFormatDepth || n.Name == "br" {
		return
	}
	path := parent
	switch {
	case n.Name == "":
		if isSeparator(n.Text) {
			return
		}
		b.countPath(pathHash(parent, "#"))
		return
	case isPlainFormat(n.Name):
		formats++
		if n.Name == "b" || n.Name == "strong" {
			b.countPath(pathHash(parent, "bold"))
		}
	case depth == 0:
		path = pathHash(parent, unitName(n.Name))
		b.countPath(path)
		depth++
	default:
		path = pathHash(parent, n.Name)
		b.countPath(path)
		depth++
	}
	for _, c := range n.Children {
		b.add(c, path, depth, formats)
	}
}

func (b *profileBuilder) countPath(path uint32) {
	for i := range b.profile {
		if b.profile[i].path == path {
			b.profile[i].count = min(b.profile[i].count+1, 1<<15)
			return
		}
	}
	if len(b.profile) < maxFeatures {
		b.profile = append(b.profile, pathCount{path, 1})
	}
}

// pathHash extends a tag path by a step (FNV-1a).
func pathHash(path uint32, step string) uint32 {
	h := path ^ 2166136261
	for i := 0; i < len(step); i++ {
		h = (h ^ uint32(step[i])) * 16777619
	}
	return (h ^ '/') * 16777619
}

func (s pathProfile) sort() {
	slices.SortFunc(s, func(a, b pathCount) int { return cmp.Compare(a.path, b.path) })
}

// weights[n] is log2(1+n), because a second occurrence is stronger evidence than a tenth.
var weights = func() (w [64]float64) {
	for i := range w {
		w[i] = math.Log2(float64(i + 1))
	}
	return w
}()

func (f pathCount) weight() float64 { return weights[min(int(f.count), len(weights)-1)] }

// similarity returns the weighted Jaccard coefficient of two profiles, from 0 to 1.
func similarity(a, b pathProfile) float64 {
	var shared, all float64
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i].path < b[j].path:
			all += a[i].weight()
			i++
		case a[i].path > b[j].path:
			all += b[j].weight()
			j++
		default:
			v, w := a[i].weight(), b[j].weight()
			shared += min(v, w)
			all += max(v, w)
			i, j = i+1, j+1
		}
	}
	for ; i < len(a); i++ {
		all += a[i].weight()
	}
	for ; j < len(b); j++ {
		all += b[j].weight()
	}
	if all == 0 {
		return 1
	}
	return shared / all
}

// minClassAlike is the minimum similarity of units whose common class counts, because layout boxes often have
// only their class in common.
const minClassAlike = 0.35

// unitLikeness returns the similarity of two units, from 0 to 1. A common class halves the difference to 1.
func unitLikeness(a, b *unit) float64 {
	s := similarity(a.profile, b.profile)
	if a.class != "" && a.class == b.class && a.name != "td" && s >= minClassAlike {
		return (s + 1) / 2
	}
	return s
}

// mergeProfiles returns the sum of profiles.
func mergeProfiles(profiles []pathProfile) pathProfile {
	if len(profiles) == 1 {
		return profiles[0]
	}
	all := slices.Concat(profiles...)
	all.sort()
	out := all[:0]
	for _, f := range all {
		if n := len(out); n > 0 && out[n-1].path == f.path {
			out[n-1].count = uint16(min(int(out[n-1].count)+int(f.count), 1<<15))
			continue
		}
		out = append(out, f)
	}
	return out
}

// clusterUnits returns the kind of each unit. A unit joins the most similar earlier unit with the same name
// that started a kind, or starts a new kind. The kind is -1 if no kind is similar and there are maxLeaders
// kinds.
func clusterUnits(units []unit) []int {
	var leaders []*unit
	of := make([]int, len(units))
	for i := range units {
		u := &units[i]
		best, at := sameProfile, -1
		for l := range leaders {
			if leaders[l].name != u.name {
				continue
			}
			if s := unitLikeness(leaders[l], u); s >= best {
				best, at = s, l
			}
		}
		if at < 0 && len(leaders) < maxLeaders {
			at = len(leaders)
			leaders = append(leaders, u)
		}
		of[i] = at
	}
	return of
}

const (
	sameProfile = 0.7 // minimum similarity of units of one kind
	maxLeaders  = 24  // kinds of units in a container
)
