package ui

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/account"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

func wantDid(t *testing.T, s *subscribers, want ...string) {
	t.Helper()
	if !slices.Equal(s.did, want) {
		t.Errorf("did %q, want %q", s.did, want)
	}
	s.did = nil
}

func TestSubscribe(t *testing.T) {
	tn := newTown()
	v := visit1(t, tn.handler())
	v.get("/subscribe", 200)
	if v.doc.Find(".preview").Length() != 0 {
		t.Error("a preview of nothing is shown")
	}
	doc := v.post("/subscribe", url.Values{"q": {"web crawling"}, "press": {"preview"}, "synonyms": {"1"}, "without": {"spidering"}, "address": {"eve@home.example"}}, 200)
	wantText(t, doc, ".preview", "30 calls since 12 Oct 2026 09:00 UTC, about 2 a week.")
	wantText(t, doc, ".terms", "crawling without harvesting web as it is Left out: without spidering")
	wantText(t, doc, ".finds mark", "webcrawling")
	if got := doc.Find("#address").AttrOr("value", ""); got != "eve@home.example" {
		t.Errorf("the address became %q", got)
	}
	wantDid(t, tn.subscribers)

	v.post("/subscribe", url.Values{"q": {"web crawling"}, "press": {"save"}, "rhythm": {"weekly"}, "address": {"eve@home.example"}}, 303)
	v.wantTarget("/sent?what=subscribe")
	wantDid(t, tn.subscribers, "ask 192.0.2.7 for eve@home.example: web crawling")
	wantText(t, v.get("/sent?what=subscribe", 200), "h1", "Look in your mail")

	doc = v.get("/signin/link3", 200)
	wantText(t, doc, "main", "Begin this list? For the address eve@home.example. Listweb crawlingLooks forweb crawlingMailsone mail a week")
	wantDid(t, tn.subscribers)
	v.post("/signin/link3", url.Values{}, 303)
	v.wantTarget("/clips?done=begun")
	wantDid(t, tn.subscribers, "sign in eve@home.example")
	doc = v.get("/clips?done=begun", 200)
	wantText(t, doc, ".said", "Your list has begun.")
	wantText(t, doc, ".lists", "web crawling")
	wantText(t, v.get("/signin/link3", 404), "h1", "This link has ended")

	v.get("/account", 200)
	v.post("/signout", url.Values{}, 303)
	v.wantTarget("/sent?what=signout")
	if w := v.do(http.MethodGet, "/clips?page=2", nil); w.Code != 303 || w.Header().Get("Location") != "/signin?next=%2Fclips%3Fpage%3D2" {
		t.Errorf("signed out, /clips = %d to %q", w.Code, w.Header().Get("Location"))
	}
}

func TestSubscribeProblems(t *testing.T) {
	tn := newTown()
	v := visit1(t, tn.handler())
	v.get("/subscribe?q=web+crawling", 200)
	wantText(t, v.doc, ".preview", "30 calls")
	for name, test := range map[string]struct {
		form url.Values
		want string
	}{
		"nothing":        {url.Values{}, "Write your e-mail address.Write the words that a call must contain"},
		"no address":     {url.Values{"q": {"web"}, "address": {"eve at home"}}, "This is not an e-mail address"},
		"a header":       {url.Values{"q": {"web"}, "address": {"eve@home.example\r\nBcc: all@home.example"}}, "This is not an e-mail address"},
		"a name":         {url.Values{"q": {"web"}, "address": {"Eve <eve@home.example>"}}, "This is not an e-mail address"},
		"open quote":     {url.Values{"q": {`web "craw`}, "address": {"eve@home.example"}}, `A quote is not closed; put a " after its last word. Try web "craw"`},
		"only excluded":  {url.Values{"q": {`-web`}, "address": {"eve@home.example"}}, "Also write what a call must contain"},
		"unknown rhythm": {url.Values{"q": {`web`}, "rhythm": {"hourly"}, "address": {"eve@home.example"}}, "Choose how often"},
		"long name":      {url.Values{"q": {`web`}, "name": {strings.Repeat("n", 81)}, "address": {"eve@home.example"}}, "The name has 81 characters"},
		"10 kB":          {url.Values{"q": {strings.Repeat("web ", 2500)}, "name": {strings.Repeat("n", 10000)}, "address": {strings.Repeat("a", 10000)}}, "The query is too long"},
	} {
		test.form.Set("press", "save")
		tn.clock = tn.clock.Add(1e12) // a quarter of an hour later
		doc := v.post("/subscribe", test.form, 422)
		wantText(t, doc, ".problems", test.want)
		if doc.Find("[aria-invalid=true]").Length() == 0 && name != "unknown rhythm" {
			t.Errorf("%s: no field is marked", name)
		}
		if n := v.last.Body.Len(); n > maxBytes {
			t.Errorf("%s: %d bytes", name, n)
		}
	}
	wantDid(t, tn.subscribers)
	tn.subscribers.err = &eventseer.InputError{Field: "address", Msg: "mails to this address come back"}
	doc := v.post("/subscribe", url.Values{"q": {"web"}, "address": {"eve@home.example"}, "press": {"save"}}, 422)
	wantText(t, doc, "#address-problem", "mails to this address come back")
}

