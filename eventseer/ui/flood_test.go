package ui

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/account"
)

// A slowReader reads pages until it is let go.
type slowReader struct {
	in  chan struct{}
	let chan struct{}
}

func (s slowReader) Read(context.Context, string) (eventseer.Event, bool, error) {
	s.in <- struct{}{}
	<-s.let
	return fullEvent(), true, nil
}

func (slowReader) Queue(context.Context, string) error { return nil }

// A crowd at many addresses has as few pages read at a time as one visitor. The rest is refused at
// once, and succeeds later.
func TestSubmitLimit(t *testing.T) {
	const crowd = 40
	slow := slowReader{in: make(chan struct{}, crowd), let: make(chan struct{})}
	tn := newTown()
	tn.options = func(o *Options) { o.Submitter = slow }
	h := tn.handler()
	come := func(i int) *visitor {
		v := visit1(t, h)
		v.change = func(r *http.Request) { r.RemoteAddr = fmt.Sprintf("198.51.100.%d:1", i) }
		v.get("/submit", 200)
		return v
	}
	form := func(v *visitor, press string) url.Values {
		return url.Values{account.TokenField: {v.token()}, "url": {"https://conf.example/cfp"}, "press": {press}}
	}
	done := make(chan int, maxReads)
	for i := range maxReads {
		v := come(i)
		go func() { done <- v.do(http.MethodPost, "/submit", form(v, "read")).Code }()
	}
	for range maxReads {
		<-slow.in
	}
	for i := range crowd {
		v := come(100 + i)
		w := v.do(http.MethodPost, "/submit", form(v, "read"))
		if w.Code != 503 || w.Header().Get("Retry-After") == "" {
			t.Fatalf("visitor %d = %d", i, w.Code)
		}
		wantText(t, v.doc, "#url-problem", "ten seconds")
		if got, _ := v.doc.Find("#url").Attr("value"); got != "https://conf.example/cfp" {
			t.Fatalf("what was typed is lost: %q", got)
		}
	}
	v := come(99)
	if w := v.do(http.MethodPost, "/submit", form(v, "queue")); w.Code != 303 {
		t.Errorf("a page is not queued while others are read: %d", w.Code)
	}
	close(slow.let)
	for range maxReads {
		if code := <-done; code != 200 {
			t.Errorf("one of the first = %d", code)
		}
	}
	if w := v.do(http.MethodPost, "/submit", form(v, "read")); w.Code != 200 {
		t.Errorf("afterwards = %d", w.Code)
	}
}

// oddPaths are ways to write a path that programs in between read otherwise.
var oddPaths = []string{
	"//evil.example/", "//evil.example/%2e%2e", "///evil.example", "/\\evil.example", "/%5cevil.example", "/%2f%2fevil.example/", "/.//evil.example/",
	"/e/../admin", "/e/%2e%2e/admin", "/%2e/admin", "/e/w1/%2e%2e/%2e%2e/admin/hosts", "/static/../admin", "/static/%2e%2e%2fadmin", "/admin/", "/admin//hosts", "//admin", "/ADMIN",
	"/admin;x=1", "/admin%00", "/admin%20", "/admin/%2e", "/static/..%5c..%5cui.go", "/static/", "/data/../../etc/passwd", "/data/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
	"/clips//evil.example", "/clips/%2f%2fevil.example", "/clips/..%2f..%2f%2fevil.example", "/account/%0d%0aX-Odd:%20yes", "/clips/l1%0d%0aX-Odd:yes",
	"/e/%2e%2e%2fadmin", "/e/%00", "/e/%ff", "/e/w1%0d%0aX-Odd:yes/history", "/s/%0aX", "/search?q=%0d%0aX-Odd:yes", "/search.ics?q=%0d%0aX-Odd:yes", "/e/w1.ics%0d%0aX-Odd:yes",
	"/signin?next=//evil.example", "/signin?next=/%5cevil.example", "/signin?next=https:evil.example", "/signin?next=/clips/../%2fevil.example", "/zone?next=//evil.example&zone=Europe/Oslo",
	"http://evil.example/search", "http://evil.example/clips", "http://evil.example//other.example/", "/unsubscribe/..%2fadmin", "/feed/..%2f..%2fadmin",
	"/?" + strings.Repeat("a&", 5000), "/search?q=" + strings.Repeat("%22", 5000), "/search?" + strings.Repeat("topic=x&", 3000), "/" + strings.Repeat("a/", 5000), "/search?q=a;q=b", "/search?%zz",
}

