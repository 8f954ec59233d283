package ui

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
)

// A request is never the operator's because of its address. A proxy on this machine that adds no
// header looks like a local user.
func TestNoAddressIsTheOperators(t *testing.T) {
	local := func(r *http.Request) { r.Host, r.RemoteAddr = "localhost:8080", "127.0.0.1:4711" }
	for _, base := range []string{"", "http://localhost:8080/", "http://[::1]/", "https://seer.example/"} {
		tn := newTown()
		tn.options = func(o *Options) { o.Base = base }
		v := visit1(t, tn.handler())
		v.change = local
		for _, path := range []string{"/admin", "/admin/hosts", "/admin/signin", "/admin/nothing"} {
			if w := v.do(http.MethodGet, path, nil); w.Code != 401 || strings.Contains(w.Body.String(), "Hosts") {
				t.Errorf("base %q: GET %s = %d for who asks from here without a token", base, path, w.Code)
			}
		}
		v.change = func(r *http.Request) { local(r); asOperator(r) }
		if w := v.do(http.MethodGet, "/admin", nil); w.Code != 200 {
			t.Errorf("base %q, with the token: GET /admin = %d", base, w.Code)
		}
	}
}

// The operator signs in by the address with the token or by typing it. The session holds until it
// expires, is ended, or the token changes.
func TestOperatorSession(t *testing.T) {
	tn := newTown()
	tn.options = func(o *Options) { o.Base = "https://seer.example/" }
	h := tn.handler()
	address := "/admin?" + url.Values{web.TokenParameter: {operatorsToken}}.Encode()

	v := visit1(t, h)
	if w := v.do(http.MethodGet, address, nil); w.Code != 303 || w.Header().Get("Location") != "/admin" {
		t.Fatalf("the address with the token = %d to %q", w.Code, w.Header().Get("Location"))
	}
	cookies := v.last.Result().Cookies()
	var session *http.Cookie
	for _, c := range cookies {
		if strings.Contains(c.Name, "operator") {
			session = c
		}
	}
	if session == nil || !session.HttpOnly || !session.Secure || session.SameSite != http.SameSiteStrictMode || !strings.HasPrefix(session.Name, web.HostPrefix) || strings.Contains(session.String(), "sites") {
		t.Fatalf("the session's cookie is %+v of %v", session, cookies)
	}
	v.get("/admin", 200)
	v.get("/admin/hosts", 200)

	typed := visit1(t, h)
	typed.get("/admin/hosts?q=x", 401)
	wantText(t, typed.doc, "h1", "Operator")
	next := typed.doc.Find("input[name=next]").AttrOr("value", "")
	typed.post("/admin/signin", url.Values{"secret": {"wrong"}, "next": {next}}, 401)
	wantText(t, typed.doc, ".problems", "This is not the admin token.")
	typed.post("/admin/signin", url.Values{"secret": {" " + operatorsToken + "\n"}, "next": {next}}, 303)
	if to := typed.last.Header().Get("Location"); to != "/admin/hosts?q=x" {
		t.Errorf("signing in leads to %q", to)
	}
	typed.get("/admin", 200)
	typed.post("/admin/signout", url.Values{}, 303)
	typed.get("/admin", 401)

	forged := visit1(t, h)
	for _, value := range []string{"", ".", "9999999999.", "9999999999.AAAA", strings.Replace(session.Value, "1", "9", 1), session.Value + "A", strings.Repeat("9", 4000)} {
		forged.cookies[session.Name] = value
		forged.get("/admin", 401)
	}
	other := newTown()
	other.options = func(o *Options) { o.AdminToken, o.Base = "another token", "https://seer.example/" }
	v.handler = other.handler()
	v.get("/admin", 401)
	v.handler = h
	tn.clock = tn.clock.Add(web.SessionAge - time.Second)
	v.get("/admin", 200)
	tn.clock = tn.clock.Add(2 * time.Second)
	v.get("/admin", 401)
}

// Signing in leads to the operator's pages and nowhere else.
func TestOperatorPath(t *testing.T) {
	s := &server{Options: Options{Tools: map[string]http.Handler{"/tool": nil}}}
	for next, want := range map[string]string{
		"/admin/hosts?q=x": "/admin/hosts?q=x", "/tool": "/tool", "/tool/one": "/tool/one", "": "/admin", "/": "/admin", "//evil.example/admin/x": "/admin",
		"https://evil.example/admin/x": "/admin", "/admin/../clips": "/admin", "/toolbox": "/admin", "/admin//evil.example": "/admin", `/\evil.example`: "/admin", "javascript:alert(1)": "/admin",
	} {
		if got := s.operatorPath(next); got != want {
			t.Errorf("operatorPath(%q) = %q, want %q", next, got, want)
		}
	}
}

// Only the operator can read or write with the tools.
func TestToolsAreTheOperators(t *testing.T) {
	reached := 0
	tn := newTown()
	tn.options = func(o *Options) {
		o.Tools = map[string]http.Handler{"/tool": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { reached++; w.WriteHeader(http.StatusNoContent) })}
	}
	h := tn.handler()
	for name, test := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"a stranger":       {nil, 401},
		"this machine":     {func(r *http.Request) { r.Host, r.RemoteAddr = "localhost", "127.0.0.1:1" }, 401},
		"the token":        {asOperator, 204},
		"a form of evil":   {func(r *http.Request) { asOperator(r); r.Header.Set("Sec-Fetch-Site", "cross-site") }, 0},
		"another password": {func(r *http.Request) { r.SetBasicAuth("", "tulip") }, 401},
	} {
		for _, method := range []string{http.MethodGet, http.MethodPost} {
			for _, path := range []string{"/tool", "/tool/one"} {
				reached = 0
				v := visit1(t, h)
				v.change = test.change
				w := v.do(method, path, nil)
				want := test.want
				if want == 0 {
					want = map[string]int{http.MethodGet: 204, http.MethodPost: 403}[method]
				}
				if w.Code != want || reached > 0 != (want == 204) {
					t.Errorf("%s: %s %s = %d, want %d; the tool was reached %d times", name, method, path, w.Code, want, reached)
				}
				if want == 401 && !strings.Contains(w.Header().Get("Cache-Control"), "no-store") {
					t.Errorf("%s: %s %s may be kept: %v", name, method, path, w.Header())
				}
				tn.clock = tn.clock.Add(1e12)
			}
		}
	}
}
