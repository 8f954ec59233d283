package record

import (
	"github.com/eventseer/eventseer/features/htmltree"
	"github.com/eventseer/eventseer/features/tagtree"
)

// A regionFinder finds the lists of one page. It is used for one call only.
type regionFinder struct {
	blocks map[*tagtree.Node]bool       // for inline elements, whether they contain a block
	facts  map[*tagtree.Node]unitCounts // facts of each element
	read   map[*tagtree.Node][]unit     // units of each container
	known  map[uint32][]pathProfile     // profiles of first records, by the tag path of their containers
}

// findLists returns the lists below a node, without lists nested in records. If several containers with the same
// tag path have lists, the profiles of their records are used for all containers with that path. There even a
// single record is a list, such as the only conference in a month.
func (f *regionFinder) findLists(root *tagtree.Node) []*recordList {
	lists := f.listsBelow(root, 0)
	if f.learnProfiles(lists); len(f.known) > 0 {
		lists = f.listsBelow(root, 0)
	}
	return lists
}

// maxKnown is the maximum number of lists learned per tag path. minKnown is the minimum number of features in
// a profile that is learned.
const (
	maxKnown = 8
	minKnown = 4
)

// learnProfiles stores the profile of a record for each tag path of several containers with lists.
func (f *regionFinder) learnProfiles(lists []*recordList) {
	of := make(map[uint32][]*recordList)
	for _, l := range lists {
		first := l.units[l.records[0].Start]
		if l.items && first.name != lineUnit && len(first.profile) >= minKnown && len(of[l.key]) < maxKnown {
			of[l.key] = append(of[l.key], l)
		}
	}
	for key, lists := range of {
		if lists[0].container == lists[len(lists)-1].container {
			continue
		}
		for _, l := range lists {
			f.known[key] = append(f.known[key], l.units[l.records[0].Start].profile)
		}
	}
}

func (f *regionFinder) listsBelow(n *tagtree.Node, key uint32) []*recordList {
	if n.Hidden || n.Name == "head" {
		return nil
	}
	key = pathHash(key, n.Name)
	units := f.unitsOf(n)
	own := f.listsAmong(n, units, key)
	inner := make([][]*recordList, len(units))
	for i, u := range units {
		for _, c := range u.nodes {
			if c.Name != "" {
				inner[i] = append(inner[i], f.listsBelow(c, key)...)
			}
		}
	}
	return chooseLists(own, inner)
}

// chooseLists chooses between the lists of a container and the lists inside its units.
func chooseLists(own []*recordList, inner [][]*recordList) []*recordList {
	recordOf := make([]*recordList, len(inner))
	for _, l := range own {
		if l.columns {
			return own
		}
		if l.isGrouping(inner) {
			continue
		}
		l.inner = make([][]*recordList, len(l.records))
		for i, rec := range l.records {
			for u := rec.Start; u < rec.End; u++ {
				recordOf[u] = l
				l.inner[i] = append(l.inner[i], inner[u]...)
			}
		}
	}
	var out []*recordList
	var last *recordList
	for u, l := range recordOf {
		switch {
		case l == nil:
			out = append(out, inner[u]...)
		case l != last:
			out = append(out, l)
			last = l
		}
	}
	return out
}

// isGrouping reports whether the records of l only group the records of lists inside them. inner has the lists in
// each unit.
func (l *recordList) isGrouping(inner [][]*recordList) bool {
	g := &grouping{knownOuter: l.known}
	for _, rec := range l.records {
		var all unitCounts
		var items []unitCounts
		var firsts []string
		for u := rec.Start; u < rec.End; u++ {
			all.add(l.units[u].facts)
			for _, in := range inner[u] {
				if g.items+len(items) >= maxGrouped {
					break
				}
				if in.known {
					g.known += len(in.records)
				}
				if in.alike >= gridAlike {
					g.alike += len(in.records)
				}
				for _, r := range in.records {
					items = append(items, factsIn(in.units[r.Start:r.End]))
					firsts = append(firsts, firstText(in.units[r.Start].nodes))
				}
			}
		}
		g.addRecords(all, items, firsts)
	}
	return g.items > 0 && g.onlyGroups()
}

// makeRegions makes regions of lists, with their records, links and nested lists down to maxNested levels.
func (f *regionFinder) makeRegions(lists []*recordList, links *linkReader, depth int) []Region {
	shared := sharedContainers(lists)
	var out []Region
	for _, l := range lists {
		var r Region
		for j, rec := range l.records {
			record := Record{Nodes: l.nodes(rec)}
			record.Links = links.linksIn(record.Nodes)
			if l.inner != nil && depth < maxNested {
				record.Regions = f.makeRegions(l.inner[j], links, depth+1)
			}
			r.Records = append(r.Records, record)
		}
		r.Path = l.container.Path()
		if shared[l.container] {
			r.Path = r.Records[0].path()
		}
		alignFields(r.Records)
		out = append(out, r)
	}
	return out
}

// sharedContainers returns the containers that contain another list too, directly or deeper. Their path would
// not identify one list.
func sharedContainers(lists []*recordList) map[*tagtree.Node]bool {
	shared := make(map[*tagtree.Node]bool)
	own := make(map[*tagtree.Node]int)
	for _, l := range lists {
		own[l.container]++
	}
	seen := make(map[*tagtree.Node]bool)
	for _, l := range lists {
		if own[l.container] > 1 {
			shared[l.container] = true
		}
		for n := l.container.Parent; n != nil && !seen[n]; n = n.Parent {
			seen[n] = true
			shared[n] = own[n] > 0
		}
	}
	return shared
}

func (l *recordList) nodes(r tagtree.Range) []*tagtree.Node {
	var nodes []*tagtree.Node
	for _, u := range l.units[r.Start:r.End] {
		nodes = append(nodes, u.nodes...)
	}
	return nodes
}

// path returns the tag path of the first node of a record. For a text the last step has the form of XPath,
// such as text()[2].
func (r Record) path() string {
	first := r.Nodes[0]
	if first.Name != "" || first.Parent == nil {
		return first.Path()
	}
	place := 0
	for _, c := range first.Parent.Children {
		if c.Name == "" {
			place++
		}
		if c == first {
			break
		}
	}
	return first.Parent.Path() + "/" + htmltree.StepText("text()", place)
}
