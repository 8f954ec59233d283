package query

import (
	"strings"
	"testing"
)

func TestFromText(t *testing.T) {
	for text, want := range map[string]string{
		"":            "",
		"of the 12 %": "",
		"A focused crawler. The focused crawler visits links of 2026.": `"focused crawler" OR focused OR crawler OR visits OR links`,
		"\"OR\" AND -x title:web <b>":                                  "title OR web",
		strings.Repeat("w", 2000):                                      "",
	} {
		if got := FromText(text); got != want {
			t.Errorf("FromText(%.60q) = %q, want %q", text, got, want)
		}
	}
	long := FromText(strings.Repeat("every word of these abcdefgh"+strings.Repeat("x", 40)+" counts much ", 900) + "\xff")
	if x, err := Parse(long); err != nil || len(x.Clauses) != 1 || len(long) > MaxText {
		t.Errorf("%q: %v", long, err)
	}
}
