package pattern

import (
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// FuzzPattern demands of an automaton what its expression finds.
func FuzzPattern(f *testing.F) {
	for _, expr := range []string{
		``, `ab+(cd|ef)`, `(?i)\b(Topics?|area)s?\b`, `^(ab)*$`, `(?m)^x.y$`, `[^a-z]\B\w`, `(?i)kſ`, `\bk\b|é\b`, `(?s)a.{2,5}b\z`, `$^`, `[^\n]\p{L}+\pN`, `(a|ab)(c|bcd)(d*)`,
	} {
		for _, s := range []string{"", "ab", "Topics of interest", "areas", "x\ny", "xzy\nb", "K ſ s k", "é a\xffb", "a\n\nb", "日本1"} {
			f.Add(expr, s)
		}
	}
	f.Fuzz(func(t *testing.T, expr, s string) {
		re, err := regexp.Compile(expr)
		if err != nil || len(expr) > 200 {
			t.Skip()
		}
		a, err := newAutomaton(expr)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // building states, and by those built
			if match, known := a.matches(s); known && match != re.MatchString(s) {
				t.Errorf("%q in %q: %t", expr, s, match)
			}
		}
	})
}

// TestPatternShared reads random words by one pattern from many goroutines; it
// has more states than an automaton may keep, so some texts are left to regexp.
func TestPatternShared(t *testing.T) {
	p := Compile(`(?i)\b(a|b).{3,30}\b(c|d\b)`)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(1, uint64(g)))
			for range 500 {
				var s strings.Builder
				for range 60 {
					s.WriteByte("abcdé ."[rnd.IntN(8)])
				}
				if got, want := p.MatchString(s.String()), p.Regexp.MatchString(s.String()); got != want {
					t.Errorf("%q: %t, want %t", s.String(), got, want)
				}
			}
		})
	}
	wg.Wait()
	if n := p.automaton().held; n > maxStates || n < maxStates*9/10 {
		t.Errorf("the states take %d bytes, want nearly the bound, %d", n, maxStates)
	}
}
