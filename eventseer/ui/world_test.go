package ui

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"

	"github.com/PuerkitoBio/goquery"
)

var now = time.Date(2027, 1, 10, 9, 0, 0, 0, time.UTC)

// world is a store and an index that find whatever they hold.
type world struct {
	eventseer.Store
	eventseer.Index
	events  []eventseer.Event
	history []eventseer.Change
	clips   []eventseer.Clip
	query   eventseer.Query // the last one
	facets  []eventseer.Facet
	instead string
	places  []eventseer.WordPosition // of each hit
	err     error
}

func (w *world) Event(_ context.Context, id eventseer.EventID) (eventseer.Event, error) {
	for _, e := range w.events {
		if e.ID == id {
			if e.URL == "corrupt" {
				return eventseer.Event{ID: id}, errors.New("corrupt record")
			}
			return e, nil
		}
	}
	return eventseer.Event{}, eventseer.ErrNotFound
}

func (w *world) History(context.Context, eventseer.EventID) ([]eventseer.Change, error) {
	return w.history, nil
}

func (w *world) Clips(context.Context, eventseer.EventID) ([]eventseer.Clip, error) {
	return w.clips, nil
}

func (w *world) Find(_ context.Context, q eventseer.Query) (eventseer.Found, error) {
	w.query = q
	found := eventseer.Found{Total: len(w.events), Instead: w.instead}
	if q.Facets {
		found.Facets = w.facets
	}
	for i := q.From; i < min(q.From+q.Limit, len(w.events)); i++ {
		hit := eventseer.Hit{ID: w.events[i].ID}
		if q.Passages {
			hit.Places = w.places
		}
		found.Hits = append(found.Hits, hit)
	}
	return found, w.err
}

type queryError struct{}

func (queryError) Error() string { return `the quote is not closed` }
func (queryError) QueryPos() int { return 4 }

func (w *world) handler() http.Handler {
	return newUI(Options{Store: w, Index: w, Now: func() time.Time { return now }, Version: "1.2", Contact: "ops@example.org", Pause: 5 * time.Second, MaxCrawlDelay: 5 * time.Minute})
}

func newUI(o Options) http.Handler {
	h, err := New(o)
	if err != nil {
		panic(err)
	}
	return h
}

func get(t *testing.T, h http.Handler, path string, status int) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
	if w.Code != status {
		t.Fatalf("GET %s = %d, want %d\n%s", path, w.Code, status, w.Body)
	}
	if got := w.Header().Get("Content-Security-Policy"); got != web.Policy {
		t.Errorf("GET %s: policy = %q", path, got)
	}
	return w
}

// page gets a page and checks what every page must keep.
func page(t *testing.T, h http.Handler, path string, status int) *goquery.Document {
	t.Helper()
	body := get(t, h, path, status).Body.String()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for selector, want := range map[string]int{
		"html[lang=en]": 1, "head title": 1, "h1": 1, "main#main": 1, "header.top nav[aria-label]": 1, "a.skip[href='#main']": 1,
		"script:not([type='application/ld+json'],[src$='/seek.js'])": 0, "script[src]:not([defer][src^='/static/']:empty)": 0, "style": 0, "[style]": 0, "[onclick],[onerror],[onload]": 0, "iframe,object,embed": 0,
		"img:not([alt])": 0, "a:not([href])": 0, "a[href='']": 0, "th:not([scope])": 0, "table:not(:has(thead th))": 0,
	} {
		if got := doc.Find(selector).Length(); got != want {
			t.Errorf("GET %s: %d × %s, want %d", path, got, selector, want)
		}
	}
	doc.Find("a[href]").Each(func(_ int, a *goquery.Selection) {
		href := a.AttrOr("href", "")
		switch {
		case strings.HasPrefix(href, "/"), strings.HasPrefix(href, "#"), strings.HasPrefix(href, "webcal://example.com/"):
		case strings.HasPrefix(href, "http://"), strings.HasPrefix(href, "https://"), strings.HasPrefix(href, "mailto:"):
			if a.AttrOr("rel", "") != "nofollow noopener" {
				t.Errorf("GET %s: rel of %s = %q", path, href, a.AttrOr("rel", ""))
			}
		default:
			t.Errorf("GET %s: link to %q", path, href)
		}
	})
	doc.Find("input:not([type=checkbox],[type=hidden])").Each(func(_ int, in *goquery.Selection) {
		if doc.Find("label[for="+in.AttrOr("id", "none")+"]").Length() != 1 {
			t.Errorf("GET %s: input %s has no label", path, in.AttrOr("name", ""))
		}
	})
	return doc
}

