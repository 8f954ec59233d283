package htmltree

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// latinNames are the named character references for U+00A0 to U+00FF, in order. Together with legacyNames
// they are all names that need no semicolon.
const latinNames = `nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro ` +
	`para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave ` +
	`Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml ` +
	`Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ` +
	`ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml`

// legacyNames are the named references that need no semicolon.
var legacyNames = func() map[string]rune {
	names := map[string]rune{
		"amp": '&', "AMP": '&', "lt": '<', "LT": '<', "gt": '>', "GT": '>', "quot": '"', "QUOT": '"', "COPY": '©', "REG": '®',
	}
	r := rune(0xA0)
	for name := range strings.FieldsSeq(latinNames) {
		names[name] = r
		r++
	}
	return names
}()

// frequentNames are frequent references that need a semicolon; the others are looked up
// in x/net/html.
var frequentNames = map[string]rune{
	"apos": '\'', "ndash": '–', "mdash": '—', "lsquo": '‘', "rsquo": '’', "ldquo": '“', "rdquo": '”', "sbquo": '‚', "bdquo": '„',
	"bull": '•', "hellip": '…', "euro": '€', "trade": '™', "larr": '←', "rarr": '→', "uarr": '↑', "darr": '↓',
	"lsaquo": '‹', "rsaquo": '›', "ensp": '\u2002', "emsp": '\u2003', "thinsp": '\u2009', "zwnj": '\u200c', "zwj": '\u200d',
	"scaron": 'š', "Scaron": 'Š', "ccaron": 'č', "Ccaron": 'Č', "zcaron": 'ž', "Zcaron": 'Ž', "alpha": 'α', "beta": 'β',
	"minus": '−', "check": '✓', "lbrace": '{', "rbrace": '}', "lbrack": '[', "rbrack": ']', "num": '#', "commat": '@',
	"colon": ':', "comma": ',', "period": '.', "sol": '/', "Tab": '\t', "NewLine": '\n', "excl": '!', "lpar": '(', "rpar": ')',
}

// maxLegacy is the length of the longest name in legacyNames, in bytes.
const maxLegacy = 6

// maxReference is the largest length of a name that is looked up (HTML §13.5).
const maxReference = 33

// windows1252 maps numeric references from 0x80 to 0x9F (HTML §13.2.5.80).
const windows1252 = "\u20AC\u0081\u201A\u0192\u201E\u2026\u2020\u2021\u02C6\u2030\u0160\u2039\u0152\u008D\u017D\u008F" +
	"\u0090\u2018\u2019\u201C\u201D\u2022\u2013\u2014\u02DC\u2122\u0161\u203A\u0153\u009D\u017E\u0178"

var windowsRunes = []rune(windows1252)

// readReference reads the character reference at the beginning of s, whose first byte is "&". It
// returns its character, or if that is 0 its characters as text, and its length, 0 if there is
// none. Values of attributes have different rules (HTML §13.2.5.72 to 80).
func readReference(s string, value bool) (r rune, more string, n int) {
	if len(s) < 2 {
		return 0, "", 0
	}
	if s[1] == '#' {
		r, n = readNumber(s)
		return r, "", n
	}
	end := 1
	for end < len(s) && byteClass[s[end]]&isNameByte != 0 {
		end++
	}
	word := s[1:end]
	if word == "" {
		return 0, "", 0
	}
	if end < len(s) && s[end] == ';' {
		if r, n := legacyNames[word]; n {
			return r, "", end + 1
		}
		if r, n := frequentNames[word]; n {
			return r, "", end + 1
		}
		if len(word) < maxReference {
			written := s[:end+1]
			// A name that is unknown may begin with a name in legacyNames.
			if more = html.UnescapeString(written); more != written && (!strings.HasSuffix(more, ";") || word == "semi") {
				return 0, more, end + 1
			}
		}
	} else if r, ok := legacyNames[word]; ok {
		if value && end < len(s) && s[end] == '=' {
			return 0, "", 0
		}
		return r, "", end
	}
	if value {
		return 0, "", 0
	}
	for k := min(len(word)-1, maxLegacy); k > 1; k-- {
		if r, ok := legacyNames[word[:k]]; ok {
			return r, "", k + 1
		}
	}
	return 0, "", 0
}

// readNumber reads the numeric reference at the beginning of s and returns its length, 0 if there is
// none.
func readNumber(s string) (r rune, n int) {
	i, base := 2, rune(10)
	if i < len(s) && lowerByte[s[i]] == 'x' {
		base = 16
		i++
	}
	digits := i
	for ; i < len(s); i++ {
		c, d := lowerByte[s[i]], rune(0)
		switch {
		case c >= '0' && c <= '9':
			d = rune(c - '0')
		case base == 16 && c >= 'a' && c <= 'f':
			d = rune(c-'a') + 10
		default:
			d = base
		}
		if d >= base {
			break
		}
		if r <= utf8.MaxRune {
			r = r*base + d
		}
	}
	if i == digits {
		return 0, 0
	}
	if i < len(s) && s[i] == ';' {
		i++
	}
	switch {
	case r >= 0x80 && r <= 0x9F:
		r = windowsRunes[r-0x80]
	case r == 0 || r >= 0xD800 && r <= 0xDFFF || r > utf8.MaxRune:
		r = utf8.RuneError
	}
	return r, i
}

// appendDecoded appends s decoded according to flags.
func appendDecoded(b []byte, s string, flags textFlag) []byte {
	stops := "&\x00"
	if flags&hasNUL == 0 {
		stops = "&"
	} else if flags&hasReference == 0 {
		stops = "\x00"
	}
	for {
		i := strings.IndexAny(s, stops)
		if i < 0 {
			return append(b, s...)
		}
		b = append(b, s[:i]...)
		s = s[i:]
		if s[0] == 0 {
			if flags&keepsNUL != 0 {
				b = append(b, "\ufffd"...)
			}
			s = s[1:]
			continue
		}
		r, more, n := readReference(s, flags&isValue != 0)
		switch {
		case n == 0:
			b, n = append(b, '&'), 1
		case more != "":
			b = append(b, more...)
		default:
			b = utf8.AppendRune(b, r)
		}
		s = s[n:]
	}
}

// decodeText returns s decoded according to flags, or s itself if there is nothing to decode.
func decodeText(s string, flags textFlag) string {
	if flags&(hasReference|hasNUL) == 0 {
		return s
	}
	var room [512]byte
	return string(appendDecoded(room[:0], s, flags))
}

// leadingSpace returns the number of bytes of s that stand for white space at its beginning.
func leadingSpace(s string, flags textFlag) int {
	i := 0
	for i < len(s) {
		if byteClass[s[i]]&isSpaceByte != 0 {
			i++
			continue
		}
		if s[i] != '&' || flags&hasReference == 0 {
			break
		}
		r, _, n := readReference(s[i:], false)
		if n == 0 || r == 0 || r >= utf8.RuneSelf || byteClass[r]&isSpaceByte == 0 {
			break
		}
		i += n
	}
	return i
}
