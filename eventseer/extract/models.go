package extract

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"eventseer/classify"
	"eventseer/eventseer/block"
	"eventseer/models"
)

// weights are the models that an Extractor reads pages by.
type weights struct {
	roles  *block.Model
	topics *classify.LogLinear
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
	roles, err := readModel(fsys, "block-role.model", block.ReadModel)
	if err != nil {
		return nil, err
	}
	topics, err := readModel(fsys, "topic-list.model", classify.ReadLogLinear)
	if err == nil && topics.Outputs() != 2*passOutputs {
		err = fmt.Errorf("topic-list.model: %w: %d outputs, want %d", classify.ErrIncompatible, topics.Outputs(), 2*passOutputs)
	}
	return &weights{roles: roles, topics: topics}, err
}

// readModel reads a model of a folder, or else the shipped one.
func readModel[M any](fsys fs.FS, name string, read func(io.Reader) (M, error)) (m M, err error) {
	f, err := fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = models.Files().Open(name)
	}
	if err != nil {
		return m, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	if m, err = read(f); err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return m, err
}
