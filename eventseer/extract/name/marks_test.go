package name

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// TestNotNameMarks compares one pass over a text with a search for each mark.
func TestNotNameMarks(t *testing.T) {
	marks := [...]string{"://", "www.", "©", "---", " -- ", "===", "***", "___", "~~~"}
	pieces := append([]string{"a", " ", "-", "=", "*", "_", "~", "w", ".", "/", ":", "(", ")", "[", "]", "é", "\xa9"}, marks[:]...)
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		var b strings.Builder
		for range rnd.IntN(9) {
			b.WriteString(pieces[rnd.IntN(len(pieces))])
		}
		s, want, open := b.String(), false, 0
		for _, m := range marks {
			want = want || strings.Contains(s, m)
		}
		for i := range len(s) {
			open += strings.Count(s[i:i+1], "(") + strings.Count(s[i:i+1], "[") - strings.Count(s[i:i+1], ")") - strings.Count(s[i:i+1], "]")
			want = want || open < 0
		}
		if got := notName(s); got != want {
			t.Fatalf("notName(%q) = %t, want %t", s, got, want)
		}
	}
}
