package eventstest

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

// Clips returns the clips of an event of Events: the passage around its first
// deadline and up to two others with its topics.
func Clips(e eventseer.Event) []eventseer.Clip {
	h := fnv.New64a()
	_, _ = h.Write([]byte(e.ID))
	r := rand.New(rand.NewPCG(h.Sum64(), 4))
	var out []eventseer.Clip
	add := func(path, summary string) {
		out = append(out, eventseer.Clip{
			ID: fmt.Sprintf("%s-%d", e.ID, len(out)), Event: e.ID, URL: e.URL, Title: e.Title, Summary: summary, Path: path, Seen: e.FirstSeen,
		})
	}
	if len(e.Deadlines) > 0 {
		add("html/body/ul/li", "We ask for papers that were not published before. "+e.Deadlines[0].Text+". Authors of accepted papers come and present them.")
	}
	for range min(r.IntN(3), len(e.Topics)) {
		topics := sample(r, e.Topics, 3)
		for i := range topics {
			topics[i] = strings.ToLower(topics[i])
		}
		add("html/body/p", fmt.Sprintf(sentences[r.IntN(len(sentences))], strings.Join(topics, ", ")))
	}
	return out
}

// Lists returns n readers' lists of five terms: words and phrases of topics any of which is enough.
// A fifth of them exclude something, and a fifth also restrict a place, a rank or a window of time.
func Lists(seed uint64, n int) []eventseer.List {
	rhythms := []eventseer.Rhythm{eventseer.Daily, eventseer.Weekly, eventseer.Immediate, eventseer.Quiet}
	extra := []string{"where:europe", "where:online", "rank:core>=B", "due<90d", "kind:conference"}
	lists := make([]eventseer.List, n)
	for i := range lists {
		r := newRand(seed, 5, i)
		a := areas[r.IntN(len(areas))]
		topics := sample(r, a.topics, 5)
		terms := make([]string, len(topics))
		for j, t := range topics {
			if terms[j] = `"` + t + `"`; r.IntN(3) == 0 {
				words := strings.Fields(t)
				terms[j] = words[len(words)-1]
			}
		}
		query := strings.Join(terms, " OR ")
		switch r.IntN(10) {
		case 0, 1:
			other := areas[r.IntN(len(areas))]
			query += ` -"` + other.topics[r.IntN(len(other.topics))] + `"`
		case 2, 3:
			query += " " + extra[r.IntN(len(extra))]
		}
		lists[i] = eventseer.List{
			ID: fmt.Sprintf("list-%06d", i), Account: fmt.Sprintf("account-%06d", i), Name: a.name, Query: query,
			Synonyms: r.IntN(4) == 0, Rhythm: rhythms[r.IntN(len(rhythms))], Created: time.Date(2026, 1, 1, 0, i%1440, 0, 0, time.UTC),
		}
	}
	return lists
}

// textWords is the approximate number of words in the text of a page: the median of calls.
const textWords = 700

// Texts returns the text of the page of an event of Events. It has its title, its topics, and
// sentences of words, some of them frequent in all texts and most rare.
func Texts(e eventseer.Event) []eventseer.PageText {
	h := fnv.New64a()
	_, _ = h.Write([]byte(e.ID))
	r := rand.New(rand.NewPCG(h.Sum64(), 6))
	var b strings.Builder
	b.WriteString(eventseer.HeadingMark + e.Title + "\n")
	for _, topic := range e.Topics {
		b.WriteString(topic + "\n")
	}
	a := areas[r.IntN(len(areas))]
	for n := 0; n < textWords; {
		switch r.IntN(12) {
		case 0: // subjects of a call of the field besides its topics
			b.WriteString(a.topics[r.IntN(len(a.topics))] + " ")
			n += 2
		case 1:
			b.WriteString(".\n")
		default:
			b.WriteString(commonWord(r) + " ")
			n++
		}
	}
	return []eventseer.PageText{{URL: e.URL, Text: b.String(), Seen: e.FirstSeen}}
}

// commonWord returns one of 20,000 words, number n about 1/n times as often as the first
// (Zipf's law).
func commonWord(r *rand.Rand) string {
	const words = 20_000
	n := int(math.Pow(words, r.Float64())) // of a uniform exponent: the density falls with 1/n
	const consonants, vowels = "bcdfghklmnprstvz", "aeiou"
	var w []byte
	for n++; n > 0; n /= 80 {
		w = append(w, consonants[n%16], vowels[n/16%5])
	}
	return string(w) + "n"
}
