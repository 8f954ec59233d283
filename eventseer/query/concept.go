package query

import (
	"strings"

	"github.com/eventseer/eventseer/features/dictionary"
)

// WithNames returns the query with words that are one name turned into a phrase. For example,
// natural language processing becomes one phrase if isName returns true for it, so that the name
// finds the same as its abbreviation. Quoted words, words of a field, next to OR, or excluded are
// unchanged. The longest name is used.
func (x Expr) WithNames(isName func(words string) bool) Expr {
	out := Expr{Excluded: x.Excluded}
	for i := 0; i < len(x.Clauses); {
		words, best := "", 1
		text := ""
		for n := 1; n <= dictionary.MaxWords && i+n <= len(x.Clauses); n++ {
			t, ok := plainTerm(x.Clauses[i+n-1])
			if !ok {
				break
			}
			if words += " " + t.Text; n > 1 && isName(words) {
				best, text = n, strings.TrimSpace(words)
			}
		}
		clause := x.Clauses[i]
		if best > 1 {
			first := clause[0]
			first.Text, first.Phrase = text, true
			clause = []Term{first}
		}
		out.Clauses = append(out.Clauses, clause)
		i += best
	}
	return out
}

// plainTerm returns the term of a clause that consists of unquoted words without a field.
func plainTerm(clause []Term) (t Term, ok bool) {
	if len(clause) != 1 {
		return t, false
	}
	t = clause[0]
	return t, t.Field == "" && !t.Phrase && t.Near == 0
}
