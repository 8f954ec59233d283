package mailbox

import (
	"html"
	"regexp"
	"strings"
)

var tag = regexp.MustCompile(`(?s)<!--.*?-->|<(/?)([a-zA-Z][a-zA-Z0-9]*)(?:\s[^<>]*)?/?>|<![^>]*>`)

// What a tag does to plain text: nothing, a new line, or a new paragraph. Markup
// of any other tag is more than a plain text in disguise.
var plainTags = map[string]string{
	"a": "", "b": "", "i": "", "em": "", "strong": "", "tt": "", "u": "", "code": "", "span": "", "font": "", "small": "", "big": "",
	"cite": "", "center": "", "html": "", "body": "", "img": "", "nobr": "", "wbr": "",
	"br": "\n", "div": "\n", "li": "\n", "address": "\n",
	"p": "\n\n", "pre": "\n", "blockquote": "\n\n", "ul": "\n\n", "ol": "\n\n", "hr": "\n\n",
}

// textOf returns the text of markup as an archive wraps it around a plain text;
// simple says that there is no more to it, such as tables and headings.
func textOf(markup string) (text string, simple bool) {
	var b strings.Builder
	simple = true
	pre := 0
	write := func(s string) {
		s = html.UnescapeString(s)
		if pre > 0 {
			b.WriteString(s)
			return
		}
		for i, word := range strings.Fields(s) {
			if i > 0 || strings.TrimLeft(s, " \t\r\n") != s && !endsLine(&b) {
				b.WriteByte(' ')
			}
			b.WriteString(word)
		}
		if trimmed := strings.TrimRight(s, " \t\r\n"); trimmed != s && trimmed != "" {
			b.WriteByte(' ')
		}
	}
	at := 0
	for _, m := range tag.FindAllStringSubmatchIndex(markup, -1) {
		write(markup[at:m[0]])
		at = m[1]
		if m[4] < 0 {
			continue // a comment
		}
		name, closes := strings.ToLower(markup[m[4]:m[5]]), m[2] < m[3]
		apart, known := plainTags[name]
		simple = simple && known
		if name == "pre" {
			if closes {
				pre = max(pre-1, 0)
			} else {
				pre++
			}
		}
		if name != "pre" || !endsLine(&b) {
			b.WriteString(apart)
		}
	}
	write(markup[at:])
	text = lineEnds.ReplaceAllLiteralString(b.String(), "\n")
	return strings.Trim(gaps.ReplaceAllLiteralString(text, "\n\n\n"), "\n") + "\n", simple
}

var (
	lineEnds = regexp.MustCompile(`[ \t\r]+\n`)
	gaps     = regexp.MustCompile(`\n{4,}`)
)

func endsLine(b *strings.Builder) bool {
	s := b.String()
	return s == "" || s[len(s)-1] == '\n' || s[len(s)-1] == ' '
}
