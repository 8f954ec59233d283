package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer/extract/person"
)

// maxName bounds a name, in bytes.
const maxName = 60

// titles match what is printed before a name.
const titles = `(?i:(?:prof|professora?|professor emerit\w+|dra?|drs|mr|mrs|ms|mme|doctor|assoc|associate|assist|assistant|asst|adj|adjunct|ing|habil|sir|dame|dipl|mtr[oa]|lic|academician|emerit(?:us|a))(?:\.[\s-]*|\s+|-+)|(?:jun|em|eng|rer|nat|phil|hon|rev|doc|mgr|univ|inf|pd|priv|ph|acad|med)\.[\s-]*)|د\.\s*`

var (
	honorific    = compile(`^(?:` + titles + `)+`)
	honorificEnd = compile(`[\s,]+(?:` + titles + `)+$`)
	announced    = compile(`(?i)\b(tb[acd]|t\.b\.[acd]|to be (announced|confirmed|determined|defined|decided)|coming soon|soon|vacant|n\.?n\.?)\b`)
	postnominal  = compile(`^(?:,?\s*(?:Ph\.?\s?D\.?|M\.?\s?Phil\.?|M\.?\s?Sc\.?|B\.?\s?Sc\.?|MBA|M\.?D\.?|FIEEE|FACM|Jr\.?|Sr\.?|III?|Esq\.?|CEng|P\.?E\.)(?:[,\s]|$))+`)
)

// endsSentence reports whether the full stop at s[i] does: after a word that ends in three small
// letters and is no title, as "Prof.".
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

// affiliationIn reads what is after a name: the affiliation, a role such as "(chair)", and whether
// the affiliation stood in brackets.
func affiliationIn(s string) (affiliation, role string, closed bool) {
	s = strings.TrimSpace(clip(s, maxPersonBlock))
	if strings.HasPrefix(s, "(") || strings.HasPrefix(s, "（") || strings.HasPrefix(s, "[") {
		end := closing(s)
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

// inlineRole reads a role's bare name beside a person's.
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

var bareChair = compile(`(?i)^(?:co-?)?chair(?:s|man|woman|person)?$`)

// closing returns where the bracket that begins s is closed, len(s) if nowhere.
func closing(s string) int {
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

// cleanAffiliation trims marks and an unpaired bracket; what holds no word, or
// says that it is to be announced, is no affiliation.
func cleanAffiliation(s string) string {
	s = strings.Trim(s, " ,，;-–—‒:·|/\t.*†‡")
	if strings.Count(s, ")") > strings.Count(s, "(") {
		s = strings.TrimRight(s, ")")
	}
	if strings.HasSuffix(s, "(") {
		s = strings.TrimRight(s, "( ,")
	}
	if !says(s) || announced.MatchString(s) && len(s) < 20 {
		return ""
	}
	return strings.TrimSpace(clip(s, maxPlaceBlock))
}
