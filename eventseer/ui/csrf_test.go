package ui

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer/query"
	"github.com/eventseer/eventseer/eventseer/ui/account"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"

	"pgregory.net/rapid"
)

// A route is a form with a path that shows it.
type route struct {
	pattern, path string
	form          url.Values
	operator      bool
}

// postRoutes are all forms, filled so that they would change something.
var postRoutes = []route{
	{"/subscribe", "/subscribe", url.Values{"q": {"web"}, "address": {"a@b.example"}, "press": {"save"}}, false},
	{"/signin", "/signin", url.Values{"address": {"a@b.example"}}, false},
	{"/signin/{token}", "/signin/begin", url.Values{}, false},
	{"/signout", "/signout", url.Values{}, false},
	{"/clips/{list}", "/clips/l1", url.Values{"q": {"web"}, "press": {"save"}}, false},
	{"/clips/{list}/snooze", "/clips/l1/snooze", url.Values{"days": {"7"}}, false},
	{"/clips/{list}/remove", "/clips/l1/remove", url.Values{}, false},
	{"/e/{id}/star", "/e/w1/star", url.Values{}, false},
	{"/account", "/account", url.Values{}, false},
	{"/account/forget", "/account/forget", url.Values{"sure": {"yes"}}, false},
	{"/v/{token}", "/v/vote-i0", url.Values{"useful": {"yes"}}, false},
	{"/unsubscribe/{token}", "/unsubscribe/u2", url.Values{"press": {"return"}}, false},
	{"/submit", "/submit", url.Values{"url": {"https://a.example/"}, "press": {"queue"}}, false},
	{"/e/{id}/report", "/e/w1/report", url.Values{"text": {"wrong"}}, false},
	{"/e/{id}/appeal", "/e/w1/appeal", url.Values{"text": {"wrong"}}, false},
	{"/removal", "/removal", url.Values{"text": {"me"}}, false},
	{"/admin/{panel}", "/admin/hosts", url.Values{"action": {"block"}, "subject": {"x"}}, true},
	{"/admin/signin", "/admin/signin", url.Values{"secret": {operatorsToken}}, false},
	{"/admin/signout", "/admin/signout", url.Values{}, true},
}

// getRoutes are all pages of this part.
var getRoutes = []route{
	{"/subscribe", "/subscribe?q=web&address=a@b.example&press=save", nil, false}, {"/signin", "/signin?address=a@b.example", nil, false},
	{"/signin/{token}", "/signin/begin", nil, false}, {"/sent", "/sent?what=signin", nil, false},
	{"/clips", "/clips?done=removed", nil, false}, {"/clips/{list}", "/clips/l1?press=save&q=x", nil, false}, {"/e/{id}/star", "/e/w1/star?press=follow", nil, false},
	{"/account", "/account?pause=30", nil, false}, {"/account/export", "/account/export", nil, false}, {"/account/forget", "/account/forget?sure=yes", nil, false},
	{"/d/{token}", "/d/d1", nil, false}, {"/v/{token}", "/v/vote-i0?useful=yes", nil, false}, {"/unsubscribe/{token}", "/unsubscribe/u1?List-Unsubscribe=One-Click&press=return", nil, false},
	{"/feed/{file}", "/feed/feed-l1.json", nil, false}, {"/submit", "/submit?url=https://a.example/&press=queue", nil, false}, {"/e/{id}/report", "/e/w1/report?text=wrong", nil, false},
	{"/e/{id}/appeal", "/e/w1/appeal?text=wrong", nil, false}, {"/removal", "/removal?text=me", nil, false},
	{"/admin", "/admin", nil, true}, {"/admin/{panel}", "/admin/hosts?action=block&subject=x", nil, true}, {"/admin/{panel}", "/admin/desk", nil, true}, {"/admin/{panel}", "/admin/audit", nil, true},
}

// operatorsToken is that of towns.
const operatorsToken = "a token of sites in tests"

