package tagtree

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A position is a byte of a piece of text.
type position struct{ piece, offset int32 }

// A wordReader splits text that comes in pieces into words: runs of letters,
// digits and their marks, and each character of a script without spaces. A word
// may begin in one piece and end in another.
type wordReader struct {
	// emit is called with each word in lower case, where it begins and where it
	// ends. It must not keep the word.
	emit func(word []byte, from, to position)

	word     []byte
	runes    int
	from, to position
}

// read reads a piece.
func (z *wordReader) read(s string, piece int32) {
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case r < utf8.RuneSelf:
			if c := byte(r); c|0x20 >= 'a' && c|0x20 <= 'z' {
				z.add(rune(c|0x20), piece, i, size)
			} else if c >= '0' && c <= '9' {
				z.add(r, piece, i, size)
			} else {
				z.end()
			}
		case isUnspaced(r):
			z.end()
			z.add(r, piece, i, size)
			z.end()
		case unicode.In(r, unicode.L, unicode.Nd, unicode.M):
			z.add(unicode.ToLower(r), piece, i, size)
		case r >= 0xA0 && isInvisible(r):
		default:
			z.end()
		}
		i += size
	}
}

func (z *wordReader) add(r rune, piece int32, i, size int) {
	if z.runes == 0 {
		z.from = position{piece, int32(i)}
	}
	z.to = position{piece, int32(i + size)}
	if z.runes++; z.runes <= maxSearchWord {
		z.word = utf8.AppendRune(z.word, r)
	}
}

// end ends the word, if there is one.
func (z *wordReader) end() {
	if z.runes > 0 && z.runes <= maxSearchWord {
		z.emit(z.word, z.from, z.to)
	}
	z.word, z.runes = z.word[:0], 0
}

// isUnspaced reports whether a rune is of a script whose words are not parted
// by spaces, or of Korean, whose words carry particles.
func isUnspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && unicode.IsLetter(r)
}

// plainLetters are letters with a stroke or joined ones, which Unicode does not
// take apart.
var plainLetters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "ł", "l", "þ", "th", "ı", "i", "ς", "σ")

// unaccented returns a word in lower case without diacritics. Marks that are no
// diacritics, as the vowel signs of Hindi, stay.
func unaccented(word string) string {
	if isASCII(word) {
		return word
	}
	var b strings.Builder
	for _, r := range norm.NFKD.String(word) {
		if !isDiacritic(r) {
			b.WriteRune(unicode.ToLower(r))
		}
	}
	return plainLetters.Replace(b.String())
}

// isDiacritic reports whether a rune is a mark of the Latin, Greek, Cyrillic,
// Hebrew or Arabic script that readers often leave out.
func isDiacritic(r rune) bool {
	switch {
	case r < 0x0300:
		return false
	case r <= 0x036F, r >= 0x0591 && r <= 0x05C7, r >= 0x0610 && r <= 0x061A, r >= 0x064B && r <= 0x065F, r == 0x0670,
		r >= 0x06D6 && r <= 0x06ED, r >= 0x1AB0 && r <= 0x1AFF, r >= 0x1DC0 && r <= 0x1DFF, r >= 0x20D0 && r <= 0x20FF:
		return unicode.Is(unicode.M, r)
	}
	return false
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
