package eval

import (
	"cmp"
	"math"
	"slices"
)

// maxPoints is the largest number of points of a curve in a report.
const maxPoints = 200

// A Curve shows the results of all thresholds for one class. It is used as precision-recall curve and as
// ROC curve.
type Curve struct {
	Class  string  `json:"class"`
	Points []Point `json:"points"` // from the highest threshold to the lowest
}

// A Point is the result if examples with a score of Threshold or more are classified as positive.
type Point struct {
	Threshold float64 `json:"threshold"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	FPR       float64 `json:"fpr"` // fraction of the negatives that are classified as positive
}

// A Threshold is a row of the threshold table, which reports of two classes have.
type Threshold struct {
	Threshold float64 `json:"threshold"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	Yes       int     `json:"yes"` // number of examples that reach the threshold
}

// curveOf returns the curve of class k, thinned to maxPoints points. For two classes it is the curve of
// the second. It returns nil unless there are positive and negative examples.
func curveOf(ps []Prediction, k, classes int) []Point {
	order := make([]int, len(ps))
	score := make([]float64, len(ps))
	positives := 0.0
	for i, p := range ps {
		order[i] = i
		score[i] = p.Score
		if classes != 2 {
			score[i] = p.Scores[k]
		}
		if p.Truth == k {
			positives++
		}
	}
	negatives := float64(len(ps)) - positives
	if positives == 0 || negatives == 0 {
		return nil
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	var points []Point
	var tp, n float64
	for at, i := range order {
		n++
		if ps[i].Truth == k {
			tp++
		}
		if at+1 < len(order) && score[order[at+1]] == score[i] {
			continue // ties share a threshold
		}
		points = append(points, Point{score[i], tp / n, tp / positives, (n - tp) / negatives})
	}
	return thinPoints(points)
}

// thinPoints returns at most maxPoints of points, always with the first and the last, at about equal distances
// along the curve.
func thinPoints(points []Point) []Point {
	keep := func(p Point) Point {
		return Point{roundToSix(p.Threshold), roundToSix(p.Precision), roundToSix(p.Recall), roundToSix(p.FPR)}
	}
	length := make([]float64, len(points)) // length of the curve up to each point
	for i := 1; i < len(points); i++ {
		a, b := points[i-1], points[i]
		length[i] = length[i-1] + math.Abs(b.Precision-a.Precision) + math.Abs(b.Recall-a.Recall) + math.Abs(b.FPR-a.FPR)
	}
	last := len(points) - 1
	step := length[last] / (maxPoints - 1)
	var kept []Point
	for i, p := range points {
		if len(points) <= maxPoints || i == last || len(kept) < maxPoints-1 && length[i] >= step*float64(len(kept)) {
			kept = append(kept, keep(p))
		}
	}
	return kept
}

// thresholdTable returns the results of the thresholds 0.05 to 0.95.
func thresholdTable(ps []Prediction) []Threshold {
	const step = 20
	var rows []Threshold
	for t := 1; t < step; t++ {
		row := Threshold{Threshold: float64(t) / step}
		var tp, positives float64
		for _, p := range ps {
			positives += float64(p.Truth)
			if p.Score >= row.Threshold {
				row.Yes++
				tp += float64(p.Truth)
			}
		}
		row.Precision = roundToSix(ratio(tp, float64(row.Yes)))
		row.Recall = roundToSix(ratio(tp, positives))
		row.F1 = roundToSix(ratio(2*tp, float64(row.Yes)+positives))
		rows = append(rows, row)
	}
	return rows
}

// numBins is the number of bins of equal width for measuring calibration.
const numBins = 10

// A Bin holds the examples whose probability lies between Low and High.
type Bin struct {
	Low      float64 `json:"low"`
	High     float64 `json:"high"`
	Examples int     `json:"examples"`
	// Said is their mean probability, Held the fraction of them for which the prediction was right.
	Said float64 `json:"said"`
	Held float64 `json:"held"`
}

// A predictedProb is one predicted probability and whether the prediction was right. For two classes it is the
// probability of the second; for more, that of the guess.
type predictedProb struct {
	said     float64 // the probability
	wasRight float64 // 1 if the prediction was right, else 0
	loss     float64 // squared error, see Brier
	bin      int
}

// predictedProbs returns one predictedProb per prediction. It returns nil if the scores of any prediction are not
// probabilities.
func predictedProbs(classes int, ps []Prediction) []predictedProb {
	all := make([]predictedProb, len(ps))
	for i, p := range ps {
		t := predictedProb{said: p.Score}
		if classes == 2 {
			t.wasRight = float64(p.Truth)
			t.loss = float64((t.said - t.wasRight) * (t.said - t.wasRight))
		} else {
			if len(p.Scores) != classes {
				return nil
			}
			t.said = p.Scores[p.Guess]
			if p.Guess == p.Truth {
				t.wasRight = 1
			}
			for k, s := range p.Scores {
				if k == p.Truth {
					s--
				}
				t.loss += float64(s * s)
			}
		}
		if !(t.said >= 0 && t.said <= 1) {
			return nil
		}
		t.bin = min(int(t.said*numBins), numBins-1)
		all[i] = t
	}
	return all
}

// calibrationError returns the Brier score and the expected calibration error, or NaN if there are no
// probabilities.
func calibrationError(all []predictedProb, weight []float64) (brier, ece float64) {
	var loss, total float64
	var said, held [numBins]float64
	for i, t := range all {
		loss += float64(weight[i] * t.loss)
		total += weight[i]
		said[t.bin] += float64(weight[i] * t.said)
		held[t.bin] += float64(weight[i] * t.wasRight)
	}
	if total == 0 {
		return math.NaN(), math.NaN()
	}
	for b := range numBins {
		ece += math.Abs(said[b] - held[b])
	}
	return loss / total, ece / total
}

// reliability returns the bins that hold examples, in ascending order of probability.
func reliability(all []predictedProb) []Bin {
	var bins [numBins]Bin
	for _, t := range all {
		b := &bins[t.bin]
		b.Examples++
		b.Said += t.said
		b.Held += t.wasRight
	}
	var filled []Bin
	for i, b := range bins {
		if b.Examples > 0 {
			n := float64(b.Examples)
			filled = append(filled, Bin{
				Low: float64(i) / numBins, High: float64(i+1) / numBins, Examples: b.Examples,
				Said: roundToSix(b.Said / n), Held: roundToSix(b.Held / n),
			})
		}
	}
	return filled
}

// roundToSix rounds v to six decimals, the precision of curves.
func roundToSix(v float64) float64 { return math.Round(v*1e6) / 1e6 }
