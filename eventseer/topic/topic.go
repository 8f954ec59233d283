// Package topic maps the topics printed in calls to the topics of a controlled vocabulary. Facets and
// searches then treat different spellings of a topic alike. The vocabulary is
// features/dictionary/topics.txt, read by package dictionary.
package topic

import (
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/eventseer/eventseer/features"
	"github.com/eventseer/eventseer/features/dictionary"
	"github.com/eventseer/eventseer/internal/text"
)

// MaxNames is the maximum number of topics found in one printed topic. MaxPrinted is the maximum number of
// printed topics read per event.
const (
	MaxNames   = 3
	MaxPrinted = 300
)

// Limits on what is read of one printed topic.
const (
	maxBytes  = 400 // bytes
	maxTokens = 60  // words
	maxWindow = 6   // maximum number of words in the name of a topic
)

// A topicTable finds topics of the vocabulary by the words of their names.
type topicTable struct {
	names         []string
	byKey         map[string]int // joined stems of a name → index of the topic; "cyber security" and "cybersecurity" have the same key
	byBag         map[string]int // sorted stems of a name of several words, joined by spaces → index of the topic
	matchesInText []bool         // by index of a topic: its one-word names are also found inside a longer text
}

// vocabulary returns the table, which is built at the first call. If two topics share a name, the first one
// gets it.
var vocabulary = sync.OnceValue(func() *topicTable {
	t := &topicTable{byKey: map[string]int{}, byBag: map[string]int{}}
	for n, topic := range dictionary.Topics() {
		t.names, t.matchesInText = append(t.names, topic.Names[0]), append(t.matchesInText, topic.Distinct)
		for _, name := range topic.Names {
			tokens := tokensOf(name)
			if key := keyOf(tokens); key != "" {
				if _, known := t.byKey[key]; !known {
					t.byKey[key] = n
				}
			}
			if bag := sortedStems(tokens); bag != "" {
				if _, known := t.byBag[bag]; !known {
					t.byBag[bag] = n
				}
			}
		}
	}
	return t
})

// Size returns the number of topics of the vocabulary.
func Size() int { return len(vocabulary().names) }

// Named returns the topic of the vocabulary that the whole text names. Case, number, spelling, word order
// and known abbreviations do not matter: "NLP" is "natural language processing". ok is false if the text
// names no topic or more than one.
func Named(printed string) (name string, ok bool) {
	segments := segmentsOf(printed)
	if len(segments) == 0 {
		return "", false
	}
	t, first := vocabulary(), -1
	if n, ok := t.topicOfWords(tokensOf(cutToMaxBytes(printed))); ok {
		return t.names[n], true
	}
	for _, s := range segments {
		n, ok := t.topicOfWords(s)
		if !ok || first >= 0 && n != first {
			return "", false
		}
		first = n
	}
	return t.names[first], true
}

// NamesIn returns the names of the topics in one printed topic. They are in the order printed, without
// duplicates, at most MaxNames. A name of several words, an abbreviation in capitals, or a word that the
// vocabulary marks as distinct counts anywhere in the text. Any other word counts only if it is all there
// is between commas, "and" and similar separators. If names overlap, the longest counts. Of has no side
// effects; it reads the first 400 bytes and takes time linear in their number.
func NamesIn(printed string) (names []string) {
	t := vocabulary()
	add := func(n int) {
		if len(names) < MaxNames && !slices.Contains(names, t.names[n]) {
			names = append(names, t.names[n])
		}
	}
	if n, ok := t.topicOfWords(tokensOf(cutToMaxBytes(printed))); ok { // "image and video processing"
		add(n)
		return names
	}
	for _, segment := range segmentsOf(printed) {
		if n, ok := t.topicOfWords(segment); ok {
			add(n)
			continue
		}
		for from := 0; from < len(segment); {
			n, size := t.longestTopic(segment[from:])
			if size == 0 {
				from++
				continue
			}
			add(n)
			from += size
		}
	}
	return names
}

