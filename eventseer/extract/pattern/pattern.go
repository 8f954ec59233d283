// Package pattern matches regular expressions fast in texts of which most contain no match.
package pattern

import (
	"errors"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
)

// A Pattern is a regular expression that first checks with an automaton whether there is a match at all.
// Most blocks of a page contain none, and the automaton decides that ten times as fast as package regexp.
// The results are those of package regexp. Automata and expressions are built when they are first needed,
// because a program has hundreds of patterns and uses few of them in most runs. A Pattern is safe for
// concurrent use.
type Pattern struct {
	expr    string
	regexp  func() *regexp.Regexp
	built   atomic.Pointer[automaton]
	once    sync.Once              // guards the creation of built
	starter func() *automaton      // makes the automaton that finds where a match may begin; nil if there is none
	ender   func() *automaton      // makes the automaton that finds where a match ends; nil if there is none
	asked   atomic.Uint32          // calls of MayMatch before filter was built, approximately
	filter  atomic.Pointer[filter] // see MayMatch; nil until it is worth to build it
}

// automaton returns the automaton, which is built at the first call.
func (p *Pattern) automaton() *automaton {
	if a := p.built.Load(); a != nil {
		return a
	}
	return p.buildAutomaton()
}

func (p *Pattern) buildAutomaton() *automaton {
	p.once.Do(func() {
		a, err := newAutomaton(p.expr)
		if err != nil {
			panic(err) // as regexp.MustCompile does
		}
		p.built.Store(a)
	})
	return p.built.Load()
}

// compiled are all patterns created by Compile, for Check.
var compiled struct {
	sync.Mutex
	patterns []*Pattern
}

// Compile returns the Pattern of an expression in the source code. It is called to initialise package
// variables. An invalid expression panics when it is first used; Check finds them all in a test.
func Compile(expr string) *Pattern {
	p := newPattern(expr)
	compiled.Lock()
	defer compiled.Unlock()
	compiled.patterns = append(compiled.patterns, p)
	return p
}

// Check returns the errors of all invalid expressions passed to Compile so far, or nil.
func Check() error {
	compiled.Lock()
	defer compiled.Unlock()
	var errs []error
	for _, p := range compiled.patterns {
		_, err := regexp.Compile(p.expr)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

func newPattern(expr string) *Pattern {
	return &Pattern{
		expr:    expr,
		regexp:  sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) }),
		starter: sync.OnceValue(func() *automaton { return newStarter(expr) }),
		ender:   sync.OnceValue(func() *automaton { return newEnder(expr) }),
	}
}

// String returns the source text of the expression.
func (p *Pattern) String() string { return p.expr }

// mayMatch reports whether s may contain a match. It is false only if s certainly has none.
func (p *Pattern) mayMatch(s string) bool {
	match, known := p.automaton().matches(s)
	return match || !known
}

// MayMatch reports whether t, or any part of it, may contain a match. It is false only if there is certainly none,
// and decides this without reading the text again.
func (p *Pattern) MayMatch(t *Text) bool {
	f := p.filter.Load()
	if f == nil {
		if n := p.asked.Load(); n < minAsked {
			p.asked.Store(n + 1) // goroutines may count some calls once, which does not matter
			return true
		}
		built := newFilter(p.expr)
		f = &built
		p.filter.Store(f)
	}
	return f.allows(t)
}

// minAsked is the number of texts for which a pattern is tested before its filter is built. Building one takes as
// long as matching some hundred short texts, and many programs read one page.
const minAsked = 200

// MatchPart is MatchString for a part of t, or for t itself.
func (p *Pattern) MatchPart(t *Text, part string) bool { return p.MayMatch(t) && p.MatchString(part) }

// MatchString reports whether s contains a match. It and the methods below return what the methods of
// regexp.Regexp with the same names return.
func (p *Pattern) MatchString(s string) bool {
	if match, known := p.automaton().matches(s); known {
		return match
	}
	return p.regexp().MatchString(s)
}

func (p *Pattern) FindString(s string) string {
	if !p.mayMatch(s) {
		return ""
	}
	if loc, known := p.firstMatch(s, false); known && loc != nil {
		return s[loc[0]:loc[1]]
	}
	return p.regexp().FindString(s)
}

func (p *Pattern) FindStringIndex(s string) []int {
	if !p.mayMatch(s) {
		return nil
	}
	if loc, known := p.firstMatch(s, false); known {
		return loc
	}
	return p.regexp().FindStringIndex(s)
}

func (p *Pattern) FindStringSubmatch(s string) []string {
	if !p.mayMatch(s) {
		return nil
	}
	if loc, known := p.firstMatch(s, true); known && loc != nil {
		return submatches(s, loc)
	}
	return p.regexp().FindStringSubmatch(s)
}

func (p *Pattern) FindStringSubmatchIndex(s string) []int {
	if !p.mayMatch(s) {
		return nil
	}
	if loc, known := p.firstMatch(s, true); known {
		return loc
	}
	return p.regexp().FindStringSubmatchIndex(s)
}

func (p *Pattern) FindAllString(s string, n int) []string {
	if !p.mayMatch(s) {
		return nil
	}
	if locs, known := p.allMatches(s, n, false); known {
		var out []string
		for _, loc := range locs {
			out = append(out, s[loc[0]:loc[1]])
		}
		return out
	}
	return p.regexp().FindAllString(s, n)
}

func (p *Pattern) FindAllStringIndex(s string, n int) [][]int {
	if !p.mayMatch(s) {
		return nil
	}
	if locs, known := p.allMatches(s, n, false); known {
		return locs
	}
	return p.regexp().FindAllStringIndex(s, n)
}

func (p *Pattern) FindAllStringSubmatch(s string, n int) [][]string {
	if !p.mayMatch(s) {
		return nil
	}
	if locs, known := p.allMatches(s, n, true); known {
		var out [][]string
		for _, loc := range locs {
			out = append(out, submatches(s, loc))
		}
		return out
	}
	return p.regexp().FindAllStringSubmatch(s, n)
}

func (p *Pattern) FindAllStringSubmatchIndex(s string, n int) [][]int {
	if !p.mayMatch(s) {
		return nil
	}
	if locs, known := p.allMatches(s, n, true); known {
		return locs
	}
	return p.regexp().FindAllStringSubmatchIndex(s, n)
}

func (p *Pattern) ReplaceAllString(s, with string) string {
	if !p.mayMatch(s) {
		return s
	}
	if !strings.Contains(with, "$") {
		if out, known := p.replaceAll(s, with); known {
			return out
		}
	}
	return p.regexp().ReplaceAllString(s, with)
}

func (p *Pattern) ReplaceAllStringFunc(s string, with func(string) string) string {
	if !p.mayMatch(s) {
		return s
	}
	return p.regexp().ReplaceAllStringFunc(s, with)
}

func (p *Pattern) Split(s string, n int) []string {
	if n != 0 && s != "" && !p.mayMatch(s) {
		return []string{s}
	}
	return p.regexp().Split(s, n)
}
