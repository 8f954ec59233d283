package eval

import (
	"cmp"
	"math"
	"slices"
)

// maxPoints bounds the points kept of a curve.
const maxPoints = 200

// A Curve shows what any threshold would give for one class. It serves as
// precision-recall and as ROC curve.
type Curve struct {
	Class  string  `json:"class"`
	Points []Point `json:"points"` // from the highest threshold to the lowest
}

// A Point is what saying yes from Threshold on would give.
type Point struct {
	Threshold float64 `json:"threshold"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	FPR       float64 `json:"fpr"` // the share of the negatives taken for positives
}

// A Threshold is a row of the threshold table of two classes.
type Threshold struct {
	Threshold float64 `json:"threshold"`
	Precision float64 `json:"precision"`
	Recall    float64 `json:"recall"`
	F1        float64 `json:"f1"`
	Yes       int     `json:"yes"` // examples that reach the threshold
}

// curveOf returns the curve of class k, of two classes the second, at most maxPoints of its points; nil
// without examples of both sides.
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
	return thin(points)
}

// thin keeps at most maxPoints points, first and last among them, about evenly
// spread along the curve.
func thin(points []Point) []Point {
	keep := func(p Point) Point {
		return Point{rounded(p.Threshold), rounded(p.Precision), rounded(p.Recall), rounded(p.FPR)}
	}
	length := make([]float64, len(points)) // of the curve up to each point
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

// thresholdTable returns what thresholds from .05 to .95 would give.
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
		row.Precision = rounded(ratio(tp, float64(row.Yes)))
		row.Recall = rounded(ratio(tp, positives))
		row.F1 = rounded(ratio(2*tp, float64(row.Yes)+positives))
		rows = append(rows, row)
	}
	return rows
}
