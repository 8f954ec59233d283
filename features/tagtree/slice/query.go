package slice

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// ErrEmptyQuery is returned for a query without a letter or digit to search for.
var ErrEmptyQuery = errors.New("query is empty: give at least one word")

// Limits on a query. A term is a word or a phrase.
const (
	maxQuery       = 1000 // bytes of a query
	maxTerms       = 64   // terms of a query, which are the bits of an uint64
	maxNesting     = 32   // nested parentheses and NOTs
	maxPhrase      = 32   // words of a phrase
	maxSynonyms    = 100  // synonyms of a word
	maxSearchWord  = 64   // runes of a word; longer words in a page are never found
	maxFoldedWords = 100_000
)

// A Query describes what a reader searches for on a page (paper 003, definition 3). It is read-only and may
// be shared between goroutines.
//
// A query consists of words, "exact phrases" and operators: parentheses, a minus sign before a word, or AND,
// OR and NOT in capitals. Its result is key nodes, which are elements whose label (text or attributes)
// contains the word.
//
//	a b        nodes with a and nodes with b, as the paper iterates over the words
//	a OR b     the same
//	a AND b    the same if the page contains both, otherwise nothing
//	a NOT b    nodes with a whose own line of text, or attribute, does not contain b
//	a -b       the same; a b -c is (a OR b) NOT c
//	"a b"      nodes with a directly followed by b, with any punctuation between
//
// AND applies to the page as a whole, because related terms are seldom in one element. NOT applies only to
// the line: a page that contains "extended" somewhere may still have a deadline that is not extended. NOT
// binds most closely, then AND, then adjacent words, then OR. A query that consists only of NOT is an error.
//
// Words are compared as a whole, in lower case and without diacritics. Chinese, Japanese, Thai and similar
// scripts do not separate words by spaces; these and Korean are compared character by character, so that a
// word is found anywhere in a text.
type Query struct {
	root  *expression
	terms []term
	norm  func(string) string
}

// A term is a word or phrase to search for. Any of its forms matches.
type term struct {
	forms  []form
	phrase bool // true for a phrase in quotes
}

// A form is a sequence of words in lower case.
type form []string

// An expression is a term or an operator with its operands.
type expression struct {
	op   operator
	term int           // index in Query.terms, for isTerm
	kids []*expression // operands; for without, what is wanted and what is excluded
}

type operator uint8

const (
	isTerm operator = iota
	anyOf
	allOf
	without
)

// ParseQuery parses a query. It returns ErrEmptyQuery if s has no letter or digit to search for. Other errors
// state the problem and its position: s has more than 1,000 bytes, 64 terms or 32 nested parentheses, or an
// operator, quote or parenthesis is incomplete.
func ParseQuery(s string) (*Query, error) {
	if len(s) > maxQuery {
		return nil, fmt.Errorf("the query has %d bytes, at most %d are allowed", len(s), maxQuery)
	}
	p := queryParser{in: strings.ToValidUTF8(s, "\ufffd")}
	root, err := p.parseQuery()
	switch {
	case err != nil:
		return nil, fmt.Errorf("query %q: %w", s, err)
	case len(p.terms) == 0:
		return nil, ErrEmptyQuery
	case root.not:
		return nil, fmt.Errorf("query %q only excludes words: add a word to search for", s)
	}
	return &Query{root: root.expression, terms: p.terms}, nil
}

// WithSynonyms returns a copy of q in which each word also matches its synonyms. These are the words or sequences
// of words that same returns for the word, at most 100. Exact phrases do not change. same is called once for
// each word, in lower case, before Expand returns.
func (q *Query) WithSynonyms(same func(word string) []string) *Query {
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

// NormalizedBy returns a copy of q that compares words by norm, for example a stemmer. norm is called with words in
// lower case, from any goroutine that slices a page. Its results are compared without diacritics. Exact
// phrases are compared as written.
func (q *Query) NormalizedBy(norm func(word string) string) *Query {
	return &Query{root: q.root, terms: q.terms, norm: norm}
}

// String returns the query with all parentheses, for messages and logs.
func (q *Query) String() string { return q.expressionText(q.root, false) }

func (q *Query) expressionText(e *expression, inner bool) string {
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
		parts[i] = q.expressionText(k, true)
	}
	s := strings.Join(parts, [...]string{anyOf: " OR ", allOf: " AND ", without: " NOT "}[e.op])
	if inner {
		return "(" + s + ")"
	}
	return s
}

