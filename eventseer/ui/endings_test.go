package ui

import (
	"encoding/csv"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/exchange"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

// TestEndings requests every list in every format with a real store and index.
func TestEndings(t *testing.T) {
	o, _ := realWorld(t, 60)
	h := patient(newUI(o))
	for _, f := range o.Formats {
		for _, list := range []string{"/search", "/search?q=data+OR+systems", "/search?all=1&limit=20&from=5", "/new", "/changes", "/closing?days=30", "/e/icx-2027", "/s/icx"} {
			path, query, _ := strings.Cut(list, "?")
			target := path + f.Ending + "?" + query
			w := ask(t, h, target)
			if w.Code != 200 || w.Body.Len() == 0 {
				t.Errorf("GET %s = %d, %d bytes: %.200s", target, w.Code, w.Body.Len(), w.Body)
				continue
			}
			if f.Ending != ".json" && w.Header().Get("Content-Type") != f.ContentType {
				t.Errorf("GET %s: %s", target, w.Header().Get("Content-Type"))
			}
			if w.Header().Get("Access-Control-Allow-Origin") != "*" || w.Header().Get("Content-Security-Policy") != web.Policy {
				t.Errorf("GET %s: %v", target, w.Header())
			}
			if tag := w.Header().Get("ETag"); tag == "" || ask(t, h, target, "If-None-Match", tag).Code != http.StatusNotModified {
				t.Errorf("GET %s: the tag %q is not known again", target, tag)
			}
			wellFormed(t, target, f.ContentType, w.Body.String())
		}
	}
}

func wellFormed(t *testing.T, name, contentType, body string) {
	t.Helper()
	switch views.MediaType(contentType) {
	case "application/atom+xml", "application/rss+xml", "text/x-opml":
		for d := xml.NewDecoder(strings.NewReader(body)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				return
			} else if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
		}
	case "application/json", "application/feed+json", "application/ld+json":
		if !json.Valid([]byte(body)) {
			t.Errorf("%s is no JSON", name)
		}
	case "text/csv":
		if _, err := csv.NewReader(strings.NewReader(body)).ReadAll(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	case "text/calendar":
		for line := range strings.SplitSeq(strings.TrimSuffix(body, "\r\n"), "\r\n") {
			if strings.ContainsAny(line, "\r\n") || line == "" {
				t.Errorf("%s: line %q", name, views.Clip(line, 100))
			}
		}
		if !strings.HasPrefix(body, "BEGIN:VCALENDAR\r\n") || !strings.HasSuffix(body, "END:VCALENDAR\r\n") {
			t.Errorf("%s is no calendar", name)
		}
	}
}

// keepFormat is a format that stores its input.
func keepFormat(into *eventseer.Publication, name string) eventseer.Format {
	return eventseer.Format{Name: name, Ending: "." + name, ContentType: "text/x-" + name, Describe: "of a test",
		Write: func(w io.Writer, p eventseer.Publication, options url.Values) error {
			*into = p
			if options.Get("what") != "" {
				return &eventseer.InputError{Field: "what", Msg: "it is not to be"}
			}
			_, err := w.Write([]byte("written"))
			return err
		}}
}

func TestPublication(t *testing.T) {
	var p eventseer.Publication
	w := fullWorld()
	w.history = append(w.history, eventseer.Change{Seq: 2, Event: "icx-27", At: now.AddDate(0, 0, -1), Page: "https://x.example/", New: true})
	h := patient(newUI(Options{Store: w, Index: w, Recent: recentWorld{w}, Now: func() time.Time { return now }, Base: "https://cfp.example.org", Formats: []eventseer.Format{keepFormat(&p, "ics"), keepFormat(&p, "atom")}}))
	got := ask(t, h, "/search.ics?q=web&limit=3")
	if got.Body.String() != "written" || got.Header().Get("Content-Disposition") != `inline; filename="eventseer-search.ics"` || got.Header().Get("Last-Modified") == "" {
		t.Errorf("answer = %v %s", got.Header(), got.Body)
	}
	if p.Title != "web" || p.Self != "https://cfp.example.org/search.ics?q=web&limit=3" || p.Home != "https://cfp.example.org/search?limit=3&q=web" || p.Base != "https://cfp.example.org/" || p.Now != now || p.Refresh != refreshEvery {
		t.Errorf("publication = %+v", p)
	}
	if p.Updated != now.Add(-3*time.Hour) {
		t.Errorf("updated = %s", p.Updated)
	}
	if len(p.Entries) < 2 || p.Entries[0].Gone || p.Entries[0].Event.ID != "icx-2027" || len(p.Entries[0].Changes) != 2 {
		t.Fatalf("entries = %+v", p.Entries[0])
	}
	if len(p.Entries[0].Event.Committee) > 0 || len(p.Entries[0].Changes[1].Fields) != 1 {
		t.Error("people are in it")
	}
	if e := p.Entries[1]; !e.Gone || e.Event.ID != "icx-27" || len(e.Changes) != 1 || len(e.Event.Deadlines) == 0 {
		t.Errorf("the tombstone is %+v", e)
	}
	if ask(t, h, "/search.atom?limit=100").Header().Get("Content-Disposition") != "" || len(p.Entries) > maxFeedEntries {
		t.Errorf("a feed of %d entries", len(p.Entries))
	}
	w.clips = []eventseer.Clip{{Event: "icx-2027", Summary: "Papers about the crawling of the web are welcome."}}
	w.places = []eventseer.WordPosition{{Field: "title", Offset: [2]int{0, 4}}, {Field: "clip", Offset: [2]int{17, 25}}, {Field: "clip", Part: 7, Offset: [2]int{90, 10}}}
	ask(t, h, "/search.atom?q=crawling")
	if got := p.Entries[0].Passage; got != w.clips[0].Summary {
		t.Errorf("passage = %q", got)
	}
	ask(t, h, "/new.atom")
	if len(p.Entries) == 0 || p.Entries[0].Change == nil || !p.Entries[0].Change.New || p.Title != "New calls for papers" {
		t.Errorf("new = %+v", p)
	}
	ask(t, h, "/closing.atom?days=6")
	for _, e := range p.Entries {
		if d, ok := eventseer.NextDeadline(e.Event, now); !e.Gone && (!ok || d.Moment().After(now.AddDate(0, 0, 6))) {
			t.Errorf("%s does not close within 6 days", e.Event.ID)
		}
	}
	if p.Title != "Calls closing within 6 days" {
		t.Errorf("title = %s", p.Title)
	}
}

func TestEndingsRefuse(t *testing.T) {
	var p eventseer.Publication
	w := fullWorld()
	h := patient(newUI(Options{Store: w, Index: w, Now: func() time.Time { return now }, Formats: []eventseer.Format{keepFormat(&p, "ics")}}))
	for path, want := range map[string]string{
		"/search.ics?what=1": "it is not to be", "/search.ics?limit=1001": "limit must be a number from 1 to 1000", "/search.ics?from=-1": "from must be a number",
		"/closing.ics?days=91": "days must be a number from 1 to 90", "/closing.ics?days=x": "days must be a number",
	} {
		if got := ask(t, h, path); got.Code != 400 || !strings.Contains(got.Body.String(), want) || got.Header().Get("Content-Type") != "text/plain; charset=utf-8" {
			t.Errorf("GET %s = %d %s", path, got.Code, got.Body)
		}
	}
	for _, path := range []string{"/e/none.ics", "/s/none.ics", "/e/none.json", "/new.ics", "/changes.json", "/search.xyz", "/about.ics", "/e/icx-2027/history.ics", "/e/ICX.ics", "/e/.ics"} {
		if got := ask(t, h, path); got.Code != 404 {
			t.Errorf("GET %s = %d", path, got.Code)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/search.ics", nil)
	got := httptest.NewRecorder()
	h.ServeHTTP(got, r)
	if got.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST = %d", got.Code)
	}
	w.err = queryError{}
	if got := ask(t, h, "/search.ics?q=web+%22"); got.Code != 400 || !strings.Contains(got.Body.String(), "not closed") {
		t.Errorf("a bad query = %d %s", got.Code, got.Body)
	}
}

// TestExportBounds stops a file that grows without end.
func TestExportBounds(t *testing.T) {
	w := fullWorld()
	endless := eventseer.Format{Name: "x", Ending: ".x", ContentType: "text/plain", Write: func(w io.Writer, _ eventseer.Publication, _ url.Values) error {
		for {
			if _, err := w.Write(make([]byte, 1<<20)); err != nil {
				return err
			}
		}
	}}
	h := newUI(Options{Store: w, Index: w, Now: func() time.Time { return now }, Formats: []eventseer.Format{endless}})
	if got := ask(t, h, "/search.x"); got.Code != 400 || !strings.Contains(got.Body.String(), "request fewer") {
		t.Errorf("%d %s", got.Code, got.Body)
	}
}

// TestHostileExports sends an attack in every field through all formats.
func TestHostileExports(t *testing.T) {
	e := hostileEvent()
	e.Title += "\r\nATTENDEE:mailto:x@example.org\r\n=cmd|' /C calc'!A0"
	e.Acronym = "\u202e=HYPERLINK(\"x\")\r\nX:1"
	w := &world{events: []eventseer.Event{e}}
	for range 20 {
		w.history = append(w.history, eventseer.Change{Seq: 3, Event: "bad", At: now, Page: "javascript:alert(1)", New: true, Fields: []eventseer.FieldChange{{Field: script, Old: script + "\r\nX:1", New: script}}})
	}
	h := patient(newUI(Options{Store: w, Index: w, Recent: recentWorld{w}, Now: func() time.Time { return now }, Formats: exchange.Formats()}))
	for _, f := range exchange.Formats() {
		for _, list := range []string{"/search", "/e/bad", "/new", "/changes", "/closing"} {
			target := list + f.Ending
			got := ask(t, h, target)
			if got.Code != 200 {
				t.Errorf("GET %s = %d %.200s", target, got.Code, got.Body)
				continue
			}
			body := got.Body.String()
			wellFormed(t, target, f.ContentType, body)
			if (isFeed(f) && f.Name != "jsonfeed" || f.Name == "jsonld" || f.Name == "opml") && strings.Contains(body, "<script") {
				t.Errorf("GET %s: markup of a page is in it", target)
			}
			if strings.Contains(body, "\nATTENDEE") || strings.Contains(body, "\nX:1") && f.Name != "csv" {
				t.Errorf("GET %s: a line of a page became ours", target)
			}
			if len(got.Body.String()) > maxExport {
				t.Errorf("GET %s: %d bytes", target, len(body))
			}
		}
	}
}
