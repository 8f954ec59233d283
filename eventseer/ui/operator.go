package ui

import (
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strings"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/account"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
)

// errNotOperator means that a visitor who is not the signed-in operator requested an operator's
// page.
var errNotOperator = errors.New("not signed in as the operator")

// onlyOperator passes only the operator's requests to next.
func (s *server) onlyOperator(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := s.guard.Origins.Check(r)
		if err != nil {
			err = account.ErrForeignForm
		} else {
			_, err = s.operatorName(w, r)
		}
		if err != nil {
			s.failOwnPage(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// newOperatorVisit begins a visit of the operator. Other visitors are asked for the token if there
// is one, otherwise the page does not exist.
func (s *server) newOperatorVisit(w http.ResponseWriter, r *http.Request) (*account.Visit, error) {
	if err := s.guard.Origins.Check(r); err != nil {
		return nil, account.ErrForeignForm
	}
	v := &account.Visit{Request: r, W: w}
	who, err := s.operatorName(w, r)
	if err != nil {
		return nil, err
	}
	v.User = who
	v.Binding = "operator " + s.formSecret(v)
	return v, nil
}

// operatorName returns the name of the operator that sent a request. It accepts a session, the token as
// the password of a program, or a URL with the token, which begins a session. The client's address
// gives no access.
func (s *server) operatorName(w http.ResponseWriter, r *http.Request) (who string, err error) {
	if s.operators.IsClosed() {
		return "", web.ErrNoPage
	}
	from := s.clientAddress(r)
	if s.operators.HasSession(r, s.Now(), s.isHTTPS(r)) {
		return "operator, from " + from.String(), nil
	}
	token, inAddress := r.URL.Query().Get(web.TokenParameter), true
	if r.Method != http.MethodGet || r.URL.Path != web.AdminPath || token == "" {
		_, token, _ = r.BasicAuth()
		inAddress = false
	}
	err = s.checkToken(token, from)
	switch {
	case errors.Is(err, errNotOperator):
		w.Header().Set("WWW-Authenticate", `Bearer realm="EventSeer operator"`) // the page has a form, so the browser must not show its dialogue
		return "", err
	case err != nil:
		return "", err
	case inAddress:
		http.SetCookie(w, s.operators.Cookie(s.Now(), s.isHTTPS(r)))
	}
	return "token, from " + from.String(), nil
}

// checkToken returns errNotOperator for a token that is not the operator's. After several wrong
// ones from a network it returns eventseer.ErrTooMany, also for a right one.
func (s *server) checkToken(token string, from netip.Addr) error {
	if token == "" {
		return errNotOperator
	}
	if s.formLimits.Secret.Bucket(web.ClientNetwork(from)).TokensAt(s.Now()) < 1 {
		return eventseer.ErrTooMany
	}
	if s.operators.HasToken(token) {
		return nil
	}
	s.formLimits.Secret.WaitTime(from, s.Now())
	s.Log.Warn("a wrong token for the operator's pages", "from", from)
	return errNotOperator
}

// An operatorPage asks for the operator's token.
type operatorPage struct {
	account.OwnFrame
	Next  string // the page after signing in
	Wrong bool   // the typed token was wrong
}

// askForToken shows the form that the operator signs in with.
func (s *server) askForToken(w http.ResponseWriter, r *http.Request) (web.View, error) {
	v, err := s.newVisit(w, r)
	if err != nil {
		return web.View{}, err
	}
	p := operatorPage{OwnFrame: s.ownFrame(v, "Operator", ""), Next: s.operatorPath(r.URL.RequestURI())}
	if r.URL.Path == web.AdminPath+"/signin" {
		p.Next, p.Wrong = s.operatorPath(r.PostForm.Get("next")), r.PostForm.Get("secret") != ""
	}
	return web.View{Name: "operator", Data: p, Status: http.StatusUnauthorized}, nil
}

// operatorPath returns next without a token if it is one of the operator's pages, otherwise the
// overview.
func (s *server) operatorPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.Scheme != "" || u.Host != "" || path.Clean(u.Path) != u.Path {
		return web.AdminPath
	}
	known := strings.HasPrefix(u.Path, web.AdminPath+"/")
	for tool := range s.Tools {
		known = known || u.Path == tool || strings.HasPrefix(u.Path, tool+"/")
	}
	if !known {
		return web.AdminPath
	}
	return u.RequestURI()
}

// signInOperator exchanges the token for a session.
func (s *server) signInOperator(v *account.Visit) (web.View, error) {
	if s.operators.IsClosed() {
		return web.View{}, web.ErrNoPage
	}
	if err := s.checkToken(strings.TrimSpace(v.PostForm.Get("secret")), s.clientAddress(v.Request)); err != nil {
		return web.View{}, err
	}
	http.SetCookie(v.W, s.operators.Cookie(s.Now(), s.isHTTPS(v.Request)))
	return v.Redirect(s.operatorPath(v.PostForm.Get("next")))
}

// signOutOperator ends the session of this browser.
func (s *server) signOutOperator(v *account.Visit) (web.View, error) {
	http.SetCookie(v.W, s.operators.ClearingCookie(s.isHTTPS(v.Request)))
	return v.Redirect("/")
}
