package person

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A shape is how a word is written.
type shape uint8

const (
	lower   shape = iota // "university"
	initial              // "J.", "J", "M.S."
	capital              // "Anna"
	upper                // "MARSH"
	mixed                // "McDonald", "d'Arco", "P.Marsh"
	han                  // Chinese characters, with kana in Japanese
	hangul
	uncased // Arabic, Devanagari and other scripts without capitals
	digits  // with a digit
)

// A gap is what is between two words: the mark nearest to one of them.
type gap uint8

const (
	none  gap = iota // another script begins
	space            // white space alone
	comma
	semicolon
	opened // a bracket opens
	closed // a bracket closes
	colon
	dash
	slash
	bullet // a bar or a middle dot
	stop
	quote
	other
	edge // begin or end of the block
)

// A word is a run of letters. Hyphens, apostrophes and the points of initials are of it.
type word struct {
	from, to      int
	shape         shape
	runes         int
	before, after gap // the mark nearest to the word on either side
	folded        string
	title         bool // printed before or after names, no part of them
	// begins and ends tell that an element of the page, or the block, does so there: a link
	// or span may hold a name alone.
	begins, ends bool
}

// words splits a text into at most maxWords words; edges are where elements within it begin
// or end, in order. Words run together at an edge are two.
func words(s string, edges []int32) []word {
	var ws []word
	for i := 0; i < len(s) && len(ws) < maxWords; {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !inWord(r) {
			i += n
			continue
		}
		end := wordEnd(s, i)
		begins := false
		for len(edges) > 0 && int(edges[0]) <= i {
			begins = true
			edges = edges[1:]
		}
		for _, at := range edges {
			if int(at) >= end {
				break
			}
			if next, _ := utf8.DecodeRuneInString(s[at:]); unicode.IsUpper(next) && int(at)-i > 2 || eastAsian(next) {
				end = int(at)
			}
		}
		end = i + beforeHonorific(s[i:end])
		w := word{from: i, to: end, before: edge, after: edge, begins: begins || len(ws) == 0}
		w.shape, w.runes = shapeOf(s[i:end])
		w.folded = Fold(s[i:end])
		w.title = titles[strings.Trim(w.folded, ".")] || w.shape >= han && slices.Contains(honorifics[:], s[i:end])
		last := 0
		if k := len(ws) - 1; k >= 0 {
			last = ws[k].to
			ws[k].after = firstMark(s[last:i])
			ws[k].ends = begins
		}
		if len(ws) > 0 || strings.TrimSpace(s[last:i]) != "" {
			w.before = lastMark(s[last:i])
		}
		ws = append(ws, w)
		i = end
	}
	if k := len(ws) - 1; k >= 0 {
		ws[k].ends = true
		if m := firstMark(s[ws[k].to:]); m > space {
			ws[k].after = m
		}
	}
	return ws
}

// titles are what is printed before or after a name and is no part of it; links are between the
// names of a list.
var (
	titles = setOf(`prof professor profa profª prof.ª professora profesor profesora prof.dr dr dra drs mr mrs ms mme mtro mtra doctor doctora assoc asst assist
		associate assistant adjunct dipl habil ing dr.-ing dr-ing jun jun.-prof priv.-doz pd sir dame rev hon er shri smt pr em emer emeritus emerita
		ph.d phd m.sc msc b.sc bsc m.a m.phil mphil d.phil dphil mba m.b.a m.d jr sr ii iii esq ceng fieee p.e ll.m d.sc dsc m.tech b.tech m.e m.ed mag lic ir ts sri dott dott.ssa`)
	links = setOf("and und et y e i och og en и та ve und & و")
)

// honorifics are after names in Chinese characters and Hangul with nothing between, the longer
// first.
var honorifics = [...]string{"副教授", "助理教授", "特聘教授", "教授", "副研究员", "研究员", "研究員", "工程师", "院士", "博士", "老师", "老師", "先生", "女士", "准教授", "講師", "讲师", "교수", "박사"}

// beforeHonorific returns where the honorific after the name that a word holds begins, the length
// of the word if there is none.
func beforeHonorific(w string) int {
	if len(w) < minHonored || w[0] < utf8.RuneSelf {
		return len(w)
	}
	for _, h := range honorifics {
		if n := len(w) - len(h); n >= minName && n <= maxHonored && strings.HasSuffix(w, h) {
			return n
		}
	}
	return len(w)
}

