package classify

import (
	"cmp"
	"slices"
)

// SelectTerms returns which of dims components are among the k best of some
// class: those whose presence has the highest chi-squared statistic with the
// class against all others (Yang and Pedersen 1997, section 2.3). Of equal
// components the lower is taken.
func SelectTerms(classes int, examples []Example, dims, k int) []bool {
	selected := make([]bool, dims)
	for class := range classes {
		scores := chiSquared(class, examples, dims)
		order := make([]int, dims)
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
		for _, i := range order[:min(k, dims)] {
			selected[i] = true
		}
	}
	return selected
}

// chiSquared returns the statistic of each component's presence and a class; 0
// for components that no example or every example holds.
func chiSquared(class int, examples []Example, dims int) []float64 {
	inside := make([]float64, dims)  // examples of the class that hold a component
	outside := make([]float64, dims) // other examples that do
	var size float64
	for _, e := range examples {
		holders := outside
		if e.Class == class {
			holders = inside
			size++
		}
		for _, ix := range e.X.Index {
			holders[ix]++
		}
	}
	n := float64(len(examples))
	scores := make([]float64, dims)
	for ix := range scores {
		a, b := inside[ix], outside[ix]
		c, d := size-a, n-size-b
		if under := float64((a+b)*(c+d)) * float64((a+c)*(b+d)); under > 0 {
			det := float64(a*d) - float64(b*c)
			scores[ix] = n * det * det / under
		}
	}
	return scores
}
