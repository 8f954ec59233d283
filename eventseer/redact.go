package eventseer

import (
	"regexp"
	"strings"
)

// Ways to reach a person. What looks alike is spared: "NLP @ ICX 2027", "held
// at icx.example".
var (
	printedMail = regexp.MustCompile(`(?i)(?:\{[^{}]{1,200}\}|[\p{L}\d._%+-]+)\s?(?:[@＠﹫]|%40|[\[({<_]\s?(?:at|@|a|arroba)\s?[\])}>_])\s?(?:[\p{L}\d-]+(?:\.|\s?[\[({]\s?(?:dot|\.|punkt|punto)\s?[\])}]\s?| dot ))+[\p{L}\d-]{2,}` +
		`|[\w.+-]+ at (?:[\w-]+ dot )+[a-z]{2,}\b`)
	printedPhone = regexp.MustCompile(`(?i)\b(?:tel(?:ephone)?|phone|fax|mobile)\b[\s.:]*\+?[0-9(][0-9 ().\-/]{5,}[0-9]|\+[0-9][0-9 ().\-/]{6,}[0-9]`)
)

// redacted stands for what is taken out of a printed text.
const redacted = "…"

// Redact returns a text that is kept as a page prints it without e-mail
// addresses, also disguised ones, and telephone numbers.
func Redact(s string) string {
	if mayAddress(s) {
		s = printedMail.ReplaceAllStringFunc(s, func(m string) string {
			if strings.HasSuffix(strings.ToLower(m), "@run.time") { // models@run.time, a field of research
				return m
			}
			return redacted
		})
	}
	if strings.ContainsAny(s, "0123456789") {
		s = printedPhone.ReplaceAllLiteralString(s, redacted)
	}
	return s
}

// mayAddress reports whether printedMail, which is slow, need be asked.
func mayAddress(s string) bool {
	if strings.ContainsAny(s, "@＠﹫") || strings.Contains(s, "%40") {
		return true
	}
	s = strings.ToLower(s)
	return strings.Contains(s, "dot") || strings.Contains(s, "at)") || strings.Contains(s, "at]") ||
		strings.ContainsAny(s, "{[(<_") && atInBrackets.MatchString(s)
}

var atInBrackets = regexp.MustCompile(`[\[({<_]\s?(?:at|a|arroba)\s?[\])}>_]`)
