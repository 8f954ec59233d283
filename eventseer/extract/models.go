package extract

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"eventseer/classify"
	"eventseer/eventseer/block"
	"eventseer/models"
)

// weights are the models that an Extractor reads pages by.
type weights struct {
	roles *block.Model
	kinds *classify.LogLinear // what dates are for, one output of kindClasses each
}

// shippedWeights reads the models of the program once. That they can be read is
// tested, so an error is a damaged program.
var shippedWeights = sync.OnceValue(func() *weights {
	w, err := readWeights(models.Files())
	if err != nil {
		panic(err)
	}
	return w
})

// readWeights reads the models of a folder; those that it lacks are the shipped ones.
func readWeights(fsys fs.FS) (*weights, error) {
	var w weights
	var err error
	read := func(name string) *classify.LogLinear {
		if err != nil {
			return nil
		}
		var b []byte
		if b, err = fs.ReadFile(fsys, name); errors.Is(err, fs.ErrNotExist) {
			b, err = fs.ReadFile(models.Files(), name)
		}
		if err != nil {
			return nil
		}
		m, readErr := classify.ReadLogLinear(bytes.NewReader(b))
		if readErr != nil {
			err = fmt.Errorf("%s: %w", name, readErr)
		}
		return m
	}
	w.kinds = read("date-kind.model")
	roles := read("block-role.model")
	if err == nil {
		w.roles, err = block.NewModel(roles)
	}
	return &w, err
}