// asOperator makes a request one of the operator's.
func asOperator(r *http.Request) { r.SetBasicAuth("", operatorsToken) }

// The tables name every route there is.
func TestRoutesAreTested(t *testing.T) {
	found := map[string][]string{}
	for _, file := range []string{"account.go", "submit.go", "admin.go"} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.ReplaceAll(string(source), `"+web.AdminPath+"`, web.AdminPath)
		text = strings.ReplaceAll(text, `"+web.AdminPath,`, web.AdminPath+`",`)
		for _, m := range regexp.MustCompile(`(?m)^\s*(get|post)\("(/[^"]*)"|HandleFunc\("(GET|POST) (/[^"]*)"`).FindAllStringSubmatch(text, -1) {
			method := strings.ToUpper(m[1] + m[3])
			found[method] = append(found[method], m[2]+m[4])
		}
	}
	for method, routes := range map[string][]route{http.MethodGet: getRoutes, http.MethodPost: postRoutes} {
		var tested []string
		for _, r := range routes {
			tested = append(tested, r.pattern)
		}
		for _, pattern := range found[method] {
			if !slices.Contains(tested, pattern) {
				t.Errorf("%s %s is not tested", method, pattern)
			}
		}
		slices.Sort(tested)
		if n := len(slices.Compact(tested)); n != len(found[method]) {
			t.Errorf("%d routes of %s are tested, %d are there", n, method, len(found[method]))
		}
	}
}

// Programs that look at mails and pages open all links they see.
func TestGetChangesNothing(t *testing.T) {
	tn := newTown()
	tn.freeze()
	h := tn.handler()
	for _, route := range getRoutes {
		for _, method := range []string{http.MethodGet, http.MethodHead} {
			v := ada(t, h)
			if strings.HasPrefix(route.path, "/signin?") {
				delete(v.cookies, sessionCookie)
			}
			if route.operator {
				v.change = asOperator
			}
			if w := v.do(method, route.path, nil); w.Code != 200 {
				t.Errorf("%s %s = %d", method, route.path, w.Code)
			}
			if len(tn.acted)+len(tn.audited) > 0 {
				t.Errorf("%s %s did %q", method, route.path, tn.acted)
			}
		}
	}
}

func TestFormsAreRefused(t *testing.T) {
	tn := newTown()
	tn.freeze()
	h := tn.handler()
	for _, route := range postRoutes {
		for name, test := range map[string]struct {
			token  string
			change func(*http.Request)
		}{
			"no token":        {"", nil},
			"nonsense":        {"AAAAAAAA", nil},
			"of another site": {"own", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }},
			"of a neighbour":  {"own", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") }},
			"another origin": {"own", func(r *http.Request) {
				r.Header.Del("Sec-Fetch-Site")
				r.Header.Set("Origin", "https://evil.example")
			}},
			"hidden origin":      {"own", func(r *http.Request) { r.Header.Del("Sec-Fetch-Site"); r.Header.Set("Origin", "null") }},
			"of another browser": {"stranger", nil},
			"an old browser":     {"", func(r *http.Request) { r.Header.Del("Sec-Fetch-Site") }},
		} {
			v := ada(t, h)
			change := func(r *http.Request) {
				if route.operator {
					asOperator(r)
				}
			}
			v.change = change
			page := "/account"
			if route.operator {
				page = "/admin/hosts"
			}
			form := url.Values{}
			for k, values := range route.form {
				form[k] = values
			}
			switch test.token {
			case "own":
				v.get(page, 200)
				form.Set(account.TokenField, v.token())
			case "stranger":
				other := visit1(t, h)
				other.get("/removal", 200)
				form.Set(account.TokenField, other.token())
			default:
				form.Set(account.TokenField, test.token)
			}
			v.change = func(r *http.Request) {
				change(r)
				if test.change != nil {
					test.change(r)
				}
			}
			if w := v.do(http.MethodPost, route.path, form); w.Code != 403 {
				t.Errorf("POST %s, %s = %d, want 403", route.path, name, w.Code)
			}
			if again := v.doc.Find("main form[method=post]").Length() > 0; again && name == "an old browser" {
				t.Errorf("POST %s: a form that nobody vouches for is offered again", route.path)
			}
			if len(tn.acted) > 0 {
				t.Errorf("POST %s, %s did %q", route.path, name, tn.acted)
			}
		}
	}
}