func TestSignIn(t *testing.T) {
	tn := newTown()
	v := visit1(t, tn.handler())
	v.get("/signin?next=/e/icx-2027/star", 200)
	v.post("/signin", url.Values{"address": {"ada@home.example"}, "next": {"/e/icx-2027/star"}}, 303)
	wantDid(t, tn.subscribers, "ask 192.0.2.7 for ada@home.example: ")
	v.get("/signin/plain", 200)
	v.post("/signin/plain", url.Values{}, 303)
	v.wantTarget("/e/icx-2027/star")
	if v.cookies[nextCookie] != "" {
		t.Error("where to go on is kept")
	}
	v.do(http.MethodGet, "/signin", nil)
	v.wantTarget("/clips")
	v = visit1(t, v.handler)
	v.get("/signin", 200)
	wantText(t, v.post("/signin", url.Values{"address": {"x"}}, 422), ".problems", "This is not an e-mail address")
}

// A session that an attacker gave a visitor is invalid after the sign-in.
func TestSessionIsNew(t *testing.T) {
	tn := newTown()
	h := tn.handler()
	victim := visit1(t, h)
	victim.cookies[sessionCookie] = "s1" // Ada's, planted
	victim.get("/signin/begin", 200)
	victim.post("/signin/begin", url.Values{}, 303)
	if got := victim.cookies[sessionCookie]; got == "" || got == "s1" {
		t.Errorf("the session is %q", got)
	}
	wantDid(t, tn.subscribers, "sign in eve@home.example", "sign out s1")
	if w := ada(t, h).do(http.MethodGet, "/clips", nil); w.Code != 303 {
		t.Errorf("the planted session still answers %d", w.Code)
	}
	unknown := visit1(t, h)
	unknown.cookies[sessionCookie] = "made up"
	unknown.get("/signin/plain", 200)
	unknown.post("/signin/plain", url.Values{}, 303)
	if got := unknown.cookies[sessionCookie]; got == "made up" {
		t.Error("a session of the browser's own making was taken")
	}
}

func TestCookies(t *testing.T) {
	for base, want := range map[string]string{"https://events.example/": account.HostPrefix, "http://localhost:8080/": "", "": ""} {
		tn := newTown()
		tn.options = func(o *Options) { o.Base = base }
		v := visit1(t, tn.handler())
		v.get("/signin/plain", 200)
		v.post("/signin/plain", url.Values{}, 303)
		found := false
		for _, c := range v.last.Result().Cookies() {
			if c.Name == want+sessionCookie {
				found = true
			}
			if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode || c.Path != "/" || c.Domain != "" || c.Secure != (want != "") {
				t.Errorf("base %q: cookie %v", base, c)
			}
		}
		if !found {
			t.Errorf("base %q: no cookie %s", base, want+sessionCookie)
		}
	}
}

