package ui

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

func TestDigest(t *testing.T) {
	tn := newTown()
	v := visit1(t, tn.handler())
	doc := v.get("/d/d1", 200)
	wantText(t, doc, "h1", `3 new calls, 1 deadline moved: "web crawling"`)
	wantText(t, doc, "main", "The web was last visited 10 Jan 2027 07:00 UTC.")
	wantText(t, doc, "section:nth-of-type(1) h2", "Calls you follow")
	wantText(t, doc, "section:nth-of-type(2)", "12 more matched.")
	if doc.Find("a[href^='/clips?list']").Length() != 0 {
		t.Error("a stranger is led to the reader's list")
	}
	v.post("/v/vote-i0", url.Values{"useful": {"yes"}, "next": {"/d/d1"}}, 303)
	v.wantTarget("/d/d1?done=voted#i-i0")
	wantText(t, v.get("/d/d1?done=voted", 200), ".said", "Thank you")
	wantText(t, ada(t, v.handler).get("/d/d1", 200), "main", "All finds of this list")
	tn.subscribers.digests["long"] = eventseer.Digest{Sections: []eventseer.Section{{List: tn.subscribers.lists[0], Items: tn.subscribers.items[:10]}, {List: tn.subscribers.lists[1], Items: tn.subscribers.items, More: 3}}}
	doc = v.get("/d/long", 200)
	if n, older := doc.Find(".find").Length(), doc.Find("nav.pages a").AttrOr("href", ""); n != digestPerPage || older != "/d/long?page=2" || strings.Contains(doc.Text(), "3 more") {
		t.Errorf("%d finds, older %q", n, older)
	}
	doc = v.get("/d/long?page=2", 200)
	if n := doc.Find(".find").Length(); n != 15 || doc.Find("section h2").Text() != "Libraries" {
		t.Errorf("%d finds on the second page of %q", n, doc.Find("section h2").Text())
	}
	wantText(t, doc, "main", "3 more matched.")
	tn.subscribers.digests["d0"] = eventseer.Digest{Subject: "Nothing"}
	wantText(t, v.get("/d/d0", 200), "main", "There was nothing in this mail.")
}

func TestVote(t *testing.T) {
	tn := newTown()
	v := visit1(t, tn.handler())
	doc := v.get("/v/vote-i0?useful=0", 200)
	if doc.Find("button.quiet[value=yes]").Length() != 1 || doc.Find("button.quiet[value=no]").Length() != 0 {
		t.Error("what the link in the mail says is not the first button")
	}
	doc = v.post("/v/vote-i0", url.Values{"useful": {"no"}}, 200)
	wantText(t, doc, "main", "You said that 22nd International Conference on Information Crawling was not useful.")
	v.post("/v/vote-i0", url.Values{"useful": {"yes"}}, 200)
	wantDid(t, tn.subscribers, "vote i0 -1", "vote i0 1")
}