// A request with the right token passes: the refusals above are about the token.
func TestFormsAreTaken(t *testing.T) {
	for _, route := range postRoutes {
		tn := newTown()
		v := ada(t, tn.handler())
		page := "/account"
		if route.operator {
			v.change, page = asOperator, "/admin/hosts"
		}
		v.get(page, 200)
		form := url.Values{account.TokenField: {v.token()}}
		for k, values := range route.form {
			form[k] = values
		}
		if w := v.do(http.MethodPost, route.path, form); w.Code != 303 && w.Code != 200 {
			t.Errorf("POST %s = %d\n%s", route.path, w.Code, views.Clip(w.Body.String(), 500))
		}
	}
}

// A form that was open too long is shown again with the typed text.
func TestOldForm(t *testing.T) {
	tn := newTown()
	v := visit1(t, tn.handler())
	v.get("/removal", 200)
	v.handler = tn.handler() // the program was restarted
	text := script + strings.Repeat(" my name", 200)
	doc := v.post("/removal", url.Values{"text": {text}, "url": {"https://a.example/"}}, 403)
	wantText(t, doc, "h1", "Please send this again")
	if got := doc.Find("input[name=text]").AttrOr("value", ""); got != text {
		t.Errorf("the text became %q", views.Clip(got, 100))
	}
	v.post(doc.Find("main form").AttrOr("action", ""), url.Values{"text": {text}, "url": {"https://a.example/"}}, 303)
	if len(tn.desk.notes) != 1 || tn.desk.notes[0].Text != strings.TrimSpace(text) {
		t.Errorf("notes = %+v", tn.desk.notes)
	}
}

func TestOneClick(t *testing.T) {
	var multi bytes.Buffer
	writer := multipart.NewWriter(&multi)
	_ = writer.WriteField("List-Unsubscribe", "One-Click")
	_ = writer.Close()
	for contentType, body := range map[string]string{
		"application/x-www-form-urlencoded": "List-Unsubscribe=One-Click", writer.FormDataContentType(): multi.String(),
	} {
		tn := newTown()
		h := tn.handler()
		for range 2 { // it may be repeated
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/unsubscribe/u1", strings.NewReader(body))
			r.Header.Set("Content-Type", contentType)
			r.Header.Set("Origin", "https://mail.example") // a web mailer's page
			r.Header.Set("Sec-Fetch-Site", "cross-site")
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if w.Code != 200 || len(w.Result().Cookies()) > 0 || !tn.subscribers.leaving["u1"].Left {
				t.Errorf("%s: %d, cookies %v, %+v", contentType, w.Code, w.Result().Cookies(), tn.subscribers.leaving["u1"])
			}
		}
		v := visit1(t, h)
		wantText(t, v.get("/unsubscribe/u1", 200), "main", "These mails have ended The list Crawling sends nothing more to a…a@home.example.")
		v.post("/unsubscribe/u1", url.Values{"press": {"return"}}, 303)
		v.wantTarget("/unsubscribe/u1")
		if tn.subscribers.leaving["u1"].Left {
			t.Error("it cannot be undone")
		}
		doc := v.get("/unsubscribe/u1", 200)
		wantText(t, doc, "h1", "Stop these mails?")
		if got := doc.Find("form input[name='List-Unsubscribe']").AttrOr("value", ""); got != "One-Click" {
			t.Errorf("the button sends %q", got)
		}
		for path, form := range map[string]url.Values{"/unsubscribe/nobody": {oneClick: {"One-Click"}}, "/unsubscribe/u1": {oneClick: {"one-click"}}} {
			if w := v.do(http.MethodPost, path, form); w.Code != 404 && w.Code != 403 {
				t.Errorf("POST %s %v = %d", path, form, w.Code)
			}
		}
	}
}

