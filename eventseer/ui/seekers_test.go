package ui

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/eventseer/field"
	"github.com/eventseer/eventseer/eventseer/ui/views"

	"github.com/PuerkitoBio/goquery"
)

// seriesShelf is a SeriesStore of one series whose editions it knows.
type seriesShelf struct {
	eventseer.SeriesStore
	series   eventseer.Series
	editions []eventseer.Event
}

func (s seriesShelf) Series(_ context.Context, id string) (eventseer.Series, error) {
	if id != s.series.ID {
		return eventseer.Series{}, eventseer.ErrNotFound
	}
	return s.series, nil
}

func (s seriesShelf) AllSeries(context.Context) iter.Seq2[eventseer.Series, error] {
	return func(yield func(eventseer.Series, error) bool) { yield(s.series, nil) }
}

func (s seriesShelf) Editions(_ context.Context, id string) ([]eventseer.Event, error) {
	if id != s.series.ID {
		return nil, nil
	}
	return s.editions, nil
}

// recentWorld is a Recent over the history of a world.
type recentWorld struct{ *world }

func (w recentWorld) list(before uint64, limit int, keep func(eventseer.Change) bool) (found []eventseer.Change, err error) {
	for _, c := range slices.Backward(w.history) {
		if keep(c) && (before == 0 || c.Seq < before) && len(found) < limit {
			found = append(found, c)
		}
	}
	return found, w.err
}

func (w recentWorld) Recent(_ context.Context, before uint64, limit int) ([]eventseer.Change, error) {
	return w.list(before, limit, func(eventseer.Change) bool { return true })
}

func (w recentWorld) RecentNew(_ context.Context, before uint64, limit int) ([]eventseer.Change, error) {
	return w.list(before, limit, func(c eventseer.Change) bool { return c.New })
}

func (w recentWorld) RecentMoved(_ context.Context, before uint64, limit int) ([]eventseer.Change, error) {
	return w.list(before, limit, func(c eventseer.Change) bool {
		return slices.Contains(views.KindsOf(c), eventseer.DeadlineExtended)
	})
}

// edition is fullEvent in another year, with its dates moved along.
func edition(years int) eventseer.Event {
	e := fullEvent()
	e.ID, e.Year = eventseer.EventID(fmt.Sprintf("icx-%d", 2027+years)), 2027+years
	move := func(d eventseer.Date) eventseer.Date {
		t, ok := d.Time()
		if !ok {
			return d
		}
		return eventseer.Date(t.AddDate(years, 0, -years).Format(time.DateOnly))
	}
	e.EventStart, e.EventEnd, e.Parent = move(e.EventStart), move(e.EventEnd), ""
	for i, d := range e.Deadlines {
		d.Date, d.ExtendedFrom = move(d.Date), move(d.ExtendedFrom)
		if !d.Instant.IsZero() {
			d.Instant = d.Instant.AddDate(years, 0, -years)
		}
		e.Deadlines[i] = d
	}
	return e
}

func icxShelf() seriesShelf {
	s := seriesShelf{series: eventseer.Series{
		ID: "icx", Name: "International Conference on Information Crawling", Acronym: "ICX", Homepage: "https://icx.example.org/",
		DBLP: "conf/icx", Wikidata: "Q1",
		Ranks: []eventseer.Rank{
			{System: "core", Value: "A*", Year: 2026, Source: "https://ranks.example.org/core.csv"}, {System: "core", Value: "A", Year: 2021},
			{System: "thcpl", Value: "B", Source: "/home/op/ranks.csv"},
		},
	}}
	for year := 2012; year < 2027; year++ {
		s.series.Rates = append(s.series.Rates, eventseer.Rate{Year: year, Accepted: 100 + year%7, Submitted: 400 + 100*(year%5), Source: "https://rates.example.org/icx"})
	}
	for n := range 5 {
		s.editions = append(s.editions, edition(-n))
	}
	return s
}

func facetNames() []string {
	return []string{"field", "topic", "kind", "country", "where", "rank", "month", "due"}
}

