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
	opens := map[uint32]int{} // how many blocks of a look open a list of topics
	for pass := range 2 {
		for k := range chosen {
			group, members, opened := chosen[k].block, 0, 0
			for n := k + 1; n < len(chosen) && n <= k+leastMembers; n++ {
				members += int(bit(tp.isMember(chosen[n].block, group)))
				opened += int(bit(tp.isOpened(chosen[n].block, group)))
			}
			if members == leastMembers || opened == leastMembers && opens[tp.look[group]] >= leastGroups {
				drop[k] = true
			}
			if pass == 0 && opened == leastMembers {
				opens[tp.look[group]]++
			}
		}
	}
	out := chosen[:0]
	for k, x := range chosen {
		if !drop[k] {
			out = append(out, x)
		}
	}
	return out
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
	return b.Kind == tagtree.Item && a.Kind == tagtree.Item && strings.HasPrefix(b.Path, a.Path+"/")
}

// isOpened reports whether block i belongs to a list that follows block group directly, where
// group itself is outside of any list.
func (tp *topicPage) isOpened(i, group int) bool {
	return tp.opener[i] == group && tp.p.blocks[i].Kind == tagtree.Item && tp.p.blocks[group].Kind != tagtree.Item
}
