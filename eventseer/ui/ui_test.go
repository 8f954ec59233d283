package ui

import (
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/api"

	"github.com/PuerkitoBio/goquery"
)

const maxBytes = 50_000

func TestHome(t *testing.T) {
	w := fullWorld()
	doc := page(t, w.handler(), "/", 200)
	if w.query.OpenAt != now || !w.query.ByDeadline || w.query.Limit != perPage {
		t.Errorf("query = %+v", w.query)
	}
	if n := doc.Find("ol.calls > li.call").Length(); n != perPage {
		t.Errorf("%d calls, want %d", n, perPage)
	}
	wantText(t, doc, "h1", "Open calls for papers")
	wantText(t, doc, ".count", "71 open calls, 1 to 30 shown, next deadline first")
	first := doc.Find("li.call").First()
	if got := first.Find("time").AttrOr("datetime", ""); got != "2027-01-15T22:59:00Z" {
		t.Errorf("datetime = %q", got)
	}
	for selector, want := range map[string]string{
		"h2 a": "ICX 2027", ".meta": "1–4 June 2027", ".next": "Abstract, Vision, round 2 Fri 15 Jan 2027 23:59 Oslo = Fri 15 Jan 22:59 UTC, in 5 days", ".badge.new": "new", ".badge.caution": "caution",
	} {
		if got := strings.Join(strings.Fields(first.Find(selector).Text()), " "); !strings.Contains(got, want) {
			t.Errorf("%s = %q, want %q in it", selector, got, want)
		}
	}
	if href := doc.Find("nav.pages a[rel=next]").AttrOr("href", ""); href != "/?page=2" {
		t.Errorf("next = %q", href)
	}
	doc = page(t, w.handler(), "/?page=3", 200)
	if doc.Find("nav.pages a[rel=next]").Length() != 0 || doc.Find("nav.pages a[rel=prev]").AttrOr("href", "") != "/?page=2" {
		t.Error("the last page leads on or not back")
	}
	if n := get(t, w.handler(), "/", 200).Body.Len(); n > maxBytes {
		t.Errorf("the page has %d bytes", n)
	}
}

func TestSearch(t *testing.T) {
	w := fullWorld()
	doc := page(t, w.handler(), `/search?q=%22web+x%22+%3Cb%3E&all=1&page=2`, 200)
	if w.query.Text != `"web x" <b>` || !w.query.OpenAt.IsZero() || w.query.ByDeadline || w.query.From != perPage {
		t.Errorf("query = %+v", w.query)
	}
	if got := doc.Find("input#q").AttrOr("value", ""); got != `"web x" <b>` {
		t.Errorf("search box = %q", got)
	}
	if doc.Find("input[name=all][checked]").Length() != 1 {
		t.Error("the box for closed calls lost its mark")
	}
	if href := doc.Find("nav.pages a[rel=next]").AttrOr("href", ""); href != "/search?all=1&page=3&q=%22web+x%22+%3Cb%3E" {
		t.Errorf("next = %q", href)
	}
	w.err = queryError{}
	doc = page(t, w.handler(), "/search?q=web+%22", 400)
	wantText(t, doc, "#problem[role=alert]", "not closed")
	for _, path := range []string{"/search?page=0", "/search?page=x", "/?page=301", "/api/v1/events.json?limit=1000", "/api/v1/events.json?from=-1"} {
		get(t, w.handler(), path, 400)
	}
}

func TestEmpty(t *testing.T) {
	w := &world{}
	wantText(t, page(t, w.handler(), "/", 200), ".empty", "No call is open")
	if href := page(t, w.handler(), "/search?q=x", 200).Find(".empty a").AttrOr("href", ""); href != "/search?all=1&q=x" {
		t.Errorf("an empty search leads on to %q", href)
	}
	w.events = []eventseer.Event{{ID: "bare", URL: "/tmp/page.html"}}
	wantText(t, page(t, w.handler(), "/", 200), "li.call h2", "Untitled call")
	closed := fullEvent()
	closed.ID, closed.Title, closed.Deadlines = "closed", "icx 2027", closed.Deadlines[3:]
	w.events = append(w.events, closed)
	doc := page(t, w.handler(), "/search?all=1", 200)
	wantText(t, doc, "li.call:last-child", "Poster closed Tue 1 Dec 2026, 39 days ago")
	if doc.Find(".badge.new").Length() != 0 || doc.Find("li.call:last-child h2 bdi.short").Length() != 1 {
		t.Error("a closed call counts as new, or its name stands there twice")
	}
	doc = page(t, w.handler(), "/e/bare", 200)
	wantText(t, doc, "section.card", "No deadline to come is known")
	wantText(t, doc, ".empty", "No date of this call is known")
}