func wantText(t *testing.T, doc *goquery.Document, selector, want string) {
	t.Helper()
	if got := strings.Join(strings.Fields(doc.Find(selector).Text()), " "); !strings.Contains(got, want) {
		t.Errorf("%s = %q, want %q in it", selector, views.Clip(got, 300), want)
	}
}

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

func fullEvent() eventseer.Event {
	source := eventseer.Provenance{URL: "https://icx.example.org/cfp", Path: "html/body/p", Snippet: "Papers are due on February 12", Rule: "label before date", Confidence: .95, Inferred: "year from the title"}
	return eventseer.Event{
		ID: "icx-2027", URL: "https://icx.example.org/cfp", Title: "22nd International Conference on Information Crawling",
		Acronym: "ICX", Year: 2027, Kind: eventseer.Conference, EventStart: "2027-06-01", EventEnd: "2027-06-04",
		Location: &eventseer.Venue{City: "Trondheim", Country: "Norway", CountryCode: "NO", Online: true},
		Deadlines: []eventseer.Deadline{
			{Kind: eventseer.Submission, Date: "2027-02-12", Instant: at("2027-02-13T11:59:59Z"), TZ: "AoE", TZSource: eventseer.TZPage, ExtendedFrom: "2027-02-05", Firm: true, Text: "Paper submission: February 12, 2027 (extended)", Source: source},
			{Kind: eventseer.Abstract, Track: "Vision", Round: 2, Date: "2027-01-15", Instant: at("2027-01-15T22:59:00Z"), TZ: "Europe/Oslo", TZSource: eventseer.TZPrinted, Text: "Abstracts: 15 January", Source: source},
			{Kind: eventseer.Notification, Date: "2027-04-01", Text: "Notification 1 April", Source: source},
			{Kind: eventseer.Poster, Date: "2026-12-01", Instant: at("2026-12-01T23:59:00Z"), TZ: "UTC", Text: "Posters", Source: source},
		},
		Topics:    []string{"Focused crawling", `Query "languages"`, "Digital libraries", "Link analysis", "Web archives"},
		Committee: []eventseer.Person{{Name: "Secret Person", Role: "program_chair"}}, SubmissionURL: "https://submit.example.org/icx",
		Publisher: "Example Press", Confidence: .9, Warnings: []eventseer.Warning{{Rule: "order", Text: "the notification is late"}},
		Sources: map[string]eventseer.Provenance{"title": source, "location": source, "committee": {Snippet: "Secret Person, Chair"}},
		Parent:  "Days of Crawling 2027",
		Trail: []eventseer.Evidence{
			{Field: "location", Value: "Oslo, Norway", Source: eventseer.Provenance{URL: "https://old.example.org/cfp"}, Seen: now.AddDate(0, 0, -2)},
			{Field: "committee", Value: "Secret Person"},
		},
		Pages: []string{"https://icx.example.org/cfp", "mid:1@example.org"}, FirstSeen: now.AddDate(0, 0, -2), LastSeen: now.Add(-3 * time.Hour),
	}
}

func fullWorld() *world {
	w := &world{events: []eventseer.Event{fullEvent()}, history: []eventseer.Change{
		{Seq: 1, Event: "icx-2027", At: now.AddDate(0, 0, -2), Page: "https://icx.example.org/cfp", New: true},
		{Seq: 4, Event: "icx-2027", At: now.Add(-3 * time.Hour), Page: "mid:1@example.org", Fields: []eventseer.FieldChange{
			{Field: "deadlines.submission", Old: "2027-02-05", New: "2027-02-12 AoE"},
			{Field: "committee", New: "Secret Person"},
		}},
	}}
	for n := range 70 {
		e := fullEvent()
		e.ID, e.Acronym = eventseer.EventID(fmt.Sprintf("w%d", n)), fmt.Sprintf("W%d", n)
		w.events = append(w.events, e)
	}
	return w
}
