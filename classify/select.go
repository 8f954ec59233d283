package classify

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// A Statistic measures how strongly the presence of a component is associated with a class.
type Statistic int

// Statistics of the association between a component and a class (Yang and Pedersen 1997).
const (
	ChiSquared      Statistic = iota // section 2.4
	InformationGain                  // section 2.2, in bits
)

// statisticNames are the names of the statistics as flag values.
var statisticNames = [...]string{ChiSquared: "chi2", InformationGain: "ig"}

// ParseStatistic returns the statistic of that name, chi2 or ig.
func ParseStatistic(name string) (Statistic, error) {
	if i := slices.Index(statisticNames[:], name); i >= 0 {
		return Statistic(i), nil
	}
	return 0, fmt.Errorf("unknown statistic %q, the statistics are %q", name, statisticNames)
}

// String returns the name that ParseStatistic accepts.
func (s Statistic) String() string {
	if s < 0 || int(s) >= len(statisticNames) {
		return fmt.Sprintf("statistic(%d)", int(s))
	}
	return statisticNames[s]
}

// SelectTerms reports for each of dims components whether it is among the k best of some class by the
// statistic. Of equal components the one with the lower index is selected.
func SelectTerms(by Statistic, classes int, examples []Example, dims, k int) []bool {
	selected := make([]bool, dims)
	for class := range classes {
		scores := by.componentScores(class, examples, dims)
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

// componentScores returns the statistic of each component. It is 0 for components that no example or every example
// has.
func (s Statistic) componentScores(class int, examples []Example, dims int) []float64 {
	cells := make([]contingency, dims)
	var size float64
	for _, e := range examples {
		if e.Class == class {
			size++
		}
		for _, ix := range e.X.Index {
			if e.Class == class {
				cells[ix].a++
			} else {
				cells[ix].b++
			}
		}
	}
	n := float64(len(examples))
	scores := make([]float64, dims)
	for ix, t := range cells {
		t.c, t.d = size-t.a, n-size-t.b
		if (t.a+t.b)*(t.c+t.d)*(t.a+t.c)*(t.b+t.d) == 0 {
			continue
		}
		if s == InformationGain {
			scores[ix] = t.informationGain()
		} else {
			scores[ix] = t.chiSquared()
		}
	}
	return scores
}

// A contingency is a table of counts of examples. With the component there are a in the class and b
// outside; without it there are c in the class and d outside.
type contingency struct{ a, b, c, d float64 }

func (t contingency) chiSquared() float64 {
	det := float64(t.a*t.d) - float64(t.b*t.c)
	n := t.a + t.b + t.c + t.d
	return n * det * det / (float64((t.a+t.b)*(t.c+t.d)) * float64((t.a+t.c)*(t.b+t.d)))
}

func (t contingency) informationGain() float64 {
	n := t.a + t.b + t.c + t.d
	with, without := (t.a+t.b)/n, (t.c+t.d)/n
	return entropy(t.a+t.c, t.b+t.d) - float64(with*entropy(t.a, t.b)) - float64(without*entropy(t.c, t.d))
}

// entropy returns the entropy in bits of two outcomes that were observed a and b times. It is rounded to
// single precision, so that machines whose logarithms differ in the last bit select the same terms.
func entropy(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	p, q := a/(a+b), b/(a+b)
	return float64(float32(-float64(p*math.Log2(p)) - float64(q*math.Log2(q))))
}
