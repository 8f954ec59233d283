package classify

import (
	"fmt"
	"math"

	"github.com/eventseer/eventseer/features"
)

// A KernelType identifies a kernel function. The numbers are those of LIBSVM.
type KernelType int

// Kernel functions of two vectors x and y (Chang and Lin 2011, LIBSVM, section 2).
const (
	LinearKernel     KernelType = iota // x·y
	PolynomialKernel                   // (Gamma·x·y + Coef0)^Degree
	RBFKernel                          // exp(-Gamma·‖x-y‖²)
	SigmoidKernel                      // tanh(Gamma·x·y + Coef0)
)

// kernelNames are LIBSVM's.
var kernelNames = [...]string{LinearKernel: "linear", PolynomialKernel: "polynomial", RBFKernel: "rbf", SigmoidKernel: "sigmoid"}

// String returns LIBSVM's name of the kernel.
func (t KernelType) String() string {
	if t < 0 || int(t) >= len(kernelNames) {
		return fmt.Sprintf("kernel %d", int(t))
	}
	return kernelNames[t]
}

// Limits on a Kernel.
const (
	maxKernelVectors = 1 << 20
	maxKernelIndex   = 1<<24 - 1
	maxKernelDegree  = 1000
)

// A Kernel is a Classifier of support vectors: one binary classifier per pair of classes, stored as in
// LIBSVM. For pair (i, j), i < j, with K the kernel function,
//
//	d(i, j) = Σ Coef[j-1][s]·K(s, x) over the vectors s of class i
//	        + Σ Coef[i][s]·K(s, x) over the vectors s of class j  -  Rho(i, j)
//
// and d > 0 is evidence for i. Make one with NewKernel and do not change it afterwards.
type Kernel struct {
	Type   KernelType
	Gamma  float64
	Coef0  float64
	Degree int
	// Counts is the number of support vectors of each class.
	Counts []int
	// Vectors are the support vectors, grouped by class in the order of classes.
	Vectors []features.Vector
	// Coef has one row less than there are classes; each row has one coefficient per support vector.
	Coef [][]float64
	// Rho has one constant per pair of classes, in the order (0, 1), (0, 2), …, (1, 2), ….
	Rho []float64

	squares []float64 // ‖s‖² of each support vector, for RBFKernel
}

var _ Classifier = (*Kernel)(nil)

// NewKernel returns k prepared for use. It returns an error if the lengths of its parts do not fit each
// other or if a value is not finite.
func NewKernel(k Kernel) (*Kernel, error) {
	if err := k.check(); err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	if k.Type == RBFKernel {
		k.squares = make([]float64, len(k.Vectors))
		for s, v := range k.Vectors {
			k.squares[s] = squaredNorm(v)
		}
	}
	return &k, nil
}

func (k *Kernel) check() error {
	classes := len(k.Counts)
	switch {
	case k.Type < LinearKernel || k.Type > SigmoidKernel:
		return fmt.Errorf("there is no %v", k.Type)
	case classes < 2 || classes > maxClasses:
		return fmt.Errorf("%d classes, must be 2 to %d", classes, maxClasses)
	case len(k.Vectors) > maxKernelVectors:
		return fmt.Errorf("%d support vectors, at most %d are supported", len(k.Vectors), maxKernelVectors)
	case len(k.Coef) != classes-1 || len(k.Rho) != classes*(classes-1)/2:
		return fmt.Errorf("%d rows of coefficients and %d values of rho do not fit %d classes", len(k.Coef), len(k.Rho), classes)
	case k.Degree < 0 || k.Degree > maxKernelDegree:
		return fmt.Errorf("degree %d, must be 0 to %d", k.Degree, maxKernelDegree)
	case !isFinite(k.Gamma) || !isFinite(k.Coef0):
		return fmt.Errorf("gamma is %v and coef0 is %v; both must be finite", k.Gamma, k.Coef0)
	}
	total := 0
	for c, n := range k.Counts {
		if n < 0 || n > len(k.Vectors) {
			return fmt.Errorf("class %d has %d support vectors, but the kernel has %d", c, n, len(k.Vectors))
		}
		total += n
	}
	if total != len(k.Vectors) {
		return fmt.Errorf("there are %d support vectors, but the classes say %d", len(k.Vectors), total)
	}
	return k.checkValues()
}