// The lengths of such a name, and of it with an honorific, in bytes.
const (
	minName    = 6
	minHonored = 12
	maxHonored = 12
)

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
}

// wordEnd returns where the word that begins at i ends.
func wordEnd(s string, i int) int {
	letters := 0 // since the last point or hyphen
	first, _ := utf8.DecodeRuneInString(s[i:])
	east := eastAsian(first)
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case inWord(r):
			if eastAsian(r) != east {
				return i
			}
			letters++
		case r == '\'' || r == '’' || r == '`' || r == '-' || r == '‐' || r == '‑':
			if next, _ := utf8.DecodeRuneInString(s[i+n:]); !inWord(next) || letters == 0 {
				return i
			}
			if r == '-' || r == '‐' || r == '‑' {
				letters = 0
			}
		case r == '.':
			next, _ := utf8.DecodeRuneInString(s[i+n:])
			if letters == 0 || letters > 2 && !unicode.IsUpper(next) {
				return i
			}
			letters = 0
			if !inWord(next) && next != '-' {
				return i + n
			}
		default:
			return i
		}
		i += n
	}
	return i
}

func eastAsian(r rune) bool {
	return r >= '\u1100' && (unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) || r == 'ー')
}

func shapeOf(s string) (shape, int) {
	n, letters, ups, points := 0, 0, 0, 0
	first := rune(0)
	cased, lowers, number := false, 0, false
	for _, r := range s {
		n++
		switch {
		case r >= '0' && r <= '9' || unicode.IsDigit(r):
			number = true
		case r == '.':
			points++
		case unicode.IsUpper(r) || unicode.IsTitle(r):
			ups++
			letters++
			cased = true
		case unicode.IsLower(r):
			lowers++
			letters++
			cased = true
		case unicode.IsLetter(r):
			letters++
		}
		if first == 0 && unicode.IsLetter(r) {
			first = r
		}
	}
	switch {
	case number:
		return digits, n
	case unicode.Is(unicode.Hangul, first):
		return hangul, n
	case eastAsian(first):
		return han, n
	case !cased:
		return uncased, n
	case ups == 0:
		return lower, n
	case lowers == 0 && (letters == 1 || points > 0 && letters <= 4):
		return initial, n
	case lowers == 0:
		return upper, n
	case ups == 1 && unicode.IsUpper(first) && (points == 0 || n <= 4):
		return capital, n
	}
	return mixed, n
}

// firstMark and lastMark return the marks of what is between two words that are nearest to the
// first and to the second.
func firstMark(s string) gap {
	if s == "" {
		return none
	}
	for _, r := range s {
		if g := markOf(r); g != space {
			return g
		}
	}
	return space
}

func lastMark(s string) gap {
	if s == "" {
		return none
	}
	for len(s) > 0 {
		r, n := utf8.DecodeLastRuneInString(s)
		if g := markOf(r); g != space {
			return g
		}
		s = s[:len(s)-n]
	}
	return space
}

func markOf(r rune) gap {
	switch r {
	case ' ', '\t', '\u00a0':
		return space
	case ',', '，', '、', '،':
		return comma
	case ';', '；', '؛', '\n':
		return semicolon
	case '(', '（', '[', '<', '{', '【', '［':
		return opened
	case ')', '）', ']', '>', '}', '】', '］':
		return closed
	case ':', '：':
		return colon
	case '-', '–', '—', '‒', '−', '―', '~':
		return dash
	case '/', '／':
		return slash
	case '|', '·', '•', '・', '∙', '●', '▪', '◦', '*', '‧', '⋅':
		return bullet
	case '.', '!', '?', '。':
		return stop
	case '"', '“', '”', '„', '«', '»', '\'', '‘', '’':
		return quote
	}
	if unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) {
		return space
	}
	return other
}

// Fold lower-cases a word and takes its accents away.
func Fold(s string) string {
	plain := true
	for i := 0; i < len(s) && plain; i++ {
		plain = s[i] < utf8.RuneSelf
	}
	if plain {
		return strings.ToLower(s)
	}
	return strings.ToLower(strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Mn, r):
			return -1
		case r == 'ø' || r == 'Ø':
			return 'o'
		case r == 'ł' || r == 'Ł':
			return 'l'
		case r == 'ı':
			return 'i'
		}
		return r
	}, norm.NFD.String(s)))
}
