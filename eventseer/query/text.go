package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/internal/text"
)

// String returns the query in canonical form; Parse reads it as x except for the terms' Pos.
func (x Expr) String() string {
	var parts []string
	for _, alternatives := range x.Clauses {
		var terms []string
		for _, t := range alternatives {
			terms = append(terms, t.String())
		}
		parts = append(parts, strings.Join(terms, " OR "))
	}
	for _, t := range x.Excluded {
		parts = append(parts, "-"+t.String())
	}
	return strings.Join(parts, " ")
}

// String returns the term as a query writes it.
func (t Term) String() string {
	s := t.Text
	if t.Phrase || t.Near > 0 || t.IsFact() && strings.IndexFunc(s, unicode.IsSpace) >= 0 {
		s = `"` + s + `"`
	}
	if t.Near > 0 {
		s += "~" + strconv.Itoa(t.Near)
	}
	return t.Field + t.Op + s
}

// isSameAs reports whether two terms mean the same, ignoring their position, and case and quotes around
// words.
func (t Term) isSameAs(o Term) bool {
	return t.Field == o.Field && t.Op == o.Op && t.Near == o.Near && (t.Text == o.Text || text.FoldForComparison(t.Text) != "" && text.FoldForComparison(t.Text) == text.FoldForComparison(o.Text) && t.Field != "rank") // in a rank, signs are significant: "A*" is not "A"
}

// single are the fields that allow only one value in a query, because two would find nothing or
// only what the narrower one finds. A new value replaces the old.
var single = []string{"due", "start", "new", "changed"}

// With returns the query with one more term, such as FacetValue.Term or "-" and one. A second value
// of a field is joined to the first with OR, so that topics or countries can be chosen together; a
// second window replaces the first. An existing term changes nothing.
func (x Expr) With(term string) (Expr, error) {
	t, not, err := parseSingleTerm(term)
	if err != nil || x.Has(term) {
		return x, err
	}
	x = x.withoutTerm(t, !not) // a term cannot be both required and excluded
	switch {
	case not:
		x.Excluded = append(x.Excluded, t)
		return x, nil
	case t.Field == "":
		x.Clauses = append(x.Clauses, []Term{t})
		return x, nil
	}
	for i, alternatives := range x.Clauses {
		if slices.ContainsFunc(alternatives, func(o Term) bool { return o.Field != t.Field || o.Op != t.Op }) {
			continue
		}
		if slices.Contains(single, t.Field) {
			x.Clauses[i] = []Term{t}
		} else {
			x.Clauses[i] = append(alternatives, t)
		}
		return x, nil
	}
	x.Clauses = append(x.Clauses, []Term{t})
	return x, nil
}

// Without returns the query without a term, such as one that With added.
func (x Expr) Without(term string) (Expr, error) {
	t, not, err := parseSingleTerm(term)
	if err != nil {
		return x, err
	}
	return x.withoutTerm(t, not), nil
}

// WithoutChoice returns the query without the clauses that only have terms of one field, as With
// joins them. ok is false if there are none or if the field has only one value.
func (x Expr) WithoutChoice(field string) (wider Expr, ok bool) {
	if slices.Contains(single, field) {
		return x, false
	}
	wider.Excluded = x.Excluded
	for _, alternatives := range x.Clauses {
		if slices.ContainsFunc(alternatives, func(t Term) bool { return t.Field != field || t.Op != ":" }) {
			wider.Clauses = append(wider.Clauses, alternatives)
		}
	}
	return wider, len(wider.Clauses) < len(x.Clauses)
}

// Has reports whether the query has a term, or excludes it if the term begins with "-".
func (x Expr) Has(term string) bool {
	t, not, err := parseSingleTerm(term)
	if err != nil {
		return false
	}
	if not {
		return slices.ContainsFunc(x.Excluded, t.isSameAs)
	}
	return slices.ContainsFunc(x.Clauses, func(c []Term) bool { return slices.ContainsFunc(c, t.isSameAs) })
}

// withoutTerm returns a copy of the query without the term, excluded or not.
func (x Expr) withoutTerm(t Term, excluded bool) (out Expr) {
	for _, alternatives := range x.Clauses {
		kept := slices.Clone(alternatives)
		if !excluded {
			kept = slices.DeleteFunc(kept, t.isSameAs)
		}
		if len(kept) > 0 {
			out.Clauses = append(out.Clauses, kept)
		}
	}
	out.Excluded = slices.Clone(x.Excluded)
	if excluded {
		out.Excluded = slices.DeleteFunc(out.Excluded, t.isSameAs)
	}
	if len(out.Excluded) == 0 {
		out.Excluded = nil
	}
	return out
}

// parseSingleTerm parses a text that is one term, excluded if it begins with "-". A quoted term may be
// slightly longer than Parse allows.
func parseSingleTerm(text string) (t Term, not bool, err error) {
	x, err := parseQuery(text, 2*MaxText)
	switch {
	case err != nil:
		return t, false, err
	case len(x.Clauses) == 0 && len(x.Excluded) == 1:
		return x.Excluded[0], true, nil
	case len(x.Excluded) > 0 || len(x.Clauses) != 1 || len(x.Clauses[0]) != 1:
		return t, false, &Error{Msg: fmt.Sprintf("%q is not one term", text)}
	}
	return x.Clauses[0][0], false, nil
}

// TermText returns a term of a field and a value, quoted if necessary; "" if the value cannot be
// written.
func TermText(field, value string) string {
	value = strings.Join(strings.Fields(value), " ")
	if value == "" || strings.ContainsAny(straightQuotes.Replace(value), `"`) {
		return ""
	}
	term := field + ":" + value
	if strings.ContainsAny(value, ` /`) {
		term = field + `:"` + value + `"`
	}
	if t, _, err := parseSingleTerm(term); err != nil || t.Field != field {
		return ""
	}
	return term
}
