package record

import (
	"cmp"
	"math"
	"slices"
)

func (s profile) sort() {
	slices.SortFunc(s, func(a, b feature) int { return cmp.Compare(a.path, b.path) })
}

// weights are log2(1+n) of small counts: a second occurrence tells more than a tenth.
var weights = func() (w [64]float64) {
	for i := range w {
		w[i] = math.Log2(float64(i + 1))
	}
	return w
}()

func (f feature) weight() float64 { return weights[min(int(f.count), len(weights)-1)] }

// similarity is the weighted Jaccard coefficient of two profiles, from 0 to 1.
func similarity(a, b profile) float64 {
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

// minClassAlike is how alike units must be for their class to tell: boxes of a layout
// often have one class and nothing else in common.
const minClassAlike = 0.35

// unitLikeness is how alike two units are: those of one class are half as unlike as they look.
func unitLikeness(a, b *unit) float64 {
	s := similarity(a.profile, b.profile)
	if a.class != "" && a.class == b.class && a.name != "td" && s >= minClassAlike {
		return (s + 1) / 2
	}
	return s
}

// mergeProfiles adds up profiles.
func mergeProfiles(profiles []profile) profile {
	if len(profiles) == 1 {
		return profiles[0]
	}
	var all profile
	for _, s := range profiles {
		all = append(all, s...)
	}
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

// cluster numbers the units by name and likeness: each joins the first leader that it
// is like. Beyond maxLeaders leaders of a container the likest takes all.
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
		of[i] = at // -1: like none
	}
	return of
}

const (
	sameProfile = 0.7 // similarity from which two units are of one kind
	maxLeaders  = 24  // kinds of units in a container
)
