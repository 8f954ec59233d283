package lab

import (
	"io"
	"strconv"

	"github.com/eventseer/eventseer/internal/text"
)

// curvePoints is the maximum number of points of a curve.
const curvePoints = 250

// A Point is a strategy's mean over the draws at one budget.
type Point struct {
	Budget int
	Found  Figure  // targets fetched
	Events float64 // distinct events of theirs
}

// A Curve is the harvest of a strategy.
type Curve struct {
	Strategy string
	Points   []Point
}

// Curves returns the harvest curves of all strategies, at equal steps of the
// budget from 0.
func (e *Experiment) Curves(runs []Run, seed uint64) []Curve {
	m := e.newMeasurer(runs, seed)
	step := max(1, (e.Budget+curvePoints-1)/curvePoints)
	var curves []Curve
	for _, name := range e.Strategies {
		c := Curve{Strategy: name}
		for b := 0; b < e.Budget+step; b += step {
			at := min(b, e.Budget)
			found := m.figureOfRuns(name, func(r *Run) float64 { return float64(r.TargetHits.CountAt(at)) })
			events := mean(m.perDraw(name, func(r *Run) float64 { return float64(r.EventHits.CountAt(at)) }))
			c.Points = append(c.Points, Point{at, found, events})
		}
		curves = append(curves, c)
	}
	return curves
}

func mean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	return sum / float64(max(1, len(values)))
}

// WriteCurves writes the curves as CSV: strategy, budget, found and its interval,
// recall, events.
func (e *Experiment) WriteCurves(w io.Writer, curves []Curve) error {
	out := text.NewCSV(w)
	rows := [][]string{{"strategy", "budget", "found", "found_low", "found_high", "recall", "events"}}
	for _, c := range curves {
		for _, p := range c.Points {
			rows = append(rows, []string{
				c.Strategy, strconv.Itoa(p.Budget), decimalText(p.Found.Mean), decimalText(p.Found.CI95[0]), decimalText(p.Found.CI95[1]),
				strconv.FormatFloat(p.Found.Mean/float64(len(e.Targets)), 'f', 4, 64), decimalText(p.Events),
			})
		}
	}
	return out.WriteAll(rows)
}

func decimalText(x float64) string { return strconv.FormatFloat(x, 'f', 2, 64) }
