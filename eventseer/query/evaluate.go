package query

import (
	"fmt"
	"time"
)

// A Compiler turns queries into programs that are evaluated on documents. Programs of one compiler
// share their words and terms, so that thousands of them can be evaluated on one document. Compile
// must not be called concurrently with any other method.
type Compiler struct {
	keys  map[string]int32 // "s" and a stem, "w" and a word, "v" and the value of a field
	terms map[string]*Pattern
}

// NewCompiler returns a compiler without programs.
func NewCompiler() *Compiler {
	return &Compiler{map[string]int32{}, map[string]*Pattern{}}
}

// Len returns the number of words and values, and the number of terms, in the programs.
func (c *Compiler) Len() (keys, terms int) { return len(c.keys), len(c.terms) }

func (c *Compiler) keyOf(name string) int32 {
	if id, ok := c.keys[name]; ok {
		return id
	}
	return -1
}

func (c *Compiler) addKey(name string) int32 {
	id, ok := c.keys[name]
	if !ok {
		id = int32(len(c.keys))
		c.keys[name] = id
	}
	return id
}

// Options control how a query is interpreted.
type Options struct {
	// Exact compares words as written instead of their stems, including stop words.
	Exact bool
	// Synonyms returns the synonyms of a term's text, nil for none. Excluded terms get no synonyms.
	Synonyms func(text string) []string
	// Name distinguishes queries with different Synonyms.
	Name string
}

// A Program is a compiled query. Of each clause one term must match, and of Excluded none.
type Program struct {
	Clauses  [][]*Pattern
	Excluded []*Pattern
}

// CompileQuery compiles a query.
func (c *Compiler) CompileQuery(x Expr, o Options) *Program {
	p := &Program{}
	for _, alternatives := range x.RelevantClauses() {
		var clause []*Pattern
		for _, t := range alternatives {
			clause = append(clause, c.compileShared(t, o, false))
		}
		p.Clauses = append(p.Clauses, clause)
	}
	o.Synonyms = nil
	for _, t := range x.Excluded {
		p.Excluded = append(p.Excluded, c.compileShared(t, o, true))
	}
	return p
}

// compileShared returns a compiled term, shared by all programs with an equal term. An excluded stop word is
// searched in all fields.
func (c *Compiler) compileShared(t Term, o Options, excluded bool) *Pattern {
	t.Pos = 0
	name := fmt.Sprintf("%q %q %q %t %d %t %t", t.Field, t.Op, t.Text, t.Phrase, t.Near, o.Exact, excluded)
	if o.Synonyms != nil {
		name += fmt.Sprintf(" %q", o.Name)
	}
	p, ok := c.terms[name]
	if !ok {
		made := c.compileTerm(t, o)
		if excluded && t.IsStop() {
			made.fields = anywhere
		}
		made.Number = len(c.terms)
		p = &made
		c.terms[name] = p
	}
	return p
}

// Matches reports whether a document matches the query at the time now. The words must have been
// read by the compiler of the program after it was compiled.
func (p *Program) Matches(t *Words, now time.Time) bool {
	for _, clause := range p.Clauses {
		if !anyIn(clause, t, now) {
			return false
		}
	}
	return !anyIn(p.Excluded, t, now)
}

// anyIn reports whether one of the terms is in the document.
func anyIn(terms []*Pattern, t *Words, now time.Time) bool {
	for _, p := range terms {
		known := &t.answers[p.Number]
		if *known == unasked {
			*known = no
			if p.isIn(t, now) {
				*known = yes
			}
		}
		if *known == yes {
			return true
		}
	}
	return false
}
