package ui

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

// A reader's fields are kept in a cookie, and an address has them without one.
func TestMyFields(t *testing.T) {
	w := richWorld()
	h := newUI(w.fullOptions())
	for _, tt := range []struct {
		fields     []string
		cookie, to string
	}{
		{[]string{"databases", "ml", "<script>", "ml"}, "ml.databases", "/mine?in=ml.databases"}, {nil, "", "/mine"},
	} {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mine", strings.NewReader(url.Values{"field": tt.fields}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		if c := rec.Result().Cookies()[0]; rec.Code != 303 || c.Value != tt.cookie || rec.Header().Get("Location") != tt.to || (c.MaxAge < 0) != (tt.cookie == "") {
			t.Errorf("%q: %d, %v, to %q", tt.fields, rec.Code, c, rec.Header().Get("Location"))
		}
	}
	// A button of the home page has all fields that it chooses; without cookies the address has them.
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/mine", strings.NewReader("home=1&set=ml.ir.nothing"))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, r)
	if got := rec.Header().Get("Location"); got != "/?in=ml.ir#fields" {
		t.Errorf("two fields of the home page lead to %q", got)
	}
	home := page(t, h, "/?in=ir.ml", 200)
	if w.query.Text != "field:ml OR field:ir" {
		t.Errorf("the home page looks for %q", w.query.Text)
	}
	wantText(t, home, ".count", "in 2 fields")
	if got := home.Find("nav.pages a[rel=next]").AttrOr("href", ""); got != "/?in=ml.ir&page=2" {
		t.Errorf("the next page is %q", got)
	}
	if got := home.Find(".fields [aria-pressed=true]").First().AttrOr("value", ""); got != "ml" && got != "ir" {
		t.Errorf("a press on a chosen field leaves %q", got)
	}
	for cookie, want := range map[string]string{"fields=ml": "field:ml", "fields=ir": "field:ir", "": ""} { // the cache tells them apart
		if ask(t, h, "/", "Cookie", cookie); w.query.Text != want {
			t.Errorf("with the cookie %q the home page looks for %q", cookie, w.query.Text)
		}
	}
	doc := page(t, h, "/mine", 200)
	if _, open := doc.Find(".chooser").Attr("open"); !open || doc.Find(".chooser input[checked]").Length() != 0 || w.query.Text != "" {
		t.Errorf("without fields the chooser is closed, or %q is looked for", w.query.Text)
	}
	doc = page(t, h, "/mine?in=ml.databases.nothing", 200)
	if _, open := doc.Find(".chooser").Attr("open"); open || doc.Find(".chooser input[checked]").Length() != 2 {
		t.Error("two fields are not chosen")
	}
	if got := doc.Find("#q").AttrOr("value", ""); got != "field:ml OR field:databases" {
		t.Errorf("the query is %q", got)
	}
	ask(t, h, "/mine", "Cookie", "fields=ir")
	if w.query.Text != "" && !strings.Contains(w.query.Text, "field") { // the last search is that for the counts
		t.Errorf("the query is %q", w.query.Text)
	}
}

// Orders are offered, kept by links, and the API takes them.
func TestOrders(t *testing.T) {
	w := richWorld()
	h := newUI(w.fullOptions())
	doc := page(t, h, "/search?q=web&sort=rank", 200)
	if w.query.Order != eventseer.OrderRank {
		t.Errorf("order %q", w.query.Order)
	}
	wantText(t, doc, ".count", "best rank first")
	if got := doc.Find("nav.pages a[rel=next]").AttrOr("href", ""); got != "/search?page=2&q=web&sort=rank" {
		t.Errorf("the next page is %q", got)
	}
	if got := doc.Find(".filters section:contains('Country') li a").First().AttrOr("href", ""); got != "/search?q=web+country%3ANO&sort=rank" {
		t.Errorf("a filter leads to %q", got)
	}
	page(t, h, "/closing", 200)
	if w.query.Text != "due<7d" || w.query.Order != "" {
		t.Errorf("closing this week: %+v", w.query)
	}
	get(t, h, "/api/v1/events.json?sort=added", 200)
	if w.query.Order != eventseer.OrderAdded {
		t.Errorf("order of the API %q", w.query.Order)
	}
	page(t, h, "/search?sort=size", 400)
	get(t, h, "/api/v1/events.json?sort=size", 400)
	get(t, h, "/search.csv?sort=size", 400)
}
