package text

import (
	"strings"
	"testing"
)

// TestPartsAreThoseContained compares with strings.Contains on all texts of four letters and on words that
// overlap or begin alike.
func TestPartsAreThoseContained(t *testing.T) {
	words := []string{"ab", "abc", "bca", "cc", "aab", "caab"}
	p := NewParts(words...)
	var all func(s string)
	all = func(s string) {
		var want uint64
		for i, w := range words {
			if strings.Contains(s, w) {
				want |= 1 << i
			}
		}
		if got := p.FindIn(s); got != want {
			t.Errorf("%q: words %06b, want %06b", s, got, want)
		}
		upper := strings.ToUpper(s) + "\u212A" // the Kelvin sign, whose lower case is a k
		for _, lower := range []string{s, upper} {
			if got, want := p.FindInLower(lower), p.FindIn(strings.ToLower(lower)); got != want {
				t.Errorf("%q in lower case: words %06b, want %06b", lower, got, want)
			}
		}
		if got := p.FindInLower(strings.ToUpper(s)); got != want {
			t.Errorf("%q in upper case: words %06b, want %06b", s, got, want)
		}
		if len(s) < 5 {
			for _, c := range "abcé" {
				all(s + string(c))
			}
		}
	}
	all("")
}

// TestPartsRefuseBadWords checks the bounds of the words.
func TestPartsRefuseBadWords(t *testing.T) {
	for _, words := range [][]string{{"a"}, {""}, strings.Fields(strings.Repeat("ab ", 65))} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%d words from %q are accepted", len(words), words[0])
				}
			}()
			NewParts(words...)
		}()
	}
}
