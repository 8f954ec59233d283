package ui

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"
	"unicode"

	"eventseer/eventseer"
	"eventseer/eventseer/ui/internal/web"
)

// Cookies. A browser takes one whose name begins with hostPrefix only over https, for
// this host alone, and so never from a neighbour of the same domain.
const (
	hostPrefix    = "__Host-"
	sessionCookie = "eventseer-session"
	formCookie    = "eventseer-form" // what the forms of visitors who are signed out hold to
	nextCookie    = "eventseer-next" // where to go on after the link of the mail

	sessionAge = 90 * 24 * 60 * 60 // seconds; Subscriptions may end a session earlier
	nextAge    = 60 * 60
	maxCookie  = 300      // bytes of a value
	maxUser    = 200      // bytes of a name in UserHeader
	maxForm    = 64 << 10 // bytes of a form
)

// ownPages are the templates of pages with forms, adminPages those in the operator's
// frame.
var (
	ownPages = []string{
		"subscribe", "signin", "link", "sent", "again", "clips", "editlist", "star", "account", "forget",
		"digest", "vote", "unsubscribe", "submit", "report",
	}
	adminPages = []string{"admin", "panel"}
)

func (s *server) loadOwnPages() error {
	if err := s.Parse(ownPages, "templates/forms.html"); err != nil {
		return err
	}
	return s.Parse(adminPages, "templates/forms.html", "templates/adminframe.html")
}

// A visit is a request to a page that is not the same for everybody.
type visit struct {
	*http.Request
	w       http.ResponseWriter
	account *eventseer.Account // nil of a visitor who is signed out
	session string             // "" of none, or of one that has ended
	user    string             // whom the proxy's header names
	binding string             // what the tokens of its forms hold to
	target  string             // where to go on to; "" shows the view
	anchors map[string]bool    // ids of elements of its page
}

// own serves a page that f makes for one visitor: it is never kept, not indexed, and
// tells other sites nothing of its address.
func (s *server) own(f func(*visit) (web.View, error)) http.HandlerFunc {
	return s.served(s.newVisit, f)
}

// served serves a page that f makes for a visit that begin lets in.
func (s *server) served(begin func(http.ResponseWriter, *http.Request) (*visit, error), f func(*visit) (web.View, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ownAnswer(w)
		v, err := begin(w, r)
		var shown web.View
		if err == nil {
			shown, err = f(v)
		}
		switch {
		case errors.Is(err, ErrSignedOut):
			http.Redirect(w, r, signInHref(r), http.StatusSeeOther)
			return
		case err == nil && v.target != "":
			http.Redirect(w, r, v.target, http.StatusSeeOther)
			return
		case err != nil:
			if known, ok := s.ownError(w, err); ok {
				shown, err = known, nil
			}
		}
		s.Page(func(*http.Request) (web.View, error) { return shown, err })(w, r)
	}
}

func ownAnswer(w http.ResponseWriter) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("X-Robots-Tag", "noindex")
	h.Set("Referrer-Policy", "same-origin") // no-referrer would hide from us which site a form comes from
}

// readers serves a page of readers; where there are no accounts it says so.
func (s *server) readers(f func(*visit) (web.View, error)) func(*visit) (web.View, error) {
	return func(v *visit) (web.View, error) {
		if s.Subscriptions == nil {
			return web.View{}, &visitError{status: http.StatusNotFound, text: "This site sends no mail and keeps no accounts."}
		}
		return f(v)
	}
}

// signedIn serves a page of a reader who is signed in.
func (s *server) signedIn(f func(*visit) (web.View, error)) func(*visit) (web.View, error) {
	return s.readers(func(v *visit) (web.View, error) {
		if v.account == nil {
			return web.View{}, ErrSignedOut
		}
		return f(v)
	})
}

