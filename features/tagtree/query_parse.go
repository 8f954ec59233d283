package tagtree

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// A queryParser reads the grammar
//
//	or   = list { "OR" list }
//	list = and { and }
//	and  = not { "AND" not }
//	not  = [ "NOT" | "-" ] not | "(" or ")" | phrase | word
type queryParser struct {
	in    string
	at    int // of the next byte to read
	terms []term
	depth int
}

// An operand is an expression, or with not all that does not meet it. It is
// empty where its words hold no letter or digit.
type operand struct {
	*expression
	not bool
}

var errTerms = fmt.Errorf("more than %d words and phrases", maxTerms)

func (p *queryParser) parse() (operand, error) {
	o, err := p.or()
	if err == nil && p.peek() == ")" {
		err = fmt.Errorf("the %q at byte %d closes nothing: leave it out", ")", p.at)
	}
	return o, err
}

func (p *queryParser) or() (operand, error) {
	var all []operand
	for {
		o, err := p.list()
		if err != nil {
			return o, err
		}
		if o.expression != nil {
			all = append(all, o)
		}
		if p.peek() != "OR" {
			break
		}
		p.take("OR")
	}
	if len(all) > 1 {
		for _, o := range all {
			if o.not {
				return o, errors.New("one side of OR says only what is not wanted: add a word to look for to it")
			}
		}
	}
	return combine(anyOf, all), nil
}

// list reads operands side by side, up to OR, a closing parenthesis or the end.
func (p *queryParser) list() (operand, error) {
	var all []operand
	start := p.at
	for n := 0; ; n++ {
		switch next := p.peek(); next {
		case "AND":
			return operand{}, fmt.Errorf("AND at byte %d has nothing before it", p.at)
		case "", ")", "OR":
			if n == 0 && (next == "OR" || p.depth > 0 || start > 0) {
				return operand{}, fmt.Errorf("a word is missing at byte %d", p.at)
			}
			return combine(anyOf, all), nil
		}
		o, err := p.and()
		if err != nil {
			return o, err
		}
		if o.expression != nil {
			all = append(all, o)
		}
	}
}

func (p *queryParser) and() (operand, error) {
	o, err := p.not()
	all := []operand{o}
	for err == nil && p.peek() == "AND" {
		p.take("AND")
		o, err = p.not()
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
	return combine(allOf, known), nil
}

func (p *queryParser) not() (operand, error) {
	switch next := p.peek(); next {
	case "NOT", "-":
		if p.depth++; p.depth > maxNesting {
			return operand{}, fmt.Errorf("more than %d parentheses and NOTs in one another", maxNesting)
		}
		p.take(next)
		o, err := p.not()
		p.depth--
		o.not = !o.not && o.expression != nil
		return o, err
	case "(":
		return p.group()
	case `"`:
		inside, size, ok := cutQuote(p.in[p.at:])
		if !ok {
			return operand{}, fmt.Errorf("the quote at byte %d is never closed: add one", p.at)
		}
		p.at += size
		return p.term(inside, true)
	case "", ")", "AND", "OR":
		return operand{}, fmt.Errorf("a word is missing at byte %d", p.at)
	default:
		p.at += len(next)
		return p.term(next, false)
	}
}

func (p *queryParser) group() (operand, error) {
	start := p.at
	if p.depth++; p.depth > maxNesting {
		return operand{}, fmt.Errorf("more than %d parentheses and NOTs in one another", maxNesting)
	}
	p.take("(")
	o, err := p.or()
	if err != nil {
		return o, err
	}
	if p.peek() != ")" {
		return o, fmt.Errorf("the %q at byte %d is never closed: add %q", "(", start, ")")
	}
	p.take(")")
	p.depth--
	return o, nil
}

// term adds a term; one without letters and digits is left out.
func (p *queryParser) term(s string, phrase bool) (operand, error) {
	f := splitWords(s)
	switch {
	case len(f) == 0:
		return operand{}, nil
	case len(f) > maxPhrase:
		return operand{}, fmt.Errorf("a phrase has %d words or characters: at most %d are looked for", len(f), maxPhrase)
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

// combine joins operands; what some of them exclude is taken from the others.
func combine(op operator, all []operand) operand {
	var wanted, unwanted []*expression
	for _, o := range all {
		if o.not {
			unwanted = append(unwanted, o.expression)
		} else {
			wanted = append(wanted, o.expression)
		}
	}
	switch yes, no := join(op, wanted), join(anyOf, unwanted); {
	case no == nil:
		return operand{expression: yes}
	case yes == nil:
		return operand{expression: no, not: true}
	default:
		return operand{expression: &expression{op: without, kids: []*expression{yes, no}}}
	}
}

func join(op operator, kids []*expression) *expression {
	switch len(kids) {
	case 0:
		return nil
	case 1:
		return kids[0]
	}
	return &expression{op: op, kids: kids}
}

// peek returns the next token without its operand: an operator, a parenthesis,
// the sign that opens a quote as `"`, a word, or "" at the end.
func (p *queryParser) peek() string {
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

// take steps over a token that peek returned.
func (p *queryParser) take(token string) { p.at += len(token) }