func TestLocalPath(t *testing.T) {
	for next, want := range map[string]string{
		"/clips": "/clips", "/clips?page=2&list=l1#i-3": "/clips?list=l1&page=2#i-3", "/e/icx-2027/star": "/e/icx-2027/star", "/d/abc": "/d/abc",
		"/account": "/account", "/clips/ä b": "", "/clips/%C3%A4": "/clips/%C3%A4",
		"": "", "clips": "", "//evil.example/clips": "", "/\\evil.example": "", "/clips\\..": "", "\\\\evil.example/clips": "", "https://evil.example/clips": "",
		"https:/clips": "", "javascript:alert(1)": "", "/clips\n": "", "\t/clips": "", "/": "", "/static/x": "", "/admin/hosts": "", "/signout": "", "/unsubscribe/u1": "",
		"///evil.example": "", "/%2F/evil.example": "", "/clips//evil.example": "", "/%5Cevil.example": "", "/clips/%5C%5Cevil.example": "", "/.//evil.example": "", "//user@evil.example/clips": "",
		"/clips?next=https://evil.example": "/clips?next=https%3A%2F%2Fevil.example", "/clips" + strings.Repeat("x", 3000): "", "/e/../admin": "", "/e/../../evil": "", "/e/%2e%2e/admin": "", "/e/./x": "",
	} {
		if got := account.LocalPath(next); got != want {
			t.Errorf("localPath(%q) = %q, want %q", views.Clip(next, 60), got, want)
		}
	}
	tn := newTown()
	for _, next := range []string{"//evil.example/clips", "https://evil.example/", `/\evil.example`, "/%09/evil.example", "/admin"} {
		v := ada(t, tn.handler())
		v.do(http.MethodGet, "/signin?"+url.Values{"next": {next}}.Encode(), nil)
		v.wantTarget("/clips")
		v.get("/clips", 200)
		doc := v.post("/v/vote-i0", url.Values{"useful": {"yes"}, "next": {next}}, 200)
		wantText(t, doc, "h1", "Thank you")
		v.cookies[nextCookie] = url.QueryEscape(next)
		v.get("/signin/plain", 200)
		v.post("/signin/plain", url.Values{}, 303)
		v.wantTarget("/clips")
		tn.subscribers = fullSubscribers()
	}
}

func FuzzLocalPath(f *testing.F) {
	for _, next := range []string{"/clips?a=b#c", "//e.example", "/e/x", `/\e.example`, "/clips/%2e%2e//x"} {
		f.Add(next)
	}
	f.Fuzz(func(t *testing.T, next string) {
		got := account.LocalPath(next)
		if got == "" {
			return
		}
		base, _ := url.Parse("https://events.example/signin")
		u, err := base.Parse(got)
		if err != nil || u.Host != "events.example" || u.Scheme != "https" || got[0] != '/' || len(got) > 1 && (got[1] == '/' || got[1] == '\\') || strings.ContainsAny(got, "\r\n\\ ") {
			t.Errorf("localPath(%q) = %q, which is %v", next, got, u)
		}
		if again := account.LocalPath(got); again != got {
			t.Errorf("localPath(%q) = %q, and of that %q", next, got, again)
		}
	})
}

