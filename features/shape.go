package features

import (
	"bytes"
	"strings"

	"github.com/eventseer/eventseer/internal/text"
)

var shapeNames = [...]string{
	"event_names", "event_blocks", "event_share", "names", "name_share", "time_blocks", "time_share", "quoted_blocks",
}

// A shapeCounts counts patterns of capitalization: events such as "ICX 2027", names of people, times of
// day.
type shapeCounts struct {
	events                         map[string]bool // without their years
	eventBlocks, names, nameBlocks int
	timeBlocks, quotedBlocks       int
	buf                            []byte
}

// maxEvents is the maximum number of different event names that are counted.
const maxEvents = 1000

// addBlock counts a block's shapes in one pass over its words.
func (c *shapeCounts) addBlock(s string) {
	b := blockShapes{counts: c}
	if text.IsASCII(s) {
		b.readASCII(s)
	} else {
		for word := range strings.FieldsSeq(s) {
			b.word(word)
		}
	}
	if b.event {
		c.eventBlocks++
	}
	if b.time {
		c.timeBlocks++
	}
	if c.names += b.names; b.names > 0 {
		c.nameBlocks++
	}
	if strings.HasPrefix(s, ">") {
		c.quotedBlocks++
	}
}

// A blockShapes reads the words of one block.
type blockShapes struct {
	counts      *shapeCounts
	event, time bool
	names       int
	last        string // the word before, unless it ends a name
	inName      bool   // last is part of a name
}

// readASCII reads the words of an ASCII text.
func (b *blockShapes) readASCII(s string) {
	start := 0 // of the word
	for i := range len(s) {
		if c := s[i]; c == ' ' || c-'\t' <= '\r'-'\t' {
			if start < i {
				b.word(s[start:i])
			}
			start = i + 1
		}
	}
	if start < len(s) {
		b.word(s[start:])
	}
}

// word reads the next word, which is not empty.
func (b *blockShapes) word(word string) {
	if word[0] >= 'a' && isASCIILetter(word[len(word)-1]) { // most words are neither
		b.last, b.inName = word, false
		return
	}
	inName := isNamePart(word)
	switch {
	case isTime(word):
		b.time = true
	case endsInYear(word) && b.counts.addEvent(b.last, word):
		b.event = true
	case b.inName && inName:
		b.names++
		word, inName = "", false // so that "Ann Bee Cee" counts as one name
	}
	b.last, b.inName = word, inName
}

// addEvent records an event if a word that ends in a year is the name of one, alone or with the previous
// word.
func (c *shapeCounts) addEvent(last, word string) bool {
	name := strings.TrimRight(word, "0123456789'’-):,.;")
	if name == "" || name == "(" {
		name = strings.TrimLeft(last, "(")
	}
	if !isAcronym(name) {
		return false
	}
	c.buf = append(c.buf[:0], name...)
	if key := bytes.ToLower(c.buf); len(c.events) < maxEvents && !c.events[string(key)] {
		if c.events == nil {
			c.events = make(map[string]bool)
		}
		c.events[string(key)] = true
	}
	return true
}

// isAcronym reports whether a word begins with a capital letter and has another one.
func isAcronym(s string) bool {
	if s == "" || s[0] < 'A' || s[0] > 'Z' || len(s) > maxWord {
		return false
	}
	for i := 1; i < len(s); i++ {
		if s[i] >= 'A' && s[i] <= 'Z' {
			return true
		}
	}
	return false
}

// endsInYear reports whether a word ends in a year such as 2027 or '27.
func endsInYear(s string) bool {
	if last := s[len(s)-1]; isASCIILetter(last) {
		return false // as most words
	}
	s = strings.TrimRight(s, "):,.;")
	n := len(s)
	for n > 0 && s[n-1] >= '0' && s[n-1] <= '9' {
		n--
	}
	digits := s[n:]
	if len(digits) == 4 {
		return isYear(valueOf(digits))
	}
	return len(digits) == 2 && n > 0 && (s[n-1] == '\'' || strings.HasSuffix(s[:n], "’") || isAcronym(s[:n]))
}

// isNamePart reports whether a word is a capital and small letters, or an
// initial, as parts of names are.
func isNamePart(s string) bool {
	if s == "" || s[0] < 'A' || s[0] > 'Z' {
		return false
	}
	s = strings.TrimRight(s, ",;")
	if len(s) == 2 && s[1] == '.' {
		return true
	}
	for i := 1; i < len(s); i++ {
		if c := s[i]; (c < 'a' || c > 'z') && c < 0x80 && c != '-' {
			return false
		}
	}
	return len(s) > 1
}

// isTime reports whether a word is a time of day such as 9:30 or 14:00-15:00.
func isTime(s string) bool {
	if s[0] < '0' || s[0] > '9' {
		return false
	}
	i := strings.IndexByte(s, ':')
	return (i == 1 || i == 2) && len(s) >= i+3 && isDigits(s[:i]) && isDigits(s[i+1:i+3])
}

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

func (c *shapeCounts) featureValues(blocks int) []float64 {
	return []float64{
		scaledCount(len(c.events), 50), scaledCount(c.eventBlocks, 50), fraction(c.eventBlocks, blocks),
		scaledCount(c.names, 100), fraction(c.nameBlocks, blocks), scaledCount(c.timeBlocks, 50), fraction(c.timeBlocks, blocks),
		scaledCount(c.quotedBlocks, 50),
	}
}
