package eval

import "eventseer/classify"

// MeanRecall measures the mean of the recalls of the first classes of many, as
// of the layers among them: what a guess at random gives is one over the number
// of classes that are guessed, however many examples each has. The interval is a
// bootstrap over groups. A class without an example has recall 0.
func MeanRecall(name string, ps []Prediction, first int, seed uint64) classify.Figure {
	mean := func(weight []float64) float64 {
		hits, all := make([]float64, first), make([]float64, first)
		for i, p := range ps {
			if p.Truth >= first {
				continue
			}
			all[p.Truth] += weight[i]
			if p.Guess == p.Truth {
				hits[p.Truth] += weight[i]
			}
		}
		var sum float64
		for k := range first {
			sum += ratio(hits[k], all[k])
		}
		return sum / float64(first)
	}
	e := estimate{value: mean(ones(len(ps)))}
	var draws []float64
	groupingOf(ps).bootstrap(seed, func(weight []float64) { draws = append(draws, mean(weight)) })
	e.low, e.high = interval(draws, e.value)
	return e.figure(name)
}
