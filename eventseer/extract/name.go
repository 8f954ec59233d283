package extract

import (
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/eventseer/extract/name"
)

// namesIn returns the names of events in running text, at most 8. They are capitalised words around a noun
// such as Conference.
func namesIn(s string) []string {
	if !nouns.MatchString(s) {
		return nil
	}
	words := strings.Fields(s)
	var out []string
	for i := 0; i < len(words) && len(out) < 8; i++ {
		if len(words[i]) < minNoun {
			continue
		}
		if !isCapitalised(words[i]) && (i == 0 || acronymInTitle(words[i-1]) == "") || !nouns.MatchString(words[i]) {
			continue
		}
		short := i > 0 && acronymInTitle(words[i-1]) != "" // "ICX2027 workshop"
		from := i
		for from > 0 && i-from < 14 && (mayBePartOfName(words[from-1]) || from > 1 && nameLink[words[from-1]] && mayBePartOfName(words[from-2])) && (!endsName(words[from-1]) || acronymInTitle(words[from-1]) != "") {
			from--
		}
		for from < i && nameLink[strings.ToLower(words[from])] {
			from++
		}
		to := i + 1
		for to < len(words) && to-i < maxNameWords && !endsName(words[to-1]) && (mayBePartOfName(words[to]) || linkWordsContinueName(words, to)) {
			to++
		}
		for to > i+1 && nameLink[words[to-1]] {
			to--
		}
		if to-from >= 3 || short {
			out = append(out, strings.TrimRight(strings.Join(words[from:to], " "), ".,;:"))
		}
		i = to
	}
	return out
}

// minNoun is the length of the shortest of nouns, in bytes.
const minNoun = 4

func linkWordsContinueName(words []string, i int) bool {
	for n := 0; n < 3 && i+n < len(words); n++ {
		if mayBePartOfName(words[i+n]) {
			return n > 0
		}
		if !nameLink[words[i+n]] {
			return false
		}
	}
	return false
}

func mayBePartOfName(w string) bool {
	return isCapitalised(w) || rank.MatchString(w) || w == "&" || strings.HasPrefix(w, "(") && len(w) > 2 && isCapitalised(w[1:])
}

func isCapitalised(w string) bool {
	for _, r := range strings.TrimLeft(w, "„“”\"'«") {
		return unicode.IsUpper(r) || unicode.IsDigit(r) && rank.MatchString(w) || hasYear(w)
	}
	return false
}

// countFields returns the number of words of s between white space.
func countFields(s string) int {
	n := 0
	for range strings.FieldsSeq(s) {
		n++
	}
	return n
}

// endsName reports whether a word ends a name because of its punctuation.
func endsName(w string) bool {
	return strings.HasSuffix(w, ".") && len(w) > 4 || strings.HasSuffix(w, ";") || strings.HasSuffix(w, ":") || strings.HasSuffix(w, "),") || strings.HasSuffix(w, ")") || strings.HasSuffix(w, ",") && hasYear(w)
}

// hasYear reports whether a word contains a year of four digits.
func hasYear(w string) bool {
	return (strings.Contains(w, "19") || strings.Contains(w, "20")) && yearPattern.MatchString(w)
}

var nameLink = wordSet("on of for in and the to at & de da do dos das del della des du la le les los las em e y et sobre für und der des im an")

// nameBeforeAcronym returns the name before an acronym in brackets, including the brackets, and the text after
// them. It returns "" if there is none. An example is "the Forum oN Rivers and Dams (FNRD)".
func nameBeforeAcronym(s, acronym string) (full, rest string) {
	if acronym == "" {
		return "", ""
	}
	at := strings.Index(s, "("+acronym)
	if at < 0 {
		return "", ""
	}
	end := strings.IndexByte(s[at:], ')')
	if end < 0 || end >= maxAcronym+8 {
		return "", ""
	}
	words := strings.Fields(lastBytes(s[:at], maxTitle))
	for from := len(words) - 1; from >= 0 && len(words)-from <= maxNameWords && !endsName(words[from]); from-- {
		if !mayBePartOfName(words[from]) || from > 0 && mayBePartOfName(words[from-1]) && !endsName(words[from-1]) {
			continue // a name cannot begin with this word
		}
		if full := strings.Join(words[from:], " "); nouns.MatchString(full) && (name.IsAbbreviation(acronym, full) || matchesInitials(acronym, full)) {
			return full + " " + s[at:at+end+1], s[at+end+1:]
		}
	}
	return "", ""
}

// maxNameWords is the maximum number of words in an event's name.
const maxNameWords = 24

// hasSubject reports whether a text contains at least two words besides the acronym and the year.
func hasSubject(s, acronym string) bool {
	n := 0
	for w := range strings.FieldsSeq(s) {
		if !strings.Contains(w, acronym) && !hasYear(w) && containsWord(w) {
			n++
		}
	}
	return n >= 2
}
