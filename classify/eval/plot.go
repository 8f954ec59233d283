package eval

import (
	"fmt"
	"math"
	"strings"
)

// Geometry of a plot, in units of its view box.
const (
	plotWidth, plotHeight = 320, 270
	plotLeft, plotTop     = 50, 10
	plotInner, plotTall   = 258, 212
)

// A plot is the input of the template for an inline SVG with axes from 0 to 1, lines and dots.
type plot struct {
	ID, Title, Desc string
	Note            string // note beside the title of the plot
	X, Y            string // names of the axes
	XTicks, YTicks  []tick
	Lines           []line
	Dots            []dot
}

type tick struct {
	At    float64
	Label string
}

type line struct {
	Class string // of the style sheet
	Path  string // SVG path data
}

type dot struct {
	X, Y, Low, High float64 // Low and High are the ends of the interval's bar
	Class, Title    string
}

// newPlot returns an empty plot with ticks at every quarter.
func newPlot(id, title, desc, x, y string) *plot {
	p := &plot{ID: id, Title: title, Desc: desc, X: x, Y: y}
	for i := range 5 {
		v := float64(i) / 4
		label := fmt.Sprintf("%g", v)
		p.XTicks = append(p.XTicks, tick{toPixelX(v), label})
		p.YTicks = append(p.YTicks, tick{toPixelY(v), label})
	}
	return p
}

// toPixelX and toPixelY convert values from 0 to 1 to coordinates, rounded to a tenth of a unit.
func toPixelX(v float64) float64 { return math.Round(10*(plotLeft+plotInner*clamp(v))) / 10 }
func toPixelY(v float64) float64 { return math.Round(10*(plotTop+plotTall*(1-clamp(v)))) / 10 }

func clamp(v float64) float64 { return max(0, min(1, v)) }

// addLine adds a line through points given as (x, y), in the style of class.
func (p *plot) addLine(class string, points ...[2]float64) {
	var b strings.Builder
	for i, at := range points {
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&b, "%s%g %g", command, toPixelX(at[0]), toPixelY(at[1]))
	}
	p.Lines = append(p.Lines, line{class, b.String()})
}

func (p *plot) addDot(class string, x, y, low, high float64, title string) {
	p.Dots = append(p.Dots, dot{toPixelX(x), toPixelY(y), toPixelY(low), toPixelY(high), class, title})
}

// strokes are the styles of the curves of one plot, in order.
var strokes = [...]string{"curve", "curve other"}

// prPlot draws precision against recall of one class. The dashed line is the frequency of the class,
// which is the precision of guessing.
func prPlot(id string, share float64, curves ...Curve) *plot {
	p := newPlot(id, curves[0].Class+": precision and recall", "Precision over recall as the threshold falls.", "recall", "precision")
	p.Note = fmt.Sprintf("Guessing gives a precision of %.3f.", share)
	p.addLine("chance", [2]float64{0, share}, [2]float64{1, share})
	for i, c := range curves {
		at := [][2]float64{{0, c.Points[0].Precision}}
		for _, point := range c.Points {
			at = append(at, [2]float64{point.Recall, point.Precision})
		}
		p.addLine(strokes[i], at...)
	}
	return p
}

// rocPlot draws the recall against the fraction of negatives that are classified as positive.
func rocPlot(id string, curves ...Curve) *plot {
	p := newPlot(id, curves[0].Class+": ROC", "True positive rate over false positive rate as the threshold falls.", "false positive rate", "true positive rate")
	p.addLine("chance", [2]float64{0, 0}, [2]float64{1, 1})
	for i, c := range curves {
		at := [][2]float64{{0, 0}}
		for _, point := range c.Points {
			at = append(at, [2]float64{point.FPR, point.Recall})
		}
		p.addLine(strokes[i], append(at, [2]float64{1, 1})...)
	}
	return p
}

// calibrationPlot draws the observed frequency against the predicted probability. Bins with few examples
// are hollow.
func calibrationPlot(bins []Bin) *plot {
	p := newPlot("calibration", "Calibration", "Observed share of positive examples over the predicted probability, in ten bins.", "probability said", "share that came true")
	p.Note = "The dashed diagonal is perfect calibration; hollow dots are bins with fewer than 20 examples."
	p.addLine("chance", [2]float64{0, 0}, [2]float64{1, 1})
	var at [][2]float64
	for _, b := range bins {
		at = append(at, [2]float64{b.Said, b.Held})
	}
	p.addLine("thin", at...)
	for _, b := range bins {
		class := "dot"
		if b.Examples < minExamples {
			class = "dot hollow"
		}
		p.addDot(class, b.Said, b.Held, b.Held, b.Held, fmt.Sprintf("predicted %.3f, observed %.3f, %d examples", b.Said, b.Held, b.Examples))
	}
	return p
}

// learningPlot draws the first figure of each point, with its interval, against the fraction of groups
// used for training.
func learningPlot(points []LearningPoint) *plot {
	name := points[0].Figures[0].Name
	p := newPlot("learning", "Learning curve", name+" over the share of the training groups used, with 95 % intervals.", "share of the training groups", name)
	p.Note = "Where the curve still rises, more pages would help."
	var at [][2]float64
	for _, point := range points {
		at = append(at, [2]float64{point.Share, point.Figures[0].Value})
	}
	p.addLine("curve", at...)
	for _, point := range points {
		f := point.Figures[0]
		p.addDot("dot", point.Share, f.Value, f.Low, f.High, fmt.Sprintf("%s: %.3f, from %.3f to %.3f", percentText(point.Share), f.Value, f.Low, f.High))
	}
	return p
}
