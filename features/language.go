package features

import (
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits on the text used to detect a language. It consists of pieces spread evenly over the page,
// because there are menus at the top and lists of names at the bottom.
const (
	samplePieces = 8
	sampleBytes  = 512 // of a piece
)

// Evidence that a language must have.
const (
	sureWords   = 4    // occurrences of distinctive words, each divided by the number of languages that share it
	sureShare   = 0.06 // of all words
	sureLead    = 1.5  // times the next language's
	scriptShare = 0.15 // share of letters for a language with its own script: its pages contain much Latin text
)

// Lang returns the language of the page's text as a code of ISO 639-1, or "" if there is too little
// text. The declared language only decides between languages consistent with the text, because
// templates often declare "en" regardless of their content.
func (d *Document) Lang() string { return languageCodes[d.language] }

// LangOf is Lang for a text whose page declares a language tag, or "".
func LangOf(text, declared string) string { return languageCodes[languageOf(text, declared)] }

// latinLanguage returns the language to assume for Latin letters on a page of language l. It is l, or English
// if l is unknown or has its own script.
func (l language) latinLanguage() language {
	if l == unknown || l >= numCounted {
		return english
	}
	return l
}

// languageOf returns the language of a text whose page declares a language tag, or "". Its time is
// bounded.
func languageOf(text, declared string) language {
	var e languageEvidence
	if piece := len(text) / samplePieces; piece <= sampleBytes {
		e.addText(text)
	} else {
		for i := range samplePieces {
			e.addText(wholeWords(text[i*piece:], sampleBytes))
		}
	}
	return e.decideLanguage(codeOf(declared))
}

// wholeWords returns about n bytes of s, without the words and runes cut off
// at its ends; texts without spaces are cut between runes.
func wholeWords(s string, n int) string {
	for len(s) > 0 && !utf8.RuneStart(s[0]) {
		s = s[1:]
	}
	s = s[:min(n, len(s))]
	if i := strings.LastIndexByte(s, ' '); i > len(s)/2 {
		s = s[:i]
	}
	if i := strings.IndexByte(s, ' '); i >= 0 && i < len(s)/2 {
		s = s[i:]
	}
	return s
}

// codeOf returns the language a tag such as "pt-BR" names.
func codeOf(tag string) language {
	code, _, _ := strings.Cut(strings.ToLower(tag), "-")
	switch code {
	case "nb", "nn":
		return norwegian
	}
	for l, c := range languageCodes {
		if l > 0 && c == code {
			return language(l)
		}
	}
	return unknown
}

// languageEvidence counts the evidence for each language in a text.
type languageEvidence struct {
	latin, cyrillic, han, kana, hangul int // letters
	other                              [numLanguages]int
	ukrainian, bulgarian, russian      int // letters that occur in only one of the three
	words                              int // in Latin letters
	score                              [numCounted]float32
}

// addText counts the words and letters of s.
func (e *languageEvidence) addText(s string) {
	var buf [maxCommon]byte
	n, long := 0, false // length of the word in buf in bytes, and whether it did not fit
	end := func() {
		if n > 0 {
			e.addWord(buf[:n], long)
		}
		n, long = 0, false
	}
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			if n == 0 && isASCIILetter(c) {
				if size := e.addASCIIWord(s[i:]); size > 0 {
					i += size
					continue
				}
			}
			i++
			if !isASCIILetter(c) {
				end()
				continue
			}
			e.latin++
			if n < len(buf) {
				buf[n] = c | 0x20
				n++
			} else {
				long = true
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if r >= 0x250 || !unicode.IsLetter(r) {
			end()
			e.addLetter(r)
			continue
		}
		e.latin++
		if n+utf8.UTFMax <= len(buf) {
			n += utf8.EncodeRune(buf[n:], unicode.ToLower(r))
		} else {
			long = true
		}
	}
	end()
}

// addASCIIWord counts the word at the beginning of s and returns its length if it consists of at most
// packedBytes ASCII letters, else 0.
func (e *languageEvidence) addASCIIWord(s string) int {
	c, ok := spellingAt(s, unknown)
	n := int(c.length)
	if !ok && (n == 0 || n == packedBytes || s[n] != '\'') {
		return 0
	}
	e.latin += n
	e.words++
	e.addScore(commonSpellings.find(&c))
	return n
}

// maxCommon is at least the length of the longest common word.
const maxCommon = 16

func (e *languageEvidence) addWord(w []byte, long bool) {
	e.words++
	if long {
		return
	}
	e.addScore(commonWords[string(w)])
}

// addScore adds to the score of each language of mask that a common word was found.
func (e *languageEvidence) addScore(mask uint32) {
	if mask == 0 {
		return
	}
	weight := 1 / float32(bits.OnesCount32(mask))
	for ; mask != 0; mask &= mask - 1 {
		e.score[bits.TrailingZeros32(mask)] += weight
	}
}

// addLetter counts a letter of a script other than Latin.
func (e *languageEvidence) addLetter(r rune) {
	switch {
	case r >= 0x400 && r < 0x530:
		e.cyrillic++
		switch r {
		case 'і', 'ї', 'є', 'ґ', 'І', 'Ї', 'Є', 'Ґ':
			e.ukrainian++
		case 'ы', 'э', 'ё', 'Ы', 'Э', 'Ё':
			e.russian++
		case 'ъ', 'Ъ':
			e.bulgarian++
		}
	case r >= 0x3040 && r < 0x3100:
		e.kana++
	case r >= 0x3400 && r < 0xA000:
		e.han++
	case r >= 0xAC00 && r < 0xD7B0:
		e.hangul++
	case r >= 0x370 && r < 0x400:
		e.other[greek]++
	case r >= 0x590 && r < 0x600:
		e.other[hebrew]++
	case r >= 0x600 && r < 0x780:
		e.other[arabic]++
	case r >= 0x900 && r < 0x980:
		e.other[hindi]++
	case r >= 0xE00 && r < 0xE80:
		e.other[thai]++
	}
}

// decideLanguage returns the language that the evidence shows, or unknown.
func (e *languageEvidence) decideLanguage(declared language) language {
	if l := e.languageByScript(); l != unknown {
		return l
	}
	first, second := unknown, unknown
	for l := english; l < numCounted; l++ {
		switch {
		case e.score[l] > e.score[first]:
			first, second = l, first
		case e.score[l] > e.score[second]:
			second = l
		}
	}
	top := e.score[first]
	switch {
	case top >= sureWords && top >= sureShare*float32(e.words) && top >= sureLead*e.score[second]:
		return first
	case declared > unknown && declared < numCounted && e.latin > 0 && 2*e.score[declared] >= top:
		return declared
	}
	return unknown
}

func (e *languageEvidence) languageByScript() language {
	east := e.han + e.kana + e.hangul
	all := e.latin + e.cyrillic + 2*east
	for _, n := range e.other {
		all += n
	}
	enough := func(n int) bool { return n >= 10 && float64(n) >= scriptShare*float64(all) }
	switch {
	case enough(2 * east):
		switch {
		case e.hangul > e.han+e.kana:
			return korean
		case 20*e.kana > e.han:
			return japanese
		}
		return chinese
	case enough(e.cyrillic):
		switch {
		case e.ukrainian > e.russian && e.ukrainian > e.bulgarian:
			return ukrainian
		case e.bulgarian > 2*e.russian:
			return bulgarian
		}
		return russian
	}
	for l, n := range e.other {
		if enough(n) {
			return language(l)
		}
	}
	return unknown
}
