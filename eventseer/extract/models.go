package extract

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/eventseer/block"
	"github.com/eventseer/eventseer/eventseer/extract/name"
	"github.com/eventseer/eventseer/eventseer/extract/person"
	"github.com/eventseer/eventseer/models"
)

// weights are the models of an Extractor.
type weights struct {
	roles  *block.Model
	kinds  *classify.LogLinear // kinds of dates: one output per entry of kindClasses
	place  *classify.LogLinear // ranks places, see placeRanking; nil disables ranking
	topics *classify.LogLinear // finds topics, see topicfeature.go
	people *person.Model
	names  *name.Reader
}

// shippedWeights returns the models embedded in the program, which are read at the first call. It panics on
// an error, which cannot happen in a program that passed its tests.
var shippedWeights = sync.OnceValue(func() *weights {
	w, err := readWeights(models.Files())
	if err != nil {
		panic(err)
	}
	return w
})

// readWeights reads the models of a folder. Files that the folder lacks are replaced by the embedded ones.
func readWeights(fsys fs.FS) (*weights, error) {
	w := weights{names: &name.Reader{}}
	var err error
	if w.roles, err = readModel(fsys, "block-role.model", block.ReadModel); err != nil {
		return nil, err
	}
	if w.people, err = readModel(fsys, "person.model", person.ReadModel); err != nil {
		return nil, err
	}
	for _, m := range []struct {
		name string
		into **classify.LogLinear
	}{{"date-kind.model", &w.kinds}, {"place.model", &w.place}, {"topic-list.model", &w.topics}, {"name.model", &w.names.Names}, {"acronym.model", &w.names.Acronyms}} {
		if *m.into, err = readModel(fsys, m.name, classify.ReadLogLinear); err != nil {
			return nil, err
		}
	}
	w.names.Prepare()
	if w.topics.Outputs() != 2*passOutputs {
		return nil, fmt.Errorf("topic-list.model: %w: %d outputs, want %d", classify.ErrIncompatible, w.topics.Outputs(), 2*passOutputs)
	}
	return &w, nil
}

// CheckModels returns an error if New cannot use the model files of a folder. They may be some of those
// that it reads; the others are the shipped ones.
func CheckModels(fsys fs.FS) error {
	w, err := readWeights(fsys)
	if err != nil {
		return err
	}
	shipped := shippedWeights()
	for _, m := range []struct {
		name      string
		got, want *classify.LogLinear
	}{{"date-kind", w.kinds, shipped.kinds}, {"place", w.place, shipped.place}, {"name", w.names.Names, shipped.names.Names}, {"acronym", w.names.Acronyms, shipped.names.Acronyms}} {
		if m.got.Outputs() != m.want.Outputs() {
			return fmt.Errorf("%s.model: %w: %d outputs, want %d", m.name, classify.ErrIncompatible, m.got.Outputs(), m.want.Outputs())
		}
	}
	return nil
}

// readModel reads one model file of a folder, or the embedded file if the folder lacks it.
func readModel[M any](fsys fs.FS, file string, read func(io.Reader) (M, error)) (m M, err error) {
	f, err := fsys.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		f, err = models.Files().Open(file)
	}
	if err != nil {
		return m, err
	}
	defer func() { _ = f.Close() }() // opened only for reading: an error loses no data
	if m, err = read(f); err != nil {
		return m, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}
