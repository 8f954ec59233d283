package features

import (
	"github.com/eventseer/eventseer/internal/text"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// tokensOf returns the tokens of an English text.
func tokensOf(s string) []token {
	z := tokenizer{language: english}
	var tokens []token
	z.forEachToken(s, func(t token) { tokens = append(tokens, t) })
	return tokens
}

// ASCII is read without searching for Unicode word boundaries. A letter of another script at the
// end, which none of its words joins, must not matter.
func FuzzASCII(f *testing.F) {
	for _, s := range []string{"don't o'clock 'x' x'", "a.b:c;d_e f-g", "3'a 3.5 2026-05-01 a1b2 1/2/3 x.y.", "I'm\r\nyou\x00re", "it''s '' '"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !text.IsASCII(s) {
			return
		}
		textOf := func(w *word) string {
			if w == nil {
				return ""
			}
			return w.text
		}
		want := tokensOf(s + " \u05d0")
		want = want[:len(want)-1]
		if diff := cmp.Diff(want, tokensOf(s), cmp.AllowUnexported(token{}), cmp.Transformer("text", textOf), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("tokens of %q (-Unicode +ASCII):\n%s", s, diff)
		}
	})
}
