package ui

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/tools"

	"github.com/PuerkitoBio/goquery"
)

// desk is a Labeler of a few pages that records its calls.
type desk struct {
	token string // names who may label; "" requires no name
	pages []*tools.LabelPage
	did   []string
	err   error
}

var _ tools.Labeler = (*desk)(nil)

func (d *desk) Page(_ context.Context, id string) (*tools.LabelPage, error) {
	if d.err != nil {
		return nil, d.err
	}
	for _, p := range d.pages {
		if id == "" || p.ID == id {
			return p, nil
		}
	}
	if id == "" {
		return nil, nil
	}
	return nil, eventseer.ErrNotFound
}

func (d *desk) do(what string) error {
	d.did = append(d.did, what)
	return d.err
}

func (d *desk) Label(_ context.Context, id string, l tools.PageLabel) error {
	call := "no call"
	if l.IsCFP {
		call = "call"
	}
	return d.do(id + ": " + call + ", " + l.PageType)
}

func (d *desk) Skip(_ context.Context, id string) error { return d.do("skip " + id) }

func (d *desk) Undo(context.Context) (string, error) { return "p1", d.do("undo") }

func (d *desk) Progress() tools.LabelProgress {
	return tools.LabelProgress{Labelled: 3, Skipped: 1, Left: 8, Last: "call, cfp: http://a.example/"}
}

var pageTypes = []string{"cfp", "cfp_list", "conference", "other"}

