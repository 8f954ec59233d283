package ui

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

// pressed sends the form of a star, with the cookie of the list unless it is "".
func pressed(t *testing.T, h http.Handler, values url.Values, kept string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/starred", strings.NewReader(values.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if kept != "" {
		r.AddCookie(&http.Cookie{Name: starCookie, Value: kept})
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func TestStarred(t *testing.T) {
	h := newUI(richWorld().fullOptions())
	var many []string
	for n := range 10_000 {
		many = append(many, fmt.Sprintf("call-%d", n))
	}
	full := strings.Join(many[:maxStarred], ".")
	for _, tt := range []struct {
		values       url.Values
		kept         string
		status       int
		cookie, back string
	}{
		{url.Values{"star": {"w1"}, "back": {"/search?q=x"}}, "icx-2027", 303, "icx-2027.w1", "/search?q=x#s-w1"},
		{url.Values{"star": {"w1"}, "back": {"/"}}, "w1.w2", 303, "w2.w1", "/#s-w1"},
		{url.Values{"unstar": {"w1"}, "back": {"/#s-w9"}}, "w1", 303, ".", "/#s-w1"},
		{url.Values{"star": {"w1"}, "back": {"//evil.example/"}}, ".", 303, "w1", "/starred#s-w1"},
		{url.Values{"star": {"w1"}, "back": {"/"}}, "", 303, "w1", "/starred?back=%2F%23s-w1&new=w1"},
		{url.Values{"star": {"w1"}, "back": {"/"}}, full, 303, "", "/starred?full=1"},
		{url.Values{"star": {"<script>"}}, "w1", 400, "", ""}, {url.Values{}, "w1", 400, "", ""},
	} {
		w := pressed(t, h, tt.values, tt.kept)
		cookie := ""
		for _, c := range w.Result().Cookies() {
			if cookie = c.Value; !c.HttpOnly || len(c.String()) > 4096 {
				t.Errorf("the cookie is %v", c)
			}
		}
		if w.Code != tt.status || cookie != tt.cookie || w.Header().Get("Location") != tt.back {
			t.Errorf("%v with %.30q: %d, cookie %.40q, to %q", tt.values, tt.kept, w.Code, cookie, w.Header().Get("Location"))
		}
	}
	foreign := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/starred", strings.NewReader("star=w1"))
	foreign.Header.Set("Sec-Fetch-Site", "cross-site")
	w := httptest.NewRecorder()
	if h.ServeHTTP(w, foreign); w.Code != http.StatusForbidden {
		t.Errorf("a form of another site gets %d", w.Code)
	}
	wantText(t, page(t, h, "/starred?new=w1&back=/", 200), ".warnings", "Your browser keeps no cookies")
	doc := page(t, h, "/starred?ids="+strings.Join(append([]string{"w1", "w1", "../etc"}, many...), "."), 200)
	wantText(t, doc, "main", "9801 of them are not shown")
	wantText(t, doc, "main", "Of these calls 199 are no longer here")
	if n := doc.Find("li.call").Length(); n != 1 {
		t.Errorf("%d calls of the address are shown", n)
	}
	r := ask(t, h, "/starred", "Cookie", starCookie+"="+strings.Join(many, "."))
	if r.Code != 200 || !strings.Contains(r.Header().Get("Cache-Control"), "no-store") {
		t.Errorf("10,000 calls in the cookie: %d, %v", r.Code, r.Header())
	}
	o, _ := realWorld(t, 2)
	if got := get(t, newUI(o), "/starred.ics?ids=gone.icx-2027", 200).Body.String(); !strings.Contains(got, "ICX 2027") || strings.Count(got, "BEGIN:VEVENT") != 2 {
		t.Errorf("the calendar is %.300s", got)
	}
	wantText(t, page(t, h, "/calendar/add?ids=w1.icx-2027", 200), ".address", "http://example.com/starred.ics?ids=w1.icx-2027")
	if got := get(t, h, "/starred.json?ids=w1", 200).Body.String(); !strings.Contains(got, `"total": 1`) {
		t.Errorf("the records are %.300s", got)
	}
}

// An account follows what its browser starred before it signed in, once each and as far as the calls
// are here. The browser keeps its list.
func TestAccountAdoptsStars(t *testing.T) {
	tn := newTown()
	v := visit1(t, tn.handler())
	v.cookies[starCookie] = "w1.icx-2027.gone-2027"
	v.get("/signin/plain", 200)
	v.post("/signin/plain", url.Values{}, 303)
	account, err := tn.subscribers.Account(t.Context(), v.cookies[sessionCookie])
	if want := []eventseer.EventID{"w1", "icx-2027"}; err != nil || !slices.Equal(account.Stars, want) {
		t.Errorf("the account follows %v, want %v; %v", account.Stars, want, err)
	}
	if got := v.cookies[starCookie]; got != "w1.icx-2027.gone-2027" {
		t.Errorf("the browser has %q", got)
	}
	var many []string
	for n := range maxStarred {
		many = append(many, fmt.Sprintf("w%d", n))
	}
	other := visit1(t, tn.handler())
	other.cookies[starCookie] = strings.Join(many, ".")
	other.get("/signin/begin", 200)
	other.post("/signin/begin", url.Values{}, 303)
	for id, a := range tn.subscribers.accounts {
		if len(a.Stars) > eventseer.MaxStars {
			t.Errorf("%s follows %d calls", id, len(a.Stars))
		}
	}
}
