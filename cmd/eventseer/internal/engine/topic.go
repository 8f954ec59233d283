package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"eventseer/classify"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler/strategy"
	"eventseer/models"
)

// DisciplineFile is the shipped model whose classes are topics by name.
const DisciplineFile = classify.TaskDiscipline + ".model"

// A Topic is what the calls of a crawl are to be about. The zero topic is all.
type Topic struct {
	name  string // as given
	Hash  string // SHA-256 of its model
	focus strategy.Focus
}

// OpenTopic returns the topic of that name: a discipline, or the second class
// of a model file made by `train --task topic`.
func OpenTopic(name string) (Topic, error) {
	if name == "" {
		return Topic{}, nil
	}
	data, err := models.Files().Open(DisciplineFile)
	if err != nil {
		return Topic{}, err
	}
	disciplines, hash, err := ReadTopicModel(data)
	if err != nil {
		return Topic{}, fmt.Errorf("%s: %w", DisciplineFile, err)
	}
	if focus, err := strategy.NewFocus(disciplines, name); err == nil {
		return Topic{name, hash, focus}, nil
	}
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Topic{}, app.Usagef("--topic %q is no model file and no discipline; the disciplines are %s", name, strings.Join(strategy.FocusNames(disciplines), ", "))
	}
	if err != nil {
		return Topic{}, fmt.Errorf("topic: %w", err)
	}
	m, hash, err := ReadTopicModel(file)
	switch {
	case err != nil:
		return Topic{}, fmt.Errorf("topic %s: %w", name, err)
	case m.Task != classify.TaskTopic || !m.Binary():
		return Topic{}, fmt.Errorf("--topic %s: %w: it is of task %q; `eventseer train --task topic` makes one that says what is on a topic", name, classify.ErrIncompatible, m.Task)
	}
	focus, err := strategy.NewFocus(m, m.Classes[1])
	return Topic{name, hash, focus}, err
}

// TopicNames returns the disciplines a crawl can have for its topic.
func TopicNames() []string {
	classes, err := classify.Classes(classify.TaskDiscipline)
	if err != nil {
		panic(err) // a task of its own
	}
	return strategy.FocusNames(&classify.Model{Meta: classify.Meta{Classes: classes}})
}

// ReadTopicModel reads a model to its end, closes it, and says its SHA-256.
func ReadTopicModel(f io.ReadCloser) (m *classify.Model, hash string, err error) {
	defer func() { err = errors.Join(err, f.Close()) }()
	sum := sha256.New()
	m, err = classify.ReadModel(io.TeeReader(f, sum))
	return m, hex.EncodeToString(sum.Sum(nil)), err
}
