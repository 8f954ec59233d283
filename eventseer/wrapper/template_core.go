package wrapper

import (
	"strings"

	"eventseer/eventseer"
)

// maxAffix bounds the words at the beginning and end of a text that are looked at.
const maxAffix = 12

// A core is a text without the words with which all texts of a place begin and end:
// "Room 5" of "Where: Room 5".
type core struct {
	Prefix []string `json:"prefix,omitempty"`
	Suffix []string `json:"suffix,omitempty"`
}

// keptWords are the words of a text without how to reach people.
func keptWords(text string) []string { return strings.Fields(eventseer.Redact(text)) }

func newCore(text string) *core {
	words := keptWords(text)
	return &core{Prefix: words[:min(len(words), maxAffix)], Suffix: words[max(0, len(words)-maxAffix):]}
}

// narrow keeps what of the beginning and end a different text has too.
func (c *core) narrow(text string) {
	words := keptWords(text)
	n := 0
	for n < len(c.Prefix) && n < len(words) && c.Prefix[n] == words[n] {
		n++
	}
	c.Prefix = c.Prefix[:n]
	s := 0
	for s < len(c.Suffix) && s < len(words)-n && c.Suffix[len(c.Suffix)-1-s] == words[len(words)-1-s] {
		s++
	}
	c.Suffix = c.Suffix[len(c.Suffix)-s:]
}

// of returns the core of a text, "" if the place has none or the text is all constant.
func (c *core) of(text string) string {
	if c == nil || len(c.Prefix)+len(c.Suffix) == 0 {
		return ""
	}
	words := keptWords(text)
	from, to := len(c.Prefix), len(words)-len(c.Suffix)
	if from >= to || strings.Join(words[:from], " ") != strings.Join(c.Prefix, " ") ||
		strings.Join(words[to:], " ") != strings.Join(c.Suffix, " ") {
		return ""
	}
	return strings.Join(words[from:to], " ")
}
