package wrapper

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits on the alignment of two lists of children.
const (
	maxCells     = 20_000 // cells of the dynamic program; longer lists are aligned by a window
	windowSize   = 32
	separatorLen = 4 // runes of a text between two items, such as "and"
)

// A siblingGroup is a node of a page, or several siblings that are items of one repeated attribute. The first node
// represents the group (sibling matching, paper 004, section 5.1).
type siblingGroup []*pageNode

// siblingGroups groups the siblings of a page that are items of one attribute.
func siblingGroups(nodes []*pageNode) (out []siblingGroup) {
	last := -1 // index of the group that may get further items, or -1
	for i, n := range nodes {
		switch {
		case last >= 0 && itemSimilarity(out[last][0], n) >= minAlike:
			out[last] = append(out[last], n)
			continue
		case last >= 0 && isSeparator(n) && i+1 < len(nodes) && itemSimilarity(out[last][0], nodes[i+1]) >= minAlike:
			out = append(out, siblingGroup{n})
			continue
		}
		out = append(out, siblingGroup{n})
		last = len(out) - 1
	}
	return out
}

// isSeparator reports whether n is only a short text between two items of a sentence.
func isSeparator(n *pageNode) bool {
	return n.name == textName && utf8.RuneCountInString(n.text) <= separatorLen
}

// A pairing has the template node of each group of a page, nil if none. moved marks groups that are not in
// the template's order. away marks groups whose node is not a child of the aligned node.
type pairing struct {
	nodes       []*templateNode
	moved, away []bool
}

// pairGroups aligns the groups with the children of t. It first pairs identical subtrees. In the gaps between them
// it uses dynamic programming (restricted top-down mapping, order kept). The rest is paired if node and group
// are the only ones of their name in a gap, if they are in another order, or if items of one node are
// separated by others. taken has the paired nodes.
func (t *templateNode) pairGroups(groups []siblingGroup) (p pairing, taken map[*templateNode]bool) {
	nodes := t.children()
	p = pairing{make([]*templateNode, len(groups)), make([]bool, len(groups)), make([]bool, len(groups))}
	taken = make(map[*templateNode]bool, len(nodes))
	link := func(i, j int) { p.nodes[j] = nodes[i]; taken[nodes[i]] = true }

	fromNode, fromGroup := 0, 0
	for _, a := range append(identicalPairs(nodes, groups), [2]int{len(nodes), len(groups)}) {
		alignGap(nodes, groups, fromNode, a[0], fromGroup, a[1], link)
		if a[0] < len(nodes) {
			link(a[0], a[1])
		}
		fromNode, fromGroup = a[0]+1, a[1]+1
	}
	p.pairUniqueNames(nodes, groups, taken)
	p.pairOutOfOrder(nodes, groups, taken)
	return p, taken
}

// identicalPairs returns the pairs of nodes and groups with identical subtrees, in increasing order of both indexes.
// Each subtree must be unique among its siblings.
func identicalPairs(nodes []*templateNode, groups []siblingGroup) [][2]int {
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
	return longestIncreasing(pairs)
}

