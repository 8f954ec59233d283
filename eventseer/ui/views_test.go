package ui

import (
	"bufio"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/ui/internal/web"
	"github.com/eventseer/eventseer/eventseer/ui/views"

	"github.com/PuerkitoBio/goquery"
)

func TestCalendar(t *testing.T) {
	o, _ := realWorld(t, 60)
	h := newUI(o)
	doc := page(t, h, "/calendar?month=2027-02", 200)
	wantText(t, doc, "h1", "Calendar, February 2027")
	wantText(t, doc, ".month thead", "Wednesday")
	if n := doc.Find(".month tbody tr").Length(); n != 4 { // it begins on a Monday
		t.Errorf("%d weeks", n)
	}
	cell := doc.Find(".month time[datetime='2027-02-12']").Closest("td")
	if got := cell.Find("li.deadline a[href='/e/icx-2027']").Parent().Text(); got != "ICX 2027 Submission" {
		t.Errorf("12 February = %q", cell.Text())
	}
	if href := doc.Find("nav a[rel=next]").AttrOr("href", ""); href != "/calendar?month=2027-03" {
		t.Errorf("next = %q", href)
	}
	doc = page(t, h, "/calendar?month=2027-06&q=title:crawling", 200)
	wantText(t, doc, ".month time[datetime='2027-06-01'] + *, .month td:has(time[datetime='2027-06-01'])", "ICX 2027 begins, to 4 Jun")
	wantText(t, doc, ".count", "0 deadlines")
	if href := doc.Find("nav a[rel=prev]").AttrOr("href", ""); href != "/calendar?month=2027-05&q=title%3Acrawling" {
		t.Errorf("prev = %q", href)
	}
	doc = page(t, h, "/calendar?day=2027-02-12", 200)
	wantText(t, doc, "h1", "Friday 12 February 2027")
	wantText(t, doc, ".daylist", "ICX 2027")
	if doc.Find(".month").Length() != 0 || doc.Find("a[href='/calendar?month=2027-02']").Length() == 0 {
		t.Error("a day alone has the month, or does not lead back to it")
	}
	if n := get(t, h, "/calendar?month=2027-03", 200).Body.Len(); n > maxBytes {
		t.Errorf("%d bytes", n)
	}
	wantText(t, page(t, h, "/calendar", 200), ".today [aria-current=date]", "Sunday 10 January")
	for _, path := range []string{"/calendar?month=2027-13", "/calendar?month=x", "/calendar?month=1234-01", "/calendar?month=9999-12", "/calendar?day=2027-02-30", "/calendar?day=1"} {
		page(t, h, path, 400)
	}
	wantText(t, page(t, h, `/calendar?q=web+"x`, 400), "#problem[role=alert]", "not closed")
}

func TestTimeline(t *testing.T) {
	o, _ := realWorld(t, 150)
	h := newUI(o)
	doc := page(t, h, "/timeline?q=title:crawling", 200)
	wantText(t, doc, ".lead", "January 2027 to December 2027")
	row := doc.Find("tbody tr").FilterFunction(func(_ int, s *goquery.Selection) bool { return strings.Contains(s.Text(), "ICX 2027") })
	if got := strings.Join(strings.Fields(row.Text()), " "); got != "ICX 2027 Fri 15 Jan 2027, Abstract, Vision, round 2Thu 1 Apr 20271–4 June 2027" {
		t.Errorf("row = %q", got)
	}
	if n := doc.Find("svg.timeline circle.due").Length(); n < 2 {
		t.Errorf("%d deadlines are drawn", n)
	}
	doc = page(t, h, "/timeline", 200)
	if n := doc.Find("tbody tr").Length(); n != views.TimelineRows {
		t.Errorf("%d rows", n)
	}
	if href := doc.Find("a[rel=next][href*=page]").AttrOr("href", ""); href != "/timeline?page=2" {
		t.Errorf("next = %q", href)
	}
	if n := get(t, h, "/timeline", 200).Body.Len(); n > maxBytes {
		t.Errorf("%d bytes", n)
	}
	page(t, h, "/timeline?from=2028-01&page=1", 200)
	page(t, h, "/timeline?from=x", 400)
	page(t, h, "/timeline?page=0", 400)
}

func TestTimelineScale(t *testing.T) {
	from := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	s := views.TimelineScale{From: from, End: from.AddDate(1, 0, 0)}
	if x, ok := s.PositionText(from); x != "150.0" || !ok {
		t.Errorf("begin = %s", x)
	}
	if x, ok := s.PositionText(s.End.AddDate(1, 0, 0)); x != "952.0" || ok {
		t.Errorf("far = %s, %t", x, ok)
	}
	if s.SpanBetween(from.AddDate(-1, 0, 0), from.AddDate(0, 0, -1)) != nil || s.SpanBetween(from.AddDate(0, 1, 0), from) != nil {
		t.Error("a stretch outside, or backwards, is drawn")
	}
	if got := s.SpanBetween(from.AddDate(-1, 0, 0), from.AddDate(3, 0, 0)); got == nil || *got != (views.Span{X: "150.0", Width: "802.0"}) {
		t.Errorf("all = %+v", got)
	}
}