func fullFacets() []eventseer.Facet {
	var facets []eventseer.Facet
	for _, name := range facetNames() {
		f := eventseer.Facet{Name: name, Other: 3}
		for n := range 12 {
			value, term := fmt.Sprintf("Value %d of %s", n, name), fmt.Sprintf("topic:v%d", n)
			switch name {
			case "country":
				codes := []string{"NO", "GR", "DE", "FR", "IT", "ES", "US", "CA", "JP", "KR", "SE", "FI"}
				value, term = codes[n], "country:"+codes[n]
			case "due":
				value, term = fmt.Sprintf("within %d days", 7*(n+1)), fmt.Sprintf("due<%dd", 7*(n+1))
			case "field":
				value, term = field.All()[n].Name, "field:"+field.All()[n].ID
			case "kind":
				value, term = "Workshop", "kind:workshop"
			}
			f.Values = append(f.Values, eventseer.FacetValue{Value: value, Term: term, Count: 1200 - 100*n})
		}
		facets = append(facets, f)
	}
	return facets
}

func writeNothing(io.Writer, eventseer.Publication, url.Values) error { return nil }

// fullOptions are those of an instance that has all parts for seekers.
func (w *world) fullOptions() Options {
	return Options{
		Store: w, Index: w, Series: icxShelf(), Recent: recentWorld{w}, Versions: fullArchive(), Now: func() time.Time { return now }, Version: "1.2",
		Contact: "ops@example.org", Pause: 5 * time.Second, Crawled: func() time.Time { return now.Add(-3 * time.Hour) },
		Formats: []eventseer.Format{
			{Name: "ics", Ending: ".ics", ContentType: "text/calendar; charset=utf-8", Describe: "iCalendar, for calendar programs", Write: writeNothing},
			{Name: "atom", Ending: ".atom", ContentType: "application/atom+xml", Describe: "Atom, for feed readers", Write: writeNothing},
			{Name: "rss", Ending: ".rss", ContentType: "application/rss+xml", Describe: "RSS, for feed readers", Write: writeNothing},
			{Name: "csv", Ending: ".csv", ContentType: "text/csv", Describe: "CSV, a table", Write: writeNothing},
		},
		JSONLD: func(e eventseer.Event, _ []eventseer.Change, url string) ([]byte, bool) {
			return fmt.Appendf(nil, `{"@type":"Event","url":%q}`, url), e.Location != nil
		},
	}
}

func richWorld() *world {
	w := fullWorld()
	w.facets, w.instead = fullFacets(), "crawling"
	w.clips = []eventseer.Clip{
		{ID: "c", Title: "ICX 2027", URL: "https://icx.example.org/cfp", Summary: "We invite papers on focused crawling and on link analysis; write to chair@icx.example.org.", Seen: now.AddDate(0, 0, -2)},
		{ID: "d", Title: "News", URL: "https://news.example.org/", Summary: "The call for papers on focused crawling is open.", Seen: now.AddDate(0, 0, -1)},
	}
	w.places = []eventseer.WordPosition{
		{Field: "title", Offset: [2]int{45, 53}}, {Field: "topic", Part: 0, Offset: [2]int{8, 16}}, {Field: "clip", Part: 1, Offset: [2]int{31, 39}},
		{Field: "clip", Part: 1, Offset: [2]int{400, 409}}, {Field: "title", Offset: [2]int{-4, 2}},
	}
	return w
}

func TestFacets(t *testing.T) {
	w := richWorld()
	h := newUI(w.fullOptions())
	doc := page(t, h, "/search?q=web+country:NO+-kind:workshop", 200)
	wantText(t, doc, ".chosen", "Take away: NO ✕Take away: not Workshop ✕")
	for selector, want := range map[string]string{
		".filters li.on a": "/search?q=web+-kind%3Aworkshop+-country%3ANO", ".chosen a": "/search?q=web+-kind%3Aworkshop",
		".filters section:contains('Country') li:nth-child(2) a:first-child": "/search?q=web+country%3ANO+OR+country%3AGR+-kind%3Aworkshop",
		".filters section:contains('Next deadline') li:first-child a":        "/search?q=web+country%3ANO+due%3C7d+-kind%3Aworkshop",
		".instead a": "/search?q=crawling",
	} {
		if got := doc.Find(selector).First().AttrOr("href", ""); got != want {
			t.Errorf("%s leads to %q, want %q", selector, got, want)
		}
	}
	if n := doc.Find(".filters section:contains('Country') > ul li").Length(); n != views.MaxFacetRows {
		t.Errorf("%d countries at once, want %d", n, views.MaxFacetRows)
	}
	more := doc.Find(".filters section:contains('Field') > details.more")
	wantText(t, doc, ".filters section:contains('Field') > details.more > summary", "More of Field")
	if n := more.Find("li").Length(); n != 12-views.MaxFacetRows {
		t.Errorf("%d more fields, want %d", n, 12-views.MaxFacetRows)
	}
	if _, open := more.Attr("open"); open {
		t.Error("the further fields are open from the start")
	}
	if !w.query.Facets || !w.query.Passages {
		t.Errorf("query = %+v", w.query)
	}
}

