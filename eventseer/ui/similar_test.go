package ui

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
)

// TestSimilarCalls follows the link of an event's page to the search for similar calls.
func TestSimilarCalls(t *testing.T) {
	tn := newTown()
	get := func(path string, status int) *httptest.ResponseRecorder {
		t.Helper()
		w := httptest.NewRecorder()
		tn.handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != status {
			t.Errorf("GET %s = %d, want %d", path, w.Code, status)
		}
		return w
	}
	const link = `<a href="/e/w1/similar" rel="nofollow">Similar calls</a>`
	if strings.Contains(get("/e/w1", 200).Body.String(), link) {
		t.Error("a link without a function")
	}
	get("/e/w1/similar", 404)
	tn.options = func(o *Options) {
		o.Similar = func(_ context.Context, id eventseer.EventID) (string, error) {
			if id != "w1" {
				return "", eventseer.ErrNotFound
			}
			return `"web crawling" OR "deep web" -id:w1`, nil
		}
	}
	if body := get("/e/w1", 200).Body.String(); !strings.Contains(body, link) {
		t.Errorf("no link %s in:\n%s", link, body)
	}
	want := "/search?all=1&q=%22web+crawling%22+OR+%22deep+web%22+-id%3Aw1&sort=relevance"
	if got := get("/e/w1/similar", http.StatusSeeOther).Header().Get("Location"); got != want {
		t.Errorf("to %s, want %s", got, want)
	}
	if body := get(want, 200).Body.String(); !strings.Contains(body, "<h1>Search results</h1>") {
		t.Errorf("the heading of a search with OR:\n%s", body)
	}
	get("/e/w2/similar", 404)
}
