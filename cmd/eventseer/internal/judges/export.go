package judges

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/classify/svm"
	"github.com/eventseer/eventseer/classify/train"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/datasets"
)

// The formats of model export.
const (
	ToLIBSVM    = "libsvm"
	ToLIBLINEAR = "liblinear"
	ToJSON      = "json"
)

// Export writes a model in a format for other programs.
func Export(a *app.App, name, to string) error {
	if to != ToLIBSVM && to != ToLIBLINEAR && to != ToJSON {
		return app.Usagef("--to %q: the formats are libsvm, liblinear and json", to)
	}
	if a.Config.Output == "-" && to != ToJSON {
		return app.Usagef("-o FILE is needed: the file to write, with FILE.names beside it")
	}
	m, err := OpenModel(name)
	if err != nil {
		return err
	}
	if to == ToJSON {
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
		if to == ToLIBLINEAR {
			return svm.WriteLIBLINEAR(w, l, m.Classes)
		}
		return svm.WriteLIBSVM(w, l, m.Classes)
	})
	if err != nil {
		return err
	}
	return writeNames(a.Config.Output+".names", m)
}

// writeNames writes the names of a model's classes and terms, like data convert for vectors.
func writeNames(path string, m *classify.Model) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return datasets.WriteNames(f, &datasets.Vectors{Names: train.Terms(m), Classes: m.Classes})
}
