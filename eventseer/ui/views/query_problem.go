package views

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer/query"
)

// A QueryProblem says beside a search box why its query cannot be read.
type QueryProblem struct {
	Text string
	// Before, At and After are the query, cut around what is wrong in it; all are
	// empty where that is not known. Missing says that something is missing at At.
	Before, At, After string
	Missing           bool
	Try               Link // the query that may have been meant
}

// NewQueryProblem makes the error of a query ready for a page that asks at path.
func NewQueryProblem(err error, href func(query string) string) *QueryProblem {
	var bad *query.Error
	if !errors.As(err, &bad) {
		return &QueryProblem{Text: AsSentence(err.Error())}
	}
	p := &QueryProblem{Text: AsSentence(bad.Msg)}
	before, at, after := bad.SplitAtError()
	p.Before, p.At, p.After = lastRunes(before, maxMarked), Clip(at, maxMarked), Clip(after, maxMarked)
	p.Missing = at == ""
	if bad.Try != "" {
		p.Try = Link{Text: bad.Try, Href: href(bad.Try)}
	}
	return p
}

// QueryText says in one text what is wrong with a query, for forms that mark nothing.
func QueryText(err error) string {
	p := NewQueryProblem(err, func(string) string { return "" })
	if p.Try.Text != "" {
		p.Text += " Try " + p.Try.Text
	} else if p.At != "" {
		p.Text += " It is about “" + p.At + "”."
	}
	return Clip(p.Text, MaxValue)
}

const maxMarked = 60

// lastRunes cuts a text to its last n runes.
func lastRunes(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return "…" + string(runes[len(runes)-n:])
	}
	return text
}

// AsSentence gives a text its capital, unless it begins with a field, and its stop.
func AsSentence(text string) string {
	first, n := utf8.DecodeRuneInString(text)
	if n == 0 {
		return ""
	}
	if word, _, _ := strings.Cut(text, " "); !strings.ContainsAny(word, ":<>=") {
		text = string(unicode.ToUpper(first)) + text[n:]
	}
	if last, _ := utf8.DecodeLastRuneInString(text); !unicode.Is(unicode.STerm, last) {
		text += "."
	}
	return text
}

// A DoubtRow is a term of a query that no call known fits.
type DoubtRow struct {
	Text         string
	Try, Without Link
}

func SearchHref(query string, all bool) string {
	return "/search?" + SearchValues(Frame{Query: query, All: all}, 1).Encode()
}
