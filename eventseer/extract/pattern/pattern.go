// Package pattern finds regular expressions in texts that mostly hold no match.
package pattern

import (
	"regexp"
	"strings"
	"sync"
)

// A Pattern is a regular expression that asks an automaton first whether there
// is a match at all. Most blocks of a page hold none, and the automaton tells so
// ten times as fast; the results are those of the expression.
type Pattern struct {
	*regexp.Regexp
	automaton func() *automaton // built when it is first asked
	starter   func() *automaton // see newStarter
}

// Compile is regexp.MustCompile for a Pattern.
func Compile(expr string) *Pattern {
	return &Pattern{regexp.MustCompile(expr), sync.OnceValue(func() *automaton {
		a, err := newAutomaton(expr)
		if err != nil {
			panic(err) // regexp.MustCompile would have
		}
		return a
	}), sync.OnceValue(func() *automaton { return newStarter(expr) })}
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
	if loc, known := p.first(s, false); known && loc != nil {
		return s[loc[0]:loc[1]]
	}
	return p.Regexp.FindString(s)
}

func (p *Pattern) FindStringIndex(s string) []int {
	if !p.mayMatch(s) {
		return nil
	}
	if loc, known := p.first(s, false); known {
		return loc
	}
	return p.Regexp.FindStringIndex(s)
}

func (p *Pattern) FindStringSubmatch(s string) []string {
	if !p.mayMatch(s) {
		return nil
	}
	if loc, known := p.first(s, true); known && loc != nil {
		return parts(s, loc)
	}
	return p.Regexp.FindStringSubmatch(s)
}

func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	if !p.mayMatch(s) {
		return nil
	}
	if loc, known := p.first(s, true); known {
		return loc
	}
	return p.Regexp.FindStringSubmatchIndex(s)
}

func (p *Pattern) FindAllString(s string, n int) []string {
	if !p.mayMatch(s) {
		return nil
	}
	if locs, known := p.all(s, n, false); known {
		var out []string
		for _, loc := range locs {
			out = append(out, s[loc[0]:loc[1]])
		}
		return out
	}
	return p.Regexp.FindAllString(s, n)
}

func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	if !p.mayMatch(s) {
		return nil
	}
	if locs, known := p.all(s, n, false); known {
		return locs
	}
	return p.Regexp.FindAllStringIndex(s, n)
}

func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	if !p.mayMatch(s) {
		return nil
	}
	if locs, known := p.all(s, n, true); known {
		var out [][]string
		for _, loc := range locs {
			out = append(out, parts(s, loc))
		}
		return out
	}
	return p.Regexp.FindAllStringSubmatch(s, n)
}

func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	if !p.mayMatch(s) {
		return nil
	}
	if locs, known := p.all(s, n, true); known {
		return locs
	}
	return p.Regexp.FindAllStringSubmatchIndex(s, n)
}

func (p *Pattern) ReplaceAllString(s, with string) string {
	if !p.mayMatch(s) {
		return s
	}
	if !strings.Contains(with, "$") {
		if out, known := p.replaced(s, with); known {
			return out
		}
	}
	return p.Regexp.ReplaceAllString(s, with)
}
