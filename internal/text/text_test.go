package text

import "testing"

func TestDisarmFormula(t *testing.T) {
	for s, want := range map[string]string{
		"": "", "ICX 2027": "ICX 2027", `=HYPERLINK("http://evil.example")`: `'=HYPERLINK("http://evil.example")`, "+1": "'+1", "-1": "'-1", "@SUM(1)": "'@SUM(1)", "|x": "'|x",
		"\t=1": "'\t=1", " \r\n@x": "' \r\n@x", "＝1": "'＝1", "a=b": "a=b", "%x": "'%x", "\xff=1": "\xff=1",
	} {
		if got := DisarmFormula(s); got != want {
			t.Errorf("DisarmFormula(%q) = %q, want %q", s, got, want)
		}
	}
}
