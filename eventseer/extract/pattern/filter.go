package pattern

import (
	"cmp"
	"math"
	"regexp/syntax"
	"slices"
	"unicode"
	"unicode/utf8"
)

// A Text is the set of the trigrams and marks of a text, against which many patterns can be tested fast. A pattern
// whose matches all contain some that the text lacks cannot match. Set prepares a Text. A Text is not safe for
// concurrent use while it is set.
type Text struct {
	trigrams [1 << trigramBits / 64]uint64
	set      bool
	all      bool // the trigrams are unknown
}

// trigramBits is the number of bits of the hash of a trigram.
const trigramBits = 12

// IsSet reports whether Set was called since the last Reset.
func (t *Text) IsSet() bool { return t.set }

// Reset frees t for another text.
func (t *Text) Reset() { t.set = false }

// Set prepares t for a text.
func (t *Text) Set(s string) {
	t.set, t.all = true, !utf8.ValidString(s) // callers may remove invalid bytes from parts of s
	clear(t.trigrams[:])
	codes := uint32(0)
	for i := range len(s) {
		c := s[i]
		code := uint32(codeOf[c])
		if code >= codeMark {
			g := hashTrigram(code)
			t.trigrams[g/64] |= 1 << (g % 64)
		}
		codes = codes<<codeBits | code
		if i >= 2 {
			g := hashTrigram(codes)
			t.trigrams[g/64] |= 1 << (g % 64)
			if c == 0xAA && s[i-1] == 0x84 && s[i-2] == 0xE2 { // the Kelvin sign, which (?i)k matches
				t.all = true
			}
		}
		if c == 0xBF && i > 0 && s[i-1] == 0xC5 { // the long s, which (?i)s matches
			t.all = true
		}
	}
}

func (t *Text) has(g uint16) bool { return t.trigrams[g/64]>>(g%64)&1 != 0 }

// Codes of the bytes of texts and patterns. Upper and lower case are not distinguished.
const (
	codeBits = 6

	codeDigit    = 27
	codeSpace    = 28
	codeNonASCII = 29
	codeControl  = 30
	codeMark     = 31 // the first of 32 codes, one for each mark of ASCII
)

// codeOf are the codes of all bytes: 1 to 26 for the letters of ASCII.
var codeOf = func() (codes [256]uint8) {
	marks := uint8(0)
	for c := range codes {
		switch low := byte(c) | 0x20; {
		case c >= utf8.RuneSelf:
			codes[c] = codeNonASCII
		case low >= 'a' && low <= 'z' && c >= 'A':
			codes[c] = low - 'a' + 1
		case c >= '0' && c <= '9':
			codes[c] = codeDigit
		case c == ' ' || c >= '\t' && c <= '\r':
			codes[c] = codeSpace
		case c < ' ' || c == 0x7f:
			codes[c] = codeControl
		default:
			codes[c] = codeMark + marks
			marks++
		}
	}
	return codes
}()

// hashTrigram returns the hash of the last three codes, or of a single one.
func hashTrigram(codes uint32) uint16 {
	return uint16(codes << (32 - 3*codeBits) * 2654435769 >> (32 - trigramBits))
}

// A filter is a condition that every text with a match of a pattern meets: it has all trigrams of one of these
// clauses. Without clauses it says nothing. A clause repeats a trigram if it has fewer.
type filter [][clauseSize]uint16

const (
	clauseSize = 3  // trigrams of a clause
	maxClauses = 40 // clauses of a filter; testing more takes as long as the automaton
	maxExact   = 64 // texts of a set of texts that a part of a pattern matches
	maxLength  = 40 // codes of such a text
)

// allows reports whether a text may contain a match.
func (f filter) allows(t *Text) bool {
	if len(f) == 0 || t.all {
		return true
	}
	for i := range f {
		if c := &f[i]; t.has(c[0]) && t.has(c[1]) && t.has(c[2]) {
			return true
		}
	}
	return false
}

// newFilter returns the filter of an expression, which has no clauses if nothing is known.
func newFilter(expr string) filter {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil
	}
	var f filter
	for _, c := range requirementOf(re.Simplify()).clauses() {
		f = append(f, c.trigrams)
	}
	slices.SortFunc(f, func(a, b [clauseSize]uint16) int { return slices.Compare(a[:], b[:]) })
	if f = slices.Compact(f); len(f) > maxClauses {
		return nil
	}
	return f
}

