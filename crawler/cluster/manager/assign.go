package manager

import (
	"cmp"
	"slices"
)

// A candidateOwner is a crawler that may get partitions.
type candidateOwner struct {
	name string
	// settled means that the crawler has been working for Conf.Settle, so that it may get partitions of
	// others.
	settled bool
}

// assignPartitions returns the next owner of each partition, a member of crew, and how many partitions of settled
// members it moved. The slice now has the present or next owners; "" or a crawler that is not in crew
// means none. The crew must not be empty.
//
// Partitions without an owner go to the member with the fewest. In addition it moves at most moves
// partitions from settled members with more than their share to settled members with less, as few as
// needed. A share is the mean, rounded up or down.
func assignPartitions(now []string, crew []candidateOwner, moves int) (next []string, moved int) {
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
	assignOrphans(next, crew, has)
	return next, balancePartitions(next, crew, has, moves)
}

// assignOrphans assigns the partitions without an owner. It updates has, the number of partitions of each member.
func assignOrphans(next []string, crew []candidateOwner, has map[string]int) {
	for n, name := range next {
		if name != "" {
			continue
		}
		least := slices.MinFunc(crew, func(a, b candidateOwner) int {
			return cmp.Or(cmp.Compare(has[a.name], has[b.name]), cmp.Compare(a.name, b.name))
		})
		next[n] = least.name
		has[least.name]++
	}
}

// balancePartitions moves at most moves partitions to settled members with less than their share.
func balancePartitions(next []string, crew []candidateOwner, has map[string]int, moves int) (moved int) {
	share := targetCounts(crew, has)
	for n := len(next) - 1; n >= 0 && moved < moves; n-- {
		from := next[n]
		quota, ok := share[from]
		if !ok || has[from] <= quota {
			continue
		}
		to := mostLacking(crew, has, share)
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

// targetCounts returns the number of partitions that each settled member should have. If the partitions of the
// settled members cannot be divided evenly, those with the most keep one more.
func targetCounts(crew []candidateOwner, has map[string]int) map[string]int {
	var settled []candidateOwner
	all := 0
	for _, m := range crew {
		if m.settled {
			settled = append(settled, m)
			all += has[m.name]
		}
	}
	slices.SortFunc(settled, func(a, b candidateOwner) int {
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

// mostLacking returns the member that lacks most partitions of its share, "" if none does.
func mostLacking(crew []candidateOwner, has, share map[string]int) (name string) {
	most := 0
	for _, m := range crew {
		if quota, ok := share[m.name]; ok && quota-has[m.name] > most {
			name, most = m.name, quota-has[m.name]
		}
	}
	return name
}
