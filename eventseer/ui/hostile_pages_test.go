package ui

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/browsertest"

	"github.com/chromedp/chromedp"
)

// hostileOptions are those of an instance that read an attack into every field of every
// part.
func hostileOptions() Options {
	e := hostileEvent()
	e.Related = []string{"javascript:alert(1)", "https://" + script, "https://ok.example/" + strings.Repeat("a", 900)}
	e.Committee = []eventseer.Person{{Name: script, Affiliation: script, Country: script, Role: script}}
	e.SubmissionSystem, e.FirstSeen = script, now.AddDate(0, 0, -1)
	rtl := fullEvent()
	rtl.ID, rtl.Title, rtl.Acronym = "rtl", "المؤتمر الدولي \u202E\u2066 🎓"+strings.Repeat("🎓", 200), "\u202eEVIL"
	rtl.Topics = []string{"مؤتمر", strings.Repeat("W", 10_000)}
	w := &world{events: []eventseer.Event{e, rtl}, instead: script}
	for n := range 60 {
		w.history = append(w.history, eventseer.Change{
			Seq: uint64(n + 1), Event: "bad", At: now.Add(-time.Hour), Page: "javascript:alert(1)", New: n%2 == 0, Kinds: []eventseer.ChangeKind{script},
			Fields: []eventseer.FieldChange{{Field: script, Old: script, New: strings.Repeat("[", 5000)}, {Field: "deadlines." + script, Old: script, New: "x"}},
		})
	}
	for range 10 {
		w.clips = append(w.clips, eventseer.Clip{ID: script, Title: script, URL: "javascript:alert(1)", Summary: script + strings.Repeat(" very long", 500), Seen: now})
	}
	for _, field := range []string{"title", "acronym", "topic", "clip", script} {
		for _, part := range []int{-1, 0, 9, 1 << 40} {
			w.places = append(w.places, eventseer.WordPosition{Field: field, Part: part, Offset: [2]int{part, part + 7}}, eventseer.WordPosition{Field: field, Part: part, Offset: [2]int{3, 9}})
		}
	}
	for _, name := range append(facetNames(), script) {
		f := eventseer.Facet{Name: name}
		for n := range 20 {
			f.Values = append(f.Values, eventseer.FacetValue{Value: script, Term: script, Count: n}, eventseer.FacetValue{Value: script, Term: fmt.Sprintf(`topic:"%d <b>"`, n), Count: n})
		}
		w.facets = append(w.facets, f)
	}
	o := w.fullOptions()
	shelf := seriesShelf{series: eventseer.Series{ID: "bad", Name: script, Acronym: script, Homepage: "javascript:alert(1)", DBLP: "../" + script, Wikidata: script}, editions: []eventseer.Event{e, rtl}}
	for n := range 60 {
		shelf.series.Ranks = append(shelf.series.Ranks, eventseer.Rank{System: script + fmt.Sprint(n%3), Value: script, Year: n, Source: "javascript:alert(1)"})
		shelf.series.Rates = append(shelf.series.Rates, eventseer.Rate{Year: n - 30, Rate: float64(n) - 3, Accepted: n, Submitted: n / 2, Source: script})
	}
	o.Series, o.People = shelf, true
	o.JSONLD = func(eventseer.Event, []eventseer.Change, string) ([]byte, bool) {
		return []byte(`{"name":"</script><script>alert(1)</script>"}`), true
	}
	return o
}

var hostilePages = []string{
	"/", "/search?q=%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E", "/search?q=topic:%22x%22+-kind:workshop&all=1", "/e/bad", "/e/rtl", "/e/bad/history", "/s/bad",
	"/new", "/changes", "/changes?of=deadlines", "/about", "/privacy", "/bot",
}

func TestHostilePages(t *testing.T) {
	h := newUI(hostileOptions())
	for _, path := range hostilePages {
		doc := page(t, h, path, 200)
		if doc.Find("main img, main b, main script").Length() != 0 {
			t.Errorf("GET %s: markup of a page became ours", path)
		}
		if n := get(t, h, path, 200).Body.Len(); n > 8*maxBytes {
			t.Errorf("GET %s: %d bytes", path, n)
		}
	}
	for _, path := range []string{"/s/%3Cscript%3E", "/e/%22%3E%3Cb%3E", "/e/..%2F..%2Fetc", "/" + strings.Repeat("a", 3000)} {
		page(t, h, path, 404)
	}
}

// TestHostileInABrowser wants nothing of the attacks to run and no page to break.
func TestHostileInABrowser(t *testing.T) {
	b := openBrowser(t, newUI(hostileOptions()))
	heard := b.Listen()
	for _, path := range []string{"/", "/search?q=x", "/e/bad", "/e/rtl", "/s/bad", "/changes"} {
		for _, l := range []browsertest.Look{browsertest.PhoneLight, browsertest.DesktopDark} {
			openAs(b, path, l)
			b.Check(path + " " + l.Name)
		}
	}
	wantSilence(t, heard())
}

// TestPolicyInABrowser checks that the policy refuses nothing on our own pages. They have data for
// search engines, their script, the time zone that it detects, and a chosen one.
func TestPolicyInABrowser(t *testing.T) {
	b := openBrowser(t, newUI(richWorld().fullOptions()))
	heard := b.Listen()
	b.Zone("Asia/Tokyo")
	for _, path := range []string{"/", "/e/icx-2027", "/s/icx", "/e/icx-2027/history"} {
		openAs(b, path, browsertest.DesktopLight)
	}
	openAs(b, "/zone?back=/e/icx-2027", browsertest.PhoneLight)
	if got := browsertest.Evaluate[string](b, `document.getElementById("tz").value`); got != "Asia/Tokyo" {
		t.Errorf("the script proposes %q", got)
	}
	b.Press("button[value='Europe/London']")
	if got := b.Text(".card"); !strings.Contains(got, "= Fri 15 Jan 22:59 London") {
		t.Errorf("after the choice: %q", got)
	}
	wantSilence(t, heard())
	b.Scripts(false)
	openAs(b, "/", browsertest.PhoneLight)
	b.Do(chromedp.SendKeys("#q", "web crawling"), chromedp.Submit("#q"), chromedp.WaitVisible("h1 q"))
	if got := b.Text("h1"); got != "Calls about web crawling" {
		t.Errorf("the search says %q", got)
	}
}

// wantSilence fails the test if a page has logged, thrown, or been refused something by
// its policy.
func wantSilence(t *testing.T, heard []string) {
	t.Helper()
	for _, text := range heard {
		t.Error(text)
	}
}
