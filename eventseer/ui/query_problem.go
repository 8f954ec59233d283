package ui

import (
	"errors"
	"net/http"
	"strings"
	"unicode"
	"unicode/utf8"

	"eventseer/eventseer/query"
)

// A queryProblem says beside a search box why its query cannot be read.
type queryProblem struct {
	Text string
	// Before, At and After are the query, cut around what is wrong in it; all are
	// empty where that is not known. Missing says that something is missing at At.
	Before, At, After string
	Missing           bool
	Try               link // the query that may have been meant
}

// newQueryProblem makes the error of a query ready for a page that asks at path.
func newQueryProblem(err error, href func(query string) string) *queryProblem {
	var bad *query.Error
	if !errors.As(err, &bad) {
		return &queryProblem{Text: sentence(err.Error())}
	}
	p := &queryProblem{Text: sentence(bad.Msg)}
	before, at, after := bad.Marked()
	p.Before, p.At, p.After = lastRunes(before, maxMarked), clip(at, maxMarked), clip(after, maxMarked)
	p.Missing = at == ""
	if bad.Try != "" {
		p.Try = link{bad.Try, href(bad.Try)}
	}
	return p
}

// queryText says in one text what is wrong with a query, for forms that mark nothing.
func queryText(err error) string {
	p := newQueryProblem(err, func(string) string { return "" })
	if p.Try.Text != "" {
		p.Text += " Try " + p.Try.Text
	} else if p.At != "" {
		p.Text += " It is about “" + p.At + "”."
	}
	return clip(p.Text, maxValue)
}

const maxMarked = 60 // runes of a query on each side of what is wrong in it

// lastRunes cuts a text to its last n runes.
func lastRunes(text string, n int) string {
	if runes := []rune(text); len(runes) > n {
		return "…" + string(runes[len(runes)-n:])
	}
	return text
}

// sentence gives a text its capital, unless it begins with a field, and its stop.
func sentence(text string) string {
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

// A doubtRow is a term of a query that no call known fits.
type doubtRow struct {
	Text         string
	Try, Without link
}

// doubts says of a search that found nothing what in it no call can fit.
func (s *server) doubts(r *http.Request, f frame) (rows []doubtRow) {
	found, err := query.Doubts(r.Context(), s.Index, s.query(f.Query, true))
	if err != nil {
		if r.Context().Err() == nil {
			s.Log.Warn("why a search finds nothing cannot be said", "cause", err)
		}
		return nil
	}
	for _, d := range found {
		row := doubtRow{Text: sentence(clip(d.Msg, maxValue))}
		if d.Try != "" {
			row.Try = link{clip(d.Try, 200), searchHref(d.Try, f.All)}
		}
		if d.Without != "" {
			row.Without = link{clip(d.Without, 200), searchHref(d.Without, f.All)}
		}
		rows = append(rows, row)
	}
	return rows
}

func searchHref(query string, all bool) string {
	return "/search?" + searchValues(frame{Query: query, All: all}, 1).Encode()
}
