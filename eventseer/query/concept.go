package query

import (
	"strings"

	"github.com/eventseer/eventseer/features/dictionary"
)

// WithNames returns the query with words that are one name made into a phrase. The query natural
// language processing becomes one if isName knows that name. So a name that is written out finds
// what its abbreviation does. Words within quotes, of a field, beside an OR or left out stay as
// they are. The longest name counts.
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

// plainTerm returns the term of a clause that is words without a field or quotes.
func plainTerm(clause []Term) (t Term, ok bool) {
	if len(clause) != 1 {
		return t, false
	}
	t = clause[0]
	return t, t.Field == "" && !t.Phrase && t.Near == 0
}
