package ui

import (
	"net/http"
	"strings"
	"testing"
)

// At a site that others reach, what looks like this machine may be a proxy that says
// nothing of whom it asks for.
func TestOperatorOfAPublicSite(t *testing.T) {
	for base, want := range map[string]int{
		"": 200, "http://localhost:8080/": 200, "http://127.0.0.1:8080/": 200, "http://[::1]/": 200,
		"https://seer.example/": 401, "http://192.0.2.1:8080/": 401, "https://localhost.example/": 401,
	} {
		tn := newTown()
		tn.options = func(o *Options) { o.Base, o.AdminToken = base, "sesame" }
		h := tn.handler()
		v := visit1(t, h)
		v.change = fromThisMachine
		if w := v.do(http.MethodGet, "/admin", nil); w.Code != want {
			t.Errorf("base %q: GET /admin = %d, want %d", base, w.Code, want)
		}
		v.change = func(r *http.Request) { fromThisMachine(r); r.SetBasicAuth("ops", "sesame") }
		if w := v.do(http.MethodGet, "/admin", nil); w.Code != 200 {
			t.Errorf("base %q, with the token: GET /admin = %d", base, w.Code)
		}
	}
}

// Tools are the operator's: nobody else reaches them, to read or to write.
func TestToolsAreTheOperators(t *testing.T) {
	reached := 0
	tn := newTown()
	tn.options = func(o *Options) {
		o.AdminToken = "sesame"
		o.Tools = map[string]http.Handler{"/tool": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { reached++; w.WriteHeader(http.StatusNoContent) })}
	}
	h := tn.handler()
	for name, test := range map[string]struct {
		change func(*http.Request)
		want   int
	}{
		"a stranger":       {nil, 401},
		"this machine":     {fromThisMachine, 204},
		"by a proxy":       {func(r *http.Request) { fromThisMachine(r); r.Header.Set("X-Forwarded-For", "192.0.2.1") }, 401},
		"the token":        {func(r *http.Request) { r.SetBasicAuth("", "sesame") }, 204},
		"a form of evil":   {func(r *http.Request) { fromThisMachine(r); r.Header.Set("Sec-Fetch-Site", "cross-site") }, 0},
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
