package text

import (
	"regexp"
	"slices"
	"strings"
)

// Patterns of e-mail addresses and telephone numbers. Similar texts must not match: "NLP @ ICX 2027",
// "held at icx.example".
var (
	printedMail = regexp.MustCompile(`(?i)(?:\{[^{}]{1,200}\}|[\p{L}\d._%+-]+)\s?(?:[@＠﹫]|%40|[\[({<_]\s?(?:at|@|a|arroba)\s?[\])}>_])\s?(?:[\p{L}\d-]+(?:\.|\s?[\[({]\s?(?:dot|\.|punkt|punto)\s?[\])}]\s?| dot ))+[\p{L}\d-]{2,}` +
		`|[\w.+-]+ at (?:[\w-]+ dot )+[a-z]{2,}\b`)
	printedPhone = regexp.MustCompile(`(?i)\b(?:tel(?:ephone)?|phone|fax|mobile)\b[\s.:]*\+?[0-9(][0-9 ().\-/]{5,}[0-9]|\+[0-9][0-9 ().\-/]{6,}[0-9]`)
)

// Redacted replaces what is removed from a text.
const Redacted = "…"

// Redact returns a text from a page with its e-mail addresses, including disguised ones, and telephone
// numbers replaced by Redacted.
func Redact(s string) string {
	lower := strings.ToLower(s)
	if mayContainAddress(s, lower) {
		s = printedMail.ReplaceAllStringFunc(s, func(m string) string {
			if strings.HasSuffix(strings.ToLower(m), "@run.time") { // such as models@run.time, a field of research
				return m
			}
			return Redacted
		})
	}
	if mayContainPhone(s) {
		s = printedPhone.ReplaceAllLiteralString(s, Redacted)
	}
	return s
}

// mayContainPhone reports whether printedPhone, which is slow, must be called.
func mayContainPhone(s string) bool {
	if !strings.ContainsAny(s, "0123456789") {
		return false
	}
	if strings.Contains(s, "+") {
		return true
	}
	s = strings.ToLower(s)
	return slices.ContainsFunc(phoneWords, func(word string) bool { return strings.Contains(s, word) })
}

// phoneWords precede the numbers that printedPhone finds without a plus.
var phoneWords = []string{"tel", "phone", "fax", "mobile"}

// mayContainAddress reports whether printedMail, which is slow, must be called.
func mayContainAddress(s, lower string) bool {
	if strings.ContainsAny(s, "@＠﹫") || strings.Contains(s, "%40") {
		return true
	}
	return strings.Contains(lower, "dot") || strings.Contains(lower, "at)") || strings.Contains(lower, "at]") ||
		strings.ContainsAny(lower, "{[(<_") && atInBrackets.MatchString(lower)
}

var atInBrackets = regexp.MustCompile(`[\[({<_]\s?(?:at|a|arroba)\s?[\])}>_]`)