// Odd paths, methods and Hosts do not redirect to another site and give no access. HEAD has the response of
// GET without its body.
func TestOddRequests(t *testing.T) {
	for _, base := range []string{"", "https://calls.example/"} {
		tn := newTown()
		tn.options = func(o *Options) {
			o.Base, o.AdminToken, o.UserHeader, o.UserProxies = base, "a-long-token", "X-Remote-User", []string{"10.0.0.1"}
		}
		h := tn.handler()
		ask := func(method, target string) *httptest.ResponseRecorder {
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
			u, err := url.ParseRequestURI(target)
			if err != nil {
				return nil // net/http answers with 400
			}
			r.Method, r.URL, r.RequestURI, r.RemoteAddr = method, u, target, "192.0.2.7:4711"
			r.Host = "events.example"
			if u.Host != "" { // as net/http does
				r.Host = u.Host
			}
			r.Header.Set("X-Forwarded-Host", "evil.example")
			r.Header.Set("X-Forwarded-Proto", "https")
			r.Header.Set("X-Forwarded-For", "127.0.0.1")
			r.Header.Set("X-Original-URL", "/admin")
			r.Header.Set("X-Rewrite-URL", "/admin")
			r.Header.Set("X-HTTP-Method-Override", "POST")
			r.Header.Set("X-Remote-User", "ada")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			return w
		}
		tn.subscribers.frozen, tn.desk.frozen, tn.reader.frozen = true, true, true
		for _, target := range append([]string{"/", "/search?q=web", "/e/w1", "/clips", "/account", "/admin", "/admin/hosts", "/submit", "/robots.txt", "/opensearch.xml", "/search.atom?q=web"}, oddPaths...) {
			get := ask(http.MethodGet, target)
			if get == nil {
				continue
			}
			for _, method := range []string{"HEAD", "GET", "OPTIONS", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "get", ""} {
				w := ask(method, target)
				what := fmt.Sprintf("base %q: %s %.60s = %d", base, method, target, w.Code)
				if w.Code >= 500 {
					t.Error(what)
				}
				if method == "HEAD" && (w.Code != get.Code || w.Body.Len() > 0 && get.Header().Get("Content-Type") != w.Header().Get("Content-Type")) {
					t.Errorf("%s, but GET is %d", what, get.Code)
				}
				if method != "GET" && method != "HEAD" && method != "" && w.Code < 300 {
					t.Errorf("%s: it is taken", what)
				}
				if at := w.Header().Get("Location"); at != "" {
					from, _ := url.Parse("https://events.example/a/b")
					to, err := from.Parse(at)
					if err != nil || to.Host != "events.example" && (base != "" || to.Host != "evil.example" || !strings.HasPrefix(target, "http://evil.example")) || strings.HasPrefix(at, "//") || strings.ContainsAny(at, "\\\r\n") {
						t.Errorf("%s: leads to %q", what, at)
					}
				}
				if w.Header().Get("X-Odd") != "" || w.Header().Get("Access-Control-Allow-Origin") != "" && strings.Contains(target, "admin") {
					t.Errorf("%s: header %v", what, w.Header())
				}
				body := w.Body.String()
				if strings.Contains(body, "Failing") || strings.Contains(body, "Audit") {
					t.Errorf("%s shows the operator's pages", what)
				}
				if base != "" && strings.Contains(strings.ToLower(target), "//evil.example/search") && strings.Contains(body, "evil.example") {
					t.Errorf("%s links to the Host of the request", what)
				}
				if strings.Contains(body, "ada@") {
					t.Errorf("%s believes a header about who asks", what)
				}
			}
		}
	}
}
