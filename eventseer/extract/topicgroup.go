package extract

import (
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
)

// Thresholds for lists of topics in two levels: titles with descriptions, and groups with names.
const (
	leastPairs   = 2 // minimum number of titles with a description
	leastMembers = 2 // minimum number of topics in a group
	leastGroups  = 2 // minimum number of groups whose names are not headings
	longer       = 2 // minimum ratio of the length of descriptions to that of titles
	maxLines     = 4 // lines of an element that are distinguished by their number
)

// withoutLevels removes the blocks that are not topics from lists in two levels: the description after each
// title, and the name of each group. It modifies chosen.
func (tp *topicPage) withoutLevels(chosen []topicBlock) []topicBlock {
	drop := make([]bool, len(chosen))
	for from := 0; from < len(chosen); {
		to := tp.endOfPairs(chosen, from)
		if to-from >= 2*leastPairs && tp.isDescribedBySecond(chosen[from:to]) {
			for k := from + 1; k < to; k += 2 {
				drop[k] = true
			}
		}
		from = to
	}
	opens := tp.listsBelow(chosen)
	for k := range chosen {
		group, members, opened := chosen[k].block, 0, 0
		for n := k + 1; n < len(chosen) && n <= k+leastMembers; n++ {
			members += int(bitOf(tp.isMember(chosen[n].block, group)))
			opened += int(bitOf(tp.isOpened(chosen[n].block, group)))
		}
		drop[k] = drop[k] || members == leastMembers || opened == leastMembers && opens[tp.look[group]] >= leastGroups
	}
	out := chosen[:0]
	for k, x := range chosen {
		if !drop[k] {
			out = append(out, x)
		}
	}
	return out
}

// groupNames returns the headings, in lower case, above at least leastMembers topics. A page may list them
// as topics a second time. lists are the topics of each chosen block.
func (tp *topicPage) groupNames(chosen []topicBlock, lists [][]string) map[string]bool {
	below, names := map[int]int{}, map[string]bool{}
	for k, x := range chosen {
		if h := tp.above[x.block]; h >= 0 {
			below[h] += len(lists[k])
			if below[h] >= leastMembers {
				names[strings.ToLower(cleanTopic(tp.p.blocks[h].Text))] = true
			}
		}
	}
	return names
}

// listsBelow returns the number of lists of topics below blocks of each look.
func (tp *topicPage) listsBelow(chosen []topicBlock) map[uint32]int {
	lists := map[uint32]int{}
	for k := 0; k < len(chosen); {
		group, to := tp.opener[chosen[k].block], k
		for group >= 0 && to < len(chosen) && tp.isOpened(chosen[to].block, group) {
			to++
		}
		if to-k >= leastMembers {
			lists[tp.look[group]]++
		}
		k = max(to, k+1)
	}
	return lists
}

// endOfPairs returns the end of the blocks from chosen[from] on that alternate between two levels. A last
// block without a partner is excluded.
func (tp *topicPage) endOfPairs(chosen []topicBlock, from int) int {
	level := func(k int) [2]uint32 {
		i, line := chosen[k].block, uint32(0)
		for ; i > 0 && tp.p.blocks[i-1].Path == tp.p.blocks[i].Path && line < maxLines; i-- {
			line++ // line number inside the element
		}
		return [2]uint32{tp.look[chosen[k].block], line}
	}
	to := from + 1
	for ; to < len(chosen) && chosen[to].block == chosen[to-1].block+1 && level(to) != level(to-1); to++ {
		if to >= from+2 && level(to) != level(to-2) {
			break
		}
	}
	if n := to - from; n > 1 {
		to -= n % 2
	}
	return to
}

// isDescribedBySecond reports whether the second blocks of the pairs together are at least longer times as long as
// the first ones.
func (tp *topicPage) isDescribedBySecond(pairs []topicBlock) bool {
	var bytes [2]int
	for k, x := range pairs {
		if x.reading != wholeTopic {
			return false
		}
		bytes[k%2] += len(tp.texts[x.block])
	}
	return bytes[1] >= longer*bytes[0]
}

// isMember reports whether block i is below block group. It is in a list inside the item that begins with
// group, or directly below group if that is a heading.
func (tp *topicPage) isMember(i, group int) bool {
	a, b := &tp.p.blocks[group], &tp.p.blocks[i]
	if a.Kind == tagtree.Heading {
		return tp.above[i] == group && b.Kind != tagtree.Heading
	}
	item := itemOf(a.Path)
	return item != "" && a.Kind == tagtree.Item && b.Kind == tagtree.Item && strings.HasPrefix(b.Path, item+"/") && itemOf(b.Path) != item
}

// itemOf returns the tag path of the innermost list item around an element, or "" for none.
func itemOf(path string) string {
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '/') {
		name, _, _ := strings.Cut(path[strings.LastIndexByte(path[:end], '/')+1:end], "[")
		if name == "li" || name == "dd" {
			return path[:end]
		}
	}
	return ""
}

// isOpened reports whether block i belongs to a list directly below block group, which is outside of any
// list itself. Lines and paragraphs with bullets below one without a bullet are a list too.
func (tp *topicPage) isOpened(i, group int) bool {
	a, b := &tp.p.blocks[group], &tp.p.blocks[i]
	if tp.opener[i] != group || a.Kind == tagtree.Item {
		return false
	}
	return b.Kind == tagtree.Item || b.Kind != tagtree.Heading && bulletKind(b.Text) > 0 && bulletKind(a.Text) == 0
}
