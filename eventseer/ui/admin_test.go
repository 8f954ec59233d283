package ui

import (
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
)

func TestAdminAccess(t *testing.T) {
	password := func(text string) func(*http.Request) {
		return func(r *http.Request) { r.SetBasicAuth("ops", text) }
	}
	both := func(all ...func(*http.Request)) func(*http.Request) {
		return func(r *http.Request) {
			for _, f := range all {
				f(r)
			}
		}
	}
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	var towns []*town
	var handlers []http.Handler
	for i := range 3 {
		tn := newTown()
		tn.options = func(o *Options) {
			o.AdminToken = []string{"", "sesame, open", "sesame, open"}[i]
			if i == 2 {
				o.UserProxies = []string{"127.0.0.1"}
			}
		}
		towns, handlers = append(towns, tn), append(handlers, tn.handler())
	}
	local := func(r *http.Request) { r.Host, r.RemoteAddr = "localhost:8080", "127.0.0.1:4711" }
	for name, test := range map[string]struct {
		change func(*http.Request)
		want   int // with a token; without one these pages do not exist
	}{
		"this machine":         {local, 401},
		"IPv6":                 {func(r *http.Request) { r.Host, r.RemoteAddr = "[::1]:8080", "[::1]:1" }, 401},
		"another machine":      {nil, 401},
		"a foreign name":       {both(local, func(r *http.Request) { r.Host = "evil.example" }), 401},
		"a local name":         {func(r *http.Request) { r.Host = "localhost" }, 401},
		"X-Forwarded-For":      {both(local, header("X-Forwarded-For", "192.0.2.1")), 401},
		"forged loopback":      {header("X-Forwarded-For", "127.0.0.1"), 401},
		"HTTP/1.0":             {both(local, func(r *http.Request) { r.ProtoMajor, r.ProtoMinor = 1, 0 }), 401},
		"the token":            {password("sesame, open"), 200},
		"the token, by proxy":  {both(password("sesame, open"), header("X-Forwarded-For", "192.0.2.1")), 200},
		"a wrong token":        {password("sesame"), 401},
		"an empty token":       {password(""), 401},
		"a token as a login":   {func(r *http.Request) { r.SetBasicAuth("sesame, open", "") }, 401},
		"another scheme":       {header("Authorization", "Bearer sesame, open"), 401},
		"a token in a cookie":  {header("Cookie", "token=sesame, open"), 401},
		"an address elsewhere": {func(r *http.Request) { r.URL.RawQuery = "token=guess" }, 401},
	} {
		for i, want := range []int{404, test.want, test.want} {
			for _, path := range []string{"/admin", "/admin/hosts", "/admin/desk"} {
				towns[i].clock = towns[i].clock.Add(5 * time.Minute) // wrong tokens are counted
				v := visit1(t, handlers[i])
				v.change = test.change
				if w := v.do(http.MethodGet, path, nil); w.Code != want {
					t.Errorf("%s, case %d: GET %s = %d, want %d", name, i, path, w.Code, want)
				} else if w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("X-Robots-Tag") != "noindex" || (w.Header().Get("WWW-Authenticate") != "") != (want == 401) {
					t.Errorf("%s, case %d: GET %s answers with %v", name, i, path, w.Header())
				}
			}
		}
	}
}

func TestAdminTokenIsNotGuessed(t *testing.T) {
	tn := newTown()
	tn.options = func(o *Options) { o.AdminToken = "sesame" }
	v := visit1(t, tn.handler())
	for range 5 {
		v.change = func(r *http.Request) { r.SetBasicAuth("", "guess") }
		if w := v.do(http.MethodGet, "/admin", nil); w.Code != 401 {
			t.Fatalf("a guess = %d", w.Code)
		}
	}
	v.change = func(r *http.Request) { r.SetBasicAuth("", "sesame") }
	if w := v.do(http.MethodGet, "/admin", nil); w.Code != 429 {
		t.Errorf("after five guesses the sixth = %d", w.Code)
	}
	v.change = func(r *http.Request) { r.SetBasicAuth("", "sesame"); r.RemoteAddr = "198.51.100.1:1" }
	for range 20 {
		v.get("/admin", 200) // the right one is never too often
	}
	tn.clock = tn.clock.Add(5 * time.Minute)
	v.change = func(r *http.Request) { r.SetBasicAuth("", "sesame") }
	v.get("/admin", 200)
}

