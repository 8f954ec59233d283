package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer/extract/person"
)

// maxName is the maximum length of a name, in bytes.
const maxName = 60

// titles is the expression of titles before a name.
const titles = `(?i:(?:prof|professora?|professor emerit\w+|dra?|drs|mr|mrs|ms|mme|doctor|assoc|associate|assist|assistant|asst|adj|adjunct|ing|habil|sir|dame|dipl|mtr[oa]|lic|academician|emerit(?:us|a))(?:\.[\s-]*|\s+|-+)|(?:jun|em|eng|rer|nat|phil|hon|rev|doc|mgr|univ|inf|pd|priv|ph|acad|med)\.[\s-]*)|د\.\s*`

var (
	honorific    = compilePattern(`^(?:` + titles + `)+`)
	honorificEnd = compilePattern(`[\s,]+(?:` + titles + `)+$`)
	announced    = compilePattern(`(?i)\b(tb[acd]|t\.b\.[acd]|to be (announced|confirmed|determined|defined|decided)|coming soon|soon|vacant|n\.?n\.?)\b`)
	postnominal  = compilePattern(`^(?:,?\s*(?:Ph\.?\s?D\.?|M\.?\s?Phil\.?|M\.?\s?Sc\.?|B\.?\s?Sc\.?|MBA|M\.?D\.?|FIEEE|FACM|Jr\.?|Sr\.?|III?|Esq\.?|CEng|P\.?E\.)(?:[,\s]|$))+`)
)

// endsSentence reports whether the full stop at s[i] ends a sentence. It does after a word with three small
// letters at its end that is not a title such as "Prof.".
func endsSentence(s string, i int) bool {
	if i+1 < len(s) && s[i+1] != ' ' {
		return false
	}
	n := 0
	for j := i; j > 0; {
		r, size := utf8.DecodeLastRuneInString(s[:j])
		if !unicode.IsLower(r) {
			break
		}
		j -= size
		n++
	}
	return n >= 3 && !person.EndsTitle(s[:i])
}

// affiliationIn reads the text after a name. It returns the affiliation, a role such as "(chair)", and
// whether the affiliation was in brackets.
func affiliationIn(s string) (affiliation, role string, closed bool) {
	s = strings.TrimSpace(cutToBytes(s, maxPersonBlock))
	if strings.HasPrefix(s, "(") || strings.HasPrefix(s, "（") || strings.HasPrefix(s, "[") {
		end := closingBracket(s)
		inner := strings.TrimSpace(strings.Trim(s[:end], "()（）[]"))
		after := strings.TrimSpace(strings.TrimLeft(s[end:], ")）] "))
		if r := inlineRole(inner); r != "" {
			affiliation, _, closed = affiliationIn(after)
			return affiliation, r, closed
		}
		if strings.HasPrefix(after, ",") && len(after) < maxName {
			if r := inlineRole(after); r != "" {
				return cleanAffiliation(inner), r, true
			}
			inner += after
		} else if r := inlineRole(after); r != "" {
			return cleanAffiliation(inner), r, true
		}
		return cleanAffiliation(inner), "", true
	}
	s = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(s, "from "), "at "))
	s = strings.Trim(s, " ,，-–—‒:·|/\t.")
	if i := strings.LastIndexAny(s, ",(-–["); i >= 0 {
		if r := inlineRole(s[i:]); r != "" {
			s, role = s[:i], r
		}
	} else if r := inlineRole(s); r != "" {
		return "", r, false
	}
	return cleanAffiliation(s), role, false
}

// inlineRole returns the role if s consists of the name of a role, otherwise "".
func inlineRole(s string) string {
	s = strings.Trim(s, " ,()[]-–—.:*（）")
	if !isRoleName(s) {
		return ""
	}
	if bareChair.MatchString(s) {
		return chair
	}
	return roleOf(s)
}

var bareChair = compilePattern(`(?i)^(?:co-?)?chair(?:s|man|woman|person)?$`)

// closingBracket returns the byte at which the bracket at the start of s is closed, or len(s) if it is not.
func closingBracket(s string) int {
	depth := 0
	for i, r := range s {
		switch r {
		case '(', '（', '[':
			depth++
		case ')', '）', ']':
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return len(s)
}

// cleanAffiliation returns an affiliation without punctuation at its ends and without an unpaired bracket.
// It returns "" for a text without words and for one such as "to be announced".
func cleanAffiliation(s string) string {
	s = strings.Trim(s, " ,，;-–—‒:·|/\t.*†‡")
	if strings.Count(s, ")") > strings.Count(s, "(") {
		s = strings.TrimRight(s, ")")
	}
	if strings.HasSuffix(s, "(") {
		s = strings.TrimRight(s, "( ,")
	}
	if !containsWord(s) || announced.MatchString(s) && len(s) < 20 {
		return ""
	}
	return strings.TrimSpace(cutToBytes(s, maxPlaceBlock))
}
