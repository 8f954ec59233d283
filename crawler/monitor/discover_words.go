package monitor

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/webgraph"
)

// Words are what the words of links that were followed were worth. An implementation is
// safe for concurrent use.
type Words interface {
	// Tally returns how many links that have a word gave records, and how many gave none;
	// of all links for "".
	Tally(word string) Tally
}

// A Tally counts links that were followed.
type Tally struct {
	Gave int `json:"gave,omitempty"`
	Vain int `json:"vain,omitempty"`
}

// Tallies are Words in memory. They are not safe for concurrent use while they learn.
type Tallies map[string]Tally

// Tally implements Words.
func (t Tallies) Tally(word string) Tally { return t[word] }

// Learn counts a link that was followed.
func (t Tallies) Learn(text string, gave bool) {
	for _, word := range append(wordsOf(text), "") {
		t[word] = t[word].with(gave)
	}
}

func (t Tally) with(gave bool) Tally {
	if gave {
		t.Gave++
	} else {
		t.Vain++
	}
	return t
}

// Bounds of the words of one link.
const (
	maxWords    = 32
	maxWord     = 40 // bytes
	minKeyword  = 2  // records that a keyword was seen with at least
	keywordLift = 2  // how much likelier a keyword is before a record
)

// wordsOf returns the different words of a text, at most maxWords, in order: runs of
// letters in lower case, without those of one letter. Numbers differ from year to year
// and are none.
func wordsOf(text string) (words []string) {
	for word := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		if len(word) < 2 || len(word) > maxWord || slices.Contains(words, word) {
			continue
		}
		if words = append(words, word); len(words) == maxWords {
			break
		}
	}
	return words
}

// linkText returns the text of a link: its anchor, or its context if the anchor has no words.
func linkText(l webgraph.Link) string {
	if len(wordsOf(l.Anchor)) > 0 {
		return l.Anchor
	}
	return l.Context
}

// keywords returns the words of a link that are learned from links that gave records:
// those that are seen with records oftener than without.
func keywords(known Words, l webgraph.Link) (keys []string) {
	if known == nil {
		return nil
	}
	all := known.Tally("")
	for _, word := range wordsOf(linkText(l)) {
		t := known.Tally(word)
		if t.Gave >= minKeyword && lift(t, all) >= keywordLift {
			keys = append(keys, word)
		}
	}
	return keys
}

// lift returns how many times likelier a word is on links that gave records than on those that did
// not.
func lift(word, all Tally) float64 {
	return (float64(word.Gave) + 0.5) / (float64(all.Gave) + 1) * (float64(all.Vain) + 1) / (float64(word.Vain) + 0.5)
}

// maxLift bounds what all words of a link together say.
const maxLift = 20

// wordLift returns the combined lift of the words of a link, and the word with the largest one.
// Words of one link are far from independent: their geometric mean counts.
func wordLift(known Words, l webgraph.Link) (all float64, most string) {
	if known == nil {
		return 1, ""
	}
	words := wordsOf(linkText(l))
	total := known.Tally("")
	sum, n, best := 0.0, 0, 0.0
	for _, word := range words {
		t := known.Tally(word)
		if t.Gave+t.Vain < minKeyword {
			continue
		}
		s := math.Log(lift(t, total))
		sum, n = sum+s, n+1
		if cmp.Compare(math.Abs(s), best) > 0 {
			best, most = math.Abs(s), word
		}
	}
	if n == 0 {
		return 1, ""
	}
	return min(max(math.Exp(sum/float64(n)), 1.0/maxLift), maxLift), most
}
