package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"eventseer/classify"
	"eventseer/classify/svm"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/cmd/eventseer/internal/engine"
	"eventseer/datasets"

	"github.com/spf13/cobra"
)

// The formats of model export.
const (
	toLIBSVM    = "libsvm"
	toLIBLINEAR = "liblinear"
	toJSON      = "json"
)

func newModelExportCommand(a *app.App) *cobra.Command {
	cmd := &cobra.Command{
		Use: "export MODEL --to libsvm|liblinear|json -o FILE", Short: "Write a model for other programs",
		Long: `Write a model for other programs. svm-predict and predict of LIBLINEAR give
vectors of "data convert --model MODEL" the class that MODEL gives the page:
calibration and threshold are worked into the weights, so that a decision value
is the log odds of its class. (A page without any known term is of class other
or the negative one for MODEL; an empty vector knows nothing of that.)
FILE.names holds the names of classes and terms. json holds the weights as they
are, with names, calibration and threshold.`,
		Example: `  eventseer model export topic --to liblinear -o topic.liblinear
  eventseer data convert labels.tsv --pages pages.warc.gz --class is_cfp --model topic --to libsvm -o pages.svm
  liblinear-predict pages.svm topic.liblinear answers`,
		Args: args(cobra.ExactArgs(1)),
	}
	to := cmd.Flags().String("to", "", "format: libsvm, liblinear or json")
	cmd.RunE = func(_ *cobra.Command, names []string) error { return exportModel(a, names[0], *to) }
	return cmd
}

func exportModel(a *app.App, name, to string) error {
	if to != toLIBSVM && to != toLIBLINEAR && to != toJSON {
		return app.Usagef("--to %q: the formats are libsvm, liblinear and json", to)
	}
	if a.Config.Output == "-" && to != toJSON {
		return app.Usagef("-o FILE is needed: the file to write, with FILE.names beside it")
	}
	m, err := engine.OpenModel(name)
	if err != nil {
		return err
	}
	if to == toJSON {
		exported, err := newExportedModel(m)
		if err != nil {
			return err
		}
		return a.WithOutput(func(w io.Writer) error { return app.WriteJSONLine(w, exported) })
	}
	l, err := logOdds(m)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	err = a.WithOutput(func(w io.Writer) error {
		if to == toLIBLINEAR {
			return svm.WriteLIBLINEAR(w, l, m.Classes)
		}
		return svm.WriteLIBSVM(w, l, m.Classes)
	})
	if err != nil {
		return err
	}
	return writeNames(a.Config.Output+".names", m)
}

// writeNames writes the names of a model's classes and terms, as data convert
// does for vectors.
func writeNames(path string, m *classify.Model) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return datasets.WriteNames(f, &datasets.Vectors{Names: terms(m), Classes: m.Classes})
}

// terms are the names of a model's features, in vector order.
func terms(m *classify.Model) []string {
	names := make([]string, m.Vectorizer.Size())
	for i := range names {
		names[i] = m.Vectorizer.Name(i)
	}
	return names
}

// logOdds returns a linear classifier that decides as m does: the value of a
// class is minus the exponent of its sigmoid, A·d+B, which orders the classes
// as their probabilities do; of two classes less the log odds of the threshold.
func logOdds(m *classify.Model) (*classify.Linear, error) {
	linear, err := linearOf(m)
	if err != nil {
		return nil, err
	}
	odds := &classify.Linear{}
	for k, row := range linear.Weights {
		p := m.Platt[k]
		shift := -p.B
		if m.Binary() {
			if m.Threshold == 0 || m.Threshold == 1 {
				return nil, fmt.Errorf("a threshold of %g cannot be worked into the weights", m.Threshold)
			}
			p = m.Platt[1]
			shift = -p.B - math.Log(m.Threshold/(1-m.Threshold))
		}
		if m.Binary() && len(linear.Weights) == 2 && k == 0 {
			continue // the second class's row decides
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

// An exportedModel is a model as JSON.
type exportedModel struct {
	classify.Meta
	Threshold   float64          `json:"threshold"`
	Calibration []classify.Platt `json:"calibration"` // of each class
	Terms       []string         `json:"terms"`
	Weights     [][]float64      `json:"weights"` // a row a class; of two classes one row may speak for the second
	Bias        []float64        `json:"bias"`
}

func newExportedModel(m *classify.Model) (exportedModel, error) {
	linear, err := linearOf(m)
	if err != nil {
		return exportedModel{}, err
	}
	return exportedModel{m.Meta, m.Threshold, m.Platt, terms(m), linear.Weights, linear.Bias}, nil
}

// linearOf returns the weights of a linear model, or an error that says how to
// get one.
func linearOf(m *classify.Model) (*classify.Linear, error) {
	linear, ok := m.Classifier.(*classify.Linear)
	if !ok {
		return nil, fmt.Errorf("a model of algorithm %s is not linear, only linear ones can be exported: train one with --algo svm", m.Algo)
	}
	return linear, nil
}