// splitWords returns the words of s in lower case. In scripts without spaces each character is a word. Words
// longer than maxSearchWord are omitted.
func splitWords(s string) form {
	var f form
	z := wordReader{emit: func(w []byte, _, _ position) { f = append(f, string(w)) }}
	z.readPiece(s, 0)
	z.endWord()
	return f
}

// cutQuote returns the text inside the quotes at the start of s, and the length in bytes with both quotes. ok
// is false if there is no closing quote.
func cutQuote(s string) (inside string, size int, ok bool) {
	_, first := utf8.DecodeRuneInString(s)
	end := strings.IndexFunc(s[first:], isQuote)
	if end < 0 {
		return "", 0, false
	}
	_, last := utf8.DecodeRuneInString(s[first+end:])
	return s[first : first+end], first + end + last, true
}

// isQuote reports whether a rune is a quotation mark, straight or typographic.
func isQuote(r rune) bool {
	return r == '"' || r == '“' || r == '”' || r == '„' || r == '«' || r == '»'
}

// A queryParser parses the grammar
//
//	or   = list { "OR" list }
//	list = and { and }
//	and  = not { "AND" not }
//	not  = [ "NOT" | "-" ] not | "(" or ")" | phrase | word
type queryParser struct {
	in    string
	at    int // offset of the next byte
	terms []term
	depth int
}

// An operand is an expression that may be negated. The expression is nil if its words have no letter or
// digit.
type operand struct {
	*expression
	not bool
}

var errTerms = fmt.Errorf("the query has more than %d words and phrases", maxTerms)

func (p *queryParser) parseQuery() (operand, error) {
	o, err := p.parseOr()
	if err == nil && p.peekToken() == ")" {
		err = fmt.Errorf("the %q at byte %d has no opening parenthesis: remove it", ")", p.at)
	}
	return o, err
}

func (p *queryParser) parseOr() (operand, error) {
	var all []operand
	for {
		o, err := p.parseList()
		if err != nil {
			return o, err
		}
		if o.expression != nil {
			all = append(all, o)
		}
		if p.peekToken() != "OR" {
			break
		}
		p.skipToken("OR")
	}
	if len(all) > 1 {
		for _, o := range all {
			if o.not {
				return o, errors.New("one side of OR only excludes words: add a word to search for")
			}
		}
	}
	return combineOperands(anyOf, all), nil
}

// parseList parses adjacent operands up to OR, a closing parenthesis or the end.
func (p *queryParser) parseList() (operand, error) {
	var all []operand
	start := p.at
	for n := 0; ; n++ {
		switch next := p.peekToken(); next {
		case "AND":
			return operand{}, fmt.Errorf("AND at byte %d has nothing before it", p.at)
		case "", ")", "OR":
			if n == 0 && (next == "OR" || p.depth > 0 || start > 0) {
				return operand{}, fmt.Errorf("a word is missing at byte %d", p.at)
			}
			return combineOperands(anyOf, all), nil
		}
		o, err := p.parseAnd()
		if err != nil {
			return o, err
		}
		if o.expression != nil {
			all = append(all, o)
		}
	}
}

func (p *queryParser) parseAnd() (operand, error) {
	o, err := p.parseNot()
	all := []operand{o}
	for err == nil && p.peekToken() == "AND" {
		p.skipToken("AND")
		o, err = p.parseNot()
		all = append(all, o)
	}
	if err != nil {
		return o, err
	}
	known := all[:0]
	for _, o := range all {
		if o.expression != nil {
			known = append(known, o)
		}
	}
	return combineOperands(allOf, known), nil
}

