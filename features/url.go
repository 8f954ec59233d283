package features

import (
	"net/url"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Class tokens of a URL: a year, another number, a personal directory.
const (
	yearToken   = "#year"
	numberToken = "#number"
	tildeToken  = "~"
)

const maxURLTokens = 100

// addURL adds the host labels and path segments of a URL. Words are split at case changes and stemmed. Years
// and numbers become class tokens, so that a model learns nothing about a single year or page.
func (r *reader) addURL(raw string) {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return
	}
	n := 0
	add := func(term string, hash uint32) {
		if n++; n <= maxURLTokens {
			r.addTerm(urlBlock, term, hash)
		}
	}
	host := strings.TrimPrefix(u.Hostname(), "www.")
	for i, part := range []string{host, u.Path, u.RawQuery} {
		if strings.HasPrefix(part, "/~") {
			add(tildeToken, hashTerm(tildeToken))
		}
		splitURL(part, r.tokenizer.language, add, func(w *word) {
			if i > 0 { // the host name applies to all pages of the host
				r.page.cues.addWord(w)
			}
			if w.term != "" {
				add(w.term, w.hash)
			}
		})
		r.endRun(urlBlock)
	}
	r.page.addRun(inURL)
}

// splitURL calls addWord for every word and add for every number of a part of a
// URL of a page in language l.
func splitURL(s string, l language, add func(term string, hash uint32), word func(*word)) {
	for s != "" {
		c, n := utf8.DecodeRuneInString(s)
		switch {
		case c >= '0' && c <= '9':
			n = len(s) - len(strings.TrimLeft(s, "0123456789"))
			if isYear(valueOf(s[:n])) {
				add(yearToken, hashTerm(yearToken))
			} else {
				add(numberToken, hashTerm(numberToken))
			}
		case unicode.IsLetter(c):
			n = firstWordLength(s)
			if lower := strings.ToLower(s[:n]); len(lower) <= maxWord {
				known.lookUp([]byte(lower), l).readAs(word)
			}
		}
		s = s[n:]
	}
}

// firstWordLength returns the length of the word at the beginning of s; CallForPapers is three words.
func firstWordLength(s string) int {
	lower := false
	for i, c := range s {
		if !unicode.IsLetter(c) || lower && unicode.IsUpper(c) {
			return i
		}
		lower = unicode.IsLower(c)
	}
	return len(s)
}
