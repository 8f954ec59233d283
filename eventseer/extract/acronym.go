package extract

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer/extract/date"
)

const maxAcronym = 24 // bytes of an acronym

var (
	bracketed = compilePattern(`[(（]\s*([^()（）]{2,30}?)\s*[)）]`)
	withYear  = compilePattern(`\b(\p{Ll}{0,3}[\p{Lu}\p{N}][\p{L}\p{N}+&/.-]*[\p{L}\p{N}+](?: [A-Z]{2,8}\b)?)\s?[-–]?\s?(?:['’‘](\d\d)\b|((?:19[89]|20\d)\d)\b)`)
	// noAcronym are publishers, sponsors and words that are often in capitals and name no event.
	noAcronym = wordSet("github gitlab wordpress easychair callforpapers bst pst pdt est edt cet cest kst jst acm ieee ifip aaai usa uk cfp lncs aoe utc gmt pdf html springer elsevier dblp acm/ieee ieee/acm call papers important dates the conference workshop symposium copyright in on of and for since vol issn isbn phd january february march april may june july august september october november december jan feb mar apr jun jul aug sep sept oct nov dec spring summer fall autumn winter international annual ceur eptcs siggraph sigplan sigops sigmod sigsoft sigchi covid faq doi nsf eu icml's call-for-papers committee deadline version edition year session home program series congress meeting forum summit school online new date until before by from to at updated submission proceedings junio julio mayo abril marzo septiembre octubre noviembre diciembre agosto enero febrero março maio outubro")
	yearTail  = compilePattern(`[\s'’‘-]*((19[89]|20\d)\d|['’‘]\d\d)$`)
)

// isAcronymShaped reports whether s has the form of an acronym. It is short and has at least two capitals, or
// one capital and a plus.
func isAcronymShaped(s string) bool {
	if len(s) < 2 || len(s) > maxAcronym || noAcronym[strings.ToLower(s)] || strings.Count(s, " ") > 1 {
		return false
	}
	if z, _ := date.FirstZone(s); z != "" {
		return false
	}
	upper, lower := 0, 0
	for _, r := range s {
		switch {
		case unicode.IsUpper(r):
			upper++
		case unicode.IsLower(r):
			lower++
		case !unicode.IsDigit(r) && !strings.ContainsRune(" -&+/@.", r):
			return false
		}
	}
	return upper >= 2 && lower <= 2*upper+4 || upper == 1 && strings.ContainsAny(s, "+")
}

// bareAcronym returns an acronym without its year, its edition and quotation marks: ICX for "ICX'27".
func bareAcronym(s string) string {
	s = strings.Trim(strings.TrimSpace(s), `"“”'’‘:,.;*`)
	s = strings.Trim(yearTail.ReplaceAllString(s, ""), " -–'’:")
	s = editionLead.ReplaceAllString(s, "")
	if m := editionTail.FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	return strings.TrimRight(romanTail.ReplaceAllString(s, ""), "-")
}

// editionLead, romanTail and editionTail match the number or year of an edition beside an acronym: "7th
// ICX", "ICX-IV", "ICX27".
var (
	editionLead = compilePattern(`^\d{1,3}(st|nd|rd|th)\s+`)
	romanTail   = compilePattern(`-[IVX]+$`)
	editionTail = compilePattern(`^([\p{Lu}][\p{L}&+-]{2,})-?\d\d?$`)
)

// acronymInTitle returns the acronym that a title contains in brackets or with a year, or "" for none.
func acronymInTitle(s string) string {
	if strings.IndexByte(s, '(') >= 0 || strings.Contains(s, "（") {
		for _, m := range bracketed.FindAllStringSubmatch(s, 4) {
			if a := bareAcronym(m[1]); isAcronymShaped(a) {
				return a
			}
		}
	}
	if !strings.ContainsAny(s, "0123456789") {
		return ""
	}
	for _, m := range withYear.FindAllStringSubmatch(s, 4) {
		if a := bareAcronym(m[1]); isAcronymShaped(a) || looksLikeName(a) {
			return a
		}
	}
	return ""
}

// looksLikeName reports whether s is a short name with at least two capitals, such as JuliaCon. Such a name
// before a year is an acronym although it does not have the form of one.
func looksLikeName(s string) bool {
	if len(s) < 3 || len(s) > 2*maxAcronym/3 || noAcronym[strings.ToLower(s)] || strings.ContainsAny(s, " -/") {
		return false
	}
	upper := 0
	for _, r := range s {
		switch {
		case unicode.IsUpper(r):
			upper++
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("+&.@", r):
			return false
		}
	}
	return upper >= 2
}

// lowerLetters returns the letters of s in lower case. Hosts are often named after the acronym of the event,
// with other characters in between.
func lowerLetters(s string) string {
	var buf [64]byte
	b := buf[:0]
	for i := range len(s) {
		switch c := s[i]; {
		case c >= 'a' && c <= 'z':
			b = append(b, c)
		case c >= 'A' && c <= 'Z':
			b = append(b, c|0x20)
		case c >= utf8.RuneSelf:
			return lowerLettersOf(s)
		}
	}
	if len(b) == len(s) && string(b) == s {
		return s
	}
	return string(b)
}

// lowerLettersOf is lowerLetters for a text in any script.
func lowerLettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// matchesInitials reports whether at least two thirds of the capitals of an acronym are initials of words
// in the text.
func matchesInitials(a, text string) bool {
	first := map[rune]bool{}
	for _, w := range strings.Fields(text) {
		for _, r := range strings.TrimLeft(w, "([\"“'") {
			first[unicode.ToUpper(r)] = true
			break
		}
	}
	n, hit := 0, 0
	for _, r := range a {
		if unicode.IsUpper(r) {
			n++
			if first[r] {
				hit++
			}
		}
	}
	return n >= 2 && 3*hit >= 2*n
}
