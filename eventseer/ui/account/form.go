// Package account holds what the pages of readers are made from: visits, forms with their
// problems, lists as forms, items, and what is exported.
package account

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// A VisitError is what a visitor is told about a request that cannot be served.
type VisitError struct {
	Status int
	Text   string
	On     views.Link // where to go from here, besides the open calls
}

func (e *VisitError) Error() string { return e.Text }

var ErrForeignForm = &VisitError{Status: http.StatusForbidden, Text: "This form came from another site, so nothing was done. Please use the form on our own page."}

const TokenField = "form"

// An AgainPage shows a form whose token is too old: it asks to send the same again.
type AgainPage struct {
	OwnFrame
	Action string
	Fields []HiddenField
}

type HiddenField struct{ Name, Value string }

// An OwnFrame is what the pages with forms show around their own content.
type OwnFrame struct {
	views.Frame
	Token    string // of its forms
	Reader   string // the signed-in reader, or ""
	ByProxy  bool   // the proxy signed them in, and out
	Said     string // what has been done
	Problems []FieldProblem
}

// A FieldProblem is what is wrong with a field of a form, by the id of its element; "" is
// the whole form.
type FieldProblem struct{ Field, Text string }

// Wrong records a problem; the first of a field counts.
func (f *OwnFrame) Wrong(field, format string, args ...any) {
	if f.Problem(field) == "" {
		f.Problems = append(f.Problems, FieldProblem{Field: field, Text: fmt.Sprintf(format, args...)})
	}
}

// WrongInput records what a part of ours says of what was typed; other errors it returns. ids are
// the elements of its fields.
func (f *OwnFrame) WrongInput(err error, ids map[string]string) error {
	var input *eventseer.InputError
	var bad *query.Error
	switch {
	case errors.As(err, &input):
		f.Wrong(ids[input.Field], "%s", views.Clip(input.Msg, views.MaxValue))
	case errors.As(err, &bad):
		f.Wrong(ids["query"], "%s", views.QueryText(bad))
	default:
		return err
	}
	return nil
}

// Problem returns what is wrong with a field, or "".
func (f OwnFrame) Problem(field string) string {
	for _, p := range f.Problems {
		if p.Field == field {
			return p.Text
		}
	}
	return ""
}

// Describe returns what assistive programs read beside a field: hint is the id of a text about it,
// if it has one.
func (f OwnFrame) Describe(field, hint string) string {
	if f.Problem(field) == "" {
		return hint
	}
	return strings.TrimSpace(field + "-problem " + hint)
}

// Status is that of a page with a form: 422 where it must be filled in again.
func (f OwnFrame) Status() int {
	if len(f.Problems) > 0 {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}
