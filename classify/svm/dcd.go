package svm

import (
	"context"
	"math"
	"math/rand/v2"
)

// A descent is dual coordinate descent with shrinking (Hsieh et al. 2008, algorithm 3). It solves one
// class after the other over the same rows. With Q the inner products of y·x and D the diagonal matrix of
// the loss it minimizes
//
//	½ αᵀ(Q+D)α - Σα  subject to 0 ≤ α ≤ U,  keeping w = Σ α·y·x.
//
// Hinge: U = C, D = 0. Squared hinge: U = ∞, D = 1/2C (section 2).
type descent struct {
	*matrix
	options Linear
	bias    float64   // value of the constant component, 0 if there is none
	square  []float64 // ‖x‖² of each row, including the constant component
	// State of the class that is being solved:
	y       []float64
	alpha   []float64
	order   []int // the active rows come first
	weights []float64
	wb      float64 // weight of the constant component
}

func newDescent(m *matrix, options Linear) *descent {
	d := &descent{
		matrix: m, options: options, bias: max(0, options.Bias),
		square: make([]float64, m.numRows()),
		y:      make([]float64, m.numRows()),
		alpha:  make([]float64, m.numRows()),
		order:  make([]int, m.numRows()),
	}
	for i := range d.square {
		sum := d.bias * d.bias
		for _, v := range m.value[m.start[i]:m.start[i+1]] {
			sum += float64(v * v)
		}
		d.square[i] = sum
	}
	return d
}

// trainClass returns the classifier of class against all other classes.
func (d *descent) trainClass(ctx context.Context, class int, c sides, rng *rand.Rand) (weights []float64, bias float64, err error) {
	d.weights, d.wb = make([]float64, d.dims), 0
	for i, k := range d.class {
		d.alpha[i], d.order[i], d.y[i] = 0, i, -1
		if k == class {
			d.y[i] = +1
		}
	}
	upper, diagonal := c, sides{}
	if d.options.Loss == SquaredHinge {
		upper = sides{math.Inf(1), math.Inf(1)}
		diagonal = sides{0.5 / c.class, 0.5 / c.rest}
	}
	old := everything
	active := d.numRows()
	for range d.options.MaxIterations {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		var now bounds
		now, active = d.visitActive(active, old, upper, diagonal, rng)
		if now.high-now.low > d.options.Eps {
			old = now.shrinkLimits()
			continue
		}
		if active == d.numRows() {
			break
		}
		active, old = d.numRows(), everything // optimal for the active rows: check all rows again
	}
	bias = d.wb * d.bias
	return d.weights, bias, checkFinite(d.weights, bias)
}

// bounds are the largest and smallest projected gradients of a pass.
type bounds struct{ high, low float64 }

// everything shrinks nothing.
var everything = bounds{math.Inf(1), math.Inf(-1)}

// shrinkLimits returns the bounds outside which the next pass removes a row.
func (b bounds) shrinkLimits() bounds {
	if b.high <= 0 {
		b.high = math.Inf(1)
	}
	if b.low >= 0 {
		b.low = math.Inf(-1)
	}
	return b
}

// visitActive visits the active rows once in random order. It returns the bounds of their projected gradients
// and the number of rows that stay active.
func (d *descent) visitActive(active int, old bounds, upper, diagonal sides, rng *rand.Rand) (bounds, int) {
	now := bounds{math.Inf(-1), math.Inf(1)}
	order := d.order
	for s := range active {
		r := s + rng.IntN(active-s)
		order[s], order[r] = order[r], order[s]
	}
	for s := 0; s < active; s++ {
		i := order[s]
		y, a, u, diag := d.y[i], d.alpha[i], upper.rest, diagonal.rest
		if y > 0 {
			u, diag = upper.class, diagonal.class
		}
		g := float64(y*d.decisionValue(i)) - 1 + float64(a*diag)
		pg := g // projected gradient
		switch {
		case a == 0 && g > old.high, a == u && g < old.low:
			active--
			order[s], order[active] = order[active], order[s]
			s--
			continue
		case a == 0 && g > 0, a == u && g < 0:
			pg = 0
		}
		now.high, now.low = max(now.high, pg), min(now.low, pg)
		if math.Abs(pg) > 1e-12 {
			d.alpha[i] = min(max(a-g/(d.square[i]+diag), 0), u)
			d.addRow(i, (d.alpha[i]-a)*y)
		}
	}
	return now, active
}

// decisionValue returns w·x of row i.
func (d *descent) decisionValue(i int) float64 {
	from, to := d.start[i], d.start[i+1]
	index, value, w := d.index[from:to], d.value[from:to], d.weights
	value = value[:len(index)]
	sum := float64(d.wb * d.bias)
	for k, ix := range index {
		sum += float64(value[k] * w[ix])
	}
	return sum
}

// addRow adds step times row i to w.
func (d *descent) addRow(i int, step float64) {
	from, to := d.start[i], d.start[i+1]
	index, value, w := d.index[from:to], d.value[from:to], d.weights
	value = value[:len(index)]
	for k, ix := range index {
		w[ix] += float64(step * value[k])
	}
	d.wb += float64(step * d.bias)
}
