package eval

import (
	"math"

	"eventseer/classify"
)

// PrecisionAt1 is the name of the figure that Top returns.
const PrecisionAt1 = "precision_at_1"

// Top measures a ranking of two classes list by list, as of the links of a page:
// the share of lists whose highest score belongs to the second class, among lists
// that hold both classes. Of equal scores each counts in part. list names the
// list of each prediction. The interval is a bootstrap over groups; the second
// result is the number of lists. Without any list the value is 0.
func Top(ps []Prediction, list []int, seed uint64) (classify.Figure, int) {
	tops := topsOf(ps, list)
	first := make([]Prediction, len(tops)) // one a list, to draw whole groups of them
	for i, t := range tops {
		first[i].Group = t.group
	}
	mean := func(weight []float64) float64 {
		var hits, all float64
		for i, t := range tops {
			hits += float64(weight[i] * t.hit)
			all += weight[i]
		}
		return ratio(hits, all)
	}
	e := estimate{value: mean(ones(len(tops)))}
	var draws []float64
	groupingOf(first).bootstrap(seed, func(weight []float64) {
		draws = append(draws, mean(weight))
	})
	e.low, e.high = interval(draws, e.value)
	return e.figure(PrecisionAt1), len(tops)
}

// A top is the best of a list that holds both classes.
type top struct {
	group string
	best  float64
	hit   float64 // the share of the second class among the best
}

func topsOf(ps []Prediction, list []int) []top {
	members := map[int][]int{}
	var order []int
	for i := range ps {
		if members[list[i]] == nil {
			order = append(order, list[i])
		}
		members[list[i]] = append(members[list[i]], i)
	}
	var tops []top
	for _, l := range order {
		if t, ok := topOf(ps, members[l]); ok {
			tops = append(tops, t)
		}
	}
	return tops
}

// topOf returns the best of the predictions at index; ok is false if they do not
// hold both classes.
func topOf(ps []Prediction, index []int) (t top, ok bool) {
	t = top{group: ps[index[0]].Group, best: math.Inf(-1)}
	var positives, equals, hits int
	for _, i := range index {
		p := ps[i]
		positives += p.Truth
		if p.Score > t.best {
			t.best, equals, hits = p.Score, 0, 0
		}
		if p.Score == t.best {
			equals++
			hits += p.Truth
		}
	}
	t.hit = float64(hits) / float64(max(1, equals))
	return t, positives > 0 && positives < len(index)
}