func (k *Kernel) checkValues() error {
	for r, row := range k.Coef {
		if len(row) != len(k.Vectors) {
			return fmt.Errorf("row %d has %d coefficients, but there are %d support vectors", r, len(row), len(k.Vectors))
		}
		if !allFinite(row) {
			return fmt.Errorf("a coefficient of row %d is not finite", r)
		}
	}
	if !allFinite(k.Rho) {
		return fmt.Errorf("a value of rho is not finite: %v", k.Rho)
	}
	for s, v := range k.Vectors {
		if len(v.Index) != len(v.Value) || !allFinite(v.Value) {
			return fmt.Errorf("support vector %d holds a value that is not finite, or no value for an index", s)
		}
		for i, ix := range v.Index {
			if ix > maxKernelIndex || i > 0 && ix <= v.Index[i-1] {
				return fmt.Errorf("support vector %d: index %d at position %d is too large or out of order; indexes must increase, up to %d", s, ix, i, maxKernelIndex)
			}
		}
	}
	return nil
}

func allFinite(values []float64) bool {
	for _, v := range values {
		if !isFinite(v) {
			return false
		}
	}
	return true
}

// Decide returns one value per class. For two classes the values are {d, -d}, where d is the decision
// value of the pair. For more, the value of a class lies between 0 and the number of classes. It is the
// number of pairs the class won, plus s/2 with s = 1/(1+exp(-c)), where c is the sum of its decision
// values, plus ½ for the class that LIBSVM chooses, the first of those that won most pairs. So the class
// with the highest value is the one that svm-predict prints, and classes with equal votes are ordered by
// their decision values.
func (k *Kernel) Decide(x features.Vector) []float64 {
	pairs := k.PairDecisions(x)
	n := len(k.Counts)
	if n == 2 {
		return []float64{pairs[0], -pairs[0]}
	}
	votes, sum := make([]float64, n), make([]float64, n)
	p := 0
	for i := range n {
		for j := i + 1; j < n; j++ {
			d := pairs[p]
			p++
			sum[i] += d
			sum[j] -= d
			if d > 0 {
				votes[i]++
			} else {
				votes[j]++
			}
		}
	}
	winner := argmax(votes)
	for i := range votes {
		votes[i] += 0.5 / (1 + math.Exp(-sum[i]))
	}
	votes[winner] += 0.5
	return votes
}

// PairDecisions returns the decision value of each pair of classes: (0, 1), (0, 2), …, (1, 2), ….
func (k *Kernel) PairDecisions(x features.Vector) []float64 {
	values := make([]float64, len(k.Vectors))
	xx := 0.0
	if k.Type == RBFKernel {
		xx = squaredNorm(x)
	}
	for s := range values {
		values[s] = k.kernelValue(s, x, xx)
	}
	start := make([]int, len(k.Counts)+1)
	for c, n := range k.Counts {
		start[c+1] = start[c] + n
	}
	pairs := make([]float64, 0, len(k.Rho))
	for i := range k.Counts {
		for j := i + 1; j < len(k.Counts); j++ {
			d := dot(k.Coef[j-1], values, start[i], start[i+1]) + dot(k.Coef[i], values, start[j], start[j+1])
			pairs = append(pairs, d-k.Rho[len(pairs)])
		}
	}
	return pairs
}

func dot(a, b []float64, from, to int) float64 {
	var sum float64
	for s := from; s < to; s++ {
		sum += float64(a[s] * b[s])
	}
	return sum
}