// A requirement is what is known of the matches of a part of an expression. exact holds the codes of all texts
// that it may match, unless it is nil. Otherwise every match meets one of needed, if there are any.
type requirement struct {
	exact  []string
	needed []clause
}

// A clause is a condition with an estimate of the share of texts that meet it.
type clause struct {
	trigrams [clauseSize]uint16
	share    float64
}

// clauses returns the conditions of r, of which every match meets one. It returns nil if nothing is known.
func (r requirement) clauses() []clause {
	if r.exact == nil {
		return r.needed
	}
	rest := make([][]trigram, len(r.exact)) // by text: its trigrams
	for i, s := range r.exact {
		if rest[i] = trigramsOf(s); len(rest[i]) == 0 {
			return nil
		}
	}
	var out []clause
	for len(rest) > 0 {
		var c clause
		c, rest = clauseOf(rest)
		out = append(out, c)
	}
	return out
}

// A trigram is the hash of three codes, or of a mark, with an estimate of the share of texts that contain it.
type trigram struct {
	hash  uint16
	share float64
}

// trigramsOf returns the trigrams of s, which are codes, the rarest first.
func trigramsOf(s string) []trigram {
	var all []trigram
	codes := uint32(0)
	for i := range len(s) {
		codes = codes<<codeBits | uint32(s[i])
		if s[i] >= codeMark {
			all = append(all, trigram{hashTrigram(uint32(s[i])), 1e4 * shareOf(s[i])})
		}
		if i >= 2 {
			all = append(all, trigram{hashTrigram(codes), shareOf(s[i]) * shareOf(s[i-1]) * shareOf(s[i-2])})
		}
	}
	slices.SortFunc(all, func(a, b trigram) int { return cmp.Or(cmp.Compare(a.share, b.share), cmp.Compare(a.hash, b.hash)) })
	return slices.Compact(all)
}

// clauseOf returns a condition that some of the given texts meet, and the other texts. The texts are given by their
// trigrams. A greedy choice keeps the number of clauses small.
func clauseOf(texts [][]trigram) (c clause, others [][]trigram) {
	count := map[uint16]int{}
	for _, all := range texts {
		for _, g := range all {
			count[g.hash]++
		}
	}
	var best trigram
	cost := math.Inf(1)
	for _, all := range texts {
		for _, g := range all {
			if x := g.share / float64(count[g.hash]); x < cost {
				best, cost = g, x
			}
		}
	}
	var common []trigram
	for _, all := range texts {
		switch {
		case !slices.Contains(all, best):
			others = append(others, all)
		case common == nil:
			common = slices.Clone(all)
		default:
			common = slices.DeleteFunc(common, func(g trigram) bool { return !slices.Contains(all, g) })
		}
	}
	for i := range c.trigrams {
		c.trigrams[i] = common[min(i, len(common)-1)].hash
	}
	c.share = common[0].share
	return c, others
}

// shareOf returns the approximate share of a code in texts, in percent.
func shareOf(code uint8) float64 {
	if code >= codeMark {
		return .3
	}
	return codeShare[code]
}

// codeShare are the approximate shares of the codes below codeMark. Those of letters are of English texts.
var codeShare = [codeMark]float64{1, 8, 1.5, 3, 4, 12, 2, 2, 5, 7, .2, .8, 4, 2.5, 7, 7.5, 2, .1, 6, 6, 9, 3, 1, 2, .2, 2, .1, 5, 18, 3, .1}

// fewest returns the clauses that the fewest texts meet; nil means that nothing is known.
func fewest(a, b []clause) []clause {
	share := func(cs []clause) float64 {
		sum := 0.0
		for _, c := range cs {
			sum += c.share
		}
		if len(cs) == 0 || len(cs) > maxClauses {
			return math.Inf(1)
		}
		return sum
	}
	if share(b) < share(a) {
		return b
	}
	return a
}

