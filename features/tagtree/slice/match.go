package slice

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/features/tagtree"
	"github.com/eventseer/eventseer/internal/text"

	"golang.org/x/text/unicode/norm"
)

// A matcher finds the terms of a query in a sequence of words.
type matcher struct {
	norm     func(string) string
	exact    map[string]int32 // numbers, from 1, of words that are compared as written
	folded   map[string]int32 // numbers of words that are compared in the form returned by norm
	memo     map[string]int32 // cache: word of the page → its number after norm
	patterns [][]pattern      // patterns by the number of their last word
	// found is called for each occurrence with the number of the term and its first and last word.
	found func(term int, first, last seenWord)

	seen  [maxPhrase]seenWord // ring buffer of the last words
	count int                 // number of words seen in the current text
	line  int32               // number of the current line
}

// A pattern is one form of a term as the numbers of its words, last word first.
type pattern struct {
	words []int32
	exact bool
	term  int
}

// A seenWord is a word of the page with its numbers and position. A number is 0 if no pattern has the word.
type seenWord struct {
	exact, folded int32
	from, to      position
	line          int32
}

func newMatcher(q *Query, found func(term int, first, last seenWord)) *matcher {
	m := &matcher{
		norm: q.norm, exact: make(map[string]int32), folded: make(map[string]int32), memo: make(map[string]int32),
		patterns: make([][]pattern, 1), found: found,
	}
	for i, t := range q.terms {
		for _, f := range t.forms {
			m.addPattern(f, i, t.phrase || m.norm == nil)
		}
	}
	return m
}

func (m *matcher) addPattern(f form, term int, exact bool) {
	p := pattern{exact: exact, term: term}
	for i := len(f) - 1; i >= 0; i-- {
		word, numbers := withoutAccents(f[i]), m.exact
		if !exact {
			word, numbers = withoutAccents(m.norm(f[i])), m.folded
		}
		n, ok := numbers[word]
		if !ok {
			n = int32(len(m.patterns))
			numbers[word] = n
			m.patterns = append(m.patterns, nil)
		}
		p.words = append(p.words, n)
	}
	m.patterns[p.words[0]] = append(m.patterns[p.words[0]], p)
}

// beginText begins a new text. Phrases do not continue from the previous one.
func (m *matcher) beginText() { m.count = 0 }

// addWord adds the next word, in lower case, and reports the terms that end with it.
func (m *matcher) addWord(word []byte, from, to position) {
	w := seenWord{from: from, to: to, line: m.line}
	w.exact, w.folded = m.wordNumbers(word)
	m.seen[m.count%maxPhrase] = w
	m.count++
	m.reportPatterns(w, w.exact, true)
	m.reportPatterns(w, w.folded, false)
}

// wordNumbers returns the number of a word as written and its number in the form returned by norm.
func (m *matcher) wordNumbers(word []byte) (exact, folded int32) {
	if text.IsASCII(string(word)) {
		exact = m.exact[string(word)]
	} else {
		exact = m.exact[withoutAccents(string(word))]
	}
	if m.norm == nil {
		return exact, 0
	}
	folded, ok := m.memo[string(word)]
	if !ok {
		s := string(word)
		folded = m.folded[withoutAccents(m.norm(s))]
		if len(m.memo) < maxFoldedWords {
			m.memo[s] = folded
		}
	}
	return exact, folded
}

// reportPatterns reports the patterns that end with word number n.
func (m *matcher) reportPatterns(last seenWord, n int32, exact bool) {
	if n == 0 {
		return
	}
	for _, p := range m.patterns[n] {
		if p.exact == exact && len(p.words) <= m.count && m.endsWith(p) {
			m.found(p.term, m.seen[(m.count-len(p.words))%maxPhrase], last)
		}
	}
}

// endsWith reports whether the last words seen are those of a pattern.
func (m *matcher) endsWith(p pattern) bool {
	for i, n := range p.words {
		w := &m.seen[(m.count-1-i)%maxPhrase]
		if p.exact && w.exact != n || !p.exact && w.folded != n {
			return false
		}
	}
	return true
}

// A position is a byte offset in a piece of text.
type position struct{ piece, offset int32 }

// A wordReader splits text that comes in pieces into words. Words are runs of letters, digits and their
// marks; in scripts without spaces each character is a word. A word may begin in one piece and end in
// another.
type wordReader struct {
	// emit is called with each word in lower case, its start and its end. It must not retain the slice.
	emit func(word []byte, from, to position)

	word     []byte
	runes    int
	from, to position
}

