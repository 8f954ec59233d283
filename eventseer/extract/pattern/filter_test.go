package pattern

import (
	"sync"
	"testing"
)

func TestFilter(t *testing.T) {
	for _, test := range []struct {
		expr, text string
		allowed    bool
	}{
		{`(?i)cancel|postponed|called off`, "Topics of interest", false},
		{`(?i)cancel|postponed|called off`, "Call for cans", false},
		{`(?i)cancel|postponed|called off`, "The event is CANCELLED", true},
		{`(?i)\bcalls? for\b`, "calls for papers", true},
		{`(?i)\bcalls? for\b`, "called away", false},
		{`(?i)workshop`, "WORK\u017fHOP", true}, // (?i)s matches the long s
		{`(?i)talk`, "TAL\u212A", true},         // (?i)k matches the Kelvin sign
		{`a.{0,30}gate`, "gates of the dam", true},
		{`a.{0,30}gate`, "the dam", false},
		{`\d{4}-\d{4}`, "2027", false},
		{`\d{4}-\d{4}`, "2026-2027", true},
		{`@`, "papers", false},
		{`@`, "name@dam.example", true},
		{`(?i)\b(on|of)\b`, "papers", true}, // too short for trigrams
		{`(?:über|para) den`, "uber den", false},
		{`(?i)über den`, "ÜBER DEN", true},
		{`[^a]+`, "aaa", true},
		{`gate`, "ga\xffte", true}, // a part of it may be without the invalid byte
	} {
		var s Text
		s.Set(test.text)
		if got := newFilter(test.expr).allows(&s); got != test.allowed {
			t.Errorf("%s in %q: %t", test.expr, test.text, got)
		}
	}
}

// TestMayMatchShared tests one pattern in many goroutines while its filter is built.
func TestMayMatchShared(t *testing.T) {
	p := newPattern(`(?i)cancel|postponed`)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			var with, without Text
			with.Set("The event is postponed.")
			without.Set("The event takes place.")
			for range minAsked {
				if !p.MayMatch(&with) || p.MatchPart(&without, "takes place") {
					t.Error("a match is excluded or invented")
				}
			}
			if p.MayMatch(&without) {
				t.Error("the filter is not used")
			}
		})
	}
	wg.Wait()
}