func TestTooOften(t *testing.T) {
	for _, test := range []struct {
		path string
		form url.Values
		most int
	}{
		{"/signin", url.Values{"address": {"a@b.example"}}, 5}, {"/removal", url.Values{"text": {"me"}}, 5},
		{"/submit", url.Values{"url": {"https://a.example/"}}, 6}, {"/subscribe", url.Values{"q": {"web"}}, 20},
		{"/v/vote-i0", url.Values{"useful": {"yes"}}, 60},
	} {
		tn := newTown()
		v := visit1(t, tn.handler())
		v.get("/removal", 200)
		test.form.Set(account.TokenField, v.token())
		passed := 0
		for range 100 {
			w := v.do(http.MethodPost, test.path, test.form)
			if w.Code == 429 {
				if w.Header().Get("Retry-After") == "" {
					t.Errorf("%s: no Retry-After", test.path)
				}
				break
			}
			passed++
		}
		if passed != test.most {
			t.Errorf("%s: %d forms were taken, want %d", test.path, passed, test.most)
		}
		v.change = func(r *http.Request) { r.RemoteAddr = "198.51.100.1:1" }
		if w := v.do(http.MethodPost, test.path, test.form); w.Code == 429 {
			t.Errorf("%s: another address is refused too", test.path)
		}
		v.change = func(r *http.Request) { r.Header.Set("X-Forwarded-For", "198.51.100.77") }
		if w := v.do(http.MethodPost, test.path, test.form); w.Code != 429 {
			t.Errorf("%s: an address made up is believed", test.path)
		}
		v.change = nil
		tn.clock = tn.clock.Add(10 * time.Minute)
		if w := v.do(http.MethodPost, test.path, test.form); w.Code == 429 {
			t.Errorf("%s: refused for ever", test.path)
		}
	}
}

func TestUserHeader(t *testing.T) {
	for name, test := range map[string]struct {
		peer   string
		header []string
		want   string // user, or ""
	}{
		"the proxy":         {"10.1.2.3:99", []string{"grace"}, "grace"},
		"one address":       {"[2001:db8::1]:99", []string{"grace"}, "grace"},
		"mapped":            {"[::ffff:10.1.2.3]:99", []string{"grace"}, "grace"},
		"a visitor":         {"192.0.2.7:99", []string{"grace"}, ""},
		"near the proxy":    {"11.1.2.3:99", []string{"grace"}, ""},
		"twice":             {"10.1.2.3:99", []string{"root", "grace"}, ""},
		"nobody":            {"10.1.2.3:99", nil, ""},
		"empty":             {"10.1.2.3:99", []string{" "}, ""},
		"long":              {"10.1.2.3:99", []string{strings.Repeat("g", 10000)}, ""},
		"control character": {"10.1.2.3:99", []string{"gra\x00ce"}, ""},
	} {
		tn := newTown()
		tn.options = func(o *Options) { o.UserHeader, o.UserProxies = "X-Remote-User", []string{"10.0.0.0/8", "2001:db8::1"} }
		v := visit1(t, tn.handler())
		v.change = func(r *http.Request) {
			r.RemoteAddr = test.peer
			r.Header["X-Remote-User"] = test.header
			r.Header.Set("X-Forwarded-For", "10.1.2.3")
		}
		w := v.do(http.MethodGet, "/account", nil)
		if _, made := tn.subscribers.accounts["u-"+test.want]; test.want != "" && (w.Code != 200 || !made) || test.want == "" && (w.Code != 303 || len(tn.subscribers.accounts) != 1) {
			t.Errorf("%s: %d, accounts %v", name, w.Code, len(tn.subscribers.accounts))
		}
		if test.want == "" {
			continue
		}
		wantText(t, v.doc, ".reader", "Signed in as grace")
		if v.doc.Find("form[action='/signout']").Length() != 0 {
			t.Error("a session that is not ours can be ended")
		}
		v.post("/account", url.Values{"zone": {"UTC"}}, 303)
	}
	for _, proxies := range [][]string{{"proxy.example"}, {"10.0.0.0/99"}, {""}} {
		if _, err := New(Options{Store: &world{}, Index: &world{}, UserProxies: proxies}); err == nil {
			t.Errorf("proxies %q are taken", proxies)
		}
	}
}

