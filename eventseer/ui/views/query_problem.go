package views

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/eventseer/eventseer/eventseer/query"
)

// A QueryProblem explains beside a search box why the query cannot be parsed.
type QueryProblem struct {
	Text string
	// Before, At and After are the parts of the query before, at and after the error. All are empty if its
	// position is unknown. Missing means that something is missing at At.
	Before, At, After string
	Missing           bool
	Try               Link // the query that may have been meant
}

// NewQueryProblem prepares the error of a query for a page whose search form leads to path.
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

// QueryText explains an error of a query in one text, for forms that cannot mark its position.
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

// lastRunes returns the last n runes of a text.
func lastRunes(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return "…" + string(runes[len(runes)-n:])
	}
	return text
}

// AsSentence gives a text an initial capital, unless it begins with a field name, and a full stop.
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

// A DoubtRow is a term of a query that no known call matches.
type DoubtRow struct {
	Text         string
	Try, Without Link
}

func SearchHref(query string, all bool) string {
	return "/search?" + SearchValues(Frame{Query: query, All: all}, 1).Encode()
}
