// Package query is the query language of searches and saved searches: it parses queries,
// explains mistakes in them and decides which events match.
package query

import (
	"strings"
	"unicode/utf8"
)

// Limits on a query.
const (
	// MaxText is the maximum length of a query's text, in bytes.
	MaxText       = 1000
	maxQueryTerms = 64
)

// A Term is one word, phrase or comparison of a query.
type Term struct {
	// Field is one of Fields, "" for any.
	Field string
	// Op is ":" for equality or containment, or one of < <= > >=; "" without a field.
	Op string
	// Text is the query text. It is as typed in fields of words and in canonical form in those of
	// facts ("core>=A" for a rank, "60d" for a window).
	Text string
	// Phrase means that the words of Text must follow each other. Near, if positive, means that
	// they must occur within that many words, in any order.
	Phrase bool
	Near   int
	// Pos is the position of the term in the query's text, in runes.
	Pos int
}

// An Expr is a query in conjunctive form: of each clause one term must match,
// and of Excluded none. The zero Expr matches all.
type Expr struct {
	Clauses  [][]Term
	Excluded []Term
}

// Parse reads the language of searches and of readers' lists; its error is a *Error.
//
//	query  = { clause }
//	clause = term { "OR" term } | "-" term
//	term   = [ field ( ":" | "=" | "<" | "<=" | ">" | ">=" ) ] ( word | '"' words '"' [ "~" number ] )
//
// OR binds tighter than the space between clauses. An AND is allowed and ignored. Only fields of
// dates, numbers and ranks can be compared; a rank may be written rank:core>=A, rank:core=A*,A or
// rank=core:A*,A.
func Parse(text string) (Expr, error) { return parseQuery(text, MaxText) }

// parseQuery is Parse for a text of at most most bytes.
func parseQuery(text string, most int) (Expr, error) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	q, err := readQuery(text, most)
	if err != nil {
		err.setText(text)
		return q, err
	}
	return q, nil
}

func readQuery(text string, most int) (q Expr, err *Error) {
	s := scanner{text: []rune(straightQuotes.Replace(text))}
	if len(text) > most {
		return q, s.errorAt(utf8.RuneCountInString(text[:most]), len(s.text), "", "the query is too long; leave some words out")
	}
	or := -1 // position of an OR that still lacks its right side
	for n := 0; ; n++ {
		s.skipSpace()
		if s.atEnd() {
			break
		}
		if n == maxQueryTerms {
			return q, s.errorAt(s.at, len(s.text), "", "the query has more than %d words and fields; leave some out", maxQueryTerms)
		}
		switch s.peekWord() {
		case "OR":
			if or >= 0 || len(q.Clauses) == 0 || s.excluded {
				return q, s.newOrError(s.at, "before")
			}
			or = s.at
			s.at += len("OR")
			continue
		case "AND":
			s.at += len("AND")
			continue
		}
		t, not, err := s.readTerm()
		switch {
		case err != nil:
			return q, err
		case not && or >= 0:
			return q, s.newOrError(or, "after")
		case not:
			q.Excluded = append(q.Excluded, t)
		case or >= 0:
			last := len(q.Clauses) - 1
			q.Clauses[last] = append(q.Clauses[last], t)
		default:
			q.Clauses = append(q.Clauses, []Term{t})
		}
		or, s.excluded = -1, not
	}
	if or >= 0 {
		return q, s.newOrError(or, "after")
	}
	return q, nil
}

var straightQuotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`)
