package manager

import (
	"cmp"
	"slices"
)

// A crewMember is a crawler that partitions may be given to.
type crewMember struct {
	name string
	// settled means that it has been there for a while: partitions of others may move to it.
	settled bool
}

// assign returns the next owner of each partition, a member of crew, which is not empty. now has
// the present or next owners, "" for none or for one that has left the crew. Partitions without an
// owner go to the member with the fewest. Besides, as many as it takes, but at most moves, go from
// those that have more than their share to settled ones that have less: a share is the mean,
// rounded either way, and no fewer moves lead there. It returns how many it has moved.
func assign(now []string, crew []crewMember, moves int) (next []string, moved int) {
	next = slices.Clone(now)
	has := map[string]int{}
	for _, m := range crew {
		has[m.name] = 0
	}
	for n, name := range next {
		if _, ok := has[name]; !ok {
			next[n] = ""
			continue
		}
		has[name]++
	}
	adopt(next, crew, has)
	return next, even(next, crew, has, moves)
}

// adopt assigns the partitions without an owner.
func adopt(next []string, crew []crewMember, has map[string]int) {
	for n, name := range next {
		if name != "" {
			continue
		}
		least := slices.MinFunc(crew, func(a, b crewMember) int {
			return cmp.Or(cmp.Compare(has[a.name], has[b.name]), cmp.Compare(a.name, b.name))
		})
		next[n] = least.name
		has[least.name]++
	}
}

// even moves partitions to settled ones with less than their share.
func even(next []string, crew []crewMember, has map[string]int, moves int) (moved int) {
	share := shares(crew, has)
	for n := len(next) - 1; n >= 0 && moved < moves; n-- {
		from := next[n]
		quota, ok := share[from]
		if !ok || has[from] <= quota {
			continue
		}
		to := neediest(crew, has, share)
		if to == "" {
			return moved
		}
		next[n] = to
		has[from]--
		has[to]++
		moved++
	}
	return moved
}

// shares returns how many partitions each settled one is to have of those that they have together:
// those with most keep the odd ones.
func shares(crew []crewMember, has map[string]int) map[string]int {
	var settled []crewMember
	all := 0
	for _, m := range crew {
		if m.settled {
			settled = append(settled, m)
			all += has[m.name]
		}
	}
	slices.SortFunc(settled, func(a, b crewMember) int {
		return cmp.Or(cmp.Compare(has[b.name], has[a.name]), cmp.Compare(a.name, b.name))
	})
	share := map[string]int{}
	for i, m := range settled {
		share[m.name] = all / len(settled)
		if i < all%len(settled) {
			share[m.name]++
		}
	}
	return share
}

// neediest returns the member that lacks most of its share, "" if none does.
func neediest(crew []crewMember, has, share map[string]int) (name string) {
	most := 0
	for _, m := range crew {
		if quota, ok := share[m.name]; ok && quota-has[m.name] > most {
			name, most = m.name, quota-has[m.name]
		}
	}
	return name
}
