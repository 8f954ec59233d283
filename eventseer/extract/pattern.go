package extract

import (
	"regexp"
	"sync"
)

// A pattern is a regular expression that asks an automaton first whether there
// is a match at all. Most blocks of a page hold none, and the automaton tells so
// ten times as fast; the results are those of the expression.
type pattern struct {
	*regexp.Regexp
	automaton func() *automaton // built when it is first asked
}

// compile is regexp.MustCompile for a pattern.
func compile(expr string) *pattern {
	return &pattern{regexp.MustCompile(expr), sync.OnceValue(func() *automaton {
		a, err := newAutomaton(expr)
		if err != nil {
			panic(err) // regexp.MustCompile would have
		}
		return a
	})}
}

// mayMatch reports whether there may be a match in s.
func (p *pattern) mayMatch(s string) bool {
	match, known := p.automaton().matches(s)
	return match || !known
}

// MatchString is that of regexp.Regexp, as are the others.
func (p *pattern) MatchString(s string) bool {
	if match, known := p.automaton().matches(s); known {
		return match
	}
	return p.Regexp.MatchString(s)
}

func (p *pattern) FindString(s string) string {
	if !p.mayMatch(s) {
		return ""
	}
	return p.Regexp.FindString(s)
}

func (p *pattern) FindStringIndex(s string) []int {
	if !p.mayMatch(s) {
		return nil
	}
	return p.Regexp.FindStringIndex(s)
}

func (p *pattern) FindStringSubmatch(s string) []string {
	if !p.mayMatch(s) {
		return nil
	}
	return p.Regexp.FindStringSubmatch(s)
}

func (p *pattern) FindStringSubmatchIndex(s string) []int {
	if !p.mayMatch(s) {
		return nil
	}
	return p.Regexp.FindStringSubmatchIndex(s)
}

func (p *pattern) FindAllString(s string, n int) []string {
	if !p.mayMatch(s) {
		return nil
	}
	return p.Regexp.FindAllString(s, n)
}

func (p *pattern) FindAllStringIndex(s string, n int) [][]int {
	if !p.mayMatch(s) {
		return nil
	}
	return p.Regexp.FindAllStringIndex(s, n)
}

func (p *pattern) FindAllStringSubmatch(s string, n int) [][]string {
	if !p.mayMatch(s) {
		return nil
	}
	return p.Regexp.FindAllStringSubmatch(s, n)
}

func (p *pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	if !p.mayMatch(s) {
		return nil
	}
	return p.Regexp.FindAllStringSubmatchIndex(s, n)
}

func (p *pattern) ReplaceAllString(s, with string) string {
	if !p.mayMatch(s) {
		return s
	}
	return p.Regexp.ReplaceAllString(s, with)
}
