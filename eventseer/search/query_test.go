package search

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// show prints a parsed query in one line.
func show(q parsed) string {
	one := func(t term) string {
		s := t.text
		if t.phrase {
			s = `"` + s + `"`
		}
		if t.field != "" {
			s = t.field + ":" + s
		}
		return s
	}
	var parts []string
	for _, c := range q.clauses {
		var alternatives []string
		for _, t := range c {
			alternatives = append(alternatives, one(t))
		}
		parts = append(parts, strings.Join(alternatives, "|"))
	}
	for _, t := range q.excluded {
		parts = append(parts, "-"+one(t))
	}
	return strings.Join(parts, " & ")
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", ""}, {"  \t", ""},
		{"web crawling", "web & crawling"},
		{`"focused crawling" web`, `"focused crawling" & web`},
		{`“focused crawling”`, `"focused crawling"`},
		{"web -mining", "web & -mining"},
		{`-"data mining" web`, `web & -"data mining"`},
		{"-kind:workshop", "-kind:workshop"},
		{"a b OR c d", "a & b|c & d"},
		{"a OR b OR c", "a|b|c"},
		{"web AND crawling", "web & crawling"},
		{`title:"web search" city:Oslo Year:2027`, `title:"web search" & city:Oslo & year:2027`},
		{"https://x.example/a 10:30", "https://x.example/a & 10:30"},
		{"e-learning - x", "e-learning & - & x"},
		{`ab"cd"`, `ab & "cd"`},
		{"\xff", "\uFFFD"},
	} {
		got, err := parse(tt.text)
		if err != nil {
			t.Errorf("parse(%q): %v", tt.text, err)
		} else if diff := cmp.Diff(tt.want, show(got)); diff != "" {
			t.Errorf("parse(%q) (-want +got):\n%s", tt.text, diff)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct {
		text string
		pos  int
		msg  string
	}{
		{`web "open`, 4, "not closed"}, {"éé foo:bar", 3, "no field"}, {"title: x", 6, "needs a value"},
		{`topic:"" x`, 8, "needs a value"},
		{"OR a", 0, "left"}, {"a OR", 2, "right"}, {"a OR OR b", 5, "left"}, {"a OR -b", 5, "excluded"},
		{"-a OR b", 3, "left"}, {"year:soon", 0, "four digits"}, {"year:0027", 0, "four digits"},
		{strings.Repeat("x", MaxQuery+1), MaxQuery, "longer"},
		{strings.Repeat("x ", maxTerms+1), 2 * maxTerms, "terms"},
	} {
		_, err := parse(tt.text)
		var q *QueryError
		if !errors.As(err, &q) || q.Pos != tt.pos || !strings.Contains(q.Msg, tt.msg) {
			t.Errorf("parse(%.20q) error = %v, want %q at %d", tt.text, err, tt.msg, tt.pos)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{`a "b c" -d OR e title:"x" year:2027`, `-`, `-"`, `:`, `a:`, `“`, "OR"} {
		f.Add(s)
	}
	m, err := newMapping()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q, err := parse(text)
		var bad *QueryError
		if err != nil && (!errors.As(err, &bad) || bad.Pos < 0 || bad.Pos > len(text)) {
			t.Fatalf("parse(%q): %v", text, err)
		}
		if err == nil {
			compile(q, m)
		}
	})
}
