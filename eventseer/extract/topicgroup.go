package extract

import (
	"strings"

	"github.com/eventseer/eventseer/features/tagtree"
)

// Lists of topics in two levels.
const (
	leastPairs   = 2 // titles that each have a description
	leastMembers = 2 // topics of a group
	leastGroups  = 2 // groups whose names are no headings
	longer       = 2 // how many times as long as titles descriptions are
	maxLines     = 4 // of an element that are distinguished
)

// withoutLevels leaves out what the page prints around its topics: the description after each
// title, and the name of each group of topics.
func (tp *topicPage) withoutLevels(chosen []topicBlock) []topicBlock {
	drop := make([]bool, len(chosen))
	for from := 0; from < len(chosen); {
		to := tp.endOfPairs(chosen, from)
		if to-from >= 2*leastPairs && tp.describes(chosen[from:to]) {
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
			members += int(bit(tp.isMember(chosen[n].block, group)))
			opened += int(bit(tp.isOpened(chosen[n].block, group)))
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

// groupNames returns the headings, in lower case, that several of the topics stand below, given the topics
// of each chosen block. A page that lists these headings before says them twice.
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

// listsBelow counts, by the look of the block above, the lists of topics that each stand below one.
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

// endOfPairs returns the end of the blocks that alternate between the level of chosen[from] and the
// next. A last block without a partner is excluded.
func (tp *topicPage) endOfPairs(chosen []topicBlock, from int) int {
	level := func(k int) [2]uint32 {
		i, line := chosen[k].block, uint32(0)
		for ; i > 0 && tp.p.blocks[i-1].Path == tp.p.blocks[i].Path && line < maxLines; i-- {
			line++ // of the element
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

// describes reports whether in pairs of blocks the second is much the longer.
func (tp *topicPage) describes(pairs []topicBlock) bool {
	var bytes [2]int
	for k, x := range pairs {
		if x.reading != wholeTopic {
			return false
		}
		bytes[k%2] += len(tp.texts[x.block])
	}
	return bytes[1] >= longer*bytes[0]
}

// isMember reports whether block i stands within the item that block group begins, or right
// under the heading that it is.
func (tp *topicPage) isMember(i, group int) bool {
	a, b := &tp.p.blocks[group], &tp.p.blocks[i]
	if a.Kind == tagtree.Heading {
		return tp.above[i] == group && b.Kind != tagtree.Heading
	}
	item := itemOf(a.Path)
	return item != "" && a.Kind == tagtree.Item && b.Kind == tagtree.Item && strings.HasPrefix(b.Path, item+"/") && itemOf(b.Path) != item
}

// itemOf returns the tag path of the innermost item of a list that holds an element, "" for none.
func itemOf(path string) string {
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '/') {
		name, _, _ := strings.Cut(path[strings.LastIndexByte(path[:end], '/')+1:end], "[")
		if name == "li" || name == "dd" {
			return path[:end]
		}
	}
	return ""
}

// isOpened reports whether block i belongs to a list that follows block group directly, where
// group itself is outside of any list. Lines and paragraphs with bullets below one without are a list too.
func (tp *topicPage) isOpened(i, group int) bool {
	a, b := &tp.p.blocks[group], &tp.p.blocks[i]
	if tp.opener[i] != group || a.Kind == tagtree.Item {
		return false
	}
	return b.Kind == tagtree.Item || b.Kind != tagtree.Heading && bulletKind(b.Text) > 0 && bulletKind(a.Text) == 0
}
