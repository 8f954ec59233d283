package ui

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/browsertest"

	"github.com/chromedp/chromedp"
)

// asAda gives requests without a session Ada's.
func asAda(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := r.Cookie(sessionCookie); err != nil {
			r.AddCookie(&http.Cookie{Name: sessionCookie, Value: "s1"})
		}
		h.ServeHTTP(w, r)
	})
}

// withToken makes requests the operator's.
func withToken(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asOperator(r)
		h.ServeHTTP(w, r)
	})
}

// pressOn presses a button of the page that is open, past the checks of the browser, and
// waits for the answer.
func pressOn(t *testing.T, b *browsertest.Tab, button string) {
	t.Helper()
	name, err := json.Marshal(button)
	if err != nil {
		t.Fatal(err)
	}
	browsertest.Evaluate[bool](b, `(() => { const b = document.querySelector(`+string(name)+`); b.form.noValidate = true; document.body.dataset.old = "1"; setTimeout(() => b.form.requestSubmit(b)); return true })()`)
	b.Do(chromedp.WaitReady("body:not([data-old]) footer"))
}

func TestAccountPagesInABrowser(t *testing.T) {
	tn := newTown()
	b := openBrowser(t, tn.handler())
	b.CheckAll("/subscribe", "/subscribe?q=web+crawling", "/signin", "/signin/begin", "/signin/plain", "/signin/gone", "/sent?what=subscribe",
		"/d/d1", "/v/vote-i0?useful=yes", "/unsubscribe/u1", "/unsubscribe/u2", "/unsubscribe/gone", "/admin", "/admin/hosts")
}

func TestReaderPagesInABrowser(t *testing.T) {
	tn := newTown()
	tn.options = func(o *Options) {
		o.Formats = []eventseer.Format{{Name: "atom", Ending: ".atom", Describe: "Atom, for feed readers"}, {Name: "ics", Ending: ".ics", Describe: "iCalendar, for calendar programs"}}
	}
	b := openBrowser(t, asAda(tn.handler()))
	a := tn.subscribers.accounts["ada"]
	a.Refused, a.Paused = "550 no such mailbox", now.AddDate(0, 0, 9)
	tn.subscribers.accounts["ada"] = a
	b.CheckAll("/clips?done=begun", "/clips?list=l1&page=2", "/clips/l1", "/e/w1/star", "/account", "/account/forget", "/subscribe?q=web")
	tn.subscribers.lists, tn.subscribers.items, a.Stars, a.Refused = nil, nil, nil, ""
	tn.subscribers.accounts["ada"] = a
	b.CheckAll("/clips", "/subscribe?q=nothing")
}

func TestFormErrorsInABrowser(t *testing.T) {
	tn := newTown()
	b := openBrowser(t, withToken(asAda(tn.handler())))
	for _, test := range []struct{ path, fill, button, want string }{
		{"/clips/l1", "#q", "button[value=save]", "is not closed"},
		{"/account", "#zone", "main form.form button", "is not a time zone"},
		{"/account/forget", "", "button.danger", "Tick the box"},
		{"/submit", "#url", "button[value=read]", "must be that of a web page"},
		{"/e/w1/report", "#url", "form.form button", "2 things"},
		{"/removal", "#url", "form.form button", "2 things"},
		{"/admin/hosts", "", "form.act button", ""},
	} {
		for _, l := range []browsertest.Look{browsertest.PhoneLight, browsertest.DesktopDark} {
			openAs(b, test.path, l)
			if test.fill != "" {
				browsertest.Evaluate[string](b, `document.querySelector("`+test.fill+`").value = '"<b>'`)
			}
			pressOn(t, b, test.button)
			b.Check(test.path + " with errors " + l.Name)
			b.Shoot(test.path + "_errors" + "-" + l.Name)
			if got := b.Text(".problems"); !strings.Contains(got, test.want) {
				t.Errorf("%s: %q, want %q", test.path, got, test.want)
			}
			if test.want != "" && !browsertest.Evaluate[bool](b, `document.activeElement.matches(".problems")`) {
				t.Errorf("%s: the problems do not have the focus", test.path)
			}
		}
	}
}

func TestDeskPagesInABrowser(t *testing.T) {
	tn := newTown()
	b := openBrowser(t, withToken(tn.handler()))
	b.CheckAll("/submit", "/e/icx-2027/report?field=location", "/e/icx-2027/appeal", "/removal", "/admin", "/admin/hosts", "/admin/desk", "/admin/audit", "/admin/nothing")
	openAs(b, "/submit", browsertest.PhoneLight)
	browsertest.Evaluate[string](b, `document.querySelector("#url").value = "https://conf.example/cfp"`)
	pressOn(t, b, "button[value=read]")
	b.Check("/submit, read")
	b.Shoot("/submit_read" + "-" + browsertest.PhoneLight.Name)
	pressOn(t, b, "button[value=queue]")
	if got := b.Text("h1"); got != "Thank you" || len(tn.reader.queued) != 1 {
		t.Errorf("%q, queued %q", got, tn.reader.queued)
	}
	tn.desk.notes = append(tn.desk.notes, eventseer.Note{ID: "x", Kind: eventseer.ErrorReport, At: now, Event: "icx-2027", Field: "location", Text: "It is Bergen."},
		eventseer.Note{ID: "y", Kind: eventseer.Removal, At: now, Text: "My name.", Done: now, Answer: "removed"})
	b.CheckAll("/admin/desk")
	openAs(b, "/admin/desk", browsertest.DesktopLight)
	browsertest.Evaluate[string](b, `document.querySelector(".act input[type=text]").value = "corrected"`)
	pressOn(t, b, ".act button")
	b.Check("/admin/desk, settled")
	if got := b.Text(".said"); got != "Settled: corrected" {
		t.Errorf("said %q", got)
	}
}

// A reader subscribes, confirms, votes and leaves, all without scripts.
func TestSubscribeInABrowser(t *testing.T) {
	tn := newTown()
	delete(tn.subscribers.links, "begin")
	delete(tn.subscribers.links, "plain")
	b := openBrowser(t, tn.handler())
	openAs(b, "/subscribe?q=web+crawling", browsertest.PhoneLight)
	b.Scripts(false)
	b.Do(chromedp.SendKeys("#address", "eve@home.example"), chromedp.Click("button[value=save]"), chromedp.WaitVisible("main:not(:has(form)) h1"))
	b.Scripts(true)
	if got := b.Text("h1"); got != "Look in your mail" {
		t.Fatalf("after the form: %q", got)
	}
	openAs(b, "/signin/link1", browsertest.PhoneLight)
	b.Scripts(false)
	b.Do(chromedp.Click("main button"), chromedp.WaitVisible(".lists"))
	b.Scripts(true)
	if got := b.Text(".said"); got != "Your list has begun." {
		t.Errorf("after the link: %q", got)
	}
	pressOn(t, b, ".find button[value=yes]")
	if got := b.Text(".said"); !strings.Contains(got, "Thank you") {
		t.Errorf("after the vote: %q", got)
	}
	openAs(b, "/unsubscribe/u1", browsertest.PhoneLight)
	pressOn(t, b, "main button")
	if got := b.Text("h1"); got != "These mails have ended" || !tn.subscribers.leaving["u1"].Left {
		t.Errorf("after leaving: %q", got)
	}
	b.Check("after leaving")
}
