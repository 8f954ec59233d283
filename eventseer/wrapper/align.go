package wrapper

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds on the alignment of two lists of children.
const (
	maxCells     = 20_000 // of the dynamic program: longer lists are aligned by a window
	windowSize   = 32
	separatorLen = 4 // letters of a word between two items, such as "and"
)

// A group is a node of a page, or several siblings that are items of one repeated attribute. The
// first represents them (sibling matching, paper 004, section 5.1).
type group []*pageNode

// siblingGroups matches the siblings of a page with each other.
func siblingGroups(nodes []*pageNode) (out []group) {
	last := -1 // the group that may go on
	for i, n := range nodes {
		switch {
		case last >= 0 && alike(out[last][0], n) >= minAlike:
			out[last] = append(out[last], n)
			continue
		case last >= 0 && isSeparator(n) && i+1 < len(nodes) && alike(out[last][0], nodes[i+1]) >= minAlike:
			out = append(out, group{n})
			continue
		}
		out = append(out, group{n})
		last = len(out) - 1
	}
	return out
}

// isSeparator reports whether n is but a word between two items of a sentence.
func isSeparator(n *pageNode) bool {
	return n.name == textName && utf8.RuneCountInString(n.text) <= separatorLen
}

// A pairing says for each group of a page which node of the template it is, nil if none. moved
// marks those that break its order, away those whose node is no child of the one that is aligned.
type pairing struct {
	nodes       []*templateNode
	moved, away []bool
}

// pair aligns the groups with the children of t. It pairs subtrees that are identical first, then
// by dynamic programming in the gaps between them (restricted top-down mapping, order kept), then
// those left over that are alone in their place, come in another order, or repeat with others
// between them.
func (t *templateNode) pair(groups []group) (p pairing, taken map[*templateNode]bool) {
	nodes := t.children()
	p = pairing{make([]*templateNode, len(groups)), make([]bool, len(groups)), make([]bool, len(groups))}
	taken = make(map[*templateNode]bool, len(nodes))
	link := func(i, j int) { p.nodes[j] = nodes[i]; taken[nodes[i]] = true }

	fromNode, fromGroup := 0, 0
	for _, a := range append(anchors(nodes, groups), [2]int{len(nodes), len(groups)}) {
		alignGap(nodes, groups, fromNode, a[0], fromGroup, a[1], link)
		if a[0] < len(nodes) {
			link(a[0], a[1])
		}
		fromNode, fromGroup = a[0]+1, a[1]+1
	}
	p.alone(nodes, groups, taken)
	p.astray(nodes, groups, taken)
	return p, taken
}