// kernelValue returns K(s, x) of support vector s; xx is ‖x‖² for RBFKernel.
func (k *Kernel) kernelValue(s int, x features.Vector, xx float64) float64 {
	xy := innerProduct(k.Vectors[s], x)
	switch k.Type {
	case PolynomialKernel:
		return power(float64(k.Gamma*xy)+k.Coef0, k.Degree)
	case RBFKernel:
		return math.Exp(-k.Gamma * max(0, k.squares[s]+xx-2*xy))
	case SigmoidKernel:
		return math.Tanh(float64(k.Gamma*xy) + k.Coef0)
	}
	return xy
}

// innerProduct returns the inner product of two sparse vectors, added in index order.
func innerProduct(x, y features.Vector) float64 {
	var sum float64
	for i, j := 0, 0; i < len(x.Index) && j < len(y.Index); {
		switch a, b := x.Index[i], y.Index[j]; {
		case a < b:
			i++
		case a > b:
			j++
		default:
			sum += float64(x.Value[i] * y.Value[j])
			i++
			j++
		}
	}
	return sum
}

func squaredNorm(x features.Vector) float64 {
	var sum float64
	for _, v := range x.Value {
		sum += float64(v * v)
	}
	return sum
}

// power returns x^n by repeated squaring, like LIBSVM's powi.
func power(x float64, n int) float64 {
	p := 1.0
	for ; n > 0; n /= 2 {
		if n%2 == 1 {
			p *= x
		}
		x *= x
	}
	return p
}

// Kernel returns l as one classifier per pair of classes with the linear kernel and one support vector
// per row. Pair (i, j) decides by row i minus row j, so the class with the highest row wins the vote. It
// returns an error if l is inconsistent.
func (l *Linear) Kernel() (*Kernel, error) {
	classes := max(2, len(l.Weights))
	if err := l.check(classes); err != nil {
		return nil, fmt.Errorf("kernel: %w", err)
	}
	if len(l.Weights) == 1 { // decision values {-d, d}: the single vector belongs to class 0 and counts negatively
		return NewKernel(Kernel{
			Counts: []int{1, 0}, Vectors: []features.Vector{sparseVector(l.Weights[0])},
			Coef: [][]float64{{-1}}, Rho: []float64{l.Bias[0]},
		})
	}
	k := Kernel{Coef: make([][]float64, classes-1)}
	for i, row := range l.Weights {
		k.Counts = append(k.Counts, 1)
		k.Vectors = append(k.Vectors, sparseVector(row))
		for r := range k.Coef {
			sign := 1.0
			if r < i {
				sign = -1 // class i is the second of the pair
			}
			k.Coef[r] = append(k.Coef[r], sign)
		}
		for j := i + 1; j < classes; j++ {
			k.Rho = append(k.Rho, l.Bias[j]-l.Bias[i])
		}
	}
	return NewKernel(k)
}

func sparseVector(row []float64) features.Vector {
	var v features.Vector
	for ix, w := range row {
		if w != 0 {
			v.Index, v.Value = append(v.Index, uint32(ix)), append(v.Value, w)
		}
	}
	return v
}

// Linear returns k as a Linear, with its support vectors summed to weights. It returns nil unless k has
// the linear kernel and two classes.
func (k *Kernel) Linear() *Linear {
	if k.Type != LinearKernel || len(k.Counts) != 2 {
		return nil
	}
	dims := 0
	for _, v := range k.Vectors {
		if n := v.Len(); n > 0 {
			dims = max(dims, int(v.Index[n-1])+1)
		}
	}
	weights := make([]float64, dims)
	for s, v := range k.Vectors {
		for i, ix := range v.Index {
			weights[ix] -= float64(k.Coef[0][s] * v.Value[i])
		}
	}
	return &Linear{Weights: [][]float64{weights}, Bias: []float64{k.Rho[0]}}
}
