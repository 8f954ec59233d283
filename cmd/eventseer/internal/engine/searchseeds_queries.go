package engine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"eventseer/classify"
	"eventseer/cmd/eventseer/internal/app"
	"eventseer/crawler/strategy"
	"eventseer/features"
)

// A searchTopic is what queries are about.
type searchTopic struct {
	names map[string]string // of the topic, by language; nil where it has none
	words []string          // of the topic in English, the weightiest first
}

// callPhrases are what calls say of themselves, by language; the first is English,
// in which most are.
var callPhrases = []struct{ lang, phrase string }{
	{"en", `"call for papers"`},
	{"fr", `"appel à communications"`},
	{"de", `"Call for Papers" Tagung`},
	{"es", `"convocatoria de ponencias"`},
	{"pt", `"chamada de trabalhos"`},
}

// perForeign is how many queries in English come before one in another language.
const perForeign = 4

// topicWords is how many words of a topic make queries.
const topicWords = 20

// SeedQueries returns at most n queries for calls of a year: for each topic by its
// name, then with a word of its own, the weightiest first, and now and then in
// another language. The same topics, year and n give the same queries.
func SeedQueries(topics []searchTopic, year, n int) (queries []string) {
	foreign := 0
	add := func(phrase, about string) {
		if q := fmt.Sprintf("%s %d %s", phrase, year, about); about != "" && len(queries) < n && !slices.Contains(queries, q) {
			queries = append(queries, q)
		}
	}
	for round := range topicWords + 1 {
		for _, t := range topics {
			add(callPhrases[0].phrase, t.about(round))
			if (len(queries)+1)%(perForeign+1) == 0 {
				in := callPhrases[1+foreign%(len(callPhrases)-1)]
				add(in.phrase, topics[foreign%len(topics)].names[in.lang])
				foreign++
			}
		}
	}
	return queries
}

// about returns what the query of a round names in English: the topic, then the
// topic and one of its words, or two words where it has no name; "" after the last.
func (t searchTopic) about(round int) string {
	name := t.names["en"]
	switch {
	case name == "" && round+1 < len(t.words):
		return t.words[round] + " " + t.words[round+1]
	case name == "" || round > len(t.words):
		return ""
	case round == 0:
		return name
	}
	return name + " " + t.words[round-1]
}

// SearchTopics returns the topics of queries for --topic: a discipline, the topic
// of a model file, or all disciplines.
func SearchTopics(name string) ([]searchTopic, error) {
	disciplines, err := ShippedModel(classify.TaskDiscipline)
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
	var topics []searchTopic
	for _, n := range names {
		topics = append(topics, searchTopic{disciplineNames[n], searchWords(disciplines, slices.Index(disciplines.Classes, n), knownWord)})
	}
	return topics, nil
}

// fileTopic returns the topic of a model file made by `train --task topic`.
func fileTopic(path string) ([]searchTopic, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, app.Usagef("--topic %q is no model file and no discipline", path)
	}
	if err != nil {
		return nil, fmt.Errorf("topic: %w", err)
	}
	m, _, err := ReadTopicModel(f)
	if err != nil {
		return nil, fmt.Errorf("topic %s: %w", path, err)
	}
	return []searchTopic{{words: searchWords(m, len(m.Classes)-1, anyWord)}}, nil
}

// searchWords returns the words whose stems speak most for a class of a model, as
// word spells them.
func searchWords(m *classify.Model, class int, word func(stem string) string) (words []string) {
	for _, r := range m.Top(class, m.Vectorizer.Terms()) {
		stem, ok := strings.CutPrefix(r.Term, features.Body+":")
		if !ok || r.Weight <= 0 {
			continue
		}
		if w := word(stem); w != "" && !slices.Contains(words, w) {
			words = append(words, w)
		}
		if len(words) == topicWords {
			break
		}
	}
	return words
}

// anyWord spells a stem that may be of any topic. Snowball's English stemmer ends
// words in i where they had y; what else it cut off, engines that stem find again.
func anyWord(stem string) string {
	if knownWord(stem) != "" {
		return knownWord(stem)
	}
	if len(stem) < 4 || strings.ContainsFunc(stem, func(r rune) bool { return r < 'a' || r > 'z' }) {
		return ""
	}
	if cut, ok := strings.CutSuffix(stem, "i"); ok {
		return cut + "y"
	}
	return stem
}
