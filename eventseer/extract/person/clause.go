package person

import (
	"unicode"
	"unicode/utf8"
)

// A clause is a part of a block's text that ends at a colon, semicolon, bar, bullet or the end of a
// sentence. It has the role that it names itself and the role of the label before it. Roles are numbered by
// the caller, 0 for none.
type clause struct {
	to    int
	own   uint8
	label uint8 // role of the previous clause that ends with a colon; unknownRole if that clause names none
}

const (
	maxClauses  = 300 // clauses of a block that are searched for a role
	maxClause   = 160 // bytes of a clause that are searched for a role
	unknownRole = 15
)

// splitClauses splits a text. roleOf returns the role that a text names, or 0 for none.
func splitClauses(s string, roleOf func(string) uint8) []clause {
	var cs []clause
	from, label, lowers := 0, uint8(0), 0
	cut := func(at, next int, r rune) {
		c := clause{to: at, label: label}
		if at-from > 3 && len(cs) < maxClauses {
			end := min(at, from+maxClause)
			for end < at && !utf8.RuneStart(s[end]) {
				end--
			}
			c.own = roleOf(s[from:end])
		}
		cs = append(cs, c)
		switch r {
		case ':', '：':
			if label = c.own; label == 0 {
				label = unknownRole
			}
		case '.', '。', '\n':
			label = 0
		}
		from = next
	}
	for i, r := range s {
		switch r {
		case ':', '：', ';', '；', '|', '•', '●', '▪', '\n', '。':
			cut(i, i+utf8.RuneLen(r), r)
		case '.', '!', '?':
			if i+1 < len(s) && s[i+1] == ' ' && (lowers >= 3 && !EndsTitle(s[:i]) || EndsAfterShortWord(s, i)) {
				cut(i, i+1, '.')
			}
		}
		if r >= 'a' && r <= 'z' || r >= utf8.RuneSelf && isInWord(r) {
			lowers++
		} else {
			lowers = 0
		}
	}
	cut(len(s), len(s), 0)
	return cs
}

// EndsAfterShortWord reports whether the mark at s[i] ends a sentence after a year, a bracket or a short word in
// small letters. A capital must follow, as in "held in 2027. The chairs are".
func EndsAfterShortWord(s string, i int) bool {
	if i+2 >= len(s) || !startsCapital(s[i+2:]) || i == 0 {
		return false
	}
	if s[i-1] == ')' {
		return true
	}
	from := i
	for from > 0 && (s[from-1] >= 'a' && s[from-1] <= 'z' || s[from-1] >= '0' && s[from-1] <= '9') {
		from--
	}
	word := s[from:i]
	if word == "" || from > 0 && s[from-1] != ' ' {
		return false
	}
	if word[0] <= '9' {
		return len(word) == len("2027")
	}
	return !titles[word] && word != "al"
}

func startsCapital(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}

// EndsTitle reports whether s ends with a title such as "Prof", after which a full stop does not end a
// sentence: "Organizers: Prof".
func EndsTitle(s string) bool {
	from := len(s)
	for from > 0 && len(s)-from <= maxTitle {
		r, n := utf8.DecodeLastRuneInString(s[:from])
		if !isInWord(r) {
			break
		}
		from -= n
	}
	return titles[Fold(s[from:])]
}

// maxTitle is the maximum length of a title, in bytes.
const maxTitle = 12