// longestIncreasing returns a longest subsequence of pairs whose first numbers increase.
func longestIncreasing(pairs [][2]int) [][2]int {
	var tails []int // tails[n] is the index of the last pair of the best sequence of length n+1
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

// pairingScore returns the score for pairing n with g: their similarity, weighted by the size of g. It is 0 if they
// are not similar enough.
func pairingScore(n *templateNode, g siblingGroup) float64 {
	sim := n.similarity(g[0])
	if sim < minSimilar {
		return 0
	}
	return sim * math.Log2(1+float64(g[0].size))
}

// alignGap aligns nodes[n0:n1] with groups[g0:g1] and calls link for each pair of indexes.
func alignGap(nodes []*templateNode, groups []siblingGroup, n0, n1, g0, g1 int, link func(i, j int)) {
	rows, cols := n1-n0, g1-g0
	switch {
	case rows <= 0 || cols <= 0:
		return
	case rows*cols > maxCells:
		alignWindow(nodes, groups, n0, n1, g0, g1, link)
		return
	}
	best := make([][]float64, rows+1) // best[i][j] is the maximum score of the nodes from i and the groups from j on
	gains := make([][]float64, rows)
	for i := range best {
		best[i] = make([]float64, cols+1)
	}
	for i := rows - 1; i >= 0; i-- {
		gains[i] = make([]float64, cols)
		for j := cols - 1; j >= 0; j-- {
			best[i][j] = max(best[i+1][j], best[i][j+1])
			if gains[i][j] = pairingScore(nodes[n0+i], groups[g0+j]); gains[i][j] > 0 {
				best[i][j] = max(best[i][j], gains[i][j]+best[rowAfterMatch(nodes[n0+i], i)][j+1])
			}
		}
	}
	for i, j := 0, 0; i < rows && j < cols; {
		n := nodes[n0+i]
		switch {
		case gains[i][j] > 0 && best[i][j] == gains[i][j]+best[rowAfterMatch(n, i)][j+1]:
			link(n0+i, g0+j)
			i, j = rowAfterMatch(n, i), j+1
		case best[i][j] == best[i+1][j]:
			i++
		default:
			j++
		}
	}
}

// rowAfterMatch returns the row after a match in row i. It is the same row for a node that repeats.
func rowAfterMatch(n *templateNode, i int) int {
	if n.Repeats {
		return i
	}
	return i + 1
}

// alignWindow pairs each group with the first similar node among the next windowSize. It is used for lists
// that are too long for the dynamic program, such as menus and archives.
func alignWindow(nodes []*templateNode, groups []siblingGroup, n0, n1, g0, g1 int, link func(i, j int)) {
	for j := g0; j < g1 && n0 < n1; j++ {
		for i := n0; i < min(n1, n0+windowSize); i++ {
			if nodes[i].similarity(groups[j][0]) >= minAlike {
				link(i, j)
				n0 = rowAfterMatch(nodes[i], i)
				break
			}
		}
	}
}

// pairUniqueNames pairs a node and a group in each gap that are the only ones of their name there, unless mayBe rules
// it out.
func (p *pairing) pairUniqueNames(nodes []*templateNode, groups []siblingGroup, taken map[*templateNode]bool) {
	index := make(map[*templateNode]int, len(nodes))
	for i, n := range nodes {
		index[n] = i
	}
	from := 0
	for j := 0; j < len(groups); {
		if p.nodes[j] != nil {
			from = rowAfterMatch(p.nodes[j], index[p.nodes[j]])
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
			i := gap.onlyNodeNamed(groups[k][0].name)
			if i < 0 {
				continue
			}
			n := nodes[i]
			if (!taken[n] || n.Repeats) && n.isCompatible(groups[k][0]) {
				p.nodes[k] = n
				taken[n] = true
				gap.removeBefore(rowAfterMatch(n, i), k+1)
			}
		}
		j = end
		from = gap.from
	}
}

// An unpairedGap is a range of unpaired nodes and a range of unpaired groups, counted by name.
type unpairedGap struct {
	nodes    []*templateNode
	groups   []siblingGroup
	from, at int            // index of the first node and of the first group
	ofNodes  map[string]int // number of nodes by name
	indexes  map[string]int // sum of the nodes' indexes by name; for a single node, its index
	ofGroups map[string]int
}

func newGap(nodes []*templateNode, groups []siblingGroup, from, to, at, end int) *unpairedGap {
	g := &unpairedGap{nodes: nodes, groups: groups, from: from, at: at, ofNodes: make(map[string]int), indexes: make(map[string]int), ofGroups: make(map[string]int)}
	for i := from; i < to; i++ {
		g.ofNodes[nodes[i].Name]++
		g.indexes[nodes[i].Name] += i
	}
	for _, group := range groups[at:end] {
		g.ofGroups[group[0].name]++
	}
	return g
}

// removeBefore removes the nodes before from and the groups before at.
func (g *unpairedGap) removeBefore(from, at int) {
	for ; g.from < from; g.from++ {
		name := g.nodes[g.from].Name
		g.ofNodes[name]--
		g.indexes[name] -= g.from
	}
	for ; g.at < at; g.at++ {
		g.ofGroups[g.groups[g.at][0].name]--
	}
}

// onlyNodeNamed returns the index of the only node with a name. It returns -1 if there is no node or several, or
// several groups for a node that does not repeat.
func (g *unpairedGap) onlyNodeNamed(name string) int {
	if g.ofNodes[name] != 1 || g.ofGroups[name] > 1 && !g.nodes[g.indexes[name]].Repeats {
		return -1
	}
	return g.indexes[name]
}

// isCompatible reports whether nothing rules out that p is this template node.
func (t *templateNode) isCompatible(p *pageNode) bool {
	if agree, known := t.labelAgreement(p); known && agree == 0 || t.hasOtherLabel(p) {
		return false
	}
	if t.Name == textName {
		return t.textSimilarity(p) > 0
	}
	return len(t.Classes) == 0 || len(p.classes) == 0 || diceCoefficient(t.Classes, p.classes, t.Items) > 0
}

// pairOutOfOrder pairs unpaired groups with the most similar nodes, in any order. It also pairs items of a repeated
// node that have other groups between them.
func (p *pairing) pairOutOfOrder(nodes []*templateNode, groups []siblingGroup, taken map[*templateNode]bool) {
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
			if taken[n] && !(isRepeatable(g[0]) && (n.Repeats || n.Items > 1)) {
				continue
			}
			sim := n.similarity(g[0])
			if sim >= minAlike && sim > most && (taken[n] || n.hasDistinctEvidence(g[0])) {
				best, most = n, sim
			}
		}
		if best != nil {
			p.nodes[j], p.moved[j] = best, !taken[best]
			taken[best] = true
		}
	}
}

