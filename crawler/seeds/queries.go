package seeds

import (
	"fmt"
	"slices"
	"time"
)

// A Topic is what queries are about.
type Topic struct {
	Names map[string]string // of the topic, by language; nil where it has none
	Words []string          // of the topic in English, the weightiest first
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

// TopicWords is how many words of a topic make queries.
const TopicWords = 20

// Queries returns at most n queries for calls of a year: for each topic by its
// name, then with a word of its own, the weightiest first, and now and then in
// another language. The same topics, year and n give the same queries.
func Queries(topics []Topic, year, n int) (queries []string) {
	foreign := 0
	add := func(phrase, about string) {
		if q := fmt.Sprintf("%s %d %s", phrase, year, about); about != "" && len(queries) < n && !slices.Contains(queries, q) {
			queries = append(queries, q)
		}
	}
	for round := range TopicWords + 1 {
		for _, t := range topics {
			add(callPhrases[0].phrase, t.about(round))
			if (len(queries)+1)%(perForeign+1) == 0 {
				in := callPhrases[1+foreign%(len(callPhrases)-1)]
				add(in.phrase, topics[foreign%len(topics)].Names[in.lang])
				foreign++
			}
		}
	}
	return queries
}

// about returns what the query of a round names in English: the topic, then the
// topic and one of its words, or two words where it has no name; "" after the last.
func (t Topic) about(round int) string {
	name := t.Names["en"]
	switch {
	case name == "" && round+1 < len(t.Words):
		return t.Words[round] + " " + t.Words[round+1]
	case name == "" || round > len(t.Words):
		return ""
	case round == 0:
		return name
	}
	return name + " " + t.Words[round-1]
}

// CallYear is the year of the conferences whose calls are open at a time: they are
// held half a year later.
func CallYear(now time.Time) int { return now.AddDate(0, 6, 0).Year() }