func TestClips(t *testing.T) {
	tn := newTown()
	v := ada(t, tn.handler())
	doc := v.get("/clips", 200)
	for selector, want := range map[string]string{
		".reader": "Signed in as ada@home.example", ".lists": "Crawling web crawling -workshop one mail a day, words of the same meaning too. 29 finds",
		".stars": "ICX 2027", "#found + .count": "30 items, 1 to 25 shown, newest first",
		".find:first-child": "New call just now 22nd International Conference on Information Crawling Trondheim, Norway",
		"#i-i1":             "was Fri 5 Feb 2027 What changed", "#i-i2": "Closes soon",
		".find:first-child .passage": "We invite papers on web crawling and on what crawlers find there.", ".find:first-child .why": `Because of "web crawling" in the text`,
		".find:first-child .next": "Submission Fri 12 Feb 2027, 23:59 AoE = Sat 13 Feb 12:59 Oslo, in 34 days",
	} {
		wantText(t, doc, selector, want)
	}
	if n := v.last.Body.Len(); n > maxBytes {
		t.Errorf("the page has %d bytes", n)
	}
	if strings.Contains(doc.Text(), "Bob") {
		t.Error("somebody else's list is shown")
	}
	if got := doc.Find("nav.pages a[rel=next]").AttrOr("href", ""); got != "/clips?page=2" {
		t.Errorf("next = %q", got)
	}
	wantText(t, v.get("/clips?page=2", 200), ".count", "30 items, 26 to 30 shown")
	wantText(t, v.get("/clips?list=l1", 200), "h1", "Crawling")
	v.get("/clips?list=b1", 404)
	v.get("/clips?page=0", 400)
	v.get("/clips/b1", 404)

	v.get("/clips", 200)
	v.post("/v/vote-i3", url.Values{"useful": {"no"}, "next": {"/clips?list=l1&page=2"}}, 303)
	v.wantTarget("/clips?done=voted&list=l1&page=2#i-i3")
	v.get("/clips", 200)
	v.post("/clips/l2/snooze", url.Values{"days": {"0"}}, 303)
	v.get("/clips", 200)
	v.post("/clips/b1/remove", url.Values{}, 404)
	v.get("/clips", 200)
	v.post("/clips/b1", url.Values{"q": {"mine"}, "press": {"save"}}, 404)
	v.get("/clips", 200)
	v.post("/clips/l2/remove", url.Values{}, 303)
	wantDid(t, tn.subscribers, "vote i3 -1", `save list l2: "digital library"`, "remove list l2 of ada")
}

func TestEditList(t *testing.T) {
	tn := newTown()
	tn.options = func(o *Options) {
		o.Formats = []eventseer.Format{{Name: "atom", Ending: ".atom", Describe: "atom, for feed readers"}}
	}
	v := ada(t, tn.handler())
	doc := v.get("/clips/l1", 200)
	if got := doc.Find("#q").AttrOr("value", ""); got != "web crawling -workshop" {
		t.Errorf("query = %q", got)
	}
	wantText(t, doc, ".feeds", "Atom, for feed readersJSON, for programs")
	if got := doc.Find(".feeds a").First().AttrOr("href", ""); got != "/feed/feed-l1.atom" {
		t.Errorf("feed = %q", got)
	}
	doc = v.post("/clips/l1", url.Values{"q": {"web"}, "press": {"words"}, "all": {"deep OR"}, "phrase": {`dark "web`}, "any": {"tor i2p"}, "none": {"shop -x"}}, 200)
	if got, want := doc.Find("#q").AttrOr("value", ""), `web deep "OR" "dark web" tor OR i2p -shop -"-x"`; got != want {
		t.Errorf("query = %s, want %s", got, want)
	}
	wantText(t, v.post("/clips/l1", url.Values{"q": {`"web`}, "press": {"save"}}, 422), ".problems", "is not closed")
	wantDid(t, tn.subscribers)
	v.post("/clips/l1", url.Values{"q": {"deep web"}, "press": {"save"}, "rhythm": {"quiet"}, "without": {"a", "a", " b\n"}}, 303)
	v.wantTarget("/clips/l1?done=saved")
	wantDid(t, tn.subscribers, "save list l1: deep web")
	if l := tn.subscribers.lists[0]; l.Name != "deep web" || l.Rhythm != eventseer.Quiet || !slices.Equal(l.Without, []string{"a", "b"}) || l.Created.IsZero() || l.Synonyms {
		t.Errorf("list = %+v", l)
	}
	v.get("/clips/l1?done=saved", 200)
	v.post("/clips/l1/snooze", url.Values{"days": {"30"}}, 303)
	if got := tn.subscribers.lists[0].Snoozed; !got.Equal(now.AddDate(0, 0, 30)) {
		t.Errorf("silent until %v", got)
	}
	v.get("/clips/l1", 200)
	v.post("/clips/l1/snooze", url.Values{"days": {"-5"}}, 400)
}

