package features

import (
	"bytes"
	"math/bits"
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
	plain := "" // the word before if b has not read it, because it has no shape
	start := 0  // of the word
	for i := nextControl(s, 0); ; i = nextControl(s, i+1) {
		if i < len(s) && s[i] != ' ' && (s[i] < '\t' || s[i] > '\r') {
			continue // a control character within a word
		}
		switch word := s[start:i]; {
		case word == "":
		case isPlain(word):
			plain = word
		default:
			if plain != "" {
				b.last, b.inName, plain = plain, false, ""
			}
			b.word(word)
		}
		if start = i + 1; start > len(s) {
			return
		}
	}
}

// isPlain reports whether a word can have no shape, as most words.
func isPlain(word string) bool { return word[0] >= 'a' && isASCIILetter(word[len(word)-1]) }

// nextControl returns the index of the next space or control character of an ASCII text, from i on, or its
// length. It tests eight bytes at a time: of those below 33, subtraction makes the first one at least 128.
func nextControl(s string, i int) int {
	const each = 0x0101010101010101
	for ; i+8 <= len(s); i += 8 {
		if low := (firstBytes(s[i:]) - (' '+1)*each) & (0x80 * each); low != 0 {
			return i + bits.TrailingZeros64(low)/8
		}
	}
	for i < len(s) && s[i] > ' ' {
		i++
	}
	return i
}

// word reads the next word, which is not empty.
func (b *blockShapes) word(word string) {
	if isPlain(word) {
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
	n := len(s)
	for n > 0 && (s[n-1] == ')' || s[n-1] == ':' || s[n-1] == ',' || s[n-1] == '.' || s[n-1] == ';') {
		n--
	}
	s = s[:n]
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
	for s[len(s)-1] == ',' || s[len(s)-1] == ';' { // the first byte is neither
		s = s[:len(s)-1]
	}
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