// The fields of research of a call are in its row, and on its page with links to all calls of the field.
func TestFields(t *testing.T) {
	w := richWorld()
	for i := range w.events {
		w.events[i].Fields = []string{"ml", "<script>", "software"}
	}
	h := newUI(w.fullOptions())
	if got := page(t, h, "/", 200).Find("li.call .meta").First().Text(); !strings.Contains(got, "Machine learning, Software") || strings.Contains(got, "script") {
		t.Errorf("a row says %q", got)
	}
	doc := page(t, h, "/e/"+string(w.events[0].ID), 200)
	wantText(t, doc, ".facts div:contains('Fields') dd", "Machine learning, Software")
	if got := doc.Find(".facts div:contains('Fields') a").Last().AttrOr("href", ""); got != "/search?q=field%3Asoftware" {
		t.Errorf("a field leads to %q", got)
	}
}

func TestMarks(t *testing.T) {
	w := richWorld()
	doc := page(t, newUI(w.fullOptions()), "/search?q=crawling", 200)
	first := doc.Find("li.call").First()
	for selector, want := range map[string]string{
		"h2 mark": "Crawling", ".ranks": "CORE A*",
	} {
		if got := strings.Join(strings.Fields(first.Find(selector).Text()), " "); !strings.Contains(got, want) {
			t.Errorf("%s = %q, want %q in it", selector, got, want)
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/search?q=crawling", nil)
	r.AddCookie(&http.Cookie{Name: rowsCookie, Value: "full"}) // topics are in long rows
	rec := httptest.NewRecorder()
	newUI(w.fullOptions()).ServeHTTP(rec, r)
	long, err := goquery.NewDocumentFromReader(rec.Body)
	if err != nil {
		t.Fatal(err)
	}
	for selector, want := range map[string]string{
		".topics mark": "crawling", ".passage": "The call for papers on focused crawling is open.", ".passage mark": "crawling",
	} {
		wantText(t, long, "li.call "+selector, want)
	}
	if first.Find(".passage").Length() != 0 {
		t.Error("in a short row the passage repeats the title")
	}
	if doc.Find("li.call .topics").Length() != 0 {
		t.Error("short rows have topics")
	}
	w.places = []eventseer.WordPosition{{Field: "clip", Part: 0, Offset: [2]int{27, 35}}}
	doc = page(t, newUI(w.fullOptions()), "/search?q=crawling", 200)
	if text := doc.Find(".passage").Text(); strings.Contains(text, "@icx") || !strings.Contains(text, "focused crawling") {
		t.Errorf("passage = %q", text)
	}
}

func TestMarked(t *testing.T) {
	show := func(pieces []views.Piece) string {
		var b strings.Builder
		for _, p := range pieces {
			if p.Mark {
				b.WriteString("[" + p.Text + "]")
			} else {
				b.WriteString(p.Text)
			}
		}
		return b.String()
	}
	for _, tt := range []struct {
		text   string
		ranges [][2]int
		want   string
	}{
		{"web crawling", [][2]int{{4, 12}, {0, 3}}, "[web] [crawling]"}, {"web", [][2]int{{0, 3}, {1, 2}}, "[web]"},
		{"äö", [][2]int{{1, 2}}, "äö"}, {"äö", [][2]int{{0, 2}}, "[ä]ö"}, {"web", [][2]int{{2, 9}, {3, 2}, {-1, 2}}, "web"}, {"", [][2]int{{0, 0}}, ""},
	} {
		if got := show(views.MarkedPieces(tt.text, tt.ranges)); got != tt.want {
			t.Errorf("marked(%q, %v) = %q, want %q", tt.text, tt.ranges, got, tt.want)
		}
	}
	long := strings.Repeat("über ", 100) + "crawling" + strings.Repeat(" straße", 100)
	at := strings.Index(long, "crawling")
	got := show(views.MarkedPieces(views.CutAround(long, [][2]int{{at, at + 8}})))
	if !strings.HasPrefix(got, "… über") || !strings.HasSuffix(got, " …") || !strings.Contains(got, " [crawling] straße") || len(got) > 300 {
		t.Errorf("passage = %q", got)
	}
}

func FuzzMarked(f *testing.F) {
	f.Add("über crawling", 6, 14, 0, 3)
	f.Fuzz(func(t *testing.T, text string, a, b, c, d int) {
		for _, pieces := range [][]views.Piece{views.MarkedPieces(text, [][2]int{{a, b}, {c, d}}), views.MarkedPieces(views.CutAround(text, [][2]int{{a, b}, {c, d}}))} {
			var all strings.Builder
			for _, p := range pieces {
				all.WriteString(p.Text)
			}
			if got := strings.TrimSuffix(strings.TrimPrefix(all.String(), "… "), " …"); !strings.Contains(text, got) {
				t.Errorf("%q became %q", text, got)
			}
		}
	})
}

func TestSubscribeMenu(t *testing.T) {
	w := richWorld()
	o := w.fullOptions()
	doc := page(t, newUI(o), "/search?q=web", 200)
	var hrefs []string
	doc.Find(".subscribe a").Each(func(_ int, a *goquery.Selection) { hrefs = append(hrefs, a.AttrOr("href", "")) })
	want := "webcal://example.com/search.ics?q=web /calendar/add?q=web /search.ics?q=web /search.atom?q=web /search.rss?q=web /search.csv?q=web /api/v1/events.json?q=web"
	if got := strings.Join(hrefs, " "); got != want {
		t.Errorf("menu = %s", got)
	}
	for selector, want := range map[string]string{
		"link[rel=alternate][type='application/atom+xml']": "/search.atom?q=web", "link[rel=canonical]": "http://example.com/search?q=web",
	} {
		if got := doc.Find(selector).AttrOr("href", ""); got != want {
			t.Errorf("%s = %q, want %q", selector, got, want)
		}
	}
	if doc.Find("meta[name=robots][content=noindex]").Length() != 1 {
		t.Error("searches are offered to search engines")
	}
	home := page(t, newUI(o), "/", 200)
	wantText(t, home, ".count", "71 open calls, 1 to 30 shown, next deadline first Checked 3 hours ago.")
	if home.Find("meta[name=robots]").Length() != 0 || home.Find("meta[name=description][content]").Length() != 1 {
		t.Error("the home page hides from search engines, or says nothing to them")
	}
}

func TestSeriesPage(t *testing.T) {
	h := newUI(richWorld().fullOptions())
	doc := page(t, h, "/s/icx", 200)
	for selector, want := range map[string]string{
		"h1": "ICX International Conference on Information Crawling", ".ranks": "CORE A*TH-CPL B", "table[aria-labelledby=editions]": "ICX 2026",
		"table[aria-labelledby=ranks]": "TH-CPLBnot saidranks.csv", "table[aria-label='Acceptance rates']": "2013", "svg text.scale": "2026",
	} {
		wantText(t, doc, selector, want)
	}
	if html, _ := doc.Html(); strings.Contains(html, "/home/op") || len(html) > maxBytes {
		t.Errorf("a path of the operator is shown, or %d bytes are too many", len(html))
	}
	if n := doc.Find("svg rect.bar").Length(); n != 15 {
		t.Errorf("%d bars", n)
	}
	page(t, h, "/s/none", 404)
	o := richWorld().fullOptions()
	o.Series = nil
	page(t, newUI(o), "/s/icx", 404)
}

func TestRecentPages(t *testing.T) {
	w := richWorld()
	for n := range 40 {
		w.history = append(w.history, eventseer.Change{Seq: uint64(5 + n), Event: "icx-2027", At: now.Add(-time.Hour), Page: "https://icx.example.org/cfp", New: true})
	}
	h := newUI(w.fullOptions())
	doc := page(t, h, "/new", 200)
	if n := doc.Find("ol.news > li").Length(); n != recentPerPage {
		t.Errorf("%d changes", n)
	}
	if got := doc.Find("nav.pages a[rel=next]").AttrOr("href", ""); got != "/new?before=15" {
		t.Errorf("the next page is %q", got)
	}
	doc = page(t, h, "/new?before=15", 200)
	if n := doc.Find("ol.news > li").Length(); n != 11 || doc.Find("nav.pages a[rel=next]").Length() != 0 {
		t.Errorf("%d changes on the last page", n)
	}
	doc = page(t, h, "/changes?of=deadlines", 200)
	wantText(t, doc, "ol.news", "Submission was 2027-02-05 now 2027-02-12 AoE")
	if html, _ := doc.Html(); strings.Contains(html, "Secret Person") {
		t.Error("a person is named")
	}
	page(t, h, "/changes", 200)
	for _, path := range []string{"/new?before=x", "/changes?before=0", "/changes?of=people"} {
		page(t, h, path, 400)
	}
	page(t, w.handler(), "/new", 404) // without Options.Recent
}

// TestListsReadNoHistory counts the readings of lists.
func TestListsReadNoHistory(t *testing.T) {
	w := &historyCounter{world: richWorld()}
	o := w.fullOptions()
	o.Store = w
	h := newUI(o)
	for _, path := range []string{"/", "/search?q=web", "/new", "/changes"} {
		page(t, h, path, 200)
	}
	if w.read != 0 {
		t.Errorf("%d histories were read for lists", w.read)
	}
}

type historyCounter struct {
	*world
	read int
}

func (w *historyCounter) History(ctx context.Context, id eventseer.EventID) ([]eventseer.Change, error) {
	w.read++
	return w.world.History(ctx, id)
}

func TestZone(t *testing.T) {
	h := newUI(richWorld().fullOptions())
	send := func(values url.Values) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/zone", strings.NewReader(values.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		h.ServeHTTP(w, r)
		return w
	}
	for _, tt := range []struct {
		values       url.Values
		status       int
		cookie, back string
	}{
		{url.Values{"zone": {"Europe/Oslo"}, "back": {"/e/icx-2027?x=1"}}, 303, "tz=Europe/Oslo", "/e/icx-2027?x=1"},
		{url.Values{"zone": {"UTC"}, "other": {"Pacific/Chatham"}}, 303, "tz=Pacific/Chatham", "/"},
		{url.Values{"zone": {"UTC"}}, 303, "tz=UTC; Path=/; Max-Age=31536000", "/"}, {url.Values{"zone": {"browser"}}, 303, "tz=; Path=/; Max-Age=0", "/"},
		{url.Values{"zone": {"Europe/Oslo"}, "back": {"//evil.example/"}}, 303, "tz=", "/"},
		{url.Values{"zone": {"Europe/Oslo"}, "back": {"/\\evil.example/"}}, 303, "tz=", "/"},
		{url.Values{"zone": {"Europe/Oslo"}, "back": {"https://evil.example/"}}, 303, "tz=", "/"},
		{url.Values{"zone": {"<script>"}}, 400, "", ""}, {url.Values{"zone": {"Local"}}, 400, "", ""}, {url.Values{"zone": {"../../etc/passwd"}}, 400, "", ""},
	} {
		w := send(tt.values)
		if w.Code != tt.status || !strings.HasPrefix(w.Header().Get("Set-Cookie"), tt.cookie) || w.Header().Get("Location") != tt.back {
			t.Errorf("%v: %d, cookie %q, to %q", tt.values, w.Code, w.Header().Get("Set-Cookie"), w.Header().Get("Location"))
		}
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/zone", strings.NewReader("zone=UTC"))
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != http.StatusForbidden {
		t.Errorf("a form of another site gets %d", w.Code)
	}
	r = httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/e/icx-2027", nil)
	r.AddCookie(&http.Cookie{Name: "tz", Value: "America/New_York"})
	w = httptest.NewRecorder()
	h.ServeHTTP(w, r)
	for _, want := range []string{"Your time", "Fri 15 Jan 2027, 17:59", "New York", "= Fri 15 Jan 17:59 New York"} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if !strings.Contains(w.Header().Get("Vary"), "Cookie") {
		t.Errorf("Vary = %q", w.Header().Get("Vary"))
	}
}

func TestEventAround(t *testing.T) {
	w := richWorld()
	parent := edition(0)
	workshop := fullEvent()
	workshop.ID, workshop.Acronym, workshop.Title, workshop.Parent = "wcr-2027", "WCR", "Workshop on Crawler Rights", "ICX 2027"
	workshop.ParentID = "icx-2027" // as the store fills in
	other := workshop
	other.ID, other.Parent, other.ParentID = "wco-2027", "ICX 2026", ""
	w.events = append([]eventseer.Event{parent, workshop, other}, w.events[1:]...)
	h := newUI(w.fullOptions())
	doc := page(t, h, "/e/icx-2027", 200)
	for selector, want := range map[string]string{
		".pairs": "Held with itWCR 2027 Other editionsICX 2026, ICX 2025, ICX 2024, ICX 2023 RanksCORE A* (2026, from ranks.example.org), TH-CPL B (from ranks.csv)",
		".clip":  "We invite papers", ".card .actions": "Add to calendar", ".facts": "All editions of ICX", "table.dates": "2027-02-05, until 10 Jan 2027",
	} {
		wantText(t, doc, selector, want)
	}
	if got := doc.Find("script[type='application/ld+json']").Text(); got != `{"@type":"Event","url":"http://example.com/e/icx-2027"}` {
		t.Errorf("data for search engines = %q", got)
	}
	if html, _ := doc.Html(); strings.Contains(html, "chair@icx") || strings.Contains(html, "Secret Person") || len(html) > maxBytes {
		t.Errorf("a person is shown or %d bytes are too many", len(html))
	}
	if got := page(t, h, "/e/wcr-2027", 200).Find(".facts a:contains('ICX 2027')").AttrOr("href", ""); got != "/e/icx-2027" {
		t.Errorf("the workshop leads to %q", got)
	}
	o := w.fullOptions()
	o.People = true
	doc = page(t, newUI(o), "/e/icx-2027", 200)
	wantText(t, doc, ".people", "Secret Person, program chair")
	if doc.Find("meta[name=robots][content=noindex]").Length() != 1 || doc.Find("main script").Length() != 0 {
		t.Error("a page with people is offered to search engines")
	}
}

// TestSize wants each page with its style sheets under 50 kB.
func TestSize(t *testing.T) {
	h := newUI(richWorld().fullOptions())
	for _, path := range []string{"/", "/search?q=crawling", "/e/icx-2027", "/s/icx", "/new", "/changes", "/e/icx-2027/history?view=side", "/about", "/privacy", "/bot"} {
		doc := page(t, h, path, 200)
		size := get(t, h, path, 200).Body.Len()
		doc.Find("link[rel=stylesheet]").Each(func(_ int, l *goquery.Selection) {
			size += get(t, h, l.AttrOr("href", ""), 200).Body.Len()
		})
		t.Logf("%s: %d bytes", path, size)
		if size > maxBytes {
			t.Errorf("%s has %d bytes with its style, want at most %d", path, size, maxBytes)
		}
	}
}

// TestHomeCompressed wants the home page with its style sheet, script and icon in 15 kB.
func TestHomeCompressed(t *testing.T) {
	h := newUI(richWorld().fullOptions())
	size := func(path string) int {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write(get(t, h, path, 200).Body.Bytes())
		_ = z.Close()
		t.Logf("%s: %d bytes", path, b.Len())
		return b.Len()
	}
	sum := size("/")
	page(t, h, "/", 200).Find("link[rel=stylesheet], link[rel=icon], script[src]").Each(func(_ int, l *goquery.Selection) {
		sum += size(l.AttrOr("href", l.AttrOr("src", "")))
	})
	if t.Logf("%d bytes in all", sum); sum > 15_000 {
		t.Errorf("the home page takes %d bytes with everything, want at most 15000", sum)
	}
}

func TestKeptList(t *testing.T) {
	w := richWorld()
	h := newUI(w.fullOptions())
	if got := page(t, h, "/e/icx-2027", 200).Find(".tools a:contains('list')").AttrOr("href", ""); got != "/search?all=1&q=id%3Aicx-2027" {
		t.Errorf("the page leads to %q", got)
	}
	for _, add := range []string{"w3", "https://calls.example.org/e/w3", "/e/w3/history?view=side", "/e/w3.ics"} {
		doc := page(t, h, "/search?"+url.Values{"all": {"1"}, "q": {"id:icx-2027"}, "add": {add}}.Encode(), 200)
		if want := "id:icx-2027 OR id:w3"; w.query.Text != want {
			t.Errorf("with %s: %q, want %q", add, w.query.Text, want)
		}
		wantText(t, doc, "h1", "Your list of calls")
		wantText(t, doc, ".chosen", "Take away: id:w3")
		if got := doc.Find("input[name=q]").AttrOr("value", ""); got != "id:icx-2027 OR id:w3" {
			t.Errorf("the form keeps %q", got)
		}
	}
	page(t, h, "/search?q=id:a&add=%22%3E%3Cscript%3E", 200)
	if w.query.Text != "id:a" {
		t.Errorf("query = %q", w.query.Text)
	}
}
