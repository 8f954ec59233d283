package extract

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"eventseer/eventseer/block"
	"eventseer/eventseer/extract/person"
	"eventseer/models"
)

// weights are the models that an Extractor reads pages by.
type weights struct {
	roles  *block.Model
	people *person.Model
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
	w := &weights{}
	err := readModel(fsys, "block-role.model", func(r io.Reader) (err error) {
		w.roles, err = block.ReadModel(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	err = readModel(fsys, "person.model", func(r io.Reader) (err error) {
		w.people, err = person.ReadModel(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	return w, nil
}

func readModel(fsys fs.FS, name string, read func(io.Reader) error) error {
	f, err := fsys.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = models.Files().Open(name)
	}
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	if err := read(f); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}
