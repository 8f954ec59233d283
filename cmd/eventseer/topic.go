package main

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

// disciplineFile is the shipped model whose classes are topics by name.
const disciplineFile = classify.TaskDiscipline + ".model"

// A topic is what the calls of a crawl are to be about. The zero topic is all.
type topic struct {
	name  string // as given
	hash  string // SHA-256 of its model
	focus strategy.Focus
}

// openTopic returns the topic of that name: a discipline, or the second class
// of a model file made by `train --task topic`.
func openTopic(name string) (topic, error) {
	if name == "" {
		return topic{}, nil
	}
	data, err := models.Files().Open(disciplineFile)
	if err != nil {
		return topic{}, err
	}
	disciplines, hash, err := readTopicModel(data)
	if err != nil {
		return topic{}, fmt.Errorf("%s: %w", disciplineFile, err)
	}
	if focus, err := strategy.NewFocus(disciplines, name); err == nil {
		return topic{name, hash, focus}, nil
	}
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return topic{}, app.Usagef("--topic %q is no model file and no discipline; the disciplines are %s", name, strings.Join(strategy.FocusNames(disciplines), ", "))
	}
	if err != nil {
		return topic{}, fmt.Errorf("topic: %w", err)
	}
	m, hash, err := readTopicModel(file)
	switch {
	case err != nil:
		return topic{}, fmt.Errorf("topic %s: %w", name, err)
	case m.Task != classify.TaskTopic || !m.Binary():
		return topic{}, fmt.Errorf("--topic %s: %w: it is of task %q; `eventseer train --task topic` makes one that says what is on a topic", name, classify.ErrIncompatible, m.Task)
	}
	focus, err := strategy.NewFocus(m, m.Classes[1])
	return topic{name, hash, focus}, err
}

// topicNames returns the disciplines a crawl can have for its topic.
func topicNames() []string {
	classes, err := classify.Classes(classify.TaskDiscipline)
	if err != nil {
		panic(err) // a task of its own
	}
	return strategy.FocusNames(&classify.Model{Meta: classify.Meta{Classes: classes}})
}

// readTopicModel reads a model to its end, closes it, and says its SHA-256.
func readTopicModel(f io.ReadCloser) (m *classify.Model, hash string, err error) {
	defer func() { err = errors.Join(err, f.Close()) }()
	sum := sha256.New()
	m, err = classify.ReadModel(io.TeeReader(f, sum))
	return m, hex.EncodeToString(sum.Sum(nil)), err
}
