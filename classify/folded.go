package classify

import (
	"fmt"
	"io/fs"
	"path"
	"strconv"
)

// A Folded is a model of one task that may be cross-fitted: training pages, and
// pages of training hosts, are judged by the models that were trained without
// their group, other pages by the full model. It is read-only and safe for
// concurrent use.
type Folded struct {
	full  *Model
	folds []*Model // empty: the full model judges all
	table *Folds
}

// NewFolded returns a Folded of one model for all pages.
func NewFolded(full *Model) *Folded { return &Folded{full: full} }

// ReadFolded reads the models of full's task that `train --cross-fit` wrote to
// dir: the table folds, and the model of fold i in the folder i.
func ReadFolded(fsys fs.FS, dir string, full *Model) (*Folded, error) {
	table, err := readFoldsFile(fsys, dir)
	if err != nil {
		return nil, err
	}
	f := &Folded{full: full, table: table}
	for i := range table.Len() {
		sub, err := fs.Sub(fsys, path.Join(dir, strconv.Itoa(i)))
		if err != nil {
			return nil, err
		}
		m, err := readModelFile(sub, full.Task+".model")
		if err != nil {
			return nil, err
		}
		if m.Task != full.Task || len(m.Classes) != len(full.Classes) {
			return nil, fmt.Errorf("fold %d: a model of task %q and %d classes beside one of task %q and %d", i, m.Task, len(m.Classes), full.Task, len(full.Classes))
		}
		f.folds = append(f.folds, m)
	}
	return f, nil
}

// Full returns the model trained on all pages.
func (f *Folded) Full() *Model { return f.full }

// For returns the model that judges the page at pageURL.
func (f *Folded) For(pageURL string) *Model {
	if len(f.folds) == 0 {
		return f.full
	}
	if fold, ok := f.table.Of(pageURL); ok {
		return f.folds[fold]
	}
	return f.full
}
