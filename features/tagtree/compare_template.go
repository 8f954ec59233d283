package tagtree

import "strings"

// TemplateDistance says how much the pages differ in how they are built: the share of
// the tag paths of their elements, without places among siblings, that only one has,
// each counted as often as it comes; 0 to 1. Texts and links do not count.
func (c *Comparison) TemplateDistance() float64 {
	old, new := pathCounts(c.Old), pathCounts(c.New)
	common, total := 0, 0
	for path, n := range old {
		common += min(n, new[path])
		total += n
	}
	for _, n := range new {
		total += n
	}
	if total == 0 {
		return 0
	}
	return 1 - float64(2*common)/float64(total)
}

// LooksChanged reports whether the versions name other style sheets or show other
// pictures.
func (c *Comparison) LooksChanged() bool { return looks(c.Old) != looks(c.New) }

func pathCounts(t *Tree) map[string]int {
	counts := map[string]int{}
	for _, b := range t.blocks {
		counts[withoutPlaces(b.Path)]++
	}
	return counts
}

// looks lists the style sheets and pictures of a page.
func looks(t *Tree) string {
	var b strings.Builder
	var visit func(n *Node)
	visit = func(n *Node) {
		address := ""
		switch {
		case n.Name == "img":
			address = n.Attr("src")
		case n.Name == "link" && strings.Contains(strings.ToLower(n.Attr("rel")), "stylesheet"):
			address = n.Attr("href")
		}
		if address != "" {
			address, _, _ = strings.Cut(address, "?")
			b.WriteString(address + "\n")
		}
		for _, c := range n.Children {
			visit(c)
		}
	}
	if root := t.Outline(); root != nil {
		visit(root)
	}
	return b.String()
}
