package features

import (
	"github.com/eventseer/eventseer/internal/text"
	"iter"
	"unicode"
	"unicode/utf8"

	uax29 "github.com/clipperhouse/uax29/v2/words"
	"golang.org/x/text/unicode/norm"
)

// A Word is a word or a number of a text.
type Word struct {
	// Text is the word in lower case.
	Text string
	// Stem is the stem of the word, see StemIn.
	Stem string
	// Start and End are the byte offsets of the word in the text.
	Start, End int
}

// Words returns the words and numbers of s, by the rules that separate words for vocabularies, with two
// exceptions. Nothing is translated, and Chinese, Japanese and Korean are returned character by
// character, so that a query word is found anywhere. The argument lang is the ISO 639-1 code of the
// language of s, "" if unknown. Words of more than 40 bytes are left out.
func Words(s, lang string) iter.Seq[Word] {
	return func(yield func(Word) bool) {
		z := tokenizer{language: codeOf(lang).latinLanguage()}
		if text.IsASCII(s) { // then its words are its runs of letters
			z.yieldWords(s, 0, len(s), yield)
			return
		}
		for it := uax29.FromString(s); it.Next(); {
			if !z.yieldWords(s, it.Start(), it.End(), yield) {
				return
			}
		}
	}
}

// yieldWords yields the words of s[from:to] and reports whether to continue.
func (z *tokenizer) yieldWords(s string, from, to int, yield func(Word) bool) bool {
	for i := from; i < to; {
		w, n := z.wordAt(s[i:to])
		if w.Text != "" {
			w.Start, w.End = i, i+n
			if !yield(w) {
				return false
			}
		}
		i += n
	}
	return true
}

// wordAt returns the word at the beginning of s, if any, and the number of bytes of s that were read.
func (z *tokenizer) wordAt(s string) (Word, int) {
	if c := s[0]; c >= '0' && c <= '9' {
		n := 1
		for n < len(s) && s[n] >= '0' && s[n] <= '9' {
			n++
		}
		return Word{Text: unlessTooLong(s[:n]), Stem: unlessTooLong(s[:n])}, n
	}
	if r, n := utf8.DecodeRuneInString(s); isEastern(r) {
		return Word{Text: s[:n], Stem: s[:n]}, n
	}
	w, n := z.readWord(s)
	if w == nil {
		return Word{}, n
	}
	return Word{Text: w.text, Stem: w.stemOrSelf()}, n
}

// unlessTooLong returns s, or "" if it is too long for a word.
func unlessTooLong(s string) string {
	if len(s) > maxWord {
		return ""
	}
	return s
}

// isEastern reports whether r is a letter of a script without spaces between words. Katakana is not one,
// because it is read in whole words.
func isEastern(r rune) bool {
	return r >= 0x3000 && r < 0xD7B0 && unicode.IsLetter(r) && !(r >= 0x30A0 && r < 0x3100)
}

// stemOrSelf returns w's stem, even for a stop word or a word that a glossary replaces.
func (w *word) stemOrSelf() string {
	switch {
	case w.term != "":
		return w.term
	case w.meanings() == nil:
		return withoutDiacritics(w.text)
	}
	return withoutDiacritics(stemOf(withoutArticle(norm.NFKC.String(w.text), w.language), w.language))
}

// StemIn returns the stem of a lower-case word by the Snowball stemmer of language lang, without
// the diacritics of Latin letters. lang is an ISO 639-1 code; "" is read as English. A stop word is
// its own stem, as is a word of a language without a stemmer.
func StemIn(word, lang string) string {
	z := tokenizer{language: codeOf(lang).latinLanguage()}
	if word == "" || len(word) > maxWord {
		return word
	}
	return known.lookUp([]byte(word), z.languageOf([]byte(word))).stemOrSelf()
}

// LanguageOf returns the language of a text as a code of ISO 639-1, or "" if there is too little
// text. declared is the language that its page declares, see Document.Lang.
func LanguageOf(text, declared string) string { return languageCodes[languageOf(text, declared)] }
