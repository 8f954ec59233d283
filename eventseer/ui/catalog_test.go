package ui

import (
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/api"
	"github.com/eventseer/eventseer/eventseer/ui/views"
)

func suggested(t *testing.T, h http.Handler, q string) (texts []string) {
	t.Helper()
	var answer api.SuggestAnswer
	if err := json.Unmarshal(ask(t, h, "/api/v1/suggest.json?q="+q).Body.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	for _, s := range answer.Suggestions {
		texts = append(texts, s.Text+" "+s.URL)
	}
	return texts
}

func TestSuggest(t *testing.T) {
	o, st := realWorld(t, 30)
	clock := now
	o.Now = func() time.Time { return clock }
	h := patient(newUI(o))
	for q, want := range map[string]string{
		"icx": "ICX 2027 /e/icx-2027", "IC": "ICX 2027 /e/icx-2027", "icx+20": "ICX 2027 /e/icx-2027", "22nd+inter": "ICX 2027 /e/icx-2027", "information+c": "ICX 2027 /e/icx-2027",
	} {
		if got := suggested(t, h, q); !slices.Contains(got, want) {
			t.Errorf("%s: %q", q, got)
		}
	}
	for _, q := range []string{"", "zzzz", "%00", strings.Repeat("x", 100), "%F0%9F%8E%93"} {
		if got := suggested(t, h, q); len(got) > 0 {
			t.Errorf("%q: %q", q, got)
		}
	}
	get(t, h, "/api/v1/suggest.json?q="+strings.Repeat("x", 101), 400)
	var browser []any
	w := ask(t, h, "/suggest?q=icx")
	if err := json.Unmarshal(w.Body.Bytes(), &browser); err != nil || len(browser) != 4 || browser[0] != "icx" || browser[1].([]any)[0] != "ICX 2027" || browser[3].([]any)[0] != "http://example.com/e/icx-2027" {
		t.Errorf("for browsers: %s, %v", w.Body, err)
	}
	e := eventseer.Event{URL: "https://neu.example/", Title: "Étude of Neatness", Acronym: "NÉAT", Year: 2028, FirstSeen: now}
	if _, err := st.Put(t.Context(), e, nil); err != nil {
		t.Fatal(err)
	}
	clock = clock.Add(time.Minute)
	for _, q := range []string{"neat", "etude", "n%C3%A9at"} {
		if got := suggested(t, h, q); !slices.Contains(got, "NÉAT 2028 /e/neat-2028") {
			t.Errorf("what came since is not found by %s: %q", q, got)
		}
	}
}

// outbox is a store of n events that each changed once, of which some became others.
type outbox struct {
	eventseer.Store
	n    int
	read int // events
}

func (o *outbox) Outbox(_ context.Context, after uint64) iter.Seq2[eventseer.Change, error] {
	return func(yield func(eventseer.Change, error) bool) {
		for seq := after + 1; seq <= uint64(o.n); seq++ {
			c := eventseer.Change{Seq: seq, Event: eventseer.EventID(fmt.Sprintf("e%d", seq)), At: now.Add(time.Duration(seq) * time.Second), New: true}
			var err error
			switch {
			case seq%10 == 0:
				c.New, c.Event, c.Into = false, eventseer.EventID(fmt.Sprintf("e%d", seq-1)), "e1"
			case seq%97 == 0:
				c, err = eventseer.Change{Seq: seq}, errors.New("corrupt")
			}
			if !yield(c, err) {
				return
			}
		}
	}
}

func (o *outbox) Event(_ context.Context, id eventseer.EventID) (eventseer.Event, error) {
	o.read++
	return eventseer.Event{ID: id, Title: "Meeting " + string(id)}, nil
}

// A warmed page reads nothing when it is requested.
func TestCatalogWarms(t *testing.T) {
	o := &outbox{n: 3000}
	c := views.NewCatalog(o)
	if err := c.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	read := o.read
	found, err := c.Suggest(t.Context(), "meeting e1", 5)
	if err != nil || len(found) != 5 || o.read != read || c.Seq != uint64(o.n) {
		t.Errorf("found %v, %v, of %d changes; %d events read, then %d", found, err, c.Seq, read, o.read)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := views.NewCatalog(o).Warm(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("warmed when all was over: %v", err)
	}
}

func TestCatalogReadsInParts(t *testing.T) {
	o := &outbox{n: views.CatalogChanges + 5000}
	c := views.NewCatalog(o)
	if _, err := c.Suggest(t.Context(), "meeting", 5); err != nil {
		t.Fatal(err)
	}
	if c.Seq != views.CatalogChanges || o.read != views.CatalogNames {
		t.Errorf("one request read %d changes and %d events", c.Seq, o.read)
	}
	for range o.n / views.CatalogNames {
		if _, err := c.Suggest(t.Context(), "meeting", 5); err != nil {
			t.Fatal(err)
		}
	}
	if c.Seq != uint64(o.n) || len(c.Unnamed) > 0 {
		t.Errorf("at %d, %d are unnamed", c.Seq, len(c.Unnamed))
	}
	for id, want := range map[string]bool{"meeting e18": true, "meeting e19": false, "meeting e24001": true} { // e19 became e1
		found, err := c.Suggest(t.Context(), id, 20)
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(found, func(s views.Suggestion) bool { return strings.EqualFold(s.Text, id) }); got != want {
			t.Errorf("%s: %v", id, found)
		}
	}
}

func TestSitemap(t *testing.T) {
	o := &outbox{n: 25_000}
	w := fullWorld()
	h := newUI(Options{Store: o, Index: w, Base: "https://cfp.example.org/", Now: func() time.Time { return now }})
	var index api.SitemapIndex
	if err := xml.Unmarshal(get(t, h, "/sitemap.xml", 200).Body.Bytes(), &index); err != nil {
		t.Fatal(err)
	}
	if len(index.Maps) != 4 || index.Maps[1].Loc != "https://cfp.example.org/sitemap/1.xml" || index.Maps[3].LastMod == "" {
		t.Fatalf("%+v", index.Maps)
	}
	seen := map[string]bool{}
	for _, part := range index.Maps[1:] {
		var urls api.SitemapURLs
		if err := xml.Unmarshal(get(t, h, strings.TrimPrefix(part.Loc, "https://cfp.example.org"), 200).Body.Bytes(), &urls); err != nil {
			t.Fatal(err)
		}
		if len(urls.URLs) > sitemapPart {
			t.Errorf("%s has %d", part.Loc, len(urls.URLs))
		}
		for _, u := range urls.URLs {
			if seen[u.Loc] || u.LastMod == "" || u.LastMod > part.LastMod {
				t.Errorf("%+v", u)
			}
			seen[u.Loc] = true
		}
	}
	if seen["https://cfp.example.org/e/e9"] || !seen["https://cfp.example.org/e/e8"] || o.read > 0 {
		t.Errorf("an event that became another is listed, or one that did not is not; %d events were read", o.read)
	}
	for _, path := range []string{"/sitemap/0.xml", "/sitemap/4.xml", "/sitemap/01.xml", "/sitemap/x.xml", "/sitemap/1", "/sitemap/99999999999999999999.xml"} {
		get(t, h, path, 404)
	}
	robots := get(t, h, "/robots.txt", 200).Body.String()
	for _, want := range []string{"Disallow: /admin\n", "Disallow: /clips\n", "Sitemap: https://cfp.example.org/sitemap.xml\n"} {
		if !strings.Contains(robots, want) {
			t.Errorf("robots.txt lacks %q", want)
		}
	}
}

func TestDiscovery(t *testing.T) {
	o, _ := realWorld(t, 10)
	h := patient(newUI(o))
	var pages api.SitemapURLs
	if err := xml.Unmarshal(get(t, h, "/sitemap/pages.xml", 200).Body.Bytes(), &pages); err != nil {
		t.Fatal(err)
	}
	for _, u := range pages.URLs {
		path := strings.TrimPrefix(u.Loc, "http://example.com")
		if got := ask(t, h, path).Code; got != 200 {
			t.Errorf("the sitemap leads to %s = %d", path, got)
		}
	}
	var d api.OpenSearch
	if err := xml.Unmarshal(get(t, h, "/opensearch.xml", 200).Body.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	if len(d.URLs) < 5 || d.ShortName != "EventSeer" || len(d.Description) > 1024 {
		t.Errorf("%+v", d)
	}
	for _, u := range append(d.URLs, api.OpenSearchURL{Template: d.Image.URL}) {
		path := strings.ReplaceAll(strings.TrimPrefix(u.Template, "http://example.com"), "{searchTerms}", "data")
		if got := ask(t, h, path).Code; got != 200 {
			t.Errorf("OpenSearch leads to %s = %d", path, got)
		}
	}
}

func TestReady(t *testing.T) {
	w := fullWorld()
	h := w.handler()
	if got := get(t, h, "/readyz", 200).Body.String(); got != "ready\n" {
		t.Errorf("readyz = %q", got)
	}
	w.err = errors.New("disk on fire at /secret")
	if got := get(t, h, "/readyz", 503); strings.Contains(got.Body.String(), "/secret") || got.Header().Get("Cache-Control") != "no-store" {
		t.Errorf("readyz = %s %v", got.Body, got.Header())
	}
	get(t, h, "/healthz", 200)
}

func TestAPIPaging(t *testing.T) {
	o, _ := realWorld(t, 25)
	h := patient(newUI(o))
	for start, total := range map[string]int{"/api/v1/events.json?all=1&limit=10": 26, "/api/v1/changes.json?limit=10": 26, "/api/v1/changes.json?limit=10&after=1": 25} {
		n, seen := 0, map[eventseer.EventID]bool{}
		for path := start; path != ""; n++ {
			w := ask(t, h, path)
			var answer struct {
				Events  []eventseer.Event
				Changes []eventseer.Change
			}
			if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || n > 5 {
				t.Fatalf("%s: %v", path, err)
			}
			for _, e := range answer.Events {
				seen[e.ID] = true
			}
			for _, c := range answer.Changes {
				seen[c.Event] = true
			}
			path = ""
			for _, l := range w.Header().Values("Link") {
				if u, ok := strings.CutSuffix(l, `>; rel="next"`); ok {
					path = strings.TrimPrefix(u, "<")
				}
			}
		}
		if len(seen) != total {
			t.Errorf("%s leads to %d, want %d", start, len(seen), total)
		}
	}
	for _, path := range []string{"/api/v1/changes.json?class=x", "/api/v1/changes.json?after=x", "/api/v1/changes.json?after=1&class=new", "/api/v1/changes.json?before=-1", "/api/v1/changes.json?limit=101"} {
		w := ask(t, h, path)
		var p api.APIProblem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil || w.Code != 400 || p.Status != 400 || p.Detail == "" || p.Type != "about:blank" {
			t.Errorf("GET %s = %d %s", path, w.Code, w.Body)
		}
	}
	if got := ask(t, h, "/api/v1/nothing"); got.Code != 404 || got.Header().Get("Content-Type") != "application/problem+json" {
		t.Errorf("GET /api/v1/nothing = %d %v", got.Code, got.Header())
	}
	var status api.StatusAnswer
	if err := json.Unmarshal(ask(t, h, "/api/v1/status.json").Body.Bytes(), &status); err != nil || status.Events != 26 || status.Open == 0 || status.Crawled != now.Add(-time.Hour) {
		t.Errorf("status = %+v, %v", status, err)
	}
}
