package web

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// SessionAge is how long an operator stays signed in.
const SessionAge = 7 * 24 * time.Hour

// HostPrefix begins the names of cookies that browsers accept only over https and for a single
// host.
const HostPrefix = "__Host-"

// TokenParameter is the URL parameter with the operator's token.
const TokenParameter = "token"

// An Operator recognises the operator of a site by a secret token, or by the cookie of a session
// that was begun with it. Neither the client's address nor the requested host is used, because a
// proxy on this machine changes both. Sessions are not stored: each expires with its age, and all
// end when the token changes. An Operator is safe for concurrent use.
type Operator struct{ token, key []byte }

// NewOperator returns an Operator with a token; the empty token is never valid.
func NewOperator(token string) Operator {
	key := sha256.Sum256([]byte("eventseer operator session\x00" + token))
	return Operator{token: []byte(token), key: key[:]}
}

// IsClosed reports whether there is no token, so that access is always denied.
func (o Operator) IsClosed() bool { return len(o.token) == 0 }

// HasToken compares a text with the token in constant time.
func (o Operator) HasToken(text string) bool {
	given, want := sha256.Sum256([]byte(text)), sha256.Sum256(o.token)
	return !o.IsClosed() && hmac.Equal(given[:], want[:])
}

func (o Operator) sign(text string) []byte {
	h := hmac.New(sha256.New, o.key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

// cookieName depends on the token, because cookies of one host are shared by all its ports.
func (o Operator) cookieName(https bool) string {
	name := "eventseer-operator-" + hex.EncodeToString(o.sign("name")[:4])
	if https {
		return HostPrefix + name
	}
	return name
}

// Cookie returns the cookie of a new session. Scripts cannot read it, and browsers do not send it
// with requests started by other sites.
func (o Operator) Cookie(now time.Time, https bool) *http.Cookie {
	end := strconv.FormatInt(now.Add(SessionAge).Unix(), 10)
	return &http.Cookie{
		Name: o.cookieName(https), Value: end + "." + base64.RawURLEncoding.EncodeToString(o.sign(end)), Path: "/", MaxAge: int(SessionAge / time.Second),
		Secure: https, HttpOnly: true, SameSite: http.SameSiteStrictMode,
	}
}

// ClearingCookie deletes the session's cookie in a browser.
func (o Operator) ClearingCookie(https bool) *http.Cookie {
	return &http.Cookie{Name: o.cookieName(https), Path: "/", MaxAge: -1, Secure: https, HttpOnly: true, SameSite: http.SameSiteStrictMode}
}

// HasSession reports whether a request has the cookie of a valid session.
func (o Operator) HasSession(r *http.Request, now time.Time, https bool) bool {
	c, err := r.Cookie(o.cookieName(https))
	if err != nil || o.IsClosed() {
		return false
	}
	end, sum, _ := strings.Cut(c.Value, ".")
	mac, err := base64.RawURLEncoding.DecodeString(sum)
	if err != nil || !hmac.Equal(mac, o.sign(end)) {
		return false
	}
	seconds, err := strconv.ParseInt(end, 10, 64)
	return err == nil && now.Unix() < seconds
}

// OnlyOperator passes only the operator's requests to next, for a site without a sign-in page. The address
// with the token begins a session and redirects to the same page without it.
func (o Operator) OnlyOperator(now func() time.Time, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		https := r.TLS != nil
		q := r.URL.Query()
		switch {
		case r.Method == http.MethodGet && o.HasToken(q.Get(TokenParameter)):
			w.Header().Set("Cache-Control", "no-store")
			http.SetCookie(w, o.Cookie(now(), https))
			u := *r.URL
			q.Del(TokenParameter)
			u.RawQuery = q.Encode()
			http.Redirect(w, r, "/"+strings.TrimLeft(u.RequestURI(), "/"), http.StatusSeeOther)
		case o.HasSession(r, now(), https):
			next.ServeHTTP(w, r)
		default:
			http.Error(w, "Only the operator can open this page. Open the address that the program printed when it started: it contains the token.", http.StatusForbidden)
		}
	})
}
