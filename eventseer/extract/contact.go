package extract

import (
	"bytes"
	"strings"
)

// Personal contact data, which is never stored: e-mail addresses in all disguises, telephone numbers, ORCID
// iDs and web addresses. contactWord are the labels of such data, emptyPair the brackets left when it is
// removed.
var (
	mailAddress = compilePattern(`(?:\{[^{}]{1,200}\}|[^\s<>()\[\],;:]+)\s?(?:[@＠﹫]|[\[({<_]\s?(?i:at|@|a|arroba)\s?[\])}>_])\s?[^\s<>(),;]+(?:\s?[\[({]\s?(?i:dot|\.|punkt|punto)\s?[\])}]\s?[\w-]+)*|(?:[a-z0-9][\w-]*(?:\.| (?i:dot) ))*[a-z0-9][\w-]* (?i:at) [\w-]+(?:(?:\.| (?i:dot) )[\w-]+)*(?:\.[a-z]{2,}| (?i:dot) \w{2,})\b`)
	webAddress  = compilePattern(`(?i)\b(?:https?://|www\.)[^\s<>()]+`)
	orcid       = compilePattern(`(?:\b(?i:orcid)[\s:]*)?\b[0-9]{4}-[0-9]{4}-[0-9]{4}-[0-9]{3}[0-9Xx]\b`)
	phone       = compilePattern(`(?i)\b(?:tel(?:ephone)?|phone|fax|mobile|cell)\b[\s.:]*\+?[0-9(][0-9\s().\-/]{4,}|\+[0-9][0-9\s().\-/]{6,}[0-9]|\(?\b[0-9]{3}\)?[\s.-][0-9]{3}[\s.-][0-9]{4}\b`)
	contactWord = compilePattern(`(?i)\b(?:e-?mail(?: address)?|home ?page|personal (?:page|website)|web ?(?:site|page)|google scholar|linkedin|orcid(?: id)?|dblp|twitter|github|scholar profile|read more|more info(?:rmation)?|view profile|bio)\b\s*:?`)
	emptyPair   = compilePattern(`\(\s*[,;.]*\s*\)|\[\s*[,;.]*\s*\]|<\s*>|\{\s*\}`)
)

// withoutContacts returns a text about people without e-mail addresses, including disguised ones, telephone
// numbers, ORCID iDs and web addresses. The result contains no "@".
func withoutContacts(s string) string {
	if containsAt(s) || hasAt(s) {
		s = mailAddress.ReplaceAllString(s, " ")
		s = withoutAt(s)
	}
	if strings.Contains(s, "://") || strings.Contains(s, "www.") || strings.Contains(s, "WWW.") {
		s = webAddress.ReplaceAllString(s, " ")
	}
	if strings.ContainsAny(s, "0123456789") {
		s = phone.ReplaceAllString(orcid.ReplaceAllString(s, " "), " ")
	}
	s = contactWord.ReplaceAllString(s, " ")
	if strings.ContainsAny(s, "([<{") {
		s = emptyPair.ReplaceAllString(s, " ")
	}
	return strings.TrimSpace(s)
}

// containsAt reports whether s contains an at sign of any width.
func containsAt(s string) bool {
	return strings.IndexByte(s, '@') >= 0 || strings.Contains(s, "＠") || strings.Contains(s, "﹫")
}

// hasAt reports whether a text may contain an "at" of a disguised address.
func hasAt(s string) bool {
	var buf [512]byte
	low := appendLower(buf[:0], s)
	for _, at := range disguisedAts {
		if bytes.Contains(low, at) {
			return true
		}
	}
	return false
}

var disguisedAts = func() (ats [][]byte) {
	for _, at := range []string{" at ", "(at)", "[at]", "{at}", "<at>", "_at_", "( at )", "[ at ]", "[a]", "(a)", "arroba"} {
		ats = append(ats, []byte(at))
	}
	return ats
}()

// withoutAt removes all words that contain an at sign.
func withoutAt(s string) string {
	if !containsAt(s) {
		return s
	}
	words := strings.Fields(s)
	kept := words[:0]
	for _, w := range words {
		if !containsAt(w) {
			kept = append(kept, w)
		}
	}
	return strings.Join(kept, " ")
}