// readPiece reads a piece of text. piece is the index of its node.
func (z *wordReader) readPiece(s string, piece int32) {
	for i := 0; i < len(s); {
		r, size := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRuneInString(s[i:])
		}
		switch {
		case r < utf8.RuneSelf:
			if c := byte(r); c|0x20 >= 'a' && c|0x20 <= 'z' {
				z.addRune(rune(c|0x20), piece, i, size)
			} else if c >= '0' && c <= '9' {
				z.addRune(r, piece, i, size)
			} else {
				z.endWord()
			}
		case isUnspaced(r):
			z.endWord()
			z.addRune(r, piece, i, size)
			z.endWord()
		case unicode.In(r, unicode.L, unicode.Nd, unicode.M):
			z.addRune(unicode.ToLower(r), piece, i, size)
		case r >= 0xA0 && tagtree.IsInvisible(r):
		default:
			z.endWord()
		}
		i += size
	}
}

func (z *wordReader) addRune(r rune, piece int32, i, size int) {
	if z.runes == 0 {
		z.from = position{piece, int32(i)}
	}
	z.to = position{piece, int32(i + size)}
	if z.runes++; z.runes <= maxSearchWord {
		z.word = utf8.AppendRune(z.word, r)
	}
}

// endWord ends the current word, if there is one. A word longer than maxSearchWord is dropped.
func (z *wordReader) endWord() {
	if z.runes > 0 && z.runes <= maxSearchWord {
		z.emit(z.word, z.from, z.to)
	}
	z.word, z.runes = z.word[:0], 0
}

// isUnspaced reports whether a rune belongs to a script that does not separate words by spaces. It includes
// Korean because its words carry particles.
func isUnspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && unicode.IsLetter(r)
}

// plainLetters replaces letters with a stroke and ligatures, which Unicode does not decompose.
var plainLetters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "đ", "d", "ð", "d", "ł", "l", "þ", "th", "ı", "i", "ς", "σ")

// withoutAccents returns a word in lower case without diacritics. Other marks, such as the vowel signs of Hindi,
// are kept.
func withoutAccents(word string) string {
	if text.IsASCII(word) {
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

// isDiacritic reports whether a rune is a mark of the Latin, Greek, Cyrillic, Hebrew or Arabic script that
// people often omit.
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

// A queryAnswer decides which occurrences of its terms a query matches.
type queryAnswer struct {
	seen  map[occurrence]bool
	alive map[*expression]bool // for each AND, true if the page contains all its operands
}

// An occurrence is the set of terms found in one node and the set of terms in the line around it.
type occurrence struct{ terms, line uint64 }

func newQueryAnswer(q *Query, l *labelReader) *queryAnswer {
	a := &queryAnswer{seen: make(map[occurrence]bool), alive: make(map[*expression]bool)}
	for _, h := range l.hits {
		a.seen[occurrence{h.terms, l.lines[h.line]}] = true
	}
	a.evaluateAnds(q.root)
	return a
}

// evaluateAnds sets alive for each AND, inner ones first.
func (a *queryAnswer) evaluateAnds(e *expression) {
	for _, k := range e.kids {
		a.evaluateAnds(k)
	}
	if e.op == allOf {
		all := true
		for _, k := range e.kids {
			all = all && a.hasOccurrence(k)
		}
		a.alive[e] = all
	}
}

func (a *queryAnswer) hasOccurrence(e *expression) bool {
	for o := range a.seen {
		if a.matchesNode(e, o.terms, o.line) {
			return true
		}
	}
	return false
}

// matchesNode reports whether e matches a node with the given terms in a line with the given terms.
func (a *queryAnswer) matchesNode(e *expression, terms, line uint64) bool {
	switch e.op {
	case isTerm:
		return terms&(1<<e.term) != 0
	case without:
		return a.matchesNode(e.kids[0], terms, line) && !e.kids[1].isTrue(line)
	case allOf:
		if !a.alive[e] {
			return false
		}
	}
	return slices.ContainsFunc(e.kids, func(k *expression) bool { return a.matchesNode(k, terms, line) })
}

// isTrue reports whether e is true for the set of terms in a line.
func (e *expression) isTrue(line uint64) bool {
	switch e.op {
	case isTerm:
		return line&(1<<e.term) != 0
	case without:
		return e.kids[0].isTrue(line) && !e.kids[1].isTrue(line)
	}
	for _, k := range e.kids {
		if k.isTrue(line) == (e.op == anyOf) {
			return e.op == anyOf
		}
	}
	return e.op == allOf
}