func TestWrongTokens(t *testing.T) {
	v := ada(t, newTown().handler())
	for _, path := range []string{"/signin/x", "/d/x", "/unsubscribe/x", "/clips/x", "/e/x/star", "/e/x/report", "/sent?what=x", "/sent"} {
		v.get(path, 404)
	}
	for _, path := range []string{"/admin", "/admin/x"} { // a reader is not an operator
		v.get(path, 401)
	}
	for _, path := range []string{"/feed/x.json", "/feed/feed-l1", "/feed/feed-l1.exe", "/feed/" + strings.Repeat("x", 1000) + ".json"} {
		if w := v.do(http.MethodGet, path, nil); w.Code != 404 {
			t.Errorf("GET %s = %d", views.Clip(path, 30), w.Code)
		}
	}
	v.get("/clips", 200)
	v.post("/v/x", url.Values{"useful": {"yes"}}, 404)
	v.get("/clips", 200)
	v.post("/v/vote-i0", url.Values{"useful": {"1"}}, 400)
}

// postRaw posts a body without changes.
func postRaw(t *testing.T, v *visitor, path, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	w := httptest.NewRecorder()
	v.handler.ServeHTTP(w, r)
	return w
}

func TestBigForms(t *testing.T) {
	tn := newTown()
	v := ada(t, tn.handler())
	big := strings.Repeat("ü<", 5000)
	for _, route := range postRoutes {
		if route.operator {
			continue
		}
		v.cookies[sessionCookie] = "s1"
		tn.subscribers.sessions["s1"] = "ada"
		tn.clock = tn.clock.Add(time.Hour)
		v.get("/removal", 200)
		form := url.Values{account.TokenField: {v.token()}}
		for _, name := range []string{"q", "name", "address", "url", "text", "zone", "without", "rhythm", "days", "pause", "next", "useful", "field", "press", "all"} {
			form.Set(name, big)
		}
		if w := v.do(http.MethodPost, route.path, form); w.Code >= 500 || w.Body.Len() > 10*maxBytes {
			t.Errorf("POST %s = %d with %d bytes", route.path, w.Code, w.Body.Len())
		}
		form.Set("q", strings.Repeat("x", maxForm))
		if w := v.do(http.MethodPost, route.path, form); w.Code != 413 {
			t.Errorf("POST %s of too much = %d", route.path, w.Code)
		}
		if w := postRaw(t, v, route.path, "form=%zz"); w.Code != 400 {
			t.Errorf("POST %s of what is no form = %d", route.path, w.Code)
		}
	}
	for _, page := range getRoutes {
		if page.operator {
			continue
		}
		path, _, _ := strings.Cut(page.path, "?")
		if w := v.do(http.MethodGet, path+"?q="+url.QueryEscape(big)+"&next=/"+url.QueryEscape(big)+"&done="+url.QueryEscape(big)+"&url="+url.QueryEscape(big), nil); w.Code >= 500 || w.Body.Len() > 10*maxBytes {
			t.Errorf("GET %s = %d with %d bytes", path, w.Code, w.Body.Len())
		}
	}
}

func TestAddWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOf(rapid.SampledFrom([]rune(`ab-"“: OR(*)é` + "\t\n")))
		h := account.WordHelper{All: word.Draw(t, "all"), Phrase: word.Draw(t, "phrase"), Any: word.Draw(t, "any"), None: word.Draw(t, "none")}
		text := h.AddWords("web")
		if _, err := query.Parse(text); err != nil {
			t.Fatalf("%+v gives %q: %v", h, text, err)
		}
		if again := (account.WordHelper{}).AddWords(text); again != text {
			t.Fatalf("%q becomes %q", text, again)
		}
	})
}

func TestPassagePieces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		marks := rapid.SliceOf(rapid.Custom(func(t *rapid.T) [2]int {
			return [2]int{rapid.IntRange(-3, 40).Draw(t, "from"), rapid.IntRange(-3, 40).Draw(t, "to")}
		})).Draw(t, "marks")
		var b strings.Builder
		for _, p := range account.PassagePieces(text, marks) {
			fmt.Fprint(&b, p.Text)
		}
		if got, want := b.String(), views.Clip(text, account.MaxFindPassage); got != want {
			t.Fatalf("pieces of %q are %q", want, got)
		}
	})
}
