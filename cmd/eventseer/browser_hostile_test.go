package main

import (
	"strings"
	"testing"

	"github.com/eventseer/eventseer/eventseer"
	"github.com/eventseer/eventseer/internal/browsertest"
	"github.com/eventseer/eventseer/internal/nightly"
)

// attack is markup that reports itself if any part of it runs, whatever it is inserted into.
const attack = `"'><script>window.hit=1;alert(1)</script><img src=x onerror="window.hit=1;alert(2)"><svg onload=alert(3)>{{.}}` + "\x00\u202e[](javascript:alert(4))"

// hostileCalls have an attack, a title of 10 kB, right-to-left text and emoji in every
// field that a page controls.
func hostileCalls() []eventseer.Event {
	bad := eventseer.Provenance{URL: "javascript:alert(5)", Path: attack, Rule: attack, Inferred: attack, Snippet: attack}
	e := fairCall("2027-02-20", opening.AddDate(0, 0, -1))
	e.URL, e.Title, e.Acronym = "https://bad.example/"+strings.Repeat("a", 800), attack+strings.Repeat("Wide", 2500), attack
	e.Location = &eventseer.Venue{City: attack, Region: attack, Country: attack, CountryCode: "NO", Text: attack}
	e.Topics, e.Publisher, e.Parent, e.SubmissionURL = []string{attack, strings.Repeat("🎓", 3000), "hostile gardens"}, attack, attack, "javascript:alert(6)"
	e.Committee = []eventseer.Person{{Name: attack, Affiliation: attack, Country: attack, Role: attack}}
	e.Warnings = []eventseer.Warning{{Rule: attack, Text: attack}}
	e.Sources = map[string]eventseer.Provenance{"title": bad, "location": bad, "topics": bad, "publisher": bad}
	e.Pages, e.Related = []string{e.URL, "javascript:alert(7)"}, []string{"javascript:alert(8)", "https://x.example/" + attack}
	e.Trail = []eventseer.Evidence{{Field: attack, Value: attack, Source: bad, Seen: opening}}
	for i := range e.Deadlines {
		e.Deadlines[i].Track, e.Deadlines[i].Text, e.Deadlines[i].TZPrinted, e.Deadlines[i].Source = attack, attack, attack, bad
	}
	moved := e
	moved.Deadlines = []eventseer.Deadline{e.Deadlines[0]}
	moved.Deadlines[0].Date, moved.Deadlines[0].Instant, moved.LastSeen = "2027-02-27", e.Deadlines[0].Instant.AddDate(0, 0, 7), opening
	rtl := fairCall("2027-02-21", opening.AddDate(0, 0, -1))
	rtl.URL, rtl.Title, rtl.Acronym = "https://rtl.example/", "المؤتمر الدولي للحدائق \u202e\u2066🎓"+strings.Repeat("حديقة", 300), "\u202eEVIL"
	rtl.Topics = []string{"hostile gardens", strings.Repeat("ש", 2000)}
	return []eventseer.Event{e, rtl, moved}
}

// Nothing that a page writes runs in a browser, wherever it is shown, and no page is
// wider than the screen for it; mails too.
func TestBrowserHostile(t *testing.T) {
	t.Parallel()
	f := newFair(t, t.TempDir())
	put(t, f.data, fairCall("2027-02-15", opening.AddDate(0, 0, -2)))
	f.start("--parts", "web,mail", "--people")
	b := browsertest.Open(t, f.url)
	f.signIn(b)
	heard := b.Listen()
	b.See(browsertest.PhoneLight)
	b.Go("/subscribe")
	b.Type("#address", "eve@home.example")
	b.Type("#q", "hostile")
	b.Type("#name", `"><img src=x onerror=alert(9)>`)
	b.Do(clickOn("#rhythm-immediate"))
	b.Press("button[value=save]")
	b.Go(f.letter(t, "eve@home.example", "").Links()[0])
	b.Press("main form button")
	if code := f.stop(); code != 0 {
		t.Fatalf("serve exits with %d", code)
	}
	f.server.Forget()
	put(t, f.data, hostileCalls()...)
	f.start("--parts", "web,mail", "--people")
	letter := f.letter(t, "eve@home.example", "/e/")

	b.Go("/search?q=hostile&all=1")
	paths := browsertest.Evaluate[[]string](b, `[...document.querySelectorAll(".call h2 a")].map(a => a.getAttribute("href"))`)
	if len(paths) != 2 {
		t.Fatalf("%d of 2 hostile calls are found: %q", len(paths), paths)
	}
	for _, event := range paths {
		b.Go(event)
		paths = append(paths, event+"/history", event+"/report", event+"/star")
		paths = append(paths, browsertest.Evaluate[[]string](b, `[...document.querySelectorAll('main a[href^="/s/"], main a[href^="/p/"]')].map(a => a.getAttribute("href"))`)...)
	}
	paths = append(paths, "/", "/search?q=hostile&all=1", "/new", "/changes", "/calendar?month=2027-02", "/timeline", "/map", "/clips", "/account",
		pathOf(t, letterLink(t, letter, "/d/")), pathOf(t, letterLink(t, letter, "/unsubscribe/")), "/admin/errors", "/admin/readers", "/admin/mail",
		"/search?q=%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E")
	looks := []browsertest.Look{browsertest.PhoneLight, browsertest.DesktopDark}
	for i, l := range looks {
		b.See(l)
		for n, path := range paths {
			if !nightly.Enabled() && n%len(looks) != i {
				continue
			}
			b.Go(path)
			b.Unfold()
			b.CheckAs("hostile"+path, l)
			unharmed(t, b, path)
		}
	}
	b.Go("/about") // a mail program shows the mail: its markup, without our policy
	b.Go("data:text/html;charset=utf-8," + strings.NewReplacer("%", "%25", "#", "%23", "\n", "%0A").Replace(letter.HTML()))
	unharmed(t, b, "the mail")
	for _, said := range heard() {
		if !refusals.MatchString(said) {
			t.Error(said)
		}
	}
	for _, path := range []string{"/search.atom?q=hostile&all=1", "/search.rss?q=hostile&all=1", "/search.ics?q=hostile&all=1", "/search.csv?q=hostile&all=1", "/api/v1/events.json?q=hostile&all=1"} {
		body := f.get(path)
		if strings.ContainsAny(body, "\x00") || strings.Contains(body, "<img src=x") && !strings.Contains(path, "json") && !strings.Contains(path, ".csv") && !strings.Contains(path, ".ics") {
			t.Errorf("GET %s: %.2000q", path, body)
		}
	}
}

// unharmed wants nothing of the attack to have run, and none of its markup to be ours.
func unharmed(t *testing.T, b *browsertest.Tab, page string) {
	t.Helper()
	if browsertest.Evaluate[bool](b, `!!window.hit || document.querySelectorAll("main img, svg[onload], [onerror], main script:not([type='application/ld+json']), a[href^='javascript:' i], a[href^='data:' i]").length > 0`) {
		t.Errorf("%s: markup of a page became ours", page)
	}
}