func TestEventPage(t *testing.T) {
	h := fullWorld().handler()
	doc := page(t, h, "/e/icx-2027", 200)
	for selector, want := range map[string]string{
		"h1": "ICX 2027 22nd International", ".facts": "Trondheim, Norway (online)", ".card .big": "Fri 15 Jan 2027, 23:59 Oslo in 5 days",
		".card .utc": "Fri 15 Jan 2027, 22:59 UTC", ".warnings li": "the notification is late", ".topics": "Web archives",
		"table.dates thead":          "WhatDateTime zoneUTCAs printedSource",
		".facts dd:contains('Days')": "Days of Crawling 2027", ".fold tbody tr": "label before date right 95 times in 100",
		"details > p:contains('Read at')": "icx.example.org/cfp, mid:1@example.org",
		".history":                        "location Oslo, Norway, at old.example.org, seen 8 Jan 2027", ".history:last-of-type": "deadline extended, committee changed at mid:1@example.org Submission was 2027-02-05 now 2027-02-12 AoE",
	} {
		wantText(t, doc, selector, want)
	}
	rows := doc.Find("table.dates tbody tr")
	var got []string
	rows.Each(func(_ int, tr *goquery.Selection) { got = append(got, tr.Find("th").Text()) })
	if want := "Poster|Abstract, Vision, round 2|Submission|Notification"; strings.Join(got, "|") != want {
		t.Errorf("dates = %q, want %q", got, want)
	}
	submission := strings.Join(strings.Fields(rows.Eq(2).Text()), " ")
	for _, want := range []string{"Fri 12 Feb 2027", "was 5 Feb 2027", "firm", "not printed: year from the title", "right 95 times in 100", "Rule: label before date", "AoE (for the whole page)", "Sat 13 Feb 2027, 11:59 UTC", "Paper submission: February 12, 2027 (extended)", "icx.example.org", "Papers are due on"} {
		if !strings.Contains(submission, want) {
			t.Errorf("row = %q, want %q in it", submission, want)
		}
	}
	if !rows.Eq(0).HasClass("past") || rows.Eq(1).HasClass("past") {
		t.Error("the wrong dates are marked as past")
	}
	if href := doc.Find("ul.topics a").Eq(1).AttrOr("href", ""); href != "/search?q=topic%3A%22Query+languages%22" {
		t.Errorf("topic leads to %q", href)
	}
	if html, err := doc.Html(); err != nil || strings.Contains(html, "Secret Person") || len(html) > maxBytes {
		t.Errorf("a person is shown or %d bytes are too many", len(html))
	}
	page(t, h, "/e/none", 404)
	for path, want := range map[string]string{"/e/icx-2027": "public, max-age=60", "/e/none": "no-store"} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		if got := w.Header().Get("Cache-Control"); got != want {
			t.Errorf("GET %s: Cache-Control = %q, want %q", path, got, want)
		}
	}
	page(t, h, "/nowhere", 404)
}

func TestTextPages(t *testing.T) {
	h := fullWorld().handler()
	page(t, h, "/about", 200)
	doc := page(t, h, "/bot", 200)
	if href := doc.Find(".facts a").AttrOr("href", ""); href != "mailto:ops@example.org" {
		t.Errorf("contact = %q", href)
	}
	wantText(t, doc, "pre", "User-agent: EventSeer")
	wantText(t, doc, ".facts", "EventSeer (+ops@example.org)")
	wantText(t, doc, ".facts", "At least 5 seconds")
	wantText(t, doc, "main", "up to 5 minutes is granted")
	if doc.Find("main script").Length() > 0 {
		t.Error("/bot has a script")
	}
	w := &world{}
	wantText(t, page(t, newUI(Options{Store: w, Index: w}), "/bot", 200), ".facts", "does not crawl")
	if got := get(t, h, "/healthz", 200).Body.String(); got != "ok\n" {
		t.Errorf("healthz = %q", got)
	}
}

func TestAssets(t *testing.T) {
	h := fullWorld().handler()
	doc := page(t, h, "/", 200)
	css := get(t, h, doc.Find("link[rel=stylesheet]").AttrOr("href", ""), 200)
	if css.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" || !strings.HasPrefix(css.Header().Get("Content-Type"), "text/css") {
		t.Errorf("headers = %v", css.Header())
	}
	if strings.Contains(css.Body.String(), "url(") || strings.Contains(css.Body.String(), "@import") {
		t.Error("the style sheet loads something")
	}
	get(t, h, "/static/0000/style.css", 404)
	get(t, h, "/static/", 404)
}

