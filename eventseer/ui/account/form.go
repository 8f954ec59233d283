// Package account has the parts of readers' pages: visits, forms with their errors, forms of lists,
// items, and the data export.
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

// A VisitError is the message for a visitor whose request cannot be served.
type VisitError struct {
	Status int
	Text   string
	On     views.Link // link to continue, besides the open calls
}

func (e *VisitError) Error() string { return e.Text }

var ErrForeignForm = &VisitError{Status: http.StatusForbidden, Text: "This form came from another site, so nothing was done. Please use the form on our own page."}

const TokenField = "form"

// An ExpiredFormPage shows a form whose token has expired, with a button to send the same data again.
type ExpiredFormPage struct {
	OwnFrame
	Action string
	Fields []HiddenField
}

type HiddenField struct{ Name, Value string }

// An OwnFrame is the common data of pages with forms.
type OwnFrame struct {
	views.Frame
	Token    string // of its forms
	Reader   string // the signed-in reader, or ""
	ByProxy  bool   // signed in and out by the proxy
	Said     string // what has been done
	Problems []FieldProblem
}

// A FieldProblem is an error in a field of a form, by the id of its element; "" means the whole
// form.
type FieldProblem struct{ Field, Text string }

// AddProblem records an error of a field; only the first of a field is stored.
func (f *OwnFrame) AddProblem(field, format string, args ...any) {
	if f.Problem(field) == "" {
		f.Problems = append(f.Problems, FieldProblem{Field: field, Text: fmt.Sprintf(format, args...)})
	}
}

// AddInputProblem records an InputError in the form; it returns other errors. ids are the elements of
// its fields.
func (f *OwnFrame) AddInputProblem(err error, ids map[string]string) error {
	var input *eventseer.InputError
	var bad *query.Error
	switch {
	case errors.As(err, &input):
		f.AddProblem(ids[input.Field], "%s", views.Clip(input.Msg, views.MaxValue))
	case errors.As(err, &bad):
		f.AddProblem(ids["query"], "%s", views.QueryText(bad))
	default:
		return err
	}
	return nil
}

// Problem returns the error of a field, or "".
func (f OwnFrame) Problem(field string) string {
	for _, p := range f.Problems {
		if p.Field == field {
			return p.Text
		}
	}
	return ""
}

// Describe returns the aria-describedby value of a field. hint is the id of an explanation, if
// there is one.
func (f OwnFrame) Describe(field, hint string) string {
	if f.Problem(field) == "" {
		return hint
	}
	return strings.TrimSpace(field + "-problem " + hint)
}

// Status returns the HTTP status of a page with a form: 422 if the form has errors.
func (f OwnFrame) Status() int {
	if len(f.Problems) > 0 {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}
