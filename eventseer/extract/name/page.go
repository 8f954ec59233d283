// Package name finds the name and the acronym of the event on a page. Separators, capitals, dates and
// brackets delimit candidates in titles, headings, lines and running text, in any language. Rankers learned
// from pages with known names choose among them. There is no list of words.
package name

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer/block"
	"github.com/eventseer/eventseer/features/tagtree"
)

// A Page is the input of a Reader.
type Page struct {
	URL string
	// Title is the text of the title element.
	Title  string
	Blocks []tagtree.Block
	// Menu reports for each block whether it is navigation. Head is the index of the heading above each
	// block, or -1. Both have the length of Blocks.
	Menu []bool
	Head []int
	// Dates returns the dates of a block that cannot be part of a name, as half-open ranges of bytes. Block
	// -1 is the title element. nil means no dates.
	Dates func(block int) [][2]int
	// Hints are names in the page's metadata and alternative texts, which are not visible.
	Hints []tagtree.Hint
	// Roles are the probabilities of the role of each block; nil if they are unknown.
	Roles []block.Scores
	// Targets are the addresses of the page's links.
	Targets []string
	// Hosts are the events and journals which, according to the page, the event called for is a part of or
	// held with.
	Hosts []Host
	// Part reports whether a name is that of a part of an event or journal: a workshop, a special issue. It
	// is called only for pages with hosts; nil means no name is.
	Part func(name string) bool
	// Generic reports whether a text consists of words that occur in every call and is therefore not a
	// name. nil means that no text is.
	Generic func(name string) bool
	// Guess returns names that rules suggest if key is the acronym, the best one first. nil means that
	// there are no rules.
	Guess func(key string) []Guess
}

// A HostWording is the wording by which a text relates a host to the event called for.
type HostWording uint8

const (
	HeldWith       HostWording = iota // after words such as "in conjunction with", "as part of"
	HeldAt                            // after "@" or "workshop at" in a line
	BeforePart                        // before "Workshop" or "special session" in a line
	IssueOf                           // the journal of a special issue
	InAdjacentLine                    // in the line above or below "special session"
	numWordings
)

// A Host is an occurrence of the name of an event or journal which the event called for is a part of or
// held with.
type Host struct {
	Text     string
	Block    int // index of the block; -1 for the title element
	From, To int // bytes [From, To) of the block or the title element
	Wording  HostWording
}

// A Guess is a name suggested by rules, with the belief in it from 0 to 1.
type Guess struct {
	Text   string
	Belief float64
	// Block is the first and Last the last block that prints it; -1 if none does.
	Block, Last int
}

// cutToBytes returns at most the first n bytes of s, without splitting a rune.
func cutToBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// lettersAndDigits returns the letters and digits of s in lower case.
func lettersAndDigits(s string) string {
	if low, ok := asciiLettersAndDigits(s); ok {
		return low
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// sizeOfLettersAndDigits returns the length of lettersAndDigits(s) in bytes.
func sizeOfLettersAndDigits(s string) int {
	n := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			return len(lettersAndDigits(s))
		case c|0x20 >= 'a' && c|0x20 <= 'z' || isDigit(c):
			n++
		}
	}
	return n
}

// appendLettersAndDigits appends lettersAndDigits(s) to b.
func appendLettersAndDigits(b []byte, s string) []byte {
	before := len(b)
	for i := range len(s) {
		switch c := s[i]; {
		case c >= utf8.RuneSelf:
			return append(b[:before], lettersAndDigits(s)...)
		case c >= 'A' && c <= 'Z':
			b = append(b, c|0x20)
		case c >= 'a' && c <= 'z' || isDigit(c):
			b = append(b, c)
		}
	}
	return b
}

// asciiLettersAndDigits is letters for a text in ASCII. ok is false for any other text.
func asciiLettersAndDigits(s string) (low string, ok bool) {
	kept := 0 // bytes at the start that do not change
	for kept < len(s) && (s[kept] >= 'a' && s[kept] <= 'z' || isDigit(s[kept])) {
		kept++
	}
	if kept == len(s) {
		return s, true
	}
	for i := kept; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return "", false
		}
	}
	b := make([]byte, kept, len(s))
	copy(b, s)
	for i := kept; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 'A' && c <= 'Z':
			b = append(b, c|0x20)
		case c >= 'a' && c <= 'z' || isDigit(c):
			b = append(b, c)
		}
	}
	return string(b), true
}