func TestPanels(t *testing.T) {
	tn := newTown()
	v := visit1(t, tn.handler())
	v.change = asOperator
	doc := v.get("/admin", 200)
	wantText(t, doc, "main", "You are let in as token, from 192.0.2.7. Crawl Hosts Visitors ReportsAudit log Learning")
	for _, href := range []string{"/admin/hosts", "/admin/desk", "/admin/audit", "/wrappers", "/label"} {
		if doc.Find("main a[href='"+href+"']").Length() != 1 {
			t.Errorf("no link to %s", href)
		}
	}
	doc = v.get("/admin/hosts?q=exa&from=5", 200)
	for selector, want := range map[string]string{
		".figures .good": "Waiting7 good", ".figures .bad": "2 bad", "tbody": "a.example just now", "td.warn": "slow look at it", ".empty": "No others.", "label[for=find]": "Part of the name",
	} {
		if selector == "tbody" {
			want = "a.example 60 minutes ago"
		}
		wantText(t, doc, selector, want)
	}
	if got := doc.Find("section > p a").AttrOr("href", ""); got != "?from=100&q=x" {
		t.Errorf("more = %q", got)
	}
	if doc.Find("nav[aria-label=Operator] a[aria-current=page]").Text() != "Hosts" {
		t.Error("the navigation does not say where one is")
	}
	form := doc.Find("form.act").First()
	v.post("/admin/hosts", url.Values{"action": {"block"}, "subject": {"a.example"}, "value": {" too slow "}, "back": {form.Find("input[name=back]").AttrOr("value", "")}}, 303)
	target := v.last.Header().Get("Location")
	wantText(t, v.get(target, 200), ".said", "block is done")
	if got := v.doc.Find("#find").AttrOr("value", ""); got != "exa" {
		t.Errorf("the search became %q", got)
	}
	if v.get(strings.Replace(target, "said=block", "said=Pay+the+block", 1), 200).Find(".said").Length() != 0 {
		t.Error("words that were put into the URL are shown as ours")
	}
	wantText(t, v.post("/admin/hosts", url.Values{"action": {"explode"}, "subject": {"x"}}, 422), ".problems", "this action does not exist")
	v.get("/admin/hosts", 200)
	v.post("/admin/hosts", url.Values{"subject": {"x"}}, 400)
	if got := strings.Join(tn.acted, "; "); got != "block a.example too slow; explode x " {
		t.Errorf("did %q", got)
	}
	if len(tn.audited) != 2 || tn.audited[0] != (AuditEntry{At: now, Who: "token, from 192.0.2.7", Action: "hosts block", Subject: "a.example", Result: "block is done"}) || tn.audited[1].Result != "failed: this action does not exist" {
		t.Errorf("audit = %+v", tn.audited)
	}
	wantText(t, v.get("/admin/audit", 200), "tbody", "token, from 192.0.2.7 hosts explode x failed: this action does not exist")
	v.get("/admin/hosts", 200)
	v.post("/admin/audit", url.Values{"action": {"wipe"}}, 404)
	v.get("/admin/nothing", 404)
}

// The effect of an action is shown first, and carried out when it is confirmed.
func TestPreview(t *testing.T) {
	tn := newTown()
	v := visit1(t, tn.handler())
	v.change = asOperator
	v.get("/admin/hosts?q=exa", 200)
	doc := v.post("/admin/hosts", url.Values{"action": {"rename"}, "subject": {"a.example"}, "value": {script}, "back": {"q=exa"}}, 200)
	wantText(t, doc, "main", "This changes.")
	wantText(t, doc, "tbody td:last-child", script)
	if len(tn.acted) != 0 || len(tn.audited) != 0 {
		t.Errorf("a preview did %q", tn.acted)
	}
	form := url.Values{}
	for _, in := range doc.Find("form.act input").EachIter() {
		form.Set(in.AttrOr("name", ""), in.AttrOr("value", ""))
	}
	v.post("/admin/hosts", form, 303)
	if len(tn.acted) != 1 || tn.acted[0] != "rename a.example "+script {
		t.Errorf("did %q", tn.acted)
	}
	if target := v.last.Header().Get("Location"); !strings.Contains(target, "q=exa") {
		t.Errorf("leads back to %s", target)
	}
	v.get("/admin/hosts", 200)
	wantText(t, v.post("/admin/hosts", url.Values{"action": {"vanish"}, "subject": {"a.example"}}, 422), ".problems", "it cannot vanish")
	if len(tn.acted) != 1 {
		t.Errorf("did %q", tn.acted)
	}
}

