package train

import (
	"fmt"
	"math"

	"github.com/eventseer/eventseer/classify"
)

// Terms returns the names of a model's features, in vector order.
func Terms(m *classify.Model) []string {
	names := make([]string, m.Vectorizer.Size())
	for i := range names {
		names[i] = m.Vectorizer.Name(i)
	}
	return names
}

// LogOdds returns a linear classifier that makes the same decisions as m. The value of a class is the
// negative exponent of its sigmoid, -(A·d+B), which orders the classes like their probabilities. For two
// classes the log odds of the threshold are subtracted.
func LogOdds(m *classify.Model) (*classify.Linear, error) {
	linear, err := linearOf(m)
	if err != nil {
		return nil, err
	}
	odds := &classify.Linear{}
	for k, row := range linear.Weights {
		p := m.Platt[k]
		shift := -p.B
		if m.IsBinary() {
			if m.Threshold == 0 || m.Threshold == 1 {
				return nil, fmt.Errorf("a threshold of %g cannot be expressed by the bias", m.Threshold)
			}
			p = m.Platt[1]
			shift = -p.B - math.Log(m.Threshold/(1-m.Threshold))
		}
		if m.IsBinary() && len(linear.Weights) == 2 && k == 0 {
			continue // the row of the second class decides
		}
		scaled := make([]float64, m.Vectorizer.Size())
		for i, w := range row {
			scaled[i] = -float64(p.A * w)
		}
		odds.Weights = append(odds.Weights, scaled)
		odds.Bias = append(odds.Bias, shift-float64(p.A*linear.Bias[k]))
	}
	return odds, nil
}

// A LinearModel is the JSON form of a linear model.
type LinearModel struct {
	classify.Meta
	Threshold   float64          `json:"threshold"`
	Calibration []classify.Platt `json:"calibration"` // of each class
	Terms       []string         `json:"terms"`
	Weights     [][]float64      `json:"weights"` // one row per class; for two classes possibly a single row, for the second
	Bias        []float64        `json:"bias"`
}

// NewLinearModel returns the JSON form of m, or an error if m is not linear.
func NewLinearModel(m *classify.Model) (LinearModel, error) {
	linear, err := linearOf(m)
	if err != nil {
		return LinearModel{}, err
	}
	return LinearModel{m.Meta, m.Threshold, m.Platt, Terms(m), linear.Weights, linear.Bias}, nil
}

// linearOf returns the weights of a linear model. For another model it returns an error that says how to
// train a linear one.
func linearOf(m *classify.Model) (*classify.Linear, error) {
	linear, ok := m.Classifier.(*classify.Linear)
	if !ok {
		return nil, fmt.Errorf("a model of algorithm %s is not linear, only linear ones can be exported: train one with --algo svm", m.Algo)
	}
	return linear, nil
}
