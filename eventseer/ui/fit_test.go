package ui

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/internal/browsertest"

	"github.com/PuerkitoBio/goquery"
)

const abstract = `Focused crawling of scholarly pages. We study how a focused crawler chooses links of the web that lead to
information on conferences. Web archives and information extraction from archives are evaluated.`

// An abstract finds the calls that fit it, with the reasons.
func TestFit(t *testing.T) {
	o, _ := realWorld(t, 60)
	h := newUI(o)
	send := func(text string) (*httptest.ResponseRecorder, *goquery.Document) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/fit", strings.NewReader(url.Values{"text": {text}}.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		doc, err := goquery.NewDocumentFromReader(strings.NewReader(w.Body.String()))
		if err != nil {
			t.Fatal(err)
		}
		return w, doc
	}
	w, doc := send(abstract)
	if w.Code != 200 || w.Header().Get("Cache-Control") != "no-store" {
		t.Fatalf("%d, %v", w.Code, w.Header())
	}
	first := doc.Find("li.call").First()
	wantText(t, doc, "li.call:first-child h2", "ICX 2027")
	if got := first.Find(".why").Text(); !strings.Contains(got, "topics ") || !strings.Contains(got, "Web archives") {
		t.Errorf("reasons: %q", got)
	}
	if n := doc.Find("li.call").Length(); n > maxFit || n != doc.Find(".why").Length() {
		t.Errorf("%d calls, %d reasons", n, doc.Find(".why").Length())
	}
	for text, want := range map[string]int{"": 400, "the of 12 %": 400, strings.Repeat("word ", 3000): 400, "<script>alert(1)</script> crawling": 200, "zzzzqqq": 200, strings.Repeat("W", 9000): 400} {
		if w, doc := send(text); w.Code != want || doc.Find("#text").Length() != 1 || doc.Find("main script").Length() > 0 {
			t.Errorf("%.40q gives %d, want %d", text, w.Code, want)
		}
	}
	page(t, h, "/fit", 200)
}

func TestFitInABrowser(t *testing.T) {
	o, _ := realWorld(t, 60)
	b := openBrowser(t, newUI(o))
	b.Scripts(false)
	for _, l := range []browsertest.Look{browsertest.PhoneLight, browsertest.DesktopDark} {
		openAs(b, "/fit", l)
		b.CheckAs("/fit", l)
		b.Type("#text", "Focused crawling and web archives for information extraction")
		b.Press(".fit button")
		b.Want("li.call h2", "ICX 2027")
		b.CheckAs("/fit_found", l)
	}
}
