package views

import (
	"regexp"
	"slices"
	"strings"

	"eventseer/eventseer/query"
)

// A list without an account is a search for calls by their ids: it lives in its address.

// callAddress matches the id in what a reader adds: the id, or the address of its page.
var callAddress = regexp.MustCompile(`^(?:\S*/e/)?([a-z0-9][a-z0-9-]{0,99})(?:[/?#.]\S*)?$`)

// AddedCall is the id of a call that a reader names, "" if the text is none.
func AddedCall(text string) string {
	m := callAddress.FindStringSubmatch(strings.TrimSpace(Clip(text, 300)))
	if m == nil {
		return ""
	}
	return m[1]
}

// WithCall adds a call to a list.
func WithCall(text, id string) string {
	x, err := query.Parse(text)
	if err != nil {
		return text
	}
	if x, err = x.With(query.TermText("id", id)); err != nil || len(x.String()) > query.MaxText {
		return text
	}
	return x.String()
}

// IsKept reports whether a query asks for calls by their ids alone.
func IsKept(text string) bool {
	x, err := query.Parse(text)
	return err == nil && len(x.Clauses) == 1 && len(x.Excluded) == 0 &&
		!slices.ContainsFunc(x.Clauses[0], func(t query.Term) bool { return t.Field != "id" })
}
