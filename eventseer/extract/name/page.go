// Package name finds what an event is called on a page, in full and by its
// acronym. Candidates are cut from titles, headings, lines and running text by
// marks, capitals, dates and brackets alone, in any language; rankers that were
// learned from pages with known names choose among them. It holds no list of
// words.
package name

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer/block"
	"github.com/eventseer/eventseer/features/tagtree"
)

// A Page is what names are looked for in.
type Page struct {
	URL string
	// Title is the title element.
	Title  string
	Blocks []tagtree.Block
	// Menu says which blocks are of navigation; Head is the index of the heading
	// above each block, -1 for none. Both are as long as Blocks.
	Menu []bool
	Head []int
	// Dates returns the dates of a block that cannot be part of a name, as half-open ranges of its
	// bytes. Block -1 is the title element.
	Dates func(block int) [][2]int
	// Hints are names that the page gives without showing them as text.
	Hints []tagtree.Hint
	// Roles are what each block is for, nil if that is unknown.
	Roles []block.Scores
	// Targets are the addresses that the page links to.
	Targets []string
	// Hosts are where the page binds the name of an event or a journal to what is called for
	// as the larger of the two.
	Hosts []Host
	// Part reports whether a name is that of a part of something larger: a workshop, a
	// special issue. It is asked on pages with hosts only; nil says no.
	Part func(name string) bool
	// Generic reports whether a text has only words of every call, and so is not a name; nil
	// reports false.
	Generic func(name string) bool
	// Guess returns names that rules believe in where key is the acronym, the one they
	// choose first; nil for no rules.
	Guess func(key string) []Guess
}

// A HostWay is how a text binds a host to what is called for.
type HostWay uint8

const (
	HeldWith   HostWay = iota // after "in conjunction with", "as part of"
	HeldAt                    // in a line after "@", "workshop at"
	BeforePart                // in a line before "Workshop", "special session"
	IssueOf                   // the journal of a special issue
	Beside                    // in the line above or below "special session"
	hostWays
)

// A Host is a place that names the event or the journal which another is a part of, or is
// held with.
type Host struct {
	Text     string
	Block    int // -1 for the title element
	From, To int // bytes of the block or the title element
	Way      HostWay
}

// A Guess is a name with the share of belief that it has.
type Guess struct {
	Text   string
	Belief float64
	// Block is the first of the blocks that print it, Last the last; -1 if none does.
	Block, Last int
}

// clip cuts s to at most n bytes at the border of a rune.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n]
}

// letters returns the letters and digits of s in lower case.
func letters(s string) string {
	if low, ok := asciiLetters(s); ok {
		return low
	}
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsNumber(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// asciiLetters is letters of a text in ASCII; ok is false for another.
func asciiLetters(s string) (low string, ok bool) {
	kept := 0 // bytes at the front that stay as they are
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
