// Package topic finds the topics of a controlled vocabulary in printed topics of calls. Facets and
// searches then unite what is printed in many ways. The vocabulary is that of package dictionary,
// features/dictionary/topics.txt.
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

// MaxNames bounds the topics found in one printed topic, MaxPrinted the printed ones read of an event.
const (
	MaxNames   = 3
	MaxPrinted = 300
)

// Bounds on what is read.
const (
	maxBytes  = 400 // of a printed topic
	maxTokens = 60  // words of it
	maxWindow = 6   // words that one topic may be printed in
)

// A table finds topics by the words of their names.
type table struct {
	names  []string
	byKey  map[string]int // the stems of a name, joined: "cyber security" is "cybersecurity"
	byBag  map[string]int // the stems of a name of several words, sorted and separated by blanks
	inside []bool         // of each topic: a name of one word may stand inside of a longer text
}

// vocabulary is read once. A name that two topics share is the first one's.
var vocabulary = sync.OnceValue(func() *table {
	t := &table{byKey: map[string]int{}, byBag: map[string]int{}}
	for n, topic := range dictionary.Topics() {
		t.names, t.inside = append(t.names, topic.Names[0]), append(t.inside, topic.Distinct)
		for _, name := range topic.Names {
			tokens := tokensOf(name)
			if key := keyOf(tokens); key != "" {
				if _, known := t.byKey[key]; !known {
					t.byKey[key] = n
				}
			}
			if bag := bagOf(tokens); bag != "" {
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

// Named returns the topic that a text names as a whole. Case, number, spelling, order of words and
// abbreviations of the vocabulary do not matter: "NLP" is "natural language processing". ok is
// false for a text that names none or more than one.
func Named(printed string) (name string, ok bool) {
	segments := segmentsOf(printed)
	if len(segments) == 0 {
		return "", false
	}
	t, first := vocabulary(), -1
	if n, ok := t.whole(tokensOf(cut(printed))); ok {
		return t.names[n], true
	}
	for _, s := range segments {
		n, ok := t.whole(s)
		if !ok || first >= 0 && n != first {
			return "", false
		}
		first = n
	}
	return t.names[first], true
}

// Of returns the names of the topics in one printed topic, in the order printed, each once, at most MaxNames. A name of
// several words may stand anywhere in it, and so may an abbreviation in capitals and a word that the vocabulary has for
// distinct; another word only where nothing else is said between commas, "and" and the like. Of overlapping names the
// longest counts. It is pure, and takes time that grows with the length of the text, of which no more than 400 bytes are
// read.
func Of(printed string) (names []string) {
	t := vocabulary()
	add := func(n int) {
		if len(names) < MaxNames && !slices.Contains(names, t.names[n]) {
			names = append(names, t.names[n])
		}
	}
	if n, ok := t.whole(tokensOf(cut(printed))); ok { // "image and video processing"
		add(n)
		return names
	}
	for _, segment := range segmentsOf(printed) {
		if n, ok := t.whole(segment); ok {
			add(n)
			continue
		}
		for from := 0; from < len(segment); {
			n, size := t.longest(segment[from:])
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

// OfAll returns the names of the topics of the first MaxPrinted of a list of printed ones, in their
// order, each once.
func OfAll(printed []string) (names []string) {
	for _, p := range printed[:min(len(printed), MaxPrinted)] {
		for _, name := range Of(p) {
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
	// preposition means that the words before and after it may change places: "mining of data".
	preposition bool
	joins       bool // "and" or the like
	capitals    bool // printed as abbreviations are: "NLP", "IoT"
	filler      bool // says nothing of the subject: "advanced", "techniques"
}

var (
	small        = text.WordSet("a an the its their our other and/or")
	prepositions = text.WordSet("of for in on from with")
	joining      = text.WordSet("and or as including via using by to versus vs through")
	fillers      = text.WordSet(`advanced advances emerging novel new recent modern innovative current future next issues aspects topics approaches
		approach techniques technique methods method methodologies applications application applied foundations trends challenges
		perspectives studies research tools general various related practical theoretical`)
)

// tokensOf returns the words of a text without small ones.
func tokensOf(s string) (tokens []token) {
	for w := range features.Words(s, "") {
		word := text.Fold(w.Text)
		switch {
		case len(tokens) >= maxTokens:
			return tokens
		case small[word]:
		case joining[word]:
			tokens = append(tokens, token{joins: true})
		case prepositions[word]:
			tokens = append(tokens, token{stem: "", preposition: true})
		default:
			tokens = append(tokens, token{stem: singular(american(word)), filler: fillers[word], capitals: isAbbreviation(s[w.Start:w.End])})
		}
	}
	return tokens
}

// isAbbreviation reports whether a word is printed as abbreviations are: short, with two capitals
// or more, of two letters one of a few known ones.
func isAbbreviation(word string) bool {
	capitals := 0
	for _, r := range word {
		if unicode.IsUpper(r) {
			capitals++
		}
	}
	return capitals >= 2 && len(word) <= maxAbbreviation && (len(word) > 2 || shortest[word])
}

const maxAbbreviation = 5 // bytes

// shortest are abbreviations of two letters that mean one thing in calls.
var shortest = map[string]bool{"AI": true, "ML": true, "VR": true, "XR": true, "UX": true}

// singular takes the ending of the plural off a word. Stems would do too much: those of
// "personalization" and "personality" are the same, as are those of "computer" and "computation".
func singular(w string) string {
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

// cut bounds a printed topic.
func cut(s string) string {
	if len(s) > maxBytes {
		s = strings.ToValidUTF8(s[:maxBytes], "")
	}
	return s
}

// segmentsOf returns the words of the parts of a printed topic that commas, brackets, "and" and
// the like separate.
func segmentsOf(printed string) (segments [][]token) {
	for part := range strings.FieldsFuncSeq(cut(printed), func(r rune) bool { return strings.ContainsRune(`,;:()[]{}/|&•·"“”!?`, r) }) {
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

// trimFillers leaves out fillers and prepositions at both ends, unless nothing else is there.
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

// whole returns the topic that words name together.
func (t *table) whole(words []token) (n int, ok bool) {
	if len(words) == 0 || len(words) > maxWindow {
		return 0, false
	}
	if n, ok = t.byKey[keyOf(words)]; ok {
		return n, true
	}
	if trimmed := trimFillers(words); len(trimmed) < len(words) {
		return t.whole(trimmed)
	}
	return t.reordered(words)
}

// reordered returns the topic whose name has the words in another order, as "mining of data" has.
func (t *table) reordered(words []token) (n int, ok bool) {
	if len(words) < 3 {
		return 0, false
	}
	turned := slices.ContainsFunc(words, func(w token) bool { return w.preposition })
	if !turned || words[0].preposition || words[len(words)-1].preposition {
		return 0, false
	}
	n, ok = t.byBag[bagOf(words)]
	return n, ok
}

// longest returns the topic that the longest beginning of words names, and its length, 0 if none
// does that may stand inside of a text.
func (t *table) longest(words []token) (n, size int) {
	for size = min(len(words), maxWindow); size >= 1; size-- {
		if words[0].preposition || words[size-1].preposition {
			continue
		}
		if n, ok := t.whole(words[:size]); ok && (size > 1 || t.inside[n] || words[0].capitals) {
			return n, size
		}
	}
	return 0, 0
}

// keyOf joins the stems of words; "and" counts, prepositions do not.
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

// bagOf returns the stems of two words or more in the order of the alphabet; "" of fewer, and of
// words joined by "and".
func bagOf(words []token) string {
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

// american spells endings of British words as Americans do. It needs no dictionary: what it does to
// words that are spelt alike everywhere, it does to all of their forms.
func american(word string) string {
	for _, change := range spellings {
		if rest, ok := strings.CutSuffix(word, change[0]); ok && len(rest) >= 3 {
			return rest + change[1]
		}
	}
	return strings.NewReplacer("behaviour", "behavior", "colour", "color", "paedia", "pedia", "haemat", "hemat", "labour", "labor").Replace(word)
}

// spellings are British endings with their American ones, longer ones first.
var spellings = [][2]string{
	{"isations", "izations"}, {"isation", "ization"}, {"elling", "eling"}, {"elled", "eled"}, {"ysing", "yzing"}, {"ising", "izing"},
	{"ised", "ized"}, {"iser", "izer"}, {"ises", "izes"}, {"ise", "ize"}, {"yse", "yze"}, {"centre", "center"}, {"centres", "centers"},
	{"defence", "defense"}, {"programme", "program"}, {"programmes", "programs"}, {"catalogue", "catalog"}, {"ageing", "aging"},
}