func TestNotesPanel(t *testing.T) {
	tn := newTown()
	v := visit1(t, tn.handler())
	v.change = asOperator
	wantText(t, v.get("/admin/desk", 200), "main", "Nothing waits.")
	tn.desk.notes = []eventseer.Note{
		{ID: "n1", Kind: eventseer.ErrorReport, At: now.Add(-time.Hour), Event: "icx-2027", Field: "deadlines", Text: "It is the 13th.", URL: "https://icx.example.org/dates"},
		{ID: "n2", Kind: eventseer.Suggested, At: now, URL: "https://new.example/cfp"},
		{ID: "n3", Kind: eventseer.Removal, At: now, Text: script, URL: "javascript:alert(1)"},
	}
	doc := v.get("/admin/desk", 200)
	wantText(t, doc, "tbody tr:first-child", "error, deadlines icx-2027 It is the 13th. (see https://icx.example.org/dates)")
	if n := doc.Find("tbody button").Length(); n != 4 {
		t.Errorf("%d buttons, want 4", n)
	}
	wantText(t, v.post("/admin/desk", url.Values{"action": {"settle"}, "subject": {"n1"}}, 422), ".problems", "write the outcome")
	v.post("/admin/desk", url.Values{"action": {"settle"}, "subject": {"n1"}, "value": {"corrected"}}, 303)
	v.get("/admin/desk", 200)
	v.post("/admin/desk", url.Values{"action": {"queue"}, "subject": {"n2"}}, 303)
	v.get("/admin/desk", 200)
	wantText(t, v.post("/admin/desk", url.Values{"action": {"settle"}, "subject": {"n1"}, "value": {"again"}}, 422), ".problems", "this report does not wait")
	wantText(t, v.get("/admin/desk", 200), "main", "Settled, the newest first")
	if len(tn.reader.queued) != 1 || tn.reader.queued[0] != "https://new.example/cfp" || tn.desk.notes[0].Answer != "corrected" || tn.desk.notes[1].Answer != "queued" || !tn.desk.notes[2].Done.IsZero() {
		t.Errorf("queued %q, notes %+v", tn.reader.queued, tn.desk.notes)
	}
	if len(tn.audited) != 4 {
		t.Errorf("%d entries in the audit log", len(tn.audited))
	}
}

func TestSubmit(t *testing.T) {
	tn := newTown()
	v := visit1(t, tn.handler())
	v.get("/submit", 200)
	for _, bad := range []string{"", "conf.example", "ftp://conf.example/", "javascript:alert(1)", "file:///etc/passwd", "https://user:secret@conf.example/", "https://conf.example/a b", "https://" + strings.Repeat("x", 10000) + ".example/"} {
		tn.clock = tn.clock.Add(time.Hour)
		doc := v.post("/submit", url.Values{"url": {bad}, "press": {"read"}}, 422)
		if doc.Find("#url[aria-invalid=true]").Length() != 1 {
			t.Errorf("%q: the field is not marked", bad)
		}
	}
	if len(tn.reader.asked) > 0 {
		t.Errorf("asked %q", tn.reader.asked)
	}
	tn.clock = tn.clock.Add(time.Hour)
	doc := v.post("/submit", url.Values{"url": {" https://conf.example/cfp "}, "press": {"read"}}, 200)
	wantText(t, doc, ".preview", "ICX 2027 22nd International Conference on Information Crawling")
	wantText(t, doc, ".preview tbody", "Paper submission: February 12, 2027 (extended)")
	if len(tn.reader.queued)+len(tn.desk.notes) > 0 {
		t.Error("it is kept before anybody said so")
	}
	v.post("/submit", url.Values{"url": {"https://conf.example/cfp"}, "press": {"queue"}}, 303)
	v.wantTarget("/sent?what=submit")
	if len(tn.reader.queued) != 1 || tn.reader.queued[0] != "https://conf.example/cfp" || len(tn.desk.notes) > 0 {
		t.Errorf("queued %q, notes %+v", tn.reader.queued, tn.desk.notes)
	}
	tn.reader.event = eventseer.Event{}
	v.get("/submit", 200)
	wantText(t, v.post("/submit", url.Values{"url": {"https://conf.example/"}, "press": {"read"}}, 200), ".preview", "No call was found there")
	v.post("/submit", url.Values{"url": {"https://conf.example/"}, "press": {"note"}}, 303)
	if n := tn.desk.notes; len(n) != 1 || n[0].Kind != eventseer.Suggested || n[0].URL != "https://conf.example/" {
		t.Errorf("notes %+v", n)
	}
	tn.clock = tn.clock.Add(time.Hour)
	tn.reader.err = &eventseer.InputError{Field: "url", Msg: "conf.example answers with 404"}
	v.get("/submit", 200)
	wantText(t, v.post("/submit", url.Values{"url": {"https://conf.example/"}}, 422), "#url-problem", "conf.example answers with 404")
	wantText(t, v.post("/submit", url.Values{"url": {"https://conf.example/"}, "press": {"queue"}}, 422), "#url-problem", "conf.example answers with 404")
	tn.reader.err = errors.New("disk full at /secret")
	if doc := v.post("/submit", url.Values{"url": {"https://conf.example/"}}, 500); strings.Contains(doc.Text(), "/secret") {
		t.Error("the cause is shown")
	}
	if len(tn.reader.queued) != 2 || len(tn.desk.notes) != 1 { // the last is refused by the reader only after it was asked
		t.Errorf("queued %q, %d notes", tn.reader.queued, len(tn.desk.notes))
	}
}

