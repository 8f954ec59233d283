package dictionary

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/eventseer/eventseer/internal/lines"
	"github.com/eventseer/eventseer/internal/text"
)

// A synonymTable finds the synonyms of terms, as written or by stem.
type synonymTable struct {
	synonyms map[string][]string // by the normalized words of a term
	forms    map[string][]string // keys of synonyms by their stems, in the order read
}

func newSynonymTable() synonymTable {
	return synonymTable{make(map[string][]string), make(map[string][]string)}
}

// wordAndStemKeys returns the words of a term and their stems, each joined by spaces, and how many words there
// are. Terms without Greek letters are treated as English.
func wordAndStemKeys(term string) (words, stems string, n int) {
	var a, b strings.Builder
	for w := range Words(term, "en") {
		if n++; n > 1 {
			a.WriteByte(' ')
			b.WriteByte(' ')
		}
		a.WriteString(w.Text)
		b.WriteString(w.Stem)
	}
	return a.String(), b.String(), n
}

// addSynonyms sets synonyms, given as keys, for a term.
func (t *synonymTable) addSynonyms(term string, synonyms []string) {
	key, stems, n := wordAndStemKeys(term)
	if n == 0 || n > MaxWords {
		return
	}
	known, seen := t.synonyms[key]
	for _, s := range synonyms {
		if s != key && !slices.Contains(known, s) && len(known) < MaxSynonyms {
			known = append(known, s)
		}
	}
	if len(known) == 0 {
		return
	}
	t.synonyms[key] = known
	if !seen {
		t.forms[stems] = append(t.forms[stems], key)
	}
}

// lookup returns the synonyms of a term. The result is a copy.
func (t *synonymTable) lookup(term string) []string {
	key, _ := t.keyOf(term)
	return slices.Clone(t.synonyms[key])
}

// keyOf returns the key in synonyms for a term. It is the term's own key, otherwise the one with the same
// stems and the longest common prefix (university and universe have the same stem). If there is none, ok
// is false.
func (t *synonymTable) keyOf(term string) (best string, ok bool) {
	key, stems, _ := wordAndStemKeys(term)
	if _, ok := t.synonyms[key]; ok {
		return key, true
	}
	most := -1
	for _, form := range t.forms[stems] {
		if n := text.SharedPrefix(form, key); n > most {
			best, most = form, n
		}
	}
	return best, most >= 0
}

// builtIn are our own sets of terms of calls for papers.
//
//go:embed cfp.txt
var builtIn string

// vocabulary is the controlled vocabulary of topics: a topic a line, its name first.
//
//go:embed topics.txt
var vocabulary string

// A Topic is one topic of the controlled vocabulary of calls for papers.
type Topic struct {
	// Names are its name, then its other names, including abbreviations.
	Names []string
	// Distinct means that a one-word name always refers to the topic.
	Distinct bool
}

// Topics returns the controlled vocabulary, in the order of names. The caller may modify the
// result.
func Topics() (topics []Topic) {
	for line := range strings.Lines(vocabulary) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		names, distinct := strings.CutPrefix(line, "+ ")
		topics = append(topics, Topic{strings.Split(names, ", "), distinct})
	}
	return topics
}

// minAbbreviation is the minimum number of letters of a topic's synonym. A shorter one finds its
// topic but is not searched instead of it: "ir" and "mt" have other meanings.
const minAbbreviation = 3

// addTopics adds the topics with several names. A name that equals another topic's name only by
// stems finds its topic too, but is not searched instead of it.
func addTopics(t *synonymTable) {
	topics := Topics()
	others := topicNames(topics)
	for n, topic := range topics {
		if len(topic.Names) == 1 {
			continue
		}
		var set []string
		for _, name := range topic.Names {
			key, stems, words := wordAndStemKeys(name)
			if len(key) >= minAbbreviation && !(words > 1 && isMistakable(key, others[stems], n)) {
				set = append(set, key)
			}
		}
		for _, name := range topic.Names {
			t.addSynonyms(name, set)
		}
	}
}

// A nameUse is an occurrence of a run of words in the name of a topic.
type nameUse struct {
	words string
	topic int
}

// topicNames returns the runs of two and more words in the names of topics, by their stems.
func topicNames(topics []Topic) map[string][]nameUse {
	uses := map[string][]nameUse{}
	for n, topic := range topics {
		for _, name := range topic.Names {
			words, stems, _ := wordAndStemKeys(name)
			w, s := strings.Fields(words), strings.Fields(stems)
			for i := range s {
				for j := i + 2; j <= len(s); j++ {
					key := strings.Join(s[i:j], " ")
					uses[key] = append(uses[key], nameUse{strings.Join(w[i:j], " "), n})
				}
			}
		}
	}
	return uses
}

// isMistakable reports whether another topic has the stems of a name in other words. None of these words
// is the name's: "human computer" of "human computer interaction" and "humanities computing".
func isMistakable(name string, uses []nameUse, topic int) bool {
	words := strings.Fields(name)
	return slices.ContainsFunc(uses, func(u nameUse) bool {
		if u.topic == topic {
			return false
		}
		for i, w := range strings.Fields(u.words) {
			longer, shorter := max(len(w), len(words[i])), min(len(w), len(words[i]))
			if longer-shorter <= 2 && text.SharedPrefix(w, words[i]) == shorter {
				return false // the same word, or its plural
			}
		}
		return true
	})
}

// maxSet is the maximum number of terms in a set.
const maxSet = MaxSynonyms + 1

// readSets adds the sets of a file, one per line, its terms separated by commas.
func readSets(r io.Reader, name string, bad func(error), t *synonymTable) error {
	in := lines.NewScanner(r, name, bad)
	for in.Next() {
		line, _, _ := strings.Cut(in.TrimmedText(), "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		set, err := parseSet(line)
		if err != nil {
			in.ReportBad(err)
			continue
		}
		for _, term := range set {
			t.addSynonyms(term, set)
		}
	}
	return in.Err()
}

// parseSet returns the keys of a set's terms.
func parseSet(line string) ([]string, error) {
	terms := strings.Split(line, ",")
	if len(terms) < 2 {
		return nil, fmt.Errorf("a set needs at least two terms, separated by commas")
	}
	if len(terms) > maxSet {
		return nil, fmt.Errorf("a set has %d terms, at most %d are allowed", len(terms), maxSet)
	}
	set := make([]string, 0, len(terms))
	for _, term := range terms {
		key, _, n := wordAndStemKeys(term)
		if n == 0 || n > MaxWords {
			return nil, fmt.Errorf("term %q has %d words, must have 1 to %d", strings.TrimSpace(term), n, MaxWords)
		}
		set = append(set, key)
	}
	return set, nil
}
