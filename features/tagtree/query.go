package tagtree

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// ErrEmptyQuery is returned for a query that holds no word to look for.
var ErrEmptyQuery = errors.New("query is empty: give at least one word")

// Limits on a query. A term is a word or a phrase.
const (
	maxQuery       = 1000 // bytes
	maxTerms       = 64   // of a query: a bit each
	maxNesting     = 32   // of parentheses
	maxPhrase      = 32   // words of a phrase
	maxSynonyms    = 100  // of a word
	maxSearchWord  = 64   // runes of a word; a longer one of a page is never found
	maxFoldedWords = 100_000
)

// A Query says what a reader looks for on a page (paper 003, definition 3). It
// is read-only and may be shared between goroutines.
//
// A query is made of words and of "exact phrases"; - before one, a parenthesis
// or a word in capitals says how they work together. What they find are key
// nodes: elements whose label (text or attributes) contains the word.
//
//	a b        nodes with a and nodes with b, as the paper iterates over the words
//	a OR b     the same
//	a AND b    the same, if the page holds both; nothing if it does not
//	a NOT b    nodes with a whose own line of text, or attribute, does not hold b
//	a -b       the same; a b -c is (a OR b) NOT c
//	"a b"      nodes with a directly followed by b, whatever marks stand between
//
// AND asks the page as a whole, for what belongs together seldom stands in one
// element. NOT asks the line only: a page that says "extended" anywhere may well
// hold a deadline that is not. NOT binds closest, then AND, then words side by
// side, then OR; parentheses group. A query of nothing but NOT is an error.
//
// Words are compared whole, in lower case and without diacritics. Scripts that
// do not part words by spaces (Chinese, Japanese, Thai), and Korean, are
// compared character by character, so that a word is found within a text.
type Query struct {
	root  *expression
	terms []term
	norm  func(string) string
}

// A term is what stands for one thing to look for: any of its forms will do.
type term struct {
	forms  []form
	phrase bool // as written in quotes
}

// A form is a sequence of words in lower case.
type form []string

// An expression says how terms work together.
type expression struct {
	op   operator
	term int           // of isTerm
	kids []*expression // of anyOf and allOf; of without: what is wanted, what is not
}

type operator uint8

const (
	isTerm operator = iota
	anyOf
	allOf
	without
)

// ParseQuery reads a query. It returns ErrEmptyQuery if s holds no letter or
// digit to look for, and an error that says what and where if s is longer than
// 1,000 bytes, has more than 64 terms or 32 nested parentheses, an operator
// without its operands, or a quote or parenthesis without its partner.
func ParseQuery(s string) (*Query, error) {
	if len(s) > maxQuery {
		return nil, fmt.Errorf("query of %d bytes: at most %d are read", len(s), maxQuery)
	}
	p := queryParser{in: strings.ToValidUTF8(s, "\ufffd")}
	root, err := p.parse()
	switch {
	case err != nil:
		return nil, fmt.Errorf("query %q: %w", s, err)
	case len(p.terms) == 0:
		return nil, ErrEmptyQuery
	case root.not:
		return nil, fmt.Errorf("query %q says only what is not wanted: add a word to look for", s)
	}
	return &Query{root: root.expression, terms: p.terms}, nil
}

// Expand returns a copy of q in which each word also stands for its synonyms:
// the words, or sequences of words, that same returns for it, of which the
// first 100 count. Exact phrases stay as they are. same is called once for each
// word, in lower case, during Expand.
func (q *Query) Expand(same func(word string) []string) *Query {
	terms := make([]term, len(q.terms))
	for i, t := range q.terms {
		terms[i] = t
		if t.phrase || len(t.forms[0]) != 1 {
			continue
		}
		forms := []form{t.forms[0]}
		for _, synonym := range same(t.forms[0][0]) {
			if f := splitWords(synonym); len(f) > 0 && len(f) <= maxPhrase && len(forms) <= maxSynonyms {
				forms = append(forms, f)
			}
		}
		terms[i].forms = forms
	}
	return &Query{root: q.root, terms: terms, norm: q.norm}
}

// Fold returns a copy of q that takes words for equal if norm makes them so, as
// a stemmer does. norm is called with words in lower case, from any goroutine
// that slices; what it returns is compared without diacritics. Exact phrases
// are compared as written.
func (q *Query) Fold(norm func(word string) string) *Query {
	return &Query{root: q.root, terms: q.terms, norm: norm}
}

// String returns the query with all its parentheses, for messages and logs.
func (q *Query) String() string { return q.write(q.root, false) }

func (q *Query) write(e *expression, inner bool) string {
	if e.op == isTerm {
		t := q.terms[e.term]
		if s := strings.Join(t.forms[0], " "); t.phrase || len(t.forms[0]) > 1 {
			return `"` + s + `"`
		} else {
			return s
		}
	}
	parts := make([]string, len(e.kids))
	for i, k := range e.kids {
		parts[i] = q.write(k, true)
	}
	s := strings.Join(parts, [...]string{anyOf: " OR ", allOf: " AND ", without: " NOT "}[e.op])
	if inner {
		return "(" + s + ")"
	}
	return s
}

// splitWords returns the words of s in lower case, one a character in scripts
// without spaces. A word that is too long to be found ends it.
func splitWords(s string) form {
	var f form
	z := wordReader{emit: func(w []byte, _, _ position) { f = append(f, string(w)) }}
	z.read(s, 0)
	z.end()
	return f
}

// cutQuote returns what stands in a quote that s begins with after its first
// rune, and how many bytes both quotes and it take; ok is false without a
// closing quote.
func cutQuote(s string) (inside string, size int, ok bool) {
	_, first := utf8.DecodeRuneInString(s)
	end := strings.IndexFunc(s[first:], isQuote)
	if end < 0 {
		return "", 0, false
	}
	_, last := utf8.DecodeRuneInString(s[first+end:])
	return s[first : first+end], first + end + last, true
}

// isQuote reports whether a rune quotes: word processors make curly ones.
func isQuote(r rune) bool {
	return r == '"' || r == '“' || r == '”' || r == '„' || r == '«' || r == '»'
}