// anchors returns the pairs of nodes and groups with identical subtrees, each the only
// one among its siblings, that are in one order.
func anchors(nodes []*templateNode, groups []group) [][2]int {
	where := make(map[uint64]int, len(nodes))
	for i, n := range nodes {
		if _, twice := where[n.Hash]; twice {
			i = -1
		}
		where[n.Hash] = i
	}
	seen := make(map[uint64]int, len(groups))
	for _, g := range groups {
		seen[g[0].hash]++
	}
	var pairs [][2]int
	for j, g := range groups {
		if i, found := where[g[0].hash]; found && i >= 0 && seen[g[0].hash] == 1 {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return increasing(pairs)
}

// increasing returns a longest subsequence whose first numbers increase.
func increasing(pairs [][2]int) [][2]int {
	var tails []int // index of the last pair of the best sequence of each length
	before := make([]int, len(pairs))
	for k, p := range pairs {
		n, _ := slices.BinarySearchFunc(tails, p[0], func(tail, node int) int { return pairs[tail][0] - node })
		before[k] = -1
		if n > 0 {
			before[k] = tails[n-1]
		}
		if n == len(tails) {
			tails = append(tails, k)
		} else {
			tails[n] = k
		}
	}
	var out [][2]int
	if len(tails) > 0 {
		for k := tails[len(tails)-1]; k >= 0; k = before[k] {
			out = append(out, pairs[k])
		}
	}
	slices.Reverse(out)
	return out
}

// gain returns what it is worth to take g for n: more, the more of the page it explains.
func gain(n *templateNode, g group) float64 {
	sim := n.similarity(g[0])
	if sim < minSimilar {
		return 0
	}
	return sim * math.Log2(1+float64(g[0].size))
}

// alignGap aligns nodes[n0:n1] with groups[g0:g1].
func alignGap(nodes []*templateNode, groups []group, n0, n1, g0, g1 int, link func(i, j int)) {
	rows, cols := n1-n0, g1-g0
	switch {
	case rows <= 0 || cols <= 0:
		return
	case rows*cols > maxCells:
		alignWindow(nodes, groups, n0, n1, g0, g1, link)
		return
	}
	best := make([][]float64, rows+1) // of what is left of both
	gains := make([][]float64, rows)
	for i := range best {
		best[i] = make([]float64, cols+1)
	}
	for i := rows - 1; i >= 0; i-- {
		gains[i] = make([]float64, cols)
		for j := cols - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if gains[i][j] = gain(nodes[n0+i], groups[g0+j]); gains[i][j] > 0 {
				best[i][j] = max(best[i][j], gains[i][j]+best[after(nodes[n0+i], i)][j+1])
			}
		}
	}
	for i, j := 0, 0; i < rows && j < cols; {
		n := nodes[n0+i]
		switch {
		case gains[i][j] > 0 && best[i][j] == gains[i][j]+best[after(n, i)][j+1]:
			link(n0+i, g0+j)
			i, j = after(n, i), j+1
		case best[i][j] == best[i+1][j]:
			i++
		default:
			j++
		}
	}
}

// after returns the row that follows a match in row i: the same of a node that repeats.
func after(n *templateNode, i int) int {
	if n.Repeats {
		return i
	}
	return i + 1
}

// alignWindow takes for each group the first node among the next windowSize that is
// alike: lists too long for a table are menus and archives.
func alignWindow(nodes []*templateNode, groups []group, n0, n1, g0, g1 int, link func(i, j int)) {
	for j := g0; j < g1 && n0 < n1; j++ {
		for i := n0; i < min(n1, n0+windowSize); i++ {
			if nodes[i].similarity(groups[j][0]) >= minAlike {
				link(i, j)
				n0 = after(nodes[i], i)
				break
			}
		}
	}
}

// alone pairs in each gap a node and a group that are the only ones of their name there. What is in
// the same place is the same, unless its label says otherwise.
func (p *pairing) alone(nodes []*templateNode, groups []group, taken map[*templateNode]bool) {
	index := make(map[*templateNode]int, len(nodes))
	for i, n := range nodes {
		index[n] = i
	}
	from := 0
	for j := 0; j < len(groups); {
		if p.nodes[j] != nil {
			from = after(p.nodes[j], index[p.nodes[j]])
			j++
			continue
		}
		end, to := j, len(nodes)
		for end < len(groups) && p.nodes[end] == nil {
			end++
		}
		if end < len(groups) {
			to = index[p.nodes[end]]
			if p.nodes[end].Repeats {
				to++
			}
		}
		gap := newGap(nodes, groups, from, to, j, end)
		for k := j; k < end && gap.from < to; k++ {
			i := gap.onlyOf(groups[k][0].name)
			if i < 0 {
				continue
			}
			n := nodes[i]
			if (!taken[n] || n.Repeats) && n.mayBe(groups[k][0]) {
				p.nodes[k] = n
				taken[n] = true
				gap.advance(after(n, i), k+1)
			}
		}
		j = end
		from = gap.from
	}
}

// A gap is a stretch of nodes and one of groups that are not paired, counted by name.
type gap struct {
	nodes    []*templateNode
	groups   []group
	from, at int            // the first node, the first group
	ofNodes  map[string]int // how many have a name
	indexes  map[string]int // sum of their indexes: that of the only one
	ofGroups map[string]int
}

func newGap(nodes []*templateNode, groups []group, from, to, at, end int) *gap {
	g := &gap{nodes: nodes, groups: groups, from: from, at: at, ofNodes: make(map[string]int), indexes: make(map[string]int), ofGroups: make(map[string]int)}
	for i := from; i < to; i++ {
		g.ofNodes[nodes[i].Name]++
		g.indexes[nodes[i].Name] += i
	}
	for _, group := range groups[at:end] {
		g.ofGroups[group[0].name]++
	}
	return g
}

// advance leaves out the nodes before from and the groups before at.
func (g *gap) advance(from, at int) {
	for ; g.from < from; g.from++ {
		name := g.nodes[g.from].Name
		g.ofNodes[name]--
		g.indexes[name] -= g.from
	}
	for ; g.at < at; g.at++ {
		g.ofGroups[g.groups[g.at][0].name]--
	}
}

// onlyOf returns the index of the only node of a name, -1 if there is none. It is -1 too for several
// nodes, and for one that does not repeat and several groups that may be it.
func (g *gap) onlyOf(name string) int {
	if g.ofNodes[name] != 1 || g.ofGroups[name] > 1 && !g.nodes[g.indexes[name]].Repeats {
		return -1
	}
	return g.indexes[name]
}

// mayBe reports whether nothing speaks against p being the node, for which little
// speaks.
func (t *templateNode) mayBe(p *pageNode) bool {
	if agree, known := t.labelAgrees(p); known && agree == 0 || t.contradicts(p) {
		return false
	}
	if t.Name == textName {
		return t.textSimilarity(p) > 0
	}
	return len(t.Classes) == 0 || len(p.classes) == 0 || dice(t.Classes, p.classes, t.Items) > 0
}

// astray pairs groups in another order than in the template with the most similar nodes. It also
// pairs those that repeat one with others between them.
func (p *pairing) astray(nodes []*templateNode, groups []group, taken map[*templateNode]bool) {
	if len(nodes)*len(groups) > maxCells {
		return
	}
	for j, g := range groups {
		if p.nodes[j] != nil {
			continue
		}
		var best *templateNode
		most := 0.
		for _, n := range nodes {
			if taken[n] && !(repeatable(g[0]) && (n.Repeats || n.Items > 1)) {
				continue
			}
			sim := n.similarity(g[0])
			if sim >= minAlike && sim > most && (taken[n] || n.distinct(g[0])) {
				best, most = n, sim
			}
		}
		if best != nil {
			p.nodes[j], p.moved[j] = best, !taken[best]
			taken[best] = true
		}
	}
}

// distinct reports whether more than the structure says that p is the node.
func (t *templateNode) distinct(p *pageNode) bool {
	agree, _ := t.labelAgrees(p)
	words, _ := t.wordsAgree(p)
	return agree > 0 || words > 0 || len(t.Classes) > 0 && len(p.classes) > 0
}

// Two nodes may be one place of the template if their similarity, 0 to 1, is at least minSimilar. A
// node that repeats, or comes in another order, must be like the one it is taken for by minAlike.
const (
	minSimilar = .5
	minAlike   = .75
)

// What the kinds of evidence weigh.
const (
	structureWeight = 2
	classWeight     = 3
	labelWeight     = 3
	wordsWeight     = 3
)

// similarity reports how like a place of the template a node of a page is, from 0 to 1. What most
// items of the place have weighs most: classes, labels and texts that all pages have tell places
// apart, values that differ do not.
func (t *templateNode) similarity(p *pageNode) float64 {
	switch {
	case t.Name != p.name:
		return 0
	case t.Hash == p.hash:
		return 1
	case t.Name == textName:
		return t.textSimilarity(p)
	case t.contradicts(p):
		return 0
	}
	sum, weight := structureWeight*dice(t.Sketch, p.sketch, t.Items), float64(structureWeight)
	if len(t.Classes)+len(p.classes) > 0 {
		sum += classWeight * dice(t.Classes, p.classes, t.Items)
		weight += classWeight
	}
	if agree, known := t.labelAgrees(p); known {
		sum += labelWeight * agree
		weight += labelWeight
	}
	if share, known := t.wordsAgree(p); known {
		sum += wordsWeight * share
		weight += wordsWeight
	}
	return sum / weight
}

// dice returns Dice's coefficient of the keys of p and those of the place. The latter count by the
// share of items that have them; 1 if neither has any.
func dice[K string | uint64](have counts[K], keys []K, items int) float64 {
	var all, both float64
	for _, c := range have {
		all += float64(c.N)
	}
	all /= float64(items)
	for _, k := range keys {
		both += min(1, float64(have.of(k))/float64(items))
	}
	if all+float64(len(keys)) == 0 {
		return 1
	}
	return min(1, 2*both/(all+float64(len(keys))))
}

// labelAgrees compares the label before the node. Labels that change from page to
// page, such as a title above, say nothing.
func (t *templateNode) labelAgrees(p *pageNode) (agree float64, known bool) {
	top, n := t.Labels.top()
	switch {
	case n == 0 && p.label == "":
		return 0, false
	case n == 0:
		return 0, isColoned(p.label)
	case p.label == "":
		return 0, isColoned(top) && 2*n > t.Pages
	case p.label == top:
		return 1, true
	case t.Labels.of(p.label) > 0:
		return .8, true
	}
	return 0, 2*n > t.Pages && (t.Pages > 1 || isColoned(top))
}

// wordsAgree compares the short texts: those that most pages have are part of the
// template. Of one page alone any common text is welcome, and a missing one no
// evidence.
func (t *templateNode) wordsAgree(p *pageNode) (share float64, known bool) {
	var usual, both int
	for _, c := range t.Words {
		if t.Pages > 1 && 2*c.N <= t.Pages {
			continue
		}
		usual++
		if _, found := slices.BinarySearch(p.words, c.Key); found {
			both++
		}
	}
	if usual == 0 || t.Pages == 1 && both == 0 {
		return 0, false
	}
	return float64(both) / float64(usual), true
}

// contradicts reports whether both are labels, terms of a list or texts with a colon,
// that say different things.
func (t *templateNode) contradicts(p *pageNode) bool {
	text := p.shortContent()
	if text == "" || len(t.Words) != 1 || t.Words[0].N < t.Pages || len(p.words) == 0 {
		return false
	}
	same := slices.Contains(p.words, t.Words[0].Key)
	return !same && (t.Name == "dt" || t.Name == "th" || isColoned(text))
}

func isColoned(s string) bool { return strings.HasSuffix(s, ":") || strings.HasSuffix(s, "：") }

func (t *templateNode) textSimilarity(p *pageNode) float64 {
	if t.Texts.of(textKey(p.text)) > 0 {
		return 1
	}
	if text, constant := t.constant(); constant && isColoned(text) && isColoned(p.text) {
		return 0
	}
	sim := minSimilar + .1
	if agree, known := t.labelAgrees(p); known {
		sim = .4 + .5*agree
	}
	if t.Core != nil && len(t.Core.Prefix) > 0 {
		words := strings.Fields(p.text)
		if len(words) > 0 && words[0] == t.Core.Prefix[0] {
			sim = max(sim, .8)
		}
	}
	return sim
}

// alike reports how alike two nodes of a page are, from 0 to 1. The caller thus decides whether
// they are items of one repeated attribute (sibling matching, paper 004, section 5.1).
func alike(a, b *pageNode) float64 {
	if a.name != b.name || !repeatable(a) {
		return 0
	}
	structure := jaccard(a.sketch, b.sketch)
	if len(a.classes)+len(b.classes) == 0 {
		if structure < .5 && isItem(a) {
			return minAlike
		}
		return math.Sqrt(structure)
	}
	return (structureWeight*structure + 2*classWeight*jaccard(a.classes, b.classes)) / (structureWeight + 2*classWeight)
}

// repeatable reports whether siblings of the kind may be items: the cells of a row
// and the terms of a list never are.
func repeatable(p *pageNode) bool {
	switch p.name {
	case textName, "td", "th", "dt", "head", "body", "br", "hr", "thead", "tbody", "tfoot", "h1", "html", "meta", "link", "title":
		return false
	}
	return true
}

// isItem reports whether the kind is made to repeat.
func isItem(p *pageNode) bool {
	return p.name == "li" || p.name == "tr" || p.name == "option" || p.name == "dd"
}

func jaccard[K string | uint64](a, b []K) float64 {
	both := 0
	for _, k := range a {
		if _, found := slices.BinarySearch(b, k); found {
			both++
		}
	}
	if either := len(a) + len(b) - both; either > 0 {
		return float64(both) / float64(either)
	}
	return 1
}
