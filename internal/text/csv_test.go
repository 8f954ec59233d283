package text

import (
	"strings"
	"testing"
)

// Cells that a spreadsheet would run get an apostrophe, numbers stay numbers.
func TestCSVHasNoFormulas(t *testing.T) {
	var b strings.Builder
	c := NewCSV(&b)
	err := c.WriteAll([][]string{{"=1+1", "-0.5", "+3", "-cmd", "@SUM(A1)", "\t=2", "plain, with a comma", "1e-9", ""}})
	if want := "'=1+1,-0.5,+3,'-cmd,'@SUM(A1),'\t=2,\"plain, with a comma\",1e-9,\n"; err != nil || b.String() != want {
		t.Errorf("%q, %v; want %q", b.String(), err, want)
	}
}
