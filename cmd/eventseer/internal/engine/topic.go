package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/classify"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/app"
	"github.com/eventseer/eventseer/cmd/eventseer/internal/judges"
	"github.com/eventseer/eventseer/crawler"
	"github.com/eventseer/eventseer/crawler/seeds"
	"github.com/eventseer/eventseer/crawler/strategy"
	"github.com/eventseer/eventseer/features"
)

// A Topic is the topic of a crawl's calls. The zero Topic means all.
type Topic struct {
	name  string // as given
	Hash  string // SHA-256 of its model
	focus strategy.Focus
}

// OpenTopic returns the topic with a name. It is a discipline of the models of a kind, or the second class of a model file
// made by `train --task topic`.
func OpenTopic(a *app.App, name, kind string) (Topic, error) {
	if name == "" {
		return Topic{}, nil
	}
	set, err := judges.Open(a, kind)
	if err != nil {
		return Topic{}, err
	}
	disciplines, hash, err := set.Disciplines()
	if err != nil {
		return Topic{}, fmt.Errorf("%s: %w", judges.DisciplineFile, err)
	}
	if focus, err := strategy.NewFocus(disciplines, name); err == nil {
		return Topic{name, hash, focus}, nil
	}
	file, err := os.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Topic{}, app.Usagef("--topic %q is neither a model file nor a discipline; the disciplines are %s", name, strings.Join(strategy.FocusNames(disciplines), ", "))
	}
	if err != nil {
		return Topic{}, fmt.Errorf("topic: %w", err)
	}
	m, hash, err := ReadTopicModel(file)
	switch {
	case err != nil:
		return Topic{}, fmt.Errorf("topic %s: %w", name, err)
	case m.Task != classify.TaskTopic || !m.IsBinary():
		return Topic{}, fmt.Errorf("--topic %s: %w: it is of task %q; `eventseer train --task topic` makes a model for a topic", name, classify.ErrIncompatible, m.Task)
	}
	focus, err := strategy.NewFocus(m, m.Classes[1])
	return Topic{name, hash, focus}, err
}

// TopicNames returns the disciplines that can be the topic of a crawl.
func TopicNames() []string {
	classes, err := classify.Classes(classify.TaskDiscipline)
	if err != nil {
		panic(err) // the shipped model has the task discipline
	}
	return strategy.FocusNames(&classify.Model{Meta: classify.Meta{Classes: classes}})
}

// ReadTopicModel reads a model completely, closes it, and returns its SHA-256.
func ReadTopicModel(f io.ReadCloser) (m *classify.Model, hash string, err error) {
	defer func() { err = errors.Join(err, f.Close()) }()
	sum := sha256.New()
	m, err = classify.ReadModel(io.TeeReader(f, sum))
	return m, hex.EncodeToString(sum.Sum(nil)), err
}

// NewSeedSearch returns the search for seeds of --search-seeds.
func NewSeedSearch(a *app.App, n int, topic string, w *Web) (seeds.Search, error) {
	switch {
	case n == 0:
		return seeds.Search{}, nil
	case n < 0 || n > seeds.MaxQueries:
		return seeds.Search{}, app.Usagef("--search-seeds %d is not from 0 to %d", n, seeds.MaxQueries)
	case w.Frozen:
		return seeds.Search{}, app.Usagef("--search-seeds finds pages of the live web, which a replay and --sim do not have")
	}
	by, err := OpenSearX(a)
	if err != nil {
		return seeds.Search{}, err
	}
	if by == nil {
		return seeds.Search{}, app.Usagef("--search-seeds needs a SearXNG instance: a provider of type searxng below backlinks: providers: in the config file")
	}
	topics, err := SearchTopics(topic)
	if err != nil {
		return seeds.Search{}, err
	}
	return seeds.Search{By: by, Queries: seeds.Queries(topics, seeds.CallYear(w.Now()), n), Pause: seeds.Pause}, nil
}

// RunSearch searches for more seeds. A resumed crawl does not search again.
func (s Seeding) RunSearch(ctx context.Context, o crawler.Options, logf func(format string, args ...any)) error {
	if s.Resume {
		return nil
	}
	return s.Search.Run(ctx, o, s.Seeds, logf)
}

// SearchTopics returns the topics of search queries for --topic: a discipline, the topic of a model
// file, or all disciplines.
func SearchTopics(name string) ([]seeds.Topic, error) {
	disciplines, err := judges.ShippedModel(classify.TaskDiscipline)
	if err != nil {
		return nil, err
	}
	names := strategy.FocusNames(disciplines)
	if name != "" && !slices.Contains(names, name) {
		return fileTopic(name)
	}
	if name != "" {
		names = []string{name}
	}
	var topics []seeds.Topic
	for _, n := range names {
		topics = append(topics, seeds.Topic{Names: seeds.DisciplineNames[n], Words: searchWords(disciplines, slices.Index(disciplines.Classes, n), seeds.WordOfStem)})
	}
	return topics, nil
}

// fileTopic returns the topic of a model file made by `train --task topic`.
func fileTopic(path string) ([]seeds.Topic, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, app.Usagef("--topic %q is neither a model file nor a discipline", path)
	}
	if err != nil {
		return nil, fmt.Errorf("topic: %w", err)
	}
	m, _, err := ReadTopicModel(f)
	if err != nil {
		return nil, fmt.Errorf("topic %s: %w", path, err)
	}
	return []seeds.Topic{{Words: searchWords(m, len(m.Classes)-1, seeds.GuessWordOfStem)}}, nil
}

// searchWords returns the words whose stems have the highest weight for a class of a model, as
// spelled by word.
func searchWords(m *classify.Model, class int, word func(stem string) string) (words []string) {
	for _, r := range m.TopFeatures(class, m.Vectorizer.Terms()) {
		stem, ok := strings.CutPrefix(r.Term, features.Body+":")
		if !ok || r.Weight <= 0 {
			continue
		}
		if w := word(stem); w != "" && !slices.Contains(words, w) {
			words = append(words, w)
		}
		if len(words) == seeds.TopicWords {
			break
		}
	}
	return words
}