func (d *desk) handler(t *testing.T) http.Handler {
	t.Helper()
	h, err := tools.NewLabel(tools.LabelOptions{Queue: d, PageTypes: pageTypes, Token: d.token, Now: func() time.Time { return now }, Version: "1.2"})
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func fullDesk() *desk {
	return &desk{pages: []*tools.LabelPage{{
		ID: "p1", URL: "https://conf.example/cfp", Title: "Garden workshop", Lang: "en",
		Text:  "Home\nDates\nPlace\nWe invite papers on gardens, and on rivers, by the first of May.\n\nmail us",
		Score: .47, Threshold: .4723, Types: []tools.TypeScore{{PageType: "conference", Score: .5}, {PageType: "cfp", Score: .4}, {PageType: "other", Score: .1}},
		Call: []tools.LabelReason{{Text: "“paper”", Weight: .5}, {Text: "links", Weight: -.25}}, Type: []tools.LabelReason{{Text: "“workshop”", Weight: .3}},
	}}}
}

// answer sends a request as a browser on this machine does.
func answer(t *testing.T, h http.Handler, method, path string, form url.Values, change func(*http.Request)) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(form.Encode()))
	r.Host, r.RemoteAddr = "localhost:8081", "127.0.0.1:4711"
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	if change != nil {
		change(r)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

func labelPage(t *testing.T, h http.Handler, path string, status int) *goquery.Document {
	t.Helper()
	w := answer(t, h, http.MethodGet, path, nil, nil)
	if w.Code != status {
		t.Fatalf("GET %s = %d, want %d\n%s", path, w.Code, status, w.Body)
	}
	for header, want := range map[string]string{
		"Content-Security-Policy": web.Policy, "Cache-Control": "no-store", "Referrer-Policy": "same-origin",
	} {
		if got := w.Header().Get(header); got != want {
			t.Errorf("GET %s: %s = %q, want %q", path, header, got, want)
		}
	}
	doc, err := goquery.NewDocumentFromReader(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	for selector, want := range map[string]int{
		"html[lang=en]": 1, "h1": 1, "main#main": 1, "script": 1, "script[src^='/static/'][defer]": 1, "script:not(:empty)": 0,
		"style,[style],[onclick],[onerror],[onload],[onkeydown]": 0, "main img, main b": 0, "a[href='']": 0,
		"a[href]:not([href^='/']):not([href^='#']):not([rel='nofollow noopener'])": 0,
	} {
		if got := doc.Find(selector).Length(); got != want {
			t.Errorf("GET %s: %d × %s, want %d", path, got, selector, want)
		}
	}
	return doc
}

func TestLabelPage(t *testing.T) {
	h := fullDesk().handler(t)
	doc := labelPage(t, h, "/label?page=p1&call=yes", 200)
	for selector, want := range map[string]string{
		"h1": "Garden workshop", ".queue": "3 labelled, 1 skipped, 8 left", ".last": "call, cfp: http://a.example/",
		".guess": "no call: score 0.470; yes from a score of 0.472. Type: conference 0.50, then call for papers 0.40.",
		".why":   "For a call “paper” 0.50 Against a call links 0.25 For conference “workshop” 0.30",
		".text":  "Home · Dates · Place We invite papers", "#next": "Now choose the type",
	} {
		wantText(t, doc, selector, want)
	}
	if got := doc.Find("input[name=call]").AttrOr("value", ""); got != "yes" {
		t.Errorf("the choice made is %q", got)
	}
	for key, value := range map[string]string{"y": "call=yes", "n": "call=no", "1": "type=cfp", "4": "type=other", "s": "skip", "u": "undo"} {
		button := doc.Find("button[form=label][name=press][accesskey='" + key + "'][aria-keyshortcuts='" + key + "']")
		if got := button.AttrOr("value", ""); got != value {
			t.Errorf("key %s is %q, want %q", key, got, value)
		}
	}
	if got := doc.Find("button[aria-pressed=true]").AttrOr("value", ""); got != "call=yes" {
		t.Errorf("pressed: %q", got)
	}
	for _, path := range []string{doc.Find("script").AttrOr("src", ""), doc.Find("link[href*='label.css']").AttrOr("href", "")} {
		if w := answer(t, h, http.MethodGet, path, nil, nil); w.Code != 200 || w.Body.Len() == 0 {
			t.Errorf("GET %s = %d", path, w.Code)
		}
	}
}

func TestLabelPress(t *testing.T) {
	for name, test := range map[string]struct {
		form   url.Values
		status int
		target string
		did    string
	}{
		"first answer":   {url.Values{"page": {"p1"}, "press": {"call=no"}}, 303, "/label?call=no&page=p1", ""},
		"changed answer": {url.Values{"page": {"p1"}, "call": {"yes"}, "press": {"call=no"}}, 303, "/label?call=no&page=p1", ""},
		"second answer":  {url.Values{"page": {"p1"}, "call": {"yes"}, "press": {"type=cfp"}}, 303, "/label", "p1: call, cfp"},
		"other order":    {url.Values{"page": {"p1"}, "type": {"other"}, "press": {"call=no"}}, 303, "/label", "p1: no call, other"},
		"skip":           {url.Values{"page": {"p1"}, "press": {"skip"}}, 303, "/label", "skip p1"},
		"undo":           {url.Values{"page": {"p2"}, "press": {"undo"}}, 303, "/label?page=p1", "undo"},
		"no button":      {url.Values{"page": {"p1"}}, 400, "", ""},
		"unknown type":   {url.Values{"page": {"p1"}, "call": {"yes"}, "press": {"type=beauty"}}, 400, "", ""},
		"unknown answer": {url.Values{"page": {"p1"}, "press": {"call=maybe"}}, 400, "", ""},
		"too long":       {url.Values{"page": {strings.Repeat("p", 2*tools.MaxLabelForm)}, "press": {"skip"}}, 400, "", ""},
	} {
		d := fullDesk()
		w := answer(t, d.handler(t), http.MethodPost, "/label", test.form, nil)
		if got := w.Header().Get("Location"); w.Code != test.status || got != test.target {
			t.Errorf("%s: %d to %q, want %d to %q", name, w.Code, got, test.status, test.target)
		}
		if got := strings.Join(d.did, "; "); got != test.did {
			t.Errorf("%s: did %q, want %q", name, got, test.did)
		}
	}
}

// Forms of other sites are refused, as are visitors who have not opened the address with the token.
func TestLabelRefusesStrangers(t *testing.T) {
	form := url.Values{"page": {"p1"}, "press": {"skip"}}
	for name, test := range map[string]struct {
		change        func(*http.Request)
		without, with int // without a session, with one
	}{
		"this machine":    {nil, 403, 303},
		"IPv6":            {func(r *http.Request) { r.Host, r.RemoteAddr = "[::1]:8081", "[::1]:4711" }, 403, 303},
		"another site":    {func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }, 403, 403},
		"another origin":  {func(r *http.Request) { r.Header.Del("Sec-Fetch-Site"); r.Header.Set("Origin", "http://evil.example") }, 403, 403},
		"by a proxy":      {func(r *http.Request) { r.Header.Set("X-Forwarded-For", "192.0.2.7") }, 403, 303},
		"another machine": {func(r *http.Request) { r.RemoteAddr = "192.0.2.7:4711" }, 403, 303},
	} {
		for signedIn, want := range map[bool]int{false: test.without, true: test.with} {
			d := fullDesk()
			d.token = operatorsToken
			h := d.handler(t)
			change := func(r *http.Request) {
				if signedIn {
					w := answer(t, h, http.MethodGet, "/label?"+url.Values{web.TokenParameter: {operatorsToken}}.Encode(), nil, nil)
					if w.Code != 303 || w.Header().Get("Location") != "/label" {
						t.Fatalf("the address with the token = %d to %q", w.Code, w.Header().Get("Location"))
					}
					r.AddCookie(w.Result().Cookies()[0])
				}
				if test.change != nil {
					test.change(r)
				}
			}
			w := answer(t, h, http.MethodPost, "/label", form, change)
			if w.Code != want || len(d.did) > 0 != (want == 303) {
				t.Errorf("%s, signed in %t: %d and %v, want %d", name, signedIn, w.Code, d.did, want)
			}
			if w := answer(t, h, http.MethodGet, "/label?token=guess", nil, nil); w.Code != 403 {
				t.Errorf("%s: a guess = %d", name, w.Code)
			}
		}
	}
}

func TestLabelHostilePage(t *testing.T) {
	d := &desk{pages: []*tools.LabelPage{{
		ID: "bad", URL: "javascript:alert(1)", Title: script + strings.Repeat("long ", 1000), Lang: "en",
		Text:  strings.Repeat(script+"\n", 5000) + strings.Repeat("x", 1<<20),
		Types: []tools.TypeScore{{PageType: script, Score: .5}}, Call: []tools.LabelReason{{Text: script + strings.Repeat("y", 1000), Weight: 1}},
	}, {ID: "bare"}}}
	h := d.handler(t)
	doc := labelPage(t, h, "/label", 200)
	wantText(t, doc, "h1", "alert(1)")
	wantText(t, doc, ".text", "The rest of the text is not shown")
	if n := doc.Find(".address a").Length(); n != 0 {
		t.Error("a script became a link")
	}
	if n := answer(t, h, http.MethodGet, "/label", nil, nil).Body.Len(); n > 10*tools.MaxLabelText {
		t.Errorf("the page has %d bytes", n)
	}
	wantText(t, labelPage(t, h, "/label?page=bare", 200), "main", "The page has no text")
}

func TestLabelEnds(t *testing.T) {
	d := &desk{}
	h := d.handler(t)
	doc := labelPage(t, h, "/label?page=gone", 200)
	wantText(t, doc, "h1", "Nothing left to label")
	if doc.Find("button[value=undo]").Length() != 1 {
		t.Error("the last label cannot be undone")
	}
	labelPage(t, h, "/nowhere", 404)
	labelPage(t, h, "/label?call=maybe", 400)
	d.err = errors.New("disk full at /secret")
	if doc := labelPage(t, h, "/label", 500); strings.Contains(doc.Text(), "/secret") {
		t.Error("the cause is shown")
	}
	w := answer(t, h, http.MethodPost, "/label", url.Values{"page": {"p"}, "call": {"yes"}, "type": {"cfp"}, "press": {"call=yes"}}, nil)
	if w.Code != 500 {
		t.Errorf("a label that could not be kept is answered with %d", w.Code)
	}
	if got := answer(t, h, http.MethodGet, "/", nil, nil).Header().Get("Location"); got != "/label" {
		t.Errorf("/ leads to %q", got)
	}
}
