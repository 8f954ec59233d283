package query

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxNear is the maximum distance in "a b"~n, in words.
const maxNear = 50

// A scanner cuts a query into terms.
type scanner struct {
	text     []rune
	at       int
	excluded bool // true if the last term was excluded
}

func (s *scanner) atEnd() bool { return s.at >= len(s.text) }

func (s *scanner) skipSpace() {
	for !s.atEnd() && unicode.IsSpace(s.text[s.at]) {
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

func (s *scanner) readTerm() (t Term, not bool, err *Error) {
	t.Pos = s.at
	if word := s.peekWord(); strings.HasPrefix(word, "-") && (len(word) > 1 || s.isNext('"')) {
		not = true
		s.at++
	}
	field, err := s.readField(&t)
	if err != nil {
		return t, not, err
	}
	from := s.at
	if !s.atEnd() && s.text[s.at] == '"' {
		t.Phrase = true
		if t.Text, err = s.readQuoted(); err == nil {
			err = s.readNear(&t)
		}
	} else {
		t.Text = s.peekWord()
		s.at += utf8.RuneCountInString(t.Text)
	}
	switch {
	case err != nil || field == nil:
	case strings.TrimSpace(t.Text) == "":
		err = s.missingValueError(&t, from)
	case field.read != nil:
		err = s.convertValue(field, &t, from)
	}
	return t, not, err
}

// isNext reports whether the rune after the current one is r.
func (s *scanner) isNext(r rune) bool { return s.at+1 < len(s.text) && s.text[s.at+1] == r }

// readField parses a "name:" or "name<" at the current position into t. Words such as https://x, 10:30 or c<d are
// not fields.
func (s *scanner) readField(t *Term) (*queryField, *Error) {
	word := s.peekWord()
	n := strings.IndexFunc(word, func(r rune) bool { return !unicode.IsLetter(r) })
	if n < 1 {
		return nil, nil
	}
	name, rest := word[:n], word[n:]
	op := leadingOperator(rest)
	f := fieldNamed(name)
	switch {
	case op == "", (op == ":" || op == "=") && strings.HasPrefix(rest[1:], "/"):
		return nil, nil
	case f == nil && (op == ":" || op != "=" && isBound(rest[len(op):])):
		return nil, s.unknownFieldError(word, n)
	case f == nil:
		return nil, nil
	case op != ":" && op != "=" && !f.compares:
		from := s.at + utf8.RuneCountInString(name)
		return nil, s.errorAt(from, from+len(op), s.textWith(from, from+len(op), ":"), "%s cannot be compared with %s; write %s:", f.name, op, f.name)
	}
	s.at += utf8.RuneCountInString(name) + len(op)
	if op == "=" {
		op = ":"
	}
	t.Field, t.Op = f.name, op
	return f, nil
}

// leadingOperator returns the operator a text begins with, or "".
func leadingOperator(s string) string {
	for _, op := range []string{"<=", ">=", "<", ">", ":", "="} {
		if strings.HasPrefix(s, op) {
			return op
		}
	}
	return ""
}

func (s *scanner) readQuoted() (string, *Error) {
	start := s.at
	for i := start + 1; i < len(s.text); i++ {
		if s.text[i] == '"' {
			s.at = i + 1
			return string(s.text[start+1 : i]), nil
		}
	}
	return "", s.errorAt(start, len(s.text), s.textWith(len(s.text), len(s.text), `"`), `a quote is not closed; put a " after its last word`)
}

// missingValueError returns the error of a field without a value, such as in "topic: x".
func (s *scanner) missingValueError(t *Term, from int) *Error {
	to := from
	for to < len(s.text) && unicode.IsSpace(s.text[to]) {
		to++
	}
	try := s.textWith(from, to, "") // without the space
	if s.at > from || to == len(s.text) {
		try = s.textWith(t.Pos, s.at, "")
	}
	return s.errorAt(t.Pos, s.at, try, "%s%s needs a value directly after it, without a space", t.Field, t.Op)
}

// readNear reads the "~5" after a phrase.
func (s *scanner) readNear(t *Term) *Error {
	if s.atEnd() || s.text[s.at] != '~' {
		return nil
	}
	at := s.at
	word := s.peekWord()
	s.at += utf8.RuneCountInString(word)
	n, err := strconv.Atoi(word[1:])
	if err != nil || n < 1 || n > maxNear {
		return s.errorAt(at, s.at, s.textWith(at, s.at, "~5"), "~ needs the maximum number of words apart, from 1 to %d, such as ~5", maxNear)
	}
	t.Phrase, t.Near = false, n
	return nil
}