// hasDistinctEvidence reports whether more than the structure indicates that p is this template node: its label, words
// or classes.
func (t *templateNode) hasDistinctEvidence(p *pageNode) bool {
	agree, _ := t.labelAgreement(p)
	words, _ := t.wordAgreement(p)
	return agree > 0 || words > 0 || len(t.Classes) > 0 && len(p.classes) > 0
}

// Minimum similarities, 0 to 1. A template node and a page node may be paired from minSimilar on. Items of a
// repeated node, and nodes in another order, need minAlike.
const (
	minSimilar = .5
	minAlike   = .75
)

// Weights of the kinds of evidence.
const (
	structureWeight = 2
	classWeight     = 3
	labelWeight     = 3
	wordsWeight     = 3
)

// similarity returns the similarity of a template node and a page node, from 0 to 1. Classes, labels and
// texts that all pages have distinguish nodes and weigh most. Values that differ from page to page do not
// count.
func (t *templateNode) similarity(p *pageNode) float64 {
	switch {
	case t.Name != p.name:
		return 0
	case t.Hash == p.hash:
		return 1
	case t.Name == textName:
		return t.textSimilarity(p)
	case t.hasOtherLabel(p):
		return 0
	}
	sum, weight := structureWeight*diceCoefficient(t.Sketch, p.sketch, t.Items), float64(structureWeight)
	if len(t.Classes)+len(p.classes) > 0 {
		sum += classWeight * diceCoefficient(t.Classes, p.classes, t.Items)
		weight += classWeight
	}
	if agree, known := t.labelAgreement(p); known {
		sum += labelWeight * agree
		weight += labelWeight
	}
	if share, known := t.wordAgreement(p); known {
		sum += wordsWeight * share
		weight += wordsWeight
	}
	return sum / weight
}

