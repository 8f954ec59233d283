package ui

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestCalendarHelp follows the addresses that the page makes to the calendars behind them.
func TestCalendarHelp(t *testing.T) {
	o, _ := realWorld(t, 60)
	h := newUI(o)
	for path, want := range map[string]string{
		"/calendar/add": "http://example.com/search.ics",
		"/calendar/add?what=submissions&style=hour":                   "http://example.com/search.ics",
		"/calendar/add?what=deadlines":                                "http://example.com/search.ics?what=submissions%2Cothers%2Cnotifications%2Cregistration",
		"/calendar/add?what=submissions&what=days&style=instant":      "http://example.com/search.ics?style=instant&what=submissions%2Cdays",
		"/calendar/add?q=web+%22x+y%22&all=1":                         "http://example.com/search.ics?all=1&q=web+%22x+y%22",
		"/calendar/add?q=web&what=all&style=allday&alarm=1&as=todo":   "http://example.com/search.ics?alarm=7d%2C1d&as=todo&q=web&style=allday&what=submissions%2Cothers%2Cnotifications%2Cregistration%2Cdays",
		"/calendar/add?call=icx-2027&what=days&style=other&q=ignored": "http://example.com/e/icx-2027.ics?what=days",
	} {
		doc := page(t, h, path, 200)
		got := doc.Find(".address code").Text()
		if got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
		if href := doc.Find("a.button").AttrOr("href", ""); href != strings.Replace(want, "http:", "webcal:", 1) {
			t.Errorf("%s: the button leads to %q", path, href)
		}
		w := get(t, h, strings.TrimPrefix(got, "http://example.com"), 200)
		if kind := w.Header().Get("Content-Type"); !strings.HasPrefix(kind, "text/calendar") {
			t.Errorf("%s is %s", got, kind)
		}
	}
	doc := page(t, h, "/calendar/add?call=icx-2027&what=days&style=allday&alarm=1", 200)
	form := doc.Find("main form")
	if form.Find("[name=call]").AttrOr("value", "") != "icx-2027" || form.Find("option[selected]").AttrOr("value", "") != "allday" || form.Find("input[checked][name=what]").AttrOr("value", "") != "days" || form.Find("input[checked]").Length() != 2 {
		form, _ := form.Html()
		t.Errorf("the form has forgotten what was chosen: %s", form)
	}
	doc = page(t, h, "/calendar/add?q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E", 200)
	if doc.Find("main script").Length() != 0 || !strings.Contains(doc.Find(".address").Text(), "%3Cscript%3E") {
		t.Error("a query is not escaped")
	}
	page(t, h, "/calendar/add?call=nowhere-2027", 404)
	page(t, h, "/calendar/add?call=../admin", 400)
	for path, link := range map[string]string{"/search?q=crawling&all=1": "/calendar/add?all=1&q=crawling", "/e/icx-2027": "/calendar/add?call=icx-2027"} {
		if page(t, h, path, 200).Find("a[href='"+link+"']").Length() != 1 {
			t.Errorf("%s has no link to %s", path, link)
		}
	}
	o.Formats = nil
	page(t, newUI(o), "/calendar/add", 404)
}

func TestNextForTerminals(t *testing.T) {
	o, _ := realWorld(t, 60)
	w := httptest.NewRecorder()
	newUI(o).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/next.txt", nil))
	if w.Code != http.StatusFound || w.Header().Get("Location") != "/search.txt" {
		t.Errorf("%d to %q", w.Code, w.Header().Get("Location"))
	}
}