// NamesInAll returns the names of the topics in the first MaxPrinted of a list of printed topics, in their order
// and without duplicates.
func NamesInAll(printed []string) (names []string) {
	for _, p := range printed[:min(len(printed), MaxPrinted)] {
		for _, name := range NamesIn(p) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}

// A token is a word of a printed topic.
type token struct {
	stem string
	// preposition means that the words before and after may be swapped: "mining of data".
	preposition bool
	joins       bool // "and" or another word of joining
	capitals    bool // printed like an abbreviation: "NLP", "IoT"
	filler      bool // adds no subject: "advanced", "techniques"
}

var (
	ignoredWords = text.WordSet("a an the its their our other and/or")
	prepositions = text.WordSet("of for in on from with")
	joining      = text.WordSet("and or as including via using by to versus vs through")
	fillerWords  = text.WordSet(`advanced advances emerging novel new recent modern innovative current future next issues aspects topics approaches
		approach techniques technique methods method methodologies applications application applied foundations trends challenges
		perspectives studies research tools general various related practical theoretical`)
)

// tokensOf returns the words of a text, at most maxTokens, without ignoredWords.
func tokensOf(s string) (tokens []token) {
	for w := range features.Words(s, "") {
		word := text.FoldForComparison(w.Text)
		switch {
		case len(tokens) >= maxTokens:
			return tokens
		case ignoredWords[word]:
		case joining[word]:
			tokens = append(tokens, token{joins: true})
		case prepositions[word]:
			tokens = append(tokens, token{stem: "", preposition: true})
		default:
			tokens = append(tokens, token{stem: singularOf(americanSpelling(word)), filler: fillerWords[word], capitals: isAbbreviation(s[w.Start:w.End])})
		}
	}
	return tokens
}

// isAbbreviation reports whether a word is printed like an abbreviation: with two or more capitals in at
// most maxAbbreviation bytes. Of the abbreviations with two letters only those of shortest count.
func isAbbreviation(word string) bool {
	capitals := 0
	for _, r := range word {
		if unicode.IsUpper(r) {
			capitals++
		}
	}
	return capitals >= 2 && len(word) <= maxAbbreviation && (len(word) > 2 || knownAbbreviations[word])
}

const maxAbbreviation = 5 // in bytes

// knownAbbreviations are the abbreviations of two letters that have only one meaning in calls.
var knownAbbreviations = map[string]bool{"AI": true, "ML": true, "VR": true, "XR": true, "UX": true}

// singularOf removes the plural ending of a word. Stemming would remove too much: "personalization" and
// "personality" have the same stem, as have "computer" and "computation".
func singularOf(w string) string {
	ends := func(suffixes ...string) bool {
		return slices.ContainsFunc(suffixes, func(s string) bool { return strings.HasSuffix(w, s) })
	}
	switch n := len(w); {
	case n > 4 && ends("ies"):
		return w[:n-3] + "y"
	case n > 4 && ends("sses", "xes", "ches", "shes"):
		return w[:n-2]
	case n > 3 && ends("s") && !ends("ss", "us", "is"):
		return w[:n-1]
	}
	return w
}

// cutToMaxBytes returns the first maxBytes bytes of a printed topic.
func cutToMaxBytes(s string) string {
	if len(s) > maxBytes {
		s = strings.ToValidUTF8(s[:maxBytes], "")
	}
	return s
}

// segmentsOf splits a printed topic at commas, brackets, "and" and similar separators, and returns the
// words of each part. Parts with only fillers are left out.
func segmentsOf(printed string) (segments [][]token) {
	for part := range strings.FieldsFuncSeq(cutToMaxBytes(printed), func(r rune) bool { return strings.ContainsRune(`,;:()[]{}/|&•·"“”!?`, r) }) {
		var segment []token
		end := func() {
			if len(trimFillers(segment)) > 0 {
				segments = append(segments, segment)
			}
			segment = nil
		}
		for _, t := range tokensOf(part) {
			if t.joins {
				end()
				continue
			}
			segment = append(segment, t)
		}
		end()
	}
	return segments
}

// trimFillers returns the words without the fillers and prepositions at both ends. A filler that is the
// only word is kept.
func trimFillers(all []token) []token {
	isIdle := func(t token) bool { return t.filler || t.preposition || t.joins }
	rest := all
	for len(rest) > 0 && isIdle(rest[0]) {
		rest = rest[1:]
	}
	for len(rest) > 0 && isIdle(rest[len(rest)-1]) {
		rest = rest[:len(rest)-1]
	}
	if len(rest) == 0 && len(all) == 1 && all[0].filler {
		return all
	}
	return rest
}

// topicOfWords returns the index of the topic that all words together name.
func (t *topicTable) topicOfWords(words []token) (n int, ok bool) {
	if len(words) == 0 || len(words) > maxWindow {
		return 0, false
	}
	if n, ok = t.byKey[keyOf(words)]; ok {
		return n, true
	}
	if trimmed := trimFillers(words); len(trimmed) < len(words) {
		return t.topicOfWords(trimmed)
	}
	return t.topicOfReordered(words)
}

// topicOfReordered returns the index of the topic whose name has the same words in another order, such as "data
// mining" for "mining of data".
func (t *topicTable) topicOfReordered(words []token) (n int, ok bool) {
	if len(words) < 3 {
		return 0, false
	}
	turned := slices.ContainsFunc(words, func(w token) bool { return w.preposition })
	if !turned || words[0].preposition || words[len(words)-1].preposition {
		return 0, false
	}
	n, ok = t.byBag[sortedStems(words)]
	return n, ok
}

// longestTopic returns the index of the topic with the longest name at the beginning of words, and the
// number of its words. Names that are not allowed inside a longer text are ignored. size is 0 if no name
// matches.
func (t *topicTable) longestTopic(words []token) (n, size int) {
	for size = min(len(words), maxWindow); size >= 1; size-- {
		if words[0].preposition || words[size-1].preposition {
			continue
		}
		if n, ok := t.topicOfWords(words[:size]); ok && (size > 1 || t.matchesInText[n] || words[0].capitals) {
			return n, size
		}
	}
	return 0, 0
}

// keyOf joins the stems of words. A word such as "and" is part of the key as "&"; prepositions are left
// out.
func keyOf(words []token) string {
	var b strings.Builder
	for _, w := range words {
		if w.joins {
			b.WriteByte('&')
		}
		b.WriteString(w.stem)
	}
	return b.String()
}

// sortedStems returns the stems of words in alphabetical order. It returns "" for fewer than two stems and for
// words joined by "and".
func sortedStems(words []token) string {
	var stems []string
	for _, w := range words {
		if w.joins {
			return ""
		}
		if w.stem != "" {
			stems = append(stems, w.stem)
		}
	}
	if len(stems) < 2 {
		return ""
	}
	slices.Sort(stems)
	return strings.Join(stems, " ")
}

// americanSpelling replaces the endings of British spelling by American ones. It needs no dictionary: a word that
// is spelt alike everywhere is changed too, but in the same way in all texts.
func americanSpelling(word string) string {
	for _, change := range spellings {
		if rest, ok := strings.CutSuffix(word, change[0]); ok && len(rest) >= 3 {
			return rest + change[1]
		}
	}
	return strings.NewReplacer("behaviour", "behavior", "colour", "color", "paedia", "pedia", "haemat", "hemat", "labour", "labor").Replace(word)
}

// spellings are pairs of a British ending and its American form, longer endings first.
var spellings = [][2]string{
	{"isations", "izations"}, {"isation", "ization"}, {"elling", "eling"}, {"elled", "eled"}, {"ysing", "yzing"}, {"ising", "izing"},
	{"ised", "ized"}, {"iser", "izer"}, {"ises", "izes"}, {"ise", "ize"}, {"yse", "yze"}, {"centre", "center"}, {"centres", "centers"},
	{"defence", "defense"}, {"programme", "program"}, {"programmes", "programs"}, {"catalogue", "catalog"}, {"ageing", "aging"},
}