func TestSecretFeed(t *testing.T) {
	tn := newTown()
	var published eventseer.Publication
	tn.options = func(o *Options) {
		o.Base = "https://events.example/"
		o.Formats = []eventseer.Format{{Name: "atom", Ending: ".atom", ContentType: "application/atom+xml", Write: func(w io.Writer, p eventseer.Publication, options url.Values) error {
			published = p
			_, err := fmt.Fprint(w, "a feed of ", len(p.Entries), options)
			return err
		}}}
	}
	v := visit1(t, tn.handler())
	w := v.do(http.MethodGet, "/feed/feed-l1.atom?alarm=7d", nil)
	if w.Code != 200 || w.Body.String() != "a feed of 1 map[alarm:[7d]]" {
		t.Fatalf("%d: %s", w.Code, w.Body)
	}
	for name, want := range map[string]string{
		"Content-Type": "application/atom+xml", "X-Robots-Tag": "noindex", "Referrer-Policy": "no-referrer", "Cache-Control": "private, max-age=300", "Last-Modified": "Sun, 10 Jan 2027 09:00:00 GMT",
	} {
		if got := w.Header().Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	e := published.Entries[0]
	if published.Title != "Crawling" || published.Self != "https://events.example/feed/feed-l1.atom" || e.Event.ID != "icx-2027" || !strings.Contains(e.Passage, "web crawling") || e.Event.Committee != nil || len(e.Changes) == 0 {
		t.Errorf("published %+v", published)
	}
	v.change = func(r *http.Request) { r.Header.Set("If-Modified-Since", "Sun, 10 Jan 2027 09:00:00 GMT") }
	if w := v.do(http.MethodGet, "/feed/feed-l1.atom", nil); w.Code != 304 {
		t.Errorf("unchanged, it is %d", w.Code)
	}
	v.change = func(r *http.Request) { r.Header.Set("If-None-Match", w.Header().Get("ETag")) }
	if w := v.do(http.MethodGet, "/feed/feed-l1.atom?alarm=7d", nil); w.Code != 304 {
		t.Errorf("with its tag, it is %d", w.Code)
	}
	v.change = nil
	w = v.do(http.MethodGet, "/feed/feed-l1.json", nil)
	var feed struct {
		Name  string
		Items []eventseer.Item
	}
	if err := json.Unmarshal(w.Body.Bytes(), &feed); err != nil || feed.Name != "Crawling" || len(feed.Items) != 30 || feed.Items[1].Useful != 0 || strings.Contains(w.Body.String(), "ada") {
		t.Errorf("%v: %s", err, views.Clip(w.Body.String(), 300))
	}
}

// hostileSubscribers have an attack in everything that a page or a person wrote.
func hostileSubscribers() *subscribers {
	s := fullSubscribers()
	long := script + strings.Repeat("مؤتمر\u202E 🎓 ", 500)
	s.accounts["ada"] = eventseer.Account{ID: "ada", Address: long, User: long, Refused: long, Zone: long, Stars: []eventseer.EventID{"bad", eventseer.EventID(script)}, Paused: now.AddDate(900, 0, 0)}
	for i := range s.lists {
		s.lists[i].Name, s.lists[i].Query, s.lists[i].Rhythm, s.lists[i].Without = long, long, eventseer.Rhythm(script), []string{long, script}
	}
	for i := range s.items {
		s.items[i] = eventseer.Item{
			ID: script, Kind: eventseer.ItemKind(script), Event: eventseer.EventID(script), List: "l1", Title: long, Place: long, Passage: long,
			Marks: [][2]int{{-1, 5}, {3, 1}, {0, 99999}, {5, 9}, {7, 20}, {1 << 60, 1 << 61}}, Why: []string{long, script, long, long, long, long, long, long, long, long},
			Source: "javascript:alert(1)", Next: eventseer.Deadline{Kind: script, Track: script, Date: script, TZ: script, Text: long}, Old: eventseer.Deadline{Date: script},
		}
	}
	var all []eventseer.Item
	for range 50 {
		all = append(all, s.items...)
	}
	s.digests["d1"] = eventseer.Digest{Subject: long, At: time.Time{}, Sections: []eventseer.Section{{List: s.lists[0], Items: all, More: -5}, {Items: all}}}
	s.leaving["u1"] = eventseer.Unsubscription{List: s.lists[0], Address: long}
	s.leaving["u2"] = eventseer.Unsubscription{List: s.lists[0], Address: long, Left: true}
	s.links["begin"] = mailedList{long, s.lists[0]}
	var same []string
	for range 1000 {
		same = append(same, script, long)
	}
	s.preview = &eventseer.Preview{Since: now, Items: all, Total: 1 << 40, PerWeek: 1e300, Terms: []eventseer.PreviewTerm{{Term: long, Same: same}, {Term: script}}}
	return s
}

func TestHostileReaders(t *testing.T) {
	tn := newTown()
	tn.events = []eventseer.Event{hostileEvent()}
	tn.subscribers = hostileSubscribers()
	tn.reader.event = hostileEvent()
	for range 150 {
		tn.desk.notes = append(tn.desk.notes, eventseer.Note{ID: script, Kind: script, Event: script, URL: "javascript:alert(1)", Field: script, Text: strings.Repeat(script, 100)})
	}
	v := ada(t, tn.handler())
	for _, route := range getRoutes {
		path := strings.ReplaceAll(route.path, "/e/w1/", "/e/bad/")
		if strings.HasSuffix(route.pattern, "{file}") || strings.HasSuffix(route.pattern, "export") {
			continue
		}
		v.change = nil
		if route.operator {
			v.change = asOperator
		}
		if route.pattern == "/signin" {
			delete(v.cookies, sessionCookie)
		}
		v.get(path, 200)
		v.cookies[sessionCookie] = "s1"
	}
	v.change = nil
	v.get("/submit", 200)
	v.post("/submit", url.Values{"url": {"https://a.example/"}, "press": {"read"}}, 200)
	for _, path := range []string{"/subscribe", "/clips/l1"} {
		v.get(path, 200)
		v.post(path, url.Values{"q": {"web"}, "name": {script}, "press": {"preview"}, "without": {script, script + "2"}, "all": {script}}, 200)
	}
}

func TestFeedsTooOften(t *testing.T) {
	v := visit1(t, newTown().handler())
	for range web.RequestsAtOnce {
		if w := v.do(http.MethodGet, "/feed/feed-l1.json", nil); w.Code != 200 {
			t.Fatalf("a feed = %d", w.Code)
		}
	}
	if w := v.do(http.MethodGet, "/feed/feed-l1.json", nil); w.Code != 429 || w.Header().Get("Retry-After") == "" {
		t.Errorf("too often = %d", w.Code)
	}
}
