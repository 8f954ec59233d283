package ui

import (
	"cmp"
	"crypto/rand"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strings"
	"unicode"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/account"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// Cookies. Browsers accept one whose name begins with hostPrefix only over https and for this host
// alone, so another host of the domain cannot set it.
const (
	sessionCookie = "eventseer-session"
	formCookie    = "eventseer-form" // secret for the forms of visitors who are not signed in
	nextCookie    = "eventseer-next" // page after the link of the mail

	nextAge = 60 * 60

	maxForm = 64 << 10 // bytes of a form
)

// ownPages are the templates of pages with forms; adminPages are those in the operator's frame.
var (
	ownPages = []string{
		"subscribe", "signin", "link", "sent", "again", "clips", "editlist", "star", "account", "forget",
		"digest", "vote", "unsubscribe", "submit", "report", "operator",
	}
	adminPages = []string{"admin", "panel"}
)

// ownPageHandler serves a page that f makes for one visitor: it is never cached or indexed, and its address is
// not sent to other sites.
func (s *server) ownPageHandler(f func(*account.Visit) (web.View, error)) http.HandlerFunc {
	return s.visitHandler(s.newVisit, f)
}

// failOwnPage is like ownPageHandler, for a page that could not be made.
func (s *server) failOwnPage(w http.ResponseWriter, r *http.Request, err error) {
	s.ownPageHandler(func(*account.Visit) (web.View, error) { return web.View{}, err })(w, r)
}

// visitHandler serves a page that f makes for a visit that begin accepts.
func (s *server) visitHandler(begin func(http.ResponseWriter, *http.Request) (*account.Visit, error), f func(*account.Visit) (web.View, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		account.SetPrivateHeaders(w)
		v, err := begin(w, r)
		var shown web.View
		if err == nil {
			shown, err = f(v)
		}
		switch {
		case errors.Is(err, ErrSignedOut):
			http.Redirect(w, r, account.SignInHref(r), http.StatusSeeOther)
			return
		case errors.Is(err, errNotOperator):
			shown, err = s.askForToken(w, r)
		case err == nil && v.Target != "":
			http.Redirect(w, r, v.Target, http.StatusSeeOther)
			return
		case err != nil:
			if known, ok := s.ownError(w, err); ok {
				shown, err = known, nil
			}
		}
		s.PageHandler(func(*http.Request) (web.View, error) { return shown, err })(w, r)
	}
}

// requireAccounts serves a page of readers; without accounts it says so.
func (s *server) requireAccounts(f func(*account.Visit) (web.View, error)) func(*account.Visit) (web.View, error) {
	return func(v *account.Visit) (web.View, error) {
		if s.Subscriptions == nil {
			return web.View{}, &account.VisitError{Status: http.StatusNotFound, Text: "This site sends no mail and keeps no accounts."}
		}
		return f(v)
	}
}

// requireSignIn serves a page of a reader who is signed in.
func (s *server) requireSignIn(f func(*account.Visit) (web.View, error)) func(*account.Visit) (web.View, error) {
	return s.requireAccounts(func(v *account.Visit) (web.View, error) {
		if v.Account == nil {
			return web.View{}, ErrSignedOut
		}
		return f(v)
	})
}

// newVisit identifies the visitor. Forms of other sites are rejected first.
func (s *server) newVisit(w http.ResponseWriter, r *http.Request) (*account.Visit, error) {
	if err := s.guard.Check(r); err != nil {
		return nil, account.ErrForeignForm
	}
	v := &account.Visit{Request: r, W: w}
	if s.Subscriptions != nil {
		if err := s.identifyVisitor(v); err != nil {
			return nil, err
		}
	}
	switch {
	case v.User != "":
		v.Binding = "user " + v.User
	case v.Session != "":
		v.Binding = "session " + v.Session
	default:
		v.Binding = "form " + s.formSecret(v)
	}
	return v, nil
}

// identifyVisitor sets the account of a visit, if it has one.
func (s *server) identifyVisitor(v *account.Visit) error {
	if v.User = s.namedUser(v.Request); v.User != "" {
		a, err := s.Subscriptions.AccountOf(v.Context(), v.User)
		v.Account = &a
		return err
	}
	session := s.cookie(v.Request, sessionCookie)
	if session == "" {
		return nil
	}
	a, err := s.Subscriptions.Account(v.Context(), session)
	if errors.Is(err, ErrSignedOut) || errors.Is(err, eventseer.ErrNotFound) {
		return nil
	}
	v.Session, v.Account = session, &a
	return err
}

// namedUser returns the user named by the configured header, if a trusted proxy sent it.
func (s *server) namedUser(r *http.Request) string {
	if s.UserHeader == "" || !s.isProxy(web.PeerAddress(r)) {
		return ""
	}
	values := r.Header.Values(s.UserHeader)
	if len(values) != 1 { // the visitor sent the header too
		return ""
	}
	name := strings.TrimSpace(values[0])
	if len(name) > account.MaxUser || strings.ContainsFunc(name, unicode.IsControl) {
		return ""
	}
	return name
}

// formSecret returns the secret that binds the forms of a visitor who is not signed in to their
// browser.
func (s *server) formSecret(v *account.Visit) string {
	secret := s.cookie(v.Request, formCookie)
	if secret == "" {
		secret = rand.Text()
		s.setCookie(v, formCookie, secret, 0)
	}
	return secret
}

// isHTTPS reports whether visitors connect over https, at least up to a proxy.
func (s *server) isHTTPS(r *http.Request) bool {
	return s.schemeOf(r) == "https" || strings.HasPrefix(s.Base, "https://")
}

func (s *server) cookieName(r *http.Request, name string) string {
	if s.isHTTPS(r) {
		return account.HostPrefix + name
	}
	return name
}

func (s *server) cookie(r *http.Request, name string) string {
	c, err := r.Cookie(s.cookieName(r, name))
	if err != nil || len(c.Value) > account.MaxCookie {
		return ""
	}
	return c.Value
}

// setCookie sets a cookie for age seconds; 0 means until the browser is closed, a negative age
// deletes it.
func (s *server) setCookie(v *account.Visit, name, value string, age int) {
	http.SetCookie(v.W, &http.Cookie{
		Name: s.cookieName(v.Request, name), Value: value, Path: "/", MaxAge: age,
		Secure: s.isHTTPS(v.Request), HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// ownError returns the message for a visitor about an error that is not internal.
func (s *server) ownError(w http.ResponseWriter, err error) (web.View, bool) {
	var refused *account.VisitError
	var input *eventseer.InputError
	var large *http.MaxBytesError
	status, text, on := 0, "", views.Link{}
	switch {
	case errors.As(err, &refused):
		status, text, on = refused.Status, refused.Text, refused.On
	case errors.As(err, &large):
		status, text = http.StatusRequestEntityTooLarge, "The form was sent with too much data. Nothing was stored."
	case errors.As(err, &input):
		status, text = http.StatusBadRequest, views.Clip(input.Msg, views.MaxValue)
	case errors.Is(err, eventseer.ErrTooMany):
		w.Header().Set("Retry-After", "60")
		status, text = http.StatusTooManyRequests, "You sent this too often. Please try again in a minute; nothing was stored."
	case errors.Is(err, eventseer.ErrDeskFull):
		status, text = http.StatusServiceUnavailable, deskFull
	default:
		return web.View{}, false
	}
	return web.View{Name: "error", Status: status, Data: web.ErrorPage{Frame: s.NewFrame(web.ErrorTitle(status), ""), Status: status, Text: text, On: on}}, true
}

const deskFull = "The operator's list of reports is full. Please come back in a few days; yours was not stored."

// formHandler serves a form that changes something. Its token must be the visitor's, and the frequency for
// each address is limited.
func (s *server) formHandler(limit *web.Limiter, f func(*account.Visit) (web.View, error)) http.HandlerFunc {
	return s.ownPageHandler(s.requireToken(limit, f))
}

// requireToken calls f only for forms with a valid token.
func (s *server) requireToken(limit *web.Limiter, f func(*account.Visit) (web.View, error)) func(*account.Visit) (web.View, error) {
	return func(v *account.Visit) (web.View, error) {
		if err := s.readForm(v.W, v.Request); err != nil {
			return web.View{}, err
		}
		if !s.guard.IsValidToken(v.PostForm.Get(account.TokenField), v.Binding) {
			return s.askAgain(v)
		}
		if limit.WaitTime(s.clientAddress(v.Request), s.Now()) > 0 {
			return web.View{}, eventseer.ErrTooMany
		}
		return f(v)
	}
}

// readForm reads a form of either encoding into PostForm, within bounds.
func (s *server) readForm(w http.ResponseWriter, r *http.Request) error {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	err := r.ParseForm() // ParseMultipartForm would not report its errors
	if err == nil {
		if err = r.ParseMultipartForm(maxForm); errors.Is(err, http.ErrNotMultipart) {
			err = nil
		}
	}
	var large *http.MaxBytesError
	if err != nil && !errors.As(err, &large) {
		return &account.VisitError{Status: http.StatusBadRequest, Text: "The form cannot be read."}
	}
	return err
}

// askAgain responds to a form without a valid token. If the browser reports that the form is from
// this site, it was open too long, or cookies are disabled: the input is preserved, and one click
// sends it again.
func (s *server) askAgain(v *account.Visit) (web.View, error) {
	if v.Header.Get("Sec-Fetch-Site") != "same-origin" {
		return web.View{}, &account.VisitError{Status: http.StatusForbidden, Text: "This form was open for too long, or your browser does not store cookies. Nothing was done. Please go back, load the page again, and send it once more."}
	}
	p := account.ExpiredFormPage{OwnFrame: s.ownFrame(v, "Please send this again", ""), Action: v.URL.EscapedPath()}
	for _, name := range slices.Sorted(maps.Keys(v.PostForm)) {
		for _, value := range v.PostForm[name] {
			if name != account.TokenField {
				p.Fields = append(p.Fields, account.HiddenField{Name: name, Value: value})
			}
		}
	}
	return web.View{Name: "again", Data: p, Status: http.StatusForbidden}, nil
}

func (s *server) ownFrame(v *account.Visit, title, nav string) account.OwnFrame {
	f := account.OwnFrame{Frame: s.NewFrame(title, nav), Token: s.guard.NewToken(v.Binding), ByProxy: v.User != ""}
	if v.Account != nil {
		f.Reader = views.Clip(cmp.Or(v.Account.Address, v.Account.User, "signed in"), 100)
	}
	return f
}