func TestMap(t *testing.T) {
	o, _ := realWorld(t, 150)
	h := newUI(o)
	doc := page(t, h, "/map?all=1", 200)
	found, err := o.Index.Find(t.Context(), eventseer.Query{Text: "country:NO", Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	norway := doc.Find("table.countries tr").FilterFunction(func(_ int, s *goquery.Selection) bool { return s.Find("a").Text() == "Norway" })
	if got := norway.Find("td").Text(); got != itoa(found.Total) || found.Total == 0 {
		t.Errorf("Norway has %s calls, the index finds %d", got, found.Total)
	}
	if href := norway.Find("a").AttrOr("href", ""); href != "/search?all=1&q=country%3ANO" {
		t.Errorf("Norway leads to %q", href)
	}
	if a, b := doc.Find("circle.amount").Length(), doc.Find("table.countries tbody tr").Length(); a != b || b < 25 {
		t.Errorf("%d circles of %d countries", a, b)
	}
	if n := get(t, h, "/map?all=1", 200).Body.Len(); n > maxBytes {
		t.Errorf("%d bytes", n)
	}
	wantText(t, page(t, h, "/map?q=title:nothinglikethis", 200), ".count", "No calls found")
	page(t, h, "/map?q=%22", 400)
}

// TestPlaces compares the table with known facts about the world.
func TestPlaces(t *testing.T) {
	if len(views.CountryPlaces) < 200 {
		t.Errorf("%d countries", len(views.CountryPlaces))
	}
	for i, c := range views.CountryPlaces {
		if c.Lat < -60 || c.Lat > 80 || c.Lon < -180 || c.Lon > 180 || i > 0 && c.Code <= views.CountryPlaces[i-1].Code {
			t.Errorf("%+v", c)
		}
	}
	for code, want := range map[string][2]float64{"NO": {60, 10}, "BR": {-10, -50}, "JP": {36, 138}, "NZ": {-41, 174}, "US": {40, -98}} {
		i := views.PlaceOf(eventseer.FacetValue{Term: "country:" + code})
		if c := views.CountryPlaces[i]; c.Code != code || c.Lat < want[0]-5 || c.Lat > want[0]+5 || c.Lon < want[1]-5 || c.Lon > want[1]+5 {
			t.Errorf("%s is at %+v", code, c)
		}
	}
	for _, term := range []string{"", "country:", "country:ZZ", `country:"Nowhere"`, "country:N"} {
		if views.PlaceOf(eventseer.FacetValue{Term: term}) >= 0 {
			t.Errorf("%q is somewhere", term)
		}
	}
}

// TestHostileViews shows an attack in every field in every view.
func TestHostileViews(t *testing.T) {
	e := hostileEvent()
	e.Deadlines = append([]eventseer.Deadline{{Kind: eventseer.Submission, Track: script, Date: "2027-02-03", TZ: script}}, e.Deadlines...)
	e.EventStart, e.EventEnd = "2027-02-05", "9999-12-31"
	w := &world{events: []eventseer.Event{e}, facets: []eventseer.Facet{
		{Name: "country", Values: []eventseer.FacetValue{{Value: script, Term: "country:" + script, Count: 1 << 40}, {Value: "x", Term: "country:NO", Count: -1}}, Other: 9},
		{Name: "where", Values: []eventseer.FacetValue{{Value: "Online", Term: script, Count: 3}}},
	}}
	h := w.handler()
	for _, path := range []string{"/calendar?month=2027-02", "/calendar?day=2027-02-03", "/timeline", "/map", "/calendar?q=" + "%22%3E%3Cscript%3Ealert(1)%3C/script%3E"} {
		doc := page(t, h, path, 200)
		if doc.Find("main img, main b").Length() != 0 {
			t.Errorf("GET %s: markup of a page became ours", path)
		}
		if n := get(t, h, path, 200).Body.Len(); n > 2*maxBytes {
			t.Errorf("GET %s: %d bytes", path, n)
		}
	}
	wantText(t, page(t, h, "/calendar?month=2027-02", 200), ".month", "alert(1)")
}

func FuzzParseMonth(f *testing.F) {
	for _, text := range []string{"2027-03", "", "2027-13", "1990-01", "2100-12", "99999-01", "２０２７-03"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m, err := web.ParseMonth(text, now)
		if err != nil {
			return
		}
		if m.Day() != 1 || m.Year() < views.FirstShown || m.Year() > views.LastShown || text != "" && m.Format("2006-01") != text {
			t.Errorf("parseMonth(%q) = %s", text, m)
		}
		if again, err := web.ParseMonth(m.Format("2006-01"), now); err != nil || !again.Equal(m) {
			t.Errorf("again: %s, %v", again, err)
		}
	})
}

// FuzzRequests sends any path and query through all routes: an answer is never one of
// the server's own mistakes, and never without its headers.
func FuzzRequests(f *testing.F) {
	for _, seed := range []string{
		"/calendar?month=2027-02", "/calendar?day=2027-02-30", "/timeline?from=2027-01&page=3", "/map?all=1", "/search.ics?style=allday&alarm=7d", "/search.atom?limit=3",
		"/closing.rss?days=3", "/e/icx-2027.ics", "/s/icx.csv", "/sitemap.xml", "/sitemap/1.xml", "/sitemap/-1.xml", "/data/../x", "/api/v1/events.json?from=9&limit=3&facets=1",
		"/api/v1/changes.json?after=3", "/api/v1/suggest.json?q=i", "/suggest?q=%ff", "/api/v1/series/icx.json", "/opensearch.xml", "/search.ics?as=todo&tz=x",
	} {
		f.Add(seed)
	}
	o, _ := realWorld(f, 5)
	h := patient(newUI(o))
	f.Fuzz(func(t *testing.T, target string) {
		if _, err := http.ReadRequest(bufio.NewReader(strings.NewReader("GET " + target + " HTTP/1.1\r\nHost: x.example\r\n\r\n"))); err != nil || !strings.HasPrefix(target, "/") || strings.ContainsAny(target, " \r\n") {
			return // no server accepts it
		}
		w := ask(t, h, target)
		if w.Code >= 500 || w.Header().Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("GET %s = %d %v\n%.300s", target, w.Code, w.Header(), w.Body)
		}
	})
}