// diceCoefficient returns Dice's coefficient of the keys of a page node and those of a template node. The latter are
// weighted by the share of items that have them. It returns 1 if neither has any.
func diceCoefficient[K string | uint64](have counts[K], keys []K, items int) float64 {
	var all, both float64
	for _, c := range have {
		all += float64(c.N)
	}
	all /= float64(items)
	for _, k := range keys {
		both += min(1, float64(have.countOf(k))/float64(items))
	}
	if all+float64(len(keys)) == 0 {
		return 1
	}
	return min(1, 2*both/(all+float64(len(keys))))
}

// labelAgreement compares the labels before the nodes. known is false if they are no evidence, as labels that
// differ from page to page, such as a title above, are not.
func (t *templateNode) labelAgreement(p *pageNode) (agree float64, known bool) {
	top, n := t.Labels.mostFrequent()
	switch {
	case n == 0 && p.label == "":
		return 0, false
	case n == 0:
		return 0, endsWithColon(p.label)
	case p.label == "":
		return 0, endsWithColon(top) && 2*n > t.Pages
	case p.label == top:
		return 1, true
	case t.Labels.countOf(p.label) > 0:
		return .8, true
	}
	return 0, 2*n > t.Pages && (t.Pages > 1 || endsWithColon(top))
}

// wordAgreement compares the short texts of the nodes. Those that most pages have are part of the template. If
// only one page was learned, a common text counts but a missing one does not.
func (t *templateNode) wordAgreement(p *pageNode) (share float64, known bool) {
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

// hasOtherLabel reports whether both nodes are labels with different texts: terms of a list, header cells or
// texts with a colon.
func (t *templateNode) hasOtherLabel(p *pageNode) bool {
	text := p.shortContent()
	if text == "" || len(t.Words) != 1 || t.Words[0].N < t.Pages || len(p.words) == 0 {
		return false
	}
	same := slices.Contains(p.words, t.Words[0].Key)
	return !same && (t.Name == "dt" || t.Name == "th" || endsWithColon(text))
}

func endsWithColon(s string) bool { return strings.HasSuffix(s, ":") || strings.HasSuffix(s, "：") }

func (t *templateNode) textSimilarity(p *pageNode) float64 {
	if t.Texts.countOf(textKey(p.text)) > 0 {
		return 1
	}
	if text, constant := t.constantText(); constant && endsWithColon(text) && endsWithColon(p.text) {
		return 0
	}
	sim := minSimilar + .1
	if agree, known := t.labelAgreement(p); known {
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

// itemSimilarity returns the similarity of two nodes of a page, from 0 to 1. It decides whether they are items of one
// repeated attribute (sibling matching, paper 004, section 5.1).
func itemSimilarity(a, b *pageNode) float64 {
	if a.name != b.name || !isRepeatable(a) {
		return 0
	}
	structure := jaccardCoefficient(a.sketch, b.sketch)
	if len(a.classes)+len(b.classes) == 0 {
		if structure < .5 && isItem(a) {
			return minAlike
		}
		return math.Sqrt(structure)
	}
	return (structureWeight*structure + 2*classWeight*jaccardCoefficient(a.classes, b.classes)) / (structureWeight + 2*classWeight)
}

// isRepeatable reports whether siblings of this kind may be items. Cells of a row and terms of a list never
// are.
func isRepeatable(p *pageNode) bool {
	switch p.name {
	case textName, "td", "th", "dt", "head", "body", "br", "hr", "thead", "tbody", "tfoot", "h1", "html", "meta", "link", "title":
		return false
	}
	return true
}

// isItem reports whether the element is meant for repeated items.
func isItem(p *pageNode) bool {
	return p.name == "li" || p.name == "tr" || p.name == "option" || p.name == "dd"
}

func jaccardCoefficient[K string | uint64](a, b []K) float64 {
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