func TestAPI(t *testing.T) {
	w := fullWorld()
	h := w.handler()
	var answer api.EventsAnswer
	body := get(t, h, "/api/v1/events.json?q=web&from=1&limit=2", 200).Body.Bytes()
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Total != 71 || len(answer.Events) != 2 || answer.From != 1 || answer.Events[0].ID != "w0" {
		t.Errorf("answer = %d of %d from %d", len(answer.Events), answer.Total, answer.From)
	}
	one := get(t, h, "/api/v1/events/icx-2027.json", 200).Body.String()
	if strings.Contains(string(body)+one, "Secret Person") || !strings.Contains(one, `"tz": "AoE"`) {
		t.Errorf("answer = %s", one)
	}
	for _, path := range []string{"/api/v1/events/none.json", "/api/v1/events/icx-2027"} {
		get(t, h, path, 404)
	}
	w.err = queryError{}
	if got := get(t, h, "/api/v1/events.json?q=web+%22", 400).Body.String(); !strings.Contains(got, `"position": 4`) {
		t.Errorf("answer = %s", got)
	}
}

func TestErrors(t *testing.T) {
	w := fullWorld()
	w.events[1].URL = "corrupt"
	if n := page(t, w.handler(), "/", 200).Find("li.call").Length(); n != perPage-1 {
		t.Errorf("%d calls beside the corrupt one, want %d", n, perPage-1)
	}
	w.err = errors.New("disk on fire at /secret/path")
	var log strings.Builder
	h := newUI(Options{Store: w, Index: w, Log: slog.New(slog.NewTextHandler(&log, nil))})
	doc := page(t, h, "/", 500)
	if strings.Contains(doc.Text(), "/secret/path") || !strings.Contains(log.String(), "/secret/path") {
		t.Errorf("shown: %s\nlogged: %s", doc.Text(), log.String())
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/search", nil))
	if rec.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST /search = %d", rec.Code)
	}
}

// TestCalls checks that the page of an edition lists its calls, and that lists of open calls name the open
// ones besides the main call.
func TestCalls(t *testing.T) {
	e := fullEvent()
	demos := "https://icx.example.org/call-for-demos"
	e.Pages = append(e.Pages, demos)
	e.Calls = []eventseer.Call{
		{Pages: []string{e.URL}},
		{Kind: eventseer.DemoCall, Pages: []string{demos}, Topics: []string{"Prototypes"}, SubmissionURL: "https://submit.example.org/demos", SubmissionSystem: "easychair"},
	}
	e.Deadlines = append(e.Deadlines, eventseer.Deadline{Kind: eventseer.Demo, Date: "2027-01-12", Source: eventseer.Provenance{URL: demos}},
		eventseer.Deadline{Kind: eventseer.Notification, Date: "2027-03-12", Source: eventseer.Provenance{URL: demos}})
	w := richWorld()
	w.events[0] = e
	h := newUI(w.fullOptions())
	doc := page(t, h, "/e/icx-2027", 200)
	var names []string
	doc.Find(".editioncalls h3").Each(func(_ int, s *goquery.Selection) { names = append(names, s.Text()) })
	if want := "Main call|Vision, round 2|Demos|Posters"; strings.Join(names, "|") != want {
		t.Errorf("calls %q, want %q", names, want)
	}
	shown := doc.Find("section[aria-labelledby=call-3]")
	for _, want := range []string{"Demo Tue 12 Jan 2027", "Notification Fri 12 Mar 2027", "Submit to Demos in EasyChair", "Topics: Prototypes", "Announced at icx.example.org"} {
		if text := strings.Join(strings.Fields(shown.Text()), " "); !strings.Contains(text, want) {
			t.Errorf("the call for demos: %q, want %q in it", text, want)
		}
	}
	wantText(t, doc, ".dates", "Notification, demos")
	wantText(t, page(t, h, "/", 200), "li.call:contains('Also open') .next", "Abstract, Vision, round 2 Fri 15 Jan 2027")
	wantText(t, page(t, h, "/", 200), "li.call .meta:contains('Also open')", "Also open: Demo until Tue 12 Jan 2027")
	var answer struct{ Event eventseer.Event }
	if err := json.Unmarshal(get(t, h, "/api/v1/events/icx-2027.json", 200).Body.Bytes(), &answer); err != nil || len(answer.Event.Calls) != 4 || len(answer.Event.Calls[2].Deadlines) != 2 {
		t.Errorf("the record's calls: %+v, %v", answer.Event.Calls, err)
	}
}
