package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"eventseer/classify"
	"eventseer/classify/svm"
	"eventseer/classify/train"
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
		exported, err := train.NewLinearModel(m)
		if err != nil {
			return err
		}
		return a.WithOutput(func(w io.Writer) error { return app.WriteJSONLine(w, exported) })
	}
	l, err := train.LogOdds(m)
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
	return datasets.WriteNames(f, &datasets.Vectors{Names: train.Terms(m), Classes: m.Classes})
}