// requirementOf returns what is known of the matches of re.
func requirementOf(re *syntax.Regexp) requirement {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return requirement{exact: []string{""}}
	case syntax.OpLiteral:
		r := requirement{exact: []string{""}}
		for _, c := range re.Rune {
			set, ok := codesOfRune(c, re.Flags&syntax.FoldCase != 0)
			if !ok {
				return requirement{}
			}
			if r.exact = concatenate(r.exact, set); r.exact == nil {
				return requirement{}
			}
		}
		return r
	case syntax.OpCharClass:
		return requirement{exact: codesOfClass(re.Rune)}
	case syntax.OpCapture:
		return requirementOf(re.Sub[0])
	case syntax.OpQuest:
		if r := requirementOf(re.Sub[0]); r.exact != nil {
			return requirement{exact: union(r.exact, []string{""})}
		}
	case syntax.OpPlus:
		return requirement{needed: requirementOf(re.Sub[0]).clauses()}
	case syntax.OpConcat:
		return requirementOfSequence(re.Sub)
	case syntax.OpAlternate:
		return requirementOfAlternatives(re.Sub)
	}
	return requirement{}
}

func requirementOfSequence(subs []*syntax.Regexp) requirement {
	exact, whole := []string{""}, true // exact is the set of texts of the last parts
	var needed []clause
	for _, sub := range subs {
		r := requirementOf(sub)
		if r.exact != nil {
			if more := concatenate(exact, r.exact); more != nil {
				if len(more) > len(exact) { // more texts may need more clauses
					needed = fewest(needed, requirement{exact: exact}.clauses())
				}
				exact = more
				continue
			}
		}
		whole = false
		needed = fewest(fewest(needed, requirement{exact: exact}.clauses()), r.clauses())
		if exact = r.exact; exact == nil {
			exact = []string{""}
		}
	}
	if whole {
		return requirement{exact: exact}
	}
	return requirement{needed: fewest(needed, requirement{exact: exact}.clauses())}
}

func requirementOfAlternatives(subs []*syntax.Regexp) requirement {
	exact, needed := []string{}, []clause{}
	for _, sub := range subs {
		r := requirementOf(sub)
		if exact != nil && r.exact != nil {
			exact = union(exact, r.exact)
		} else {
			exact = nil
		}
		if cs := r.clauses(); needed != nil && len(cs) > 0 {
			needed = append(needed, cs...)
		} else {
			needed = nil
		}
	}
	return requirement{exact: exact, needed: needed}
}

// union returns the texts of both sets, or nil if they are too many.
func union(a, b []string) []string {
	all := slices.Concat(a, b)
	slices.Sort(all)
	if all = slices.Compact(all); len(all) > maxExact {
		return nil
	}
	return all
}

// concatenate returns each text of a followed by each of b, or nil if they are too many or too long.
func concatenate(a, b []string) []string {
	if len(a)*len(b) > 2*maxExact {
		return nil
	}
	var all []string
	for _, x := range a {
		for _, y := range b {
			if len(x)+len(y) > maxLength {
				return nil
			}
			all = append(all, x+y)
		}
	}
	return union(all, nil)
}

// codesOfRune returns the codes of the texts that a rune matches, in both cases if fold is true. ok is false if
// they are unknown.
func codesOfRune(r rune, fold bool) (set []string, ok bool) {
	for f := r; ; {
		if f == utf8.RuneError { // invalid bytes match it too
			return nil, false
		}
		if f != kelvin && f != longS {
			set = union(set, []string{codesOfText(string(f))})
		}
		if f = unicode.SimpleFold(f); !fold || f == r {
			return set, len(set) > 0
		}
	}
}

// A Text with one of these runes, which (?i)k and (?i)s match, is not filtered.
const (
	kelvin = '\u212A'
	longS  = '\u017F'
)

func codesOfText(s string) string {
	b := make([]byte, len(s))
	for i := range len(s) {
		b[i] = codeOf[s[i]]
	}
	return string(b)
}

// codesOfClass returns the codes of the runes in a class, given as pairs of bounds, or nil if they are unknown
// or too many.
func codesOfClass(bounds []rune) []string {
	const maxCodes, maxRunes = 6, 256
	var set []string
	runes := 0
	for i := 0; i+1 < len(bounds); i += 2 {
		for r := bounds[i]; r <= bounds[i+1]; r++ {
			if runes++; runes > maxRunes {
				return nil
			}
			if r == kelvin || r == longS {
				continue
			}
			codes, ok := codesOfRune(r, false)
			if set = union(set, codes); !ok || len(set) > maxCodes {
				return nil
			}
		}
	}
	return set
}
