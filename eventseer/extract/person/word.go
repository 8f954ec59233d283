package person

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A shape is the kind of letters that a word is written with.
type shape uint8

const (
	lower   shape = iota // such as "university"
	initial              // such as "J.", "J", "M.S."
	capital              // such as "Anna"
	upper                // such as "MARSH"
	mixed                // such as "McDonald", "d'Arco", "P.Marsh"
	han                  // Chinese characters, in Japanese also kana
	hangul
	uncased // Arabic, Devanagari and other scripts without capitals
	digits  // contains a digit
)

// A markKind is the kind of mark between two words, the one closest to the word in question.
type markKind uint8

const (
	none  markKind = iota // no character: the script changes
	space                 // only white space
	comma
	semicolon
	opened // an opening bracket
	closed // a closing bracket
	colon
	dash
	slash
	bullet // a bar or a middle dot
	stop
	quote
	other
	edge // start or end of the block
)

// A word is a run of letters, including hyphens, apostrophes and the full stops of initials.
type word struct {
	from, to      int
	shape         shape
	runes         int
	before, after markKind // closest mark before and after the word
	folded        string
	title         bool // a title printed before or after a name, not part of the name
	// begins and ends report that an element of the page, or the block, begins or ends with the word. A
	// link or span may contain only a name.
	begins, ends bool
}

// splitWords splits a text into at most maxWords words. edges are the bytes, ascending, at which elements inside
// the text begin or end. Two words without a space between them are separated at an edge. The words are written
// to the memory of ws if they fit.
func splitWords(ws []word, s string, edges []int32) []word {
	ws = ws[:0]
	for i := 0; i < len(s) && len(ws) < maxWords; {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !isInWord(r) {
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
			if next, _ := utf8.DecodeRuneInString(s[at:]); unicode.IsUpper(next) && int(at)-i > 2 || isEastAsian(next) {
				end = int(at)
			}
		}
		end = i + lenWithoutHonorific(s[i:end])
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

// titles are printed before or after names and are not part of them. links are words between the names of a
// list.
var (
	titles = wordSetOf(`prof professor profa profª prof.ª professora profesor profesora prof.dr dr dra drs mr mrs ms mme mtro mtra doctor doctora assoc asst assist
		associate assistant adjunct dipl habil ing dr.-ing dr-ing jun jun.-prof priv.-doz pd sir dame rev hon er shri smt pr em emer emeritus emerita
		ph.d phd m.sc msc b.sc bsc m.a m.phil mphil d.phil dphil mba m.b.a m.d jr sr ii iii esq ceng fieee p.e ll.m d.sc dsc m.tech b.tech m.e m.ed mag lic ir ts sri dott dott.ssa`)
	links = wordSetOf("and und et y e i och og en и та ve und & و")
)

// honorifics follow names in Chinese characters and Hangul without a space. Longer ones come first.
var honorifics = [...]string{"副教授", "助理教授", "特聘教授", "教授", "副研究员", "研究员", "研究員", "工程师", "院士", "博士", "老师", "老師", "先生", "女士", "准教授", "講師", "讲师", "교수", "박사"}

// lenWithoutHonorific returns the length in bytes of w without the honorific after a name, or the length of w
// if it has none.
func lenWithoutHonorific(w string) int {
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

// Limits in bytes: a name before an honorific has minName to maxHonored, the word with both at least
// minHonored.
const (
	minName    = 6
	minHonored = 12
	maxHonored = 12
)

func isInWord(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9'
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
}

// wordEnd returns the end of the word that begins at byte i.
func wordEnd(s string, i int) int {
	letters := 0 // letters since the last full stop or hyphen
	first, _ := utf8.DecodeRuneInString(s[i:])
	east := isEastAsian(first)
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case isInWord(r):
			if isEastAsian(r) != east {
				return i
			}
			letters++
		case r == '\'' || r == '’' || r == '`' || r == '-' || r == '‐' || r == '‑':
			if next, _ := utf8.DecodeRuneInString(s[i+n:]); !isInWord(next) || letters == 0 {
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
			if !isInWord(next) && next != '-' {
				return i + n
			}
		default:
			return i
		}
		i += n
	}
	return i
}

func isEastAsian(r rune) bool {
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
	case isEastAsian(first):
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

// firstMark returns the first mark of the text between two words, and lastMark the last one.
func firstMark(s string) markKind {
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

func lastMark(s string) markKind {
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

func markOf(r rune) markKind {
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

// Fold returns a word in lower case without accents.
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
