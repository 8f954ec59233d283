package query

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// An Error is a syntax error of a query, with a correction if possible.
type Error struct {
	// Pos is the position of the error in the query's text in runes from 0, and Len its length; 0
	// if something is missing.
	Pos, Len int
	// Msg is a sentence for the user who typed the query, without initial capital and full stop.
	Msg string
	// Try is the corrected query, which Parse accepts; "" if none is obvious.
	Try string

	text []rune
}

func (e *Error) Error() string {
	if e.Try == "" {
		return "the query cannot be read: " + e.Msg
	}
	return fmt.Sprintf("the query cannot be read: %s; try %s", e.Msg, e.Try)
}

// QueryPos returns Pos, for callers that only know this interface.
func (e *Error) QueryPos() int { return e.Pos }

// SplitAtError splits the query's text at the error.
func (e *Error) SplitAtError() (before, at, after string) {
	from := min(max(e.Pos, 0), len(e.text))
	to := min(from+max(e.Len, 0), len(e.text))
	return string(e.text[:from]), string(e.text[from:to]), string(e.text[to:])
}

// setText sets the text of e, and removes a Try that is not better.
func (e *Error) setText(text string) {
	e.text = []rune(text)
	if e.Try = strings.TrimSpace(e.Try); e.Try == "" {
		return
	}
	if _, err := readQuery(e.Try, MaxText); err != nil {
		e.Try = ""
	}
}

// errorAt returns the error that the runes [from, to) are wrong.
func (s *scanner) errorAt(from, to int, try, format string, args ...any) *Error {
	return &Error{Pos: from, Len: max(0, to-from), Msg: fmt.Sprintf(format, args...), Try: try}
}

// textWith returns the query's text with the runes [from, to) replaced by other.
func (s *scanner) textWith(from, to int, other string) string {
	return string(slices.Concat(s.text[:from], []rune(other), s.text[to:]))
}

// newOrError returns the error of an OR without its left or right side.
func (s *scanner) newOrError(at int, side string) *Error {
	to := at + len("OR")
	for to < len(s.text) && unicode.IsSpace(s.text[to]) {
		to++
	}
	return s.errorAt(at, at+len("OR"), s.textWith(at, to, ""), "OR must be between two words, as in mining OR retrieval; there is no word %s this OR", side)
}

// valueError returns the error of an invalid field value that begins at from.
func (s *scanner) valueError(t *Term, from int, meant string, err error) *Error {
	try := ""
	if meant != "" {
		try = s.textWith(from, s.at, meant)
	}
	return s.errorAt(t.Pos, s.at, try, "%s%s %s", t.Field, t.Op, err)
}

// unknownFieldError returns the error of an unknown field named word[:n].
func (s *scanner) unknownFieldError(word string, n int) *Error {
	name := word[:n]
	from, to := s.at, s.at+len([]rune(name))
	meant := likelyField(name)
	switch {
	case rankOrders[strings.ToLower(name)] != nil:
		return s.errorAt(from, to, s.textWith(from, from, "rank:"), "“%s” is a system of ranks, not a field; write rank:%s:A", name, strings.ToLower(name))
	case meant != "":
		return s.errorAt(from, to, s.textWith(from, to, meant), "there is no field “%s”; the most similar field is %s", name, meant)
	}
	try := ""
	if end := from + len([]rune(word)); end > to+1 {
		try = s.textWith(from, end, `"`+word+`"`) // search for it literally
	}
	return s.errorAt(from, to, try, "there is no field “%s”; the fields are %s", name, strings.Join(Fields(), ", "))
}
