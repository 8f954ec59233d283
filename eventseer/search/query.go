package search

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits on a query.
const (
	// MaxQuery bounds the text of a query, in bytes.
	MaxQuery = 1000
	maxTerms = 64
)

// A QueryError says where a query cannot be understood.
type QueryError struct {
	Pos int // offset in the query's text, in runes, from 0
	Msg string
}

func (e *QueryError) Error() string {
	return fmt.Sprintf("query, character %d: %s", e.Pos+1, e.Msg)
}

// QueryPos returns Pos, for callers that know this error by its method only.
func (e *QueryError) QueryPos() int { return e.Pos }

// fields are the names a query may put before a colon.
var fields = []string{"title", "acronym", "topic", "city", "country", "kind", "year"}

// A term is one word, phrase or field:value of a query.
type term struct {
	field  string // "" for any
	text   string
	phrase bool
	pos    int
}

// parsed is a query in conjunctive form: of each clause one term must match,
// and of excluded none.
type parsed struct {
	clauses  [][]term
	excluded []term
}

// parse reads
//
//	query  = { clause }
//	clause = term { "OR" term } | "-" term
//	term   = [ field ":" ] ( word | '"' words '"' )
//
// OR binds tighter than the space between clauses. An AND is allowed and means
// nothing.
func parse(text string) (parsed, error) {
	var q parsed
	if len(text) > MaxQuery {
		return q, &QueryError{utf8.RuneCountInString(text[:MaxQuery]), fmt.Sprintf("it is longer than %d bytes", MaxQuery)}
	}
	s := scanner{text: []rune(straightQuotes.Replace(strings.ToValidUTF8(text, "\uFFFD")))}
	or := -1 // position of an OR that waits for its right side
	for n := 0; ; n++ {
		s.space()
		if s.end() {
			break
		}
		if n == maxTerms {
			return q, &QueryError{s.at, fmt.Sprintf("it has more than %d terms", maxTerms)}
		}
		switch s.peekWord() {
		case "OR":
			if or >= 0 || len(q.clauses) == 0 || s.excluded {
				return q, &QueryError{s.at, "OR needs a term on its left"}
			}
			or = s.at
			s.at += len("OR")
			continue
		case "AND":
			s.at += len("AND")
			continue
		}
		t, not, err := s.term()
		switch {
		case err != nil:
			return q, err
		case not && or >= 0:
			return q, &QueryError{t.pos, "an excluded term cannot be one side of OR"}
		case not:
			q.excluded = append(q.excluded, t)
		case or >= 0:
			last := len(q.clauses) - 1
			q.clauses[last] = append(q.clauses[last], t)
		default:
			q.clauses = append(q.clauses, []term{t})
		}
		or, s.excluded = -1, not
	}
	if or >= 0 {
		return q, &QueryError{or, "OR needs a term on its right"}
	}
	return q, nil
}

var straightQuotes = strings.NewReplacer("“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`)

// A scanner cuts a query into terms.
type scanner struct {
	text     []rune
	at       int
	excluded bool // the last term was excluded
}

func (s *scanner) end() bool { return s.at >= len(s.text) }

func (s *scanner) space() {
	for !s.end() && unicode.IsSpace(s.text[s.at]) {
		s.at++
	}
}

// peekWord returns the characters up to the next space or quote.
func (s *scanner) peekWord() string {
	i := s.at
	for i < len(s.text) && !unicode.IsSpace(s.text[i]) && s.text[i] != '"' {
		i++
	}
	return string(s.text[s.at:i])
}

func (s *scanner) term() (t term, not bool, err error) {
	t.pos = s.at
	if word := s.peekWord(); strings.HasPrefix(word, "-") && (len(word) > 1 || s.follows('"')) {
		not = true
		s.at++
	}
	if t.field, err = s.field(); err != nil {
		return t, not, err
	}
	if !s.end() && s.text[s.at] == '"' {
		t.phrase = true
		t.text, err = s.quoted()
	} else {
		word := s.peekWord()
		s.at += utf8.RuneCountInString(word)
		t.text = word
	}
	if err == nil && strings.TrimSpace(t.text) == "" && t.field != "" {
		err = &QueryError{s.at, t.field + ": needs a value"}
	}
	if err == nil && t.field == "year" {
		if n, convErr := strconv.Atoi(t.text); convErr != nil || n < 1000 || n > 9999 {
			err = &QueryError{t.pos, "year: needs four digits, such as year:2027"}
		}
	}
	return t, not, err
}

// follows tells whether the rune after the current one is r.
func (s *scanner) follows(r rune) bool { return s.at+1 < len(s.text) && s.text[s.at+1] == r }

// field takes a "name:" where one stands. Words such as https://x or 10:30 are
// no fields.
func (s *scanner) field() (string, error) {
	name, rest, found := strings.Cut(s.peekWord(), ":")
	isName := name != "" && strings.IndexFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }) < 0
	if !found || !isName || strings.HasPrefix(rest, "/") {
		return "", nil
	}
	for _, f := range fields {
		if strings.EqualFold(f, name) {
			s.at += utf8.RuneCountInString(name) + 1
			return f, nil
		}
	}
	return "", &QueryError{s.at, fmt.Sprintf("there is no field %q; fields are %s", name, strings.Join(fields, ", "))}
}

func (s *scanner) quoted() (string, error) {
	start := s.at
	for i := start + 1; i < len(s.text); i++ {
		if s.text[i] == '"' {
			s.at = i + 1
			return string(s.text[start+1 : i]), nil
		}
	}
	return "", &QueryError{start, `the quote " is not closed`}
}
