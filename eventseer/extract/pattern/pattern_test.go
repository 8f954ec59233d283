package pattern

import (
	"math/rand/v2"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// FuzzPattern compares an automaton with the regular expression.
func FuzzPattern(f *testing.F) {
	for _, expr := range []string{
		``, `ab+(cd|ef)`, `(?i)\b(Topics?|area)s?\b`, `^(ab)*$`, `(?m)^x.y$`, `[^a-z]\B\w`, `(?i)kſ`, `\bk\b|é\b`, `(?s)a.{2,5}b\z`, `$^`, `[^\n]\p{L}+\pN`, `(a|ab)(c|bcd)(d*)`,
		`(?i)(a|ab)(c|bcd)(d+)|\bx`, `(^a|b)+`, `\Bb|a$`, `(?m)^b|(\w)\n`, `.*b`, `(?:\w+ )+of\b`, `(a)|(é)`,
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
		for range 2 { // first while states are built, then with these states
			if match, known := a.matches(s); known && match != re.MatchString(s) {
				t.Errorf("%q in %q: %t", expr, s, match)
			}
		}
		p := newPattern(expr)
		var text Text
		if text.Set("x" + s); !newFilter(expr).allows(&text) && re.MatchString(s) {
			t.Errorf("%q in %q: the filter excludes a match", expr, s)
		}
		for _, n := range []int{-1, 0, 2} {
			equal(t, expr, s, p.FindAllStringSubmatchIndex(s, n), re.FindAllStringSubmatchIndex(s, n))
			equal(t, expr, s, p.FindAllStringSubmatch(s, n), re.FindAllStringSubmatch(s, n))
			equal(t, expr, s, p.FindAllStringIndex(s, n), re.FindAllStringIndex(s, n))
			equal(t, expr, s, p.FindAllString(s, n), re.FindAllString(s, n))
		}
		equal(t, expr, s, p.FindStringSubmatchIndex(s), re.FindStringSubmatchIndex(s))
		equal(t, expr, s, p.FindStringSubmatch(s), re.FindStringSubmatch(s))
		equal(t, expr, s, p.FindStringIndex(s), re.FindStringIndex(s))
		equal(t, expr, s, p.FindString(s), re.FindString(s))
		equal(t, expr, s, p.Split(s, -1), re.Split(s, -1))
		equal(t, expr, s, p.Split(s, 2), re.Split(s, 2))
		equal(t, expr, s, p.ReplaceAllStringFunc(s, strings.ToUpper), re.ReplaceAllStringFunc(s, strings.ToUpper))
		equal(t, expr, s, p.ReplaceAllString(s, "_"), re.ReplaceAllString(s, "_"))
		equal(t, expr, s, p.ReplaceAllString(s, "$0$1"), re.ReplaceAllString(s, "$0$1"))
	})
}

func equal(t *testing.T, expr, s string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%q in %q: %q, want %q", expr, s, got, want)
	}
}

// TestPatternShared matches random words with one pattern in many goroutines. The pattern needs more states
// than an automaton may keep, so package regexp matches some texts.
func TestPatternShared(t *testing.T) {
	p := newPattern(`(?i)\b(a|b).{3,30}\b(c|d\b)`)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			rnd := rand.New(rand.NewPCG(1, uint64(g)))
			for range 500 {
				var s strings.Builder
				for range 60 {
					s.WriteByte("abcdé ."[rnd.IntN(8)])
				}
				if got, want := p.MatchString(s.String()), p.regexp().MatchString(s.String()); got != want {
					t.Errorf("%q: %t, want %t", s.String(), got, want)
				}
			}
		})
	}
	wg.Wait()
	if n := p.automaton().stateBytes; n > maxStates || n < maxStates*9/10 {
		t.Errorf("the states take %d bytes, want nearly the bound, %d", n, maxStates)
	}
}