func (p *queryParser) parseNot() (operand, error) {
	switch next := p.peekToken(); next {
	case "NOT", "-":
		if p.depth++; p.depth > maxNesting {
			return operand{}, fmt.Errorf("parentheses and NOTs are nested more than %d deep", maxNesting)
		}
		p.skipToken(next)
		o, err := p.parseNot()
		p.depth--
		o.not = !o.not && o.expression != nil
		return o, err
	case "(":
		return p.parseGroup()
	case `"`:
		inside, size, ok := cutQuote(p.in[p.at:])
		if !ok {
			return operand{}, fmt.Errorf("the quote at byte %d is not closed: add a quotation mark", p.at)
		}
		p.at += size
		return p.parseTerm(inside, true)
	case "", ")", "AND", "OR":
		return operand{}, fmt.Errorf("a word is missing at byte %d", p.at)
	default:
		p.at += len(next)
		return p.parseTerm(next, false)
	}
}

func (p *queryParser) parseGroup() (operand, error) {
	start := p.at
	if p.depth++; p.depth > maxNesting {
		return operand{}, fmt.Errorf("parentheses and NOTs are nested more than %d deep", maxNesting)
	}
	p.skipToken("(")
	o, err := p.parseOr()
	if err != nil {
		return o, err
	}
	if p.peekToken() != ")" {
		return o, fmt.Errorf("the %q at byte %d is not closed: add %q", "(", start, ")")
	}
	p.skipToken(")")
	p.depth--
	return o, nil
}

// parseTerm adds a term and returns it as an operand. The operand is empty if s has no letters and digits.
func (p *queryParser) parseTerm(s string, phrase bool) (operand, error) {
	f := splitWords(s)
	switch {
	case len(f) == 0:
		return operand{}, nil
	case len(f) > maxPhrase:
		return operand{}, fmt.Errorf("a phrase has %d words or characters, at most %d are allowed", len(f), maxPhrase)
	}
	equal := func(t term) bool { return t.phrase == phrase && slices.Equal(t.forms[0], f) }
	if i := slices.IndexFunc(p.terms, equal); i >= 0 {
		return operand{expression: &expression{term: i}}, nil
	}
	if len(p.terms) == maxTerms {
		return operand{}, errTerms
	}
	p.terms = append(p.terms, term{forms: []form{f}, phrase: phrase})
	return operand{expression: &expression{term: len(p.terms) - 1}}, nil
}

// combineOperands joins operands by op. Negated operands are excluded from the others.
func combineOperands(op operator, all []operand) operand {
	var wanted, unwanted []*expression
	for _, o := range all {
		if o.not {
			unwanted = append(unwanted, o.expression)
		} else {
			wanted = append(wanted, o.expression)
		}
	}
	switch yes, no := joinExpressions(op, wanted), joinExpressions(anyOf, unwanted); {
	case no == nil:
		return operand{expression: yes}
	case yes == nil:
		return operand{expression: no, not: true}
	default:
		return operand{expression: &expression{op: without, kids: []*expression{yes, no}}}
	}
}

func joinExpressions(op operator, kids []*expression) *expression {
	switch len(kids) {
	case 0:
		return nil
	case 1:
		return kids[0]
	}
	return &expression{op: op, kids: kids}
}

// peekToken returns the next token without moving past it: an operator, a parenthesis, `"` for any opening quote,
// a word, or "" at the end.
func (p *queryParser) peekToken() string {
	rest := strings.TrimLeftFunc(p.in[p.at:], unicode.IsSpace)
	for rest == "-" || strings.HasPrefix(rest, "- ") {
		rest = strings.TrimLeftFunc(rest[1:], unicode.IsSpace)
	}
	p.at = len(p.in) - len(rest)
	for i, r := range rest {
		switch {
		case i == 0 && isQuote(r):
			return `"`
		case i == 0 && (r == '(' || r == ')' || r == '-'):
			return rest[:1]
		case isQuote(r) || r == '(' || r == ')' || unicode.IsSpace(r):
			return rest[:i]
		}
	}
	return rest
}

// skipToken moves past a token that peekToken returned.
func (p *queryParser) skipToken(token string) { p.at += len(token) }