func TestReports(t *testing.T) {
	tn := newTown()
	v := visit1(t, tn.handler())
	doc := v.get("/e/icx-2027/report?field=location", 200)
	if got := doc.Find("input[name=field][checked]").AttrOr("value", ""); got != "location" {
		t.Errorf("field %q is ticked", got)
	}
	wantText(t, v.post("/e/icx-2027/report", url.Values{"url": {"nowhere"}}, 422), ".problems", "2 things are not right Write a few words")
	wantText(t, v.post("/e/icx-2027/report", url.Values{"text": {strings.Repeat("ä", 2001)}}, 422), ".problems", "has 2001 characters; at most 2000 are allowed")
	v.post("/e/icx-2027/report", url.Values{"text": {" It is Bergen.\r\nReally. "}, "field": {"location"}, "url": {"https://icx.example.org/venue"}}, 303)
	v.get("/e/icx-2027/appeal", 200)
	v.post("/e/icx-2027/appeal", url.Values{"text": {"We are real."}, "field": {"anything"}}, 303)
	v.get("/removal", 200)
	v.post("/removal", url.Values{"text": {"my name"}}, 303)
	v.wantTarget("/sent?what=removal")
	v.get("/removal", 200)
	v.post("/removal", url.Values{"text": {"buy pills"}, honeypot: {"https://pills.example/"}}, 303)
	want := []eventseer.Note{
		{ID: "n1", Kind: eventseer.ErrorReport, At: now, Event: "icx-2027", Field: "location", Text: "It is Bergen.\nReally.", URL: "https://icx.example.org/venue"},
		{ID: "n2", Kind: eventseer.Appeal, At: now, Event: "icx-2027", Text: "We are real."}, {ID: "n3", Kind: eventseer.Removal, At: now, Text: "my name"},
	}
	if len(tn.desk.notes) != len(want) {
		t.Fatalf("notes = %+v", tn.desk.notes)
	}
	for i := range want {
		if tn.desk.notes[i] != want[i] {
			t.Errorf("note %d = %+v, want %+v", i, tn.desk.notes[i], want[i])
		}
	}
	tn.desk.err = eventseer.ErrDeskFull
	v.get("/removal", 200)
	wantText(t, v.post("/removal", url.Values{"text": {"me"}}, 503), ".lead", "list of reports is full")
}

func TestNothingIsOffered(t *testing.T) {
	v := visit1(t, newUI(Options{Store: fullWorld(), Index: fullWorld()}))
	for _, path := range []string{"/submit", "/removal", "/e/icx-2027/report"} {
		if w := v.do(http.MethodGet, path, nil); w.Code != 404 {
			t.Errorf("GET %s = %d", path, w.Code)
		}
	}
	for _, path := range []string{"/subscribe", "/clips", "/account", "/signin", "/d/x", "/unsubscribe/x"} {
		wantText(t, v.get(path, 404), ".lead", "sends no mail and keeps no accounts")
	}
	if w := v.do(http.MethodGet, "/feed/x.json", nil); w.Code != 404 {
		t.Errorf("a feed = %d", w.Code)
	}
	if w := v.do(http.MethodGet, "/account/export", nil); w.Code != 404 {
		t.Errorf("the export = %d", w.Code)
	}
}
