package ui

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
	"eventseer/eventseer/ui/views"
)

// A gate is what forms go through.
type gate struct {
	guard      *web.Guard
	formLimits formLimits
	audited    *auditLog
}

func newGate(o Options) (gate, error) {
	g, err := web.NewGuard(o.Base)
	return gate{guard: g, formLimits: newFormLimits(), audited: new(auditLog)}, err
}

// bytes

// A visitError is what a visitor is told of a request that cannot be served.
type visitError struct {
	status int
	text   string
	on     views.Link // where to go from here, besides the open calls
}

func (e *visitError) Error() string { return e.text }

var errForeignForm = &visitError{status: http.StatusForbidden, text: "This form came from another site, so nothing was done. Please use the form on our own page."}

// ownError is what a visitor is told of an error that is none of ours.
func (s *server) ownError(w http.ResponseWriter, err error) (web.View, bool) {
	var refused *visitError
	var input *eventseer.InputError
	var large *http.MaxBytesError
	status, text, on := 0, "", views.Link{}
	switch {
	case errors.As(err, &refused):
		status, text, on = refused.status, refused.text, refused.on
	case errors.As(err, &large):
		status, text = http.StatusRequestEntityTooLarge, "This is more than the form can hold. Nothing was done."
	case errors.As(err, &input):
		status, text = http.StatusBadRequest, views.Clip(input.Msg, views.MaxValue)
	case errors.Is(err, eventseer.ErrTooMany):
		w.Header().Set("Retry-After", "60")
		status, text = http.StatusTooManyRequests, "That was too often. Please try again in a minute; nothing was done."
	case errors.Is(err, eventseer.ErrDeskFull):
		status, text = http.StatusServiceUnavailable, deskFull
	default:
		return web.View{}, false
	}
	return web.View{Name: "error", Status: status, Data: web.ErrorPage{Frame: s.Frame(web.ErrorTitle(status), ""), Status: status, Text: text, On: on}}, true
}

const deskFull = "So many reports wait to be read that there is no room for another. Please come back in a few days; nothing was lost but this one."

// post serves a form that changes something. Its token must be the visitor's, and an
// address may send a few in a while only.
func (s *server) post(limit *web.Limiter, f func(*visit) (web.View, error)) http.HandlerFunc {
	return s.own(s.checked(limit, f))
}

// checked lets f have the forms that are ours.
func (s *server) checked(limit *web.Limiter, f func(*visit) (web.View, error)) func(*visit) (web.View, error) {
	return func(v *visit) (web.View, error) {
		if err := s.readForm(v.w, v.Request); err != nil {
			return web.View{}, err
		}
		if !s.guard.Holds(v.PostForm.Get(tokenField), v.binding) {
			return s.askAgain(v)
		}
		if limit.Wait(s.clientAddress(v.Request), s.Now()) > 0 {
			return web.View{}, eventseer.ErrTooMany
		}
		return f(v)
	}
}

const tokenField = "form"

// readForm reads a form of either encoding into PostForm, within bounds.
func (s *server) readForm(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	err := r.ParseForm() // ParseMultipartForm would not tell of its errors
	if err == nil {
		if err = r.ParseMultipartForm(maxForm); errors.Is(err, http.ErrNotMultipart) {
			err = nil
		}
	}
	var large *http.MaxBytesError
	if err != nil && !errors.As(err, &large) {
		return &visitError{status: http.StatusBadRequest, text: "The form cannot be read."}
	}
	return err
}

// An againPage shows a form whose token is too old: it asks to send the same again.
type againPage struct {
	ownFrame
	Action string
	Fields []hiddenField
}

type hiddenField struct{ Name, Value string }

// askAgain answers a form without a token that holds. Where the browser says that the
// form is of our own page, it was open too long, or cookies are off: what was typed is
// kept and one press sends it again.
func (s *server) askAgain(v *visit) (web.View, error) {
	if v.Header.Get("Sec-Fetch-Site") != "same-origin" {
		return web.View{}, &visitError{status: http.StatusForbidden, text: "This form was open for too long, or your browser keeps no cookies. Nothing was done. Please go back, load the page again, and send it once more."}
	}
	p := againPage{ownFrame: s.ownFrame(v, "Please send this again", ""), Action: v.URL.EscapedPath()}
	for _, name := range sortedKeys(v.PostForm) {
		for _, value := range v.PostForm[name] {
			if name != tokenField {
				p.Fields = append(p.Fields, hiddenField{name, value})
			}
		}
	}
	return web.View{Name: "again", Data: p, Status: http.StatusForbidden}, nil
}

func sortedKeys(values url.Values) []string {
	keys := make([]string, 0, len(values))
	for k := range values {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// An ownFrame is what the pages with forms show around their own content.
type ownFrame struct {
	views.Frame
	Token    string // of its forms
	Reader   string // who is signed in, "" of nobody
	ByProxy  bool   // the proxy signed them in, and out
	Said     string // what has been done
	Problems []fieldProblem
}

// A fieldProblem is what is wrong with a field of a form, by the id of its element; "" is
// the whole form.
type fieldProblem struct{ Field, Text string }

func (s *server) ownFrame(v *visit, title, nav string) ownFrame {
	f := ownFrame{Frame: s.Frame(title, nav), Token: s.guard.Token(v.binding), ByProxy: v.user != ""}
	if v.account != nil {
		f.Reader = views.Clip(firstOf(v.account.Address, v.account.User, "signed in"), 100)
	}
	return f
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// wrong notes a problem; the first of a field counts.
func (f *ownFrame) wrong(field, format string, args ...any) {
	if f.Problem(field) == "" {
		f.Problems = append(f.Problems, fieldProblem{field, fmt.Sprintf(format, args...)})
	}
}

// wrongInput notes what a part of ours says of what was typed; other errors it returns.
// ids are the elements of its fields.
func (f *ownFrame) wrongInput(err error, ids map[string]string) error {
	var input *eventseer.InputError
	var query *eventseer.QueryError
	switch {
	case errors.As(err, &input):
		f.wrong(ids[input.Field], "%s", views.Clip(input.Msg, views.MaxValue))
	case errors.As(err, &query):
		f.wrong(ids["query"], "%s", views.QueryText(query))
	default:
		return err
	}
	return nil
}

// Problem is what is wrong with a field, or "".
func (f ownFrame) Problem(field string) string {
	for _, p := range f.Problems {
		if p.Field == field {
			return p.Text
		}
	}
	return ""
}

// Describe is what assistive programs read beside a field: hint is the id of a text
// about it, if it has one.
func (f ownFrame) Describe(field, hint string) string {
	if f.Problem(field) == "" {
		return hint
	}
	return strings.TrimSpace(field + "-problem " + hint)
}

// status is that of a page with a form: 422 where it must be filled in again.
func (f ownFrame) status() int {
	if len(f.Problems) > 0 {
		return http.StatusUnprocessableEntity
	}
	return http.StatusOK
}
