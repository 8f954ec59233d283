package extract

import (
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"eventseer/eventseer/block"
	"eventseer/models"
)

// weights are the models that an Extractor reads pages by.
type weights struct {
	roles *block.Model
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
	f, err := fsys.Open("block-role.model")
	if errors.Is(err, fs.ErrNotExist) {
		f, err = models.Files().Open("block-role.model")
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	roles, err := block.ReadModel(f)
	if err != nil {
		return nil, fmt.Errorf("block-role.model: %w", err)
	}
	return &weights{roles: roles}, nil
}
