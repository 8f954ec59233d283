package ui

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/search"
	"github.com/eventseer/eventseer/internal/browsertest"
)

// largeWorld has events that few sites have. They are an edition of 40 calls, one with a title of
// 10 kB, one written from right to left, one in the year 9999. It returns the addresses of their pages.
func largeWorld(t *testing.T) (o Options, pages []string) {
	t.Helper()
	o, st := realWorld(t, 5)
	many, long, rtl, far := fullEvent(), fullEvent(), fullEvent(), fullEvent()
	many.URL, many.Title, many.Acronym, many.Deadlines = "https://many.example/", "Conference of Forty Calls", "MANY", nil
	for n := range 40 {
		track := fmt.Sprintf("Workshop %d on Harbours", n)
		many.Calls = append(many.Calls, eventseer.Call{Kind: eventseer.WorkshopCall, Track: track, Topics: []string{"Harbours", "Tides"}})
		many.Deadlines = append(many.Deadlines, eventseer.Deadline{Kind: eventseer.Submission, Track: track, Date: eventseer.Date(fmt.Sprintf("2027-%02d-%02d", 2+n%8, 1+n%28))})
	}
	long.URL, long.Title, long.Acronym = "https://long.example/", strings.Repeat("Verylongtitle", 800), strings.Repeat("A", 500)
	rtl.URL, rtl.Title, rtl.Acronym = "https://rtl.example/", "المؤتمر الدولي للموانئ", "\u202eموانئ"
	far.URL, far.Title, far.Acronym, far.Year, far.EventStart, far.EventEnd = "https://far.example/", "Conference at the End of Time", "FAR", 9999, "9999-12-30", "9999-12-31"
	far.Deadlines = []eventseer.Deadline{{Kind: eventseer.Submission, Date: "9999-12-31"}}
	for _, e := range []eventseer.Event{many, long, rtl, far} {
		e.Series = ""
		id, err := st.Put(t.Context(), e, nil)
		if err != nil {
			t.Fatal(err)
		}
		pages = append(pages, "/e/"+string(id))
	}
	if err := search.Sync(t.Context(), st, o.Index.(*search.Index)); err != nil {
		t.Fatal(err)
	}
	return o, pages
}

// badRequests are addresses and cookies that must not make a page fail, with the allowed statuses.
func badRequests() map[string]int {
	q := strings.Repeat("harbour ", 1250) // 10 kB
	ids := make([]string, 10_000)
	for n := range ids {
		ids[n] = fmt.Sprintf("call-%d", n)
	}
	pages := map[string]int{
		"/search?" + url.Values{"q": {q}}.Encode(): 400, "/search?" + url.Values{"q": {strings.Repeat("W", 10_000)}}.Encode(): 400,
		"/calendar?" + url.Values{"q": {q}}.Encode(): 400, "/timeline?" + url.Values{"q": {q}}.Encode(): 400, "/map?" + url.Values{"q": {q}}.Encode(): 400,
		"/starred?ids=" + strings.Join(ids, "."): 200, "/mine?in=" + strings.Repeat("ml.", 4000): 200, "/?in=" + strings.Repeat("ml.", 4000): 200, "/?in=%00%3Cscript%3E": 200,
		"/calendar?month=9999-12": 400, "/timeline?from=9999-12": 400, "/search?q=due:9999-12-31": 200, "/search?q=month:9999-12&all=1": 200, "/zone?zone=" + strings.Repeat("z", 9000): 200,
	}
	return pages
}

// Bad requests get a readable page of their status, bounded in size, and never an error 500.
func TestBadRequests(t *testing.T) {
	t.Parallel()
	o, events := largeWorld(t)
	h := patient(newUI(o))
	requests := badRequests()
	for _, path := range events {
		requests[path] = 200
	}
	for path, status := range requests {
		doc := page(t, h, path, status)
		if doc.Find("h1").Text() == "" || len(doc.Text()) > 8*maxBytes {
			t.Errorf("%.60s: heading %q, %d bytes of text", path, doc.Find("h1").Text(), len(doc.Text()))
		}
	}
	for _, zone := range []string{"Nowhere/City", "../../etc/passwd", "Local", strings.Repeat("z", 3000), "%3Cscript%3E", "~", "~~UTC", "\u202eUTC"} {
		for _, path := range append(events, "/", "/calendar", "/zone") {
			if w := ask(t, h, path, "Cookie", "tz="+zone+"; fields="+zone+"; rows="+zone); w.Code != 200 || strings.Contains(w.Body.String(), "<script>") {
				t.Errorf("%s in the zone %.30q: %d", path, zone, w.Code)
			}
		}
	}
	if w := ask(t, h, "/api/v1/events.json?"+url.Values{"q": {strings.Repeat("x", 10_000)}}.Encode()); w.Code != 400 {
		t.Errorf("the API answers a query of 10 kB with %d", w.Code)
	}
}

// TestBadRequestsInABrowser wants no page of them to be wider than a phone, with scripts and without.
func TestBadRequestsInABrowser(t *testing.T) {
	o, events := largeWorld(t)
	b := openBrowser(t, newUI(o))
	paths := append(slices.Sorted(maps.Keys(badRequests())), events...)
	for _, scripts := range []bool{true, false} {
		b.Scripts(scripts)
		b.See(browsertest.PhoneLight)
		for _, path := range paths {
			b.Go(path)
			if wide := browsertest.Evaluate[int](b, "document.documentElement.scrollWidth"); wide > 390 {
				t.Errorf("%.60s is %d px wide", path, wide)
			}
		}
	}
	for _, path := range events {
		b.Go(path)
		b.CheckAs(path, browsertest.PhoneLight)
	}
}

// Lists of the API continue beyond 9,000 records, page after page.
func TestRecordsBeyondNineThousand(t *testing.T) {
	t.Parallel()
	w := fullWorld()
	for n := range 9_120 {
		e := fullEvent()
		e.ID = eventseer.EventID(fmt.Sprintf("n-%d", n))
		w.events = append(w.events, e)
	}
	h := newUI(w.fullOptions())
	path, seen := "/api/v1/events.json?all=1&from=8950&limit=100&fields=id", map[string]bool{}
	for range 5 {
		rec := ask(t, h, path)
		var answer struct {
			Events []struct{ ID string }
		}
		if err := json.Unmarshal(rec.Body.Bytes(), &answer); err != nil || rec.Code != 200 {
			t.Fatalf("%s: %d, %v", path, rec.Code, err)
		}
		for _, e := range answer.Events {
			if seen[e.ID] {
				t.Errorf("%s has %s again", path, e.ID)
			}
			seen[e.ID] = true
		}
		next := ""
		for _, link := range strings.Split(strings.Join(rec.Header().Values("Link"), ","), ",") {
			if to, ok := strings.CutSuffix(strings.TrimSpace(link), `>; rel="next"`); ok {
				next = strings.TrimPrefix(to, "<")
			}
		}
		if next == "" {
			break
		}
		path = next[strings.Index(next, "/api/"):]
	}
	if want := len(w.events) - 8950; len(seen) != want {
		t.Errorf("%d records from the 8,951st on, want %d", len(seen), want)
	}
}
