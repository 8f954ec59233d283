package monitor

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/webgraph"
)

// Words provides statistics on the words of followed links. Implementations are safe for concurrent
// use.
type Words interface {
	// Tally returns how many links with a word had records, and how many had none; for all links
	// with "".
	Tally(word string) Tally
}

// A Tally counts links that were followed.
type Tally struct {
	Gave int `json:"gave,omitempty"`
	Vain int `json:"vain,omitempty"`
}

// Tallies are Words in memory. They are not safe for concurrent use during learning.
type Tallies map[string]Tally

// Tally implements Words.
func (t Tallies) Tally(word string) Tally { return t[word] }

// CountFollowed counts a link that was followed.
func (t Tallies) CountFollowed(text string, gave bool) {
	for _, word := range append(wordsOf(text), "") {
		t[word] = t[word].withResult(gave)
	}
}

func (t Tally) withResult(gave bool) Tally {
	if gave {
		t.Gave++
	} else {
		t.Vain++
	}
	return t
}

// Bounds on the number and the length of the words of one link.
const (
	maxWords    = 32
	maxWord     = 40 // bytes
	minKeyword  = 2  // minimum number of records with a keyword
	keywordLift = 2  // minimum ratio of a keyword's frequency with records
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

// distinctiveWords returns the words of a link that are more frequent with records than without.
func distinctiveWords(known Words, l webgraph.Link) (keys []string) {
	if known == nil {
		return nil
	}
	all := known.Tally("")
	for _, word := range wordsOf(linkText(l)) {
		t := known.Tally(word)
		if t.Gave >= minKeyword && wordLiftOf(t, all) >= keywordLift {
			keys = append(keys, word)
		}
	}
	return keys
}

// wordLiftOf returns how many times likelier a word is on links that gave records than on those that did
// not.
func wordLiftOf(word, all Tally) float64 {
	return (float64(word.Gave) + 0.5) / (float64(all.Gave) + 1) * (float64(all.Vain) + 1) / (float64(word.Vain) + 0.5)
}

// maxLift bounds the combined effect of all words of a link.
const maxLift = 20

// wordLift returns the combined lift of the words of a link, and the word with the largest one.
// Words of one link are not independent, so their geometric mean is used.
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
		s := math.Log(wordLiftOf(t, total))
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