func TestStars(t *testing.T) {
	tn := newTown()
	v := ada(t, tn.handler())
	wantText(t, v.get("/e/icx-2027/star", 200), "h1", "You follow ICX 2027")
	wantText(t, v.doc, "main", "and 14 and 3 days before it closes")
	v.post("/e/icx-2027/star", url.Values{"press": {"unfollow"}, "next": {"https://evil.example/"}}, 303)
	v.wantTarget("/clips?done=unstarred")
	v.get("/e/w5/star", 200)
	v.post("/e/w5/star", url.Values{"press": {"follow"}, "next": {"/e/w5"}}, 303)
	v.wantTarget("/e/w5")
	if got := tn.subscribers.accounts["ada"].Stars; !slices.Equal(got, []eventseer.EventID{"gone", "w5"}) {
		t.Errorf("stars = %v", got)
	}
	v.get("/clips", 200)
	v.post("/e/nowhere/star", url.Values{"press": {"follow"}}, 404)
	v.get("/clips", 200)
	v.post("/e/gone/star", url.Values{"press": {"unfollow"}}, 303)
	a := tn.subscribers.accounts["ada"]
	a.Stars = make([]eventseer.EventID, eventseer.MaxStars)
	tn.subscribers.accounts["ada"] = a
	v.get("/e/w6/star", 200)
	v.post("/e/w6/star", url.Values{"press": {"follow"}}, 400)
	if w := visit1(t, v.handler).do(http.MethodGet, "/e/w5/star", nil); w.Header().Get("Location") != "/signin?next=%2Fe%2Fw5%2Fstar" {
		t.Errorf("signed out: %d to %q", w.Code, w.Header().Get("Location"))
	}
}

func TestAccount(t *testing.T) {
	tn := newTown()
	v := ada(t, tn.handler())
	doc := v.get("/account", 200)
	if doc.Find("#day-14[checked]").Length() != 1 || doc.Find("#day-7[checked]").Length() != 0 || doc.Find("#zone").AttrOr("value", "") != "Europe/Oslo" {
		t.Error("the form is not filled with what is set")
	}
	v.post("/account", url.Values{"zone": {"America/New_York"}, "reminder": {"1", "30", "2"}, "pause": {"30"}}, 303)
	a := tn.subscribers.accounts["ada"]
	if a.Zone != "America/New_York" || !slices.Equal(a.Reminders, []int{30, 1}) || !a.Paused.Equal(now.AddDate(0, 0, 30)) || len(a.Stars) != 2 {
		t.Errorf("account = %+v", a)
	}
	doc = v.get("/account?done=saved", 200)
	wantText(t, doc, ".said", "Saved.")
	wantText(t, doc, "#pause-hint", "They pause until 9 Feb 2027")
	v.post("/account", url.Values{"zone": {""}, "pause": {""}}, 303)
	if a := tn.subscribers.accounts["ada"]; a.Paused.IsZero() || a.Zone != "" {
		t.Errorf("account = %+v", a)
	}
	for _, zone := range []string{"Nowhere/City", "../../etc/passwd", "Local", strings.Repeat("z", 10000)} {
		v.get("/account", 200)
		wantText(t, v.post("/account", url.Values{"zone": {zone}, "pause": {"1"}}, 422), ".problems", "is not a time zone")
	}

	w := v.do(http.MethodGet, "/account/export", nil)
	var out account.AccountExport
	if err := json.Unmarshal(w.Body.Bytes(), &out); err != nil || out.Account.Address != "ada@home.example" || len(out.Lists) != 2 || len(out.Lists[0].Items) != 29 || len(out.Starred) != 1 {
		t.Errorf("export: %v\n%s", err, views.Clip(w.Body.String(), 500))
	}
	if strings.Contains(w.Body.String(), "bob") || w.Header().Get("Cache-Control") != "no-store" {
		t.Error("the export holds another's data, or is kept")
	}
	if w := visit1(t, v.handler).do(http.MethodGet, "/account/export", nil); w.Code != 303 {
		t.Errorf("signed out, the export = %d", w.Code)
	}

	v.get("/account/forget", 200)
	tn.subscribers.did = nil
	wantText(t, v.post("/account/forget", url.Values{}, 422), ".problems", "Tick the box")
	wantText(t, v.post("/account/forget", url.Values{"sure": {"yes"}}, 200), "h1", "You are forgotten")
	wantDid(t, tn.subscribers, "forget ada")
	if v.cookies[sessionCookie] != "" {
		t.Error("the session goes on")
	}
}
