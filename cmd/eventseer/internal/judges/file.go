// Package judges opens the models that commands judge pages by: those of the data directory, the
// shipped ones, cross-fitted ones, and model files. It also manages the versions in the data directory.
package judges

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/eventseer/extract"
	"github.com/eventseer/eventseer/eventseer/match"
	"github.com/eventseer/eventseer/models"
)

// OpenModel reads a model file, or a shipped model by its name.
func OpenModel(name string) (*classify.Model, error) {
	f, err := os.Open(name)
	if isPossiblyShipped(name, err) {
		return ShippedModel(name)
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	m, err := classify.ReadModel(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// ShippedModel reads a shipped model by its name.
func ShippedModel(name string) (*classify.Model, error) {
	f, err := models.Files().Open(strings.TrimSuffix(name, ".model") + ".model")
	if err != nil {
		return nil, fmt.Errorf("no model file %s and no shipped model of that name, see `eventseer model list`", name)
	}
	defer func() { _ = f.Close() }() // read only: nothing to lose
	return classify.ReadModel(f)
}

// ShippedMeta returns the metadata of a shipped model of any kind.
func ShippedMeta(file string) (classify.Meta, error) {
	b, err := fs.ReadFile(models.Files(), file)
	if err != nil {
		return classify.Meta{}, err
	}
	m, err := classify.ReadMeta(b)
	if err != nil {
		return classify.Meta{}, fmt.Errorf("%s: %w", file, err)
	}
	return m, nil
}

// isPossiblyShipped reports whether a name that could not be opened may be that of a shipped model. Such
// a name has no folder, and the working directory has no such file or is not readable.
func isPossiblyShipped(name string, err error) bool {
	return !strings.Contains(name, "/") && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission))
}

// ReadModelFile reads a model file, or a shipped model by its name.
func ReadModelFile(name string) ([]byte, error) {
	b, err := os.ReadFile(name)
	if isPossiblyShipped(name, err) {
		return fs.ReadFile(models.Files(), strings.TrimSuffix(name, ".model")+".model")
	}
	return b, err
}

// OpenMeta is ShippedMeta for a model file, or a shipped model by its name.
func OpenMeta(name string) (classify.Meta, error) {
	b, err := ReadModelFile(name)
	if err != nil {
		return classify.Meta{}, err
	}
	m, err := classify.ReadMeta(b)
	if err != nil {
		return classify.Meta{}, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// The tasks of models that can be put in use, by what reads them.
var (
	pageTasks   = []string{classify.TaskCFP, classify.TaskPageType, classify.TaskLink, classify.TaskLayer, classify.TaskTopic, classify.TaskDiscipline}
	recordTasks = []string{"block-role", "date-kind", "place", "topic-list", "person", "name", "acronym"}
	pairTask    = strings.TrimSuffix(match.PairFile, ".model")
)

// ModelTasks returns the tasks of which models can be put in use.
func ModelTasks() []string { return slices.Concat(pageTasks, recordTasks, []string{pairTask}) }

// checkModel returns an error for a model that the program cannot use for a task.
func checkModel(task string, data []byte) error {
	switch {
	case slices.Contains(pageTasks, task):
		_, err := readPageModel(task, data)
		return err
	case slices.Contains(recordTasks, task):
		return extract.CheckModels(fileSet{task + ".model": data})
	case task == pairTask:
		_, err := match.ReadPairModel(bytes.NewReader(data))
		return err
	}
	return fmt.Errorf("%w: a model of task %q is not put in use; the tasks are %s", classify.ErrIncompatible, task, strings.Join(ModelTasks(), ", "))
}

// readPageModel reads a model of a task of pageTasks.
func readPageModel(task string, data []byte) (*classify.Model, error) {
	m, err := classify.ReadModel(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	classes, err := classify.Classes(task)
	if err == nil && (m.Task != task || !slices.Equal(m.Classes, classes)) {
		err = fmt.Errorf("%w: it is of task %q with classes %q; a model of task %q has the classes %q", classify.ErrIncompatible, m.Task, m.Classes, task, classes)
	}
	return m, err
}

// A fileSet is a file system with some model files, by name.
type fileSet map[string][]byte

// Open implements fs.FS.
func (s fileSet) Open(name string) (fs.File, error) {
	data, ok := s[name]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return &openFile{bytes.NewReader(data), name}, nil
}

// An openFile is an open file of a fileSet.
type openFile struct {
	*bytes.Reader
	name string
}

func (f *openFile) Stat() (fs.FileInfo, error) { return fileInfo{f}, nil }
func (f *openFile) Close() error               { return nil }

// A fileInfo describes a file of a fileSet.
type fileInfo struct{ file *openFile }

func (i fileInfo) Name() string       { return i.file.name }
func (i fileInfo) Size() int64        { return i.file.Reader.Size() }
func (i fileInfo) Mode() fs.FileMode  { return 0o444 }
func (i fileInfo) ModTime() time.Time { return time.Time{} }
func (i fileInfo) IsDir() bool        { return false }
func (i fileInfo) Sys() any           { return nil }

// unknownModelError is the error for a name of --model that is neither a file nor a version.
func unknownModelError(name string, err error) error {
	return app.Usagef("--model %s: %w; name a model file, or a version as `eventseer model list` prints it", name, err)
}