// newVisit finds out who asks. Forms of other sites are refused first.
func (s *server) newVisit(w http.ResponseWriter, r *http.Request) (*visit, error) {
	if err := s.guard.Check(r); err != nil {
		return nil, errForeignForm
	}
	v := &visit{Request: r, w: w}
	if s.Subscriptions != nil {
		if err := s.identify(v); err != nil {
			return nil, err
		}
	}
	switch {
	case v.user != "":
		v.binding = "user " + v.user
	case v.session != "":
		v.binding = "session " + v.session
	default:
		v.binding = "form " + s.formSecret(v)
	}
	return v, nil
}

// identify finds the account of a visit, if it has one.
func (s *server) identify(v *visit) error {
	if v.user = s.namedUser(v.Request); v.user != "" {
		a, err := s.Subscriptions.AccountOf(v.Context(), v.user)
		v.account = &a
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
	v.session, v.account = session, &a
	return err
}

// namedUser is whom the configured header names, if a proxy we trust sent it.
func (s *server) namedUser(r *http.Request) string {
	if s.UserHeader == "" || !s.isProxy(web.PeerAddress(r)) {
		return ""
	}
	values := r.Header.Values(s.UserHeader)
	if len(values) != 1 { // a visitor's own beside the proxy's
		return ""
	}
	name := strings.TrimSpace(values[0])
	if len(name) > maxUser || strings.ContainsFunc(name, unicode.IsControl) {
		return ""
	}
	return name
}

// formSecret is what binds the forms of a visitor who is signed out to their browser.
func (s *server) formSecret(v *visit) string {
	secret := s.cookie(v.Request, formCookie)
	if secret == "" {
		secret = rand.Text()
		s.setCookie(v, formCookie, secret, 0)
	}
	return secret
}

// https says that visitors reach us over https, if only up to a proxy.
func (s *server) https(r *http.Request) bool {
	return s.scheme(r) == "https" || strings.HasPrefix(s.Base, "https://")
}

func (s *server) cookieName(r *http.Request, name string) string {
	if s.https(r) {
		return hostPrefix + name
	}
	return name
}

func (s *server) cookie(r *http.Request, name string) string {
	c, err := r.Cookie(s.cookieName(r, name))
	if err != nil || len(c.Value) > maxCookie {
		return ""
	}
	return c.Value
}

// setCookie sets a cookie for age seconds; 0 is until the browser is closed, less ends
// it.
func (s *server) setCookie(v *visit, name, value string, age int) {
	http.SetCookie(v.w, &http.Cookie{
		Name: s.cookieName(v.Request, name), Value: value, Path: "/", MaxAge: age,
		Secure: s.https(v.Request), HttpOnly: true, SameSite: http.SameSiteLaxMode,
	})
}

// signInHref leads to the sign-in and from there back to where r was going.
func signInHref(r *http.Request) string {
	if next := localPath(r.URL.RequestURI()); r.Method == http.MethodGet && next != "" {
		return "/signin?" + url.Values{"next": {next}}.Encode()
	}
	return "/signin"
}

// onward are the pages that a form may lead on to, by the first part of their path.
var onward = map[string]bool{"clips": true, "account": true, "subscribe": true, "e": true, "d": true, "s": true}

// localPath returns next if it is the path of a page of ours that a form may lead on
// to, else "". It has no host in the eyes of any browser.
func localPath(next string) string {
	if len(next) > maxSliceURL || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsFunc(next, notInPath) {
		return ""
	}
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || u.User != nil || strings.Contains(u.Path, `\`) || path.Clean(u.Path) != strings.TrimSuffix(u.Path, "/") {
		return ""
	}
	first, _, _ := strings.Cut(u.Path[1:], "/")
	if !onward[first] {
		return ""
	}
	clean := url.URL{Path: u.Path, RawQuery: u.Query().Encode(), Fragment: u.Fragment}
	return clean.String()
}

func notInPath(r rune) bool { return r == '\\' || unicode.IsControl(r) || unicode.IsSpace(r) }
